"""The law of Klaverjas: pure functions of integers, one file for each chapter of RULES.md."""
