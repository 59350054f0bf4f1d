"""N tables at which one seat learns and players hold the other three: what both Gymnasium doors stand on.

A table plays the deals of its seed one after the other, match after match, as those of the batched door do. It waits
for nobody but the learner: the other seats are played on until the learner has to decide or its episode is over.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from klaverjas_env.bots.baselines import random_action
from klaverjas_env.envs.given import OPTIONS, given_deal
from klaverjas_env.envs.illegal import ILLEGAL_POINTS, check_illegal
from klaverjas_env.envs.players import RANDOM, Chair, Player, players_of
from klaverjas_env.game import (
    GAME,
    N_ACTIONS,
    NO_PIT,
    PASSED_OUT,
    apply,
    deal_ended,
    first_dealer,
    legal,
    match_over,
    new_match,
    next_deal,
    start_deal,
)
from klaverjas_env.jit import jit
from klaverjas_env.notation import IllegalActionError
from klaverjas_env.observation import N_OBSERVATION, PHYSICAL, write_mask, write_observation
from klaverjas_env.questions import illegal_action
from klaverjas_env.rng import table_seed
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import hide, view

EPISODES: Final = ("deal", "match")

GO_ON: Final = -1
"""In place of a seed: the table goes on with the next deal of the seed that it has."""

_LEARNER: Final = -1
_KERNEL: Final = 0
"""Who is awaited at a table: the learner (or nobody, its episode is over), a seat that compiled code plays, or from 1
on one of the players that Python has to ask."""

Choice: TypeAlias = Player | Sequence[Player]


class LearnerTables:
    """N tables as the seat of the learner sees them.

    Attributes, all arrays over the tables and rewritten by `reset` and `step`:
        games: `GAME` [N], the records themselves.
        observation: float32 [N, OBS], what the learner sees.
        action_mask: int8 [N, 45], its legal actions; all zeros when its episode is over.
        reward: float64 [N], points of its own side minus those of the other side in the deals that the last step
            ended, or `ILLEGAL_POINTS`.
        terminated: bool [N], whether the last step ended an episode.
        illegal: bool [N], whether it did so by an illegal action.
        deal_over: bool [N], whether a deal of the episode was scored in the last step.
        finished: `GAME` [N], that deal as it was scored, the last one where there were several.
        final_observation: float32 [N, OBS], what the learner saw at the end of the episode that the last step ended.
    """

    def __init__(
        self,
        n: int,
        variant: Variant | str | None,
        opponents: Choice,
        partner: Player | None,
        seat: int,
        episode: str,
        illegal: str,
        autoreset: bool,
    ) -> None:
        """
        Args:
            n: number of tables.
            variant: the house rules.
            opponents, partner: see `players.players_of`.
            seat: 0..3, where the learner sits.
            episode: one of `EPISODES`.
            illegal: one of `illegal.ILLEGAL`.
            autoreset: begin the next episode in the step that ended one.
        """
        if isinstance(seat, bool) or seat not in (0, 1, 2, 3):
            raise ValueError(f"seat={seat!r} is not one of 0 south, 1 west, 2 north, 3 east")
        if episode not in EPISODES:
            raise ValueError(f"episode={episode!r} is not one of {', '.join(EPISODES)}")
        check_illegal(illegal)
        self.variant = Variant.of(variant)
        self.seat = int(seat)
        self._match = episode == "match"
        self._penalize = illegal == "penalize"
        self._autoreset = autoreset
        self._chairs, self._who = _seated(players_of(opponents, partner))
        self.games = np.zeros(n, GAME)
        self.games["rules"] = self.variant.record()
        self.observation = np.zeros((n, N_OBSERVATION), np.float32)
        self.action_mask = np.zeros((n, N_ACTIONS), np.int8)
        self.reward = np.zeros(n, np.float64)
        self.terminated = np.zeros(n, np.bool_)
        self.illegal = np.zeros(n, np.bool_)
        self.deal_over = np.zeros(n, np.bool_)
        self.finished = np.zeros(n, GAME)
        self.final_observation = np.zeros((n, N_OBSERVATION), np.float32)
        self._awaited = np.full(n, _LEARNER)
        self._views = np.zeros(n, GAME)  # kept: numpy takes 18 us to make an array of records
        # Whether the learner has yet to decide anything in its episode, and what its side got before it could.
        self._fresh = np.ones(n, np.bool_)
        self._pending = np.zeros(n, np.float64)

    def reset(self, seeds: np.ndarray, chosen: np.ndarray, options: Mapping[str, Any] | None) -> None:
        """Begin an episode at the `chosen` tables, bool [N].

        Args:
            seeds: int64 [N], 0..2^63-1 or `GO_ON`.
            options: those of `given.given_deal`; others are ignored.
        """
        first = int(seeds[np.argmax(chosen)])
        if first != GO_ON:
            for chair in self._chairs:
                chair.reseed(first)
        _begin(self.games, seeds, chosen, self._match)
        if options and not options.keys().isdisjoint(OPTIONS):
            for table in np.flatnonzero(chosen):
                self._give(int(table), options, int(seeds[table]))
        self._fresh[chosen] = True
        self._pending[chosen] = 0.0
        self._awaited[chosen] = _KERNEL
        for outcome in (self.reward, self.terminated, self.illegal, self.deal_over):
            outcome[chosen] = 0
        self._play_on()

    def step(self, actions: np.ndarray) -> None:
        """Take the learner's action at every table, int64 [N].

        Raises IllegalActionError, and changes nothing, where an action is illegal and that is not to be penalized.
        """
        if not self._penalize:
            wrong = _first_illegal(self.action_mask, actions)
            if wrong >= 0:
                seen = view(self.games[wrong : wrong + 1], np.array([self.seat]))
                raise IllegalActionError(f"table {wrong}: {_refusal(seen, int(actions[wrong]))}")
        _take(
            self.games,
            actions,
            self.action_mask,
            self.observation,
            self._match,
            self._autoreset,
            self._awaited,
            self._fresh,
            self._pending,
            self.reward,
            self.terminated,
            self.illegal,
            self.deal_over,
            self.final_observation,
        )
        self._play_on()

    def _play_on(self) -> None:
        """Let the other seats play until every table waits for the learner, then write what it sees."""
        while self._advance() > 0:
            for number, chair in enumerate(self._chairs, 1):
                tables = np.flatnonzero(self._awaited == number)
                if len(tables):
                    self._ask(chair, tables)
        _observe(self.games, self.seat, PHYSICAL, self.observation, self.action_mask)
        if not self._autoreset:
            self.action_mask[self.terminated] = 0

    def _advance(self) -> int:
        return _advance(
            self.games,
            self.seat,
            PHYSICAL,
            self._who,
            self._match,
            self._autoreset,
            self._awaited,
            self._fresh,
            self._pending,
            self.reward,
            self.terminated,
            self.deal_over,
            self.finished,
            self.final_observation,
        )

    def _ask(self, chair: Chair, tables: np.ndarray) -> None:
        """Let a player act at some tables, int64 [K]."""
        views = self._views[: len(tables)]
        _look(self.games, tables, views)
        actions = chair.actions(views)
        wrong = _apply_at(self.games, tables, actions, self._awaited)
        if wrong >= 0:
            refusal = _refusal(views[wrong : wrong + 1], int(actions[wrong]))
            raise IllegalActionError(f"table {tables[wrong]}, player {chair.player!r}: {refusal}")

    def _give(self, table: int, options: Mapping[str, Any], seed: int) -> None:
        """Put the deal of the options in the place of the one just dealt; seed, number and match stay as they are."""
        game = self.games[table]
        if seed == GO_ON:
            seed = table_seed(int(game["seed"]), int(game["deal_number"]))
        given = given_deal(self.variant, options, seed)
        given["rules"] = game["rules"]
        for name in ("seed", "deal_number", "deals_played", "totals"):
            given[name] = game[name]
        self.games[table] = given[0]


def _seated(players: tuple[Player, Player, Player]) -> tuple[list[Chair], np.ndarray]:
    """The players that Python has to ask, each once, and who holds which seat after the learner's, int64 [4]."""
    chairs: list[Chair] = []
    who = [_KERNEL]
    for player in players:
        if isinstance(player, str) and player == RANDOM:
            who.append(_KERNEL)
            continue
        known = [number for number, chair in enumerate(chairs, 1) if _same(chair.player, player)]
        if not known:
            chairs.append(Chair(player))
        who.append(known[0] if known else len(chairs))
    return chairs, np.array(who)


def _refusal(seen: np.ndarray, action: int) -> IllegalActionError:
    """Why an action is illegal, told from the view of its seat, `GAME` [1]: an error must not show cards."""
    return illegal_action(seen, action if 0 <= action < N_ACTIONS else -1, action)


def _same(one: Player, other: Player) -> bool:
    return one is other or (isinstance(one, str) and isinstance(other, str) and one == other)


# --- compiled --------------------------------------------------------------------------------------------------------


@jit
def _begin(games: np.ndarray, seeds: np.ndarray, chosen: np.ndarray, whole_match: bool) -> None:
    for i in range(len(games)):
        if not chosen[i]:
            continue
        game = games[i]
        if seeds[i] == GO_ON:
            _next_episode(game, whole_match)
            continue
        game.seed = seeds[i]
        game.deal_number = 0
        game.dealer = first_dealer(game)
        game.nat = 0
        game.pit = NO_PIT
        game.score[:] = 0
        new_match(game)
        start_deal(game)


@jit
def _next_episode(game: Any, whole_match: bool) -> None:
    """Deal for the next episode; a deal or match that was left in its middle is left behind."""
    if whole_match or match_over(game):
        new_match(game)
    next_deal(game)


@jit
def _first_illegal(masks: np.ndarray, actions: np.ndarray) -> int:
    """The first table whose action is not legal, or -1."""
    for i in range(len(actions)):
        if actions[i] < 0 or actions[i] >= masks.shape[1] or masks[i, actions[i]] == 0:
            return i
    return -1


@jit
def _take(
    games: np.ndarray,
    actions: np.ndarray,
    masks: np.ndarray,
    observation: np.ndarray,
    whole_match: bool,
    autoreset: bool,
    awaited: np.ndarray,
    fresh: np.ndarray,
    pending: np.ndarray,
    reward: np.ndarray,
    terminated: np.ndarray,
    illegal: np.ndarray,
    deal_over: np.ndarray,
    final_observation: np.ndarray,
) -> None:
    """Take the learner's actions; one that is not legal ends the episode there."""
    for i in range(len(games)):
        action = actions[i]
        illegal[i] = action < 0 or action >= masks.shape[1] or masks[i, action] == 0
        terminated[i] = illegal[i]
        deal_over[i] = False
        reward[i] = pending[i]
        pending[i] = 0.0
        if not illegal[i]:
            apply(games[i], action)
            awaited[i] = _KERNEL
            continue
        reward[i] += ILLEGAL_POINTS
        final_observation[i] = observation[i]
        if autoreset:
            _next_episode(games[i], whole_match)
            fresh[i] = True
            awaited[i] = _KERNEL


@jit
def _advance(
    games: np.ndarray,
    seat: int,
    order: np.ndarray,
    who: np.ndarray,
    whole_match: bool,
    autoreset: bool,
    awaited: np.ndarray,
    fresh: np.ndarray,
    pending: np.ndarray,
    reward: np.ndarray,
    terminated: np.ndarray,
    deal_over: np.ndarray,
    finished: np.ndarray,
    final_observation: np.ndarray,
) -> int:
    """Play the seats of `_KERNEL` and end deals until each table awaits the learner or a player that Python has to
    ask: how many await such a player."""
    asked = 0
    for i in range(len(games)):
        game = games[i]
        while awaited[i] == _KERNEL:
            if not deal_ended(game):
                player = _LEARNER if game.to_act == seat else who[(game.to_act - seat) & 3]
                awaited[i] = player
                if player == _KERNEL:
                    apply(game, random_action(game, game.seed))
                elif player == _LEARNER:
                    fresh[i] = False
                continue
            if game.phase == PASSED_OUT:
                next_deal(game)
                continue
            result = game.score[seat & 1] - game.score[1 - (seat & 1)]
            over = match_over(game)
            if fresh[i]:
                # A deal in which the learner had nothing to decide counts in a match, but is no episode.
                if whole_match:
                    pending[i] = 0.0 if over else pending[i] + result
            else:
                reward[i] += result
                deal_over[i] = True
                finished[i] = game
                if over or not whole_match:
                    terminated[i] = True
                    write_observation(game, seat, order, final_observation[i])
                    if not autoreset:
                        awaited[i] = _LEARNER
                        continue
                    fresh[i] = True
            if over:
                new_match(game)
            next_deal(game)
        asked += int(awaited[i] > _KERNEL)
    return asked


@jit
def _look(games: np.ndarray, tables: np.ndarray, views: np.ndarray) -> None:
    """Write the views of the seats to act at some tables; numpy takes 100 times as long to copy records."""
    for i in range(len(tables)):
        views[i] = games[tables[i]]
        hide(views[i], views[i].to_act)


@jit
def _apply_at(games: np.ndarray, tables: np.ndarray, actions: np.ndarray, awaited: np.ndarray) -> int:
    """Take the actions of a player at some tables, up to the first illegal one: its place among them, or -1."""
    for i in range(len(tables)):
        game = games[tables[i]]
        if actions[i] < 0 or actions[i] >= N_ACTIONS or (legal(game) >> actions[i]) & 1 == 0:
            return i
        apply(game, actions[i])
        awaited[tables[i]] = _KERNEL
    return -1


@jit
def _observe(games: np.ndarray, seat: int, order: np.ndarray, observation: np.ndarray, action_mask: np.ndarray) -> None:
    for i in range(len(games)):
        write_observation(games[i], seat, order, observation[i])
        write_mask(games[i], seat, order, action_mask[i])
