"""One short script a library: each trains on Klaverjas for about a minute and says what that gained against `random`."""
