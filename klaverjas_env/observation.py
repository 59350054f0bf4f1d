"""A seat's view as a vector of numbers: named blocks under a frozen layout name.

Every feature comes from the seat's own hand and the public record (seats, bids, plays, contract, house rules), so that
the same vector can be computed wherever those are known. Other seats are relative: left, partner, right. Suits stand in
an `order` of the caller's choice: physical (clubs, diamonds, hearts, spades) for the doors, canonical for the nets,
which then need not learn the same thing four times.
"""

from typing import Any, Final

import numpy as np

from klaverjas_env.game import (
    CLAIM,
    CLAIMING,
    N_ACTIONS,
    NAME,
    PASS,
    PLAYING,
    card_duty,
    legal,
    passed_suits,
    trick_start,
    turned_suit,
)
from klaverjas_env.jit import jit, jit_writer
from klaverjas_env.rules.bidding import JOKER, first_speaker
from klaverjas_env.rules.cards import ALL_CARDS, NO_SUIT, count, ranks_of, suit_set
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.rules.scoring import DEAL_POINTS, PENALTY
from klaverjas_env.rules.trick import trick_points, winning_place
from klaverjas_env.view import cards_on_table, dealt_hand, finished_tricks, plays_before, strongest_left

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
_MASK_BITS: Final = _BITS.astype(np.int8)
_LENGTH: Final = _BITS.mean(axis=1)
"""How many bits of every byte are set, / 8."""
_EIGHTHS: Final = np.arange(1, 9, dtype=np.float32) / 8
_PER_50: Final = 1 / 50
_PER_100: Final = 1 / 100
_PER_162: Final = 1 / 162
_PER_1500: Final = 1 / 1500
"""Whole numbers times these are, as float32, the same as divided: no quotient lies so near the middle of two."""
_PHASE_PLACES: Final = np.array([0b0001, 0b0010, 0b0100, 0, 0b1000, 0])
"""The place of every `Phase` in block phase, as a set."""

PHYSICAL: Final = np.arange(4)
"""The order clubs, diamonds, hearts, spades."""


# --- suit orders -----------------------------------------------------------------------------------------------------


@jit_writer
def canonical_order(game: Any, seat: int, order: np.ndarray) -> None:
    """Write the canonical suit order of a seat into `order` int64 [4]: order[slot] = suit.

    Trump (before that the turned suit) first, then by the seat's dealt hand: longer before shorter, higher ranks before
    lower, and where two suits are equal one that has been passed on or turned, then the one that was played first, then
    by the other hands where all are open. Never by physical suit: suits that still tie are interchangeable.
    """
    hand = dealt_hand(game, seat)
    turned = turned_suit(game)
    first = game.trump if game.trump != NO_SUIT else turned
    passed = passed_suits(game)
    for suit in range(4):
        ranks = ranks_of(hand, suit)
        spoken_of = ((passed >> suit & 1) << 7) + (int(suit == turned) << 6)
        order[suit] = (count(ranks) << 20) + (ranks << 8) + spoken_of
    if order[0] in (order[1], order[2], order[3]) or order[1] in (order[2], order[3]) or order[2] == order[3]:
        for suit in range(4):
            order[suit] += plays_before(game, suit)
    if game.rules.open_hands != 0:
        for other in range(1, 4):
            for suit in range(4):
                order[suit] = (order[suit] << 8) + ranks_of(game.hands[(seat + other) & 3], suit)
    for suit in range(4):
        order[suit] = 4 * (order[suit] if suit != first else 1 << 60) + 3 - suit
    for one, other in ((0, 1), (2, 3), (0, 2), (1, 3), (1, 2)):  # these five exchanges put any four in order
        least = min(order[one], order[other])
        order[one] = max(order[one], order[other])
        order[other] = least
    for slot in range(4):
        order[slot] = 3 - (order[slot] & 3)


@jit
def action_from_slots(action: int, order: np.ndarray) -> int:
    """The action that a choice in suit slots stands for."""
    if action < PASS:
        return int(8 * order[action >> 3] + (action & 7))
    if NAME <= action < CLAIM:
        return int(NAME + order[action - NAME])
    return action


# --- what the doors and nets read ------------------------------------------------------------------------------------


@jit_writer
def write_mask(game: Any, seat: int, order: np.ndarray, out: np.ndarray) -> None:
    """Write the legal actions of `seat` into `out` int8 [45], suits in `order`; all zero when it is not its turn."""
    _write_actions(legal(game) if game.to_act == seat else 0, order, out)


@jit_writer
def write_observation(game: Any, seat: int, order: np.ndarray, out: np.ndarray) -> None:
    """Write the observation of `seat` into `out` float32 [OBS], suits in `order`. Reads only what the seat may know."""
    lawful = card_duty(game)[1] if game.to_act == seat and game.phase == PLAYING else 0
    _write_position(game, seat, lawful, order, out)
    write_rules(game.rules, out)


@jit_writer
def write_decision(game: Any, order: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> None:
    """Write, for the seat to act, what `write_observation` and `write_mask` do, but for the block house_rules.

    That block is the same at every decision of a game: who asks for many lets it stand (see `write_rules`).
    """
    actions = legal(game)
    may_renege = game.phase == PLAYING and game.rules.renege_mode == PENALTY
    lawful = card_duty(game)[1] if may_renege else actions & ALL_CARDS
    _write_position(game, game.to_act, lawful, order, observation)
    _write_actions(actions, order, mask)


@jit_writer
def write_state(game: Any, seat: int, order: np.ndarray, out: np.ndarray) -> None:
    """Write what a critic that sees all cards reads, from the side of `seat`, into `out` float32 [STATE]."""
    write_observation(game, seat, order, out[:N_OBSERVATION])
    write_hidden_hands(game, seat, order, out[N_OBSERVATION:])


@jit_writer
def write_hidden_hands(game: Any, seat: int, order: np.ndarray, out: np.ndarray) -> None:
    """Write the hands of the left, opposite and right player into `out` float32 [96]; not for the eyes of `seat`."""
    suits = _suits_in(order)
    for relative in range(1, 4):
        _write_set(game.hands[(seat + relative) & 3], suits, out, 32 * (relative - 1))


# --- blocks ----------------------------------------------------------------------------------------------------------


@jit_writer
def _suits_in(order: np.ndarray) -> tuple[int, int, int, int]:
    """A suit order as numbers that need not be read again after every write."""
    return order[0], order[1], order[2], order[3]


@jit_writer
def _write_actions(actions: int, order: np.ndarray, out: np.ndarray) -> None:
    """A set of actions as a mask int8 [45]."""
    suits = _suits_in(order)
    for slot in range(4):
        ranks = ranks_of(actions, suits[slot])
        for rank in range(8):
            out[8 * slot + rank] = _MASK_BITS[ranks, rank]
    named = _in_slots(actions >> NAME, suits) & 0b1111
    others = actions >> PASS & ~(0b1111 << NAME - PASS) | named << NAME - PASS
    for action in range(8):
        out[PASS + action] = _MASK_BITS[others & 0xFF, action]
    for action in range(8, N_ACTIONS - PASS):
        out[PASS + action] = (others >> action) & 1


@jit_writer
def _write_position(game: Any, seat: int, lawful: int, order: np.ndarray, out: np.ndarray) -> None:
    """All blocks but house_rules; `lawful` is the set that block lawful shows."""
    suits = _suits_in(order)
    own, left, partner, right, lead = finished_tricks(game, seat)
    mine, next_one, opposite, last, led = cards_on_table(game, seat)
    gone = own | left | partner | right
    on_table = mine | next_one | opposite | last
    hand = game.hands[seat]
    unseen = ALL_CARDS & ~(hand | gone | on_table)
    _write_set(hand, suits, out, _HAND)
    _write_set(next_one, suits, out, _TRICK)
    _write_set(opposite, suits, out, _TRICK + 32)
    _write_set(last, suits, out, _TRICK + 64)
    _write_set(own, suits, out, _PLAYED)
    _write_set(left, suits, out, _PLAYED + 32)
    _write_set(partner, suits, out, _PLAYED + 64)
    _write_set(right, suits, out, _PLAYED + 96)
    for relative in range(1, 4):
        other = (seat + relative) & 3
        could_hold = game.hands[other] if game.rules.open_hands != 0 else unseen & ~game.ruled_out[other]
        _write_set(could_hold, suits, out, _COULD_HOLD + 32 * (relative - 1))
    _write_set(lead | led, suits, out, _LEAD)
    _write_trick_of_card(game, suits, out)
    _write_set(strongest_left(gone, game.trump), suits, out, _HIGHEST)
    _write_set(lawful, suits, out, _LAWFUL)
    _write_choices(_choice_of_trump(game, seat, suits) | _table(game, seat, suits, on_table), out)
    _write_standing(game, seat, on_table, out)
    for slot in range(4):
        out[_OWN_LENGTH + slot] = _LENGTH[ranks_of(hand, suits[slot])]
        out[_UNSEEN_LENGTH + slot] = _LENGTH[ranks_of(unseen, suits[slot])]


@jit_writer
def _write_set(cards: int, suits: tuple[int, int, int, int], out: np.ndarray, at: int) -> None:
    """A set of cards as 32 zeros and ones."""
    for slot in range(4):
        ranks = ranks_of(cards, suits[slot])
        for rank in range(8):
            out[at + 8 * slot + rank] = _BITS[ranks, rank]


@jit_writer
def _write_trick_of_card(game: Any, suits: tuple[int, int, int, int], out: np.ndarray) -> None:
    """Block trick_of_card."""
    starts = 0  # a byte for each suit: 8 * its slot, at bit 8 * suit
    for slot in range(4):
        starts |= 8 * slot << 8 * suits[slot]
    for place in range(32):
        out[_TRICK_OF_CARD + place] = 0.0
    for trick in range(8):
        for play in range(4 * trick, 4 * trick + 4):
            if play >= game.n_plays:
                return
            card = game.plays[play]
            out[_TRICK_OF_CARD + (starts >> (card & 24) & 24) + (card & 7)] = _EIGHTHS[trick]


@jit
def _in_slots(sets: int, suits: tuple[int, int, int, int]) -> int:
    """Four sets of suits, four bits each, as sets of suit slots."""
    slots = 0
    for slot in range(4):
        slots |= (sets >> suits[slot] & 0x1111) << slot
    return slots


@jit
def _choice_of_trump(game: Any, seat: int, suits: tuple[int, int, int, int]) -> int:
    """Blocks phase, trump, turned, passed_suit, passed, round, declarer and dealer, as a set (see `_write_choices`)."""
    turned = turned_suit(game)
    places = _PHASE_PLACES[game.phase] | 1 << _DEALER - _PHASE + (game.dealer - seat & 3)
    if game.trump != NO_SUIT:
        places |= 1 << _DECLARER - _PHASE + (game.declarer - seat & 3)
    else:
        places |= 1 << _ROUND - _PHASE + min(game.n_bids >> 2, 3)
    if turned == JOKER:
        places |= 1 << _TURNED - _PHASE + 4
    round_began = max(game.n_bids - 1, 0) & ~3
    from_me = first_speaker(game.dealer, game.rules) - seat
    for i in range(4):  # always four: quicker than to ask how many
        passed = int(round_began + i < game.n_bids and game.bids[round_began + i] == PASS)
        places |= passed << _PASSED - _PHASE + (from_me + i & 3)
    slots = _in_slots(suit_set(game.trump) | suit_set(turned) << 4 | passed_suits(game) << 8, suits)
    return int(
        places
        | (slots & 0xF) << _TRUMP - _PHASE
        | (slots >> 4 & 0xF) << _TURNED - _PHASE
        | (slots >> 8) << _PASSED_SUIT - _PHASE
    )


@jit
def _table(game: Any, seat: int, suits: tuple[int, int, int, int], on_table: int) -> int:
    """Blocks trick, on_table, led_suit and winner, as a set (see `_write_choices`)."""
    if game.phase != PLAYING and game.phase != CLAIMING:
        return 0
    first = trick_start(game)
    played = game.n_plays - first
    places = int(1 << _TRICK_NUMBER - _PHASE + (first >> 2) | (1 << played & 0b1111) << _ON_TABLE - _PHASE)
    if on_table == 0:
        return places
    places |= _in_slots(suit_set(game.plays[first] >> 3), suits) << _LED_SUIT - _PHASE
    winner = (game.leaders[first >> 2] + winning_place(game.plays, first, played, game.trump) - seat) & 3
    return int(places | (1 << winner >> 1) << _WINNER - _PHASE)


@jit_writer
def _write_choices(places: int, out: np.ndarray) -> None:
    """The blocks phase to winner, which hold zeros and ones only: `places` is the set of the ones, from `_PHASE` on."""
    for byte in range((_POINTS - _PHASE) >> 3):
        for bit in range(8):
            out[_PHASE + 8 * byte + bit] = _BITS[places >> 8 * byte & 0xFF, bit]
    for place in range((_POINTS - _PHASE) & ~7, _POINTS - _PHASE):
        out[_PHASE + place] = _BITS[places >> place & 1, 0]


@jit_writer
def _write_standing(game: Any, seat: int, on_table: int, out: np.ndarray) -> None:
    """Blocks match, points, roem, tricks, table, needed, remaining and pit_alive."""
    us = seat & 1
    them = 1 - us
    for side, team in ((0, us), (1, them)):
        out[_POINTS + side] = min(game.points[team] * _PER_162, HIGHEST_FEATURE)
        out[_ROEM + side] = min(game.roem[team] * _PER_100, HIGHEST_FEATURE)
        out[_TRICKS + side] = game.tricks[team] / 8.0
        out[_PIT_ALIVE + side] = 1.0 if game.tricks[1 - team] == 0 else 0.0
        out[_MATCH + side] = min(game.totals[team] * _PER_1500, HIGHEST_FEATURE)
    out[_MATCH + 2] = min(game.deals_played / game.rules.deals, 1.0)
    out[_MATCH + 3] = game.rules.match_end
    for feature in range(_TABLE, _PIT_ALIVE):
        out[feature] = 0.0
    if game.phase != PLAYING and game.phase != CLAIMING:
        return
    out[_TABLE] = trick_points(on_table, game.trump) * _PER_50
    out[_TABLE + 1] = min(trick_roem(on_table, game.trump, game.rules) * _PER_100, HIGHEST_FEATURE)
    remaining = DEAL_POINTS + game.rules.last_trick - game.points[0] - game.points[1]
    out[_REMAINING] = min(remaining * _PER_162, HIGHEST_FEATURE)
    playing = game.declarer & 1
    ahead = game.points[playing] + game.roem[playing] - game.points[1 - playing] - game.roem[1 - playing]
    if remaining > 0:
        out[_NEEDED] = min(max((remaining - ahead) / (2.0 * remaining), 0.0), HIGHEST_FEATURE)


@jit_writer
def write_rules(rules: Any, out: np.ndarray) -> None:
    """Block house_rules: one place for each value of a choice, the flags, then the prices in units of a usual one."""
    out[_RULES:] = 0.0
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


@jit_writer
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
