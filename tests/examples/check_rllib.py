"""Run in the environment of `rllib`: what RLlib's `PettingZooEnv` makes of the game, and its mask at work."""

import numpy as np
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

from examples.measure import HOUSE
from klaverjas_env import klaverjas_v0
from klaverjas_env.envs.rllib import RLlibWrapper

door = klaverjas_v0.env(HOUSE)
env = PettingZooEnv(RLlibWrapper(door, reward_scale=0.01))
rng = np.random.default_rng(1)
for deal in range(20):
    seen, _ = env.reset(seed=deal)
    terminated = {"__all__": False}
    while not terminated["__all__"]:
        ((agent, observation),) = seen.items()
        assert env.observation_spaces[agent].contains(observation)
        action = int(rng.choice(np.flatnonzero(observation["action_mask"])))
        seen, rewards, terminated, _, _ = env.step({agent: action})
    south_north, west_east = (int(points) for points in door.unwrapped.game["score"][0])
    expected = 0.01 * (south_north - west_east)
    got = [rewards[f"player_{seat}"] for seat in range(4)]
    np.testing.assert_allclose(got, [expected, -expected, expected, -expected])
