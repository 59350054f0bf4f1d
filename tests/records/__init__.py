"""Tests of klaverjas_env/records."""
