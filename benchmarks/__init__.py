"""Figures for speed: medians, and ratios within one run."""
