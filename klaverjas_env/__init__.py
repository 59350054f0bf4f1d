"""Klaverjas, the Dutch partnership trick-taking game, for people who train, measure and use agents."""

from klaverjas_env.notation import IllegalActionError
from klaverjas_env.questions import deal_score, explain, legal_cards, trick_points, trick_roem, trick_winner
from klaverjas_env.records.deal import replay
from klaverjas_env.records.form import RecordError
from klaverjas_env.rules.variant import PRESETS, Variant, VariantError
from klaverjas_env.version import __version__

__all__ = [
    "PRESETS",
    "IllegalActionError",
    "RecordError",
    "Variant",
    "VariantError",
    "__version__",
    "deal_score",
    "explain",
    "legal_cards",
    "replay",
    "trick_points",
    "trick_roem",
    "trick_winner",
]
