"""Our doors beside the environments that people use for card games, in one run: `python -m benchmarks.peers`.

Everyone plays uniformly random legal actions on one core, in turns: each round times every contestant once, and the
table gives medians over the rounds, with the lowest and the highest beside them. What is not installed is named and
left out; `pip install -r benchmarks/requirements/peers.txt` brings all of them. The games differ (bridge has 52 cards,
connect four has none), so a line says what one decision costs, not who is better.
"""

import argparse
import importlib
import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from benchmarks.engine import play_random
from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.game import new

HOUSE: Final = "amsterdams/utrechts"
TABLES: Final = 256
DECISIONS: Final = 3_000
"""Decisions in one timed turn of a contestant in Python."""

Chunk = Callable[[], int]
"""Plays for a while and returns the number of decisions, or of deals, that it took."""


@dataclass
class Contestant:
    """One line of the table."""

    name: str
    what: str
    prepare: Callable[[], Chunk]
    unit: str = "decisions/s"
    speeds: list[float] = field(default_factory=list)
    missing: str = ""


# --- ours ------------------------------------------------------------------------------------------------------------


def aec(make: Callable[[], Any]) -> Chunk:
    """The usual loop of an AEC environment: last, a masked sample, step."""
    env = make()
    draw = random.Random(1)

    def play() -> int:
        steps = 0
        while steps < DECISIONS:
            env.reset(seed=draw.randrange(1 << 30))
            for agent in env.agent_iter():
                observation, _, termination, truncation, info = env.last()
                if termination or truncation:
                    env.step(None)
                    continue
                mask = observation["action_mask"] if isinstance(observation, dict) else info["action_mask"]
                env.step(draw.choice(np.flatnonzero(mask)) if agent else None)
                steps += 1
        return steps

    return play


def batched() -> Chunk:
    """Steps of a batch with observations and masks, the random choice included."""
    batch = VectorGames(TABLES, HOUSE, seed=1)
    rng = np.random.default_rng(1)

    def play() -> int:
        for _ in range(200):
            batch.step(batch.random_actions(rng))
        return 200 * batch.n

    return play


def bare() -> Chunk:
    """Random deals with nothing but the law."""
    games = np.concatenate([new(HOUSE, seed=table) for table in range(TABLES)])

    def play() -> int:
        play_random(games, 100, 1)
        return 100 * len(games)

    return play


# --- theirs ----------------------------------------------------------------------------------------------------------


def pettingzoo_classic(name: str) -> Callable[[], Chunk]:
    """A classic game of PettingZoo through its own `env()`."""
    return lambda: aec(importlib.import_module(f"pettingzoo.classic.{name}").env)


def open_spiel(name: str, tensors: bool) -> Callable[[], Chunk]:
    """A game of OpenSpiel from Python, with or without the tensor that a net would read."""

    def prepare() -> Chunk:
        pyspiel = importlib.import_module("pyspiel")
        game = pyspiel.load_game(name)
        info = game.get_type().provides_information_state_tensor
        draw = random.Random(1)

        def play() -> int:
            steps = 0
            while steps < DECISIONS:
                state = game.new_initial_state()
                while not state.is_terminal():
                    if state.is_chance_node():
                        actions, chances = zip(*state.chance_outcomes(), strict=True)
                        state.apply_action(draw.choices(actions, chances)[0])
                        continue
                    if tensors:
                        np.array(state.information_state_tensor() if info else state.observation_tensor())
                    state.apply_action(draw.choice(state.legal_actions()))
                    steps += 1
            return steps

        return play

    return prepare


def rlcard(name: str) -> Callable[[], Chunk]:
    """A game of RLCard through its own environment, observations included."""

    def prepare() -> Chunk:
        env = importlib.import_module("rlcard").make(name)
        draw = random.Random(1)

        def play() -> int:
            steps = 0
            while steps < DECISIONS:
                state, _ = env.reset()
                while not env.is_over():
                    state, _ = env.step(draw.choice(list(state["legal_actions"])))
                    steps += 1
            return steps

        return play

    return prepare


def pgx(name: str) -> Callable[[], Chunk]:
    """A game of pgx on the CPU: a compiled batch of 1,024, random legal actions and observations."""

    def prepare() -> Chunk:
        jax = importlib.import_module("jax")
        env = importlib.import_module("pgx").make(name)
        restart = importlib.import_module("pgx.experimental.wrappers").auto_reset(env.step, env.init)

        def turn(state: Any, key: Any) -> Any:
            logits = jax.numpy.where(state.legal_action_mask, 0.0, -1e9)
            key, draw, keys = jax.random.split(key, 3)
            actions = jax.random.categorical(draw, logits, axis=-1)
            return jax.vmap(restart)(state, actions, jax.random.split(keys, 1024)), key

        def turns(state: Any, key: Any) -> Any:
            return jax.lax.fori_loop(0, 50, lambda _, both: turn(*both), (state, key))

        run = jax.jit(turns)
        held = [jax.jit(jax.vmap(env.init))(jax.random.split(jax.random.PRNGKey(0), 1024)), jax.random.PRNGKey(1)]

        def play() -> int:
            held[:] = jax.block_until_ready(run(*held))
            return 50 * 1024

        play()
        return play

    return prepare


def colver_env() -> Chunk:
    """Belote contree, the closest relative, from Python with observations."""
    colver = importlib.import_module("colver")
    env = colver.Env()
    draw = random.Random(1)

    def play() -> int:
        steps = 0
        while steps < DECISIONS:
            env.reset()
            while not env.is_terminal():
                env.step(draw.choice(env.legal_actions()))
                steps += 1
        return steps

    return play


def colver_rollout() -> Chunk:
    """Colver's native random playouts of the 32 cards, contract given: Rust, no call into Python."""
    colver = importlib.import_module("colver")
    cards = random.Random(1).sample(range(32), 32)
    env = colver.Env.deal_with_hands(dealer=3, hands=[sorted(cards[8 * seat : 8 * seat + 8]) for seat in range(4)])
    env.set_contract(trump=2, value=110, team=0, coinche=0)
    env.set_phase_playing()

    def play() -> int:
        env.rollout(100_000)
        return 100_000

    return play


CONTESTANTS: Final = (
    Contestant("klaverjas, bare engine", "whole random deals, trump chosen too", bare, "deals/s"),
    Contestant("klaverjas, batch", f"{TABLES} tables with observation and mask", batched),
    Contestant("klaverjas, raw_env", "PettingZoo AEC", lambda: aec(lambda: klaverjas_v0.raw_env(HOUSE, deals=1))),
    Contestant("klaverjas, env", "PettingZoo AEC", lambda: aec(lambda: klaverjas_v0.env(HOUSE, deals=1))),
    Contestant("connect four", "PettingZoo env()", pettingzoo_classic("connect_four_v3")),
    Contestant("texas hold'em", "PettingZoo env()", pettingzoo_classic("texas_holdem_v4")),
    Contestant("hanabi", "PettingZoo env()", pettingzoo_classic("hanabi_v5")),
    *(
        Contestant(f"{name}{', tensor' if tensors else ''}", "OpenSpiel from Python", open_spiel(name, tensors))
        for name in ("euchre", "bridge(use_double_dummy_result=false)", "hearts", "skat")
        for tensors in (False, True)
    ),
    *(Contestant(name, "RLCard", rlcard(name)) for name in ("uno", "doudizhu", "limit-holdem")),
    *(Contestant(name, "pgx on the CPU, batch of 1,024", pgx(name)) for name in ("sparrow_mahjong", "leduc_holdem")),
    Contestant("belote contrée", "colver from Python", colver_env),
    Contestant("belote contrée, playouts", "colver, native, card play alone", colver_rollout, "deals/s"),
)


def measure(contestants: tuple[Contestant, ...], rounds: int) -> None:
    """Time every contestant once a round; the first round only warms up."""
    chunks: list[tuple[Contestant, Chunk]] = []
    for contestant in contestants:
        try:
            chunk = contestant.prepare()
            chunk()
        except Exception as error:  # a peer that is missing or broken must not stop the others
            contestant.missing = f"{type(error).__name__}: {error}".splitlines()[0]
        else:
            chunks.append((contestant, chunk))
    for _ in range(rounds):
        for contestant, chunk in chunks:
            start = time.perf_counter()
            number = chunk()
            contestant.speeds.append(number / (time.perf_counter() - start))


def main(arguments: list[str] | None = None) -> int:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(prog="benchmarks.peers", description="our doors beside other environments")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=[], help="parts of names")
    parser.add_argument("--json", action="store_true")
    asked = parser.parse_args(arguments)
    chosen = tuple(c for c in CONTESTANTS if not asked.only or any(part in c.name for part in asked.only))
    measure(chosen, asked.rounds)
    if asked.json:
        rows = [
            {"name": c.name, "what": c.what, "unit": c.unit, "speeds": c.speeds, "missing": c.missing} for c in chosen
        ]
        sys.stdout.write(json.dumps(rows, indent=2) + "\n")
        return 0
    for c in chosen:
        if c.missing:
            sys.stdout.write(f"| {c.name} | {c.what} | not measured: {c.missing} |\n")
            continue
        low, mid, high = (f"{speed:,.0f}" for speed in (min(c.speeds), statistics.median(c.speeds), max(c.speeds)))
        sys.stdout.write(f"| {c.name} | {c.what} | {mid} {c.unit} ({low} to {high}) |\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
