"""How the deals of a measurement are opened: by the bots' own bidding, by a frozen chooser, or by lot.

Bidding and card play are two halves of the game. With a contract that is given, both halves of a duel play the same
contract and the figures tell of card play alone.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.envs.vector import play_forced, set_random_contract
from klaverjas_env.game import GAME, set_contract, start_deal
from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import ACE, CARD_POINTS, NO_SUIT, ranks_of
from klaverjas_env.rules.variant import Variant

# All compiled code that calls other compiled code of this folder stands in the file it calls: numba notices a change in
# a file, and a change in the package, but not one in another file of this folder.

CHOOSER: Final = "klaverjas-chooser-v1"
"""Frozen name of the rule by which `set_chosen_contract` gives a contract; it stands in the results."""
CONTRACTS: Final = {"bid": "bid", "chooser": CHOOSER, "random": "random"}
"""How the contract comes about, by the word of the command line, with its name in results: the bots choose trump; the
strongest hand declares its best suit; declarer and trump are drawn from the seed and number of the deal."""

TRUMP_LENGTH: Final = 5
"""What the chooser adds for each trump."""
SIDE_ACE: Final = 11
"""What the chooser adds for each ace of another suit."""


def contract_name(contract: str) -> str:
    """The name of a contract in results. Raises ValueError for a word that is none of `CONTRACTS`."""
    if contract not in CONTRACTS:
        raise ValueError(f"contract={contract!r} is not one of {', '.join(CONTRACTS)}")
    return CONTRACTS[contract]


def deals(variant: Variant, first: int, n: int, seed: int, contract: str) -> np.ndarray:
    """The deals `first`, `first` + 1, ... of a seed, `GAME` [n], forced actions taken; the dealer goes round, and each
    stands in its place of a match, as the first deal may have rules of its own (R2.10)."""
    games = np.zeros(n, dtype=GAME)
    games["rules"] = variant.record()
    games["seed"] = seed
    games["deal_number"] = np.arange(first, first + n)
    games["dealer"] = games["deal_number"] & 3
    games["deals_played"] = games["deal_number"] % variant.deals
    _open_each(games, list(CONTRACTS).index(contract))
    return games


@jit
def _open_each(games: np.ndarray, contract: int) -> None:
    for i in range(len(games)):
        game = games[i]
        start_deal(game)
        if contract == 1:
            set_chosen_contract(game)
        elif contract == 2:
            set_random_contract(game)
        play_forced(game)


@jit
def set_chosen_contract(game: Any) -> None:
    """`CHOOSER`: of the four hands and four suits the one with the highest `declaring_strength` makes the contract; of
    equals the hand nearest to the left of the dealer, then the lowest suit."""
    declarer = -1
    trump = NO_SUIT
    most = -1
    for place in range(4):
        seat = (game.dealer + 1 + place) & 3
        for suit in range(4):
            strength = declaring_strength(game.hands[seat], suit)
            if strength > most:
                most = strength
                declarer = seat
                trump = suit
    set_contract(game, declarer, trump)


@jit
def declaring_strength(hand: int, trump: int) -> int:
    """What a hand is worth to the chooser with a suit as trump: its trumps' points, 5 a trump and 11 a side ace.

    Written apart from what the bots reckon with, so that no better bot ever moves the contracts of old results.
    """
    strength = 0
    for suit in range(4):
        ranks = ranks_of(hand, suit)
        if suit == trump:
            for rank in range(8):
                if (ranks >> rank) & 1:
                    strength += CARD_POINTS[1, rank] + TRUMP_LENGTH
        else:
            strength += SIDE_ACE * ((ranks >> ACE) & 1)
    return int(strength)
