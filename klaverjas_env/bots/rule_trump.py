"""How the rule player chooses trump: the strength of a hand by its traits, against the strength from which to play."""

from typing import Any

import numpy as np

from klaverjas_env.bots.rule_tables import N_TRAITS, Tables
from klaverjas_env.game import NAME, PASS, PLAY, legal, turned_suit
from klaverjas_env.jit import jit
from klaverjas_env.rules.bidding import LAST_FORCED, STOCK
from klaverjas_env.rules.cards import ACE, JACK, NINE, TEN, count, ranks_of


@jit
def choose_trump(view: Any, tables: Tables) -> int:
    """Play on the turned suit, or name the strongest one; pass, where one may, with less than the least strength."""
    hand = view.hands[view.to_act]
    actions = legal(view)
    choice = PLAY
    most = 0.0
    if (actions >> PLAY) & 1:
        most = strength(hand, turned_suit(view), tables)
    else:
        for suit in range(4):
            if (actions >> (NAME + suit)) & 1:
                strong = strength(hand, suit, tables)
                if choice == PLAY or strong > most:
                    choice = NAME + suit
                    most = strong
    may_pass = (actions >> PASS) & 1
    return PASS if may_pass and most < tables.least[outcome(view.rules), calls_left(view)] else choice


@jit
def strength(hand: int, trump: int, tables: Tables) -> float:
    """The score difference to expect from playing with this hand and trump, in points."""
    traits = trump_traits(hand, trump)
    total = 0.0
    for trait in range(N_TRAITS):
        total += tables.traits[trait] * traits[trait]
    return total


@jit
def trump_traits(hand: int, trump: int) -> np.ndarray:
    """How often the hand has each of the `TRAITS` with this trump, int64 [N_TRAITS]."""
    traits = np.zeros(N_TRAITS, dtype=np.int64)
    ranks = ranks_of(hand, trump)
    traits[min(max(count(ranks), 2), 6) - 2] = 1
    honours = (ranks >> NINE & 1) + 2 * (ranks >> JACK & 1)
    if honours > 0:
        traits[4 + honours] = 1
    traits[8] = ranks >> ACE & 1
    traits[9] = ranks >> TEN & 1
    for suit in range(4):
        side = ranks_of(hand, suit)
        if suit == trump:
            continue
        traits[10] += side >> ACE & 1
        traits[11] += max(count(side) - 2, 0) * (side >> ACE & 1)
        traits[12] += side >> ACE & side >> TEN & 1
        traits[13] += int(side >> ACE & 1 == 0 and side >> TEN & 1 == 1 and count(side) > 1)
        traits[14] += int(side == 0)
    return traits


@jit
def outcome(rules: Any) -> int:
    """The row of `LEAST_STRENGTH`: how trump goes round, and what comes when all pass."""
    last = int(rules.forced_seat == LAST_FORCED)
    if rules.trump_mode == STOCK:
        return 3 if last else int(rules.all_pass)
    return 6 if last else 3 + int(rules.all_pass)


@jit
def calls_left(view: Any) -> int:
    """How many may speak after this one before all have passed; of more than seven as many as count, 4 to 7."""
    rounds = view.rules.stock_rounds if view.rules.trump_mode == STOCK else 1
    left = 4 * rounds - 1 - view.n_bids
    return int(left) if left < 8 else int(4 + (left & 3))
