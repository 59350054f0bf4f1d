"""Who holds the seats that do not learn: names, exported bots, bots and policies made into players of many tables."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from klaverjas_env.bots import BASELINES, Bot, BotError, make_bot
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.jit import jit
from klaverjas_env.observation import N_OBSERVATION, PHYSICAL, write_mask, write_observation

Policy: TypeAlias = Callable[[np.ndarray, np.ndarray], Any]
"""One legal action int [N] for observations float32 [N, OBS] and masks int8 [N, 45]: what a net of the caller is."""
Player: TypeAlias = str | os.PathLike[str] | Bot | Policy
"""A name for `make_bot`, the path of an exported bot, a bot, or a policy."""

RANDOM: Final = "random"
"""The player that needs no call from Python: it draws from the seed of its table, inside compiled code."""
RELATIVE: Final = ("left", "partner", "right")
"""The seats after that of the learner, clockwise."""


def players_of(opponents: Player | Sequence[Player], partner: Player | None) -> tuple[Player, Player, Player]:
    """The players on the left, opposite and on the right.

    Args:
        opponents: who holds both seats of the other side, or a pair: left and right.
        partner: who sits opposite; when left out, the same as the opponents.

    Raises ValueError where that is not clear or is no player, BotError for a bot that is not known or cannot be read.
    """
    if isinstance(opponents, list | tuple):
        if len(opponents) != 2:
            raise ValueError(
                f"opponents: {len(opponents)} players; give one for both seats, or two (left, right), and the partner"
                " as partner="
            )
        if partner is None:
            raise ValueError("partner: not given, and the two opponents may differ; name the partner as well")
        left, right = opponents
    else:
        left = right = opponents
    players: tuple[Player, Player, Player] = (left, left if partner is None else partner, right)
    for where, player in zip(RELATIVE, players, strict=True):
        if not isinstance(player, str | os.PathLike | Bot) and not callable(player):
            raise ValueError(
                f"{where}: {player!r} is not a player; give a name ({', '.join(BASELINES)}), the path of an exported"
                " .onnx, a Bot, or a callable (observations, masks) -> actions"
            )
    return players


class Chair:
    """One player, asked for many tables at once.

    A bot that is known by name is made anew from each seed, so that whatever it draws repeats with the seed.
    """

    def __init__(self, player: Player) -> None:
        self.player = player
        self._act = self._made(0)

    def reseed(self, seed: int) -> None:
        """Begin anew from a seed, where the player is one that takes a seed."""
        if isinstance(self.player, str) and self.player in BASELINES:
            self._act = self._made(seed)

    def actions(self, views: np.ndarray) -> np.ndarray:
        """An action int64 [N] for each of the views `GAME` [N]; whether they are legal is for the caller to check."""
        actions = np.asarray(self._act(views))
        if actions.shape != (len(views),) or actions.dtype.kind not in "iu":
            raise BotError(
                f"player {self.player!r}: answered {len(views)} decisions with {actions.dtype} {actions.shape}; needed"
                f" are whole numbers of shape ({len(views)},)"
            )
        return actions.astype(np.int64, copy=False)

    def _made(self, seed: int) -> Callable[[np.ndarray], Any]:
        if isinstance(self.player, str | os.PathLike):
            return make_bot(os.fspath(self.player), seed).act_many
        if isinstance(self.player, Bot):
            return self.player.act_many
        return _Reader(self.player)


class _Reader:
    """A policy that reads views: a class, so that environments with one can be copied."""

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def __call__(self, views: np.ndarray) -> Any:
        observation = np.empty((len(views), N_OBSERVATION), np.float32)
        mask = np.empty((len(views), N_ACTIONS), np.int8)
        _read(views, PHYSICAL, observation, mask)
        return self._policy(observation, mask)


@jit
def _read(views: np.ndarray, order: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> None:
    for i in range(len(views)):
        view = views[i]
        write_observation(view, view.to_act, order, observation[i])
        write_mask(view, view.to_act, order, mask[i])
