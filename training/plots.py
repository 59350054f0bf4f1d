"""The pictures of a ladder: rating against time a decision, and the matrix of margins. Needs matplotlib."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np

from klaverjas_env.files import write_whole
from training.ladder_report import margins, ranked
from training.rating import ELO_ANCHOR, ELO_PER_POINT

INK: Final = "#1f2933"
FAINT: Final = "#d5dae0"
BLUE: Final = "#1f6fb2"


class PlotError(RuntimeError):
    """The pictures cannot be drawn; the text says why."""


def draw(found: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draw rating.png and matrix.png of a ladder's report into `folder`.

    Raises PlotError without matplotlib, and when nobody is rated yet.
    """
    if not any(bot["rating"] for bot in found["bots"]):
        raise PlotError("no plots: no bot is rated yet")
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise PlotError("no plots: they need matplotlib: pip install 'klaverjas-env[plots]'") from error
    paths = []
    for name, picture in (("rating", _rating), ("matrix", _matrix)):
        figure = Figure(layout="constrained", dpi=160, facecolor="white")
        picture(found, figure)
        path = folder / f"{name}.png"
        write_whole(path, partial(figure.savefig, format="png"))
        paths.append(path)
    return paths


def _caption(found: Mapping[str, Any]) -> str:
    settings = found["settings"]
    pairs = [pairing["pairs"] for pairing in found["pairings"]] or [0]
    played = f"{min(pairs):,}" if min(pairs) == max(pairs) else f"{min(pairs):,}–{max(pairs):,}"
    return f"{settings['variant']}, contract {settings['contract']}, {played} pairs of deals a pairing, 95 % intervals"


def _rating(found: Mapping[str, Any], figure: Any) -> None:
    """Points a deal above the anchor, with intervals, against the time that a decision takes."""
    figure.set_size_inches(7.2, 4.6)
    axes = figure.add_subplot()
    bots = [bot for bot in ranked(found) if bot["rating"] and bot["seconds_per_decision"]]
    seconds = np.array([bot["seconds_per_decision"] for bot in bots])
    points = np.array([bot["rating"]["mean"] for bot in bots])
    widths = np.array([bot["rating"]["ci95"] for bot in bots])
    axes.errorbar(seconds, points, widths, fmt="o", color=BLUE, ecolor=BLUE, capsize=3, markersize=6, zorder=3)
    middle = np.sqrt(seconds.min() * seconds.max())
    for bot, x, y in zip(bots, seconds, points, strict=True):
        side = {"ha": "left", "xytext": (7, 5)} if x <= middle else {"ha": "right", "xytext": (-7, 5)}
        axes.annotate(bot["label"], (x, y), textcoords="offset points", va="bottom", color=INK, fontsize=9, **side)
    axes.axhline(0, color=INK, linewidth=0.8, zorder=1)
    axes.set_xscale("log")
    axes.margins(x=0.1, y=0.1)
    axes.set_xlabel("time a decision, one core, asked in batches")
    axes.xaxis.set_major_formatter(lambda value, _: _time(value))
    axes.set_ylabel(f"points a deal above {found['anchor']}")
    elo = axes.secondary_yaxis(
        "right",
        functions=(
            lambda value: ELO_ANCHOR + ELO_PER_POINT * value,
            lambda value: (value - ELO_ANCHOR) / ELO_PER_POINT,
        ),
    )
    elo.set_ylabel("Elo-like rating", color=INK)
    elo.spines["right"].set_visible(False)
    elo.tick_params(colors=INK)
    _finish(axes, "Strength against time", _caption(found))
    axes.grid(color=FAINT, linewidth=0.6, zorder=0)


def _time(seconds: float) -> str:
    """A power of ten of seconds as an axis writes it."""
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= 0.999 * size:
            return f"{seconds / size:g} {unit}"
    return f"{seconds / 1e-9:g} ns"


def _matrix(found: Mapping[str, Any], figure: Any) -> None:
    """The margin of every row against every column, the strongest first."""
    labels = [bot["label"] for bot in ranked(found)]
    margin = margins(found)
    size = len(labels)
    figure.set_size_inches(max(5.2, 1.9 + 0.86 * size), max(3.6, 1.5 + 0.62 * size))
    axes = figure.add_subplot()
    values = np.array([[margin[a, b].mean if (a, b) in margin else np.nan for b in labels] for a in labels])
    most = float(np.nanmax(np.abs(values))) or 1.0
    axes.set_facecolor("#eef1f4")
    image = axes.imshow(values, cmap="RdBu", vmin=-most, vmax=most, aspect="auto")
    for row, a in enumerate(labels):
        for column, b in enumerate(labels):
            if (a, b) in margin:
                mean, ci95 = margin[a, b].mean, margin[a, b].ci95
                ink = "white" if abs(mean) > 0.6 * most else INK
                place = {"ha": "center", "color": ink}
                axes.text(column, row - 0.04, f"{mean:+.1f}".replace("-", "−"), va="bottom", fontsize=9, **place)
                axes.text(column, row + 0.06, f"± {ci95:.1f}", va="top", fontsize=7, **place)
    axes.set_xticks(range(size), labels, rotation=30, ha="left", rotation_mode="anchor")
    axes.set_yticks(range(size), labels)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_xticks(np.arange(size + 1) - 0.5, minor=True)
    axes.set_yticks(np.arange(size + 1) - 0.5, minor=True)
    axes.grid(which="minor", color="white", linewidth=2)
    axes.tick_params(which="minor", length=0)
    bar = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02)
    bar.outline.set_visible(False)
    bar.set_label("points a deal, row against column")
    _finish(axes, "Points a deal, row against column", _caption(found))


def _finish(axes: Any, title: str, caption: str) -> None:
    axes.set_title(title, loc="left", color=INK, fontsize=12, fontweight="bold", pad=12)
    axes.figure.supxlabel(caption, x=0.01, ha="left", fontsize=7.5, color="#52606d")
    for spine in axes.spines.values():
        spine.set_visible(False)
    axes.tick_params(colors=INK)
