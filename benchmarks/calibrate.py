"""How the rule player's tables for choosing trump were made: `python -m benchmarks.calibrate [--deals N] [--seed N]`.

Strength: in many deals each suit is made trump for a drawn seat, the rule player plays the cards for all four, and the
score difference is regressed on the traits of the hand. Least strength: where the rule player may pass, the deal is
played out twice, with playing and with passing; the table holds the strength at which both are worth the same.
"""

import argparse
import sys
from typing import Any

import numpy as np

from klaverjas_env.bots.rule_based import choose
from klaverjas_env.bots.rule_tables import N_TRAITS, TRAITS, Tables
from klaverjas_env.bots.rule_trump import choose_trump, outcome, strength, trump_traits
from klaverjas_env.game import (
    BIDDING,
    DEAL_OVER,
    GAME,
    NAME,
    PASS,
    PASSED_OUT,
    PLAY,
    apply,
    legal,
    set_contract,
    start_deal,
    turned_suit,
)
from klaverjas_env.jit import jit
from klaverjas_env.rules.variant import Variant

OUTCOMES = (
    "trump_mode=stock, all_pass=forced_turned",
    "trump_mode=stock, all_pass=forced_choice",
    "trump_mode=stock, all_pass=redeal",
    "trump_mode=stock, all_pass=forced_turned, forced_seat=last",
    "trump_mode=free, all_pass=forced_choice",
    "trump_mode=free, all_pass=redeal",
    "trump_mode=free, all_pass=forced_choice, forced_seat=last",
)
"""House rules for each row of `LEAST_STRENGTH`."""
SWEEPS = 2
"""What passing is worth depends on the thresholds of those who speak later, and who has passed on those before."""
LEAST_SAMPLE = 100
"""With fewer deals that come to a call its threshold stays as it is."""


def dealt(variant: Variant, n: int, seed: int) -> np.ndarray:
    """Deals 0 to n - 1 of a seed before anybody has spoken, `GAME` [n]; the dealer goes round."""
    games = np.zeros(n, dtype=GAME)
    games["rules"] = variant.record()
    games["seed"] = seed
    games["deal_number"] = np.arange(n)
    games["dealer"] = games["deal_number"] & 3
    games["deals_played"] = 1  # R2.10 is for the first deal of a match
    _start_each(games)
    return games


@jit
def _start_each(games: np.ndarray) -> None:
    for i in range(len(games)):
        start_deal(games[i])


@jit
def _finish(game: Any, tables: Tables, team: int) -> int:
    """Let the rule player finish the deal: points of the team minus those of the other; 0 when it is passed out."""
    while game.phase != DEAL_OVER and game.phase != PASSED_OUT:
        apply(game, choose(game, tables))
    return 0 if game.phase == PASSED_OUT else int(game.score[team] - game.score[1 - team])


# --- strength --------------------------------------------------------------------------------------------------------


@jit
def _play_contracts(games: np.ndarray, tables: Tables, traits: np.ndarray, result: np.ndarray) -> None:
    """Play each deal four times, once with each suit as trump and always the same declarer."""
    scratch = games[:1].copy()
    game = scratch[0]
    for i in range(len(games)):
        for trump in range(4):
            scratch[0] = games[i]
            seat = (i >> 2) & 3
            traits[4 * i + trump] = trump_traits(game.hands[seat], trump)
            set_contract(game, seat, trump)
            result[4 * i + trump] = _finish(game, tables, seat & 1)


def fit_strength(variant: str, n: int, seed: int) -> tuple[np.ndarray, float]:
    """(points for each trait [N_TRAITS], share of the variance that they explain)."""
    games = dealt(Variant.parse(variant), n, seed)
    traits = np.zeros((4 * n, N_TRAITS), dtype=np.int64)
    result = np.zeros(4 * n)
    _play_contracts(games, Tables(), traits, result)
    worth, *_ = np.linalg.lstsq(traits.astype(float), result, rcond=None)
    return worth, float(1 - np.var(result - traits @ worth) / np.var(result))


# --- least strength --------------------------------------------------------------------------------------------------


@jit
def _play_and_pass(games: np.ndarray, spoken: int, tables: Tables, strong: np.ndarray, gain: np.ndarray) -> int:
    """Bring each deal to the call after `spoken` others, and there both play and pass; returns how many got there, with
    the strength and the gain of playing of each."""
    scratch = games[:1].copy()
    game = scratch[0]
    found = 0
    for i in range(len(games)):
        start = games[i]
        while start.phase == BIDDING and start.n_bids < spoken:
            apply(start, choose_trump(start, tables))
        if start.phase != BIDDING or start.n_bids != spoken or (legal(start) >> PASS) & 1 == 0:
            continue
        hand = start.hands[start.to_act]
        suit = turned_suit(start)
        action = PLAY
        if suit < 0:
            suit = 0
            for other in range(1, 4):
                if strength(hand, other, tables) > strength(hand, suit, tables):
                    suit = other
            action = NAME + suit
        team = start.to_act & 1
        strong[found] = strength(hand, suit, tables)
        gain[found] = 0
        scratch[0] = start
        apply(game, action)
        gain[found] += _finish(game, tables, team)
        scratch[0] = start
        apply(game, PASS)
        gain[found] -= _finish(game, tables, team)
        found += 1
    return found


def fit_thresholds(base: str, n: int, seed: int, worth: np.ndarray) -> np.ndarray:
    """The strength from which to play by [outcome, calls left]."""
    least = Tables().least.copy()
    tables = Tables(traits=worth, least=least)
    for options in OUTCOMES:
        # The last four calls are fitted in a house with one round, the four before them in one with two.
        for rounds in (1, 2) if "stock" in options else (1,):
            variant = Variant.parse(f"{base}, {options}, stock_rounds={rounds}")
            for sweep in range(SWEEPS):
                for spoken in range(3, -1, -1):
                    games = dealt(variant, n, seed + sweep)
                    strong, gain = np.zeros(n), np.zeros(n)
                    found = _play_and_pass(games, spoken, tables, strong, gain)
                    cell = outcome(games[0].rules), 4 * rounds - 1 - spoken
                    least[cell] = crossing(strong[:found], gain[:found], least[cell])
    return least


def crossing(strong: np.ndarray, gain: np.ndarray, before: float) -> float:
    """The strength at which a straight line through the gains is 0; `before` where too few came so far."""
    if len(strong) < LEAST_SAMPLE:
        return before
    slope, height = np.polyfit(strong, gain, 1)
    return float(np.clip(-height / max(slope, 0.3), -150, 150))


def main() -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.calibrate")
    parser.add_argument("--deals", type=int, default=100_000, help="deals for each fit (default 100000)")
    parser.add_argument("--seed", type=int, default=4242, help="seed of the deals (default 4242)")
    chosen = parser.parse_args()
    fits = [fit_strength(variant, chosen.deals, chosen.seed) for variant in ("amsterdams", "rotterdams")]
    print(f"{chosen.deals} deals, seed {chosen.seed}; {'amsterdams':>12}{'rotterdams':>12}")
    for trait, name in enumerate(TRAITS):
        print(f"{name:40}{fits[0][0][trait]:8.1f}{fits[1][0][trait]:12.1f}")
    print(f"{'share of the variance':40}{fits[0][1]:8.3f}{fits[1][1]:12.3f}")
    worth = np.round((fits[0][0] + fits[1][0]) / 2)
    print("least strength, amsterdams: [outcome, calls left]", flush=True)
    print(np.round(fit_thresholds("amsterdams", chosen.deals // 4, chosen.seed, worth)).astype(int))
    return 0


if __name__ == "__main__":
    sys.exit(main())
