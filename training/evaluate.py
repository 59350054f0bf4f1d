"""How strong one bot is against another: `python -m training.evaluate A B`.

Every deal is played twice with the seats swapped, and the unit is the pair: the mean over both seatings of the points
of A minus those of B. Single deals differ by some 125 points, pairs by about 60, so the interval comes from pairs.
"""

import argparse
import dataclasses
import json
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from klaverjas_env.bots import BASELINES, Bot, make_bot
from klaverjas_env.envs.vector import play_forced, set_random_contract
from klaverjas_env.game import DEAL_OVER, GAME, N_ACTIONS, PASSED_OUT, apply, legal, next_deal, start_deal
from klaverjas_env.jit import jit
from klaverjas_env.rules.scoring import Pit
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import view

CONTRACTS = ("bid", "random")
"""How the contract comes about: the bots choose trump, or declarer and trump are drawn."""
BATCH = 4096
"""Deals side by side; has no influence on the result of a bot whose answer depends on the view alone."""


@dataclass(frozen=True)
class Side:
    """What one bot did over all its deals; a share of no deals at all is 0."""

    nat: float
    """Share of its deals as playing side that were nat."""
    pit: float
    """Share of its deals as playing side in which it took all tricks."""
    counter_pit: float
    """Share of its deals as defenders in which it took all tricks (tegenpit)."""
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
    deals: int
    """Deals played: two a pair."""
    seed: int
    variant: str
    rules_hash: str
    contract: str
    side_a: Side
    side_b: Side
    decisions: int
    """How often a bot was asked: forced plays are not."""
    decisions_per_second: float
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
    batch: int = BATCH,
) -> Result:
    """Play `pairs` deals in both seatings. Bots may be given by name or path. Raises ValueError for bad arguments."""
    if pairs < 2:
        raise ValueError(f"pairs={pairs}: an interval needs at least 2 pairs")
    if not 0 <= seed < 2**63:
        raise ValueError(f"seed={seed}: a seed is a whole number from 0 to 2^63 - 1")
    if contract not in CONTRACTS:
        raise ValueError(f"contract={contract!r} is not one of {', '.join(CONTRACTS)}")
    house = Variant.of(variant)
    bot_a = _bot(a, seed)
    # Two random players with one seed would play alike.
    bot_b = _bot(b, seed ^ 1 if a == b else seed)
    begun = time.monotonic()
    differences = np.zeros(pairs)
    tallies = np.zeros((2, len(_TALLY)), dtype=np.int64)
    decisions = 0
    for first in range(0, pairs, batch):
        dealt = deals(house, first, min(batch, pairs - first), seed, contract)
        for team_of_a, seats in ((0, (bot_a, bot_b)), (1, (bot_b, bot_a))):
            games = dealt.copy()
            decisions += play_deals(*seats, games)
            score = games["score"]
            differences[first : first + batch] += (score[:, team_of_a] - score[:, 1 - team_of_a]) / 2
            tallies += [_tally(games, team_of_a), _tally(games, 1 - team_of_a)]
    seconds = time.monotonic() - begun
    return Result(
        a=bot_a.name,
        b=bot_b.name,
        points_per_deal=float(differences.mean()),
        ci95=float(1.96 * differences.std(ddof=1) / np.sqrt(pairs)),
        pairs=pairs,
        deals=2 * pairs,
        seed=seed,
        variant=str(house),
        rules_hash=house.rules_hash,
        contract=contract,
        side_a=_side(tallies[0], 2 * pairs),
        side_b=_side(tallies[1], 2 * pairs),
        decisions=decisions,
        decisions_per_second=decisions / seconds,
        seconds=seconds,
    )


def play_deals(south_north: Bot, west_east: Bot, games: np.ndarray) -> int:
    """Play `games` [N] to the end of their deals, in place, and return how often a bot was asked.

    The bots see views only, but for yardsticks that see all, and are never asked where there is no choice. Raises
    ValueError for an illegal action.
    """
    asked = 0
    while True:
        going_on = np.flatnonzero(games["phase"] != DEAL_OVER)  # what is passed out is dealt again at once
        if len(going_on) == 0:
            return asked
        asked += len(going_on)
        team = games["to_act"][going_on] & 1
        for bot, places in ((south_north, going_on[team == 0]), (west_east, going_on[team == 1])):
            if len(places) > 0:
                _act(bot, games, places)


def _act(bot: Bot, games: np.ndarray, places: np.ndarray) -> None:
    """One decision of `bot` in each of the games at `places`, then what is forced."""
    seats = games["to_act"][places]
    shown = games[places] if bot.sees_all else view(games[places], seats)
    actions = np.asarray(bot.act_many(shown), dtype=np.int64)
    if actions.shape != places.shape:
        raise ValueError(f"bot {bot.name}: answered {len(places)} views with actions of shape {actions.shape}")
    wrong = _apply_each(games, places, actions)
    if wrong >= 0:
        deal = games["deal_number"][places[wrong]]
        raise ValueError(f"bot {bot.name}: action {actions[wrong]} of seat {seats[wrong]} in deal {deal} is not legal")


def deals(variant: Variant, first: int, n: int, seed: int, contract: str) -> np.ndarray:
    """The deals `first`, `first` + 1, ... of a seed, `GAME` [n], forced actions taken; the dealer goes round, and each
    stands in its place of a match, as the first deal may have rules of its own (R2.10)."""
    games = np.zeros(n, dtype=GAME)
    games["rules"] = variant.record()
    games["seed"] = seed
    games["deal_number"] = np.arange(first, first + n)
    games["dealer"] = games["deal_number"] & 3
    games["deals_played"] = games["deal_number"] % variant.deals
    _open_each(games, contract == "random")
    return games


def _bot(bot: Bot | str, seed: int) -> Bot:
    """A bot from its name or path; checkpoints need torch and are read here."""
    if isinstance(bot, Bot):
        return bot
    if bot in BASELINES or bot.endswith(".onnx") or not (bot.endswith(".pt") or Path(bot).exists()):
        return make_bot(bot, seed)
    from training.checkpoint import load_bot

    return load_bot(bot)


_TALLY = ("playing", "nat", "pit", "counter_pit", "roem")


def _tally(games: np.ndarray, team: int) -> list[int]:
    """The counts of `_TALLY` for one team over finished deals."""
    playing = games["declarer"] & 1 == team
    return [
        int(playing.sum()),
        int(games["nat"][playing].sum()),
        int((games["pit"][playing] == int(Pit.PLAYING)).sum()),
        int((games["pit"][~playing] == int(Pit.DEFENDING)).sum()),
        int(games["roem"][:, team].sum()),
    ]


def _side(tally: np.ndarray, deals_played: int) -> Side:
    """Counts as shares."""
    playing, nat, pit, counter_pit, roem = (int(number) for number in tally)
    return Side(
        nat=nat / max(playing, 1),
        pit=pit / max(playing, 1),
        counter_pit=counter_pit / max(deals_played - playing, 1),
        roem=roem / deals_played,
        playing=playing / deals_played,
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
def _apply_each(games: np.ndarray, places: np.ndarray, actions: np.ndarray) -> int:
    """Take the actions [N] and then what is forced; the first illegal one stops everything, and its place is returned,
    else -1."""
    for i in range(len(places)):
        if actions[i] < 0 or actions[i] >= N_ACTIONS or (legal(games[places[i]]) >> actions[i]) & 1 == 0:
            return i
    for i in range(len(places)):
        game = games[places[i]]
        apply(game, actions[i])
        play_forced(game)
        while game.phase == PASSED_OUT:
            next_deal(game)
            play_forced(game)
    return -1


def table(result: Result) -> str:
    """The result for reading."""
    lines = [
        f"{result.a} against {result.b}: {result.points_per_deal:+.2f} ± {result.ci95:.2f} points a deal",
        f"{result.pairs} seat-swapped pairs, seed {result.seed}, {result.variant}, contract {result.contract},"
        f" {result.seconds:.1f} s, {result.decisions_per_second:,.0f} decisions/s",
        "",
        f"{'':24}{'nat':>8}{'pit':>8}{'tegenpit':>10}{'roem':>8}{'plays':>8}",
    ]
    for name, side in ((result.a, result.side_a), (result.b, result.side_b)):
        shares = f"{side.nat:8.1%}{side.pit:8.1%}{side.counter_pit:10.1%}{side.roem:8.1f}{side.playing:8.1%}"
        lines.append(f"{name[-24:]:24}{shares}")
    return "\n".join(lines)


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line, as the rest of the command does."""

    def error(self, message: str) -> NoReturn:
        self.exit(2, f"training.evaluate: {message}\n")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = _Parser(prog="python -m training.evaluate", description="Measure bot A against bot B.")
    parser.add_argument(
        "a", help="random, greedy, lennard, pimc-N, ismcts-N, cheat, an exported .onnx, a checkpoint or a run's folder"
    )
    parser.add_argument("b", help="its opponent, likewise")
    parser.add_argument("--pairs", type=int, default=1000, help="deals, each played in both seatings (default 1000)")
    parser.add_argument("--seed", type=int, default=0, help="seed of the deals (default 0)")
    parser.add_argument("--variant", default="amsterdams", help='house rules (default "amsterdams")')
    parser.add_argument("--contract", default="bid", help="bid: the bots choose trump; random: it is drawn")
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of the table")
    chosen = parser.parse_args(arguments)
    try:
        result = evaluate(chosen.a, chosen.b, chosen.pairs, chosen.seed, chosen.variant, chosen.contract)
    except (ValueError, OSError) as error:  # VariantError, BotError and CheckpointError are ValueErrors
        print(f"training.evaluate: {' '.join(str(error).split())}", file=sys.stderr)
        return 2
    print(json.dumps(dataclasses.asdict(result)) if chosen.json else table(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
