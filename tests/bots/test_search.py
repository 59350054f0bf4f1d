"""Search bots: they act by the law in every house, the same in any batch, and find what can be found."""

import random
from typing import Any

import numpy as np
import pytest

from klaverjas_env.bots import Bot, BotError, make_bot
from klaverjas_env.bots.search import IsmctsBot, best_claim, options_of
from klaverjas_env.game import CLAIM, CLAIMING, DEAL_OVER, GAME, PLAYING, apply, card_duty, deal_ended, legal
from klaverjas_env.jit import ENABLED
from klaverjas_env.rules.variant import PRESETS, Variant
from klaverjas_env.view import view
from tests.bots.consistent import random_positions
from tests.houses import random_house
from training.evaluate import evaluate

QUICK = ("ismcts-8",)
"""Search bots with so little search that they answer at once."""
POSITIONS = 30 if ENABLED else 2


def undecided(house: Variant, n: int, seed: int) -> np.ndarray:
    """Views of the seats to act in random positions in which there is something to decide."""
    games = random_positions(house, n, seed)
    return view(games, games["to_act"])


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("preset", PRESETS)
def test_actions_are_legal_in_every_preset(name: str, preset: str) -> None:
    check_legal(make_bot(name), undecided(PRESETS[preset], POSITIONS, 1))


@pytest.mark.parametrize("name", QUICK)
@pytest.mark.parametrize("seed", range(20 if ENABLED else 2))
def test_actions_are_legal_in_a_random_house(name: str, seed: int) -> None:
    check_legal(make_bot(name), undecided(random_house(random.Random(seed)), POSITIONS // 2, seed))


def check_legal(bot: Bot, views: np.ndarray) -> None:
    """Every answer is legal, and no card is against R3."""
    before = views.copy()
    actions = bot.act_many(views)
    assert views.tobytes() == before.tobytes()
    for i, action in enumerate(actions):
        allowed = card_duty(views[i])[1] if views["phase"][i] == PLAYING else legal(views[i])
        assert int(allowed) >> int(action) & 1


@pytest.mark.parametrize("name", QUICK)
def test_the_same_question_gets_the_same_answer_in_any_batch(name: str) -> None:
    views = undecided(PRESETS["bga"], 12, 2)
    together = make_bot(name, 3).act_many(views)
    alone = [make_bot(name, 3).act(views[i : i + 1]) for i in range(len(views))]
    assert together.tolist() == alone
    assert IsmctsBot(8, 3, threads=2).act_many(views).tolist() == alone
    others = [make_bot(name, seed).act_many(views).tolist() for seed in range(4, 10)]
    assert any(other != alone for other in others)


@pytest.mark.parametrize(
    "name", ["ismcts", "ismcts-", "ismcts-0", "ismcts-x", "ismcts--5", "ismcts-1000001", "ismcts-²"]
)
def test_a_bad_number_is_refused_with_what_would_do(name: str) -> None:
    with pytest.raises(BotError, match=r"ismcts.*1 to 1,000,000.*ismcts-20"):
        make_bot(name)


def test_the_name_says_how_much_is_searched() -> None:
    assert make_bot("ismcts-12").name == "ismcts-12"
    with pytest.raises(ValueError, match="simulations=0"):
        IsmctsBot(0)
    with pytest.raises(ValueError, match="seed=-1"):
        IsmctsBot(1, seed=-1)


def test_a_view_that_no_hands_fit_is_refused() -> None:
    games = random_positions(PRESETS["rotterdams/utrechts"], 1, 1, late=True)
    views = view(games, games["to_act"])
    views["ruled_out"] = 0xFFFFFFFF
    if int(options_of(views[0])).bit_count() > 1:
        with pytest.raises(ValueError, match="view 0: no hands fit"):
            make_bot("ismcts-8").act(views)


def solved(game: Any) -> int:
    """The score difference of team 0 with all hands open, by looking at everything."""
    if deal_ended(game):
        assert game.phase == DEAL_OVER
        return int(game.score[0] - game.score[1])
    values = [solved(after) for after in followers(game).values()]
    return max(values) if game.to_act & 1 == 0 else min(values)


def followers(game: Any) -> dict[int, Any]:
    """The game after each action worth thinking of."""
    after = {}
    for action in range(45):
        if int(options_of(game)) >> action & 1:
            after[action] = game.copy()
            apply(after[action], action)
    return after


def test_with_open_hands_the_tree_finds_the_best_card() -> None:
    games = random_positions(Variant.parse("online-rotterdams, open_hands=true"), 60 if ENABLED else 3, 3, late=True)
    games = games[games["n_plays"] >= 23]
    views = view(games, games["to_act"])
    chosen = make_bot("ismcts-3000" if ENABLED else "ismcts-200").act_many(views)
    lost = 0
    for i in range(len(games)):
        values = {action: solved(after) for action, after in followers(games[i]).items()}
        best = max(values.values()) if games["to_act"][i] & 1 == 0 else min(values.values())
        lost += values[int(chosen[i])] != best
    assert lost <= len(games) // 20


@pytest.mark.parametrize("stuk_always", ["true", "false"])
def test_roem_is_claimed_to_the_best_effect(stuk_always: str) -> None:
    games = random_positions(Variant.parse(f"nku, stuk_always={stuk_always}"), 600 if ENABLED else 20, 4)
    games = games[games["phase"] == CLAIMING]
    assert len(games) > 20 or not ENABLED
    for i in range(len(games)):
        gains = []
        for action in [*range(CLAIM, CLAIM + 7), int(best_claim(games[i]))]:
            after = games[i : i + 1].copy()
            apply(after[0], action)
            roem = after["roem"][0] - games["roem"][i]
            team = int(games["to_act"][i]) & 1
            gains.append(int(roem[team] - roem[1 - team]))
        assert gains[-1] == max(gains)


@pytest.mark.skipif(not ENABLED, reason="plays hundreds of searched moves")
def test_more_search_is_stronger() -> None:
    against_random = evaluate("ismcts-20", "random", pairs=60, seed=1, variant="online-rotterdams", contract="random")
    against_less = evaluate("ismcts-200", "ismcts-5", pairs=100, seed=1, variant="online-rotterdams", contract="random")
    assert against_random.points_per_deal > against_random.ci95
    assert against_less.points_per_deal > against_less.ci95


@pytest.mark.skipif(not ENABLED, reason="plays hundreds of searched moves")
def test_trump_is_chosen_by_search_as_well() -> None:
    result = evaluate("ismcts-100", "random", pairs=40, seed=2, variant="bga")
    assert result.points_per_deal > result.ci95


def test_hands_that_are_hidden_change_no_answer() -> None:
    games = random_positions(PRESETS["kbn"], POSITIONS, 5)
    hidden = view(games, games["to_act"])
    assert hidden.dtype == GAME
    exchanged = games.copy()
    for i in range(len(games)):
        for seat in range(4):
            if seat != games["to_act"][i]:
                exchanged["hands"][i, seat] = 0
    exchanged["seed"] += 1
    bot = make_bot("ismcts-8")
    assert bot.act_many(view(exchanged, games["to_act"])).tolist() == bot.act_many(hidden).tolist()
