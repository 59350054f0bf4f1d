"""How strong one bot is against another: `python -m training.evaluate A B`.

Every deal is played twice with the seats swapped, and the unit is the pair: the mean over both seatings of the points
of A minus those of B. Single deals differ by some 125 points, pairs by about 60, so the interval comes from pairs.
"""

import argparse
import dataclasses
import json
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from klaverjas_env.bots import BASELINES, Bot, BotError, make_bot
from klaverjas_env.envs.vector import play_forced, set_random_contract
from klaverjas_env.game import DEAL_OVER, GAME, apply, start_deal
from klaverjas_env.jit import jit
from klaverjas_env.rules.scoring import Pit
from klaverjas_env.rules.variant import Variant, VariantError
from klaverjas_env.view import view

CONTRACTS = ("bid", "random")
"""How the contract comes about: the bots choose trump, or declarer and trump are drawn."""
BATCH = 4096
"""Deals side by side; has no influence on the result."""


@dataclass(frozen=True)
class Side:
    """What one bot did, as shares and points over all its deals."""

    nat: float
    """Share of its deals as playing side that were nat."""
    pit: float
    """Pits (tegenpits included) a deal."""
    roem: float
    """Roem a deal."""
    playing: float
    """Share of deals in which it was the playing side."""


@dataclass(frozen=True)
class Result:
    """A measured against B."""

    a: str
    b: str
    points_per_deal: float
    """Mean over pairs of (points of A - points of B) a deal."""
    ci95: float
    """Half the width of the 95 % interval of `points_per_deal`."""
    pairs: int
    seed: int
    variant: str
    rules_hash: str
    contract: str
    side_a: Side
    side_b: Side
    seconds: float

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
) -> Result:
    """Play `pairs` deals in both seatings. Bots may be given by name or path. Raises ValueError for bad arguments."""
    if pairs < 2:
        raise ValueError(f"pairs={pairs}: an interval needs at least 2 pairs")
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed={seed}: a seed is a whole number from 0 to 2^63 - 1")
    if contract not in CONTRACTS:
        raise ValueError(f"contract={contract!r} is not one of {', '.join(CONTRACTS)}")
    begun = time.monotonic()
    house = Variant.of(variant)
    bot_a, bot_b = _bot(a, seed), _bot(b, seed + 1)
    games = [
        np.concatenate([played for _, played in _batches(seats, house, pairs, seed, contract)])
        for seats in ((bot_a, bot_b), (bot_b, bot_a))
    ]
    difference = _team_difference(games[0]) / 2 - _team_difference(games[1]) / 2
    return Result(
        a=bot_a.name,
        b=bot_b.name,
        points_per_deal=float(difference.mean()),
        ci95=float(1.96 * difference.std(ddof=1) / np.sqrt(pairs)),
        pairs=pairs,
        seed=seed,
        variant=str(house),
        rules_hash=house.rules_hash,
        contract=contract,
        side_a=_side(games, (0, 1)),
        side_b=_side(games, (1, 0)),
        seconds=time.monotonic() - begun,
    )


def play_deals(south_north: Bot, west_east: Bot, games: np.ndarray) -> None:
    """Play `games` [N] to the end of their deals, in place; the bots see views only and are never asked where there is
    no choice."""
    while True:
        going_on = np.flatnonzero(games["phase"] != DEAL_OVER)
        if len(going_on) == 0:
            return
        team = games["to_act"][going_on] & 1
        for bot, places in ((south_north, going_on[team == 0]), (west_east, going_on[team == 1])):
            if len(places) > 0:
                views = view(games[places], games["to_act"][places])
                _apply_each(games, places, bot.act_many(views))


def deals(variant: Variant, first: int, n: int, seed: int, contract: str) -> np.ndarray:
    """The deals `first`, `first` + 1, ... of a seed, `GAME` [n], forced actions taken; the dealer goes round."""
    games = np.zeros(n, dtype=GAME)
    games["rules"] = variant.record()
    games["seed"] = seed
    games["deal_number"] = np.arange(first, first + n)
    games["dealer"] = games["deal_number"] & 3
    _open_each(games, contract == "random")
    return games


def _batches(seats: tuple[Bot, Bot], variant: Variant, pairs: int, seed: int, contract: str) -> Any:
    for first in range(0, pairs, BATCH):
        games = deals(variant, first, min(BATCH, pairs - first), seed, contract)
        play_deals(*seats, games)
        yield first, games


def _bot(bot: Bot | str, seed: int) -> Bot:
    """A bot from its name or path; checkpoints need torch and are read here."""
    if isinstance(bot, Bot):
        return bot
    if bot in BASELINES or bot.endswith(".onnx") or not Path(bot).exists():
        return make_bot(bot, seed)
    from training.checkpoint import load_bot

    return load_bot(bot)


def _team_difference(games: np.ndarray) -> np.ndarray:
    difference: np.ndarray = games["score"][:, 0] - games["score"][:, 1]
    return difference


def _side(games: list[np.ndarray], teams: tuple[int, int]) -> Side:
    """The figures of the bot that sat as team `teams[i]` in `games[i]`."""
    playing = [batch["declarer"] & 1 == team for batch, team in zip(games, teams, strict=True)]
    nat = [batch["nat"][mine] for batch, mine in zip(games, playing, strict=True)]
    pit = [
        batch["pit"] == np.where(mine, int(Pit.PLAYING), int(Pit.DEFENDING))
        for batch, mine in zip(games, playing, strict=True)
    ]
    roem = [batch["roem"][:, team] for batch, team in zip(games, teams, strict=True)]
    played = np.concatenate(nat)
    return Side(
        nat=float(played.mean()) if len(played) else 0.0,
        pit=float(np.concatenate(pit).mean()),
        roem=float(np.concatenate(roem).mean()),
        playing=float(np.concatenate(playing).mean()),
    )


@jit
def _open_each(games: np.ndarray, random_contract: bool) -> None:
    for i in range(len(games)):
        game = games[i]
        start_deal(game)
        if random_contract:
            set_random_contract(game)
        play_forced(game)


@jit
def _apply_each(games: np.ndarray, places: np.ndarray, actions: np.ndarray) -> None:
    for i in range(len(places)):
        game = games[places[i]]
        apply(game, actions[i])
        play_forced(game)


def table(result: Result) -> str:
    """The result for reading."""
    lines = [
        f"{result.a} against {result.b}: {result.points_per_deal:+.2f} ± {result.ci95:.2f} points a deal",
        f"{result.pairs} seat-swapped pairs, seed {result.seed}, {result.variant}, contract {result.contract},"
        f" {result.seconds:.1f} s",
        "",
        f"{'':24}{'nat':>8}{'pit':>8}{'roem':>8}{'plays':>8}",
    ]
    for name, side in ((result.a, result.side_a), (result.b, result.side_b)):
        shares = f"{side.nat:8.1%}{side.pit:8.1%}{side.roem:8.1f}{side.playing:8.1%}"
        lines.append(f"{name[-24:]:24}{shares}")
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.evaluate", description="Measure bot A against bot B.")
    parser.add_argument("a", help="random, greedy, lennard, an exported .onnx, a checkpoint or the folder of a run")
    parser.add_argument("b", help="its opponent, likewise")
    parser.add_argument("--pairs", type=int, default=1000, help="deals, each played in both seatings (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")
    parser.add_argument("--variant", default="amsterdams", help='house rules (default "amsterdams")')
    parser.add_argument("--contract", default="bid", help="bid: the bots choose trump; random: it is drawn")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    chosen = parser.parse_args(arguments)
    try:
        result = evaluate(chosen.a, chosen.b, chosen.pairs, chosen.seed, chosen.variant, chosen.contract)
    except (ValueError, BotError, VariantError) as error:
        print(f"training.evaluate: {error}", file=sys.stderr)
        return 2
    print(json.dumps(dataclasses.asdict(result)) if chosen.json else table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
