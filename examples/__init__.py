"""One short script a library: each trains for about a minute and says what that gained against `random`."""
