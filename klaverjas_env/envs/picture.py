"""A table as a picture: what the AEC env draws in the render mode `rgb_array`."""

import numpy as np


def table_picture(games: np.ndarray, open_hands: bool = False) -> np.ndarray:
    """stub"""
    return np.zeros((720, 1080, 3), np.uint8)
