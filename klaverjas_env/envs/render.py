"""A table for people, in the render modes of the doors: as text, printed, or drawn."""

import sys
from typing import Any, Final

import numpy as np

from klaverjas_env.game import (
    CLAIMING,
    DEAL_OVER,
    NAME,
    NO_SEAT,
    PASS,
    PASSED_OUT,
    played_set,
    trick_start,
    turned_suit,
)
from klaverjas_env.notation import SEAT_WORDS
from klaverjas_env.rules.bidding import JOKER, speaker
from klaverjas_env.rules.cards import NO_SUIT
from klaverjas_env.rules.roem import DECLARE, trick_roem
from klaverjas_env.rules.scoring import TARGET, Pit
from klaverjas_env.rules.trick import trick_points, winning_place
from klaverjas_env.view import player_of

TEAMS: Final = ("south-north", "west-east")
SUIT_SIGNS: Final = "♣♦♥♠"
RANKS: Final = ("7", "8", "9", "10", "J", "Q", "K", "A")

RENDER_MODES: Final = ("human", "ansi", "rgb_array")


def render(games: np.ndarray, mode: str | None, open_hands: bool = False) -> str | np.ndarray | None:
    """The table of `games`, `GAME` [1]: as text (`ansi`), drawn as uint8 [720, 1080, 3] (`rgb_array`), or None after it
    was written to standard output (`human`). Without a mode nothing is done."""
    if mode is None:
        return None
    if mode == "rgb_array":
        from klaverjas_env.envs.picture import table_picture  # the drawing library, only when it is wanted

        return table_picture(games, open_hands)
    text = table_text(games, open_hands)
    if mode == "ansi":
        return text
    sys.stdout.write(text + "\n")
    sys.stdout.flush()
    return None


def table_text(games: np.ndarray, open_hands: bool = False) -> str:
    """The table of `games`, `GAME` [1], as lines of text; of the hands only that of the seat to act is shown, unless
    `open_hands`, or the house plays with open hands."""
    game = games[0]
    lines = [
        _deal_line(game),
        _bids_line(game),
        _last_trick_line(game),
        _trick_line(game),
        *_hand_lines(game, open_hands),
    ]
    lines.append(f"{'':10}" + "".join(f"{team:>13}" for team in TEAMS))
    for title, numbers in (("points", game.points), ("roem", game.roem), ("tricks", game.tricks)):
        lines.append(_score_line(title, numbers))
    if game.deals_played > 0:
        lines.append(_score_line("last deal", game.score) + last_deal_words(game))
    lines.append(_score_line("match", game.totals))
    return "\n".join(line for line in lines if line) + "\n"


def card_text(card: int) -> str:
    """A card as suit sign and rank, such as ♥J."""
    return SUIT_SIGNS[card >> 3] + RANKS[card & 7]


def bid_text(game: Any, bid: int) -> str:
    """The `bid`-th bid of a deal: pass, play, or the sign of a suit."""
    action = int(game.bids[bid])
    return SUIT_SIGNS[action - NAME] if action >= NAME else "pass" if action == PASS else "play"


def deal_words(game: Any) -> str:
    """Which deal of the match this is."""
    number = game.deals_played + (0 if game.phase == DEAL_OVER else 1)
    return f"deal {number}" + (
        f" to {game.rules.target} points" if game.rules.match_end == TARGET else f"/{game.rules.deals}"
    )


def last_deal_words(game: Any) -> str:
    """What there is to say of the last finished deal beside its score."""
    words = ["nat"] if game.nat else []
    if game.pit:
        words.append("pit" if game.pit == Pit.PLAYING else "pit against")
    if game.phase == DEAL_OVER and game.reneged != NO_SEAT:
        words.append(f"{SEAT_WORDS[game.reneged]} reneged")
    return f"  {', '.join(words)}" if words else ""


def last_trick(game: Any) -> tuple[int, int, int, int] | None:
    """The last trick that no longer lies on the table: (its first play, its winner, points, roem that it brought)."""
    first = table_trick(game) - 4
    if first < 0:
        return None
    winner = (game.leaders[first >> 2] + winning_place(game.plays, first, 4, game.trump)) & 3
    return first, int(winner), int(trick_points(played_set(game, first, first + 4), game.trump)), roem_of(game, first)


def table_trick(game: Any) -> int:
    """The first play of the trick on the table; after a deal of its last trick."""
    return 28 if game.n_plays == 32 else int(trick_start(game))


def roem_of(game: Any, first: int) -> int:
    """The roem that the finished trick from play `first` on brought, or that was claimed."""
    if _claimed(game):
        return max(int(game.claims[first >> 2]), 0)
    return int(trick_roem(played_set(game, first, first + 4), game.trump, game.rules))


def _claimed(game: Any) -> bool:
    """R5.5: whether roem has to be claimed."""
    return bool(game.rules.roem_mode == DECLARE)


def _deal_line(game: Any) -> str:
    """Number of the deal, dealer, and trump as far as it has been chosen."""
    over = ", over" if game.to_act == NO_SEAT else ""
    line = f"{deal_words(game)}, dealer {SEAT_WORDS[game.dealer]}, "
    if game.trump != NO_SUIT:
        return line + f"trump {SUIT_SIGNS[game.trump]} by {SEAT_WORDS[game.declarer]}" + over
    if game.phase == PASSED_OUT:
        return line + "passed out"
    turned = turned_suit(game)
    if turned == NO_SUIT:
        return line + "no trump yet"
    return line + "no trump yet, turned " + ("a joker" if turned == JOKER else SUIT_SIGNS[turned])


def _bids_line(game: Any) -> str:
    """What has been bid, while trump is being chosen."""
    if game.trump != NO_SUIT or game.n_bids == 0:
        return ""
    bids = (f"{SEAT_WORDS[speaker(game.dealer, bid, game.rules)]} {bid_text(game, bid)}" for bid in range(game.n_bids))
    return f"bids: {', '.join(bids)}"


def _last_trick_line(game: Any) -> str:
    """The trick before the one on the table: its cards, its winner, and what it brought."""
    found = last_trick(game)
    if found is None:
        return ""
    first, winner, points, roem = found
    worth = f"{points} points" + (f", roem {roem}" if roem else "") + (" claimed" if roem and _claimed(game) else "")
    return f"last trick: {_cards_text(game, first, first + 4)}; {SEAT_WORDS[winner]} took it, {worth}"


def _trick_line(game: Any) -> str:
    """The cards on the table in the order in which they were played; after a deal those of its last trick."""
    if game.trump == NO_SUIT:
        return ""
    first = table_trick(game)
    return f"trick {(first >> 2) + 1}: {_cards_text(game, first, int(game.n_plays)) or '-'}"


def _cards_text(game: Any, first: int, end: int) -> str:
    """Plays with who made them."""
    return ", ".join(f"{SEAT_WORDS[player_of(game, play)]} {card_text(game.plays[play])}" for play in range(first, end))


def _hand_lines(game: Any, open_hands: bool) -> list[str]:
    """The hand of the seat to act, or, where hands are open (R1.6), all four."""
    if game.to_act == NO_SEAT:
        return []
    seats = range(4) if open_hands or game.rules.open_hands else [game.to_act]
    return [_hand_line(game, seat) for seat in seats]


def _hand_line(game: Any, seat: int) -> str:
    """One hand, by suit."""
    hand = int(game.hands[seat])
    suits = [
        sign + " ".join(RANKS[rank] for rank in range(8) if hand >> (8 * suit + rank) & 1)
        for suit, sign in enumerate(SUIT_SIGNS)
        if hand >> (8 * suit) & 0xFF
    ]
    claims = ", may claim roem" if game.phase == CLAIMING else ""
    return f"{SEAT_WORDS[seat]}{' to act' if seat == game.to_act else ''}, holds {'  '.join(suits) or '-'}" + (
        claims if seat == game.to_act else ""
    )


def _score_line(title: str, numbers: np.ndarray) -> str:
    """One line of the score, by team."""
    return f"{title:10}" + "".join(f"{number:>13}" for number in numbers)
