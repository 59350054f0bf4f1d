"""sb3-contrib: `MaskablePPO` on the Gymnasium door, `python -m examples.sb3_maskable_ppo --seconds 60`.

The learner sits south, players at random hold the other seats. `action_masks()` of the environment is found by
MaskablePPO itself; the reward is that of the learner's own side, in units of 100 points.
"""

import gymnasium as gym
import numpy as np
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.env_util import make_vec_env

from examples.measure import HOUSE, Clock, arguments, measure

N_ENVS = 32


class UntilTheClock(BaseCallback):
    """Ends the training when its time is over."""

    def __init__(self, clock: Clock) -> None:
        super().__init__()
        self.clock = clock

    def _on_step(self) -> bool:
        return self.clock.running


def make_env() -> gym.Env:
    return gym.make("klaverjas_env:Klaverjas-v0", variant=HOUSE, opponents="random", reward_scale=0.01)


def main() -> None:
    chosen = arguments(__doc__)
    torch.set_num_threads(1)
    model = MaskablePPO(
        "MlpPolicy",
        make_vec_env(make_env, n_envs=N_ENVS, seed=chosen.seed),
        n_steps=64,
        batch_size=512,
        n_epochs=4,
        learning_rate=1e-3,
        gamma=1.0,
        gae_lambda=0.95,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256], "activation_fn": torch.nn.ReLU},
        seed=chosen.seed,
        device="cpu",
    )

    def best(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        return model.predict(observation, action_masks=action_mask, deterministic=True)[0]

    measure("before", "MaskablePPO", best, chosen.pairs)
    clock = Clock(chosen.seconds)
    model.learn(total_timesteps=10**9, callback=UntilTheClock(clock))
    print(f"trained on {model.num_timesteps:,} decisions in {clock.spent:.0f} s of processor time")
    measure("after", "MaskablePPO", best, chosen.pairs)


if __name__ == "__main__":
    main()
