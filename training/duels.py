"""One bot against another on the same deals, each played in both seatings: the one way in which games are measured.

A row of the result holds what happened in one deal and depends on the seed, the number of the deal and the two bots
alone: not on which deals were played beside it, in what order, on how many cores, or when somebody stopped.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from klaverjas_env.bots import BASELINES, Bot, make_bot
from klaverjas_env.envs.vector import play_forced
from klaverjas_env.game import DEAL_OVER, N_ACTIONS, PASSED_OUT, apply, legal, next_deal
from klaverjas_env.jit import jit
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import view
from training.contracts import deals

A: Final = 0
B: Final = 1

PAIR: Final = np.dtype(
    [
        ("deal", np.int64),  # its number in the stream of the seed
        ("score", np.int16, (2, 2)),  # by [seating, bot]
        ("roem", np.int16, (2, 2)),  # by [seating, bot]
        ("playing", np.int8, (2,)),  # which bot was the playing side, by seating
        ("nat", np.int8, (2,)),  # by seating
        ("pit", np.int8, (2,)),  # Pit, by seating
        ("roles", np.int16, (2, 3)),  # by [bot, table]; zero unless roles were asked for
    ]
)
"""What happened in one deal. In seating 0 the bot A has south and north, in seating 1 west and east.

`roles` holds (playing side - defenders) at tables where a bot sits among three or four of the other: four of the other,
the bot as declarer, the bot as partner.
"""

SEATINGS: Final = ((A, B), (B, A))
"""The bots of south/north and west/east in the two seatings."""


@dataclass(frozen=True)
class Duel:
    """The deals of one stretch, played."""

    rows: np.ndarray
    """`PAIR` [N]."""
    asked: tuple[int, int]
    """How often each bot had a choice to make."""
    seconds: tuple[float, float]
    """How long each bot thought."""


def play_duel(
    bots: tuple[Bot, Bot], variant: Variant, first: int, n: int, seed: int, contract: str, roles: bool = False
) -> Duel:
    """The deals `first` ... `first` + `n` - 1 in both seatings; with `roles`, six more tables of each deal.

    Roles need a contract that is given: by bidding, nobody is the declarer before the cards are played.
    """
    dealt = deals(variant, first, n, seed, contract)
    seated = [_by_team(dealt, *seating) for seating in SEATINGS]
    if roles:
        seated += [_among_others(dealt, bot, role) for bot in (A, B) for role in range(3)]
    games = np.tile(dealt, len(seated))
    asked, seconds = play_tables(bots, np.concatenate(seated), games)
    tables = games.reshape(len(seated), n)
    rows = np.zeros(n, dtype=PAIR)
    rows["deal"] = np.arange(first, first + n)
    for seating, teams in enumerate(SEATINGS):
        table = tables[seating]
        for team, bot in enumerate(teams):
            rows["score"][:, seating, bot] = table["score"][:, team]
            rows["roem"][:, seating, bot] = table["roem"][:, team]
        rows["playing"][:, seating] = np.take(teams, table["declarer"] & 1)
        rows["nat"][:, seating] = table["nat"]
        rows["pit"][:, seating] = table["pit"]
    for place, table in enumerate(tables[2:]):
        team = table["declarer"] & 1
        each = np.arange(n)
        rows["roles"][:, place // 3, place % 3] = table["score"][each, team] - table["score"][each, 1 - team]
    return Duel(rows, (int(asked[A]), int(asked[B])), (float(seconds[A]), float(seconds[B])))


def _by_team(dealt: np.ndarray, south_north: int, west_east: int) -> np.ndarray:
    """Which bot sits where when each has a side: int8 [N, 4]."""
    return np.tile(np.array([south_north, west_east] * 2, dtype=np.int8), (len(dealt), 1))


def _among_others(dealt: np.ndarray, bot: int, role: int) -> np.ndarray:
    """Which bot sits where when `bot` has one seat, or none, among the other: int8 [N, 4].

    `role` 0: none; 1: the declarer's; 2: its partner's.
    """
    seated = np.full((len(dealt), 4), 1 - bot, dtype=np.int8)
    if role > 0:
        seated[np.arange(len(dealt)), (dealt["declarer"] + 2 * (role - 1)) & 3] = bot
    return seated


MOST_DECISIONS: Final = 5_000
"""Decisions at a table, of which a deal takes some sixty, after which its bots are not expected to choose trump."""


def play_deals(south_north: Bot, west_east: Bot, games: np.ndarray) -> int:
    """Play `games`, `GAME` [N], to the end of their deals, in place, and return how often a bot was asked."""
    return int(play_tables((south_north, west_east), _by_team(games, 0, 1), games)[0].sum())


def play_tables(bots: Sequence[Bot], seated: np.ndarray, games: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Play `games`, `GAME` [N], to the end of their deals, in place; `seated` int8 [N, 4] is the bot at each seat.

    The bots see views only, unless they say that they see all, and are never asked where there is no choice. Returns
    how often each bot was asked, int64 [bots], and for how many seconds it thought, float64 [bots]. Raises ValueError
    for an illegal action, and for bots that never choose trump where the cards are dealt again when all pass.
    """
    asked = np.zeros(len(bots), dtype=np.int64)
    seconds = np.zeros(len(bots))
    for _ in range(MOST_DECISIONS):
        going_on = np.flatnonzero(games["phase"] != DEAL_OVER)  # what is passed out is dealt again at once
        if len(going_on) == 0:
            return asked, seconds
        turn = seated[going_on, games["to_act"][going_on]]
        for number, bot in enumerate(bots):
            places = going_on[turn == number]
            if len(places) > 0:
                asked[number] += len(places)
                seconds[number] += _act(bot, games, places)
    names = " and ".join(sorted({bot.name for bot in bots}))
    raise ValueError(f"{names} pass out every deal under {Variant.from_record(games[0].rules)}; give them a contract")


def _act(bot: Bot, games: np.ndarray, places: np.ndarray) -> float:
    """One decision of `bot` in each of the games at `places`, then what is forced; returns its seconds."""
    seats = games["to_act"][places]
    shown = games[places] if bot.sees_all else view(games[places], seats)
    begun = time.perf_counter()
    actions = np.asarray(bot.act_many(shown), dtype=np.int64)
    seconds = time.perf_counter() - begun
    if actions.shape != places.shape:
        raise ValueError(f"bot {bot.name}: answered {len(places)} views with actions of shape {actions.shape}")
    wrong = _apply_each(games, places, actions)
    if wrong >= 0:
        deal = games["deal_number"][places[wrong]]
        raise ValueError(f"bot {bot.name}: action {actions[wrong]} of seat {seats[wrong]} in deal {deal} is not legal")
    return seconds


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


def open_bot(name: str, seed: int) -> Bot:
    """A bot from its name or path; checkpoints need torch and are read here. Raises BotError or CheckpointError."""
    if name in BASELINES or name.endswith(".onnx") or not (name.endswith(".pt") or Path(name).exists()):
        return make_bot(name, seed)
    from training.checkpoint import load_bot

    return load_bot(name)
