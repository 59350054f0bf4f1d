"""`rule`: what a klaverjas player would expect of it, by small positions, and its place above the other bots."""

import random

import numpy as np
import pytest

from klaverjas_env.bots import RuleBot
from klaverjas_env.bots.rule_based import surely_nat, unlikely_cards, where_cards_are
from klaverjas_env.bots.rule_tables import BELIEFS, LEAST_STRENGTH, TRAITS, Tables
from klaverjas_env.bots.rule_trump import calls_left, outcome, strength, trump_traits
from klaverjas_env.game import CLAIMING, DEAL_OVER, PLAYING, card_duty
from klaverjas_env.notation import action_name, parse_card, parse_cards, parse_suit
from klaverjas_env.rules.scoring import PENALTY
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import view
from tests.bots.tables import naming, playing, turned
from tests.bots.test_baselines import positions
from tests.houses import random_house
from training.contracts import deals
from training.duels import play_deals
from training.evaluate import evaluate


def choice(views: np.ndarray) -> str:
    return action_name(RuleBot().act(views))


# --- trump -----------------------------------------------------------------------------------------------------------


def test_it_names_the_suit_with_jack_and_nine() -> None:
    assert choice(naming("SJ S9 SA CA CT C7 D7 H8")) == "S"
    assert choice(naming("SJ S9 SA CA CT C7 D7 H8", passed="S")) != "S"


@pytest.mark.parametrize(("hand", "action"), [("SJ S9 SA CA C7 DA D8 H7", "play"), ("S7 S8 CK C7 DQ D8 HK H7", "pass")])
def test_it_plays_on_strength(hand: str, action: str) -> None:
    assert choice(turned(hand, "S")) == action


def test_traits_of_a_hand() -> None:
    traits = trump_traits(parse_cards("SJ S9 SA S7 CA CT C7 D7".split()), parse_suit("S"))
    held = {name: int(times) for name, times in zip(TRAITS, traits, strict=True) if times}
    assert held == {
        "four trumps": 1,
        "jack and nine": 1,
        "ace of trump": 1,
        "side ace": 1,
        "card beyond two with a side ace": 1,
        "ten with its ace": 1,
        "void": 1,
    }


def test_more_trumps_and_higher_ones_are_stronger() -> None:
    hands = ["S7 S8 C7 C8 D7 D8 H7 H8", "SJ S8 C7 C8 D7 D8 H7 H8", "SJ S9 C7 C8 D7 D8 H7 H8", "SJ S9 S7 C8 D7 D8 H7 HA"]
    values = [strength(parse_cards(hand.split()), parse_suit("S"), Tables()) for hand in hands]
    assert values == sorted(values)


@pytest.mark.parametrize(
    ("options", "row"),
    [
        ("trump_mode=stock, stock_rounds=4, all_pass=forced_turned", 0),
        ("trump_mode=stock, stock_rounds=3, all_pass=forced_choice", 1),
        ("trump_mode=stock, stock_rounds=1, all_pass=redeal", 2),
        ("trump_mode=stock, stock_rounds=2, all_pass=forced_turned, forced_seat=last", 3),
        ("trump_mode=free, all_pass=forced_choice", 4),
        ("trump_mode=free, all_pass=redeal", 5),
        ("trump_mode=free, all_pass=forced_choice, forced_seat=last", 6),
    ],
)
def test_every_way_to_choose_trump_has_its_thresholds(options: str, row: int) -> None:
    variant = Variant.parse(options)
    game = deals(variant, 0, 1, 1, "bid")[0]
    assert outcome(game.rules) == row
    calls = 4 * variant.stock_rounds if variant.trump_mode == "stock" else 4
    for spoken in range(calls):
        game.n_bids = spoken
        left = calls - 1 - spoken
        assert calls_left(game) == (left if left < 8 else 4 + left % 4) < LEAST_STRENGTH.shape[1]


# --- cards -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "trick", "gone", "card"),
    [
        ("SJ S9 S8 CA C7 D7 H8 HK", "", "", "SJ"),  # the declarer draws trumps from the top
        ("DQ DA D8", "DJ D7 D9", "", "DQ"),  # last, takes the trick with the cheapest winner
        ("DT D8", "DQ S7 D9", "", "DT"),  # a ten that can be beaten for a partner who is winning
        ("DT D8", "D7 DA DJ", "", "D8"),  # but not one that has become boss
        ("DJ DK", "DT DA D9", "", "DJ"),  # roem for a partner: 9-10-jack outweighs a king
        ("D9 DK", "DA DT DJ", "", "DK"),  # no 9-10-jack for the others
        ("D7 DT", "DQ D8 DA", "", "D7"),  # no ten for the others
        ("S7 SJ", "DA D7 D8", "", "S7"),  # ruffs low
        ("DA D8", "D9 D7 DK", "", "DA"),  # an ace takes a trick that would be lost
    ],
)
def test_card_play(hand: str, trick: str, gone: str, card: str) -> None:
    assert choice(playing(hand, trick, gone)) == card


def test_where_the_cards_are() -> None:
    for variant, depth in (
        ("amsterdams", 0),
        ("amsterdams", 9),
        ("rotterdams", 14),
        ("rotterdams, open_hands=true", 6),
    ):
        for game in positions(variant, depth):
            seen = view(game.reshape(1), np.array([game["to_act"]]))[0]
            chances = where_cards_are(seen, BELIEFS)
            assert (chances >= 0).all()
            for seat in range(4):
                held = int(game["hands"][seat])
                if seat == game["to_act"]:
                    assert (chances[:, seat] == 0).all()
                    continue
                assert abs(chances[:, seat].sum() - held.bit_count()) < 1
                for card in range(32):
                    ruled_out = (int(game["ruled_out"][seat]) >> card) & 1
                    assert not (ruled_out and chances[card, seat])
                    if seen["rules"]["open_hands"]:
                        assert chances[card, seat] == pytest.approx((held >> card) & 1)


def test_what_a_sensible_player_would_have_played() -> None:
    seen = playing("C7", gone="DA DT DQ D7")[0]  # led by south
    assert unlikely_cards(seen, 1) == parse_cards("D7 D8 D9 DJ DQ DK DT".split())  # a ten for the others: nothing less
    assert unlikely_cards(seen, 2) == 0  # the partner wins, but is not safe yet
    assert unlikely_cards(seen, 3) & (1 << parse_card("DA")) == 0
    seen = playing("C7", gone="DA D8 DQ D7")[0]
    assert unlikely_cards(seen, 2) == 0


# --- roem ------------------------------------------------------------------------------------------------------------


SEVEN_TRICKS = "CA CK CQ C7 DA DK DQ D7 HA HK HQ H7 SA S7 S8 SJ C8 C9 CT CJ D8 D9 DT DJ H8 H9 HT HJ"


def claiming(own: int, theirs: int, trick: str, declarer: int, gone: str = SEVEN_TRICKS) -> np.ndarray:
    """South, with so many points and its opponents with so many, has just won `trick` and may claim."""
    views = playing("", trick, gone, variant="nku")
    views["phase"] = CLAIMING
    views["declarer"] = declarer
    views["points"] = own, theirs
    return views


@pytest.mark.parametrize(
    ("own", "theirs", "trick", "declarer", "action"),
    [
        (100, 62, "S9 ST SK SQ", 0, "roem20"),
        (30, 132, "S9 ST SK SQ", 0, "roem0"),  # nat: what is claimed goes to the defenders
        (30, 132, "S9 ST SK SQ", 2, "roem0"),
        (30, 132, "S9 ST SK SQ", 1, "roem20"),  # a defender has nothing to fear
        (100, 62, "S9 C7 D7 H7", 0, "roem0"),
    ],
)
def test_it_claims_the_roem_that_there_is_unless_it_is_nat(
    own: int, theirs: int, trick: str, declarer: int, action: str
) -> None:
    assert choice(claiming(own, theirs, trick, declarer)) == action


def test_nat_is_not_sure_while_roem_may_come() -> None:
    gone = " ".join(SEVEN_TRICKS.split()[:24])
    assert not surely_nat(claiming(30, 110, "S9 ST SK SQ", 0, gone)[0], 20)  # 22 points and a run of four are left
    assert surely_nat(claiming(10, 140, "S9 ST SK SQ", 0, gone)[0], 20)


# --- every house -----------------------------------------------------------------------------------------------------


def test_it_plays_every_house_and_never_reneges() -> None:
    draw = random.Random(7)
    for _ in range(60):
        house = random_house(draw)
        games = deals(house, 0, 12, draw.randrange(1000), "bid")
        play_deals(RuleBot(), RuleBot(), games)
        assert (games["phase"] == DEAL_OVER).all()
        assert (games["reneged"] == -1).all()


def test_its_cards_are_those_of_its_duty() -> None:
    games = positions("rotterdams", 9)
    games["rules"]["renege_mode"] = PENALTY  # from here on every card of the hand may be played
    views = view(games, games["to_act"])
    for game, action in zip(views, RuleBot().act_many(views), strict=True):
        if game["phase"] == PLAYING:
            assert (card_duty(game)[1] >> int(action)) & 1


@pytest.mark.parametrize(
    ("other", "variant", "least"),
    [
        ("greedy", "amsterdams", 25.0),
        ("lennard", "amsterdams", 45.0),
        ("greedy", "rotterdams", 20.0),
        ("greedy", "bga", 10.0),
        ("lennard", "amsterdams/stock-zoeker", 35.0),
    ],
)
def test_the_ladder(other: str, variant: str, least: float) -> None:
    result = evaluate("rule", other, pairs=1500, variant=variant)
    assert result.points_per_deal - result.ci95 > least
