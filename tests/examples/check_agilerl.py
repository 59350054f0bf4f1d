"""Run in the environment of `agilerl`: what is stored for a decision is the result of the side that took it."""

import numpy as np

from examples.agilerl_dqn import Table, stored
from klaverjas_env.envs.aec import AGENTS

table = Table(seed=4)
rng = np.random.default_rng(1)
deals = 0
while deals < 20:
    taken = [*table.taken, (table.env.agent_selection, None, 0)]
    action = int(rng.choice(np.flatnonzero(table.seen["action_mask"])))
    finished = table.step(action)
    if finished:
        deals += 1
        agents = [agent for agent, _, _ in taken]
        south_north = {points for agent, (_, _, points) in zip(agents, finished, strict=True) if agent in AGENTS[::2]}
        west_east = {points for agent, (_, _, points) in zip(agents, finished, strict=True) if agent in AGENTS[1::2]}
        assert len(south_north) == 1
        assert {-points for points in south_north} == west_east
        assert stored(finished)["reward"].shape == (len(finished), 1)
