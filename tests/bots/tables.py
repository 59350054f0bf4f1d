"""Small positions for the tests of bots, written as cards."""

import numpy as np

from klaverjas_env.game import BIDDING, GAME, NAMING, PASS, PLAYING
from klaverjas_env.notation import parse_card, parse_cards, parse_suit
from klaverjas_env.rules.bidding import FORCED_CHOICE, STOCK_CARDS
from klaverjas_env.rules.cards import NO_CARD, NO_SUIT
from klaverjas_env.rules.variant import Variant


def _blank(hand: str, variant: str) -> np.ndarray:
    """South to act with `hand`, and nothing else known."""
    views = np.zeros(1, dtype=GAME)
    views["rules"] = Variant.parse(variant).record()
    views["hands"][0, 0] = parse_cards(hand.split())
    views["dealer"] = 3
    views["trump"] = NO_SUIT
    views["declarer"] = -1
    views["bids"] = -1
    views["plays"] = NO_CARD
    views["leaders"] = -1
    views["stock"] = NO_SUIT
    return views


def playing(
    hand: str, trick: str = "", gone: str = "", trump: str = "S", variant: str = "online-rotterdams"
) -> np.ndarray:
    """South's view `GAME` [1]: it holds `hand`, `trick` lies on the table and `gone` (whole tricks) has been played."""
    views = _blank(hand, variant)
    plays = [parse_card(name) for name in [*gone.split(), *trick.split()]]
    views["phase"] = PLAYING
    views["trump"] = parse_suit(trump)
    views["declarer"] = 0
    views["plays"][0, : len(plays)] = plays
    views["n_plays"] = len(plays)
    views["leaders"][0, : len(gone.split()) // 4] = 0
    views["leaders"][0, len(gone.split()) // 4] = -len(trick.split()) & 3
    return views


def turned(hand: str, suit: str) -> np.ndarray:
    """South's view when it may play on the turned `suit`."""
    views = _blank(hand, "amsterdams/stock-verplicht")
    views["phase"] = BIDDING
    views["stock"][0, 0] = parse_suit(suit)
    views["drawn"] = 1
    return views


def naming(hand: str, passed: str = "") -> np.ndarray:
    """South's view when it must name a suit, after all have passed on the suit `passed` if there was one."""
    views = _blank(hand, "amsterdams/stock-zoeker" if passed else "amsterdams")
    views["phase"] = NAMING
    if passed:
        views["rules"]["all_pass"] = FORCED_CHOICE
        views["stock"][0] = [parse_suit(passed)] + [NO_SUIT] * (STOCK_CARDS - 1)
        views["drawn"] = 1
        views["bids"][0, :4] = PASS
        views["n_bids"] = 4
    return views
