"""The AEC environment behind PettingZoo's parallel API: all agents observe every step, one of them acts."""

from collections.abc import Mapping
from typing import Any

from pettingzoo.utils.conversions import turn_based_aec_to_parallel_wrapper

from klaverjas_env.envs.aec import PASS_ALONE, Observation, env
from klaverjas_env.envs.order import OrderEnforcing


def parallel_env(**arguments: Any) -> "TurnByTurn":
    """`env(**arguments)` behind the parallel API."""
    return TurnByTurn(env(**arguments))


class TurnByTurn(turn_based_aec_to_parallel_wrapper[str, Observation, int | None]):
    """PettingZoo's turn-based wrapper, in which no agent ever sees a mask that allows it nothing.

    The actions of agents off turn count for nothing, but their nets are asked for one all the same. They may only
    "pass": one choice, which has probability one and so no gradient.
    """

    aec_env: OrderEnforcing

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """Begin a match: (observations, infos), by agent."""
        table = self.aec_env
        table.reset(seed, options)
        self.agents = table.agents[:]
        return self._with_masks({agent: table.observe(agent) for agent in table.agents}, table.infos)

    def step(
        self, actions: Mapping[str, int | None]
    ) -> tuple[dict[str, Observation], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Take the action of the agent whose turn it is: (observations, rewards, terminations, truncations, infos)."""
        table = self.aec_env
        if not self.agents:
            return {}, {}, {}, {}, {}
        if table.agent_selection not in actions:
            raise KeyError(f"the actions lack {table.agent_selection}, whose turn it is")
        table.step(actions[table.agent_selection])
        rewards, terminations, truncations = dict(table.rewards), dict(table.terminations), dict(table.truncations)
        observations, infos = self._with_masks({agent: table.observe(agent) for agent in table.agents}, table.infos)
        while table.agents and terminations[table.agent_selection]:
            table.step(None)
        for agent in table.agents:
            infos[agent]["active_agent"] = table.agent_selection
        self.agents = table.agents[:]
        return observations, rewards, terminations, truncations, infos

    def clone(self) -> "TurnByTurn":
        """As `raw_env`, wrapped likewise."""
        return self._stand(TurnByTurn(self.aec_env.clone()))

    def get_state(self) -> bytes:
        """As `raw_env`."""
        return self.aec_env.get_state()

    def set_state(self, state: bytes) -> None:
        """As `raw_env`."""
        self.aec_env.set_state(state)
        self._stand(self)

    @staticmethod
    def _stand(twin: "TurnByTurn") -> "TurnByTurn":
        twin.agents = twin.aec_env.agents[:]
        return twin

    def _with_masks(
        self, observations: dict[str, Observation], infos: dict[str, dict[str, Any]]
    ) -> tuple[dict[str, Observation], dict[str, dict[str, Any]]]:
        """The same, with "pass" alone for agents that are not asked."""
        told = {}
        for agent, observation in observations.items():
            mask = observation["action_mask"]
            if agent != self.aec_env.agent_selection:
                mask = observation["action_mask"] = PASS_ALONE.copy()
            told[agent] = {**infos[agent], "action_mask": mask}
        return observations, told
