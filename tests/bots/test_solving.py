"""`pimc` and `cheat`: lawful everywhere, exact where nothing is hidden, aware of nat, and the same in any batch."""

import random

import numpy as np
import pytest

from klaverjas_env.bots import BotError, CheatBot, PimcBot, make_bot
from klaverjas_env.bots.bot import Bot
from klaverjas_env.bots.solving import best_option, expected_score
from klaverjas_env.game import CLAIM, CLAIMING, N_ACTIONS, PLAYING, card_duty, legal, new, set_contract
from klaverjas_env.jit import ENABLED
from klaverjas_env.notation import parse_card
from klaverjas_env.rules.cards import HEARTS
from klaverjas_env.rules.variant import PRESETS, Variant
from klaverjas_env.view import view
from tests.bots.consistent import random_positions
from tests.bots.tables import playing
from tests.bots.test_search import followers, solved
from tests.houses import random_house
from training.evaluate import evaluate

POSITIONS = 16 if ENABLED else 2


def late(house: Variant, n: int, seed: int) -> np.ndarray:
    """Late positions of which somebody has still to decide something."""
    return random_positions(house, n, seed, late=True)


def check_lawful(bot: Bot, games: np.ndarray) -> None:
    shown = games if bot.sees_all else view(games, games["to_act"])
    before = shown.copy()
    actions = bot.act_many(shown)
    assert shown.tobytes() == before.tobytes()
    for game, action in zip(games, actions, strict=True):
        allowed = card_duty(game)[1] if game.phase == PLAYING else legal(game)
        assert int(allowed) >> int(action) & 1


@pytest.mark.parametrize("name", ["pimc-3", "cheat"])
@pytest.mark.parametrize("preset", PRESETS)
def test_actions_are_lawful_in_every_preset(name: str, preset: str) -> None:
    check_lawful(make_bot(name), late(PRESETS[preset], POSITIONS, 1))


@pytest.mark.parametrize("name", ["pimc-3", "cheat"])
@pytest.mark.parametrize("seed", range(20 if ENABLED else 2))
def test_actions_are_lawful_in_a_random_house(name: str, seed: int) -> None:
    check_lawful(make_bot(name), late(random_house(random.Random(seed)), POSITIONS // 2, seed))


@pytest.mark.skipif(not ENABLED, reason="solves full deals")
@pytest.mark.parametrize("house", ["bga", "nku", "amsterdams", "amsterdams/stock-2x-opnieuw"])
@pytest.mark.parametrize("name", ["pimc-1", "cheat"])
def test_trump_is_chosen_lawfully(name: str, house: str) -> None:
    games = np.concatenate([new(house, seed) for seed in range(3)])
    check_lawful(make_bot(name), games)


def value_lost(bot: Bot, games: np.ndarray) -> int:
    """In how many of the games the bot's action is not worth as much as the best with open hands."""
    actions = bot.act_many(games if bot.sees_all else view(games, games["to_act"]))
    lost = 0
    for i, action in enumerate(actions):
        values = {other: solved(after) for other, after in followers(games[i]).items()}
        best = max(values.values()) if games["to_act"][i] & 1 == 0 else min(values.values())
        lost += values[int(action)] != best
    return lost


@pytest.mark.parametrize("house", ["online-rotterdams", "amsterdams", "nku"])
def test_cheat_plays_perfectly(house: str) -> None:
    games = late(Variant.of(house), POSITIONS * 3, 2)
    assert value_lost(CheatBot(), games[games["n_plays"] >= 23]) == 0


def test_pimc_plays_perfectly_where_hands_are_open() -> None:
    games = late(Variant.parse("online-rotterdams, open_hands=true"), POSITIONS * 3, 3)
    assert value_lost(PimcBot(1), games[games["n_plays"] >= 23]) == 0


def test_the_same_question_gets_the_same_answer_in_any_batch_and_with_threads() -> None:
    games = late(PRESETS["kbn"], 8, 4)
    views = view(games, games["to_act"])
    together = PimcBot(5, seed=1).act_many(views).tolist()
    assert together == [PimcBot(5, seed=1).act(views[i : i + 1]) for i in range(len(views))]
    assert together == PimcBot(5, seed=1, threads=3).act_many(views).tolist()
    assert CheatBot(threads=2).act_many(games).tolist() == CheatBot().act_many(games).tolist()


def test_an_expected_score_knows_nat() -> None:
    games = new("amsterdams", dealer=3)
    set_contract(games[0], 0, HEARTS)
    sure, even, lost = (expected_score(games[0], difference) for difference in (300, 0, -300))
    assert 200 < sure <= 300  # made: the difference, less what play with hidden hands costs
    assert lost == pytest.approx(-162, abs=1)  # nat costs no more than everything
    assert -162 < even < 0  # on the line more is lost by nat than won
    games["declarer"] = 1
    assert expected_score(games[0], -300) == pytest.approx(-sure)


def test_of_equal_cards_the_cheapest_is_played() -> None:
    seen = playing("CA C7 S7 D9", trump="S")
    options = card_duty(seen[0])[1]
    assert best_option(seen[0], options, np.zeros(N_ACTIONS)) == parse_card("C7")
    means = np.zeros(N_ACTIONS)
    means[parse_card("CA")] = 1.0
    assert best_option(seen[0], options, means) == parse_card("CA")


def test_roem_is_claimed() -> None:
    games = random_positions(PRESETS["nku"], 200 if ENABLED else 20, 5)
    games = games[(games["phase"] == CLAIMING) & (games["n_plays"] >= 24)][:5]
    for name in ("pimc-2", "cheat"):
        shown = games if name == "cheat" else view(games, games["to_act"])
        assert (make_bot(name).act_many(shown) >= CLAIM).all()


def test_cheat_refuses_a_view() -> None:
    games = late(PRESETS["amsterdams/utrechts"], 1, 6)
    with pytest.raises(ValueError, match="needs the games themselves"):
        make_bot("cheat").act(view(games, games["to_act"]))


def test_bad_numbers_are_refused() -> None:
    with pytest.raises(BotError, match=r"pimc-0.*1 to 10,000"):
        make_bot("pimc-0")
    with pytest.raises(ValueError, match="worlds=0"):
        PimcBot(0)
    with pytest.raises(ValueError, match="seed=-1"):
        PimcBot(1, seed=-1)


@pytest.mark.skipif(not ENABLED, reason="solves full deals")
def test_cheat_is_given_the_games() -> None:
    result = evaluate("cheat", "random", pairs=3, seed=1, variant="online-rotterdams", contract="random")
    assert result.points_per_deal > result.ci95
