"""The exact solver against plain minimax, symmetry, budgets, its errors and its command line."""

import os
import random
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

from klaverjas_env.game import CLAIMING, DEAL_OVER, GAME, PLAYING, apply, card_duty, new, set_contract
from klaverjas_env.notation import from_position, position
from klaverjas_env.rules.variant import PRESETS, Variant
from klaverjas_env.solver import NO_VALUE, OBJECTIVES, VALUE, SolverError, new_workspace, solve, solve_many, values
from klaverjas_env.solver.__main__ import main
from klaverjas_env.view import view
from tests.brute import brute, outcome, random_positions
from tests.houses import random_house

ROOT = Path(__file__).parents[1]
WORK = new_workspace()
each_objective = pytest.mark.parametrize("objective", OBJECTIVES)


def deals(house: Variant | str, n: int, seed: int) -> np.ndarray:
    """Deals [n] with a random contract, about to be played."""
    draw = np.random.default_rng(seed)
    games = np.concatenate([new(house, seed=1000 * seed + i) for i in range(n)])
    for game in games:
        set_contract(game, int(draw.integers(4)), int(draw.integers(4)))
    return games


def late(house: Variant | str, n: int, tricks: int, seed: int) -> np.ndarray:
    """Positions [n] with at most `tricks` tricks to go, many in the middle of a trick or at a claim."""
    games = deals(house, n, seed)
    random_positions(games, tricks, seed + 1)
    return games


def value_alone(games: np.ndarray, objective: str, budget: int = 1 << 60) -> np.ndarray:
    """(lower, upper) bounds, int64 [N, 2]."""
    n = len(games)
    bounds = np.zeros((n, 2), dtype=np.int64)
    after = np.zeros((n, 45), dtype=np.int64)
    nodes = np.zeros(n, dtype=np.int64)
    solve_many(games, OBJECTIVES.index(objective), VALUE, WORK, budget, bounds, after, after.copy(), nodes)
    return bounds


def disagreements(games: np.ndarray, objective: str) -> list[str]:
    """The positions in which the solver and plain minimax differ."""
    score = objective == "score"
    expected = np.zeros(len(games), dtype=np.int64)
    after = np.full((len(games), 45), NO_VALUE, dtype=np.int64)
    brute(games, score, expected, after)
    lower, upper = values(games, objective, work=WORK)
    bounds = value_alone(games, objective)
    looked_at = after != NO_VALUE
    good = (bounds == expected[:, None]).all(axis=1)
    good &= ((lower == after) & (upper == after) | ~looked_at).all(axis=1)
    # a claim of just the stuk that counts anyway is a claim of nothing, and left out there
    good &= (~looked_at | (lower != NO_VALUE)).all(axis=1)
    return [position(games[i]) for i in np.flatnonzero(~good)]


# --- equal to plain minimax ------------------------------------------------------------------------------------------


@each_objective
@pytest.mark.parametrize("house", PRESETS)
def test_equals_minimax(house: str, objective: str) -> None:
    assert disagreements(late(house, 12, 3, seed=1), objective) == []
    assert disagreements(late(house, 2, 4, seed=2), objective) == []


@each_objective
def test_equals_minimax_in_any_house(objective: str) -> None:
    draw = random.Random(1)
    for seed in range(12):
        house = random_house(draw)
        assert disagreements(late(house, 8, 3, seed), objective) == [], str(house)


@pytest.mark.slow
@each_objective
@pytest.mark.parametrize("house", PRESETS)
def test_equals_minimax_on_many(house: str, objective: str) -> None:
    assert disagreements(late(house, 1100, 4, seed=3), objective) == []


@pytest.mark.slow
@each_objective
def test_equals_minimax_on_five_tricks(objective: str) -> None:
    for seed, house in enumerate(PRESETS):
        assert disagreements(late(house, 12, 5, seed=seed + 20), objective) == [], house


def test_the_positions_reach_claims_and_the_middle_of_tricks() -> None:
    games = late("nku", 100, 3, seed=1)
    assert {PLAYING, CLAIMING} <= set(games["phase"].tolist())
    assert set((games["n_plays"] & 3).tolist()) == {0, 1, 2, 3}


# --- best play -------------------------------------------------------------------------------------------------------


@each_objective
@pytest.mark.parametrize("house", ["amsterdams", "nku"])
def test_best_play_reaches_the_value(house: str, objective: str) -> None:
    for games in np.split(late(house, 6, 5, seed=5), 6):
        solution = solve(games, objective, work=WORK)
        best = min if games[0].to_act & 1 else max
        assert solution.value == best(solution.cards.values())
        for action in solution.line:
            apply(games[0], action)
        assert games[0].phase == DEAL_OVER
        assert outcome(games[0], objective == "score") == solution.value


# --- symmetry --------------------------------------------------------------------------------------------------------


def renamed(games: np.ndarray, suits: tuple[int, ...], turn: int) -> np.ndarray:
    """Deals with suit s called `suits[s]` and everybody moved `turn` seats to the left."""
    other = games.copy()
    for old, game in zip(games, other, strict=True):
        for seat in range(4):
            hand = sum(((int(old.hands[seat]) >> (8 * s)) & 0xFF) << (8 * suits[s]) for s in range(4))
            game.hands[(seat + turn) & 3] = hand
        game.dealer = (old.dealer + turn) & 3
        set_contract(game, (int(old.declarer) + turn) & 3, suits[int(old.trump)])
    return other


@each_objective
def test_suits_and_seats_may_be_renamed(objective: str) -> None:
    games = deals("rotterdams", 4, seed=6)
    expected = value_alone(games, objective)
    assert (value_alone(renamed(games, (2, 0, 3, 1), 2), objective) == expected).all()
    assert (value_alone(renamed(games, (3, 2, 1, 0), 1), objective) == -expected[:, ::-1]).all()


# --- budgets, threads, processes -------------------------------------------------------------------------------------


@each_objective
def test_bounds_hold_when_the_budget_runs_out(objective: str) -> None:
    games = np.concatenate([deals("amsterdams", 3, seed=7), late("nku", 12, 5, seed=8)])
    exact = value_alone(games, objective)
    lower, upper = values(games, objective, work=WORK)
    assert (exact[:, 0] == exact[:, 1]).all()
    assert (lower == upper).all()
    for budget in (1, 30, 1000, 30_000):
        bounds = value_alone(games, objective, budget)
        assert (bounds[:, 0] <= exact[:, 0]).all()
        assert (bounds[:, 1] >= exact[:, 0]).all()
        low, high = values(games, objective, budget, WORK)
        assert ((low <= lower) & (high >= upper)).all()
    assert solve(games[:1], objective, 30, WORK).value is None


def test_threads_with_their_own_workspaces() -> None:
    games = late("amsterdams", 60, 5, seed=9)
    expected = values(games)[0]
    found: dict[int, np.ndarray] = {}

    def run(half: int) -> None:
        found[half] = values(games[half::2])[0]

    threads = [threading.Thread(target=run, args=(half,)) for half in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((found[half] == expected[half::2]).all() for half in (0, 1))


def test_more_deals_than_the_table_tells_apart() -> None:
    games = np.repeat(late("amsterdams", 5, 2, seed=10), 500)
    low, _ = values(games, work=WORK)
    assert (low.reshape(5, 500, -1) == low.reshape(5, 500, -1)[:, :1]).all()


def test_a_second_process_uses_the_compiled_code() -> None:
    line = position(late("amsterdams", 1, 3, seed=11)[0])
    command = [sys.executable, "-m", "klaverjas_env.solver", line]
    texts = [
        subprocess.run(command, cwd=ROOT, env={**os.environ}, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    ]
    assert texts[0] == texts[1]
    assert "best play" in texts[0]


# --- the command line and errors -------------------------------------------------------------------------------------


def test_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    games = late("nku", 40, 2, seed=12)
    claiming = games[games["phase"] == CLAIMING][:1]
    assert main([position(claiming[0]), "--objective", "score"]) == 0
    assert "roem0:" in capsys.readouterr().out
    with pytest.raises(SystemExit):
        main([position(new("amsterdams")[0])])
    assert "NAMING" in capsys.readouterr().err


def test_errors() -> None:
    with pytest.raises(SolverError, match="NAMING"):
        solve(new("amsterdams"))
    games = deals("amsterdams", 2, seed=13)
    with pytest.raises(SolverError, match="one game"):
        solve(games)
    with pytest.raises(SolverError, match="hidden"):
        solve(view(games[:1], np.zeros(1, dtype=np.int64)))
    with pytest.raises(SolverError, match="objective 'points'"):
        solve(games[:1], "points")
    with pytest.raises(SolverError, match="node_budget=0"):
        solve(games[:1], node_budget=0)
    games["hands"][0, 1] &= games["hands"][0, 1] - 1
    with pytest.raises(SolverError, match="seat 1 holds 7 cards where 8"):
        solve(games[:1])
    games["hands"][1, 1] = games["hands"][1, 0]
    with pytest.raises(SolverError, match="stands elsewhere"):
        solve(games[1:])


def test_cards_within_the_rules_and_true_claims_only() -> None:
    games = late("amsterdams, renege_mode=penalty", 10, 3, seed=14)
    for game in games:
        looked_at = values(game.reshape(1))[0][0] != NO_VALUE
        assert np.flatnonzero(looked_at).tolist() == [card for card in range(32) if card_duty(game)[1] >> card & 1]


def test_the_last_card_of_a_deal() -> None:
    games = late("amsterdams", 20, 1, seed=15)
    last = from_position(position(games[games["n_plays"] == 31][0]))
    assert last.dtype == GAME
    solution = solve(last, "score", work=WORK)
    apply(last[0], solution.line[0])
    assert solution.value == last[0].score[0] - last[0].score[1]
