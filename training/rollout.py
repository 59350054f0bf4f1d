"""Self-play: the policy plays all four seats of many tables and every choice is written down."""

from dataclasses import dataclass

import torch
from torch import Tensor

from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import N_OBSERVATION, N_STATE, OFFSETS
from training.model import Actor, Critic

REWARD_SCALE = 0.01
"""Points of a deal to units of value."""


@dataclass
class Rollout:
    """T decisions at each of N tables; `state` holds the observation in its first OBS columns."""

    state: Tensor  # float32 [T, N, STATE], from the side of the seat that acts
    action_mask: Tensor  # int8 [T, N, 45]
    action: Tensor  # int64 [T, N], in canonical suits
    log_prob: Tensor  # float32 [T, N], of the action when it was taken
    value: Tensor  # float32 [T, N], the critic's estimate for the side to act
    side: Tensor  # float32 [T, N], +1 where south-north act, -1 where west-east do
    reward: Tensor  # float32 [T, N], for south-north, in hundreds of points
    deal_over: Tensor  # float32 [T, N], 1 where the decision was the last of its deal
    next_value: Tensor  # float32 [N], the critic's estimate after the last decision, for the side then to act
    next_side: Tensor  # float32 [N]

    @classmethod
    def empty(cls, steps: int, tables: int) -> "Rollout":
        """Room for `steps` decisions at each of `tables`."""

        def zeros(*shape: int) -> Tensor:
            return torch.zeros(steps, tables, *shape)

        return cls(
            state=zeros(N_STATE),
            action_mask=torch.zeros(steps, tables, N_ACTIONS, dtype=torch.int8),
            action=torch.zeros(steps, tables, dtype=torch.int64),
            log_prob=zeros(),
            value=zeros(),
            side=zeros(),
            reward=zeros(),
            deal_over=zeros(),
            next_value=torch.zeros(tables),
            next_side=torch.zeros(tables),
        )


@torch.inference_mode()
def collect(rollout: Rollout, games: VectorGames, actor: Actor, critic: Critic, generator: torch.Generator) -> None:
    """Fill `rollout` by playing on in `games`; forced plays are made inside and never stored."""
    for step in range(len(rollout.action)):
        state = rollout.state[step]
        state[:, :N_OBSERVATION] = torch.from_numpy(games.observation)
        state[:, N_OBSERVATION:] = torch.from_numpy(games.hidden_hands)
        rollout.action_mask[step] = torch.from_numpy(games.action_mask)
        rollout.side[step] = side_of(games)
        logits = actor(state[:, :N_OBSERVATION], rollout.action_mask[step])
        rollout.action[step], rollout.log_prob[step] = sample(logits, generator)
        rollout.value[step] = critic(state)
        games.step(rollout.action[step].numpy())
        rollout.reward[step] = torch.from_numpy(games.reward) * REWARD_SCALE
        rollout.deal_over[step] = torch.from_numpy(games.deal_over)
    state = torch.cat([torch.from_numpy(games.observation), torch.from_numpy(games.hidden_hands)], dim=1)
    rollout.next_value[:] = critic(state)
    rollout.next_side[:] = side_of(games)


def side_of(games: VectorGames) -> Tensor:
    """+1 where south-north act, -1 where west-east do: float32 [N]."""
    return 1.0 - 2.0 * torch.from_numpy(games.seat & 1).float()


def sample(logits: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Actions int64 [N] drawn from logits [N, A], and their log-probabilities [N] (exponential races)."""
    log_probs = torch.log_softmax(logits, dim=1)
    races = torch.empty_like(log_probs).exponential_(generator=generator)
    action = (log_probs.exp() / races).argmax(dim=1)
    return action, log_probs.gather(1, action[:, None]).squeeze(1)


def advantages(rollout: Rollout, gae_lambda: float) -> tuple[Tensor, Tensor]:
    """Advantages and returns float32 [T, N] for the side that acted (generalised advantage estimation, Schulman et al.
    2016, undiscounted).

    The decisions of a deal, by whichever seat, are one chain with one value, that of south-north; the sign turns for
    west-east.
    """
    value = rollout.value * rollout.side
    next_value = rollout.next_value * rollout.next_side
    result = torch.zeros_like(value)
    running = torch.zeros_like(next_value)
    for step in reversed(range(len(value))):
        going_on = 1.0 - rollout.deal_over[step]
        delta = rollout.reward[step] + going_on * next_value - value[step]
        running = delta + going_on * gae_lambda * running
        result[step] = running
        next_value = value[step]
    return result * rollout.side, (result + value) * rollout.side


def normalised(advantage: Tensor, state: Tensor) -> Tensor:
    """Advantages [B] with mean 0 and standard deviation 1, apart for the choice of trump, card play and claims of roem.

    `state` [B, STATE]. They differ in scale: a bid decides a whole deal, a claim some 20 points.
    """
    playing, claiming = (state[:, OFFSETS["phase"] + place] > 0.5 for place in (2, 3))
    result = torch.empty_like(advantage)
    for kind in (playing, claiming, ~(playing | claiming)):
        chosen = advantage[kind]
        if len(chosen) > 1:
            result[kind] = (chosen - chosen.mean()) / (chosen.std() + 1e-8)
        else:
            result[kind] = 0.0
    return result
