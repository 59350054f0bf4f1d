"""Whether a door grows: a million deals through each, memory and open files counted: `python -m benchmarks.growth`.

Random legal actions; a tenth of the deals warms up, and what the rest adds is told: resident memory (KiB), open files
and Python objects. A door that keeps a few bytes of every deal shows up as megabytes. Linux only, as it reads /proc.
"""

import argparse
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import gymnasium
import numpy as np

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.vector import VectorGames, sample_mask

TABLES: Final = 256
ALLOWED_KIB: Final = 8_192
"""What the allocators may still take after the first tenth: far less than a byte of every deal in every table."""

Deals = Iterator[int]
"""Plays for ever, and says now and then how many deals have been finished since it last said so."""


def aec(make: Callable[..., Any]) -> Deals:
    """The usual loop of an AEC environment, a match of 16 deals after another."""
    env = make(variant="amsterdams")
    choose = Chooser()
    env.reset(seed=1)
    while True:
        for _ in env.agent_iter():
            observation, _, over, cut, _ = env.last()
            env.step(None if over or cut else choose(observation["action_mask"]))
        yield 16
        env.reset()


def parallel(make: Callable[..., Any]) -> Deals:
    """The parallel view: all agents act, and only one of them is heard."""
    env = make(variant="amsterdams")
    choose = Chooser()
    observations, _ = env.reset(seed=1)
    while True:
        while env.agents:
            actions = {agent: choose(observations[agent]["action_mask"]) for agent in env.agents}
            observations, _, _, _, _ = env.step(actions)
        yield 16
        observations, _ = env.reset()


def single() -> Deals:
    """The Gymnasium environment, an episode a deal."""
    env: Any = gymnasium.make("klaverjas_env:Klaverjas-v0")
    choose = Chooser()
    _, info = env.reset(seed=1)
    while True:
        over = False
        while not over:
            _, _, over, _, info = env.step(choose(info["action_mask"]))
        yield 1
        _, info = env.reset()


def gymnasium_vector() -> Deals:
    """The batched Gymnasium environment."""
    envs: Any = gymnasium.make_vec(
        "klaverjas_env:Klaverjas-v0", num_envs=TABLES, vectorization_mode="vector_entry_point"
    )
    draw = np.random.default_rng(1)
    _, infos = envs.reset(seed=1)
    while True:
        _, _, over, _, infos = envs.step(sample_mask(infos["action_mask"], draw.random(TABLES)))
        yield int(over.sum())


def batched() -> Deals:
    """The vector door."""
    batch = VectorGames(TABLES, "amsterdams", seed=1)
    draw = np.random.default_rng(1)
    while True:
        batch.step(batch.random_actions(draw))
        yield int(batch.deal_over.sum())


class Chooser:
    """Random legal actions from a mask int8 [A], cheaply."""

    def __init__(self) -> None:
        self._state = 1

    def __call__(self, mask: np.ndarray) -> int:
        actions = mask.nonzero()[0]
        self._state = (self._state * 6_364_136_223_846_793_005 + 1_442_695_040_888_963_407) & (2**64 - 1)
        return int(actions[(self._state >> 33) % len(actions)])


DOORS: Final[dict[str, Callable[[], Deals]]] = {
    "vector": batched,
    "gymnasium-vector": gymnasium_vector,
    "gymnasium": single,
    "raw_env": lambda: aec(klaverjas_v0.raw_env),
    "env": lambda: aec(klaverjas_v0.env),
    "parallel_env": lambda: parallel(klaverjas_v0.parallel_env),
}


def counted() -> tuple[int, int, int]:
    """Resident memory in KiB, open files, and Python objects."""
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024, len(os.listdir("/proc/self/fd")), len(gc.get_objects())


def growth(door: str, deals: int) -> bool:
    """Play so many deals through a door, print what they added, and say whether that is within bounds."""
    stream = DOORS[door]()
    start = time.perf_counter()
    done = 0
    while done < deals // 10:
        done += next(stream)
    before = counted()
    while done < deals:
        done += next(stream)
    memory, files, objects = (after - was for after, was in zip(counted(), before, strict=True))
    fits = memory <= ALLOWED_KIB and files <= 0 and objects <= 1_000
    sys.stdout.write(
        f"{door}: {done:,} deals in {time.perf_counter() - start:,.0f} s; {memory:+,} KiB, {files:+} files,"
        f" {objects:+} objects: {'holds' if fits else 'GROWS'}\n"
    )
    sys.stdout.flush()
    return fits


def main(arguments: list[str] | None = None) -> int:
    """Measure the doors that were asked for; exit status 1 when one of them grows."""
    parser = argparse.ArgumentParser(prog="benchmarks.growth", description="a million deals through each door")
    parser.add_argument("doors", nargs="*", choices=[*DOORS, []], help="all of them by default")
    parser.add_argument("--deals", type=int, default=1_000_000)
    asked = parser.parse_args(arguments)
    held = [growth(door, asked.deals) for door in asked.doors or DOORS]
    return 0 if all(held) else 1


if __name__ == "__main__":
    raise SystemExit(main())
