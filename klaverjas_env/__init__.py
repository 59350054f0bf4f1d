"""Klaverjas, the Dutch partnership trick-taking game, for people who train, measure and use agents."""

from klaverjas_env.rules.variant import PRESETS, Variant, VariantError
from klaverjas_env.version import __version__

__all__ = ["PRESETS", "Variant", "VariantError", "__version__"]
