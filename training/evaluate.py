"""How strong one bot is against another: `python -m training.evaluate A B`.

Every deal is played twice with the seats swapped, and the unit is the pair: the mean over both seatings of the points
of A minus those of B. `python -m training.ladder` does the same for many bots.
"""

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from klaverjas_env.bots import Bot
from klaverjas_env.rules.variant import Variant
from training.contracts import CONTRACTS, contract_name
from training.duels import A, B, open_bot, play_duel
from training.figures import Chance, Estimate, Side, boompje, estimate, pair_margins, role_gains, side_of

BATCH = 4096
"""Deals side by side; has no influence on the result."""


@dataclass(frozen=True)
class Result:
    """A measured against B."""

    a: str
    b: str
    points_per_deal: float
    """Mean over pairs of (points of A - points of B) a deal."""
    ci95: float
    """Half the width of the 95 % interval of `points_per_deal`."""
    boompje: Chance
    """The chance that A wins a boompje of 16 deals."""
    pairs: int
    deals: int
    """Deals played: two a pair."""
    seed: int
    variant: str
    rules_hash: str
    contract: str
    """How the contract came about: a name of `CONTRACTS`."""
    side_a: Side
    side_b: Side
    roles_a: Mapping[str, Estimate] | None
    """What A gains in each role at a table of B's, where roles were asked for."""
    roles_b: Mapping[str, Estimate] | None
    decisions: int
    """How often a bot was asked: forced plays are not."""
    decisions_per_second: float
    seconds: float
    seconds_per_decision: list[float]
    """How long A and B thought about one, asked in batches."""

    def summary(self) -> dict[str, Any]:
        """The figures that go into a bot's card."""
        return {
            "points_per_deal": round(self.points_per_deal, 2),
            "ci95": round(self.ci95, 2),
            "pairs": self.pairs,
            "seed": self.seed,
            "variant": self.variant,
            "contract": self.contract,
        }


def evaluate(
    a: Bot | str,
    b: Bot | str,
    pairs: int = 1000,
    seed: int = 0,
    variant: str | Variant | None = None,
    contract: str = "bid",
    batch: int = BATCH,
    roles: bool = False,
) -> Result:
    """Play `pairs` deals in both seatings. Bots may be given by name or path. Raises ValueError for bad arguments."""
    if pairs < 2:
        raise ValueError(f"pairs={pairs}: an interval needs at least 2 pairs")
    check_settings(seed, contract, roles)
    house = Variant.of(variant)
    # Two random players with one seed would play alike.
    bots = (_bot(a, seed), _bot(b, seed ^ 1 if a == b else seed))
    play_duel(bots, house, 0, 1, seed, contract)  # so that nothing is compiled on the clock
    begun = time.monotonic()
    duels = [
        play_duel(bots, house, first, min(batch, pairs - first), seed, contract, roles)
        for first in range(0, pairs, batch)
    ]
    seconds = time.monotonic() - begun
    rows = np.concatenate([duel.rows for duel in duels])
    asked = [sum(duel.asked[bot] for duel in duels) for bot in (A, B)]
    thought = [sum(duel.seconds[bot] for duel in duels) for bot in (A, B)]
    margin = estimate(pair_margins(rows))
    return Result(
        a=bots[A].name,
        b=bots[B].name,
        points_per_deal=margin.mean,
        ci95=margin.ci95,
        boompje=boompje(rows),
        pairs=pairs,
        deals=2 * pairs,
        seed=seed,
        variant=str(house),
        rules_hash=house.rules_hash,
        contract=contract_name(contract),
        side_a=side_of(rows, A),
        side_b=side_of(rows, B),
        roles_a=role_gains(rows, A) if roles else None,
        roles_b=role_gains(rows, B) if roles else None,
        decisions=sum(asked),
        decisions_per_second=sum(asked) / seconds,
        seconds=seconds,
        seconds_per_decision=[thought[bot] / max(asked[bot], 1) for bot in (A, B)],
    )


def check_settings(seed: int, contract: str, roles: bool) -> None:
    """Raise ValueError for a seed, a contract, or roles under bidding, that will not do."""
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed={seed}: a seed is a whole number from 0 to 2^63 - 1")
    if contract_name(contract) == "bid" and roles:
        raise ValueError("roles need a contract that is given; add --contract chooser or --contract random")


def _bot(bot: Bot | str, seed: int) -> Bot:
    return bot if isinstance(bot, Bot) else open_bot(bot, seed)


def table(result: Result) -> str:
    """The result for reading."""
    lines = [
        f"{result.a} against {result.b}: {result.points_per_deal:+.2f} ± {result.ci95:.2f} points a deal,"
        f" wins {result.boompje} of boompjes",
        f"{result.pairs} seat-swapped pairs, seed {result.seed}, {result.variant}, contract {result.contract},"
        f" {result.seconds:.1f} s, {result.decisions_per_second:,.0f} decisions/s",
        "",
        f"{'':24}{'plays':>8}{'scores':>8}{'nat':>8}{'pit':>8}{'defends':>9}{'nat given':>11}{'tegenpit':>10}"
        f"{'roem':>7}{'time':>10}",
    ]
    for name, side, seconds in zip(
        (result.a, result.b), (result.side_a, result.side_b), result.seconds_per_decision, strict=True
    ):
        lines.append(
            f"{name[-24:]:24}{side.playing:8.1%}{side.points_playing:+8.1f}{side.nat:8.1%}{side.pit:8.1%}"
            f"{side.points_defending:+9.1f}{side.nat_given:11.1%}{side.counter_pit:10.1%}{side.roem:7.1f}"
            f"{duration(seconds):>10}"
        )
    for name, other, roles in ((result.a, result.b, result.roles_a), (result.b, result.a, result.roles_b)):
        if roles is not None:
            gains = ", ".join(f"{role} {gain}" for role, gain in roles.items())
            lines.append(f"{name} in one role among {other}: {gains}")
    return "\n".join(lines)


def duration(seconds: float) -> str:
    """A time in the unit that reads best."""
    for unit, size in (("s", 1.0), ("ms", 1e-3)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}"
    return f"{seconds / 1e-6:.3g} µs"


class Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as the rest of a command does."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"{self.prog.removeprefix('python -m ')}: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = Parser(prog="python -m training.evaluate", description="Measure bot A against bot B.")
    parser.add_argument("a", help="a bot's name, an exported .onnx, a checkpoint or the folder of a run")
    parser.add_argument("b", help="its opponent, likewise")
    parser.add_argument("--pairs", type=int, default=1000, help="deals, each played in both seatings (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")
    parser.add_argument("--variant", default="amsterdams", help='house rules (default "amsterdams")')
    parser.add_argument("--contract", default="bid", help=CONTRACT_HELP)
    parser.add_argument("--roles", action="store_true", help=ROLES_HELP)
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    chosen = parser.parse_args(arguments)
    try:
        result = evaluate(
            chosen.a, chosen.b, chosen.pairs, chosen.seed, chosen.variant, chosen.contract, roles=chosen.roles
        )
    except (ValueError, OSError) as error:  # VariantError, BotError and CheckpointError are ValueErrors
        print(f"training.evaluate: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    print(json.dumps(dataclasses.asdict(result)) if chosen.json else table(result))
    return 0


CONTRACT_HELP = (
    f"{', '.join(CONTRACTS)}: the bots choose trump, the strongest hand declares its best suit, or it is drawn (default"
    " bid)"
)
ROLES_HELP = "also measure each bot as declarer, as partner and as defenders alone; four times the work"


if __name__ == "__main__":
    sys.exit(main())
