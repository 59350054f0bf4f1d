"""Checkpoints: everything that a run needs to go on exactly, and the policy in it as a bot."""

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from klaverjas_env.bots.network import PolicyBot
from klaverjas_env.files import write_whole
from klaverjas_env.game import ACTIONS
from klaverjas_env.observation import OBSERVATION
from klaverjas_env.rng import GENERATOR
from klaverjas_env.rules.variant import Variant
from training.config import Config, ConfigError, from_mapping
from training.model import Actor

CHECKPOINT_FORMAT: Final = "klaverjas-checkpoint-v1"
LATEST: Final = "latest.pt"
"""The checkpoint in a run's folder."""


class CheckpointError(ValueError):
    """A checkpoint that cannot be used; the text says why."""


@dataclass
class Checkpoint:
    """A run between two updates."""

    config: Config
    update: int
    """Updates done."""
    decisions: int
    """Decisions trained on."""
    seconds: float
    """Time spent in training."""
    state: dict[str, Any]
    """Tensors by name: weights, averaged weights, optimiser, games and random generators."""
    measured: dict[str, float]
    """The last evaluation: points a deal by opponent."""


def save(path: Path, checkpoint: Checkpoint) -> None:
    """Write a checkpoint whole or not at all."""
    content = {
        "format": CHECKPOINT_FORMAT,
        "layouts": _layouts(),
        "rules_hash": Variant.parse(checkpoint.config.variant).rules_hash,
        "config": dataclasses.asdict(checkpoint.config),
        "update": checkpoint.update,
        "decisions": checkpoint.decisions,
        "seconds": checkpoint.seconds,
        "state": checkpoint.state,
        "measured": checkpoint.measured,
    }
    write_whole(path, lambda file: torch.save(content, file))


def load(path: Path) -> Checkpoint:
    """Read a checkpoint, or the one in a run's folder. Only tensors and plain values are read, never code."""
    if path.is_dir():
        path = path / LATEST
    if not path.is_file():
        raise CheckpointError(f"checkpoint {path}: no such file")
    try:
        content = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises several unrelated classes for a damaged file
        raise CheckpointError(f"checkpoint {path}: is damaged or no checkpoint; it holds more than tensors") from error
    found = content.get("format") if isinstance(content, dict) else None
    if found != CHECKPOINT_FORMAT:
        raise CheckpointError(f"checkpoint {path}: has format {found!r}, this version reads {CHECKPOINT_FORMAT!r}")
    for name, ours in _layouts().items():
        theirs = content["layouts"].get(name)
        if theirs != ours:
            raise CheckpointError(f"checkpoint {path}: made with {name} layout {theirs!r}, this version has {ours!r}")
    try:
        config = from_mapping(content["config"], Config(), f"checkpoint {path}")
    except ConfigError as error:
        raise CheckpointError(str(error)) from error
    return Checkpoint(
        config=config,
        update=content["update"],
        decisions=content["decisions"],
        seconds=content["seconds"],
        state=content["state"],
        measured=content["measured"],
    )


def averaged_actor(checkpoint: Checkpoint) -> Actor:
    """The policy of a checkpoint: its averaged weights."""
    actor = Actor(checkpoint.config.width, checkpoint.config.depth)
    actor.load_state_dict(checkpoint.state["average"])
    return actor.requires_grad_(False).eval()


class TorchBot(PolicyBot):
    """A policy that still lives in torch."""

    def __init__(self, actor: Actor, name: str) -> None:
        self.name = name
        self._actor = actor

    @torch.inference_mode()
    def logits(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        answer: np.ndarray = self._actor(torch.from_numpy(observation), torch.from_numpy(action_mask)).numpy()
        return answer


def load_bot(path: str | Path) -> TorchBot:
    """The policy of a checkpoint file or run folder as a bot."""
    return TorchBot(averaged_actor(load(Path(path))), str(path))


def _layouts() -> dict[str, str]:
    return {"actions": ACTIONS, "observation": OBSERVATION, "deals": GENERATOR}
