"""Cards, suits, sets of cards, actions and whole positions as text, and back.

A card is a suit C D H S and a rank 7 8 9 T J Q K A: `HJ`. An action is a card, `pass`, `play` or the suit that is
named.

A position is one line that begins with `kj1:`; its fields are divided by spaces:

    kj1:amsterdams/utrechts dealer:0 hands:C7HJ/.../.../... bids:H trump:H by:1 plays:1S9SJSAS7,3CTC9 turn:1 points:0-23

    kj1:      the house rules, as `Variant.parse` reads them
    dealer:   seat 0..3
    hands:    the cards still held, south/west/north/east; `?` where they are hidden (such a line cannot be read back)
    stock:    suits of the pile from which trump is turned, J for a joker, as far as known
    bids:     `pass`, `play` or suit letters, forehand first
    trump:    the trump suit, with by: the declarer
    plays:    tricks, each the leader's seat and the cards in order
    claims:   points of roem claimed after each trick, where roem has to be claimed
    turn:     the seat to act, `-` when the deal is over
    points:   card points of south/north - west/east, roem: their roem
    deal:     seed/number of the deal
    match:    deals scored,totals,last score,nat,pit: the ledger as it stands, two numbers for each pair of teams

`dealer:` and `hands:` are needed. Fields with nothing in them are left out. A line is read by dealing the hands,
bidding and playing under the law, so that it cannot say anything illegal; what it says twice (leaders, turn, points)
must agree. A contract without bids is a given one.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np

from klaverjas_env.game import (
    BIDDING,
    CLAIM,
    CLAIMING,
    DEAL_OVER,
    GAME,
    N_ACTIONS,
    NAME,
    NO_SEAT,
    PASS,
    PLAY,
    PLAYING,
    apply,
    begin_bidding,
    legal,
    set_contract,
    turned_suit,
)
from klaverjas_env.rules.bidding import JOKER, STOCK, STOCK_CARDS
from klaverjas_env.rules.cards import ALL_CARDS, NO_SUIT
from klaverjas_env.rules.roem import CLAIMS
from klaverjas_env.rules.variant import Variant, VariantError
from klaverjas_env.view import player_of

SUITS: Final = "CDHS"
RANKS: Final = "789TJQKA"
SUIT_WORDS: Final = ("clubs", "diamonds", "hearts", "spades")
SEAT_WORDS: Final = ("south", "west", "north", "east")
POSITION: Final = "kj1:"
"""Frozen first word of a position."""

_FIELDS: Final = (
    "kj1", "dealer", "hands", "stock", "bids", "trump", "by", "plays", "claims", "turn", "points", "roem", "deal",
    "match",
)  # fmt: skip
_CARD_HELP: Final = "a card is a suit C D H S and a rank 7 8 9 T J Q K A, such as 'HJ'"
_SUIT_HELP: Final = "a suit is one of C D H S"


class NotationError(ValueError):
    """A text that means nothing here; it names the bad word and what is accepted."""


class IllegalActionError(ValueError):
    """An action that the law forbids; it carries the reason, the rule and the position."""


def card_name(card: int) -> str:
    """The name of a card: `HJ`."""
    if not 0 <= card < 32:
        raise NotationError(f"{card!r} is not a card; cards are 0..31")
    return SUITS[card >> 3] + RANKS[card & 7]


def parse_card(name: Any) -> int:
    """The card of a name."""
    if isinstance(name, str) and len(name) == 2 and name[0] in SUITS and name[1] in RANKS:
        return 8 * SUITS.index(name[0]) + RANKS.index(name[1])
    raise NotationError(f"{name!r} is not a card; {_CARD_HELP}{_meant(name)}")


def suit_name(suit: int) -> str:
    """The letter of a suit."""
    if not 0 <= suit < 4:
        raise NotationError(f"{suit!r} is not a suit; suits are 0..3")
    return SUITS[suit]


def parse_suit(letter: Any) -> int:
    """The suit of a letter."""
    if isinstance(letter, str) and len(letter) == 1 and letter in SUITS:
        return SUITS.index(letter)
    raise NotationError(f"{letter!r} is not a suit; {_SUIT_HELP}")


def turned_name(suit: int) -> str:
    """The letter of a card of the pile: its suit, or J for a joker."""
    return "J" if suit == JOKER else suit_name(suit)


def parse_turned(letter: Any) -> int:
    """The suit, or JOKER, of a letter."""
    return JOKER if letter == "J" else parse_suit(letter)


def parse_claim(amount: Any) -> int:
    """The action that claims so many points of roem, given as a number or its digits."""
    for place, points in enumerate(CLAIMS):
        if not isinstance(amount, bool) and str(amount) == str(points):
            return CLAIM + place
    raise NotationError(f"{amount!r} is not a claim of roem; claims are {', '.join(map(str, CLAIMS))}")


def card_names(cards: int) -> list[str]:
    """The names of a set of cards, in card order C7..SA."""
    return [card_name(card) for card in range(32) if cards >> card & 1]


def parse_cards(names: Any) -> int:
    """The set of a list of different card names."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        raise NotationError(f"{names!r} is not a list of cards; write a list of names, such as ['C7', 'HJ']")
    cards = 0
    for name in names:
        bit = 1 << parse_card(name)
        if cards & bit:
            raise NotationError(f"{name!r} stands twice; every card of the pack exists once")
        cards |= bit
    return cards


def action_name(action: int) -> str:
    """The name of an action: a card, `pass`, `play`, a suit letter, or a claim such as `roem20`."""
    if action in (PASS, PLAY):
        return "pass" if action == PASS else "play"
    if NAME <= action < NAME + 4:
        return SUITS[action - NAME]
    if CLAIM <= action < N_ACTIONS:
        return f"roem{CLAIMS[action - CLAIM]}"
    if 0 <= action < 32:
        return card_name(action)
    raise NotationError(f"{action!r} is not an action; cards are 0..31, bids 32..37, claims of roem 38..44")


def action_names(actions: int) -> list[str]:
    """The names of a set of actions, in action order."""
    return [action_name(action) for action in range(N_ACTIONS) if actions >> action & 1]


def parse_action(name: Any) -> int:
    """The action of a name."""
    if isinstance(name, str) and name.startswith("roem"):
        return parse_claim(name.removeprefix("roem"))
    if isinstance(name, str) and len(name) != 2:
        return parse_bid(name)
    return parse_card(name)


def parse_bid(name: Any) -> int:
    """The action of a bid: `pass`, `play` or a suit letter."""
    if isinstance(name, str) and name in ("pass", "play"):
        return PASS if name == "pass" else PLAY
    if isinstance(name, str) and len(name) == 1 and name in SUITS:
        return NAME + SUITS.index(name)
    raise NotationError(f"{name!r} is not a bid; a bid is 'pass', 'play' or a suit C D H S")


def given_deal(variant: Variant | str | None, dealer: int, hands: Sequence[int], stock: Sequence[int] = ()) -> Any:
    """A deal with given hands (four sets of eight cards, by seat) about to be bid: `GAME` [1].

    `stock`: the suits of the pile as far as known, the turned one first.
    """
    if [hand.bit_count() for hand in hands] != [8, 8, 8, 8] or sum(hands) != ALL_CARDS:
        raise NotationError("the hands are not the 32 cards of the pack, eight to a seat (R1.5)")
    games = np.zeros(1, dtype=GAME)
    game = games[0]
    games["rules"] = Variant.of(variant).record()
    game.dealer = dealer
    game.hands[:] = hands
    game.stock[:] = NO_SUIT
    game.stock[: len(stock)] = stock
    begin_bidding(game)
    return games


def turned_unknown(game: Any, action: int) -> bool:
    """Whether a bid needs a card of the pile that the record does not know."""
    if game.phase != BIDDING or game.rules.trump_mode != STOCK:
        return False
    if turned_suit(game) == NO_SUIT:
        return True
    after = game.copy()
    apply(after, action)
    if after.phase == PLAYING:
        return bool(after.trump == NO_SUIT)
    return bool(after.phase == BIDDING and turned_suit(after) == NO_SUIT)


def position(games: Any) -> str:
    """One line of text for a position, `GAME` [1] or a record of it; `from_position` is the inverse."""
    game = record_in(games)
    return " ".join(f"{name}:{value}" for name, value in _written(game).items() if value)


def from_position(text: str) -> np.ndarray:
    """The position of a line of text: `GAME` [1]. Raises NotationError."""
    fields = _split(text)
    plays = [_read_trick(trick) for trick in fields["plays"].split(",")] if fields["plays"] else []
    games = _dealt(fields, plays)
    game = games[0]
    for word in fields["bids"].split(",") if fields["bids"] else ():
        _take(game, parse_bid(word))
    if game.n_bids == 0 and fields["trump"]:
        set_contract(game, _digit("by", fields["by"], 3), parse_suit(fields["trump"]))
    claims = [parse_claim(amount) for amount in fields["claims"].split(",")] if fields["claims"] else []
    for _, cards in plays:
        for card in cards:
            _take(game, card)
        if game.phase == CLAIMING and claims:
            _take(game, claims.pop(0))
    _settle_ledger(game, fields["match"])
    _compare(fields, _written(game))
    return games


def record_in(games: Any) -> Any:
    """The record of a game given as `GAME` [1] or as the record itself."""
    if isinstance(games, np.ndarray) and games.shape:
        if games.shape != (1,):
            raise NotationError(f"one game is wanted, not an array of shape {games.shape}; take games[i : i + 1]")
        return games[0]
    return games


def _meant(name: Any) -> str:
    """A guess at a card that was written in another way."""
    if not isinstance(name, str):
        return ""
    text = name.strip().upper().replace("10", "T")
    for guess in (text, text[::-1]):
        if len(guess) == 2 and guess[0] in SUITS and guess[1] in RANKS:
            return f"; did you mean {guess!r}?"
    return ""


def _pair(values: Any) -> str:
    """Two numbers, by team."""
    return f"{values[0]}-{values[1]}"


def _written(game: Any) -> dict[str, str]:
    """Every field of a position, empty where there is nothing to say."""
    contract = game.trump != NO_SUIT
    over = game.to_act == NO_SEAT
    return {
        "kj1": str(Variant.from_record(game.rules)).replace(" ", ""),
        "dealer": str(game.dealer),
        "hands": "/".join(_hand(game, seat) for seat in range(4)),
        "stock": "".join("-" if suit == NO_SUIT else turned_name(int(suit)) for suit in game.stock).rstrip("-"),
        "bids": ",".join(action_name(int(bid)) for bid in game.bids[: game.n_bids]),
        "trump": SUITS[game.trump] if contract else "",
        "by": str(game.declarer) if contract else "",
        "plays": ",".join(_trick(game, first) for first in range(0, game.n_plays, 4)),
        "claims": ",".join(str(claim) for claim in game.claims if claim >= 0),
        "turn": "-" if over else str(game.to_act),
        "points": _pair(game.points) if any(game.points) else "",
        "roem": _pair(game.roem) if any(game.roem) else "",
        "deal": f"{game.seed}/{game.deal_number}" if game.seed or game.deal_number else "",
        "match": _ledger(game),
    }


def _hand(game: Any, seat: int) -> str:
    played = sum(player_of(game, play) == seat for play in range(game.n_plays))
    return "?" if game.hands[seat] == 0 and played < 8 else "".join(card_names(int(game.hands[seat])))


def _trick(game: Any, first: int) -> str:
    cards = game.plays[first : min(first + 4, int(game.n_plays))]
    return f"{game.leaders[first >> 2]}" + "".join(card_name(int(card)) for card in cards)


def _ledger(game: Any) -> str:
    numbers = [game.deals_played, *game.totals, *game.score, game.nat, game.pit]
    return ",".join(str(number) for number in numbers) if any(numbers) else ""


def _split(text: str) -> dict[str, str]:
    """The fields of a line, empty where left out."""
    if not isinstance(text, str) or not text.startswith(POSITION):
        raise NotationError(f"{text!r} is not a position; a position begins with {POSITION!r}")
    fields = dict.fromkeys(_FIELDS, "")
    seen: set[str] = set()
    for word in text.split():
        name, colon, value = word.partition(":")
        if not colon or name not in fields:
            raise NotationError(f"{word!r} is not a field of a position; fields are {', '.join(_FIELDS)}")
        if name in seen:
            raise NotationError(f"the field {name!r} stands twice")
        seen.add(name)
        fields[name] = value
    for name in ("dealer", "hands"):
        if name not in seen:
            raise NotationError(f"the field {name!r} is missing; a position needs dealer: and hands:")
    if bool(fields["trump"]) != bool(fields["by"]):
        raise NotationError("trump: and by: (the declarer) belong together; give both or neither")
    return fields


def _digit(name: str, text: str, most: int) -> int:
    """A whole number 0..most from the text of a field."""
    if not (text.isascii() and text.isdigit()) or int(text) > most:
        raise NotationError(f"{name}:{text} is not a whole number from 0 to {most}")
    return int(text)


def _cards_in(text: str) -> list[int]:
    return [parse_card(text[i : i + 2]) for i in range(0, len(text), 2)]


def _read_trick(text: str) -> tuple[int, list[int]]:
    """(leader, cards) of a trick."""
    leader, cards = text[:1], _cards_in(text[1:])
    if not 1 <= len(cards) <= 4:
        raise NotationError(f"{text!r} in plays: is not a trick; write the leader's seat and one to four cards")
    return _digit("plays", leader, 3), cards


def _dealt(fields: dict[str, str], plays: list[tuple[int, list[int]]]) -> np.ndarray:
    """The deal at its beginning: the hands still held and what was played from them."""
    held = fields["hands"].split("/")
    if len(held) != 4:
        raise NotationError(f"hands:{fields['hands']} is not four hands divided by '/'")
    if "?" in held:
        raise NotationError(f"the hand of {SEAT_WORDS[held.index('?')]} is hidden; a view cannot be read back")
    dealt = [_cards_in(hand) for hand in held]
    for leader, cards in plays:
        for place, card in enumerate(cards):
            dealt[(leader + place) & 3].append(card)
    parse_cards([card_name(card) for hand in dealt for card in hand])
    hands = [sum(1 << card for card in hand) for hand in dealt]
    if len(fields["stock"]) > STOCK_CARDS:
        raise NotationError(f"stock:{fields['stock']} has more than {STOCK_CARDS} cards (R2.2)")
    stock = [parse_turned(letter) for letter in fields["stock"]]
    try:
        games: np.ndarray = given_deal(fields["kj1"], _digit("dealer", fields["dealer"], 3), hands, stock)
    except VariantError as error:
        raise NotationError(f"kj1:{fields['kj1']}: {error}") from None
    if fields["deal"]:
        seed, _, number = fields["deal"].partition("/")
        games["seed"], games["deal_number"] = (_digit("deal", part, 2**63 - 1) for part in (seed, number))
    return games


def _take(game: Any, action: int) -> None:
    """Take an action if the law allows it."""
    if not int(legal(game)) >> action & 1:
        raise NotationError(f"{action_name(action)} is not legal after {position(game)}")
    if turned_unknown(game, action):
        raise NotationError(f"{action_name(action)} needs more cards in stock: than are given, after {position(game)}")
    apply(game, action)


def _settle_ledger(game: Any, text: str) -> None:
    """Write the match as it stood; the last score of a finished deal was just computed and is compared instead."""
    numbers = [_digit("match", part, 2**62) for part in text.split(",")] if text else [0] * 7
    if len(numbers) != 7 or numbers[5] > 1 or numbers[6] > 2:
        raise NotationError(f"match:{text} is not deals,total,total,score,score,nat 0-1,pit 0-2")
    if game.phase == DEAL_OVER and not text:
        return
    game.deals_played = numbers[0]
    game.totals[:] = numbers[1:3]
    if game.phase != DEAL_OVER:
        game.score[:] = numbers[3:5]
        game.nat, game.pit = numbers[5], numbers[6]


def _compare(given: dict[str, str], found: dict[str, str]) -> None:
    """Refuse a line that disagrees with what its own bids and plays lead to."""
    for name in ("trump", "by", "plays", "claims", "turn", "points", "roem", "claims", "match"):
        if given[name] and given[name] != found[name]:
            right = f"it should be {name}:{found[name]}" if found[name] else f"leave {name}: out"
            raise NotationError(f"{name}:{given[name]} does not follow from this deal, its bids and plays; {right}")
