"""A trained net as a bot: an exported ONNX file played through onnxruntime, without torch."""

import json
from abc import abstractmethod
from pathlib import Path
from typing import Any, Final

import numpy as np

from klaverjas_env.bots.bot import Bot
from klaverjas_env.game import ACTIONS, N_ACTIONS
from klaverjas_env.jit import jit
from klaverjas_env.observation import (
    N_OBSERVATION,
    OBSERVATION,
    action_from_slots,
    canonical_order,
    write_mask,
    write_observation,
)

BOT_FORMAT: Final = "klaverjas-bot-v1"
"""Frozen name of what an exported bot is: inputs `observation` float32 [N, OBS] and `action_mask` int8 [N, 45], output
`logits` float32 [N, 45] with illegal actions far below all others; suits in canonical order; a JSON card in the model's
metadata under `card`."""


class BotError(ValueError):
    """A bot file that cannot be played; the text says why."""


class PolicyBot(Bot):
    """A bot that plays the best logit of a net, suits in canonical order."""

    @abstractmethod
    def logits(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        """Logits float32 [N, 45] from an observation float32 [N, OBS] and a mask int8 [N, 45]."""

    def act_many(self, views: np.ndarray) -> np.ndarray:
        observation, action_mask, orders = encode(views)
        logits = self.logits(observation, action_mask)
        if not np.isfinite(logits).all():
            raise BotError(f"bot {self.name}: the net answered with NaN or infinity; the file is damaged or untrained")
        return _best_actions(logits, action_mask, orders)


class NetworkBot(PolicyBot):
    """An exported bot."""

    def __init__(self, path: str | Path) -> None:
        """Raises BotError when the file is missing, is no bot, or was made for other layouts."""
        self.name = str(path)
        self._session = _open(Path(path))
        self.card = _card_of(self._session, self.name)
        _check_layouts(self.card, self.name)

    def __reduce__(self) -> tuple[type["NetworkBot"], tuple[str]]:
        """A copy opens the file again: onnxruntime cannot copy what it has opened."""
        return NetworkBot, (self.name,)

    def logits(self, observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        _check_input(observation, action_mask)
        answer: np.ndarray = self._session.run(["logits"], {"observation": observation, "action_mask": action_mask})[0]
        return answer


def encode(views: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What a net reads for the seat to act in each view: observation float32 [N, OBS], mask int8 [N, 45] and the
    canonical suit orders int64 [N, 4] in which both stand."""
    n = len(views)
    observation = np.empty((n, N_OBSERVATION), dtype=np.float32)
    action_mask = np.empty((n, N_ACTIONS), dtype=np.int8)
    orders = np.empty((n, 4), dtype=np.int64)
    _encode(views, observation, action_mask, orders)
    return observation, action_mask, orders


@jit
def _encode(views: np.ndarray, observation: np.ndarray, action_mask: np.ndarray, orders: np.ndarray) -> None:
    for i in range(len(views)):
        view = views[i]
        canonical_order(view, view.to_act, orders[i])
        write_observation(view, view.to_act, orders[i], observation[i])
        write_mask(view, view.to_act, orders[i], action_mask[i])


@jit
def _best_actions(logits: np.ndarray, action_mask: np.ndarray, orders: np.ndarray) -> np.ndarray:
    """The legal action with the highest logit in each row: int64 [N]."""
    actions = np.zeros(len(logits), dtype=np.int64)
    for i in range(len(logits)):
        best = -1
        for action in range(logits.shape[1]):
            if action_mask[i, action] != 0 and (best < 0 or logits[i, action] > logits[i, best]):
                best = action
        actions[i] = action_from_slots(best, orders[i])
    return actions


def _check_input(observation: np.ndarray, action_mask: np.ndarray) -> None:
    for name, given, dtype, width in (
        ("observation", observation, np.float32, N_OBSERVATION),
        ("action_mask", action_mask, np.int8, N_ACTIONS),
    ):
        if given.dtype != dtype or given.ndim != 2 or given.shape[1] != width:
            raise BotError(
                f"{name}: {given.dtype} {list(given.shape)} is given, and a bot reads"
                f" {np.dtype(dtype)} [N, {width}] (layout {OBSERVATION}, {ACTIONS})"
            )
    if not np.isfinite(observation).all():
        row, feature = np.argwhere(~np.isfinite(observation))[0]
        raise BotError(
            f"observation[{row}, {feature}] is {observation[row, feature]}; features lie in 0..8 (layout {OBSERVATION})"
        )


def _open(path: Path) -> Any:
    try:
        import onnxruntime
    except ImportError as error:
        raise BotError("an exported bot needs onnxruntime: pip install 'klaverjas-env[bots]'") from error
    if not path.is_file():
        raise BotError(f"bot {path}: no such file")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    try:
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime raises several unrelated classes for a damaged file
        raise BotError(f"bot {path}: is not an ONNX model that onnxruntime can open ({error})") from error


def _card_of(session: Any, name: str) -> dict[str, Any]:
    text = session.get_modelmeta().custom_metadata_map.get("card")
    try:
        card = json.loads(text or "")
    except json.JSONDecodeError:
        card = None
    if not isinstance(card, dict) or card.get("format") != BOT_FORMAT:
        found = card.get("format") if isinstance(card, dict) else None
        raise BotError(f"bot {name}: carries no card of format {BOT_FORMAT!r} (found {found!r}); export it anew")
    return card


def _check_layouts(card: dict[str, Any], name: str) -> None:
    for key, ours in (("actions", ACTIONS), ("observation", OBSERVATION)):
        if card.get(key) != ours:
            raise BotError(f"bot {name}: made for the {key} layout {card.get(key)!r}, this version plays {ours!r}")
