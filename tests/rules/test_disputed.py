"""R3.5 to R3.9: positions on which the known conventions differ, each under the house rules that we can play."""

import json
from pathlib import Path

import pytest

from klaverjas_env.questions import legal_cards
from klaverjas_env.rules.variant import Variant

POSITIONS = Path(__file__).parents[2].parent / "shared" / "rules" / "disputed_positions.jsonl"

PROFILES = {
    "rot_seed": Variant(partner_exempt="none"),
    "rot_under": Variant(partner_exempt="none", undertrump="forced"),
    "ams_seed": Variant(),
    "ams_000": Variant(partner_exempt="winning_trump"),
    "ams_under": Variant(undertrump="forced"),
    "ams_any": Variant(undertrump="forced", undertrump_partner="allowed"),
}
NOT_PLAYED = {"rot_nohead", "ams_house"}
"""Profiles without the duty to beat a led trump."""


@pytest.mark.parametrize("profile", PROFILES)
def test_r3_disputed_positions(profile: str) -> None:
    if not POSITIONS.exists():
        pytest.skip(f"{POSITIONS} is not on this machine")
    lines = POSITIONS.read_text().splitlines()
    assert len(lines) == 90
    for line in lines:
        position = json.loads(line)
        assert set(position["legal"]) == set(PROFILES) | NOT_PLAYED
        found = legal_cards(position["hand"], position["trick"], position["trump"], position["seat"], PROFILES[profile])
        assert sorted(found) == sorted(position["legal"][profile]), line
