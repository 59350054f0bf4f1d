"""Where the time of a training update goes: `python -m benchmarks.training [--updates 5] [--json]`.

"Outside the net" is all but the forward passes of actor and critic and the gradient steps: the game, observations,
copies, sampling, advantages and shuffling.
"""

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from klaverjas_env.envs.vector import VectorGames
from training.config import Config
from training.model import Actor, Critic
from training.ppo import Trainer

PARTS = ("game", "forward", "gradient", "rest")


class Clock:
    """Adds up the seconds spent in wrapped functions, by part."""

    def __init__(self) -> None:
        self.seconds = dict.fromkeys(PARTS, 0.0)
        self._inside = False

    def wrap(self, owner: type, name: str, part: str) -> None:
        """Time every outermost call of a method."""
        function: Callable[..., Any] = getattr(owner, name)

        def timed(*arguments: Any, **named: Any) -> Any:
            if self._inside:
                return function(*arguments, **named)
            self._inside = True
            begun = time.perf_counter()
            try:
                return function(*arguments, **named)
            finally:
                self.seconds[part] += time.perf_counter() - begun
                self._inside = False

        setattr(owner, name, timed)


def measure(updates: int, config: Config) -> dict[str, float]:
    """Medians over `updates`: share of each part, and decisions a second."""
    clock = Clock()
    clock.wrap(VectorGames, "step", "game")
    clock.wrap(Actor, "forward", "forward")
    clock.wrap(Critic, "forward", "forward")
    clock.wrap(Trainer, "gradient_step", "gradient")
    trainer = Trainer(config)
    trainer.train_one_update()
    rows: list[dict[str, float]] = []
    for _ in range(updates):
        clock.seconds = dict.fromkeys(PARTS, 0.0)
        begun = time.perf_counter()
        trainer.train_one_update()
        total = time.perf_counter() - begun
        clock.seconds["rest"] = total - sum(clock.seconds.values())
        row = {part: seconds / total for part, seconds in clock.seconds.items()}
        rows.append(row | {"outside_the_net": row["game"] + row["rest"], "decisions_per_second": config.batch / total})
    return {name: statistics.median(row[name] for row in rows) for name in rows[0]}


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description=__doc__)
    parser.add_argument("--updates", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    medians = measure(chosen.updates, Config())
    if chosen.json:
        print(json.dumps(medians))
        return 0
    for name, value in medians.items():
        print(f"{name:22}{value:12,.0f}" if name == "decisions_per_second" else f"{name:22}{value:12.1%}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
