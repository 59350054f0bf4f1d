"""What the rule player knows by experiment: what makes a hand strong, from what strength to play, and what card play
weighs."""

from typing import Final, NamedTuple

import numpy as np

TRAITS: Final = (
    "two trumps or fewer",
    "three trumps",
    "four trumps",
    "five trumps",
    "six trumps or more",
    "nine without jack",
    "jack without nine",
    "jack and nine",
    "ace of trump",
    "ten of trump",
    "side ace",
    "card beyond two with a side ace",
    "ten with its ace",
    "ten without its ace, not bare",
    "void",
)
"""What makes a hand strong."""
N_TRAITS: Final = len(TRAITS)
TRAIT_WORTH: Final = np.array(
    [-149.0, -97.0, -50.0, -18.0, 2.0, 26.0, 81.0, 118.0, 14.0, 7.0, 43.0, -10.0, 15.0, 13.0, 18.0]
)
"""Points that each of the `TRAITS` adds to the score difference of who plays, the mean of Amsterdams and Rotterdams.
`python -m benchmarks.calibrate --deals 40000`, 1 December 2026."""

LEAST_STRENGTH: Final = np.array(
    [
        [-1.0, -22.0, 47.0, -39.0, -10.0, -9.0, 10.0, -18.0],  # turned card; all pass: forehand must play on the next
        [-9.0, 5.0, -11.0, -6.0, -11.0, -3.0, 3.0, -12.0],  # turned card; forehand names a suit
        [-10.0, 4.0, -4.0, 1.0, -13.0, 1.0, -3.0, -4.0],  # turned card; dealt again
        [0.0, 150.0, -29.0, 150.0, -35.0, 36.0, -33.0, 46.0],  # turned card; the last speaker may not pass
        [18.0, -51.0, -42.0, -38.0, 0.0, 0.0, 0.0, 0.0],  # free; the first speaker names a suit
        [-12.0, -44.0, -44.0, -38.0, 0.0, 0.0, 0.0, 0.0],  # free; dealt again
        [0.0, -45.0, -44.0, -38.0, 0.0, 0.0, 0.0, 0.0],  # free; the last speaker may not pass
    ]
)
"""The strength from which to play by [what comes when all pass, calls left]: there playing and passing are worth the
same. `python -m benchmarks.calibrate --deals 40000`, 1 December 2026."""

# What a card is weighed by, as the rows of PRICES.
OTHERS: Final = 0
ROEM_TO_COME: Final = 1
LEADING: Final = 2
SETTLES: Final = 3
PIT_ALIVE: Final = 4
SIDE_KEPT: Final = 5
"""Four rows: keeping a side card that 0, 1, 2, or more unseen cards can beat."""
TEN_KEPT: Final = 9
TRUMP_KEPT: Final = 10
"""Four rows: keeping a trump that 0, 1, 2, or more unseen ones can beat."""
VOID: Final = 14
BARE_TEN: Final = 15
DRAW: Final = 16
DRAW_PARTNER: Final = 17
UNSEEN_LENGTH: Final = 18
OWN_LENGTH: Final = 19
LAST_TRUMP: Final = 20

PRICES: Final = np.array(
    [
        # leading as defender, declarer, its partner; then not leading
        [0.8, 0.3, -1.1, 4.3, -0.8, 0.4],  # points that each of those still to play adds
        [2.5, 2.4, -1.3, 3.9, 2.2, 3.4],  # a point of roem that may still come
        [5.9, 1.7, 5.2, -0.2, 0.9, 4.1],  # taking the trick oneself
        [10.7, 17.5, 1.3, 5.7, 11.9, 13.2],  # the trick that settles who has most of the deal
        [3.4, 2.9, 9.8, 6.5, 15.7, 7.8],  # a trick of the second half while one side has all
        [2.4, 6.9, -3.1, 16.5, 13.0, 18.1],  # keeping a side card that nothing unseen beats
        [0.2, 2.7, 3.3, 2.1, 3.4, 4.6],  # that one unseen card beats
        [-0.4, -0.3, -0.3, -0.7, -0.7, 1.7],  # that two beat
        [-1.2, 0.1, -0.4, -1.7, -2.5, 0.2],  # that more beat
        [5.5, 3.5, 7.4, 8.3, 6.5, 4.8],  # and a ten that can be beaten on top
        [23.6, 17.8, 17.1, 36.5, 30.1, 9.9],  # keeping a trump that nothing unseen beats
        [16.1, 9.6, 4.7, 0.6, 15.1, 4.4],  # that one unseen trump beats
        [1.3, 9.1, 2.8, 0.7, 3.7, 5.7],  # that two beat
        [4.9, 1.8, 1.7, 1.7, 2.9, 4.2],  # that more beat
        [-1.9, 4.8, 4.2, 8.2, 1.6, 2.5],  # the last card of a side suit, with trumps left
        [0.3, 3.2, 0.7, 6.9, 4.9, 1.0],  # keeping the last small card beside a ten
        [3.9, 3.0, -2.1, 0.0, 0.0, 0.0],  # leading trump, for each trump of the opponents
        [-3.7, 4.9, 1.9, 0.0, 0.0, 0.0],  # leading trump, against each trump of the partner
        [-5.7, -2.4, 0.1, 0.0, 0.0, 0.0],  # leading a side suit, for each unseen card of it
        [-1.6, 3.5, 1.5, 0.0, 0.0, 0.0],  # for each other card of it in hand
        [-1.3, 2.8, -3.9, 0.9, 2.1, -0.8],  # keeping a trump when the opponents have none
    ]
)
"""What card play weighs, in points, by [price, leading or not x defender, declarer, its partner].
Found as `python -m benchmarks.tune_rule` climbs, 1 December 2026: three runs, some 150 steps, the first with fewer
prices. A row that only leading asks for is 0 beside it."""

DECLARER_TRUMPS: Final = 0
"""How many times likelier a trump is with the declarer than with another who may hold it."""
ROEM_MADE: Final = 1
"""How often a card that makes roem is played by who holds it."""
OVERRUFFS: Final = 2
"""How often our side takes a trick that both an opponent and the partner can ruff."""
UNLIKELY: Final = 3
"""The weight of a card that a sensible player would have played before."""
LATER: Final = 4
"""How much more a card is worth kept in the last trick than in the first."""
BELIEFS: Final = np.array([1.74, 0.41, 0.66, 0.36, 0.54])


class Tables(NamedTuple):
    """The tables that a rule player plays by, float64 arrays."""

    traits: np.ndarray = TRAIT_WORTH
    least: np.ndarray = LEAST_STRENGTH
    prices: np.ndarray = PRICES
    beliefs: np.ndarray = BELIEFS
