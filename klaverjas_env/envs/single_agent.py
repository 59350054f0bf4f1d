"""The Gymnasium door: one seat learns, players of the caller's choice hold the other three.

```python
gymnasium.make(
    "klaverjas_env:Klaverjas-v0",
    variant=None,
    opponents="random",
    partner=None,
    seat=0,
    episode="deal",
    reward_scale=1.0,
    observation="flat",
    illegal="penalize",
    render_mode=None,
)
```

`variant`: the house rules, as for `klaverjas_v0.env`.

`opponents`, `partner`: who holds the other seats. A player is a name (`"random"`, `"greedy"`, `"lennard"`, ...), the
path of an exported `.onnx`, a `klaverjas_env.bots.Bot`, or a callable that takes observations float32 [N, 606] and
masks int8 [N, 45] and returns actions [N] (of a single environment N is 1). `opponents` is one player or a pair, left
and right; `partner` is the same as the opponents when left out.

`seat`: where the learner sits: 0 south, 1 west, 2 north, 3 east.

`episode`: `"deal"`, or `"match"`: as many deals as the house rules say (`variant="amsterdams, deals=4"`). Deals follow
one another in matches either way, so that the dealer rotates and the standing of the match varies.

`observation`: `"flat"`, float32 (606,), the layout of the PettingZoo door; or `"dict"`, that and the mask under
`"observation"` and `"action_mask"`.

The mask int8 (45,) is returned by `action_masks()`, as sb3-contrib wants it, and stands in `info["action_mask"]`; it is
all zeros when the episode is over.

`reward_scale`: the reward at the end of a deal is the points of the learner's side minus those of the other side, times
this; all other rewards are 0. Points of a deal are some 162 and up to several hundred with roem and pit: learners that
want rewards near 1 take 0.01.

`illegal`: `"penalize"`, an illegal action ends the episode with -162 points and `info["illegal"]`, and that deal does
not count; or `"raise"`, it raises `IllegalActionError` and changes nothing.

`reset(seed=s)` plays the deals of seed `s` (0..2^63-1); `reset()` goes on with the next deal, or in `"match"` the next
match. What `"random"` and other players with draws do repeats with the seed as well. `reset(options=...)` takes those
of the PettingZoo door: `"deal"`, a record of `klaverjas_env.records`, and fields of one such as `"dealer"` and
`"contract"`; others are ignored.

At the end of a deal `info["deal"]` holds its result: `number` (from 1), `declarer` (seat), `trump` (suit 0..3),
`score` and `totals` (int64 [2]: south-north, west-east), `nat`, `pit` (0 none, 1 playing, 2 defending side) and
`reneged` (seat or -1).
"""

from typing import Any, Final

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from klaverjas_env.envs.learner_tables import GO_ON, Choice, LearnerTables
from klaverjas_env.envs.players import RANDOM, Player
from klaverjas_env.envs.render import RENDER_MODES, render
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import HIGHEST_FEATURE, N_OBSERVATION
from klaverjas_env.rules.variant import Variant

OBSERVATIONS: Final = ("flat", "dict")


class KlaverjasEnv(gym.Env[Any, Any]):
    """One learner at a table; see the head of this file.

    Attributes beside Gymnasium's:
        variant: the house rules.
        seat: where the learner sits.
        game: `GAME` [1], the record with all hands.
    """

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}  # noqa: RUF012 (Gymnasium's type)

    def __init__(
        self,
        variant: Variant | str | None = None,
        opponents: Choice = RANDOM,
        partner: Player | None = None,
        seat: int = 0,
        episode: str = "deal",
        reward_scale: float = 1.0,
        observation: str = "flat",
        illegal: str = "penalize",
        render_mode: str | None = None,
    ) -> None:
        check_modes(observation, render_mode, RENDER_MODES)
        self._tables = LearnerTables(1, variant, opponents, partner, seat, episode, illegal, autoreset=False)
        self._reward_scale = float(reward_scale)
        self._dict = observation == "dict"
        self._open = False
        self._begun = False
        self.render_mode = render_mode
        self.observation_space = single_observation_space(observation)
        self.action_space = spaces.Discrete(N_ACTIONS)

    @property
    def variant(self) -> Variant:
        """The house rules."""
        return self._tables.variant

    @property
    def seat(self) -> int:
        """Where the learner sits, 0..3."""
        return self._tables.seat

    @property
    def game(self) -> np.ndarray:
        """The record with all hands, `GAME` [1]."""
        return self._tables.games

    def action_masks(self) -> np.ndarray:
        """The learner's legal actions, bool [45]; the name and form are those that sb3-contrib looks for."""
        legal: np.ndarray = self._tables.action_mask[0].astype(np.bool_)
        return legal

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode; see the head of this file."""
        super().reset(seed=seed)
        if seed is None and not self._begun:
            seed = int(self.np_random.integers(1 << 63))
        self._tables.reset(np.array([GO_ON if seed is None else checked_seed(seed)]), np.ones(1, np.bool_), options)
        self._begun = self._open = True
        self._show()
        return self._observation(), {"action_mask": self._tables.action_mask[0].copy()}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take the learner's action and let the others play until it has the turn again or its episode is over."""
        if not self._open:
            raise gym.error.ResetNeeded("the episode is over or has not begun: call reset() before step()")
        tables = self._tables
        tables.step(checked_actions(action, ()).reshape(1))
        terminated = bool(tables.terminated[0])
        self._open = not terminated
        info: dict[str, Any] = {"action_mask": tables.action_mask[0].copy()}
        if tables.deal_over[0]:
            info["deal"] = _row(deal_results(tables.finished))
        if tables.illegal[0]:
            info["illegal"] = True
        self._show()
        return self._observation(), self._reward_scale * float(tables.reward[0]), terminated, False, info

    def render(self) -> Any:
        """The table as the learner sees it, in the render mode that was asked for (see `envs/render.py`)."""
        return render(self._tables.games, self.render_mode)

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def _observation(self) -> Any:
        observation = self._tables.observation[0].copy()
        if not self._dict:
            return observation
        return {"observation": observation, "action_mask": self._tables.action_mask[0].copy()}


# --- what both Gymnasium doors need ----------------------------------------------------------------------------------


def single_observation_space(observation: str) -> spaces.Space[Any]:
    """The space of what one learner sees, by one of `OBSERVATIONS`."""
    flat = spaces.Box(0.0, HIGHEST_FEATURE, (N_OBSERVATION,), np.float32)
    if observation == "flat":
        return flat
    return spaces.Dict({"observation": flat, "action_mask": spaces.Box(0, 1, (N_ACTIONS,), np.int8)})


def check_modes(observation: str, render_mode: str | None, render_modes: tuple[str, ...]) -> None:
    """ValueError for an observation or a render mode that does not exist."""
    if observation not in OBSERVATIONS:
        raise ValueError(f"observation={observation!r} is not one of {', '.join(OBSERVATIONS)}")
    if render_mode is not None and render_mode not in render_modes:
        raise ValueError(f"render_mode={render_mode!r} is not one of {', '.join(render_modes)}")


def checked_seed(seed: Any) -> int:
    """A seed as an int; ValueError for one out of range."""
    if not 0 <= seed < 1 << 63:
        raise ValueError(f"seed={seed!r} is not a whole number from 0 to 2^63-1")
    return int(seed)


def checked_actions(actions: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Actions as int64 of `shape`; ValueError for other shapes and for what are no whole numbers."""
    array = np.asarray(actions)
    if array.shape != shape or array.dtype.kind not in "iu":
        raise ValueError(f"actions are {array.dtype} of shape {array.shape}; needed are whole numbers of shape {shape}")
    return array.astype(np.int64, copy=False)


def deal_results(finished: np.ndarray) -> dict[str, np.ndarray]:
    """The results of deals that have been scored, `GAME` [N]: new arrays over the deals; public, all of it."""
    return {
        "number": finished["deals_played"].copy(),
        "declarer": finished["declarer"].copy(),
        "trump": finished["trump"].copy(),
        "score": finished["score"].copy(),
        "totals": finished["totals"].copy(),
        "nat": finished["nat"] != 0,
        "pit": finished["pit"].copy(),
        "reneged": finished["reneged"].copy(),
    }


def _row(results: dict[str, np.ndarray]) -> dict[str, Any]:
    """The first of some results: plain numbers, and arrays where there is one for each side."""
    return {name: array[0].copy() if array.ndim > 1 else array[0].item() for name, array in results.items()}
