"""The adapter for RLlib: keys, mask and scale are RLlib's, all else is the PettingZoo door."""

import numpy as np

from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.rllib import RLlibWrapper


def test_observations_and_rewards_are_those_of_the_door() -> None:
    door = klaverjas_v0.env(deals=2)
    door.reset(seed=3)
    adapted = RLlibWrapper(klaverjas_v0.env(deals=2), reward_scale=0.01)
    adapted.reset(seed=3)
    paid = 0
    while door.agents:
        agent = door.agent_selection
        assert adapted.agent_selection == agent
        seen, reward, termination, _, info = door.last()
        other, other_reward, other_termination, _, _ = adapted.last()
        assert seen is not None
        assert other is not None
        assert adapted.observation_space(agent).contains(other)
        assert (other["observations"] == seen["observation"]).all()
        assert (other["action_mask"] == seen["action_mask"]).all()
        assert other["action_mask"].dtype == np.float32
        assert other_reward == reward * 0.01
        assert other_termination == termination
        paid += reward != 0
        action = None if termination else int(info["action_mask"].argmax())
        door.step(action)
        adapted.step(action)
    assert paid == 8
    assert adapted.observation_space("player_0") is adapted.observation_space("player_3")
