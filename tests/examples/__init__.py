"""Tests of the examples, each in an environment of its own: `pytest -m clients`."""
