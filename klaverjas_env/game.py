"""THE GAME: one numpy record with a deal, its match and its house rules; `new`, `legal` and `apply`.

This is the only code that changes state. Actions are those of the layout `klaverjas-actions-v1`: 0..31 play a card,
32 pass, 33 play on the turned suit, 34..37 name a suit, 38..44 claim roem. A set of actions is an integer with bit a
set for action a. Every number of the record is a plain int64, so that compiled code and plain Python agree exactly.
"""

from enum import IntEnum
from typing import Any, Final

import numpy as np

from klaverjas_env.jit import jit
from klaverjas_env.rng import DOMAIN_DEALER, DOMAIN_PACK, DOMAIN_STOCK, draw, shuffle
from klaverjas_env.rules import bidding
from klaverjas_env.rules.cards import ALL_CARDS, NO_CARD, NO_SUIT
from klaverjas_env.rules.follow import duty, ruled_out
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.rules.scoring import Pit, deal_score
from klaverjas_env.rules.trick import trick_points, winning_place
from klaverjas_env.rules.variant import VARIANT, Variant

ACTIONS: Final = "klaverjas-actions-v1"
"""Frozen name of the action layout."""
N_ACTIONS: Final = 45
PASS: Final = 32
PLAY: Final = 33
NAME: Final = 34
"""Name clubs; the three suits after it follow."""
CLAIM: Final = 38
"""Claim no roem; the six amounts 20 to 200 follow. Not yet legal anywhere."""

MAX_BIDS: Final = 20


class Phase(IntEnum):
    """What the seat to act has to decide."""

    BIDDING = 0
    """Pass, or play on the turned suit."""
    NAMING = 1
    """Name a suit."""
    PLAYING = 2
    """Play a card."""
    DEAL_OVER = 3
    """Nothing: the deal has been scored."""


BIDDING: Final = int(Phase.BIDDING)
NAMING: Final = int(Phase.NAMING)
PLAYING: Final = int(Phase.PLAYING)
DEAL_OVER: Final = int(Phase.DEAL_OVER)

NO_PIT: Final = int(Pit.NONE)
NO_SEAT: Final = -1

GAME: Final = np.dtype(
    (
        np.record,
        [
            ("rules", VARIANT),  # the house rules
            ("seed", np.int64),  # of the deals of this match; blank in a view
            ("deal_number", np.int64),  # which deal of the seed's stream
            ("dealer", np.int64),
            ("hands", np.int64, (4,)),  # card sets still held, by seat
            ("stock", np.int64, (bidding.STOCK_CARDS,)),  # suits of the pile, -1 where unknown or absent
            ("drawn", np.int64),  # cards turned from the pile
            ("phase", np.int64),
            ("to_act", np.int64),  # seat, or -1 when the deal is over
            ("bids", np.int64, (MAX_BIDS,)),  # actions in order, forehand first
            ("n_bids", np.int64),
            ("trump", np.int64),  # suit, or -1
            ("declarer", np.int64),  # seat, or -1
            ("plays", np.int64, (32,)),  # cards in order
            ("n_plays", np.int64),
            ("leaders", np.int64, (8,)),  # who led each trick
            ("ruled_out", np.int64, (4,)),  # cards that each seat's plays prove it does not hold
            ("points", np.int64, (2,)),  # card points of this deal, by team
            ("roem", np.int64, (2,)),  # roem of this deal, by team
            ("tricks", np.int64, (2,)),  # tricks of this deal, by team
            ("score", np.int64, (2,)),  # result of the last finished deal, by team
            ("nat", np.int64),  # whether the last finished deal was nat
            ("pit", np.int64),  # Pit of the last finished deal
            ("totals", np.int64, (2,)),  # the match so far, by team
            ("deals_played", np.int64),
        ],
    )
)
"""The dtype of a game. Seats 0..3 are south, west, north, east; the team of a seat is seat & 1."""


def new(
    variant: Variant | str | None = None, seed: int = 0, deal_number: int = 0, dealer: int | None = None
) -> np.ndarray:
    """A match about to be bid: an array [1] of dtype `GAME`, dealt from (seed, deal number).

    `seed` 0..2^63-1; `dealer` is drawn from the seed when not given.
    """
    games = np.zeros(1, dtype=GAME)
    games["rules"] = Variant.of(variant).record()
    games["seed"] = seed
    games["deal_number"] = deal_number
    games["dealer"] = draw(seed, deal_number, DOMAIN_DEALER, 4) if dealer is None else dealer
    start_deal(games[0])
    return games


@jit
def start_deal(game: Any) -> None:
    """R1.5: deal 32 cards from (seed, deal number) and begin the choice of trump; the dealer stands already."""
    pack = game.plays  # cleared below; an array of its own would cost a fifth of the deal
    for i in range(32):
        pack[i] = i
    shuffle(game.seed, game.deal_number, DOMAIN_PACK, pack, 24)
    for seat in range(4):
        hand = 0
        for i in range(8):
            hand |= 1 << pack[8 * seat + i]
        game.hands[(game.dealer + 1 + seat) & 3] = hand
    if game.rules.trump_mode == bidding.STOCK:
        _shuffle_stock(game)
    else:
        for i in range(bidding.STOCK_CARDS):
            game.stock[i] = NO_SUIT
    begin_bidding(game)


@jit
def _shuffle_stock(game: Any) -> None:
    """R2.2: put the pile of low cards in random order, as suits."""
    for i in range(bidding.STOCK_CARDS):
        game.stock[i] = i
    shuffle(game.seed, game.deal_number, DOMAIN_STOCK, game.stock, 16)
    for i in range(bidding.STOCK_CARDS):
        game.stock[i] &= 3


@jit
def begin_bidding(game: Any) -> None:
    """R2: clear what an earlier deal left and let forehand speak; hands, dealer and stock stand already."""
    game.trump = NO_SUIT
    game.declarer = NO_SEAT
    game.n_bids = 0
    game.n_plays = 0
    for i in range(MAX_BIDS):
        game.bids[i] = -1
    for i in range(32):
        game.plays[i] = NO_CARD
    for i in range(8):
        game.leaders[i] = NO_SEAT
    for seat in range(4):
        game.ruled_out[seat] = 0
    for team in range(2):
        game.points[team] = 0
        game.roem[team] = 0
        game.tricks[team] = 0
    game.to_act = bidding.forehand(game.dealer)
    stock = game.rules.trump_mode == bidding.STOCK
    game.phase = BIDDING if stock else NAMING
    game.drawn = 1 if stock else 0


@jit
def set_contract(game: Any, declarer: int, trump: int) -> None:
    """Fix the contract and begin play: R2.6, forehand leads whoever made trump."""
    game.declarer = declarer
    game.trump = trump
    game.phase = PLAYING
    game.to_act = bidding.forehand(game.dealer)
    game.leaders[0] = game.to_act


@jit
def next_deal(game: Any) -> None:
    """R6.6: deal the next deal of the match; the deal passes clockwise."""
    game.deal_number += 1
    game.dealer = (game.dealer + 1) & 3
    start_deal(game)


@jit
def match_over(game: Any) -> bool:
    """R6.6: whether the last deal of the match has been scored."""
    return bool(game.phase == DEAL_OVER and game.deals_played >= game.rules.deals)


@jit
def turned_suit(game: Any) -> int:
    """The suit of the card that lies turned, or -1."""
    return game.stock[game.drawn - 1] if game.drawn > 0 else NO_SUIT


@jit
def passed_suits(game: Any) -> int:
    """The suits on which all four have passed, as a set."""
    return 1 << game.stock[0] if game.n_bids >= 4 and game.bids[3] == PASS else 0


@jit
def card_duty(game: Any) -> tuple[int, int]:
    """R3: (Duty, the cards that the seat to act may play); only while cards are played."""
    first = game.n_plays & ~3
    on_table = game.n_plays - first
    hand = game.hands[game.to_act]
    if on_table == 0:
        return duty(hand, NO_CARD, NO_CARD, False, game.trump, game.rules)
    place = winning_place(game.plays, first, on_table, game.trump)
    partner_wins = on_table - place == 2
    return duty(hand, game.plays[first], game.plays[first + place], partner_wins, game.trump, game.rules)


@jit
def legal(game: Any) -> int:
    """The set of actions that the seat to act may take; empty when the deal is over."""
    if game.phase == PLAYING:
        return card_duty(game)[1]
    if game.phase == NAMING:
        return bidding.nameable_suits(passed_suits(game)) << NAME
    if game.phase == BIDDING:
        return (1 << PASS) | (1 << PLAY)
    return 0


@jit
def apply(game: Any, action: int) -> None:
    """Take a legal action for the seat to act. Whether it is legal is for the caller to check."""
    if game.phase == PLAYING:
        _play_card(game, action)
    else:
        _bid(game, action)


@jit
def _bid(game: Any, action: int) -> None:
    """R2: pass, play on the turned suit, or name a suit."""
    seat = game.to_act
    game.bids[game.n_bids] = action
    game.n_bids += 1
    if action >= NAME:
        set_contract(game, seat, action - NAME)
    elif action == PLAY:
        set_contract(game, seat, turned_suit(game))
    elif game.n_bids < 4:
        game.to_act = bidding.speaker(game.dealer, game.n_bids)
    else:
        _all_passed(game)


@jit
def _all_passed(game: Any) -> None:
    """R2.4, R2.5: forehand must play, on the next turned suit or on one of choice."""
    game.to_act = bidding.forehand(game.dealer)
    if game.rules.all_pass == bidding.FORCED_CHOICE:
        game.phase = NAMING
        return
    place = bidding.next_turned(game.stock, game.drawn, passed_suits(game))
    game.drawn = place + 1
    set_contract(game, game.to_act, game.stock[place])


@jit
def _play_card(game: Any, card: int) -> None:
    """R3: move a card from hand to table; the fourth card closes the trick."""
    seat = game.to_act
    first = game.n_plays & ~3
    on_table = game.n_plays - first
    if on_table > 0:
        _note_ruled_out(game, seat, card, first, on_table)
    game.hands[seat] &= ~(1 << card)
    game.plays[game.n_plays] = card
    game.n_plays += 1
    if on_table == 3:
        _close_trick(game, first)
    else:
        game.to_act = (seat + 1) & 3


@jit
def _note_ruled_out(game: Any, seat: int, card: int, first: int, on_table: int) -> None:
    """Remember what the card proves about the hand it came from; following to a side suit proves nothing."""
    led = game.plays[first] >> 3
    if led != game.trump and card >> 3 == led:
        return
    place = winning_place(game.plays, first, on_table, game.trump)
    game.ruled_out[seat] |= ruled_out(
        card, game.plays[first], game.plays[first + place], on_table - place == 2, game.trump, game.rules
    )


@jit
def _close_trick(game: Any, first: int) -> None:
    """R4, R5: give the four cards to their winner, who leads the next trick, or score the deal after the eighth."""
    winner = (game.leaders[first >> 2] + winning_place(game.plays, first, 4, game.trump)) & 3
    team = winner & 1
    cards = 0
    for i in range(first, first + 4):
        cards |= 1 << game.plays[i]
    game.points[team] += trick_points(game.plays, first, 4, game.trump)
    game.roem[team] += trick_roem(cards, game.trump, game.rules)
    game.tricks[team] += 1
    if game.n_plays == 32:
        game.points[team] += game.rules.last_trick
        _score_deal(game)
    else:
        game.leaders[game.n_plays >> 2] = winner
        game.to_act = winner


@jit
def _score_deal(game: Any) -> None:
    """R6: write the result of the deal and add it to the match."""
    playing = game.declarer & 1
    defending = 1 - playing
    own, theirs, nat, pit = deal_score(
        game.points[playing],
        game.points[defending],
        game.roem[playing],
        game.roem[defending],
        game.tricks[playing],
        game.rules,
    )
    game.score[playing] = own
    game.score[defending] = theirs
    game.nat = int(nat)
    game.pit = pit
    game.totals[playing] += own
    game.totals[defending] += theirs
    game.deals_played += 1
    game.phase = DEAL_OVER
    game.to_act = NO_SEAT


@jit
def unseen_cards(game: Any, seat: int) -> int:
    """The cards that `seat` does not hold and that have not been played, as a set."""
    seen = game.hands[seat]
    for i in range(game.n_plays):
        seen |= 1 << game.plays[i]
    return int(ALL_CARDS & ~seen)


@jit
def player_of(game: Any, play: int) -> int:
    """The seat that made the `play`-th play (0..31) of the deal."""
    return int((game.leaders[play >> 2] + (play & 3)) & 3)
