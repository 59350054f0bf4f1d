"""Plain minimax through `game.legal` and `game.apply`, written apart from the solver and used to check it.

It shares no code with the solver: no table, no window moved by what was won, no merging of cards. It is alpha-beta only
so far that a move which cannot matter is left out.
"""

from typing import Any

import numpy as np

from klaverjas_env.game import CLAIM, CLAIMING, DEAL_OVER, GAME, PLAYING, apply, card_duty, legal
from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import lowest_bit

DEPTH = 42
FAR = 1 << 40


@jit
def outcome(game: Any, score: bool) -> int:
    """The result of a finished deal for seats 0 and 2: its score, or the difference before nat."""
    if score:
        return int(game.score[0] - game.score[1])
    value = game.points[0] + game.roem[0] - game.points[1] - game.roem[1]
    playing = game.declarer & 1
    sign = 1 - 2 * playing
    if game.tricks[1 - playing] == 0:
        value += sign * game.rules.pit_bonus
    if game.tricks[playing] == 0:
        value -= sign * game.rules.counter_pit_bonus
    return int(value)


@jit
def choices(games: np.ndarray, depth: int) -> int:
    """The cards within R3, or the claims that give the other side nothing and are not the same as silence."""
    game = games[depth]
    if game.phase == PLAYING:
        return int(legal(game) & card_duty(game)[1])
    claims = legal(game)
    allowed = 1 << CLAIM
    team = game.to_act & 1
    games[depth + 1] = games[depth]
    apply(games[depth + 1], CLAIM)
    silent = games[depth + 1].roem[team]
    theirs = games[depth + 1].roem[1 - team]
    claims &= claims - 1
    while claims != 0:
        action = lowest_bit(claims)
        claims &= claims - 1
        games[depth + 1] = games[depth]
        apply(games[depth + 1], action)
        if games[depth + 1].roem[1 - team] == theirs and games[depth + 1].roem[team] > silent:
            allowed |= 1 << action
    return allowed


@jit
def minimax(games: np.ndarray, score: bool) -> int:
    """The value of `games[0]` for seats 0 and 2; `games` [DEPTH] of dtype `GAME` is room to work in."""
    low = np.full(DEPTH, -FAR, dtype=np.int64)
    high = np.full(DEPTH, FAR, dtype=np.int64)
    best = np.zeros(DEPTH, dtype=np.int64)
    left = np.zeros(DEPTH, dtype=np.int64)
    depth = 0
    fresh = True
    while True:
        game = games[depth]
        done = False
        if fresh and game.phase == DEAL_OVER:
            best[depth] = outcome(game, score)
            done = True
        elif fresh:
            left[depth] = choices(games, depth)
            best[depth] = FAR if game.to_act & 1 else -FAR
        if not done and (left[depth] == 0 or low[depth] >= high[depth]):
            done = True
        if not done:
            action = lowest_bit(left[depth])
            left[depth] &= left[depth] - 1
            games[depth + 1] = games[depth]
            apply(games[depth + 1], action)
            low[depth + 1] = low[depth]
            high[depth + 1] = high[depth]
            depth += 1
            fresh = True
            continue
        if depth == 0:
            return int(best[0])
        value = best[depth]
        depth -= 1
        fresh = False
        if games[depth].to_act & 1:
            best[depth] = min(best[depth], value)
            high[depth] = min(high[depth], value)
        else:
            best[depth] = max(best[depth], value)
            low[depth] = max(low[depth], value)


@jit
def brute(games: np.ndarray, score: bool, value: np.ndarray, after: np.ndarray) -> None:
    """The value of every game [N] and after each of its actions, for seats 0 and 2: int64 [N] and [N, A]; actions that
    are not looked at keep what stands there."""
    room = np.empty(DEPTH + 1, dtype=GAME)
    for i in range(len(games)):
        room[0] = games[i]
        value[i] = minimax(room, score)
        room[0] = games[i]
        actions = choices(room, 0)
        while actions != 0:
            action = lowest_bit(actions)
            actions &= actions - 1
            room[0] = games[i]
            apply(room[0], action)
            after[i, action] = minimax(room, score)


@jit
def random_positions(games: np.ndarray, tricks: int, state: int) -> None:
    """Play every game [N] at random (cards within R3, any claim) until 1 to 4 * `tricks` cards are left, or till a
    claim about then."""
    for i in range(len(games)):
        game = games[i]
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        stop = 32 - 4 * tricks + (state >> 8) % 4 + 4 * ((state >> 12) % tricks)
        claim_at = (state >> 16) & 3
        while game.n_plays < stop or (game.phase == CLAIMING and claim_at != 0):
            actions = card_duty(game)[1] if game.phase == PLAYING else legal(game)
            state = (state * 1103515245 + 12345) & 0x7FFFFFFF
            skip = (state >> 10) % 8
            while skip > 0 and actions & (actions - 1) != 0:
                actions &= actions - 1
                skip -= 1
            apply(game, lowest_bit(actions))
