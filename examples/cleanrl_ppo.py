"""Plain PPO in one file, CleanRL's way, on the batched door: `python -m examples.cleanrl_ppo --seconds 60`.

`gymnasium.make_vec` gives a true batched environment: one step of N tables is one call. The learner sits south
and its partner is the same net (a callable can hold a seat); the opponents play at random.
"""

import gymnasium as gym
import numpy as np
import torch
from torch import nn
from torch.distributions import Categorical

from examples.measure import HOUSE, Clock, arguments, measure
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import N_OBSERVATION

N_ENVS = 256
N_STEPS = 32
N_EPOCHS = 4
N_MINIBATCHES = 8
LEARNING_RATE = 1e-3
GAMMA = 1.0
GAE_LAMBDA = 0.95
CLIP = 0.2
ENTROPY = 0.01
VALUE = 0.5
MAX_GRADIENT = 0.5


def layers(outputs: int, gain: float) -> nn.Sequential:
    """A net of one hidden layer, its last layer scaled by `gain`."""
    net = nn.Sequential(nn.Linear(N_OBSERVATION, 256), nn.ReLU(), nn.Linear(256, outputs))
    nn.init.orthogonal_(net[-1].weight, gain)
    return net


class Agent(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.actor = layers(N_ACTIONS, 0.01)
        self.critic = layers(1, 1.0)

    def policy(self, observation: torch.Tensor, mask: torch.Tensor) -> Categorical:
        return Categorical(logits=self.actor(observation).masked_fill(mask == 0, -1e9), validate_args=False)

    def value(self, observation: torch.Tensor) -> torch.Tensor:
        return self.critic(observation).squeeze(-1)


def main() -> None:
    chosen = arguments(__doc__)
    torch.set_num_threads(1)
    torch.manual_seed(chosen.seed)
    agent = Agent()
    optimizer = torch.optim.Adam(agent.parameters(), lr=LEARNING_RATE, eps=1e-5)

    @torch.no_grad()
    def best(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        logits = agent.policy(torch.as_tensor(observation), torch.as_tensor(action_mask)).logits
        return logits.argmax(1).numpy()

    envs = gym.make_vec(
        "klaverjas_env:Klaverjas-v0",
        num_envs=N_ENVS,
        vectorization_mode="vector_entry_point",
        variant=HOUSE,
        opponents="random",
        partner=best,
        reward_scale=0.01,
    )
    measure("before", "CleanRL PPO", best, chosen.pairs)
    clock = Clock(chosen.seconds)
    observations = torch.zeros(N_STEPS, N_ENVS, N_OBSERVATION)
    masks = torch.zeros(N_STEPS, N_ENVS, N_ACTIONS, dtype=torch.int8)
    actions = torch.zeros(N_STEPS, N_ENVS, dtype=torch.int64)
    log_probs, rewards, dones, values = (torch.zeros(N_STEPS, N_ENVS) for _ in range(4))
    seen, infos = envs.reset(seed=chosen.seed)
    decisions = 0
    while clock.running:
        with torch.no_grad():
            for step in range(N_STEPS):
                observations[step] = torch.as_tensor(seen)
                masks[step] = torch.as_tensor(infos["action_mask"])
                policy = agent.policy(observations[step], masks[step])
                actions[step] = policy.sample()
                log_probs[step] = policy.log_prob(actions[step])
                values[step] = agent.value(observations[step])
                seen, reward, terminated, _, infos = envs.step(actions[step].numpy())
                rewards[step] = torch.as_tensor(reward, dtype=torch.float32)
                dones[step] = torch.as_tensor(terminated, dtype=torch.float32)
            advantages = torch.zeros_like(rewards)
            advantage, next_value = torch.zeros(N_ENVS), agent.value(torch.as_tensor(seen))
            for step in reversed(range(N_STEPS)):
                goes_on = 1.0 - dones[step]
                error = rewards[step] + GAMMA * next_value * goes_on - values[step]
                advantage = error + GAMMA * GAE_LAMBDA * goes_on * advantage
                advantages[step], next_value = advantage, values[step]
            returns = advantages + values
        decisions += N_STEPS * N_ENVS

        batch = [array.flatten(0, 1) for array in (observations, masks, actions, log_probs, advantages, returns)]
        for _ in range(N_EPOCHS):
            for rows in torch.randperm(N_STEPS * N_ENVS).chunk(N_MINIBATCHES):
                observation, mask, action, log_prob, advantage, target = (array[rows] for array in batch)
                policy = agent.policy(observation, mask)
                ratio = (policy.log_prob(action) - log_prob).exp()
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
                gain = torch.min(ratio * advantage, ratio.clamp(1 - CLIP, 1 + CLIP) * advantage).mean()
                value_loss = 0.5 * (agent.value(observation) - target).square().mean()
                loss = -gain + VALUE * value_loss - ENTROPY * policy.entropy().mean()
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(agent.parameters(), MAX_GRADIENT)
                optimizer.step()
    print(f"trained on {decisions:,} decisions in {clock.spent:.0f} s of processor time")
    measure("after", "CleanRL PPO", best, chosen.pairs)


if __name__ == "__main__":
    main()
