"""What one seat may know: the same game record with the hidden hands, the pile and the seed blanked."""

from typing import Any

import numpy as np

from klaverjas_env.game import GAME, played_set, trick_start
from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import ALL_CARDS, NO_SUIT, STRONGEST, ranks_of


@jit
def hide(game: Any, seat: int) -> None:
    """Blank, in place, what `seat` may not know: other hands (unless they are open, R1.6), suits still in the pile, and
    the seed of the deals."""
    for other in range(4):
        if other != seat and game.rules.open_hands == 0:
            game.hands[other] = 0
    for place in range(game.drawn, len(game.stock)):
        game.stock[place] = NO_SUIT
    game.seed = 0


@jit
def _hide_each(games: np.ndarray, seats: np.ndarray) -> None:
    for i in range(len(games)):
        hide(games[i], seats[i])


def view(games: np.ndarray, seats: np.ndarray) -> np.ndarray:
    """The views of `seats` int64 [N] on `games` [N], as new records [N] of dtype `GAME`.

    Who plays on in a view must first fill in what is blank: a pass of all four may turn a card that the view lacks.
    """
    views: np.ndarray = games.astype(GAME, copy=True)
    _hide_each(views, seats)
    return views


@jit
def dealt_hand(game: Any, seat: int) -> int:
    """The eight cards that `seat` was dealt, as a set: those it holds and those it has played."""
    hand = game.hands[seat]
    for first in range(0, game.n_plays, 4):
        play = first + (seat - game.leaders[first >> 2] & 3)
        if play < game.n_plays:
            hand |= 1 << game.plays[play]
    return int(hand)


@jit
def unseen_cards(game: Any, seat: int) -> int:
    """The cards that `seat` does not hold and that have not been played, as a set."""
    return int(ALL_CARDS & ~(game.hands[seat] | played_set(game, 0, game.n_plays)))


@jit
def player_of(game: Any, play: int) -> int:
    """The seat that made the `play`-th play (0..31) of the deal."""
    return int((game.leaders[play >> 2] + (play & 3)) & 3)


@jit
def finished_tricks(game: Any, seat: int) -> tuple[int, int, int, int, int]:
    """What has been played in finished tricks, as sets: by `seat`, by the players left, opposite and right, and the
    cards that opened a trick."""
    end = trick_start(game)
    own = left = partner = right = lead = 0
    for trick in range(8):
        first = 4 * trick
        if first >= end:
            break
        turn = seat - game.leaders[trick]
        own |= 1 << game.plays[first + (turn & 3)]
        left |= 1 << game.plays[first + (turn + 1 & 3)]
        partner |= 1 << game.plays[first + (turn + 2 & 3)]
        right |= 1 << game.plays[first + (turn + 3 & 3)]
        lead |= 1 << game.plays[first]
    return own, left, partner, right, lead


@jit
def cards_on_table(game: Any, seat: int) -> tuple[int, int, int, int, int]:
    """The cards of the trick on the table as sets: of `seat`, of the players left, opposite and right, and the
    one that was led."""
    first = trick_start(game)
    if first == game.n_plays:
        return 0, 0, 0, 0, 0
    turn = seat - game.leaders[first >> 2]
    return (
        _card_at(game, first + (turn & 3)),
        _card_at(game, first + (turn + 1 & 3)),
        _card_at(game, first + (turn + 2 & 3)),
        _card_at(game, first + (turn + 3 & 3)),
        _card_at(game, first),
    )


@jit
def _card_at(game: Any, play: int) -> int:
    """The card of a play as a set, empty before it."""
    return int(1 << game.plays[play]) if play < game.n_plays else 0


@jit
def strongest_left(gone: int, trump: int) -> int:
    """In each suit the strongest card that is not `gone`, as a set."""
    cards = 0
    for suit in range(4):
        cards |= STRONGEST[int(suit == trump), ranks_of(~gone, suit)] << 8 * suit
    return int(cards)


@jit
def plays_before(game: Any, suit: int) -> int:
    """How early a suit was first played: 32 for the first card of the deal, 0 for a suit not played."""
    for play in range(game.n_plays):
        if game.plays[play] >> 3 == suit:
            return 32 - play
    return 0
