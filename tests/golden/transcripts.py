"""The golden transcripts: a match under each of six presets, by a fixed policy.

`python -m tests.golden.transcripts` writes them anew. Do that only for a change that is meant, and say in the commit
which frozen name changed with it.
"""

import hashlib
import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from klaverjas_env.game import ACTIONS, N_ACTIONS, PASSED_OUT, apply, deal_ended, legal, match_over, new, next_deal
from klaverjas_env.observation import N_OBSERVATION, OBSERVATION, PHYSICAL, write_observation
from klaverjas_env.rng import GENERATOR
from klaverjas_env.rules.variant import Variant

FOLDER: Final = Path(__file__).parent
SEED: Final = 1905
PRESETS: Final = (
    "amsterdams/utrechts",
    "rotterdams/stock-verplicht",
    "amsterdams/stock-zoeker",
    "online-rotterdams",
    "nku",
    "bga",
)
_FIRST_PLACE: Final = 5
"""Chosen so that with a turned card all four pass in two of the deals."""


def path_of(preset: str) -> Path:
    """The file of a preset."""
    return FOLDER / f"{preset.replace('/', '-')}.json"


def chosen(actions: int, deal: int, decision: int) -> int:
    """The action of the fixed policy: a member of the legal set, hashed from its place in the match."""
    members = [action for action in range(N_ACTIONS) if actions >> action & 1]
    place = (64 * deal + decision + _FIRST_PLACE) * 2654435761 % 2**32
    mixed = (place ^ place >> 15) * 2246822519 % 2**32
    return members[(mixed >> 16) % len(members)]


def numbers(values: Any) -> list[int]:
    """Plain integers, as JSON has them."""
    return [int(value) for value in values]


def play_deal(game: Any, deal: int, seen: Any) -> dict[str, Any]:
    """Play one deal and tell it; `seen` gathers a digest of the observations, rounded to a ten-thousandth.

    A deal that is passed out has no result.
    """
    told: dict[str, Any] = {"dealer": int(game.dealer), "hands": [f"{int(hand):08x}" for hand in game.hands]}
    observation = np.zeros(N_OBSERVATION, dtype=np.float32)
    legal_sets: list[str] = []
    actions: list[int] = []
    while not deal_ended(game):
        write_observation(game, game.to_act, PHYSICAL, observation)
        seen.update(np.round(observation * 10_000).astype("<i4").tobytes())
        legal_sets.append(f"{int(legal(game)):x}")
        actions.append(chosen(int(legal(game)), deal, len(actions)))
        apply(game, actions[-1])
    told["actions"] = " ".join(map(str, actions))
    told["legal"] = hashlib.sha256(" ".join(legal_sets).encode()).hexdigest()[:16]
    if game.phase == PASSED_OUT:
        return told
    told |= {"declarer": int(game.declarer), "trump": int(game.trump), "nat": int(game.nat), "pit": int(game.pit)}
    for name in ("points", "roem", "tricks", "score"):
        told[name] = numbers(game[name])
    return told


def transcript(preset: str) -> dict[str, Any]:
    """The match of a preset: what names it, what every deal was, and how it ended."""
    variant = Variant.parse(preset)
    games = new(variant, SEED)
    seen = hashlib.sha256()
    deals = [play_deal(games[0], 0, seen)]
    while not match_over(games[0]):
        next_deal(games[0])
        deals.append(play_deal(games[0], len(deals), seen))
    return {
        "variant": preset,
        "rules_hash": variant.rules_hash,
        "seed": SEED,
        "generator": GENERATOR,
        "actions": ACTIONS,
        "observation": OBSERVATION,
        "observations": seen.hexdigest(),
        "totals": numbers(games[0].totals),
        "deals": deals,
    }


def as_text(told: dict[str, Any]) -> str:
    """The transcript as JSON with a line for each deal."""
    head = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in told.items() if name != "deals"]
    deals = ",\n".join("  " + json.dumps(deal) for deal in told["deals"])
    return "{\n" + "".join(f" {line},\n" for line in head) + f' "deals": [\n{deals}\n ]\n}}\n'


if __name__ == "__main__":
    for named in PRESETS:
        path_of(named).write_text(as_text(transcript(named)))
