"""The exact solver on the command line: `python -m klaverjas_env.solver "kj1:..." [--objective score]`."""

import argparse
import sys

from klaverjas_env.notation import NotationError, action_name, from_position
from klaverjas_env.solver import OBJECTIVES, Solution, SolverError, solve


def report(solution: Solution) -> str:
    """Every value, and best play, as text."""
    words = [f"{action_name(action)}:{value:+d}" for action, value in solution.cards.items()]
    bounds = f"{solution.lower:+d}" if solution.value is not None else f"{solution.lower:+d} to {solution.upper:+d}"
    return (
        f"value for south and north: {bounds}\n"
        f"after each action: {' '.join(words) or '-'}\n"
        f"best play: {' '.join(action_name(action) for action in solution.line) or '-'}\n"
        f"nodes: {solution.nodes}\n"
    )


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m klaverjas_env.solver", description="Best play with all hands open."
    )
    parser.add_argument("position", help="one line of notation, while cards are played or roem is claimed")
    parser.add_argument("--objective", choices=OBJECTIVES, default=OBJECTIVES[0], help="difference (default) or score")
    parser.add_argument("--nodes", type=int, help="stop after so many positions and print bounds")
    chosen = parser.parse_args(arguments)
    try:
        solution = solve(from_position(chosen.position), chosen.objective, chosen.nodes)
    except (NotationError, SolverError) as error:
        parser.error(str(error))
    sys.stdout.write(report(solution))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
