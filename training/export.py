"""A checkpoint as a bot for other front ends: `python -m training.export CHECKPOINT [OUT.onnx]`.

Writes an ONNX file with its card inside, and the same card as JSON beside it. Before anything is written the exported
net is compared with the torch net on positions of real deals.
"""

import argparse
import json
import logging
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import torch

from klaverjas_env.bots.network import BOT_FORMAT, BotError, NetworkBot
from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.files import write_json, write_whole
from klaverjas_env.game import ACTIONS, N_ACTIONS
from klaverjas_env.observation import BLOCKS, N_OBSERVATION, OBSERVATION
from klaverjas_env.rules.variant import Variant
from klaverjas_env.version import __version__
from training.checkpoint import Checkpoint, CheckpointError, TorchBot, averaged_actor, load
from training.model import Actor
from training.provenance import commit

VERIFIED_POSITIONS = 16_384
TOLERANCE = 1e-3
"""Largest difference of two logits that counts as equal."""


class ExportError(RuntimeError):
    """An exported net that does not play as the net it was made from."""


def export(checkpoint_path: Path, out: Path | None = None, measured: dict[str, Any] | None = None) -> Path:
    """Write the averaged policy of a checkpoint as `out` (default: bot.onnx beside it) and its card as JSON.

    `measured` goes into the card: results by opponent. Raises CheckpointError, and ExportError when the exported net
    differs; nothing is written then.
    """
    checkpoint = load(checkpoint_path)
    folder = checkpoint_path if checkpoint_path.is_dir() else checkpoint_path.parent
    out = out or folder / "bot.onnx"
    actor = averaged_actor(checkpoint)
    card = make_card(checkpoint, measured or checkpoint.measured)
    with tempfile.TemporaryDirectory() as temporary:
        draft = Path(temporary) / "bot.onnx"
        _write_onnx(actor, draft, card)
        verify(actor, draft, checkpoint.config.variant)
        content = draft.read_bytes()
    write_whole(out, lambda file: file.write(content))
    write_json(out.with_suffix(".json"), card)
    return out


def make_card(checkpoint: Checkpoint, measured: dict[str, Any]) -> dict[str, Any]:
    """What a front end and its user should know of a bot."""
    variant = Variant.parse(checkpoint.config.variant)
    return {
        "format": BOT_FORMAT,
        "version": __version__,
        "actions": ACTIONS,
        "observation": OBSERVATION,
        "observation_blocks": BLOCKS,
        "suits": "canonical",
        "inputs": {"observation": ["float32", "N", N_OBSERVATION], "action_mask": ["int8", "N", N_ACTIONS]},
        "outputs": {"logits": ["float32", "N", N_ACTIONS]},
        "variant": str(variant),
        "rules_hash": variant.rules_hash,
        "training": {
            "decisions": checkpoint.decisions,
            "minutes": round(checkpoint.seconds / 60, 1),
            "seed": checkpoint.config.seed,
            "width": checkpoint.config.width,
            "depth": checkpoint.config.depth,
            "commit": commit(),
        },
        "measured": measured,
        "license": "MIT",
    }


def verify(actor: Actor, path: Path, variant: str) -> None:
    """Compare the exported net with the torch net on `VERIFIED_POSITIONS` positions of random deals."""
    exported = NetworkBot(path)
    reference = TorchBot(actor, "torch")
    rng = np.random.default_rng(0)
    games = VectorGames(1024, variant, seed=7, skip_forced=True, canonical=True, random_contracts=0.2)
    for _ in range(VERIFIED_POSITIONS // games.n):
        games.step(games.random_actions(rng))
        ours = exported.logits(games.observation, games.action_mask)
        theirs = reference.logits(games.observation, games.action_mask)
        legal = games.action_mask != 0
        difference = float(np.abs(ours - theirs)[legal].max())
        if not difference <= TOLERANCE or (ours[~legal] > theirs[legal].min()).any():
            raise ExportError(f"the exported net differs from the torch net by up to {difference:.2g}; not written")


def _write_onnx(actor: Actor, path: Path, card: dict[str, Any]) -> None:
    import onnx

    example = (torch.zeros(2, N_OBSERVATION), torch.ones(2, N_ACTIONS, dtype=torch.int8))
    rows = torch.export.Dim("N")
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter warns of its own internals
        torch.onnx.export(
            actor,
            example,
            str(path),
            input_names=["observation", "action_mask"],
            output_names=["logits"],
            dynamic_shapes=({0: rows}, {0: rows}),
            dynamo=True,
            external_data=False,
            verbose=False,
        )
    model = onnx.load(str(path))
    onnx.helper.set_model_props(model, {"card": json.dumps(card)})
    onnx.checker.check_model(model)
    onnx.save(model, str(path))


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.export", description="Export a checkpoint as a bot.")
    parser.add_argument("checkpoint", type=Path, help="a checkpoint or the folder of a run")
    parser.add_argument("out", type=Path, nargs="?", help="the ONNX file (default: bot.onnx beside the checkpoint)")
    chosen = parser.parse_args(arguments)
    try:
        out = export(chosen.checkpoint, chosen.out)
    except (CheckpointError, ExportError, BotError, OSError) as error:
        print(f"training.export: {error}", file=sys.stderr)
        return 2
    print(f"{out}  ({out.stat().st_size / 1e6:.1f} MB, verified on {VERIFIED_POSITIONS:,} positions)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
