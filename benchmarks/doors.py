"""How fast the PettingZoo doors are, beside connect four: `python -m benchmarks.doors [--repeat 5] [--json]`.

Random matches are played once to note their actions; then the loop that everybody writes plays them again with nothing
in it but the environment, so that neither the choice of actions nor a clock in the loop is part of a figure. Only
decisions count as steps, not the removal of dead agents. All doors run in turns, on one core; seconds are those of the
processor, which other jobs on the machine change less than those of the clock.
"""

import argparse
import importlib.util
import json
import platform
import statistics
import sys
import time
import types
from collections.abc import Callable
from typing import Any, Final

import numpy as np
import pettingzoo

from klaverjas_env import klaverjas_v0

STEPS: Final = 5_000
"""Decisions in one measurement."""

Maker = Callable[[], Any]


def noted(env: Any, steps: int) -> list[int | None]:
    """The actions of random matches, legal ones by the masks, None where an agent is taken away."""
    rng = np.random.default_rng(1)
    actions: list[int | None] = []
    decisions = 0
    env.reset(seed=1)
    while decisions < steps:
        for _ in env.agent_iter():
            observation, _, over, cut, _ = env.last()
            action = None if over or cut else int(rng.choice(np.flatnonzero(observation["action_mask"])))
            decisions += action is not None
            actions.append(action)
            env.step(action)
        env.reset()
    return actions


def aec_seconds(env: Any, actions: list[int | None]) -> float:
    """How long the usual loop takes over these actions."""
    todo = iter(actions)
    left = len(actions)
    start = time.process_time()
    env.reset(seed=1)
    while left:
        for _ in env.agent_iter():
            env.last()
            env.step(next(todo))
            left -= 1
        env.reset()
    return time.process_time() - start


def parallel_seconds(env: Any, actions: list[int | None]) -> float:
    """How long the usual parallel loop takes over the decisions among these actions."""
    todo = iter([action for action in actions if action is not None])
    start = time.process_time()
    env.reset(seed=1)
    for action in todo:
        env.step(dict.fromkeys(env.agents, action))
        if not env.agents:
            env.reset()
    return time.process_time() - start


def connect_four() -> tuple[Any, str]:
    """PettingZoo's connect four, and a note on how it was had."""
    note = ""
    if importlib.util.find_spec("pygame") is None:
        # It draws with pygame and imports it at once; it never draws here, so an empty module will do.
        sys.modules["pygame"] = types.ModuleType("pygame")
        note = "pygame is absent; an empty module stands in for it"
    from pettingzoo.classic import connect_four_v3

    return connect_four_v3, note


def measure(repeat: int, steps: int = STEPS) -> tuple[dict[str, list[float]], str]:
    """Steps a second by door, and a note."""
    other, note = connect_four()
    doors: list[tuple[str, Maker, Maker, Callable[[Any, list[int | None]], float]]] = [
        ("klaverjas_v0.raw_env", klaverjas_v0.raw_env, klaverjas_v0.raw_env, aec_seconds),
        ("klaverjas_v0.env", klaverjas_v0.env, klaverjas_v0.raw_env, aec_seconds),
        ("klaverjas_v0.parallel_env", klaverjas_v0.parallel_env, klaverjas_v0.raw_env, parallel_seconds),
        ("connect_four_v3.raw_env", other.raw_env, other.raw_env, aec_seconds),
        ("connect_four_v3.env", other.env, other.raw_env, aec_seconds),
    ]
    scripts = [noted(find(), steps) for _, _, find, _ in doors]
    per_second: dict[str, list[float]] = {name: [] for name, *_ in doors}
    for _ in range(repeat):
        for (name, make, _, seconds), actions in zip(doors, scripts, strict=True):
            decisions = sum(action is not None for action in actions)
            per_second[name].append(decisions / seconds(make(), actions))
    return per_second, note


def main() -> None:
    """Measure everything and print it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5, help="how often each figure is measured (5)")
    parser.add_argument("--json", action="store_true", help="print JSON in place of a table")
    options = parser.parse_args()
    if options.repeat < 1:
        parser.error(f"--repeat {options.repeat}: at least one")
    per_second, note = measure(options.repeat)
    if options.json:
        print(json.dumps({"steps_per_second": per_second, "note": note}, indent=1))
        return
    print(f"Python {platform.python_version()}, numpy {np.__version__}, PettingZoo {pettingzoo.__version__}; {note}")
    print(f"{'steps/s':<28} {'median':>10} {'lowest':>10} {'highest':>10}")
    for name, values in per_second.items():
        print(f"{name:<28} {statistics.median(values):>10,.0f} {min(values):>10,.0f} {max(values):>10,.0f}")
    for ours, theirs in (("env", "env"), ("raw_env", "raw_env")):
        pairs = zip(per_second[f"klaverjas_v0.{ours}"], per_second[f"connect_four_v3.{theirs}"], strict=True)
        print(f"{ours} over that of connect four: {statistics.median(one / two for one, two in pairs):.1f} times")


if __name__ == "__main__":
    main()
