<<<<<<< HEAD
"""Figures for speed, measured on one core and as ratios within one run where machines would differ."""
=======
"""Figures for speed: medians, and ratios within one run."""
>>>>>>> main
