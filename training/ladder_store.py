"""What a ladder has played, on disk and in memory: settings, and the rows of every pairing deal by deal.

    settings.json                         what the deals depend on, and how far to go
    deals/AA-BB/FFFFFFFF-N.npz            N deals from number F of the bots with numbers AA and BB

Every file is written whole or not at all, and a row depends on the settings, the deal and the two bots alone. So a
ladder can be killed at any moment, and what it reports is a function of the settings and not of its history.
"""

import hashlib
import json
import math
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any, Final

import numpy as np

from klaverjas_env.bots import BASELINES
from klaverjas_env.files import write_json, write_whole
from klaverjas_env.jit import source_hash
from klaverjas_env.rng import GENERATOR
from klaverjas_env.rules.variant import Variant
from training.contracts import contract_name
from training.duels import PAIR, Duel
from training.figures import estimate, pair_margins

LADDER_FORMAT: Final = "klaverjas-ladder-v1"
LOOK_GROWTH: Final = 1.25
"""How many more pairs a pairing has at each look than at the one before."""


class LadderError(ValueError):
    """A ladder that cannot be begun, gone on with or read; the text says why and how to mend it."""


@dataclass(frozen=True)
class Settings:
    """What the played deals depend on."""

    seed: int
    variant: str
    rules_hash: str
    contract: str
    """A word of `CONTRACTS`."""
    contract_name: str
    roles: bool
    generator: str
    code: tuple[str, ...]
    """Digests of the source that played, more than one where somebody went on with other code."""
    bots: tuple[str, ...]
    files: tuple[str, ...]
    """The digest of each bot's file; empty for a bot that is code."""


def settings_of(bots: Sequence[str], variant: str, seed: int, contract: str, roles: bool) -> Settings:
    """The settings of a ladder played here and now."""
    for bot in bots:
        if bots.count(bot) > 1:
            raise LadderError(f"bot {bot!r} is named twice; a ladder ranks different bots")
    house = Variant.parse(variant)
    return Settings(
        seed=seed,
        variant=str(house),
        rules_hash=house.rules_hash,
        contract=contract,
        contract_name=contract_name(contract),
        roles=roles,
        generator=GENERATOR,
        code=(code_digest(),),
        bots=tuple(bots),
        files=tuple(_file_digest(bot) for bot in bots),
    )


def code_digest() -> str:
    """A digest of the source that decides what happens in a duel."""
    digest = hashlib.sha256(source_hash().encode())
    for name in ("contracts.py", "duels.py"):
        digest.update(Path(__file__).with_name(name).read_bytes())
    return digest.hexdigest()[:16]


def _file_digest(bot: str) -> str:
    """The digest of the file that a bot is read from, of a run's folder its latest checkpoint; else empty."""
    path = Path(bot)
    if bot in BASELINES or not path.exists():
        return ""
    if path.is_dir():
        from training.checkpoint import LATEST  # needs torch, as the bot does

        path = path / LATEST
    return hashlib.sha256(path.read_bytes()).hexdigest()[:16] if path.is_file() else ""


@dataclass(frozen=True)
class Goal:
    """How far every pairing is played.

    At fixed looks (`min_pairs`, and a quarter more each time, up to `pairs`) a pairing is settled when the half-width
    of its interval is at most `until`. A look sees the width alone, never who leads, so stopping does not favour
    either bot; that a width happens to come out small early is what `min_pairs` guards against.
    """

    pairs: int
    until: float
    """Points a deal; 0: play all `pairs`."""
    min_pairs: int

    def __post_init__(self) -> None:
        if self.min_pairs < 2:
            raise LadderError(f"min_pairs={self.min_pairs}: an interval needs at least 2 pairs")
        if self.pairs < 2:
            raise LadderError(f"pairs={self.pairs}: an interval needs at least 2 pairs")
        if not (math.isfinite(self.until) and self.until >= 0):
            raise LadderError(f"until={self.until}: give half the width of an interval in points a deal, such as 1.0")

    def looks(self) -> Iterator[int]:
        """The numbers of pairs at which a pairing is looked at."""
        pairs = self.min_pairs
        while pairs < self.pairs:
            yield pairs
            pairs = math.ceil(LOOK_GROWTH * pairs)
        yield self.pairs


class Pairing:
    """Two bots and the deals that they have played; `state` of a deal is FREE, TAKEN or DONE."""

    FREE, TAKEN, DONE = range(3)

    def __init__(self, number: int, a: int, b: int, goal: Goal) -> None:
        self.number = number
        self.a = a
        self.b = b
        self.asked = np.zeros(2, dtype=np.int64)
        self.thought = np.zeros(2)
        self.played = 0
        self.seconds = 0.0
        self._rows = np.zeros(0, dtype=PAIR)
        self._state = np.zeros(0, dtype=np.int8)
        self._until = goal.until
        self._looks = goal.looks()
        self.wanted = next(self._looks)
        """Pairs at the next look, or, when `settled`, at the last."""
        self.settled = False

    def add(self, duel: Duel, seconds: float) -> None:
        """Take in played deals. Raises LadderError when they contradict what is there."""
        first, n = int(duel.rows["deal"][0]), len(duel.rows)
        self._grow(first + n)
        place = slice(first, first + n)
        again = self._state[place] == self.DONE
        if (self._rows[place][again] != duel.rows[again]).any():
            raise LadderError(
                f"deals {first} to {first + n - 1} of bots {self.a} and {self.b} came out in two ways; one of the two"
                " bots answers the same view differently, so its results cannot be reproduced"
            )
        self._rows[place] = duel.rows
        self._state[place] = self.DONE
        self.asked += duel.asked
        self.thought += duel.seconds
        self.played += n
        self.seconds += seconds
        self._look()

    @property
    def complete(self) -> int:
        """How many deals from the first on are done without a gap."""
        return int(np.argmin(np.append(self._state == self.DONE, False)))

    @property
    def rows(self) -> np.ndarray:
        """The rows that count, `PAIR` [pairs]: up to the look at which the pairing was settled, or all there are."""
        return self._rows[: min(self.complete, self.wanted)]

    def take(self, most: int) -> tuple[int, int] | None:
        """The next deals (first, how many, at most `most`) to be played before the next look, or None."""
        self._grow(self.wanted)
        free = np.flatnonzero(self._state[: self.wanted] == self.FREE)
        if self.settled or len(free) == 0:
            return None
        first = int(free[0])
        n = int(np.argmin(np.append(self._state[first : min(first + most, self.wanted)] == self.FREE, False)))
        self._state[first : first + n] = self.TAKEN
        return first, n

    def _look(self) -> None:
        complete = self.complete
        while not self.settled and complete >= self.wanted:
            if self._until > 0 and estimate(pair_margins(self._rows[: self.wanted])).ci95 <= self._until:
                self.settled = True
                return
            wanted = next(self._looks, None)
            self.settled = wanted is None
            self.wanted = wanted or self.wanted

    def _grow(self, deals: int) -> None:
        missing = max(deals, 2 * len(self._state)) - len(self._state) if deals > len(self._state) else 0
        self._rows = np.concatenate([self._rows, np.zeros(missing, dtype=PAIR)])
        self._state = np.concatenate([self._state, np.zeros(missing, dtype=np.int8)])


class Store:
    """The folder of a ladder."""

    def __init__(self, folder: Path, settings: Settings, goal: Goal) -> None:
        self.folder = folder
        self.settings = settings
        self.goal = goal

    @classmethod
    def create(cls, folder: Path, settings: Settings, goal: Goal) -> "Store":
        """A new ladder. Raises LadderError where there is one already."""
        if (folder / "settings.json").exists():
            raise LadderError(f"{folder} holds a ladder already; --resume {folder} goes on with it")
        if len(settings.bots) < 2:
            raise LadderError("a ladder needs at least 2 bots")
        store = cls(folder, settings, goal)
        store._write()
        return store

    @classmethod
    def resume(cls, folder: Path, asked: dict[str, Any], bots: Sequence[str], other_code: bool) -> "Store":
        """The ladder in a folder, with what is `asked` anew of the goal, and with `bots` added to its own.

        Raises LadderError when the deals in it were played under other settings than those asked for.
        """
        path = folder / "settings.json"
        if not path.is_file():
            raise LadderError(f"{folder} holds no ladder: there is no {path}; begin one with --out {folder}")
        try:
            content = json.loads(path.read_text())
            if content["format"] != LADDER_FORMAT:
                found = content["format"]
                raise LadderError(f"{path} has format {found!r}, this version reads {LADDER_FORMAT!r}")
            written: dict[str, Any] = {
                name: tuple(value) if isinstance(value, list) else value for name, value in content["played"].items()
            }
            settings, goal = Settings(**written), Goal(**content["goal"])
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            if isinstance(error, LadderError):
                raise
            raise LadderError(f"{path} is damaged ({type(error).__name__}: {error}); begin a new ladder") from error
        everyone = [*settings.bots, *(bot for bot in bots if bot not in settings.bots)]
        words = {name: asked.get(name, getattr(settings, name)) for name in ("variant", "seed", "contract", "roles")}
        now = settings_of(everyone, **words)
        if other_code or set(now.code) <= set(settings.code):
            now = replace(now, code=tuple(dict.fromkeys([*settings.code, *now.code])))
        _refuse_differences(path, settings, now)
        goal = replace(goal, **{name: value for name, value in asked.items() if name in asdict(goal)})
        store = cls(folder, now, goal)
        store._write()
        return store

    def _write(self) -> None:
        content = {"format": LADDER_FORMAT, "played": asdict(self.settings), "goal": asdict(self.goal)}
        write_json(self.folder / "settings.json", content)

    def pairings(self) -> list[Pairing]:
        """Every two bots, with the deals that they have played."""
        bots = range(len(self.settings.bots))
        pairings = [Pairing(number, a, b, self.goal) for number, (a, b) in enumerate(combinations(bots, 2))]
        for pairing in pairings:
            for path in sorted(self._place(pairing).glob("[0-9]*.npz")):
                pairing.add(*_read(path))
        return pairings

    def write(self, pairing: Pairing, duel: Duel, seconds: float) -> None:
        """Keep played deals."""
        first, n = int(duel.rows["deal"][0]), len(duel.rows)
        arrays = {"rows": duel.rows, "asked": duel.asked, "thought": duel.seconds, "seconds": seconds}
        write_whole(self._place(pairing) / f"{first:08}-{n}.npz", lambda file: np.savez(file, **arrays))  # type: ignore[arg-type]

    def _place(self, pairing: Pairing) -> Path:
        return self.folder / "deals" / f"{pairing.a:02}-{pairing.b:02}"


def _read(path: Path) -> tuple[Duel, float]:
    """A file of deals; its parts carry check sums."""
    try:
        with np.load(path, allow_pickle=False) as content:
            rows, asked, thought, seconds = (content[name] for name in ("rows", "asked", "thought", "seconds"))
        if rows.dtype != PAIR:
            raise ValueError("rows of another layout")
        first, n = (int(word) for word in path.stem.split("-"))
        if rows["deal"].tolist() != list(range(first, first + n)) or n == 0:
            raise ValueError("other deals than its name says")
        return Duel(rows, (int(asked[0]), int(asked[1])), (float(thought[0]), float(thought[1]))), float(seconds)
    except (ValueError, KeyError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise LadderError(f"{path} is damaged ({error}); delete it, and --resume plays its deals again") from error


def _refuse_differences(path: Path, written: Settings, now: Settings) -> None:
    """Raise LadderError that names every setting under which the deals of the ladder were not played."""
    differences = [
        f"{name} is {getattr(now, name)!r}, was {getattr(written, name)!r}"
        for name in ("seed", "variant", "rules_hash", "contract", "contract_name", "roles", "generator")
        if getattr(now, name) != getattr(written, name)
    ]
    differences += [
        f"the file of bot {bot!r} has changed"
        for bot, before, after in zip(written.bots, written.files, now.files, strict=False)
        if before != after
    ]
    if differences:
        raise LadderError(f"{path}: its deals were played otherwise: {'; '.join(differences)}; begin a new ladder")
    if not set(written.code) <= set(now.code):
        raise LadderError(
            f"{path}: the source of the game or of the bots has changed since, so that its deals may not be those that"
            " would be played now; begin a new ladder, or mix the two with --other-code"
        )
