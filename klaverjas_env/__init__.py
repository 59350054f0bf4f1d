"""Klaverjas, the Dutch partnership trick-taking game, for people who train, measure and use agents."""

import contextlib

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

# `gymnasium.make("klaverjas_env:Klaverjas-v0")` imports this file and nothing else: so the id stands here.
with contextlib.suppress(ImportError):
    import gymnasium

    gymnasium.register(
        "Klaverjas-v0",
        entry_point="klaverjas_env.envs.single_agent:KlaverjasEnv",
        vector_entry_point="klaverjas_env.envs.gym_vector:KlaverjasVectorEnv",
    )
