"""What the rows of a duel say: margin, roles, shares of nat and pit, and the chance to win a boompje.

Single deals differ by some 125 points, seat-swapped pairs by about 60, so every interval comes from pairs.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from klaverjas_env.rules.scoring import Pit
from training.duels import SEATINGS

Z95: Final = 1.96
"""Half a 95 % interval, in standard errors."""
BOOMPJE: Final = 16
"""Deals of the match whose odds are reckoned, whatever the house plays."""
ROLES: Final = ("declarer", "partner", "defence")


@dataclass(frozen=True)
class Estimate:
    """A mean and half the width of its 95 % interval."""

    mean: float
    ci95: float

    def __str__(self) -> str:
        return f"{self.mean:+.2f} ± {self.ci95:.2f}"


@dataclass(frozen=True)
class Chance:
    """A probability, and the same at the two ends of the 95 % interval of the margin."""

    chance: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.chance:.1%} ({self.low:.1%} to {self.high:.1%})"


@dataclass(frozen=True)
class Side:
    """What one bot did over all its deals; a share of no deals at all is 0."""

    nat: float
    """Share of its deals as playing side that were nat."""
    nat_given: float
    """Share of its deals as defenders in which the playing side was nat."""
    pit: float
    """Share of its deals as playing side in which it took all tricks."""
    counter_pit: float
    """Share of its deals as defenders in which it took all tricks (tegenpit)."""
    roem: float
    """Roem a deal."""
    playing: float
    """Share of deals in which it was the playing side."""
    points_playing: float
    """Own points minus theirs, a deal as playing side."""
    points_defending: float
    """Own points minus theirs, a deal as defenders."""


def pair_margins(rows: np.ndarray) -> np.ndarray:
    """Points of A minus those of B a deal, the mean of both seatings: float64 [N] from `PAIR` [N]."""
    margins: np.ndarray = deal_margins(rows).mean(axis=1)
    return margins


def deal_margins(rows: np.ndarray) -> np.ndarray:
    """Points of A minus those of B: int64 [N, seatings]."""
    score = rows["score"].astype(np.int64)
    margins: np.ndarray = score[:, :, 0] - score[:, :, 1]
    return margins


def estimate(values: np.ndarray) -> Estimate:
    """The mean of at least two independent values, with its interval."""
    return Estimate(float(values.mean()), float(Z95 * values.std(ddof=1) / math.sqrt(len(values))))


def role_gains(rows: np.ndarray, bot: int) -> dict[str, Estimate]:
    """What a bot brings to its side in one role at a table of the other bot, points a deal, by `ROLES`.

    Every deal is played by four of the other, and again with the bot as declarer, as partner, and as both defenders
    (that table is a seating of the duel itself); the gain is the difference on the same deal and contract.
    """
    tables = rows["roles"][:, bot].astype(np.int64)
    # In the seating in which the other bot was the playing side, this one defended.
    seating = np.argmax(rows["playing"] == 1 - bot, axis=1)
    defended = deal_margins(rows)[np.arange(len(rows)), seating] * (1 if bot == 0 else -1)
    gains = (tables[:, 1] - tables[:, 0], tables[:, 2] - tables[:, 0], defended + tables[:, 0])
    return {role: estimate(gain) for role, gain in zip(ROLES, gains, strict=True)}


def boompje(rows: np.ndarray) -> Chance:
    """The chance that A wins a boompje of `BOOMPJE` deals against B; a draw counts half.

    Sixteen independent draws from the margins of all single deals: their distribution is convolved with itself, exactly
    but for rounding. The ends are those of an A that scores `ci95` points a deal less or more.
    """
    margins = deal_margins(rows).ravel()
    lowest = int(margins.min())
    share = np.bincount(margins - lowest) / len(margins)
    size = BOOMPJE * (len(share) - 1) + 1
    sums = np.fft.irfft(np.fft.rfft(share, 2 * size) ** BOOMPJE, 2 * size)[:size]
    ci95 = estimate(pair_margins(rows)).ci95
    chance, low, high = (_chance_of_more(sums, BOOMPJE * (lowest + shift)) for shift in (0.0, -ci95, ci95))
    return Chance(chance, low, high)


def _chance_of_more(sums: np.ndarray, first: float) -> float:
    """The chance of a sum above 0, and half that of 0, when `sums` are the chances of `first`, `first` + 1, ..."""
    values = np.arange(len(sums)) + first
    chance = float(sums[values > 1e-9].sum() + 0.5 * sums[np.abs(values) <= 1e-9].sum())
    return min(1.0, max(0.0, chance))


def side_of(rows: np.ndarray, bot: int) -> Side:
    """What one bot did, from the rows of one or more duels in which it was `bot`."""
    playing = rows["playing"] == bot
    defending = ~playing
    margins = deal_margins(rows) * (1 if bot == 0 else -1)
    return Side(
        nat=_share(rows["nat"] != 0, playing),
        nat_given=_share(rows["nat"] != 0, defending),
        pit=_share(rows["pit"] == int(Pit.PLAYING), playing),
        counter_pit=_share(rows["pit"] == int(Pit.DEFENDING), defending),
        roem=float(rows["roem"][:, :, bot].sum() / (len(SEATINGS) * len(rows))),
        playing=float(playing.mean()),
        points_playing=_share(margins, playing),
        points_defending=_share(margins, defending),
    )


def _share(values: np.ndarray, among: np.ndarray) -> float:
    """The mean of the values at the places `among`; 0 when there are none."""
    return float(values[among].sum() / max(int(among.sum()), 1))
