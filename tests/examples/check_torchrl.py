"""Run in the environment of `torchrl`: the PettingZoo door through `PettingZooWrapper`, and the example's tables."""

import gymnasium as gym
import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.envs import PettingZooWrapper
from torchrl.modules import MaskedCategorical, ProbabilisticActor

from examples.measure import HOUSE
from examples.torchrl_ppo import Tables
from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.aec import AGENTS
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import N_OBSERVATION

torch.manual_seed(0)
env = PettingZooWrapper(klaverjas_v0.env(HOUSE), group_map={"player": list(AGENTS)}, use_mask=True, seed=5)
actor = ProbabilisticActor(
    TensorDictModule(
        nn.Linear(N_OBSERVATION, N_ACTIONS), [("player", "observation", "observation")], [("player", "logits")]
    ),
    in_keys={"logits": ("player", "logits"), "mask": ("player", "action_mask")},
    out_keys=[("player", "action")],
    distribution_class=MaskedCategorical,
)
with torch.no_grad():
    deals = env.rollout(120, actor, break_when_any_done=False)
players = deals["player"]
assert players["action_mask"].any(-1).all(), "TorchRL saw a mask without any action"
assert (players["mask"].sum(-1) == 1).all(), "not exactly one seat had the turn"
ended = deals["next", "done"].squeeze(-1)
assert ended.sum() >= 2
rewards = deals["next", "player", "reward"].squeeze(-1)
assert (rewards[~ended] == 0).all()
# An illegal action would be paid to one player alone.
assert (rewards[:, 0] == rewards[:, 2]).all()
assert (rewards[:, 0] == -rewards[:, 1]).all()
assert (rewards[ended].abs() > 0).all()

tables = Tables(gym.make_vec("klaverjas_env:Klaverjas-v0", num_envs=4, vectorization_mode="vector_entry_point"))
tables.set_seed(3)
tables.reset()
assert tables.reset()["action_mask"].any(-1).all()
