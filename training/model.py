"""The nets: an actor that sees one seat's view and a critic that sees all four hands."""

import copy
from typing import cast

import torch
from torch import Tensor, nn

from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import N_OBSERVATION, N_STATE

MASKED = -1e9
"""The logit of an illegal action."""


class Trunk(nn.Module):
    """A multilayer perceptron with skip connections: [N, inputs] -> [N, width]."""

    def __init__(self, inputs: int, width: int, depth: int) -> None:
        super().__init__()
        self.first = nn.Linear(inputs, width)
        self.rest = nn.ModuleList(nn.Linear(width, width) for _ in range(depth - 1))
        for layer in (self.first, *self.rest):
            nn.init.orthogonal_(cast(nn.Linear, layer).weight, 2**0.5)
            nn.init.zeros_(cast(nn.Linear, layer).bias)

    def forward(self, x: Tensor) -> Tensor:
        """Every layer after the first adds to what it is given."""
        x = torch.relu(self.first(x))
        for layer in self.rest:
            x = x + torch.relu(layer(x))
        return x


class Actor(nn.Module):
    """The policy: one net for the four seats, suits in canonical order."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.trunk = Trunk(N_OBSERVATION, width, depth)
        self.head = nn.Linear(width, N_ACTIONS)
        nn.init.orthogonal_(self.head.weight, 0.01)
        nn.init.zeros_(self.head.bias)

    def forward(self, observation: Tensor, action_mask: Tensor) -> Tensor:
        """Logits float32 [N, 45] from float32 [N, OBS] and a mask [N, 45]; illegal actions get `MASKED`."""
        logits = self.head(self.trunk(observation)).float()
        return torch.where(action_mask != 0, logits, MASKED)


class Critic(nn.Module):
    """The value of a deal for the side to act, in hundreds of points, from all four hands."""

    def __init__(self, width: int, depth: int) -> None:
        super().__init__()
        self.trunk = Trunk(N_STATE, width, depth)
        self.head = nn.Linear(width, 1)
        nn.init.orthogonal_(self.head.weight, 1.0)
        nn.init.zeros_(self.head.bias)

    def forward(self, state: Tensor) -> Tensor:
        """Values float32 [N] from float32 [N, STATE]."""
        value: Tensor = self.head(self.trunk(state)).float().squeeze(-1)
        return value


class Average:
    """An exponential moving average of an actor's weights, for evaluation and release."""

    def __init__(self, actor: Actor, decay: float) -> None:
        self.decay = decay
        self.actor = copy.deepcopy(actor).requires_grad_(False)
        self.steps = 0

    @torch.no_grad()
    def update(self, actor: Actor) -> None:
        """Take one step towards the weights of `actor`; early on the average follows faster."""
        self.steps += 1
        decay = min(self.decay, (1 + self.steps) / (10 + self.steps))
        torch._foreach_lerp_(list(self.actor.parameters()), list(actor.parameters()), 1.0 - decay)
