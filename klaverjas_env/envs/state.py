"""The state of an AEC match as bytes: a head that says what it is, what the match has beside its game, and the game.

Numbers are little-endian. Nothing in it is ever run as code, and compiled code never sees a number out of its range.
"""

import struct
import zlib
from typing import Final, NamedTuple

import numpy as np

from klaverjas_env.game import GAME, MAX_BIDS, N_ACTIONS, Phase
from klaverjas_env.rules.bidding import JOKER, STOCK_CARDS
from klaverjas_env.rules.cards import ALL_CARDS
from klaverjas_env.rules.roem import CLAIMS
from klaverjas_env.rules.scoring import Pit

STATE: Final = "klaverjas-aec-state-v1"
"""Frozen name of the layout below."""

_HEAD: Final = struct.Struct("<24s16sI")
"""Name of the layout, rules hash, checksum of what follows."""
_LEDGER: Final = struct.Struct("<2q6b8d10q")
_CELLS: Final = np.dtype("<i8")
_SIZE: Final = _HEAD.size + _LEDGER.size + GAME.itemsize


class StateError(ValueError):
    """Bytes that are no state, or one that this environment cannot go on from; the text says which and why."""


class Ledger(NamedTuple):
    """What a match has beside its game record. Seats that are absent are -1; sets of seats have bit s for seat s."""

    seed: int
    """Of the run of matches, or -1."""
    matches: int
    """Resets since that seed."""
    ending: int
    """0 while the match runs, 1 when it has been played to its end, 2 after an illegal action."""
    agents: int
    """The seats whose agents have not been taken away, as a set."""
    told: int
    """The seats whose info holds the result of the last deal, as a set."""
    selected: int
    """The seat whose agent is asked."""
    skipped: int
    """The seat that PettingZoo goes back to when all dead agents are gone, or -1."""
    rewarded: int
    """Whether the rewards stand since the last step."""
    rewards: tuple[float, ...]
    """Of the last step, by seat."""
    owed: tuple[float, ...]
    """Not yet collected, by seat."""
    result: tuple[int, ...]
    """Of the last deal that was scored: `RESULT`, ten numbers."""


def pack(ledger: Ledger, cells: np.ndarray, rules_hash: str) -> bytes:
    """A ledger and a game int64 [162] as bytes."""
    body = _LEDGER.pack(*ledger[:8], *ledger.rewards, *ledger.owed, *ledger.result)
    body += cells.astype(_CELLS, copy=False).tobytes()
    return _HEAD.pack(STATE.encode(), rules_hash.encode(), zlib.crc32(body)) + body


def unpack(state: bytes, unplayed: np.ndarray, rules_hash: str) -> tuple[Ledger, np.ndarray]:
    """What was packed, for an environment with these house rules; `unplayed` int64 [162] is its record before a deal.

    Raises StateError.
    """
    if not isinstance(state, bytes | bytearray | memoryview):
        raise StateError(f"a state is the bytes that get_state() gave, not {type(state).__name__}")
    raw = bytes(state)
    if len(raw) < _HEAD.size or not raw.startswith(b"klaverjas-aec-state-"):
        raise StateError(f"these {len(raw)} bytes are no state of klaverjas_v0; give what get_state() gave")
    name, rules, checksum = _HEAD.unpack_from(raw)
    name_text = name.rstrip(b"\0").decode(errors="replace")
    if name_text != STATE:
        raise StateError(
            f"the state has the layout {name_text!r}, this version reads {STATE!r}; play it to its end there"
        )
    if rules != rules_hash.encode():
        raise StateError(
            f"the state is of other house rules (hash {rules.decode(errors='replace')}, here {rules_hash}); make an"
            " environment with the variant and the number of deals of the one that gave it"
        )
    if len(raw) != _SIZE or zlib.crc32(raw[_HEAD.size :]) != checksum:
        raise StateError(f"the state is damaged: {len(raw)} bytes of {_SIZE}, or its checksum is wrong; get it anew")
    numbers = _LEDGER.unpack_from(raw, _HEAD.size)
    cells = np.frombuffer(raw, _CELLS, offset=_HEAD.size + _LEDGER.size).astype(np.int64)
    ledger = Ledger._make((*numbers[:8], numbers[8:12], numbers[12:16], numbers[16:]))
    if not _in_range(cells, unplayed) or not -1 <= ledger.selected < 4 or not -1 <= ledger.skipped < 4:
        raise StateError("the state holds numbers that no match has; get it anew")
    return ledger, cells


def _bounds() -> np.ndarray:
    """The least and the most of every cell of a game: int64 [2, 162]."""
    anything = (-(1 << 62), (1 << 63) - 1)
    limits: dict[str, tuple[int, int]] = {
        "seed": (0, anything[1]),
        "deal_number": (0, anything[1]),
        "dealer": (0, 3),
        "hands": (0, ALL_CARDS),
        "stock": (-1, JOKER),
        "drawn": (0, STOCK_CARDS),
        "phase": (0, max(Phase)),
        "to_act": (-1, 3),
        "bids": (-1, N_ACTIONS - 1),
        "n_bids": (0, MAX_BIDS),
        "trump": (-1, 3),
        "declarer": (-1, 3),
        "plays": (-1, 31),
        "n_plays": (0, 32),
        "leaders": (-1, 3),
        "claims": (-1, max(CLAIMS)),
        "ruled_out": (0, ALL_CARDS),
        "tricks": (0, 8),
        "reneged": (-1, 3),
        "nat": (0, 1),
        "pit": (0, max(Pit)),
        "deals_played": (0, anything[1]),
    }
    bounds = np.zeros((2, 1), GAME)
    for name in GAME.names or ():
        if name != "rules":
            bounds[0][name], bounds[1][name] = limits.get(name, anything)
    return bounds.view(np.int64)


_BOUNDS: Final = _bounds()
_RULES_END: Final = GAME.fields["seed"][1] // 8  # type: ignore[index]
"""The house rules are the first cells of a game."""


def _in_range(cells: np.ndarray, unplayed: np.ndarray) -> bool:
    """Whether the house rules are those of `unplayed` and every other number is one that a game may hold."""
    least, most = _BOUNDS[:, _RULES_END:]
    rest = cells[_RULES_END:]
    return bool(
        np.array_equal(cells[:_RULES_END], unplayed[:_RULES_END]) and (rest >= least).all() and (rest <= most).all()
    )
