"""Training, measuring and exporting policies; the only part that knows torch."""

import os

# Read when torch loads OpenMP: idle threads would spin, and on a shared machine take the time of those that work.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
