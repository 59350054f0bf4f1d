"""R6: the result of a deal: last trick, made or nat, pit and tegenpit."""

from enum import IntEnum
from typing import Any

from klaverjas_env.jit import jit

TRICKS = 8
PENALTY = 1
"""`renege_mode` in which a card against R3 can be played and ends the deal."""
ROEM_ALL = 0
ROEM_WINNER_ONLY = 1
TARGET = 1
"""`match_end` in which points end a match."""
EXTRA_DEAL = 1
"""`tie_break` in which a match goes on while the score is equal."""
DEAL_POINTS = 152
"""R6.1: the card points of a deal without the last trick's bonus: 62 in trump and three times 30."""


class Pit(IntEnum):
    """R6.4: which side took all eight tricks."""

    NONE = 0
    PLAYING = 1
    DEFENDING = 2


_NO_PIT = int(Pit.NONE)
_PLAYING_PIT = int(Pit.PLAYING)
_DEFENDING_PIT = int(Pit.DEFENDING)


@jit
def is_nat(playing: int, defending: int, rules: Any) -> bool:
    """R6.2: whether the playing side, with these points including roem, has failed ("nat"): it needs more than the
    defenders, and an equal score is nat unless the house says otherwise."""
    if playing == defending:
        return bool(rules.nat_on_tie != 0)
    return playing < defending


@jit
def pit_of(playing_tricks: int) -> int:
    """R6.4: the side that took every trick, by tricks and not by points (a lost trick can be worth nothing)."""
    if playing_tricks == TRICKS:
        return _PLAYING_PIT
    return _DEFENDING_PIT if playing_tricks == 0 else _NO_PIT


@jit
def deal_score(
    playing_points: int, defending_points: int, playing_roem: int, defending_roem: int, playing_tricks: int, rules: Any
) -> tuple[int, int, bool, int]:
    """R6.3: (score of the playing side, score of the defenders, nat, pit) from card points (last trick included),
    roem and the number of tricks of the playing side.

    Made: each side keeps its own. Nat: the defenders get all card points and all roem of both sides.
    """
    playing = playing_points + playing_roem
    defending = defending_points + defending_roem
    pit = pit_of(playing_tricks)
    if is_nat(playing, defending, rules):
        bonus = rules.counter_pit_bonus if pit == _DEFENDING_PIT else 0
        return 0, playing + defending + bonus, True, pit
    bonus = rules.pit_bonus if pit == _PLAYING_PIT else 0
    return playing + bonus, defending, False, pit


@jit
def renege_score(innocent_roem: int, offending_roem: int, rules: Any) -> int:
    """R6.7: what the other side scores when a player has reneged (verzaakt); the offenders score nothing."""
    roem = 0
    if rules.renege_roem == ROEM_ALL:
        roem = innocent_roem + offending_roem
    elif rules.renege_roem == ROEM_WINNER_ONLY:
        roem = innocent_roem
    return int(rules.renege_points + rules.renege_bonus + roem)


@jit
def match_ended(total_0: int, total_1: int, deals_played: int, rules: Any) -> bool:
    """R6.6, R6.8: whether a match is over, after a deal has been scored."""
    by_target = rules.match_end == TARGET
    ended = max(total_0, total_1) >= rules.target if by_target else deals_played >= rules.deals
    return bool(ended and not (rules.tie_break == EXTRA_DEAL and total_0 == total_1))


@jit
def match_winner(total_0: int, total_1: int) -> int:
    """R6.8: the team with the higher total, or -1 for a draw."""
    if total_0 == total_1:
        return -1
    return 0 if total_0 > total_1 else 1
