"""The PettingZoo door as RLlib's action masking wants it: key `"observations"`, a mask of floats; needs no ray."""

from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper

from klaverjas_env.envs.aec import Observation
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import HIGHEST_FEATURE, N_OBSERVATION


class RLlibWrapper(BaseWrapper[str, Observation, int | None]):
    """An environment of `klaverjas_v0` for `ray.rllib.env.PettingZooEnv` and RLlib's `ActionMaskingTorchRLModule`.

    An observation is a dictionary of `"observations"`, float32 [OBS], and `"action_mask"`, float32 [45]; the rewards
    that `last()` gives are points times `reward_scale`. All else is as in the environment within.
    """

    def __init__(self, env: AECEnv[str, Observation, int | None], reward_scale: float = 1.0) -> None:
        super().__init__(env)
        self.reward_scale = reward_scale
        self._space = spaces.Dict(
            {
                "observations": spaces.Box(0.0, HIGHEST_FEATURE, (N_OBSERVATION,), np.float32),
                "action_mask": spaces.Box(0.0, 1.0, (N_ACTIONS,), np.float32),
            }
        )

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the observations: the same object for all agents."""
        return self._space

    def observe(self, agent: str) -> Observation:
        """The observation of `agent` under the keys of RLlib."""
        seen: Observation | None = self.env.observe(agent)
        if seen is None:
            raise ValueError(f"{agent} has nothing to observe before reset()")
        return {"observations": seen["observation"], "action_mask": seen["action_mask"].astype(np.float32)}

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What PettingZoo's `last` gives, with the reward scaled."""
        seen, reward, termination, truncation, info = super().last(observe)
        return seen, reward * self.reward_scale, termination, truncation, info
