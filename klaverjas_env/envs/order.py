"""The order of calls, watched as PettingZoo's OrderEnforcingWrapper does, without its slow look-ups."""

from typing import TYPE_CHECKING, Any

from pettingzoo.utils.env_logger import EnvLogger
from pettingzoo.utils.wrappers import OrderEnforcingWrapper
from pettingzoo.utils.wrappers.order_enforcing import AECOrderEnforcingIterable, AECOrderEnforcingIterator

if TYPE_CHECKING:
    from klaverjas_env.envs.aec import Observation, raw_env


class OrderEnforcing(OrderEnforcingWrapper["str", "Observation", "int | None"]):
    """A `raw_env` that refuses to be used before `reset()` and warns when it is stepped after the end.

    PettingZoo's wrapper finds every attribute of the environment within by failing to find it on itself first, several
    times a step. Here each is a property, and the calls of a loop go straight through.
    """

    env: "raw_env"

    def __str__(self) -> str:
        return str(self.env)

    # Before `reset()` these raise AttributeError, upon which Python asks PettingZoo's `__getattr__`, which says why.

    @property
    def agents(self) -> list[str]:  # type: ignore[override]
        """The agents that have not been taken away."""
        return self._ready("agents").agents

    @property
    def agent_selection(self) -> str:  # type: ignore[override]
        """The agent that is asked."""
        return self._ready("agent_selection").agent_selection

    @property
    def rewards(self) -> dict[str, float]:  # type: ignore[override]
        """The rewards of the last step."""
        return self._ready("rewards").rewards

    @property
    def terminations(self) -> dict[str, bool]:  # type: ignore[override]
        """Whose match is over."""
        return self._ready("terminations").terminations

    @property
    def truncations(self) -> dict[str, bool]:  # type: ignore[override]
        """Whose match was cut off."""
        return self._ready("truncations").truncations

    @property
    def infos(self) -> dict[str, dict[str, Any]]:  # type: ignore[override]
        """Mask and, after a deal, its result."""
        return self._ready("infos").infos

    @property
    def _cumulative_rewards(self) -> dict[str, float]:  # type: ignore[override]
        return self.env._cumulative_rewards

    def _ready(self, name: str) -> "raw_env":
        if not self._has_reset:
            raise AttributeError(f"{name} cannot be accessed before reset")
        return self.env

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """As `raw_env`."""
        self.env.reset(seed, options)
        self._has_reset = True
        self._has_updated = True

    def step(self, action: int | None) -> None:
        """As `raw_env`; before `reset()` an error, after the end a warning."""
        if not self._has_reset:
            EnvLogger.error_step_before_reset()
        self._has_updated = True
        within = self.env
        if within.agents:
            within.step(action)
        else:
            EnvLogger.warn_step_after_terminated_truncated()

    def last(self, observe: bool = True) -> "tuple[Observation | None, float, bool, bool, dict[str, Any]]":
        """As `raw_env`."""
        if not self._has_reset:
            raise AttributeError("agent_selection cannot be accessed before reset")
        return self.env.last(observe)

    def observe(self, agent: str) -> "Observation":
        """As `raw_env`."""
        if not self._has_reset:
            EnvLogger.error_observe_before_reset()
        return self.env.observe(agent)

    def agent_iter(self, max_iter: int = 2**63) -> "Turns":
        """As PettingZoo's: the agent that is asked, again and again; each time it must be stepped."""
        if not self._has_reset:
            EnvLogger.error_agent_iter_before_reset()
        return Turns(self, max_iter)  # type: ignore[no-untyped-call]

    def clone(self) -> "OrderEnforcing":
        """As `raw_env`, wrapped likewise."""
        twin = OrderEnforcing(self.env.clone())
        twin._has_reset, twin._has_updated = True, self._has_updated
        return twin

    def get_state(self) -> bytes:
        """As `raw_env`."""
        return self.env.get_state()

    def set_state(self, state: bytes) -> None:
        """As `raw_env`; counts as a `reset()`."""
        self.env.set_state(state)
        self._has_reset = True
        self._has_updated = True


class Turns(AECOrderEnforcingIterable["str", "Observation", "int | None"]):
    """The turns of an environment, for a loop."""

    env: OrderEnforcing

    def __iter__(self) -> "TurnIterator":
        return TurnIterator(self.env, self.max_iter)


class TurnIterator(AECOrderEnforcingIterator["str", "Observation", "int | None"]):
    """As PettingZoo's, but it reads the environment within."""

    env: OrderEnforcing

    def __next__(self) -> str:
        env = self.env
        within = env.env
        if not within.agents or self.iters_til_term <= 0:
            raise StopIteration
        self.iters_til_term -= 1
        if not env._has_updated:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        env._has_updated = False
        return within.agent_selection
