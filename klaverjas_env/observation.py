"""A seat's view as a vector of numbers: named blocks under a frozen layout name.

Every feature comes from the seat's own hand and the public record (seats, bids, plays, contract, house rules), so that
the same vector can be computed wherever those are known. Other seats are relative: left, partner, right. Suits stand in
an `order` of the caller's choice: physical (clubs, diamonds, hearts, spades) for the doors, canonical for the nets,
which then need not learn the same thing four times.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.game import (
    BIDDING,
    CLAIM,
    CLAIMING,
    N_ACTIONS,
    NAME,
    NAMING,
    PASS,
    PLAYING,
    card_duty,
    legal,
    passed_suits,
    played_set,
    trick_start,
    turned_suit,
)
from klaverjas_env.jit import jit
from klaverjas_env.rules.bidding import JOKER, speaker
from klaverjas_env.rules.cards import HIGHER, NO_SUIT, count, ranks_of
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.rules.scoring import DEAL_POINTS
from klaverjas_env.rules.trick import trick_points, winning_place
from klaverjas_env.view import dealt_hand, unseen_cards

OBSERVATION: Final = "klaverjas-observation-v2"
"""Frozen name of the layout below."""

BLOCKS: Final[dict[str, int]] = {
    "hand": 32,  # my cards; every block of 32 is 8 * suit slot + rank
    "trick_left": 32,  # the card on the table from the player on my left
    "trick_partner": 32,
    "trick_right": 32,
    "played_own": 32,  # cards of finished tricks, by who played them
    "played_left": 32,
    "played_partner": 32,
    "played_right": 32,
    "could_hold_left": 32,  # unseen cards that the plays of that seat do not rule out; its hand where hands are open
    "could_hold_partner": 32,
    "could_hold_right": 32,
    "lead": 32,  # cards that opened a trick
    "trick_of_card": 32,  # the trick (1/8 to 8/8) in which a card was played
    "highest": 32,  # the strongest card of each suit that finished tricks have left
    "lawful": 32,  # the cards of mine that R3 allows now; with reneging possible the mask allows more
    "phase": 4,  # bidding, naming, playing, claiming roem
    "trump": 4,  # by suit slot
    "turned": 5,  # suit of the turned card, by suit slot; or a joker
    "passed_suit": 4,  # suits on which all have passed, by suit slot
    "passed": 4,  # who has passed in this round: me, left, partner, right
    "round": 4,  # the round of bidding, 1 to 4
    "declarer": 4,  # me, left, partner, right
    "dealer": 4,  # me, left, partner, right
    "trick": 8,  # number of finished tricks, 0 to 7
    "on_table": 4,  # number of cards on the table, 0 to 3
    "led_suit": 4,  # by suit slot
    "winner": 3,  # who is winning the trick: left, partner, right
    "points": 2,  # card points of this deal, ours and theirs, / 162
    "roem": 2,  # roem of this deal, ours and theirs, / 100
    "tricks": 2,  # tricks of this deal, ours and theirs, / 8
    "table": 2,  # points / 50 and roem / 100 on the table
    "needed": 1,  # share of the remaining card points that the playing side still needs to make it, roem aside
    "remaining": 1,  # card points still to be won, / 162
    "pit_alive": 2,  # whether we, and they, have all tricks so far
    "own_length": 4,  # cards I hold, by suit slot, / 8
    "unseen_length": 4,  # cards I have not seen, by suit slot, / 8
    "match": 4,  # our points and theirs / 1500, deals scored / deals of the match, whether a target ends it
    "house_rules": 50,  # the options in force (see `_write_rules`)
}
"""Name and width of every block, in order."""

_ENDS: Final = np.cumsum(list(BLOCKS.values()))
OFFSETS: Final[dict[str, int]] = {
    name: int(end) - width for (name, width), end in zip(BLOCKS.items(), _ENDS, strict=True)
}
"""Where every block begins."""
N_OBSERVATION: Final = int(_ENDS[-1])
"""Width of an observation."""
N_STATE: Final = N_OBSERVATION + 96
"""Width of a state: an observation, then the hands of the players on the left, opposite and on the right."""
HIGHEST_FEATURE: Final = 8.0
"""Features lie in 0..8; house rules and roem beyond that are cut."""

_HAND = OFFSETS["hand"]
_TRICK = OFFSETS["trick_left"]
_PLAYED = OFFSETS["played_own"]
_COULD_HOLD = OFFSETS["could_hold_left"]
_LEAD = OFFSETS["lead"]
_TRICK_OF_CARD = OFFSETS["trick_of_card"]
_HIGHEST = OFFSETS["highest"]
_LAWFUL = OFFSETS["lawful"]
_PHASE = OFFSETS["phase"]
_TRUMP = OFFSETS["trump"]
_TURNED = OFFSETS["turned"]
_PASSED_SUIT = OFFSETS["passed_suit"]
_PASSED = OFFSETS["passed"]
_ROUND = OFFSETS["round"]
_DECLARER = OFFSETS["declarer"]
_DEALER = OFFSETS["dealer"]
_TRICK_NUMBER = OFFSETS["trick"]
_ON_TABLE = OFFSETS["on_table"]
_LED_SUIT = OFFSETS["led_suit"]
_WINNER = OFFSETS["winner"]
_POINTS = OFFSETS["points"]
_ROEM = OFFSETS["roem"]
_TRICKS = OFFSETS["tricks"]
_TABLE = OFFSETS["table"]
_NEEDED = OFFSETS["needed"]
_REMAINING = OFFSETS["remaining"]
_PIT_ALIVE = OFFSETS["pit_alive"]
_OWN_LENGTH = OFFSETS["own_length"]
_UNSEEN_LENGTH = OFFSETS["unseen_length"]
_MATCH = OFFSETS["match"]
_RULES = OFFSETS["house_rules"]

_BITS: Final = np.array([[(byte >> bit) & 1 for bit in range(8)] for byte in range(256)], dtype=np.float32)
"""The bits of every byte as numbers: eight copied at once are faster than eight shifts."""

PHYSICAL: Final = np.arange(4)
"""The order clubs, diamonds, hearts, spades."""


# --- suit orders -----------------------------------------------------------------------------------------------------


@jit
def canonical_order(game: Any, seat: int, order: np.ndarray) -> None:
    """Write the canonical suit order of a seat into `order` int64 [4]: order[slot] = suit.

    Trump (before that the turned suit) first, then by the seat's dealt hand: longer before shorter, higher ranks before
    lower, and where two suits are equal one that has been passed on or turned, then the one that was played first, then
    by the other hands where all are open. Never by physical suit: suits that still tie are interchangeable.
    """
    hand = dealt_hand(game, seat)
    first = game.trump if game.trump != NO_SUIT else turned_suit(game)
    keys = np.zeros(4, dtype=np.int64)
    for suit in range(4):
        ranks = ranks_of(hand, suit)
        spoken_of = ((passed_suits(game) >> suit & 1) << 7) + (int(suit == turned_suit(game)) << 6)
        keys[suit] = (count(ranks) << 20) + (ranks << 8) + spoken_of + _plays_before(game, suit)
        if game.rules.open_hands != 0:
            for other in range(1, 4):
                keys[suit] = (keys[suit] << 8) + ranks_of(game.hands[(seat + other) & 3], suit)
    if first != NO_SUIT and first != JOKER:
        keys[first] = 1 << 60
    for slot in range(4):
        best = 0
        for suit in range(1, 4):
            if keys[suit] > keys[best]:
                best = suit
        order[slot] = best
        keys[best] = -1


@jit
def _plays_before(game: Any, suit: int) -> int:
    """How early a suit was first played: 32 for the first card of the deal, 0 for a suit not played."""
    for play in range(game.n_plays):
        if game.plays[play] >> 3 == suit:
            return 32 - play
    return 0


@jit
def slots_of(order: np.ndarray) -> np.ndarray:
    """The inverse of a suit order: int64 [4], slot by suit."""
    slots = np.zeros(4, dtype=np.int64)
    for slot in range(4):
        slots[order[slot]] = slot
    return slots


@jit
def action_from_slots(action: int, order: np.ndarray) -> int:
    """The action that a choice in suit slots stands for; with `slots_of(order)` as the order, the inverse."""
    if action < PASS:
        return int(8 * order[action >> 3] + (action & 7))
    if NAME <= action < CLAIM:
        return int(NAME + order[action - NAME])
    return action


# --- what the doors and nets read ------------------------------------------------------------------------------------


@jit
def write_mask(game: Any, seat: int, order: np.ndarray, out: np.ndarray) -> None:
    """Write the legal actions of `seat` into `out` int8 [45], suits in `order`; all zero when it is not its turn."""
    out[:] = 0
    if game.to_act != seat:
        return
    actions = legal(game)
    for slot in range(4):
        ranks = ranks_of(actions, order[slot])
        for rank in range(8):
            out[8 * slot + rank] = (ranks >> rank) & 1
        out[NAME + slot] = (actions >> (NAME + order[slot])) & 1
    for action in range(PASS, NAME):
        out[action] = (actions >> action) & 1
    for action in range(CLAIM, N_ACTIONS):
        out[action] = (actions >> action) & 1


@jit
def write_observation(game: Any, seat: int, order: np.ndarray, out: np.ndarray) -> None:
    """Write the observation of `seat` into `out` float32 [OBS], suits in `order`. Reads only what the seat may know."""
    out[:] = 0.0
    slots = slots_of(order)
    unseen = unseen_cards(game, seat)
    _write_set(game.hands[seat], order, out, _HAND)
    for relative in range(1, 4):
        other = (seat + relative) & 3
        could_hold = game.hands[other] if game.rules.open_hands != 0 else unseen & ~game.ruled_out[other]
        _write_set(could_hold, order, out, _COULD_HOLD + 32 * (relative - 1))
    if game.to_act == seat and game.phase == PLAYING:
        _write_set(card_duty(game)[1], order, out, _LAWFUL)
    _write_plays(game, seat, slots, out)
    _write_highest(game, order, out)
    _write_choice_of_trump(game, seat, slots, out)
    _write_table(game, seat, slots, out)
    _write_standing(game, seat, out)
    for slot in range(4):
        out[_OWN_LENGTH + slot] = count(ranks_of(game.hands[seat], order[slot])) / 8.0
        out[_UNSEEN_LENGTH + slot] = count(ranks_of(unseen, order[slot])) / 8.0
    _write_rules(game.rules, out)


@jit
def write_state(game: Any, seat: int, order: np.ndarray, out: np.ndarray) -> None:
    """Write what a critic that sees all cards reads, from the side of `seat`, into `out` float32 [STATE]."""
    write_observation(game, seat, order, out[:N_OBSERVATION])
    write_hidden_hands(game, seat, order, out[N_OBSERVATION:])


@jit
def write_hidden_hands(game: Any, seat: int, order: np.ndarray, out: np.ndarray) -> None:
    """Write the hands of the left, opposite and right player into `out` float32 [96]; not for the eyes of `seat`."""
    out[:] = 0.0
    for relative in range(1, 4):
        _write_set(game.hands[(seat + relative) & 3], order, out, 32 * (relative - 1))


# --- blocks ----------------------------------------------------------------------------------------------------------


@jit
def _write_set(cards: int, order: np.ndarray, out: np.ndarray, at: int) -> None:
    """A set of cards as 32 zeros and ones."""
    for slot in range(4):
        ranks = ranks_of(cards, order[slot])
        for rank in range(8):
            out[at + 8 * slot + rank] = _BITS[ranks, rank]


@jit
def _write_plays(game: Any, seat: int, slots: np.ndarray, out: np.ndarray) -> None:
    """Blocks trick_*, played_*, lead and trick_of_card."""
    finished = trick_start(game)
    for play in range(game.n_plays):
        card = game.plays[play]
        place = 8 * slots[card >> 3] + (card & 7)
        relative = (game.leaders[play >> 2] + play - seat) & 3
        if play < finished:
            out[_PLAYED + 32 * relative + place] = 1.0
        elif relative != 0:
            out[_TRICK + 32 * (relative - 1) + place] = 1.0
        if play & 3 == 0:
            out[_LEAD + place] = 1.0
        out[_TRICK_OF_CARD + place] = ((play >> 2) + 1) / 8.0


@jit
def _write_highest(game: Any, order: np.ndarray, out: np.ndarray) -> None:
    """Block highest: in each suit the strongest card that finished tricks have left."""
    gone = played_set(game, 0, trick_start(game))
    for slot in range(4):
        suit = order[slot]
        left = ~ranks_of(gone, suit) & 0xFF
        for rank in range(8):
            if (left >> rank) & 1 and HIGHER[int(suit == game.trump), rank] & left == 0:
                out[_HIGHEST + 8 * slot + rank] = 1.0


@jit
def _write_choice_of_trump(game: Any, seat: int, slots: np.ndarray, out: np.ndarray) -> None:
    """Blocks phase, trump, turned, passed_suit, passed, round, declarer and dealer."""
    if game.phase == BIDDING:
        out[_PHASE] = 1.0
    elif game.phase == NAMING:
        out[_PHASE + 1] = 1.0
    elif game.phase == PLAYING:
        out[_PHASE + 2] = 1.0
    elif game.phase == CLAIMING:
        out[_PHASE + 3] = 1.0
    if game.trump != NO_SUIT:
        out[_TRUMP + slots[game.trump]] = 1.0
        out[_DECLARER + ((game.declarer - seat) & 3)] = 1.0
    turned = turned_suit(game)
    if turned == JOKER:
        out[_TURNED + 4] = 1.0
    elif turned != NO_SUIT:
        out[_TURNED + slots[turned]] = 1.0
    everybody_passed = passed_suits(game)
    for suit in range(4):
        out[_PASSED_SUIT + slots[suit]] = (everybody_passed >> suit) & 1
    if game.trump == NO_SUIT:
        out[_ROUND + min(game.n_bids >> 2, 3)] = 1.0
    for bid in range(max(game.n_bids - 1, 0) & ~3, game.n_bids):
        if game.bids[bid] == PASS:
            out[_PASSED + ((speaker(game.dealer, bid, game.rules) - seat) & 3)] = 1.0
    out[_DEALER + ((game.dealer - seat) & 3)] = 1.0


@jit
def _write_table(game: Any, seat: int, slots: np.ndarray, out: np.ndarray) -> None:
    """Blocks trick, on_table, led_suit, winner and table."""
    if game.phase != PLAYING and game.phase != CLAIMING:
        return
    first = trick_start(game)
    on_table = game.n_plays - first
    out[_TRICK_NUMBER + (first >> 2)] = 1.0
    if on_table < 4:
        out[_ON_TABLE + on_table] = 1.0
    if on_table == 0:
        return
    out[_LED_SUIT + slots[game.plays[first] >> 3]] = 1.0
    winner = (game.leaders[first >> 2] + winning_place(game.plays, first, on_table, game.trump) - seat) & 3
    if winner != 0:
        out[_WINNER + winner - 1] = 1.0
    cards = played_set(game, first, game.n_plays)
    out[_TABLE] = trick_points(game.plays, first, on_table, game.trump) / 50.0
    out[_TABLE + 1] = min(trick_roem(cards, game.trump, game.rules) / 100.0, HIGHEST_FEATURE)


@jit
def _write_standing(game: Any, seat: int, out: np.ndarray) -> None:
    """Blocks match, points, roem, tricks, needed, remaining and pit_alive."""
    us = seat & 1
    them = 1 - us
    for side, team in ((0, us), (1, them)):
        out[_POINTS + side] = min(game.points[team] / 162.0, HIGHEST_FEATURE)
        out[_ROEM + side] = min(game.roem[team] / 100.0, HIGHEST_FEATURE)
        out[_TRICKS + side] = game.tricks[team] / 8.0
        out[_PIT_ALIVE + side] = 1.0 if game.tricks[1 - team] == 0 else 0.0
        out[_MATCH + side] = min(game.totals[team] / 1500.0, HIGHEST_FEATURE)
    out[_MATCH + 2] = min(game.deals_played / game.rules.deals, 1.0)
    out[_MATCH + 3] = game.rules.match_end
    if game.phase != PLAYING and game.phase != CLAIMING:
        return
    remaining = DEAL_POINTS + game.rules.last_trick - game.points[0] - game.points[1]
    out[_REMAINING] = min(remaining / 162.0, HIGHEST_FEATURE)
    playing = game.declarer & 1
    ahead = game.points[playing] + game.roem[playing] - game.points[1 - playing] - game.roem[1 - playing]
    if remaining > 0:
        out[_NEEDED] = min(max((remaining - ahead) / (2.0 * remaining), 0.0), HIGHEST_FEATURE)


@jit
def _write_rules(rules: Any, out: np.ndarray) -> None:
    """Block house_rules: one place for each value of a choice, the flags, then the prices in units of a usual one."""
    out[_RULES + rules.partner_exempt] = 1.0
    out[_RULES + 3 + rules.undertrump] = 1.0
    out[_RULES + 6 + rules.four_kind_ranks] = 1.0
    out[_RULES + 9 + rules.trump_mode] = 1.0
    out[_RULES + 12 + rules.all_pass] = 1.0
    out[_RULES + 15 + rules.renege_roem] = 1.0
    _write_flags(rules, out, _RULES + 18)
    out[_RULES + 33] = min(rules.last_trick / 20.0, HIGHEST_FEATURE)
    out[_RULES + 34] = min(rules.run3 / 20.0, HIGHEST_FEATURE)
    out[_RULES + 35] = min(rules.run4 / 50.0, HIGHEST_FEATURE)
    out[_RULES + 36] = min(rules.stuk / 20.0, HIGHEST_FEATURE)
    out[_RULES + 37] = min(rules.four_jacks / 200.0, HIGHEST_FEATURE)
    out[_RULES + 38] = min(rules.four_others / 200.0, HIGHEST_FEATURE)
    out[_RULES + 39] = min(rules.pit_bonus / 100.0, HIGHEST_FEATURE)
    out[_RULES + 40] = min(rules.counter_pit_bonus / 100.0, HIGHEST_FEATURE)
    out[_RULES + 41] = min(rules.renege_points / 162.0, HIGHEST_FEATURE)
    out[_RULES + 42] = min(rules.renege_bonus / 100.0, HIGHEST_FEATURE)
    out[_RULES + 43] = min(rules.deals / 16.0, HIGHEST_FEATURE)
    out[_RULES + 44] = min(rules.target / 1500.0, HIGHEST_FEATURE)
    out[_RULES + 45] = rules.stock_jokers / 3.0
    out[_RULES + 45 + rules.stock_rounds] = 1.0


@jit
def _write_flags(rules: Any, out: np.ndarray, at: int) -> None:
    """Options with two values, as zero or one."""
    flags = (
        rules.undertrump_partner,
        rules.nat_on_tie,
        rules.first_bidder,
        rules.forced_seat,
        rules.redeal_dealer,
        rules.stock_skip_passed,
        rules.choice_excludes_passed,
        rules.first_deal_clubs,
        rules.must_hold_trump,
        rules.roem_mode,
        rules.false_roem,
        rules.stuk_always,
        rules.renege_mode,
        rules.tie_break,
        rules.open_hands,
    )
    for i in range(len(flags)):
        out[at + i] = flags[i]
