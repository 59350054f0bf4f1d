"""THE GAME: one numpy record with a deal, its match and its house rules; `new`, `legal` and `apply`.

This is the only code that changes state. Actions are those of the layout `klaverjas-actions-v1`: 0..31 play a card,
32 pass, 33 play on the turned suit, 34..37 name a suit, 38..44 claim roem. A set of actions is an integer with bit a
set for action a. Every number of the record is a plain int64, so that compiled code and plain Python agree exactly.
"""

from enum import IntEnum
from typing import Any, Final

import numpy as np

from klaverjas_env.jit import jit
from klaverjas_env.rng import DOMAIN_DEALER, draw
from klaverjas_env.rules import bidding
from klaverjas_env.rules.cards import NO_CARD, NO_SUIT
from klaverjas_env.rules.dealing import deal_hands, lay_stock
from klaverjas_env.rules.follow import duty, ruled_out
from klaverjas_env.rules.roem import CLAIMS, DECLARE, claimed_roem, trick_roem
from klaverjas_env.rules.scoring import PENALTY, Pit, deal_score, match_ended, renege_score
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
"""Claim no roem; the six amounts 20 to 200 follow."""

ALL_CLAIMS: Final = 0b1111111 << CLAIM

MAX_BIDS: Final = 20
REDEAL_BY_NEXT: Final = 1
"""`redeal_dealer` in which the deal passes on when all have passed."""
REDEAL_STEP: Final = 1 << 32
"""What is added to the number of a deal that is dealt again, so that deals that count are numbered without gaps."""


class Phase(IntEnum):
    """What the seat to act has to decide."""

    BIDDING = 0
    """Pass, or play on the turned suit; where trump is free, pass or name a suit."""
    NAMING = 1
    """Name a suit."""
    PLAYING = 2
    """Play a card."""
    DEAL_OVER = 3
    """Nothing: the deal has been scored."""
    CLAIMING = 4
    """Claim the roem of the trick just won, or none."""
    PASSED_OUT = 5
    """Nothing: all have passed and the cards are dealt again; this deal does not count."""


BIDDING: Final = int(Phase.BIDDING)
NAMING: Final = int(Phase.NAMING)
PLAYING: Final = int(Phase.PLAYING)
DEAL_OVER: Final = int(Phase.DEAL_OVER)
CLAIMING: Final = int(Phase.CLAIMING)
PASSED_OUT: Final = int(Phase.PASSED_OUT)

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
            ("stock", np.int64, (bidding.STOCK_CARDS,)),  # suits of the pile or JOKER, -1 where unknown or absent
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
            ("claims", np.int64, (8,)),  # points of roem claimed in each trick, -1 before
            ("ruled_out", np.int64, (4,)),  # cards that each seat's plays prove it does not hold
            ("points", np.int64, (2,)),  # card points of this deal, by team
            ("roem", np.int64, (2,)),  # roem of this deal, by team
            ("tricks", np.int64, (2,)),  # tricks of this deal, by team
            ("reneged", np.int64),  # seat that played a card against R3 and so ended the deal, or -1
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

    `seed` 0..2^63-1; `dealer` is that of the house rules, or drawn from the seed, when not given.
    """
    games = np.zeros(1, dtype=GAME)
    games["rules"] = Variant.of(variant).record()
    games["seed"] = seed
    games["deal_number"] = deal_number
    games["dealer"] = first_dealer(games[0]) if dealer is None else dealer
    start_deal(games[0])
    return games


@jit
def first_dealer(game: Any) -> int:
    """R1.5: the dealer of the first deal: a fixed seat, or drawn from seed and deal number."""
    if game.rules.first_dealer > 0:
        return int(game.rules.first_dealer - 1)
    return draw(game.seed, game.deal_number, DOMAIN_DEALER, 4)


@jit
def start_deal(game: Any) -> None:
    """R1.5: deal 32 cards from (seed, deal number) and begin the choice of trump; the dealer stands already."""
    pack = game.plays  # cleared below; an array of its own would cost a fifth of the deal
    first = bidding.forehand(game.dealer)
    deal_hands(game.seed, game.deal_number, game.rules.deal_packets, first, pack, game.hands)
    game.stock[:] = NO_SUIT
    if game.rules.trump_mode == bidding.STOCK:
        clubs_first = game.rules.first_deal_clubs != 0 and game.deals_played == 0
        lay_stock(game.seed, game.deal_number, game.rules.stock_jokers, clubs_first, game.stock)
    begin_bidding(game)


@jit
def begin_bidding(game: Any) -> None:
    """R2: clear what an earlier deal left and let forehand speak; hands, dealer and stock stand already."""
    game.trump = NO_SUIT
    game.declarer = NO_SEAT
    game.n_bids = 0
    game.n_plays = 0
    game.bids[:] = -1
    game.plays[:] = NO_CARD
    game.leaders[:] = NO_SEAT
    game.claims[:] = -1
    game.ruled_out[:] = 0
    game.points[:] = 0
    game.roem[:] = 0
    game.tricks[:] = 0
    game.reneged = NO_SEAT
    game.to_act = bidding.first_speaker(game.dealer, game.rules)
    game.drawn = 0
    game.phase = NAMING if game.rules.trump_mode == bidding.FOREHAND else BIDDING
    if game.rules.trump_mode == bidding.STOCK:
        _turn_card(game)


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
    """R6.6, R2.8: deal the next deal of the match, or again where all have passed; the deal passes clockwise."""
    if game.phase == PASSED_OUT:
        game.deal_number += REDEAL_STEP
        if game.rules.redeal_dealer == REDEAL_BY_NEXT:
            game.dealer = (game.dealer + 1) & 3
    else:
        game.deal_number = (game.deal_number & (REDEAL_STEP - 1)) + 1
        game.dealer = (game.dealer + 1) & 3
    start_deal(game)


@jit
def new_match(game: Any) -> None:
    """R6.6: begin a match with nothing on either side."""
    game.deals_played = 0
    game.totals[:] = 0


@jit
def deal_ended(game: Any) -> bool:
    """Whether there is nothing more to decide in this deal: it has been scored, or passed out."""
    return bool(game.phase == DEAL_OVER or game.phase == PASSED_OUT)


@jit
def match_over(game: Any) -> bool:
    """R6.6: whether the last deal of the match has been scored."""
    return bool(game.phase == DEAL_OVER and match_ended(game.totals[0], game.totals[1], game.deals_played, game.rules))


@jit
def turned_suit(game: Any) -> int:
    """The suit of the card that lies turned, JOKER, or -1."""
    return int(game.stock[game.drawn - 1]) if game.drawn > 0 else NO_SUIT


@jit
def passed_suits(game: Any) -> int:
    """The suits on which all four have passed, as a set."""
    if game.rules.trump_mode != bidding.STOCK:
        return 0
    suits = 0
    drawn = 0
    for bid in range(3, game.n_bids, 4):
        place = bidding.next_turned(game.stock, drawn, suits, game.rules)
        if game.bids[bid] != PASS or place < 0 or game.stock[place] == bidding.JOKER:
            break
        suits |= 1 << game.stock[place]
        drawn = place + 1
    return suits


@jit
def trick_start(game: Any) -> int:
    """The play that opened the trick on the table, or the one whose roem may be claimed now (0, 4, ... 28)."""
    return int(game.n_plays - 4 if game.phase == CLAIMING else game.n_plays & ~3)


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
    """The set of actions that the seat to act may take; empty when the deal is over.

    Where reneging is possible (R6.7) every card of the hand may be played, also against R3.
    """
    if game.phase == PLAYING:
        return card_duty(game)[1] if game.rules.renege_mode != PENALTY else int(game.hands[game.to_act])
    if game.phase == CLAIMING:
        return ALL_CLAIMS
    if game.phase == NAMING:
        return _nameable(game)
    if game.phase != BIDDING:
        return 0
    pass_bit = 0 if bidding.may_not_pass(game.n_bids, game.rules) else 1 << PASS
    return pass_bit | (1 << PLAY if game.rules.trump_mode == bidding.STOCK else _nameable(game))


@jit
def _nameable(game: Any) -> int:
    """R2.5, R2.12: the suits that may be named, as a set of actions."""
    return bidding.nameable_suits(game.hands[game.to_act], passed_suits(game), game.rules) << NAME


@jit
def apply(game: Any, action: int) -> None:
    """Take a legal action for the seat to act. Whether it is legal is for the caller to check."""
    if game.phase == PLAYING:
        _play_card(game, action)
    elif game.phase == CLAIMING:
        _claim(game, CLAIMS[action - CLAIM])
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
    elif game.n_bids & 3 != 0:
        game.to_act = (seat + 1) & 3
    else:
        _all_passed(game)


@jit
def _all_passed(game: Any) -> None:
    """R2.4, R2.5, R2.7, R2.8: another round on a new card; after the last, the first speaker must play or the cards
    are dealt again."""
    game.to_act = bidding.first_speaker(game.dealer, game.rules)
    stock = game.rules.trump_mode == bidding.STOCK
    if stock and game.n_bids < 4 * game.rules.stock_rounds:
        _turn_card(game)
    elif game.rules.all_pass == bidding.REDEAL_ALL_PASS:
        game.phase = PASSED_OUT
        game.to_act = NO_SEAT
    elif game.rules.all_pass == bidding.FORCED_CHOICE:
        game.phase = NAMING
    else:
        _turn_card(game)
        if game.phase == BIDDING:
            set_contract(game, game.to_act, turned_suit(game))


@jit
def _turn_card(game: Any) -> None:
    """R2.7, R2.11: turn the next card; at a joker the first speaker has to name a suit."""
    game.drawn = bidding.next_turned(game.stock, game.drawn, passed_suits(game), game.rules) + 1
    if turned_suit(game) == bidding.JOKER:
        game.phase = NAMING


@jit
def _play_card(game: Any, card: int) -> None:
    """R3: move a card from hand to table; the fourth card closes the trick."""
    seat = game.to_act
    first = game.n_plays & ~3
    on_table = game.n_plays - first
    if game.rules.renege_mode == PENALTY and (card_duty(game)[1] >> card) & 1 == 0:
        _renege(game, card)
        return
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
    cards = played_set(game, first, first + 4)
    game.points[team] += trick_points(cards, game.trump)
    game.tricks[team] += 1
    game.to_act = winner
    if game.n_plays == 32:
        game.points[team] += game.rules.last_trick
    else:
        game.leaders[game.n_plays >> 2] = winner
    if game.rules.roem_mode == DECLARE:
        game.phase = CLAIMING
        return
    game.roem[team] += trick_roem(cards, game.trump, game.rules)
    if game.n_plays == 32:
        _score_deal(game)


@jit
def _claim(game: Any, claim: int) -> None:
    """R5.5: the winner of the trick claims so many points of roem, or none; then the next trick, or the score."""
    team = game.to_act & 1
    cards = played_set(game, game.n_plays - 4, game.n_plays)
    own, theirs = claimed_roem(claim, cards, game.trump, game.rules)
    game.roem[team] += own
    game.roem[1 - team] += theirs
    game.claims[(game.n_plays >> 2) - 1] = claim
    game.phase = PLAYING
    if game.n_plays == 32:
        _score_deal(game)


@jit
def _renege(game: Any, card: int) -> None:
    """R6.7: a card against R3 lies on the table and ends the deal."""
    seat = game.to_act
    game.hands[seat] &= ~(1 << card)
    game.plays[game.n_plays] = card
    game.n_plays += 1
    game.reneged = seat
    offenders = seat & 1
    game.score[offenders] = 0
    game.score[1 - offenders] = renege_score(game.roem[1 - offenders], game.roem[offenders], game.rules)
    game.nat = 0
    game.pit = NO_PIT
    _add_to_match(game)


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
    _add_to_match(game)


@jit
def _add_to_match(game: Any) -> None:
    """R6.6: the deal has a score; add it to the match."""
    game.totals[0] += game.score[0]
    game.totals[1] += game.score[1]
    game.deals_played += 1
    game.phase = DEAL_OVER
    game.to_act = NO_SEAT


@jit
def played_set(game: Any, first: int, end: int) -> int:
    """The cards of the plays `first` to `end` - 1 of the deal, as a set."""
    cards = 0
    for play in range(first, end):
        cards |= 1 << game.plays[play]
    return cards
