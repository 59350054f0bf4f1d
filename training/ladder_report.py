"""What a ladder says: one JSON-able report from the rows of its pairings, and the same as tables for reading."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import numpy as np

from training.duels import A, B
from training.evaluate import duration
from training.figures import ROLES, Estimate, boompje, estimate, pair_margins, role_gains, side_of
from training.ladder_store import LADDER_FORMAT, Goal, Pairing, Settings
from training.rating import Fit, Margins, elo, fit

ANCHOR: Final = "lennard"
"""The bot from which ratings are counted; the first bot of the ladder where it does not play."""
MINIMUM: Final = 2
"""Pairs that a pairing needs to have an interval."""


def report(settings: Settings, goal: Goal, pairings: Sequence[Pairing]) -> dict[str, Any]:
    """All figures of a ladder as they stand. What depends on the clock stands under `seconds_per_decision` alone."""
    labels = labels_of(settings.bots)
    anchor = settings.bots.index(ANCHOR) if ANCHOR in settings.bots else 0
    measured = [pairing for pairing in pairings if len(pairing.rows) >= MINIMUM]
    rated = fit(
        len(labels), anchor, [Margins(pairing.a, pairing.b, pair_margins(pairing.rows)) for pairing in measured]
    )
    return {
        "format": LADDER_FORMAT,
        "settings": asdict(settings),
        "goal": asdict(goal),
        "anchor": labels[anchor],
        "residual": rated.residual,
        "bots": [_bot(bot, labels[bot], settings, rated, pairings) for bot in range(len(labels))],
        "pairings": [
            _pairing(pairing, labels, settings.roles, residual)
            for pairing, residual in zip(measured, rated.residuals, strict=True)
        ],
    }


def labels_of(bots: Sequence[str]) -> list[str]:
    """Short names: of a file its own, or the whole path where two would be called alike."""
    short = [Path(bot).stem if bot.endswith((".onnx", ".pt")) else Path(bot).name for bot in bots]
    return [bot if short.count(name) > 1 else name for bot, name in zip(bots, short, strict=True)]


def _bot(bot: int, label: str, settings: Settings, rated: Fit, pairings: Sequence[Pairing]) -> dict[str, Any]:
    """What one bot did against all others."""
    own = [(pairing, A if pairing.a == bot else B) for pairing in pairings if bot in (pairing.a, pairing.b)]
    rows = np.concatenate([pairing.rows if side == A else _swapped(pairing.rows) for pairing, side in own])
    asked = sum(int(pairing.asked[side]) for pairing, side in own)
    thought = sum(float(pairing.thought[side]) for pairing, side in own)
    rating = rated.ratings[bot]
    return {
        "name": settings.bots[bot],
        "label": label,
        "rating": asdict(rating) if rating else None,
        "elo": asdict(elo(rating)) if rating else None,
        "pairs": len(rows),
        "side": asdict(side_of(rows, A)) if len(rows) > 0 else None,
        "seconds_per_decision": thought / asked if asked > 0 else None,
    }


def _swapped(rows: np.ndarray) -> np.ndarray:
    """The rows with A and B exchanged."""
    swapped = rows.copy()
    for name in ("score", "roem"):
        swapped[name] = rows[name][:, :, ::-1]
    swapped["playing"] = 1 - rows["playing"]
    swapped["roles"] = rows["roles"][:, ::-1]
    return swapped


def _pairing(pairing: Pairing, labels: Sequence[str], roles: bool, residual: float) -> dict[str, Any]:
    rows = pairing.rows
    return {
        "a": labels[pairing.a],
        "b": labels[pairing.b],
        "pairs": len(rows),
        "settled": pairing.settled,
        "margin": asdict(estimate(pair_margins(rows))),
        "residual": residual,
        "boompje": asdict(boompje(rows)),
        "side_a": asdict(side_of(rows, A)),
        "side_b": asdict(side_of(rows, B)),
        "roles_a": _roles(rows, A) if roles else None,
        "roles_b": _roles(rows, B) if roles else None,
    }


def _roles(rows: np.ndarray, bot: int) -> dict[str, Any]:
    return {role: asdict(gain) for role, gain in role_gains(rows, bot).items()}


# --- for reading -----------------------------------------------------------------------------------------------------


def ranked(found: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The bots of a report, the strongest first; those without a rating last."""
    return sorted(found["bots"], key=lambda bot: -bot["rating"]["mean"] if bot["rating"] else np.inf)


def margins(found: Mapping[str, Any]) -> dict[tuple[str, str], Estimate]:
    """The margin of every bot against every other, by their labels, both ways round."""
    both = {}
    for pairing in found["pairings"]:
        margin = Estimate(**pairing["margin"])
        both[pairing["a"], pairing["b"]] = margin
        both[pairing["b"], pairing["a"]] = Estimate(-margin.mean, margin.ci95)
    return both


def tables(found: Mapping[str, Any]) -> str:
    """The report as Markdown tables that also read well on a screen."""
    parts = [_heading(found), _ratings(found), _matrix(found)]
    if found["settings"]["roles"]:
        parts.append(_role_table(found))
    return "\n\n".join(parts) + "\n"


def _heading(found: Mapping[str, Any]) -> str:
    settings, pairings = found["settings"], found["pairings"]
    pairs = sorted({pairing["pairs"] for pairing in pairings})
    played = "no" if not pairs else f"{pairs[0]:,}" if len(pairs) == 1 else f"{pairs[0]:,} to {pairs[-1]:,}"
    return (
        f"{settings['variant']}, contract {settings['contract_name']}, seed {settings['seed']}; {played} seat-swapped"
        f" pairs of deals a pairing; intervals are 95 %. Ratings are points a deal above {found['anchor']}, and"
        f" Elo-like; margins differ from them by {found['residual']:.1f} points (root mean square)."
    )


def _ratings(found: Mapping[str, Any]) -> str:
    head = "bot,points a deal,Elo-like,a decision,plays,scores,nat,pit,defending,nat given,tegenpit,roem".split(",")
    rows = []
    for bot in ranked(found):
        side, seconds = bot["side"], bot["seconds_per_decision"]
        if not bot["rating"]:
            rows.append([bot["label"], *[""] * (len(head) - 1)])
            continue
        rating, on_elo = Estimate(**bot["rating"]), Estimate(**bot["elo"])
        figures = [
            f"{rating.mean:+.1f} ± {rating.ci95:.1f}",
            f"{on_elo.mean:.0f} ± {on_elo.ci95:.0f}",
            duration(seconds),
            f"{side['playing']:.1%}",
            f"{side['points_playing']:+.1f}",
            *(f"{side[name]:.1%}" for name in ("nat", "pit")),
            f"{side['points_defending']:+.1f}",
            *(f"{side[name]:.1%}" for name in ("nat_given", "counter_pit")),
            f"{side['roem']:.1f}",
        ]
        rows.append([bot["label"], *figures])
    return _markdown(head, rows)


def _matrix(found: Mapping[str, Any]) -> str:
    """Margins of the row against the column, and below the chance that the row wins a boompje."""
    labels = [bot["label"] for bot in ranked(found)]
    margin = margins(found)
    chance = {(pairing["a"], pairing["b"]): pairing["boompje"]["chance"] for pairing in found["pairings"]}
    chance |= {(b, a): 1 - won for (a, b), won in chance.items()}
    points = [
        [a, *(f"{margin[a, b].mean:+.1f} ± {margin[a, b].ci95:.1f}" if (a, b) in margin else "" for b in labels)]
        for a in labels
    ]
    won = [[a, *(f"{chance[a, b]:.1%}" if (a, b) in chance else "" for b in labels)] for a in labels]
    heads = ("points a deal against", "wins boompjes against")
    return "\n\n".join(_markdown([head, *labels], rows) for head, rows in zip(heads, (points, won), strict=True))


def _role_table(found: Mapping[str, Any]) -> str:
    """What each bot gains in one role at a table of the other."""
    rows = []
    for pairing in found["pairings"]:
        for bot, other, roles in (("a", "b", "roles_a"), ("b", "a", "roles_b")):
            gains = [str(Estimate(**pairing[roles][role])) for role in ROLES]
            rows.append([pairing[bot], pairing[other], *gains])
    return _markdown(["gain of", "among", *ROLES], rows)


def _markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table whose columns line up: the first to the left, the others to the right."""
    widths = [max(len(row[column]) for row in [head, *rows]) for column in range(len(head))]
    ruler = ["-" * widths[0], *("-" * (width - 1) + ":" for width in widths[1:])]
    lines = [
        [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        for row in [head, ruler, *rows]
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
