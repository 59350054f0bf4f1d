"""A table as text for people: what the AEC env shows in the render modes `ansi` and `human`."""

from typing import Any, Final

import numpy as np

from klaverjas_env.game import trick_start, turned_suit
from klaverjas_env.notation import SEAT_WORDS
from klaverjas_env.rules.bidding import JOKER
from klaverjas_env.rules.cards import NO_SUIT
from klaverjas_env.rules.scoring import TARGET
from klaverjas_env.view import player_of

TEAMS: Final = ("south-north", "west-east")

_SUIT_SIGNS: Final = "♣♦♥♠"
_RANKS: Final = ("7", "8", "9", "10", "J", "Q", "K", "A")


def table_text(games: np.ndarray) -> str:
    """The table of `games`, `GAME` [1], as lines of text; of the hands only that of the seat to act is shown,
    unless the house plays with open hands."""
    game = games[0]
    lines = [_deal_line(game), _trick_line(game), _hand_lines(game)]
    lines.append(f"{'':8}" + "".join(f"{team:>13}" for team in TEAMS))
    for title, numbers in (("points", game.points), ("roem", game.roem), ("tricks", game.tricks)):
        lines.append(_score_line(title, numbers))
    lines.append(_score_line("match", game.totals))
    return "\n".join(line for line in lines if line) + "\n"


def card_text(card: int) -> str:
    """A card as suit sign and rank, such as ♥J."""
    return _SUIT_SIGNS[card >> 3] + _RANKS[card & 7]


def _deal_line(game: Any) -> str:
    """Number of the deal, dealer, and trump as far as it has been chosen."""
    over = game.to_act < 0
    number = game.deals_played + (0 if over else 1)
    last = f" to {game.rules.target} points" if game.rules.match_end == TARGET else f"/{game.rules.deals}"
    line = f"deal {number}{last}, dealer {SEAT_WORDS[game.dealer]}, "
    if game.trump != NO_SUIT:
        return line + f"trump {_SUIT_SIGNS[game.trump]} by {SEAT_WORDS[game.declarer]}" + (", over" if over else "")
    turned = turned_suit(game)
    if turned == NO_SUIT:
        return line + "no trump yet"
    return line + "no trump yet, turned " + ("a joker" if turned == JOKER else _SUIT_SIGNS[turned])


def _trick_line(game: Any) -> str:
    """The cards on the table in the order in which they were played; after a deal those of its last trick."""
    if game.trump == NO_SUIT:
        return ""
    first = 28 if game.n_plays == 32 else trick_start(game)
    cards = ", ".join(
        f"{SEAT_WORDS[player_of(game, play)]} {card_text(game.plays[play])}" for play in range(first, game.n_plays)
    )
    return f"trick {(first >> 2) + 1}: {cards or '-'}"


def _hand_lines(game: Any) -> str:
    """The hand of the seat to act, or, where hands are open (R1.6), all four."""
    if game.to_act < 0:
        return ""
    seats = range(4) if game.rules.open_hands else [game.to_act]
    return "\n".join(_hand_line(game, seat) for seat in seats)


def _hand_line(game: Any, seat: int) -> str:
    """One hand, by suit."""
    hand = int(game.hands[seat])
    suits = [
        sign + " ".join(_RANKS[rank] for rank in range(8) if hand >> (8 * suit + rank) & 1)
        for suit, sign in enumerate(_SUIT_SIGNS)
        if hand >> (8 * suit) & 0xFF
    ]
    return f"{SEAT_WORDS[seat]}{' to act' if seat == game.to_act else ''}, holds {'  '.join(suits)}"


def _score_line(title: str, numbers: np.ndarray) -> str:
    """One line of the score, by team."""
    return f"{title:8}" + "".join(f"{number:>13}" for number in numbers)
