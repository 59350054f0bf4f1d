"""The same deals and actions through every door: AEC, batched, Gymnasium and replay tell the same story."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.single_agent import KlaverjasEnv
from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.game import CLAIM, N_ACTIONS, PASS
from klaverjas_env.notation import action_name
from klaverjas_env.observation import N_OBSERVATION, PHYSICAL, write_mask, write_observation
from klaverjas_env.records.deal import record_of, replay
from klaverjas_env.rng import table_seed
from klaverjas_env.rules.roem import CLAIMS
from klaverjas_env.rules.variant import PRESETS, Variant

SEED = 20
DEALS = 3
"""The deals of a match here."""


@dataclass
class Decision:
    """What a seat saw and did, through the AEC door."""

    seat: int
    observation: np.ndarray
    mask: np.ndarray
    action: int
    reward: float = 0.0
    """What south-north got by it."""
    over: bool = False
    """Whether it ended a deal that counts."""


@dataclass
class Deal:
    """A deal as a record, the match around it, and its decisions; one in which all pass does not count."""

    record: dict[str, Any]
    deals_played: int
    totals: np.ndarray
    decisions: list[Decision] = field(default_factory=list)
    result: dict[str, Any] | None = None


def play_aec(variant: Variant, seed: int, rng: np.random.Generator) -> list[Deal]:
    """A match of random actions through the AEC door."""
    env: Any = klaverjas_v0.raw_env(variant)
    env.reset(seed=seed)
    deals: list[Deal] = []
    number = -1
    while not env.terminations["player_0"]:
        game = env.game[0]
        if game["deal_number"] != number:
            number = int(game["deal_number"])
            deals.append(Deal(record_of(env.game), int(game["deals_played"]), game["totals"].copy()))
        agent = env.agent_selection
        seen = env.observe(agent)
        action = int(rng.choice(np.flatnonzero(seen["action_mask"])))
        decision = Decision(int(agent[-1]), seen["observation"], seen["action_mask"], action)
        env.step(action)
        decision.reward = env.rewards["player_0"]
        decision.over = (
            "deal" in env.infos[agent] and int(env.infos[agent]["deal"]["number"]) == deals[-1].deals_played + 1
        )
        if decision.over:
            deals[-1].result = env.infos[agent]["deal"]
        deals[-1].decisions.append(decision)
    return deals


def same(decision: Decision, seat: int, observation: np.ndarray, mask: np.ndarray) -> None:
    """A door must show what the AEC door showed."""
    assert seat == decision.seat
    assert np.array_equal(observation, decision.observation)
    assert np.array_equal(mask, decision.mask)


# --- the other doors -------------------------------------------------------------------------------------------------


def check_batch(variant: Variant, matches: list[list[Deal]]) -> None:
    """The matches as tables of one batch."""
    batch = VectorGames(len(matches), variant, seed=SEED)
    stories = [[decision for deal in match for decision in deal.decisions] for match in matches]
    for place in range(max(len(story) for story in stories)):
        actions = batch.action_mask.argmax(axis=1)
        for table, story in enumerate(stories):
            if place < len(story):
                same(story[place], batch.seat[table], batch.observation[table], batch.action_mask[table])
                actions[table] = story[place].action
        batch.step(actions)
        for table, story in enumerate(stories):
            if place < len(story):
                assert batch.reward[table] == story[place].reward
                assert batch.deal_over[table] == story[place].over


class Told:
    """The three other seats of a Gymnasium table: they do what was done, and look whether they see what was seen."""

    def __init__(self, story: list[Decision]) -> None:
        self.story = story
        self.place = 0

    def next(self) -> Decision:
        decision = self.story[self.place]
        self.place += 1
        return decision

    def __call__(self, observation: np.ndarray, mask: np.ndarray) -> np.ndarray:
        decision = self.next()
        same(decision, decision.seat, observation[0], mask[0])
        return np.array([decision.action])


def check_single_agent(variant: Variant, match: list[Deal], seed: int, seat: int, episode: str) -> None:
    """The match with `seat` as the learner, who is paid for its side."""
    told = Told([decision for deal in match for decision in deal.decisions])
    env = KlaverjasEnv(variant, told, seat=seat, episode=episode)
    observation, info = env.reset(seed=seed)
    scored = [deal for deal in match if deal.result]
    sign = -1 if seat & 1 else 1
    earned = 0.0
    ended: list[Deal] = []
    while told.place < len(told.story):
        before = told.place
        decision = told.next()
        same(decision, seat, observation, info["action_mask"])
        assert np.array_equal(env.action_masks(), decision.mask.astype(bool))
        observation, reward, terminated, truncated, info = env.step(decision.action)
        earned += reward
        assert not truncated
        assert reward == sign * sum(one.reward for one in told.story[before : told.place])
        if "deal" in info:
            ended.append(scored[len(ended)])
            same_result(info["deal"], ended[-1].result or {})
        assert terminated == ("deal" in info and (episode == "deal" or len(ended) == len(scored)))
        if terminated and len(ended) < len(scored):
            observation, info = env.reset()
    assert len(ended) == len(scored)
    totals = (ended[-1].result or {})["totals"]
    assert earned == sign * (totals[0] - totals[1])


def same_result(told: dict[str, Any], result: dict[str, Any]) -> None:
    """The result of a deal as both doors tell it."""
    assert told["number"] == result["number"]
    assert f"player_{told['declarer']}" == result["declarer"]
    assert told["trump"] == result["trump"]
    assert tuple(told["score"]) == result["score"]
    assert tuple(told["totals"]) == result["totals"]
    assert told["nat"] == result["nat"]
    assert ("none", "playing", "defending")[told["pit"]] == result["pit"]
    assert (f"player_{told['reneged']}" if told["reneged"] >= 0 else None) == result["reneged"]


def check_replay(deal: Deal) -> None:
    """The deal as a record, position by position."""
    actions = [decision.action for decision in deal.decisions]
    record = {
        **deal.record,
        "bids": [action_name(action) for action in actions if PASS <= action < CLAIM],
        "plays": [action_name(action) for action in actions if action < PASS],
    }
    claims = [int(CLAIMS[action - CLAIM]) for action in actions if action >= CLAIM]
    if claims:
        record["claims"] = claims
    *positions, end = replay(record)
    assert len(positions) == len(deal.decisions)
    observation, mask = np.empty(N_OBSERVATION, np.float32), np.empty(N_ACTIONS, np.int8)
    for position, decision in zip(positions, deal.decisions, strict=True):
        game = position.game
        game["deals_played"], game["totals"] = deal.deals_played, deal.totals
        write_observation(game[0], decision.seat, PHYSICAL, observation)
        write_mask(game[0], decision.seat, PHYSICAL, mask)
        same(decision, -1 if position.to_act is None else position.to_act, observation, mask)
        assert position.action == action_name(decision.action)
        assert position.legal == [action_name(int(action)) for action in np.flatnonzero(mask)]
    if deal.result is None:
        assert end.score is None
    else:
        assert (end.score, end.nat) == (deal.result["score"], deal.result["nat"])
        assert (end.pit or "none") == deal.result["pit"]


# --- tests -----------------------------------------------------------------------------------------------------------


def check_doors(preset: str, matches: int) -> None:
    """All doors on random matches of `DEALS` deals; every seat learns in turn, deal by deal and match by match."""
    variant = Variant.parse(f"{preset}, match_end=deals, deals={DEALS}")
    rng = np.random.default_rng(SEED)
    played = [play_aec(variant, table_seed(SEED, table), rng) for table in range(matches)]
    assert all(sum(deal.result is not None for deal in match) == DEALS for match in played)
    check_batch(variant, played)
    for table, match in enumerate(played):
        episode = ("deal", "match")[(table >> 2) & 1]
        check_single_agent(variant, match, table_seed(SEED, table), table & 3, episode)
        for deal in match:
            check_replay(deal)


@pytest.mark.parametrize("preset", PRESETS)
def test_all_doors_agree(preset: str) -> None:
    check_doors(preset, 8)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS)
def test_all_doors_agree_over_2000_deals(preset: str) -> None:
    check_doors(preset, 2000 // DEALS + 1)
