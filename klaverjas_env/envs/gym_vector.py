"""The batched Gymnasium door: N learners at N tables, arrays in and arrays out, the other seats batched as well.

```python
gymnasium.make_vec("klaverjas_env:Klaverjas-v0", num_envs=N, vectorization_mode="vector_entry_point", ...)
```

takes the arguments of `gymnasium.make` (see `single_agent`) and `copy`: without it the observations and masks that are
returned are written over by the next step, which saves time for those who copy them anyway.

It behaves as `SyncVectorEnv` does with the environments of `single_agent`, in the autoreset mode `SAME_STEP`: an
episode that ends is followed by the next one in the same step. `infos` then has what was last seen in `"final_obs"`
(object [N]) and the end in `"final_info"`: `"deal"`, the result by number, declarer and so on, each an array over the
tables, and `"illegal"`. `infos["action_mask"]` is int8 [N, 45]. Every key has its companion with an underscore before
it, bool [N]: for which tables it says something. `reset(seed=s)` gives table i the seed s + i; a list gives each its
own. The option `"reset_mask"`, bool [N], resets some tables only.
"""

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from klaverjas_env.envs.learner_tables import GO_ON, Choice, LearnerTables
from klaverjas_env.envs.players import RANDOM, Player
from klaverjas_env.envs.render import render
from klaverjas_env.envs.single_agent import (
    check_modes,
    checked_actions,
    checked_seed,
    deal_results,
    single_observation_space,
)
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.rules.variant import Variant

RENDERED: Final = ("ansi", "rgb_array")


class KlaverjasVectorEnv(VectorEnv[Any, Any, Any]):
    """N learners at N tables; see the head of this file.

    Attributes beside Gymnasium's:
        variant: the house rules.
        seat: where the learners sit.
        games: `GAME` [N], the records with all hands.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012 (Gymnasium's type)
        "render_modes": list(RENDERED),
        "autoreset_mode": AutoresetMode.SAME_STEP,
    }

    def __init__(
        self,
        num_envs: int = 1,
        variant: Variant | str | None = None,
        opponents: Choice = RANDOM,
        partner: Player | None = None,
        seat: int = 0,
        episode: str = "deal",
        reward_scale: float = 1.0,
        observation: str = "flat",
        illegal: str = "penalize",
        render_mode: str | None = None,
        copy: bool = True,
    ) -> None:
        check_modes(observation, render_mode, RENDERED)
        if num_envs < 1:
            raise ValueError(f"num_envs={num_envs}: a batch needs at least one table")
        self._tables = LearnerTables(num_envs, variant, opponents, partner, seat, episode, illegal, autoreset=True)
        self._reward_scale = float(reward_scale)
        self._dict = observation == "dict"
        self._copy = copy
        self._begun = False
        # Where SyncVectorEnv has it too: TorchRL asks for it there.
        self.autoreset_mode = AutoresetMode.SAME_STEP
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.single_observation_space = single_observation_space(observation)
        self.single_action_space = spaces.Discrete(N_ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    @property
    def variant(self) -> Variant:
        """The house rules."""
        return self._tables.variant

    @property
    def seat(self) -> int:
        """Where the learners sit, 0..3."""
        return self._tables.seat

    @property
    def games(self) -> np.ndarray:
        """The records with all hands, `GAME` [N]."""
        return self._tables.games

    def action_masks(self) -> np.ndarray:
        """The legal actions of all learners, bool [N, 45]."""
        return self._tables.action_mask.astype(np.bool_)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes; see the head of this file and that of `single_agent`."""
        super().reset(seed=seed if isinstance(seed, int) else None)
        chosen = self._chosen(options)
        self._tables.reset(self._seeds(seed), chosen, options)
        self._begun = True
        mask = self._kept(self._tables.action_mask)
        return self._observation(), {"action_mask": mask, "_action_mask": chosen.copy()}

    def step(self, actions: Any) -> tuple[Any, np.ndarray, np.ndarray, np.ndarray, dict[str, Any]]:
        """Take every learner's action, int [N], and play on until each has the turn again."""
        tables = self._tables
        tables.step(checked_actions(actions, (self.num_envs,)))
        infos: dict[str, Any] = {
            "action_mask": self._kept(tables.action_mask),
            "_action_mask": np.ones(self.num_envs, np.bool_),
        }
        going_on = tables.deal_over & ~tables.terminated
        if going_on.any():
            _enter(infos, "deal", self._results(going_on), going_on)
        if tables.terminated.any():
            self._enter_ends(infos)
        return (
            self._observation(),
            self._reward_scale * tables.reward,
            tables.terminated.copy(),
            np.zeros(self.num_envs, np.bool_),
            infos,
        )

    def render(self) -> tuple[Any, ...] | None:
        """The tables as the learners see them: texts, or pictures uint8 [720, 1080, 3]."""
        if self.render_mode is None:
            return None
        return tuple(render(self.games[i : i + 1], self.render_mode) for i in range(self.num_envs))

    def _seeds(self, seed: int | Sequence[int | None] | None) -> np.ndarray:
        """A seed for every table, int64 [N], or `GO_ON`; the first ones of a run that was given none are drawn."""
        if isinstance(seed, int | np.integer):
            checked_seed(seed)
            checked_seed(seed + self.num_envs - 1)
            return seed + np.arange(self.num_envs, dtype=np.int64)
        seeds: Sequence[int | None] = [None] * self.num_envs if seed is None else seed
        if len(seeds) != self.num_envs:
            raise ValueError(f"seed: {len(seeds)} seeds for {self.num_envs} tables")
        drawn = np.full(self.num_envs, GO_ON) if self._begun else self.np_random.integers(1 << 63, size=self.num_envs)
        return np.array([drawn[i] if one is None else checked_seed(one) for i, one in enumerate(seeds)])

    def _chosen(self, options: dict[str, Any] | None) -> np.ndarray:
        """Which tables a reset is for, bool [N]."""
        everybody = np.ones(self.num_envs, np.bool_)
        chosen: Any = (options or {}).get("reset_mask", everybody)
        if not isinstance(chosen, np.ndarray) or chosen.dtype != np.bool_ or chosen.shape != everybody.shape:
            raise ValueError(f"options['reset_mask'] is not a bool array of shape ({self.num_envs},)")
        if not chosen.any() or not (self._begun or chosen.all()):
            raise ValueError("options['reset_mask'] must name a table, and the first reset is for all tables")
        return chosen

    def _enter_ends(self, infos: dict[str, Any]) -> None:
        """Write the ends of episodes into `infos`."""
        tables = self._tables
        ended = tables.terminated.copy()
        final_info: dict[str, Any] = {}
        _enter(final_info, "action_mask", np.zeros((self.num_envs, N_ACTIONS), np.int8), ended)
        scored = tables.deal_over & ended
        if scored.any():
            _enter(final_info, "deal", self._results(scored), scored)
        if tables.illegal.any():
            _enter(final_info, "illegal", tables.illegal.copy(), tables.illegal.copy())
        _enter(infos, "final_info", final_info, ended)
        places = np.flatnonzero(ended)
        seen: list[Any] = list(tables.final_observation[places])
        if self._dict:
            seen = [{"observation": one, "action_mask": np.zeros(N_ACTIONS, np.int8)} for one in seen]
        final: np.ndarray = np.full(self.num_envs, None, dtype=object)
        for place, one in zip(places, seen, strict=True):
            final[place] = one
        _enter(infos, "final_obs", final, ended)

    def _results(self, scored: np.ndarray) -> dict[str, Any]:
        """The results of the deals at the `scored` tables, bool [N], and zeros at the others."""
        results: dict[str, Any] = {}
        for name, values in deal_results(self._tables.finished[scored]).items():
            array = np.zeros((self.num_envs, *values.shape[1:]), values.dtype)
            array[scored] = values
            _enter(results, name, array, scored)
        return results

    def _observation(self) -> Any:
        observation = self._kept(self._tables.observation)
        if not self._dict:
            return observation
        return {"observation": observation, "action_mask": self._kept(self._tables.action_mask)}

    def _kept(self, array: np.ndarray) -> np.ndarray:
        return array.copy() if self._copy else array


def _enter(infos: dict[str, Any], key: str, values: Any, where: np.ndarray) -> None:
    """Add a key and its companion, as Gymnasium's vector environments do."""
    infos[key] = values
    infos[f"_{key}"] = where.copy()
