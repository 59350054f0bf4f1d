"""Laws of the game on random play: what must hold in every deal, for every seat and under every set of house rules."""

import io
import os
import subprocess
import sys
from functools import lru_cache
from pathlib import Path

import numpy as np
import pytest

from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.game import DEAL_OVER, GAME, N_ACTIONS, apply
from klaverjas_env.jit import ENABLED
from klaverjas_env.observation import N_OBSERVATION
from klaverjas_env.view import view
from tests.laws.positions import digest, observe, positions, reshuffle_hidden
from tests.laws.random_play import Law, first_breaches

ROOT = Path(__file__).parents[2]
DEALS = 1_000 if ENABLED else 20
"""Random deals for each house; the same tests in plain Python, for coverage, take a few."""
MANY_DEALS = 20_000

HOUSES = (
    "amsterdams/utrechts",
    "rotterdams/utrechts",
    "amsterdams/stock-zoeker",
    "online-rotterdams",
    "rotterdams/stock-verplicht",
    "amsterdams, partner_exempt=winning_trump, undertrump_partner=allowed, undertrump=forced, deals=3",
    "rotterdams, undertrump=allowed, nat_on_tie=false, four_kind_ranks=TJQKA",
    "nku",
    "kbn",
    "bga",
    "amsterdams/vrij",
    "rotterdams/stock-2x-opnieuw",
    "rotterdams, renege_mode=penalty, renege_roem=winner_only, match_end=target, target=300, tie_break=extra_deal",
    "000-letterlijk, renege_mode=penalty, false_roem=ignored, stuk_always=false",
    "twents, stock_rounds=4, stock_jokers=2, forced_seat=last, must_hold_trump=true, first_bidder=dealer, deals=2",
    "amsterdams/stock-zoeker, stock_rounds=4, stock_jokers=1, must_hold_trump=true, deals=1",
    "amsterdams/vrij, all_pass=redeal, redeal_dealer=next, deal_packets=4-4, counter_pit_bonus=0, last_trick=20",
)
houses = pytest.mark.parametrize("house", HOUSES)


@lru_cache
def breaches(house: str) -> np.ndarray:
    """One run of random deals for all the tests of a house."""
    return first_breaches(house, DEALS)


@houses
@pytest.mark.parametrize("law", Law, ids=lambda law: law.name.lower())
def test_law_holds_on_random_play(house: str, law: Law) -> None:
    deal = breaches(house)[law]
    assert deal == -1, f"{law.name} is broken in deal {deal} of new({house!r}, seed=0)"


@pytest.mark.slow
@houses
def test_laws_hold_on_much_random_play(house: str) -> None:
    found = first_breaches(house, MANY_DEALS, seed=1)
    assert {law.name: int(found[law]) for law in Law if found[law] != -1} == {}


# --- what a seat sees ------------------------------------------------------------------------------------------------


def seen_by(games: np.ndarray, seat: int, canonical: bool) -> tuple[np.ndarray, np.ndarray]:
    """Observations float32 [N, OBS] and masks int8 [N, A] of one seat."""
    observations = np.zeros((len(games), N_OBSERVATION), dtype=np.float32)
    masks = np.zeros((len(games), N_ACTIONS), dtype=np.int8)
    observe(games, seat, canonical, observations, masks)
    return observations, masks


def check_hidden_cards(house: str, seat: int, deals: int, seed: int) -> None:
    games, _ = positions(house, deals, seed)
    twins = games.copy()
    reshuffle_hidden(twins, seat, seed + 1)
    assert np.mean((games["hands"] != twins["hands"]).any(axis=1)) > 0.5, "the reshuffle changed next to nothing"
    seats = np.full(len(games), seat)
    views = view(games, seats)
    assert views.tobytes() == view(twins, seats).tobytes()
    for canonical in (False, True):
        for one, other, from_view in zip(
            seen_by(games, seat, canonical),
            seen_by(twins, seat, canonical),
            seen_by(views, seat, canonical),
            strict=True,
        ):
            assert np.array_equal(one, other)
            assert np.array_equal(one, from_view)


@houses
def test_hidden_cards_never_change_what_a_seat_sees(house: str) -> None:
    for seat in range(4):
        check_hidden_cards(house, seat, DEALS // 4, seed=seat)


@pytest.mark.slow
@houses
def test_hidden_cards_never_change_what_a_seat_sees_in_many_deals(house: str) -> None:
    for chunk in range(MANY_DEALS // 500):
        check_hidden_cards(house, chunk & 3, 500, seed=100 + chunk)


def test_a_view_holds_no_hidden_card_and_no_seed() -> None:
    games, _ = positions("amsterdams/stock-zoeker", 5)
    for seat in range(4):
        views = view(games, np.full(len(games), seat))
        others = [other for other in range(4) if other != seat]
        assert not views["hands"][:, others].any()
        assert np.array_equal(views["hands"][:, seat], games["hands"][:, seat])
        assert not views["seed"].any()


# --- the record ------------------------------------------------------------------------------------------------------


def play_on(game: np.ndarray, actions: np.ndarray) -> None:
    """Take the actions in a game [1]."""
    for action in actions:
        apply(game[0], int(action))


@houses
def test_a_saved_game_goes_on_as_if_nothing_had_happened(house: str) -> None:
    games, actions = positions(house, 2)
    end = int(np.flatnonzero(actions == -1)[0])
    for place in range(0, end, 5):
        kept = np.frombuffer(games[place : place + 1].tobytes(), dtype=GAME).copy()
        file = io.BytesIO()
        np.save(file, games[place : place + 1], allow_pickle=False)
        file.seek(0)
        loaded = np.load(file, allow_pickle=False).astype(GAME)
        for again in (kept, loaded):
            assert again.tobytes() == games[place : place + 1].tobytes()
            play_on(again, actions[place:end])
            assert again.tobytes() == games[end : end + 1].tobytes()


def test_compiled_and_plain_python_agree_to_the_last_bit() -> None:
    told = [digest(house, 20) for house in HOUSES]
    answer = subprocess.run(
        [sys.executable, "-m", "tests.laws.positions", "20", *HOUSES],
        cwd=ROOT,
        env={**os.environ, "KLAVERJAS_JIT": "0" if ENABLED else "1"},
        capture_output=True,
        text=True,
        check=True,
        stdin=subprocess.DEVNULL,
    )
    assert answer.stdout.split() == told
    assert answer.stderr == ""


# --- the reward ------------------------------------------------------------------------------------------------------


@houses
def test_what_one_side_is_paid_the_other_pays(house: str) -> None:
    batch = VectorGames(50, house, seed=3)
    rng = np.random.default_rng(3)
    paid = np.zeros(50)
    gained = np.zeros((50, 2), dtype=np.int64)
    deals = np.zeros(50, dtype=np.int64)
    while deals.min() < 2:
        before = batch.games["totals"].copy()
        batch.step(batch.random_actions(rng))
        paid += batch.reward
        deals += batch.deal_over
        change = batch.games["totals"] - before
        assert not change[~batch.deal_over].any()
        ended = batch.deal_over & (batch.games["deals_played"] == 0)  # the match too: the next stands at nothing
        assert not batch.games["totals"][ended].any()
        change[ended] = batch.games["score"][ended]
        assert np.array_equal(batch.reward, change[:, 0] - change[:, 1])
        gained += change
    assert np.array_equal(paid, gained[:, 0] - gained[:, 1])
    assert (batch.games["phase"] != DEAL_OVER).all()
