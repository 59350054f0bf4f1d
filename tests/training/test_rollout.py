"""What a rollout holds, and the arithmetic of advantages."""

import numpy as np
import pytest
import torch

from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.observation import N_STATE, OFFSETS
from training.model import Actor, Critic
from training.rollout import Rollout, advantages, collect, normalised, sample


def test_with_lambda_one_a_finished_deal_returns_its_result_to_every_decision() -> None:
    rollout = Rollout.empty(4, 1)
    rollout.side[:, 0] = torch.tensor([1.0, -1.0, -1.0, 1.0])
    rollout.value[:, 0] = torch.tensor([0.3, -0.2, 0.5, 0.1])
    rollout.reward[2, 0] = 1.5  # south-north win the first deal by 150
    rollout.deal_over[2, 0] = 1.0
    rollout.next_value[0] = 0.4
    rollout.next_side[0] = -1.0
    advantage, returns = advantages(rollout, 1.0)
    assert returns[:, 0].tolist() == pytest.approx([1.5, -1.5, -1.5, -0.4])
    assert advantage[:, 0].tolist() == pytest.approx([1.2, -1.3, -2.0, -0.5])


def test_lambda_zero_is_the_one_step_error() -> None:
    rollout = Rollout.empty(2, 1)
    rollout.side[:, 0] = torch.tensor([1.0, -1.0])
    rollout.value[:, 0] = torch.tensor([0.3, -0.2])
    rollout.next_value[0] = 0.7
    rollout.next_side[0] = 1.0
    advantage, _ = advantages(rollout, 0.0)
    assert advantage[:, 0].tolist() == pytest.approx([0.2 - 0.3, -(0.7 - 0.2)])


def test_sampling_follows_the_probabilities_and_never_the_mask() -> None:
    logits = torch.log(torch.tensor([[0.7, 0.3, 1e-30]])).repeat(20_000, 1)
    logits[:, 2] = -1e9
    action, log_prob = sample(logits, torch.Generator().manual_seed(1))
    counts = torch.bincount(action, minlength=3)
    assert counts[2] == 0
    assert counts[0] / 20_000 == pytest.approx(0.7, abs=0.02)
    assert log_prob.exp().max().item() == pytest.approx(0.7)


def test_bids_and_plays_are_normalised_apart() -> None:
    state = torch.zeros(6, N_STATE)
    state[3:, OFFSETS["phase"] + 2] = 1.0
    result = normalised(torch.tensor([100.0, 200.0, 300.0, 1.0, 2.0, 3.0]), state)
    assert result.tolist() == pytest.approx([-1.0, 0.0, 1.0, -1.0, 0.0, 1.0], abs=1e-6)


def test_a_rollout_stores_only_choices_and_legal_actions() -> None:
    games = VectorGames(32, "amsterdams", 3, skip_forced=True, canonical=True)
    rollout = Rollout.empty(40, 32)
    actor, critic = Actor(16, 2), Critic(16, 2)
    collect(rollout, games, actor, critic, torch.Generator().manual_seed(0))
    assert (rollout.action_mask.sum(dim=-1) >= 2).all()
    assert (rollout.action_mask.gather(2, rollout.action[..., None]) == 1).all()
    assert rollout.deal_over.sum() > 32
    assert np.all((rollout.reward.numpy() != 0) <= (rollout.deal_over.numpy() == 1))
    assert (rollout.log_prob <= 0).all()
