"""`random` and `greedy`, what holds for every bot, and bots by name."""

import numpy as np
import pytest

from klaverjas_env.bots import BASELINES, BotError, GreedyBot, RandomBot, make_bot
from klaverjas_env.bots.bot import Bot
from klaverjas_env.game import DEAL_OVER, apply, legal
from klaverjas_env.notation import action_name
from klaverjas_env.rules.variant import PRESETS, Variant
from klaverjas_env.view import view
from tests.bots.tables import naming, playing, turned
from training.contracts import deals
from training.evaluate import evaluate

HAND = "SJ S9 CA C7 D7 D8 H7 H8"
every_bot = pytest.mark.parametrize("name", BASELINES)
every_house = pytest.mark.parametrize("variant", PRESETS)


def positions(variant: str, depth: int, n: int = 50) -> np.ndarray:
    """Games `GAME` [n] that random players have brought up to `depth` decisions on, still open."""
    games = deals(Variant.parse(variant), 0, n, 11, "bid")
    bot = RandomBot(5)
    for _ in range(depth):
        for i, action in enumerate(bot.act_many(view(games, games["to_act"]))):
            apply(games[i], action)
    still_open: np.ndarray = games[games["phase"] != DEAL_OVER]
    return still_open


def redealt(games: np.ndarray, seed: int) -> np.ndarray:
    """The same positions with the cards that the seat to act cannot see dealt out anew, and other seeds."""
    other = games.copy()
    rng = np.random.default_rng(seed)
    for game in other:
        game["seed"] = seed
        hidden = [seat for seat in range(4) if seat != game["to_act"]]
        sizes = [int(game["hands"][seat]).bit_count() for seat in hidden]
        pool = 0
        for seat in hidden:
            pool |= int(game["hands"][seat])
        cards = rng.permutation([card for card in range(32) if (pool >> card) & 1])
        for seat, part in zip(hidden, np.split(cards, np.cumsum(sizes)[:-1]), strict=True):
            game["hands"][seat] = sum(1 << int(card) for card in part)
    return other


# --- every bot -------------------------------------------------------------------------------------------------------


@every_bot
@every_house
def test_actions_are_legal_in_every_house(name: str, variant: str) -> None:
    for depth in (0, 1, 4, 9, 18, 27):
        games = positions(variant, depth)
        actions = make_bot(name).act_many(view(games, games["to_act"]))
        assert actions.dtype == np.int64
        for game, action in zip(games, actions, strict=True):
            assert (legal(game) >> action) & 1


@every_bot
def test_hidden_cards_never_change_an_action(name: str) -> None:
    for depth in (0, 6, 13, 20):
        games = positions("amsterdams/stock-zoeker", depth)
        other = redealt(games, 3)
        assert (other["hands"] != games["hands"]).any()
        actions = [make_bot(name).act_many(view(batch, batch["to_act"])) for batch in (games, other)]
        assert (actions[0] == actions[1]).all()


@every_bot
def test_a_batch_is_its_single_games(name: str) -> None:
    games = positions("rotterdams", 8)
    views = view(games, games["to_act"])
    bot = make_bot(name)
    assert bot.act_many(views).tolist() == [bot.act(views[i : i + 1]) for i in range(len(views))]


@every_bot
def test_views_are_left_as_they_are(name: str) -> None:
    games = positions("rotterdams", 8)
    views = view(games, games["to_act"])
    before = views.tobytes()
    make_bot(name).act_many(views)
    assert views.tobytes() == before


# --- random ----------------------------------------------------------------------------------------------------------


def test_random_is_reproducible_and_follows_its_seed() -> None:
    views = view(games := positions("amsterdams", 5), games["to_act"])
    assert (RandomBot(4).act_many(views) == RandomBot(4).act_many(views)).all()
    assert (RandomBot(4).act_many(views) != RandomBot(5).act_many(views)).any()


@pytest.mark.parametrize("views", [playing("C7 CA DT HK S7"), naming(HAND), turned(HAND, "S")], ids=str)
def test_random_is_uniform(views: np.ndarray) -> None:
    draws = 6000
    actions = np.array([RandomBot(seed).act(views) for seed in range(draws)])
    options = [action for action in range(64) if (legal(views[0]) >> action) & 1]
    counts = np.array([(actions == action).sum() for action in options])
    assert counts.sum() == draws
    expected = draws / len(options)
    assert ((counts - expected) ** 2 / expected).sum() < 25  # chi squared with at most four degrees of freedom


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_random_refuses_seeds_out_of_range(seed: int) -> None:
    with pytest.raises(ValueError, match="2\\^63"):
        RandomBot(seed)


# --- greedy ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "trick", "gone", "card"),
    [
        ("C7 DA HT", "", "", "DA"),  # leads the card that nothing unseen can beat
        ("C7 DA SJ", "", "", "SJ"),  # of two such the one of more points
        ("C7 DT HK", "", "DA D7 D8 D9", "DT"),
        ("CQ DT HK", "", "", "CQ"),  # else the card of fewest points
        ("DT DA D8", "DK D7 D9", "", "DT"),  # last, takes the trick with the cheapest winner
        ("DA D8", "D7", "", "DA"),  # before the last only with a card that nobody can beat
        ("DT D8", "D7", "", "D8"),
        ("DT D8", "D7", "DA DK DQ C7", "DT"),
        ("DT D8", "D7 DA DJ", "", "DT"),  # points for a partner who is winning
        ("CT C7", "DA D7", "", "CT"),
        ("DT D8", "D9 C7", "", "D8"),  # but none while he can be beaten
        ("DJ DK", "D7 DA DT", "", "DK"),
        ("DJ DK", "DT DA D9", "", "DJ"),  # and roem: 9-10-jack outweighs a king
        ("DT DA", "DQ HA DK", "", "DA"),  # takes with queen-king-ace rather than with the cheaper ten
        ("D9 DK", "DA DT DJ", "", "DK"),  # no 9-10-jack for the others
        ("D9 DK", "DA DT D7", "", "D9"),
        ("S7 SJ", "DA D7 D8", "", "S7"),  # ruffs low
    ],
)
def test_greedy_plays_for_the_trick_at_hand(hand: str, trick: str, gone: str, card: str) -> None:
    assert action_name(GreedyBot().act(playing(hand, trick, gone))) == card


def test_greedy_chooses_trump_as_lennard() -> None:
    for views in (naming(HAND), naming(HAND, passed="S"), turned(HAND, "S"), turned(HAND, "H")):
        assert GreedyBot().act(views) == make_bot("lennard").act(views)


@pytest.mark.parametrize(("a", "b", "least"), [("greedy", "random", 60.0), ("greedy", "lennard", 15.0)])
def test_the_ladder(a: str, b: str, least: float) -> None:
    result = evaluate(a, b, pairs=1500)
    assert result.points_per_deal - result.ci95 > least


# --- bots by name ----------------------------------------------------------------------------------------------------


@every_bot
def test_bots_by_name(name: str) -> None:
    bot = make_bot(name, seed=3)
    assert isinstance(bot, Bot)
    assert bot.name == name


@pytest.mark.parametrize(
    ("name", "words"),
    [("lenard", ["'lennard'", "random", ".onnx"]), ("no_such.onnx", ["no_such.onnx", "no such file"])],
)
def test_unknown_bots_are_refused(name: str, words: list[str]) -> None:
    with pytest.raises(BotError) as error:
        make_bot(name)
    assert isinstance(error.value, ValueError)
    for word in words:
        assert word in str(error.value)


def test_random_has_nothing_to_do_when_the_deal_is_over() -> None:
    games = positions("amsterdams", 3, 1)
    games["phase"] = DEAL_OVER
    assert RandomBot(1).act_many(games).tolist() == [-1]
