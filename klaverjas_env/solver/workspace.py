"""What the exact solver works in: one record, made once and used again, so that nothing is global.

A ply is a card or a claim of roem that is being tried; ply 0 is the position asked about. Seats are turned so that the
playing side is 0 and 2.
"""

from typing import Final

import numpy as np

TABLE_BITS: Final = 18
"""The table of positions has 2^18 entries of 16 bytes."""
PLIES: Final = 42
"""32 cards, 8 claims of roem, the end, and one to spare."""
MOVES: Final = 8

WORKSPACE: Final = np.dtype(
    (
        np.record,
        [
            # --- the search
            ("nodes", np.int64),  # positions looked at
            ("budget", np.int64),  # and how many may be
            ("stopped", np.int64),  # 1 when they were not enough
            ("scoring", np.int64),  # 1 while the search looks at the score of the deal, 0 at the difference
            ("claimed", np.int64),  # 1 where roem has to be claimed
            ("epoch", np.int64),  # part of the key: positions of other deals do not count
            ("root_cards", np.int64),  # the only cards to be tried at ply 0
            # --- the deal
            ("trump", np.int64),
            ("hands", np.int64, (4,)),  # cards still held
            ("points", np.int64, (32,)),  # card points
            ("takers", np.int64, (32,)),  # the cards that take a trick over from a card
            ("near_equal", np.int64),  # cards that differ from the next lower rank in nothing but roem
            ("far_equal", np.int64),  # cards that differ from the rank below that in nothing but roem
            ("bonus", np.int64),  # points for the playing side when it takes every trick
            ("counter_bonus", np.int64),  # and for the defenders
            ("kinds", np.int64),  # ranks whose four cards lie in four hands and bring roem together
            ("kind_roem", np.int64, (8,)),  # how much, by rank
            # by suit and the ranks of it that are left: the most roem that can still come from them, and the ranks
            # that can be part of any
            ("roem_left", np.int64, (4, 256)),
            ("roem_ranks", np.int64, (4, 256)),
            # by the trumps that are left: the side that holds the strongest, as a bit of `alive` (both when none is
            # left), and the points of the strongest ones as far as that side holds them (minus for the defenders)
            ("top_side", np.int64, (256,)),
            ("top_points", np.int64, (256,)),
            # --- by ply: the position
            ("seat", np.int64, (PLIES,)),  # who moves
            ("place", np.int64, (PLIES,)),  # cards on the table; 4 while the trick's roem is claimed
            ("led", np.int64, (PLIES,)),  # the card that was led, or -1
            ("top", np.int64, (PLIES,)),  # the card that is winning the trick, or -1
            ("top_seat", np.int64, (PLIES,)),  # who played it
            ("trick", np.int64, (PLIES,)),  # the cards on the table, as a set
            ("worth", np.int64, (PLIES,)),  # their points
            ("left", np.int64, (PLIES,)),  # points in hands and on the table, and the last trick's bonus
            ("alive", np.int64, (PLIES,)),  # bit 0: the playing side may still take every trick; bit 1: the defenders
            ("difference", np.int64, (PLIES,)),  # points and roem so far, playing side minus defenders
            # --- by ply: the search
            ("alpha", np.int64, (PLIES,)),
            ("beta", np.int64, (PLIES,)),
            ("best", np.int64, (PLIES,)),
            ("best_move", np.int64, (PLIES,)),
            ("moves", np.int64, (PLIES, MOVES)),  # 64 * score + move
            ("left_moves", np.int64, (PLIES,)),  # how many of them have not been tried
            ("move", np.int64, (PLIES,)),  # the one under way
            ("gain", np.int64, (PLIES,)),  # what it won for the playing side (minus: for the defenders)
            ("gain_roem", np.int64, (PLIES,)),  # how much of that, without sign, was roem
            ("scouted", np.int64, (PLIES,)),  # 1 while it is tested with a null window, 2 before it is searched again
            ("lower", np.int64, (PLIES,)),  # what was known of the value when the search came here
            ("upper", np.int64, (PLIES,)),
            ("floor_alpha", np.int64, (PLIES,)),  # the window with which it came
            ("ceiling_beta", np.int64, (PLIES,)),
            ("key", np.int64, (PLIES,)),
            # --- what is remembered
            ("killers", np.int64, (PLIES, 2)),  # moves that cut off last at a ply, or -1
            ("table", np.int64, (1 << TABLE_BITS, 2)),  # key, and what is known of the value (packed)
        ],
    )
)
"""The dtype of a workspace."""


def new_workspace() -> np.record:
    """A workspace (about 4 MB). It serves one solve at a time: give each thread its own."""
    record: np.record = np.zeros(1, dtype=WORKSPACE)[0]
    return record
