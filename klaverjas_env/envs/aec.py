"""The PettingZoo door: a match of Klaverjas as an AEC environment, one seat after the other.

# Klaverjas

| Import             | `from klaverjas_env import klaverjas_v0`                 |
|--------------------|----------------------------------------------------------|
| Actions            | Discrete                                                 |
| Parallel API       | No                                                       |
| Manual Control     | No                                                       |
| Agents             | `agents= ['player_0', 'player_1', 'player_2', 'player_3']` |
| Agents             | 4                                                        |
| Action Shape       | ()                                                       |
| Action Values      | Discrete(45)                                             |
| Observation Shape  | (606,)                                                   |
| Observation Values | [0, 8]                                                   |
| State Shape        | (702,)                                                   |
| State Values       | [0, 8]                                                   |

Klaverjas is a Dutch trick-taking game for four players in two partnerships, with 32 cards. `player_0` to `player_3`
sit south, west, north and east; `player_0` and `player_2` are partners, and so are `player_1` and `player_3`. Trump is
chosen, eight tricks are played, and the side that chose trump must take more points than its opponents or loses
everything. A match is 16 deals (a boompje) or goes on to a number of points; the deal passes clockwise.

### Arguments

```python
klaverjas_v0.env(variant=None, deals=None, render_mode=None)
```

`variant`: the house rules, as a text such as `"rotterdams/stock-zoeker"` or `"amsterdams, four_jacks=100"`, or as a
`Variant`. The default is `"amsterdams/utrechts"`.

`deals`: the number of deals in a match. When left out the variant says when a match ends: after 16 deals, unless it
names another number or a target of points.

`render_mode`: `"ansi"`, with which `render()` returns the table as text, or `"human"`, which writes it to standard
output after every step.

### Observation Space

The observation is a dictionary. `'observation'` is the view of the agent as float32 (606,) between 0 and 8: its own
hand and what is public, never a card that it has not seen. `'action_mask'` holds the legal actions as int8 (45,).
`observe` may be asked for any agent at any time.

The layout is named `klaverjas-observation-v2`; `klaverjas_env.observation.BLOCKS` lists name and width of every block
and `OFFSETS` where it begins. In short: fifteen planes of 32 cards (8 * suit + rank; suits clubs, diamonds, hearts,
spades; ranks 7 8 9 10 J Q K A) for the hand, the cards on the table and those played before by seat, what each other
seat could still hold, leads, the trick of each card and the highest cards left; then the choice of trump (phase,
trump, turned suit, who passed, declarer, dealer), the trick (number, cards on table, led suit, winner), the standing
of the deal (points, roem, tricks, what the playing side still needs), lengths of suits, and the house rules. Other
seats are relative: left, partner, right.

#### Legal Actions Mask

The mask is all zeros for every agent but the one whose turn it is. It is also in `infos[agent]["action_mask"]`. With
`env`, an illegal action ends the match: the agent that took it gets -162 (the card points of a deal), the others 0.
With `raw_env`, an illegal action raises `IllegalActionError` and changes nothing.

### Action Space

The layout is named `klaverjas-actions-v1` and is the same for all house rules:

| Action ID | Action                                                                          |
|-----------|---------------------------------------------------------------------------------|
| 0..31     | play the card 8 * suit + rank                                                   |
| 32        | pass                                                                            |
| 33        | play on the turned suit                                                         |
| 34..37    | name clubs, diamonds, hearts or spades as trump                                 |
| 38..44    | claim roem in the trick just won: 0, 20, 40, 50, 70, 100, 200 (house `declare`) |

### Rewards

At the end of each deal every agent gets the points of its own side minus those of the other side, roem, nat and pit
included; all other rewards are 0. Rewards are in points, and those of the two sides add up to zero. They reach an agent
through `last()` when it next has the turn, or when the match ends. `infos[agent]["deal"]` then holds the result of the
deal: `number` (from 1), `declarer`, `trump` (suit 0..3), `score` and `totals` (south-north, west-east), `nat`,
`pit` (`"none"`, `"playing"` or `"defending"`), and `reneged`: the agent that ended the deal by a card against the rules
where the house lets that be played, else None.

### State

`state()` is for critics that see all cards: the observation of `player_0`, then the hands of west, north and east.

### Reset

`reset(seed=s)` (0..2^63-1) plays the deals of seed `s`, always the same ones. Each `reset()` after it begins a further
match, from a seed derived from `s` and the number of such resets, so that a whole run repeats exactly. An environment
that never got a seed takes one from the operating system.

`reset(options={"deal": record})` begins with a given deal, a record of `klaverjas_env.records` (hands and dealer;
optionally the contract, bids and plays so far). The house rules and the number of deals are those of the environment;
later deals come from the seed. Other options are ignored.

### Version History

* v0: Initial version (0.1.0)

"""

import dataclasses
import operator
import secrets
import sys
from typing import Any, Final, TypeAlias

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers

from klaverjas_env import game as law
from klaverjas_env.envs.render import table_text
from klaverjas_env.game import N_ACTIONS, NO_SEAT
from klaverjas_env.jit import jit
from klaverjas_env.observation import (
    HIGHEST_FEATURE,
    N_OBSERVATION,
    N_STATE,
    PHYSICAL,
    write_mask,
    write_observation,
    write_state,
)
from klaverjas_env.questions import illegal_action
from klaverjas_env.records.deal import setup
from klaverjas_env.records.form import under
from klaverjas_env.rng import table_seed
from klaverjas_env.rules.scoring import Pit
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import view

Observation: TypeAlias = dict[str, np.ndarray]

AGENTS: Final = ("player_0", "player_1", "player_2", "player_3")
"""The agents by seat: south, west, north, east."""
ILLEGAL_REWARD: Final = -162.0
"""What `env` pays for an illegal action: the card points of a deal, so that it never pays to lose that way."""

_SEAT_OF: Final = {agent: seat for seat, agent in enumerate(AGENTS)}
_ILLEGAL: Final = -2
"""What `_take` returns when it refuses; beside the seats and `NO_SEAT`."""


def env(
    variant: Variant | str | None = None, deals: int | None = None, render_mode: str | None = None
) -> AECEnv[str, Observation, int | None]:
    """The environment with PettingZoo's usual wrappers: an illegal action ends the match with `ILLEGAL_REWARD`."""
    wrapped: AECEnv[str, Observation, int | None] = raw_env(variant=variant, deals=deals, render_mode=render_mode)
    wrapped = wrappers.TerminateIllegalWrapper(wrapped, illegal_reward=ILLEGAL_REWARD)
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


# Not an EzPickle: that would rebuild copies from the arguments and lose the match they are in.
class raw_env(AECEnv[str, Observation, int | None]):  # noqa: N801 (PettingZoo's name)
    """A match of Klaverjas without wrappers; an illegal action raises `IllegalActionError`.

    Attributes beside PettingZoo's:
        variant: the house rules, with the number of deals of a match.
        game: `GAME` [1], the record with all hands.
        state_space: the space of `state()`.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (PettingZoo's name and type)
        "name": "klaverjas_v0",
        "render_modes": ["human", "ansi"],
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self, variant: Variant | str | None = None, deals: int | None = None, render_mode: str | None = None
    ) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        if render_mode is not None and render_mode not in self.metadata["render_modes"]:
            raise ValueError(f"render_mode={render_mode!r} is not one of {', '.join(self.metadata['render_modes'])}")
        chosen = Variant.of(variant)
        self.variant = chosen if deals is None else dataclasses.replace(chosen, match_end="deals", deals=deals)
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents = []
        # One object for all seats, but not for all environments: a space carries its own random stream.
        observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0.0, HIGHEST_FEATURE, (N_OBSERVATION,), np.float32),
                "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8),
            }
        )
        self.observation_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(AGENTS, observation_space)
        self.action_spaces: dict[str, spaces.Space[Any]] = dict.fromkeys(AGENTS, spaces.Discrete(N_ACTIONS))
        self.state_space = spaces.Box(0.0, HIGHEST_FEATURE, (N_STATE,), np.float32)
        self._seed: int | None = None
        self._matches = 0

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the observations of `agent`: the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Space[Any]:
        """The space of the actions of `agent`: the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a match; see the head of this file for what `seed` and `options` mean."""
        match_seed = self._next_seed(seed)
        record = options.get("deal") if options else None
        self.game = law.new(self.variant, match_seed) if record is None else self._given_deal(record, match_seed)
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos = {agent: {"action_mask": np.zeros(N_ACTIONS, np.int8)} for agent in AGENTS}
        self._rewarded = False
        # A match that was left while its agents were being taken away must leave no trace.
        self._skip_agent_selection = None  # type: ignore[assignment]
        mask = np.empty(N_ACTIONS, np.int8)
        self._give_turn(_mask(self.game, PHYSICAL, mask), mask)
        if self.render_mode == "human":
            self.render()

    def step(self, action: int | None) -> None:
        """Take `action` for the agent whose turn it is; None for an agent whose match is over.

        Raises IllegalActionError, and changes nothing, for an action that is not legal.
        """
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        mask = np.empty(N_ACTIONS, np.int8)
        seat = _take(self.game, _action_number(action), PHYSICAL, mask)
        if seat == _ILLEGAL:
            # The text carries the position, so it is told from the view of the seat: an error must not show cards.
            seen = view(self.game, self.game["to_act"])
            raise illegal_action(seen, _action_number(action), action)
        self._cumulative_rewards[agent] = 0.0
        if self._rewarded:
            self.rewards = dict.fromkeys(AGENTS, 0.0)
            self._rewarded = False
        self.infos[agent] = {"action_mask": np.zeros(N_ACTIONS, np.int8)}
        if seat == NO_SEAT:
            self._end_deal(mask)
        else:
            self._give_turn(seat, mask)
        if self.render_mode == "human":
            self.render()

    def observe(self, agent: str) -> Observation:
        """The observation of `agent`, new arrays at every call; the mask is all zeros unless it has the turn."""
        observation = np.empty(N_OBSERVATION, np.float32)
        mask = np.empty(N_ACTIONS, np.int8)
        _observe(self.game, _SEAT_OF[agent], PHYSICAL, observation, mask)
        return {"observation": observation, "action_mask": mask}

    def state(self) -> np.ndarray:
        """What a critic may see: float32 [STATE], all hands, from the side of `player_0`."""
        state = np.empty(N_STATE, np.float32)
        _state(self.game, PHYSICAL, state)
        return state

    def render(self) -> str | None:
        """The table as text: returned (`ansi`) or written to standard output (`human`)."""
        if self.render_mode is None:
            return None
        text = table_text(self.game)
        if self.render_mode == "ansi":
            return text
        sys.stdout.write(text + "\n")
        sys.stdout.flush()
        return None

    def close(self) -> None:
        """Nothing to close."""

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

    def _given_deal(self, record: dict[str, Any], seed: int) -> np.ndarray:
        """A match that begins with the deal of `record`, under the house rules of this environment: `GAME` [1]."""
        games = setup(under(record, self.variant))
        games["rules"] = self.variant.record()
        games["seed"] = seed
        games["deal_number"] = 0
        games["deals_played"] = 0
        games["totals"] = 0
        if games[0].to_act == NO_SEAT:
            raise ValueError("options['deal']: this deal has been played to its end, there is nothing left to decide")
        return games

    def _give_turn(self, seat: int, mask: np.ndarray) -> None:
        """Select the agent of `seat`; what its info says of a finished deal stays until it has acted."""
        agent = AGENTS[seat]
        self.agent_selection = agent
        self.infos[agent] = {**self.infos[agent], "action_mask": mask}

    def _end_deal(self, mask: np.ndarray) -> None:
        """Pay the deal that has just been scored to all four, then deal again or end the match; where all have passed
        there is nothing to pay."""
        if self.game[0].phase == law.PASSED_OUT:
            law.next_deal(self.game[0])
            self._give_turn(_mask(self.game, PHYSICAL, mask), mask)
            return
        result = _deal_result(self.game)
        south_north, west_east = result["score"]
        for seat, agent in enumerate(AGENTS):
            self.rewards[agent] = float(west_east - south_north if seat & 1 else south_north - west_east)
            self.infos[agent] = {"action_mask": np.zeros(N_ACTIONS, np.int8), "deal": dict(result)}
        self._rewarded = True
        self._accumulate_rewards()
        if law.match_over(self.game[0]):
            self.terminations = dict.fromkeys(AGENTS, True)
            self.agent_selection = AGENTS[0]
        else:
            law.next_deal(self.game[0])
            self._give_turn(_mask(self.game, PHYSICAL, mask), mask)


def _deal_result(games: np.ndarray) -> dict[str, Any]:
    """The result of the deal that has just been scored in `games`, `GAME` [1]: public, and plain Python throughout."""
    game = games[0]
    return {
        "number": int(game.deals_played),
        "declarer": AGENTS[game.declarer],
        "trump": int(game.trump),
        "score": (int(game.score[0]), int(game.score[1])),
        "nat": bool(game.nat),
        "pit": Pit(game.pit).name.lower(),
        "reneged": AGENTS[game.reneged] if game.reneged >= 0 else None,
        "totals": (int(game.totals[0]), int(game.totals[1])),
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


@jit
def _take(games: np.ndarray, action: int, order: np.ndarray, mask: np.ndarray) -> int:
    """Take an action and write the mask of the seat that then acts: that seat, -1 when the deal is over, or -2 and
    nothing changed when the action is not legal."""
    game = games[0]
    if action < 0 or (law.legal(game) >> action) & 1 == 0:
        return _ILLEGAL
    law.apply(game, action)
    write_mask(game, game.to_act, order, mask)
    return int(game.to_act)


@jit
def _mask(games: np.ndarray, order: np.ndarray, mask: np.ndarray) -> int:
    """Write the mask of the seat to act; that seat."""
    game = games[0]
    write_mask(game, game.to_act, order, mask)
    return int(game.to_act)


@jit
def _observe(games: np.ndarray, seat: int, order: np.ndarray, observation: np.ndarray, mask: np.ndarray) -> None:
    game = games[0]
    write_observation(game, seat, order, observation)
    write_mask(game, seat, order, mask)


@jit
def _state(games: np.ndarray, order: np.ndarray, state: np.ndarray) -> None:
    write_state(games[0], 0, order, state)
