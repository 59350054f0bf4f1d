"""RLlib, new API stack: PPO self-play through the PettingZoo door, `python -m examples.rllib_ppo --seconds 60`.

One masked module plays all four seats. `RLlibWrapper` gives the observation the keys and the float mask that RLlib's
own `ActionMaskingTorchRLModule` wants; RLlib's `PettingZooEnv` does the rest. Runs in this process, without workers.
"""

import os

import numpy as np

from examples.measure import HOUSE, Clock, arguments, measure

os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")  # RLlib asks for it, and warns until it is set

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.tune.registry import register_env

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.rllib import RLlibWrapper


def configuration(seed: int) -> PPOConfig:
    """PPO on whole deals, rewards in units of 100 points."""
    net = DefaultModelConfig(fcnet_hiddens=[256], fcnet_activation="relu", head_fcnet_hiddens=[], vf_share_layers=False)
    return (
        PPOConfig()
        .environment("klaverjas", disable_env_checking=True)  # the check plays without the mask
        .multi_agent(policies={"all_seats"}, policy_mapping_fn=lambda agent, episode, **more: "all_seats")
        .rl_module(
            rl_module_spec=MultiRLModuleSpec(
                rl_module_specs={"all_seats": RLModuleSpec(ActionMaskingTorchRLModule, model_config=net)}
            )
        )
        .env_runners(num_env_runners=0, num_envs_per_env_runner=8, batch_mode="complete_episodes")
        .learners(num_learners=0)
        .training(
            gamma=1.0,
            lambda_=1.0,
            lr=1e-3,
            train_batch_size_per_learner=1024,
            minibatch_size=256,
            num_epochs=4,
            entropy_coeff=0.01,
            use_kl_loss=False,
            clip_param=0.2,
        )
        .debugging(seed=seed, log_level="ERROR")
    )


def main() -> None:
    chosen = arguments(__doc__)
    torch.set_num_threads(1)
    register_env("klaverjas", lambda config: PettingZooEnv(RLlibWrapper(klaverjas_v0.env(HOUSE), reward_scale=0.01)))
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    algorithm = configuration(chosen.seed).build_algo()

    def best(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        seen = {"observations": torch.as_tensor(observation), "action_mask": torch.as_tensor(action_mask).float()}
        with torch.no_grad():
            logits = algorithm.get_module("all_seats").forward_inference({"obs": seen})["action_dist_inputs"]
        return logits.argmax(1).numpy()

    measure("before", "RLlib PPO", best, chosen.pairs)
    clock = Clock(chosen.seconds)
    steps = 0
    while clock.running:
        result = algorithm.train()
        steps = int(result["env_runners"]["num_env_steps_sampled_lifetime"])
    print(f"trained on {steps:,} decisions in {clock.spent:.0f} s of processor time")
    measure("after", "RLlib PPO", best, chosen.pairs)
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
