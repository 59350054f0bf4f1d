"""The batched door: N games side by side, arrays in and arrays out.

Each table plays match after match. `step` takes one action for every table and deals again where a deal has ended; the
arrays that describe the decisions now open are written in place and stay the same objects.
"""

import os
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Any, Final

import numpy as np

from klaverjas_env.game import (
    DEAL_OVER,
    GAME,
    N_ACTIONS,
    NO_PIT,
    apply,
    deal_ended,
    first_dealer,
    legal,
    match_over,
    new_match,
    next_deal,
    set_contract,
    start_deal,
)
from klaverjas_env.jit import jit, jit_threaded, jit_writer
from klaverjas_env.observation import (
    N_OBSERVATION,
    PHYSICAL,
    action_from_slots,
    canonical_order,
    write_decision,
    write_hidden_hands,
    write_rules,
)
from klaverjas_env.rng import DOMAIN_CONTRACT, draw, table_seed
from klaverjas_env.rules.cards import lowest_bit
from klaverjas_env.rules.variant import Variant

_CONTRACT_SCALE: Final = 1 << 20

TABLES_A_THREAD: Final = 1024
"""The fewest tables for which another thread may be worth waking: some 200 us of work."""
_TRIAL: Final = 32
"""One step of so many is taken in the way that has been slower of late, with threads or without."""
_NEWEST: Final = 0.25
"""Weight of the newest of the times that a way has taken."""


class VectorGames:
    """N tables of Klaverjas.

    Attributes, all arrays over the tables and rewritten by `step`:
        games: `GAME` [N], the records themselves.
        observation: float32 [N, OBS], the view of the seat to act.
        action_mask: int8 [N, 45], its legal actions.
        hidden_hands: float32 [N, 96], the other three hands, for critics that see all cards; [0, 96] if not asked for.
        seat: int64 [N], who acts.
        reward: float32 [N], points of south-north minus west-east for the deal that the last step ended, else 0.
        deal_over: bool [N], whether the last step ended a deal.
    """

    def __init__(
        self,
        n: int,
        variant: Variant | str | None = None,
        seed: int = 0,
        *,
        skip_forced: bool = False,
        canonical: bool = False,
        random_contracts: float = 0.0,
        with_hidden_hands: bool = True,
        threads: int = 1,
    ) -> None:
        """
        Args:
            n: number of tables.
            variant: the house rules of all tables; change `games["rules"]` to mix them, and then `reset` or `observe`.
            seed: 0..2^63-1; table i deals from its own seed, drawn from (seed, i).
            skip_forced: play cards that are the only legal one inside `step`.
            canonical: suits of observation, mask and actions stand in each seat's canonical order.
            random_contracts: share of deals that begin with a given random contract in place of the choice of trump.
            with_hidden_hands: whether `hidden_hands` is written; who needs no such critic saves a tenth of the time.
            threads: the most that share out the tables of a step, each `TABLES_A_THREAD` or more. They are used
                only while that is faster, which the batch finds out; what is played does not depend on it.
        """
        if n < 1:
            raise ValueError(f"n={n}: a batch needs at least one table")
        if not 0.0 <= random_contracts <= 1.0:
            raise ValueError(f"random_contracts={random_contracts} is not a share between 0 and 1")
        if threads < 1:
            raise ValueError(f"threads={threads}: a step needs at least one thread")
        self.n = n
        self.skip_forced = skip_forced
        self.canonical = canonical
        self.random_contracts = random_contracts
        self.games = np.zeros(n, dtype=GAME)
        self.games["rules"] = Variant.of(variant).record()
        self.observation = np.zeros((n, N_OBSERVATION), dtype=np.float32)
        self.action_mask = np.zeros((n, N_ACTIONS), dtype=np.int8)
        self.hidden_hands = np.zeros((n if with_hidden_hands else 0, 96), dtype=np.float32)
        self.seat = np.zeros(n, dtype=np.int64)
        self.reward = np.zeros(n, dtype=np.float32)
        self.deal_over = np.zeros(n, dtype=np.bool_)
        self._orders = np.tile(PHYSICAL, (n, 1))
        parts = max(1, min(threads, n // TABLES_A_THREAD))
        self._parts = [(n * part // parts, n * (part + 1) // parts) for part in range(parts)]
        self._steps = 0
        self._seconds = [0.0, 0.0]
        self.reset(seed)

    def reset(self, seed: int) -> None:
        """Begin anew from `seed`, as a batch made with that seed does."""
        if not 0 <= seed < 1 << 63:
            raise ValueError(f"seed={seed} is not a whole number from 0 to 2^63-1")
        _reset(self.games, seed, self._contract_threshold, self.skip_forced)
        self.reward[:] = 0.0
        self.deal_over[:] = False
        self.observe()

    def restore(self, records: bytes) -> None:
        """Go on from `games.tobytes()` of a batch of the same size. Raises ValueError for any other length."""
        if len(records) != self.games.nbytes:
            raise ValueError(f"{len(records)} bytes are not the records of {self.n} games, {self.games.nbytes} bytes")
        self.games[:] = np.frombuffer(records, dtype=GAME)
        self.observe()

    def step(self, actions: np.ndarray) -> None:
        """Take one legal action per table: int64 [N], in the suit order of the observation.

        Raises ValueError for a wrong shape and for an illegal action, naming the table; nothing is played then.
        """
        actions = np.asarray(actions, dtype=np.int64)
        if actions.shape != (self.n,):
            raise ValueError(f"actions have shape {actions.shape}, the batch has ({self.n},)")
        wrong = _first_illegal(self.action_mask, actions)
        if wrong >= 0:
            raise ValueError(f"table {wrong}: action {actions[wrong]} is not legal there (see action_mask[{wrong}])")
        if len(self._parts) < 2:
            self._step(actions, 0, self.n)
            return
        start = time.perf_counter()
        shared = self._share_next()
        if shared:
            others = [_pool(len(self._parts)).submit(self._step, actions, *part) for part in self._parts[1:]]
            self._step(actions, *self._parts[0])
            for other in others:
                other.result()
        else:
            self._step(actions, 0, self.n)
        self._seconds[shared] += _NEWEST * (time.perf_counter() - start - self._seconds[shared])

    def _share_next(self) -> bool:
        """Whether threads take the next step: while they are faster, and now and then to see whether they would be."""
        self._steps += 1
        faster = self._seconds[True] < self._seconds[False]
        return faster if self._steps % _TRIAL != 0 else not faster

    def _step(self, actions: np.ndarray, first: int, end: int) -> None:
        """Act at the tables `first` to `end` - 1."""
        _step(
            first,
            end,
            self.games,
            actions,
            self.canonical,
            self._orders,
            self._contract_threshold,
            self.skip_forced,
            self.observation,
            self.action_mask,
            self.hidden_hands,
            self.seat,
            self.reward,
            self.deal_over,
        )

    def observe(self) -> None:
        """Write observation, mask, hidden hands and seat of every table from its record."""
        _observe(
            self.games,
            self.canonical,
            self._orders,
            self.observation,
            self.action_mask,
            self.hidden_hands,
            self.seat,
        )

    def random_actions(self, rng: np.random.Generator) -> np.ndarray:
        """One uniformly random legal action per table: int64 [N]."""
        return sample_mask(self.action_mask, rng.random(self.n))

    @property
    def _contract_threshold(self) -> int:
        return int(self.random_contracts * _CONTRACT_SCALE)


@cache
def _pool(threads: int) -> ThreadPoolExecutor:
    """Threads that wait for parts of steps, shared by all batches so that a batch can be copied and pickled."""
    return ThreadPoolExecutor(threads - 1, "klaverjas")


if hasattr(os, "register_at_fork"):  # not on Windows, which has no fork
    os.register_at_fork(after_in_child=_pool.cache_clear)  # the child has none of its parent's threads


@jit
def sample_mask(masks: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """A random member of each mask int8 [N, A] from numbers in [0, 1) float64 [N]: int64 [N]."""
    chosen = np.zeros(len(masks), dtype=np.int64)
    for i in range(len(masks)):
        legal_count = 0
        for action in range(masks.shape[1]):
            legal_count += masks[i, action]
        left = int(uniform[i] * legal_count)
        for action in range(masks.shape[1]):
            if masks[i, action]:
                if left == 0:
                    chosen[i] = action
                    break
                left -= 1
    return chosen


@jit
def open_deal(game: Any, contract_threshold: int) -> None:
    """Give the deal just dealt a random contract, with chance `contract_threshold` / 2^20 and from its own seed."""
    if contract_threshold > 0 and draw(game.seed, game.deal_number, DOMAIN_CONTRACT, _CONTRACT_SCALE) < (
        contract_threshold
    ):
        set_random_contract(game)


@jit
def set_random_contract(game: Any) -> None:
    """A uniformly random declarer and trump, drawn from the seed and number of the deal."""
    choice = draw(game.seed, game.deal_number, DOMAIN_CONTRACT + 1, 16)
    set_contract(game, choice >> 2, choice & 3)


@jit
def play_forced(game: Any) -> None:
    """Take every action that is the only legal one, until there is a choice or the deal is over."""
    while not deal_ended(game):
        actions = legal(game)
        if actions & (actions - 1) != 0:
            return
        apply(game, lowest_bit(actions))


@jit_writer
def _reset(games: np.ndarray, seed: int, contract_threshold: int, skip_forced: bool) -> None:
    for i in range(len(games)):
        game = games[i]
        game.seed = table_seed(seed, i)
        game.deal_number = 0
        game.dealer = first_dealer(game)
        game.nat = 0
        game.pit = NO_PIT
        game.score[:] = 0
        new_match(game)
        start_deal(game)
        open_deal(game, contract_threshold)
        if skip_forced:
            play_forced(game)


@jit_threaded
def _step(
    first: int,
    end: int,
    games: np.ndarray,
    actions: np.ndarray,
    canonical: bool,
    orders: np.ndarray,
    contract_threshold: int,
    skip_forced: bool,
    observation: np.ndarray,
    action_mask: np.ndarray,
    hidden_hands: np.ndarray,
    seats: np.ndarray,
    reward: np.ndarray,
    deal_over: np.ndarray,
) -> None:
    """Act at the tables `first` to `end` - 1, deal where a deal has ended, and write what the seats now to act see.

    One table after the other from beginning to end: its record is then still at hand when it is read.
    """
    for i in range(first, end):
        game = games[i]
        apply(game, action_from_slots(actions[i], orders[i]))
        if skip_forced:
            play_forced(game)
        reward[i] = 0.0
        deal_over[i] = game.phase == DEAL_OVER
        if game.phase == DEAL_OVER:
            reward[i] = game.score[0] - game.score[1]
        if match_over(game):
            new_match(game)
        if deal_ended(game):
            write_rules(game.rules, observation[i])
        while deal_ended(game):
            next_deal(game)
            open_deal(game, contract_threshold)
            if skip_forced:
                play_forced(game)
        seats[i] = game.to_act
        _describe(game, canonical, orders[i], observation[i], action_mask[i])
        if len(hidden_hands) != 0:
            write_hidden_hands(game, game.to_act, orders[i], hidden_hands[i])


@jit_writer
def _observe(
    games: np.ndarray,
    canonical: bool,
    orders: np.ndarray,
    observation: np.ndarray,
    action_mask: np.ndarray,
    hidden_hands: np.ndarray,
    seats: np.ndarray,
) -> None:
    for i in range(len(games)):
        game = games[i]
        seats[i] = game.to_act
        _describe(game, canonical, orders[i], observation[i], action_mask[i])
        if len(hidden_hands) != 0:
            write_hidden_hands(game, game.to_act, orders[i], hidden_hands[i])
        write_rules(game.rules, observation[i])


@jit_writer
def _describe(game: Any, canonical: bool, order: np.ndarray, observation: np.ndarray, action_mask: np.ndarray) -> None:
    """Write what the seat to act sees, but for the house rules."""
    if canonical:
        canonical_order(game, game.to_act, order)
    write_decision(game, order, observation, action_mask)


@jit_writer
def _first_illegal(masks: np.ndarray, actions: np.ndarray) -> int:
    """The first table whose action is not legal, or -1."""
    for i in range(len(actions)):
        if actions[i] < 0 or actions[i] >= masks.shape[1] or masks[i, actions[i]] == 0:
            return i
    return -1
