"""Tianshou 2: deep Monte-Carlo self-play through the PettingZoo door, `python -m examples.tianshou_dqn --seconds 60`.

Tianshou's `DQN` with returns that reach past the end of the deal: no bootstrapping, so each Q value learns what its own
side made of the deal (DouZero's method). One net plays all four seats; the action mask reaches it as `obs.mask`.
"""

import logging

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.utils.torch_utils import policy_within_training_step
from torch import nn

from examples.measure import HOUSE, Clock, arguments, measure
from klaverjas_env import klaverjas_v0
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import N_OBSERVATION

N_ENVS = 16
LONGER_THAN_A_DEAL = 64
"""Steps of a return: 32 cards and the bids before them lie within."""
EXPLORATION = 0.1


class QNet(nn.Module):
    """Q values in points; the layers themselves work in units of 100 points."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(N_OBSERVATION, 256), nn.ReLU(), nn.Linear(256, 128), nn.ReLU(), nn.Linear(128, N_ACTIONS)
        )

    def forward(self, obs, state=None, info=None):
        return 100.0 * self.layers(torch.as_tensor(obs, dtype=torch.float32)), state


def self_play(net: QNet, door: PettingZooEnv) -> MultiAgentOffPolicyAlgorithm:
    """One DQN in all four seats."""
    # Both, because MultiAgentPolicy does not tell the policies within that this is training.
    policy = DiscreteQLearningPolicy(
        model=net, action_space=door.action_space, eps_training=EXPLORATION, eps_inference=EXPLORATION
    )
    dqn = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=LONGER_THAN_A_DEAL,
        huber_loss_delta=200.0,
    )
    return MultiAgentOffPolicyAlgorithm(algorithms=[dqn] * 4, env=door)


def main() -> None:
    chosen = arguments(__doc__)
    torch.set_num_threads(1)
    logging.getLogger("tianshou.data.stats").setLevel(logging.ERROR)  # it warns of rewards for four at every collect
    torch.manual_seed(chosen.seed)
    np.random.seed(chosen.seed)  # noqa: NPY002 (Tianshou explores and samples with it)
    envs = DummyVectorEnv([lambda: PettingZooEnv(klaverjas_v0.env(HOUSE)) for _ in range(N_ENVS)])
    envs.seed([chosen.seed * N_ENVS + i for i in range(N_ENVS)])

    net = QNet()
    algorithm = self_play(net, PettingZooEnv(klaverjas_v0.env(HOUSE)))
    buffer = VectorReplayBuffer(40_000, N_ENVS)
    collector = Collector(algorithm, envs, buffer, exploration_noise=True)

    def best(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        with torch.no_grad():
            values, _ = net(observation)
        return np.where(action_mask == 1, values.numpy(), -np.inf).argmax(1)

    measure("before", "Tianshou DQN", best, chosen.pairs)
    clock = Clock(chosen.seconds)
    collector.reset()
    steps = 0
    while clock.running:
        with policy_within_training_step(algorithm.policy):
            # Whole deals only: an unfinished one would borrow the Q value of another seat.
            steps += collector.collect(n_episode=2 * N_ENVS).n_collected_steps
            for _ in range(8):
                algorithm.update(buffer, sample_size=512)
    print(f"trained on {steps:,} decisions in {clock.spent:.0f} s of processor time")
    measure("after", "Tianshou DQN", best, chosen.pairs)


if __name__ == "__main__":
    main()
