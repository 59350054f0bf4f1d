"""The PettingZoo door: a match of Klaverjas as an AEC environment, one seat after the other."""

import dataclasses
import operator
import secrets
from functools import cached_property
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env_logger import EnvLogger

from klaverjas_env.envs.cells import REFUSED, RESULT, begin, look, resume, see, see_all, settle, take
from klaverjas_env.envs.given import OPTIONS, given_deal
from klaverjas_env.envs.illegal import ILLEGAL_POINTS, check_illegal
from klaverjas_env.envs.order import OrderEnforcing
from klaverjas_env.envs.render import RENDER_MODES, render
from klaverjas_env.envs.state import Ledger, pack, unpack
from klaverjas_env.game import GAME, N_ACTIONS, NO_SEAT, PASS
from klaverjas_env.observation import HIGHEST_FEATURE, N_OBSERVATION, N_STATE
from klaverjas_env.questions import illegal_action
from klaverjas_env.rng import table_seed
from klaverjas_env.rules.scoring import Pit
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import view

Observation: TypeAlias = dict[str, np.ndarray]

AGENTS: Final = ("player_0", "player_1", "player_2", "player_3")
"""The agents by seat: south, west, north, east."""

SEAT_OF: Final = {agent: seat for seat, agent in enumerate(AGENTS)}
_FLOAT32: Final = np.dtype(np.float32)
_INT8: Final = np.dtype(np.int8)
_NOTHING: Final = np.zeros(N_ACTIONS, _INT8)
"""The mask of an agent that is not asked."""
PASS_ALONE: Final = np.eye(1, N_ACTIONS, PASS, dtype=_INT8)[0]
"""The mask of an agent that has nothing to decide where a net reads it all the same; to be copied, never written."""
PLAYED_OUT: Final = 1
PENALIZED: Final = 2
"""How a match has ended; 0 while it runs."""


def env(
    variant: Variant | str | None = None,
    deals: int | None = None,
    render_mode: str | None = None,
    illegal: str = "penalize",
    open_hands: bool = False,
) -> OrderEnforcing:
    """The environment that watches its use: what PettingZoo's three usual wrappers do, at a fraction of their cost."""
    return OrderEnforcing(raw_env(variant, deals, render_mode, illegal, open_hands))


# Not an EzPickle: that would rebuild copies from the arguments and lose the match they are in.
class raw_env(AECEnv[str, Observation, int | None]):  # noqa: N801 (PettingZoo's name)
    """A match of Klaverjas that takes the order of calls on trust.

    Attributes beside PettingZoo's:
        variant: the house rules, with the number of deals of a match.
        illegal, open_hands: as given.
        game: `GAME` [1], the record with all hands.
        state_space: the space of `state()`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo's name and type)
        "name": "klaverjas_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        variant: Variant | str | None = None,
        deals: int | None = None,
        render_mode: str | None = None,
        illegal: str = "raise",
        open_hands: bool = False,
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode={render_mode!r} is not one of {', '.join(self.metadata['render_modes'])}")
        check_illegal(illegal)
        chosen = Variant.of(variant)
        self.variant = chosen if deals is None else dataclasses.replace(chosen, match_end="deals", deals=deals)
        self.render_mode = render_mode
        self.illegal = illegal
        self.open_hands = open_hands
        self.possible_agents = list(AGENTS)
        self.agents = []
        self._seed: int | None = None
        self._matches = 0
        self._result = (0,) * len(RESULT)
        unplayed = np.zeros(1, GAME)
        unplayed["rules"] = self.variant.record()
        self._unplayed = unplayed.view(np.int64)

    # The spaces are made when they are asked for, as a clone that is made for search never is. One object for all
    # seats, but not for all environments: a space carries its own random stream.

    @cached_property
    def observation_spaces(self) -> dict[str, spaces.Space[Any]]:  # type: ignore[override]
        """The spaces of the observations, by agent: one object."""
        return dict.fromkeys(
            AGENTS,
            spaces.Dict(
                {
                    "observation": spaces.Box(0.0, HIGHEST_FEATURE, (N_OBSERVATION,), np.float32),
                    "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
                }
            ),
        )

    @cached_property
    def action_spaces(self) -> dict[str, spaces.Space[Any]]:  # type: ignore[override]
        """The spaces of the actions, by agent: one object."""
        return dict.fromkeys(AGENTS, spaces.Discrete(N_ACTIONS))

    @cached_property
    def state_space(self) -> spaces.Box:
        """The space of `state()`."""
        return spaces.Box(0.0, HIGHEST_FEATURE, (N_STATE,), np.float32)

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the observations of `agent`: the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the actions of `agent`: the same object every time."""
        return self.action_spaces[agent]

    @property
    def game(self) -> np.ndarray:
        """`GAME` [1]: the record with all hands, not a copy."""
        return self._cells.view(GAME)

    @game.setter
    def game(self, games: np.ndarray) -> None:
        self._cells = games.view(np.int64)

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match; see the head of this file for what `seed` and `options` mean."""
        match_seed = self._next_seed(seed)
        mask = np.empty(N_ACTIONS, _INT8)
        if options and not options.keys().isdisjoint(OPTIONS):
            self.game = given_deal(self.variant, options, match_seed)
            seat = resume(self._cells, match_seed, mask)
        else:
            self._cells = np.empty_like(self._unplayed)
            seat = begin(self._cells, self._unplayed, match_seed, mask)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self._idle = _of_each(_NOTHING)
        self.infos = {agent: {"action_mask": self._idle[agent]} for agent in AGENTS}
        self._ending = 0
        self._rewarded = False
        # A match that was left while its agents were being taken away must leave no trace.
        self._skip_agent_selection = None  # type: ignore[assignment]
        self._give_turn(seat, mask)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Take `action` for the agent whose turn it is; None for an agent whose match is over.

        An action that is not legal ends the match, or raises IllegalActionError and changes nothing (`illegal`).
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._step_dead(action)
            return
        number = action if type(action) is int and 0 <= action < N_ACTIONS else _action_number(action)
        mask = np.empty(N_ACTIONS, _INT8)
        seat = take(self._cells, number, mask)
        if seat == REFUSED:
            self._refuse(agent, action, number)
            return
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self.rewards = dict.fromkeys(AGENTS, 0.0)
            self._rewarded = False
        self.infos[agent] = {"action_mask": self._idle[agent]}
        if seat == NO_SEAT:
            self._end_deal(mask)
        else:
            self._give_turn(seat, mask)
        if self.render_mode == "human":
            self.render()

    def last(self, observe: bool = True) -> tuple[Observation | None, float, bool, bool, dict[str, Any]]:
        """What the agent that is asked sees (None without `observe`), is owed, whether its match is over or was cut
        off, and its info."""
        agent = self.agent_selection
        return (
            self.observe(agent) if observe else None,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def observe(self, agent: str) -> Observation:
        """What `agent` sees: an observation of the caller's own, and the mask that is also in its info."""
        observation = np.empty(N_OBSERVATION, _FLOAT32)
        see(self._cells, SEAT_OF[agent], observation)
        mask = self._mask if agent == self.agent_selection else self._idle[agent].copy()
        return {"observation": observation, "action_mask": mask}

    def state(self) -> np.ndarray:
        """What a critic may see: float32 [STATE], all hands, from the side of `player_0`."""
        state = np.empty(N_STATE, _FLOAT32)
        see_all(self._cells, state)
        return state

    def render(self) -> str | np.ndarray | None:
        """The table: as text (`ansi`), drawn as uint8 [720, 1080, 3] (`rgb_array`), or written to standard output."""
        return render(self.game, self.render_mode, self.open_hands)

    def close(self) -> None:
        """Nothing to close."""

    # --- copies for search -------------------------------------------------------------------------------------------

    def clone(self) -> "raw_env":
        """An environment of its own that stands where this one stands; only its spaces are new."""
        twin = type(self).__new__(type(self))
        twin.__dict__.update(self.__dict__)
        for name in ("observation_spaces", "action_spaces", "state_space"):
            twin.__dict__.pop(name, None)
        twin._restore(self._ledger(), self._cells.copy())
        return twin

    def get_state(self) -> bytes:
        """The match as it stands, for `set_state`: all hands and the seed, so not for the eyes of a player."""
        return pack(self._ledger(), self._cells, self._rules_hash)

    def set_state(self, state: bytes) -> None:
        """Go on from `get_state()` of an environment of the same house rules; before `reset()` as well.

        Raises StateError, and changes nothing, for anything else.
        """
        self._restore(*unpack(state, self._unplayed, self._rules_hash))

    @cached_property
    def _rules_hash(self) -> str:
        return self.variant.rules_hash

    def _ledger(self) -> Ledger:
        """What the match has beside its game record."""
        if not hasattr(self, "_cells"):
            raise AssertionError("reset() needs to be called before there is a state to copy.")
        return Ledger(
            seed=-1 if self._seed is None else self._seed,
            matches=self._matches,
            ending=self._ending,
            agents=sum(1 << SEAT_OF[agent] for agent in self.agents),
            told=sum(1 << SEAT_OF[agent] for agent, info in self.infos.items() if "deal" in info),
            selected=SEAT_OF[self.agent_selection],
            skipped=SEAT_OF.get(self._skip_agent_selection or "", NO_SEAT),
            rewarded=self._rewarded,
            rewards=tuple(self.rewards.get(agent, 0.0) for agent in AGENTS),
            owed=tuple(self._cumulative_rewards.get(agent, 0.0) for agent in AGENTS),
            result=self._result,
        )

    def _restore(self, ledger: Ledger, now: np.ndarray) -> None:
        """Stand where another match stood."""
        self._cells = now
        self._seed = None if ledger.seed < 0 else ledger.seed
        self._matches = ledger.matches
        self._result = ledger.result
        self._rewarded = bool(ledger.rewarded)
        self.agents = agents = [agent for seat, agent in enumerate(AGENTS) if ledger.agents >> seat & 1]
        self.rewards = {agent: ledger.rewards[SEAT_OF[agent]] for agent in agents}
        self._cumulative_rewards = {agent: ledger.owed[SEAT_OF[agent]] for agent in agents}
        self.infos = {agent: {} for agent in agents}
        for seat, agent in enumerate(AGENTS):
            if ledger.told >> seat & 1:
                self.infos[agent]["deal"] = _deal_result(ledger.result)
        self.agent_selection = AGENTS[ledger.selected]
        self._skip_agent_selection = None if ledger.skipped < 0 else AGENTS[ledger.skipped]  # type: ignore[assignment]
        self._ending = ledger.ending
        self.terminations = dict.fromkeys(agents, ledger.ending > 0)
        self.truncations = dict.fromkeys(agents, ledger.ending == PENALIZED)
        self._idle = _of_each(PASS_ALONE if ledger.ending else _NOTHING)
        self._mask = self._idle[self.agent_selection].copy()
        if not ledger.ending:
            look(now, self._mask)
        for agent in agents:
            self.infos[agent]["action_mask"] = self._mask if agent == self.agent_selection else self._idle[agent]

    # --- the match ---------------------------------------------------------------------------------------------------

    def _next_seed(self, seed: int | None) -> int:
        """The seed of the next match: the given one, or the next of the run that the last given one began."""
        if seed is not None:
            self._seed = _seed_number(seed)
            self._matches = 0
            return self._seed
        if self._seed is None:
            self._seed = secrets.randbits(63)
        self._matches += 1
        return table_seed(self._seed, self._matches)

    def _give_turn(self, seat: int, mask: np.ndarray) -> None:
        """Ask the agent of `seat`; what its info says of a finished deal stays until it has acted."""
        agent = AGENTS[seat]
        self.agent_selection = agent
        self._mask = mask
        info = self.infos[agent]
        self.infos[agent] = {"action_mask": mask} if len(info) == 1 else {**info, "action_mask": mask}

    def _end_deal(self, mask: np.ndarray) -> None:
        """Pay the deal that has just been scored to all four, then deal again or end the match; where all have passed
        there is nothing to pay."""
        counted, seat, *result = settle(self._cells, mask)
        if counted:
            self._result = tuple(result)
            told = _deal_result(self._result)
            south_north, west_east = told["score"]
            difference = float(south_north - west_east)
            self._pay(difference, -difference)
            self._idle = _of_each(_NOTHING)
            self.infos = {agent: {"action_mask": self._idle[agent], "deal": dict(told)} for agent in AGENTS}
        if seat != NO_SEAT:
            self._give_turn(seat, mask)
            return
        self.terminations = dict.fromkeys(AGENTS, True)
        self.agent_selection = AGENTS[0]
        self._end_match(PLAYED_OUT)

    def _pay(self, south_north: float, west_east: float) -> None:
        """Give rewards to all four."""
        self.rewards = dict(zip(AGENTS, (south_north, west_east, south_north, west_east), strict=True))
        self._rewarded = True
        self._accumulate_rewards()

    def _end_match(self, ending: int) -> None:
        """Nobody is asked any more."""
        self._ending = ending
        self._idle = _of_each(PASS_ALONE)
        self._mask = self._idle[self.agent_selection]
        self.infos = {agent: {**info, "action_mask": self._idle[agent]} for agent, info in self.infos.items()}

    def _refuse(self, agent: str, action: Any, number: int) -> None:
        """Raise, or end the match at the cost of the side of `agent`, as PettingZoo's wrappers do."""
        if self.illegal == "raise":
            # The text carries the position, so it is told from the view of the seat: an error must not show cards.
            raise illegal_action(view(self.game, self.game["to_act"]), number, action)
        if number < 0:
            raise _out_of_bounds(action)
        EnvLogger.warn_on_illegal_move()
        self._cumulative_rewards[agent] = 0.0
        self.terminations = dict.fromkeys(AGENTS, True)
        self.truncations = dict.fromkeys(AGENTS, True)
        self._pay(*((0.0, ILLEGAL_POINTS) if SEAT_OF[agent] & 1 else (ILLEGAL_POINTS, 0.0)))
        self._deads_step_first()
        self._end_match(PENALIZED)
        if self.render_mode == "human":
            self.render()

    def _step_dead(self, action: Any) -> None:
        """Take an agent away whose match is over."""
        if self.illegal == "penalize" and action is not None and _action_number(action) < 0:
            raise _out_of_bounds(action)
        self._was_dead_step(action)


def _of_each(mask: np.ndarray) -> dict[str, np.ndarray]:
    """A copy of a mask for each agent. An agent off turn keeps its one until the next deal; nothing writes in it."""
    return {agent: mask.copy() for agent in AGENTS}


def _deal_result(numbers: tuple[int, ...]) -> dict[str, Any]:
    """What an info tells of a deal, from its `RESULT`: public, and plain Python throughout."""
    number, declarer, trump, south_north, west_east, nat, pit, reneged, *totals = numbers
    return {
        "number": number,
        "declarer": AGENTS[declarer],
        "trump": trump,
        "score": (south_north, west_east),
        "nat": bool(nat),
        "pit": Pit(pit).name.lower(),
        "reneged": AGENTS[reneged] if reneged >= 0 else None,
        "totals": tuple(totals),
    }


def _seed_number(seed: int) -> int:
    """`seed` as an int in 0..2^63-1; ValueError otherwise."""
    try:
        number = operator.index(seed)
    except TypeError:
        number = -1
    if not 0 <= number < 1 << 63:
        raise ValueError(f"seed={seed!r} is not a whole number from 0 to 2^63-1")
    return number


def _action_number(action: Any) -> int:
    """`action` as an int, or -1 where it is no action at all."""
    try:
        number = operator.index(action)
    except TypeError:
        return -1
    return number if 0 <= number < N_ACTIONS else -1


def _out_of_bounds(action: Any) -> AssertionError:
    return AssertionError(f"action is not in action space: {action!r}; actions are whole numbers below {N_ACTIONS}")
