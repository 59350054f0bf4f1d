"""AgileRL: deep Monte-Carlo self-play through the PettingZoo door, `python -m examples.agilerl_dqn --seconds 60`.

As in AgileRL's own self-play tutorial, one masked `DQN` plays all seats of AEC environments and learns from a
`ReplayBuffer`. What is stored with an action is what the deal brought the side that took it, and `done`: AgileRL's
target takes the best of all actions of the next state, legal or not, so bootstrapping would only do harm.
"""

import numpy as np
import torch
from agilerl.algorithms.dqn import DQN
from agilerl.components.data import Transition
from agilerl.components.replay_buffer import ReplayBuffer
from tensordict import TensorDict

from examples.measure import HOUSE, Clock, arguments, measure
from klaverjas_env import klaverjas_v0

N_ENVS = 32
EXPLORATION = 0.1
LEARN_EVERY = 4
"""Rounds of one decision at each table between two gradient steps."""


class Table:
    """One environment in self-play, and what has been decided in the deal it is in."""

    def __init__(self, seed: int) -> None:
        self.env = klaverjas_v0.env(HOUSE)
        self.env.reset(seed=seed)
        self.taken: list[tuple[str, np.ndarray, int]] = []
        self.seen = self.env.last()[0]

    def step(self, action: int) -> list[tuple[np.ndarray, int, float]]:
        """Take an action; at the end of a deal (observation, action, points of that side) of every decision in it."""
        self.taken.append((self.env.agent_selection, self.seen["observation"], action))
        self.env.step(action)
        finished = []
        if all(self.env.terminations.values()):
            finished = [(seen, taken, self.env.rewards[agent]) for agent, seen, taken in self.taken]
            self.taken = []
            self.env.reset()
        self.seen = self.env.last()[0]
        return finished


def stored(finished: list[tuple[np.ndarray, int, float]]) -> TensorDict:
    """Decisions of finished deals as AgileRL stores them, in units of 100 points."""
    seen = torch.as_tensor(np.array([observation for observation, _, _ in finished]))
    transition = Transition(
        obs=seen,
        action=torch.tensor([[action] for _, action, _ in finished]),
        reward=torch.tensor([[points / 100.0] for _, _, points in finished]),
        next_obs=seen,
        done=torch.ones(len(finished), 1),
        batch_size=[len(finished)],
    )
    return transition.to_tensordict()


def main() -> None:
    chosen = arguments(__doc__)
    torch.set_num_threads(1)
    torch.manual_seed(chosen.seed)
    tables = [Table(chosen.seed * N_ENVS + i) for i in range(N_ENVS)]
    agent = DQN(
        observation_space=tables[0].env.observation_space("player_0")["observation"],
        action_space=tables[0].env.action_space("player_0"),
        net_config={"latent_dim": 128, "encoder_config": {"hidden_size": [256]}, "head_config": {"hidden_size": [128]}},
        batch_size=256,
        lr=1e-3,
        gamma=1.0,
    )
    memory = ReplayBuffer(max_size=50_000)

    def best(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        agent.set_training_mode(False)
        actions = agent.get_action(observation, epsilon=0.0, action_mask=action_mask)
        agent.set_training_mode(True)
        return actions

    measure("before", "AgileRL DQN", best, chosen.pairs)
    clock = Clock(chosen.seconds)
    rounds = 0
    finished: list[tuple[np.ndarray, int, float]] = []
    while clock.running:
        observation = np.array([table.seen["observation"] for table in tables])
        action_mask = np.array([table.seen["action_mask"] for table in tables])
        actions = agent.get_action(observation, epsilon=EXPLORATION, action_mask=action_mask)
        for table, action in zip(tables, actions, strict=True):
            finished += table.step(int(action))
        rounds += 1
        if len(finished) >= 256:
            memory.add(stored(finished))
            finished = []
        if rounds % LEARN_EVERY == 0 and len(memory) >= 1024:
            agent.learn(memory.sample(agent.batch_size))
    print(f"trained on {rounds * N_ENVS:,} decisions in {clock.spent:.0f} s of processor time")
    measure("after", "AgileRL DQN", best, chosen.pairs)


if __name__ == "__main__":
    main()
