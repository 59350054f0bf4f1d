"""One number a bot from the margins of a round robin: a rating by least squares, with honest intervals.

The model says that bot i beats bot j by r_i - r_j points a deal. No straight order fits all margins: how two styles
meet moves them by some points. Pairings that are known better than that count alike, and thin ones less; for a whole
round robin with equal pairs the fit is simply a bot's mean margin against the field, itself included. Pairings share
their deals, and so some of their luck; the intervals take that in.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from training.figures import BOOMPJE, Z95, Estimate

STYLE: Final = 5.0
"""About how far margins are from a straight order, in points a deal."""
PAIR_SD: Final = 60.0
"""About how much seat-swapped pairs differ, in points; not taken from the pairs, as two may happen to be equal."""
DEAL_SD: Final = 125.0
"""About how much single deals differ, in points."""
ELO_PER_POINT: Final = 400 / math.log(10) * 4 * math.sqrt(BOOMPJE) / DEAL_SD / math.sqrt(2 * math.pi)
"""Elo points that one point a deal is worth, 8.87: between near equals the Elo odds are those of a boompje, whose
chance is Phi(sqrt(16) d / 125) for a margin of d points a deal. The scale is kept straight for all margins."""
ELO_ANCHOR: Final = 1000.0
"""The Elo-like rating of the bot from which ratings are counted."""


@dataclass(frozen=True)
class Margins:
    """A pairing as the fit sees it: `values` float64 [pairs], points of bot `a` minus those of bot `b` a deal, of the
    deals 0, 1, ... of the same stream in every pairing."""

    a: int
    b: int
    values: np.ndarray


@dataclass(frozen=True)
class Fit:
    """Ratings in points a deal above the anchor; None for a bot that no chain of pairings ties to it, and for
    all when the anchor has not played."""

    ratings: list[Estimate | None]
    residuals: list[float]
    """Margin less what the ratings say, points a deal, by pairing; 0 for those that are not tied to the anchor."""
    residual: float
    """How far the margins are from a straight order: the root of the mean square of the residuals, by weight."""


def elo(rating: Estimate) -> Estimate:
    """A rating in points a deal on the Elo-like scale."""
    return Estimate(ELO_ANCHOR + ELO_PER_POINT * rating.mean, ELO_PER_POINT * rating.ci95)


def fit(bots: int, anchor: int, pairings: Sequence[Margins]) -> Fit:
    """Rate `bots` bots from pairings of at least two pairs each; the interval is that of the difference to the
    anchor."""
    tied = _tied_to(anchor, pairings)
    used = [pairing for pairing in pairings if pairing.a in tied]
    free = sorted(tied - {anchor})
    if not used:
        return Fit([None] * bots, [0.0] * len(pairings), 0.0)
    design = np.zeros((len(used), len(free)))
    for row, pairing in enumerate(used):
        for bot, sign in ((pairing.a, 1), (pairing.b, -1)):
            if bot != anchor:
                design[row, free.index(bot)] = sign
    margins = np.array([pairing.values.mean() for pairing in used])
    weights = np.array([1 / (STYLE**2 + PAIR_SD**2 / len(pairing.values)) for pairing in used])
    solve = np.linalg.pinv(design * np.sqrt(weights)[:, None]) * np.sqrt(weights)
    points = solve @ margins
    variances = np.einsum("ij,jk,ik->i", solve, _covariance(used), solve)
    ratings: list[Estimate | None] = [None] * bots
    ratings[anchor] = Estimate(0.0, 0.0)
    for bot, mean, variance in zip(free, points, variances, strict=True):
        ratings[bot] = Estimate(float(mean), Z95 * math.sqrt(max(float(variance), 0.0)))
    left = margins - design @ points
    residual = math.sqrt(float((weights * left**2).sum() / weights.sum()))
    rest = iter(left.tolist())
    return Fit(ratings, [next(rest) if pairing.a in tied else 0.0 for pairing in pairings], residual)


def _tied_to(anchor: int, pairings: Sequence[Margins]) -> set[int]:
    """The bots that a chain of pairings ties to the anchor."""
    tied = {anchor}
    while True:
        more = {bot for pairing in pairings for bot in (pairing.a, pairing.b) if {pairing.a, pairing.b} & tied}
        if more <= tied:
            return tied
        tied |= more


def _covariance(pairings: Sequence[Margins]) -> np.ndarray:
    """The covariances of the mean margins: float64 [P, P]. Pairings of n and m pairs share their first min(n, m)
    deals, and the covariance of their means is that of one deal times min(n, m) / (n m)."""
    result = np.zeros((len(pairings), len(pairings)))
    for i, one in enumerate(pairings):
        for j, other in enumerate(pairings[: i + 1]):
            shared = min(len(one.values), len(other.values))
            together = np.cov(one.values[:shared], other.values[:shared])[0, 1]
            result[i, j] = result[j, i] = together * shared / (len(one.values) * len(other.values))
    return result
