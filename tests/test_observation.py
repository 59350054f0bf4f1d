"""The observation against a plain reading of its layout, feature by feature, and what `step` leaves standing in it."""

import random
from typing import Any

import numpy as np
import pytest

from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.game import (
    BIDDING,
    CLAIMING,
    GAME,
    N_ACTIONS,
    NAMING,
    PASS,
    PLAYING,
    card_duty,
    legal,
    passed_suits,
    turned_suit,
)
from klaverjas_env.jit import jit
from klaverjas_env.observation import BLOCKS, N_OBSERVATION, OFFSETS, PHYSICAL, canonical_order, write_decision
from klaverjas_env.rules.cards import CARD_POINTS, PLAIN_ORDER, TRUMP_ORDER
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.rules.trick import beats
from klaverjas_env.rules.variant import PRESETS
from tests.houses import random_house
from tests.laws.positions import observe, positions

RANDOM_HOUSES = 12
HOUSES = [*PRESETS, *(str(random_house(random.Random(number))) for number in range(RANDOM_HOUSES))]
FLAGS = (
    "undertrump_partner nat_on_tie first_bidder forced_seat redeal_dealer stock_skip_passed choice_excludes_passed"
    " first_deal_clubs must_hold_trump roem_mode false_roem stuk_always renege_mode tie_break open_hands"
).split()
PRICES = {
    "last_trick": 20,
    "run3": 20,
    "run4": 50,
    "stuk": 20,
    "four_jacks": 200,
    "four_others": 200,
    "pit_bonus": 100,
    "counter_pit_bonus": 100,
    "renege_points": 162,
    "renege_bonus": 100,
    "deals": 16,
    "target": 1500,
}


def cards_in(cards: Any) -> list[int]:
    """The members of a set of cards."""
    return [card for card in range(32) if int(cards) >> card & 1]


def one_hot(width: int, *places: int) -> list[float]:
    """Ones at `places`; those outside are left out."""
    return [float(place in places) for place in range(width)]


class Reading:
    """The blocks of one observation, read from a game record the slow way."""

    def __init__(self, game: Any, seat: int, order: list[int]) -> None:
        self.game, self.seat, self.order = game, seat, order
        self.plays = [int(card) for card in game["plays"][: game["n_plays"]]]
        self.players = [int(game["leaders"][i >> 2] + i) % 4 for i in range(len(self.plays))]
        finished = len(self.plays) // 4 * 4
        self.finished = finished - 4 if game["phase"] == CLAIMING else finished
        self.table = self.plays[self.finished :]

    def cards(self, cards: Any, value: Any = lambda card: 1.0) -> list[float]:
        """A block of 32: what `value` says of every card of `cards`, in the order of the suits."""
        held = set(cards)
        stood = [8 * suit + rank for suit in self.order for rank in range(8)]
        return [value(card) if card in held else 0.0 for card in stood]

    def suits(self, *suits: int) -> list[float]:
        """A block of four: the slots in which `suits` stand."""
        return [float(suit in suits) for suit in self.order]

    def relative(self, *seats: int) -> list[float]:
        """A block of four: me, left, partner, right."""
        return one_hot(4, *((seat - self.seat) % 4 for seat in seats))

    def winner(self) -> int:
        """Who is winning the trick on the table."""
        best = 0
        for i, card in enumerate(self.table):
            if i and beats(card, self.table[best], int(self.game["trump"])):
                best = i
        return self.players[self.finished + best]

    def blocks(self) -> dict[str, list[float]]:
        """Every block by name."""
        game, seat, plays = self.game, self.seat, self.plays
        hand = cards_in(game["hands"][seat])
        unseen = [card for card in range(32) if card not in hand and card not in plays]
        trump, open_cards = int(game["trump"]), bool(game["rules"]["open_hands"])
        playing = game["phase"] in (PLAYING, CLAIMING)
        found: dict[str, list[float]] = {"hand": self.cards(hand)}
        for i, name in enumerate(("own", "left", "partner", "right")):
            other = (seat + i) % 4
            by_other = [card for card, player in zip(plays, self.players, strict=True) if player == other]
            found[f"played_{name}"] = self.cards(set(by_other) - set(self.table))
            if i:
                proved = cards_in(game["ruled_out"][other])
                could = cards_in(game["hands"][other]) if open_cards else set(unseen) - set(proved)
                found[f"could_hold_{name}"] = self.cards(could)
                found[f"trick_{name}"] = self.cards(set(by_other) & set(self.table))
        found["lead"] = self.cards(plays[::4])
        found["trick_of_card"] = self.cards(plays, lambda card: (plays.index(card) // 4 + 1) / 8)
        left = set(range(32)) - set(plays[: self.finished])
        strongest = []
        for suit in range(4):
            from_weak = TRUMP_ORDER if suit == trump else PLAIN_ORDER
            strongest += [8 * suit + rank for rank in from_weak if 8 * suit + rank in left][-1:]
        found["highest"] = self.cards(strongest)
        to_play = game["phase"] == PLAYING and game["to_act"] == seat
        found["lawful"] = self.cards(cards_in(card_duty(game)[1]) if to_play else [])
        found |= self.choice_of_trump() | self.standing(playing)
        lengths = [[sum(card >> 3 == suit for card in cards) / 8 for suit in self.order] for cards in (hand, unseen)]
        found["own_length"], found["unseen_length"] = lengths
        return found

    def choice_of_trump(self) -> dict[str, list[float]]:
        """The blocks phase to dealer."""
        game = self.game
        trump, turned, spoken = int(game["trump"]), int(turned_suit(game)), int(game["n_bids"])
        phases = [BIDDING, NAMING, PLAYING, CLAIMING]
        dealer_first = game["rules"]["first_bidder"] == 1 and game["rules"]["trump_mode"] != 0
        first = int(game["dealer"]) + (0 if dealer_first else 1)
        began = (spoken - 1) // 4 * 4 if spoken else 0
        passed = [(first + bid) % 4 for bid in range(began, spoken) if game["bids"][bid] == PASS]
        return {
            "phase": [float(game["phase"] == phase) for phase in phases],
            "trump": self.suits(trump),
            "turned": [*self.suits(turned), float(turned == 4)],
            "passed_suit": self.suits(*(suit for suit in range(4) if int(passed_suits(game)) >> suit & 1)),
            "passed": self.relative(*passed),
            "round": one_hot(4, min(spoken // 4, 3)) if trump < 0 else [0.0] * 4,
            "declarer": self.relative(int(game["declarer"])) if trump >= 0 else [0.0] * 4,
            "dealer": self.relative(int(game["dealer"])),
        }

    def standing(self, playing: bool) -> dict[str, list[float]]:
        """The blocks trick to table, points to pit_alive, match and house_rules."""
        game, rules, table = self.game, self.game["rules"], self.table
        trump, teams = int(game["trump"]), (self.seat % 2, 1 - self.seat % 2)
        points = sum(int(CARD_POINTS[int(card >> 3 == trump), card & 7]) for card in table)
        roem = int(trick_roem(sum(1 << card for card in table), trump, rules)) if playing else 0
        remaining = int(152 + rules["last_trick"] - sum(game["points"])) if playing else 0
        own, other = int(game["declarer"]) % 2, 1 - int(game["declarer"]) % 2
        ahead = int(game["points"][own] + game["roem"][own] - game["points"][other] - game["roem"][other])
        needed = min(max((remaining - ahead) / (2 * remaining), 0), 8) if remaining > 0 else 0
        winner = (self.winner() - self.seat) % 4 if playing and table else 0
        return {
            "trick": one_hot(8, self.finished // 4) if playing else [0.0] * 8,
            "on_table": one_hot(4, len(table)) if playing else [0.0] * 4,
            "led_suit": self.suits(table[0] >> 3) if playing and table else [0.0] * 4,
            "winner": one_hot(3, winner - 1),
            "table": [points / 50, min(roem / 100, 8)] if playing else [0.0, 0.0],
            "points": [min(int(game["points"][team]) / 162, 8) for team in teams],
            "roem": [min(int(game["roem"][team]) / 100, 8) for team in teams],
            "tricks": [int(game["tricks"][team]) / 8 for team in teams],
            "needed": [needed],
            "remaining": [min(remaining / 162, 8)],
            "pit_alive": [float(game["tricks"][1 - team] == 0) for team in teams],
            "match": [
                *(min(int(game["totals"][team]) / 1500, 8) for team in teams),
                min(int(game["deals_played"]) / int(rules["deals"]), 1),
                float(rules["match_end"]),
            ],
            "house_rules": [
                *one_hot(3, int(rules["partner_exempt"])),
                *one_hot(3, int(rules["undertrump"])),
                *one_hot(3, int(rules["four_kind_ranks"])),
                *one_hot(3, int(rules["trump_mode"])),
                *one_hot(3, int(rules["all_pass"])),
                *one_hot(3, int(rules["renege_roem"])),
                *(float(rules[flag]) for flag in FLAGS),
                *(min(int(rules[name]) / usual, 8) for name, usual in PRICES.items()),
                int(rules["stock_jokers"]) / 3,
                *one_hot(4, int(rules["stock_rounds"]) - 1),
            ],
        }


def slow_order(game: Any, seat: int) -> list[int]:
    """The canonical order, by sorting."""
    plays = [int(card) for card in game["plays"][: game["n_plays"]]]
    own = cards_in(game["hands"][seat])
    own += [card for i, card in enumerate(plays) if (game["leaders"][i >> 2] + i) % 4 == seat]
    trump = int(game["trump"] if game["trump"] >= 0 else turned_suit(game))

    def key(suit: int) -> tuple[Any, ...]:
        ranks = sorted((card & 7 for card in own if card >> 3 == suit), reverse=True)
        first_play = next((i for i, card in enumerate(plays) if card >> 3 == suit), 32)
        passed = int(passed_suits(game)) >> suit & 1
        others = [int(game["hands"][(seat + i) % 4]) >> 8 * suit & 0xFF for i in (1, 2, 3)]
        others = others if game["rules"]["open_hands"] else []
        return suit == trump, len(ranks), ranks, passed, suit == turned_suit(game), -first_play, others

    return sorted(range(4), key=key, reverse=True)


@jit
def orders_of(games: np.ndarray, seat: int, orders: np.ndarray) -> None:
    """Write the canonical orders of `seat` into `orders` int64 [N, 4]."""
    for i in range(len(games)):
        canonical_order(games[i], seat, orders[i])


@jit
def decisions(games: np.ndarray, order: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> None:
    """What `write_decision` writes for every game."""
    for i in range(len(games)):
        write_decision(games[i], order, observations[i], masks[i])


@pytest.mark.parametrize("house", HOUSES)
def test_every_feature_is_what_the_layout_says(house: str) -> None:
    games, _ = positions(house, 2, seed=len(house))
    observations = np.full((len(games), N_OBSERVATION), 7, dtype=np.float32)
    masks = np.full((len(games), N_ACTIONS), 7, dtype=np.int8)
    orders = np.zeros((len(games), 4), dtype=np.int64)
    for seat in range(4):
        orders_of(games, seat, orders)
        for canonical in (False, True):
            observe(games, seat, canonical, observations, masks)
            for i in range(seat, len(games), 4):  # each seat sees a quarter of the positions
                order = slow_order(games[i], seat) if canonical else PHYSICAL.tolist()
                assert not canonical or orders[i].tolist() == order
                read = Reading(games[i], seat, order).blocks()
                assert read.keys() == BLOCKS.keys()
                for name, width in BLOCKS.items():
                    wanted = np.array(read[name], dtype=np.float32)
                    assert len(wanted) == width
                    found = observations[i, OFFSETS[name] : OFFSETS[name] + width]
                    assert np.array_equal(found, wanted), (name, i, seat, order)
                actions = int(legal(games[i])) if games[i]["to_act"] == seat else 0
                slots = [8 * suit + rank for suit in order for rank in range(8)]
                places = [*slots, 32, 33, *(34 + suit for suit in order), *range(38, 45)]
                assert masks[i].tolist() == [actions >> action & 1 for action in places]


@pytest.mark.parametrize("house", HOUSES)
def test_a_decision_is_the_observation_without_house_rules_and_the_mask(house: str) -> None:
    games, actions = positions(house, 2, seed=1)
    games = games[actions >= 0]
    rows, row_masks = (np.full((len(games), width), 3, dtype) for width, dtype in SHAPES)
    decisions(games, PHYSICAL, rows, row_masks)
    at = OFFSETS["house_rules"]
    for seat in range(4):
        turn = games["to_act"] == seat
        observations, masks = (np.zeros((int(turn.sum()), width), dtype) for width, dtype in SHAPES)
        observe(games[turn].astype(GAME), seat, False, observations, masks)
        assert np.array_equal(rows[turn, :at], observations[:, :at])
        assert np.array_equal(row_masks[turn], masks)
    assert (rows[:, at:] == 3).all()


SHAPES: Any = ((N_OBSERVATION, np.float32), (N_ACTIONS, np.int8))


@pytest.mark.parametrize("options", [{}, {"canonical": True, "skip_forced": True}, {"with_hidden_hands": False}])
@pytest.mark.parametrize("house", ["amsterdams/utrechts", "nku", "bga", "bga, renege_mode=penalty, open_hands=True"])
def test_what_step_writes_is_what_observe_writes(house: str, options: dict[str, Any]) -> None:
    batch = VectorGames(16, house, seed=4, **options)
    names = ("observation", "action_mask", "hidden_hands", "seat", "_orders")
    rng = np.random.default_rng(4)
    for _ in range(150):
        batch.step(batch.random_actions(rng))
        stepped = [getattr(batch, name).copy() for name in names]
        for name in names[:3]:
            getattr(batch, name)[:] = 5
        batch.observe()
        for name, array in zip(names, stepped, strict=True):
            assert np.array_equal(getattr(batch, name), array), name
    assert batch.hidden_hands.shape == (16 if options.get("with_hidden_hands", True) else 0, 96)


@pytest.mark.parametrize("divisor", [50, 100, 162, 1500])
def test_a_product_with_the_reciprocal_is_the_quotient(divisor: int) -> None:
    numbers = np.arange(2_000_000)
    assert np.array_equal((numbers * (1 / divisor)).astype(np.float32), (numbers / divisor).astype(np.float32))
