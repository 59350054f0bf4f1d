"""Signals of `greedy`: each kind sent and read in a small position, both sides of them agreeing, and off by default."""

import zlib

import numpy as np
import pytest

from klaverjas_env.bots import BotError, GreedyBot, make_bot
from klaverjas_env.bots.signals import COME, NOT_HERE, SIGNALS, UNSAID, read_signals, says, true_signals
from klaverjas_env.game import DEAL_OVER, PLAYING, card_duty
from klaverjas_env.notation import action_name, parse_card, parse_cards
from klaverjas_env.rules.cards import SUIT_MASK, higher_cards
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import view
from tests.bots.tables import playing
from training.contracts import deals
from training.duels import _apply_each, play_deals

LOST = "DA D8 D9"
"""South is last, and the trick is West's."""
OURS = "D8 DA D9"
"""South is last, and the trick is North's."""

every_convention = pytest.mark.parametrize("signals", SIGNALS[1:])


def choices(views: np.ndarray) -> list[str]:
    """The card under each of `SIGNALS`: none, low is come, high is come."""
    return [action_name(GreedyBot(signals).act(views)) for signals in SIGNALS]


# --- what a card says ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("card", "gone", "low", "high"),
    [
        ("H7", "", COME, NOT_HERE),
        ("H8", "", COME, NOT_HERE),
        ("H9", "", COME, COME),
        ("HJ", "", NOT_HERE, COME),
        ("HQ", "", NOT_HERE, COME),
        ("HK", "", NOT_HERE, COME),
        ("HA", "", COME, COME),  # the ten is held too
        ("HT", "CA DA", NOT_HERE, NOT_HERE),  # before its ace
        ("HT", "HA", NOT_HERE, COME),  # after it a card like any other
    ],
)
def test_what_a_card_says(card: str, gone: str, low: int, high: int) -> None:
    played = parse_cards(gone.split())
    assert [says(parse_card(card), played, signals) for signals in range(3)] == [UNSAID, low, high]


# --- sending ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "trick", "none", "low", "high"),
    [
        ("C8 CK H7 HA", LOST, "C8", "H7", "C8"),  # low is come: a low card of the suit whose ace is held
        ("C7 H7 HJ HA", LOST, "C7", "H7", "HJ"),  # high is come: a middling card of it
        ("C7 C8 CJ HT HA", LOST, "C7", "CJ", "C7"),  # no low card there: signs off the suit whose top it lacks
        ("C7 C8 CQ HJ HT HA", LOST, "C7", "C7", "HJ"),  # a queen thrown on a lost trick costs too much
        ("CQ CK H8 HA", LOST, "H8", "H8", "H8"),  # nothing true that is cheap but what it would throw anyhow
        ("C8 CK H7 HA S8", LOST, "S8", "S8", "S8"),  # it has to ruff
        ("C9 H7", LOST, "C9", "C9", "H7"),  # a nine would say come
        ("C7 CA H7 HT HA", LOST, "C7", "H7", "C7"),  # the suit with the most tops is the strongest
        ("CA CK HT HA", OURS, "CA", "HA", "HA"),  # the ace from ace-ten, not the bare one
        ("C7 HT CA", OURS, "CA", "HT", "HT"),  # a ten before its ace: no ace
        ("CT CA H7", OURS, "CA", "CA", "CA"),  # not the ten of a held ace
        ("C8 CK H7 HA", "D8", "C8", "C8", "C8"),  # open: the partner may still take it
        ("C8 CK H7 HA", "DA", "C8", "H7", "C8"),  # lost, though it is early
        ("C8 CK H7 HA", "DK D8", "C8", "C8", "C8"),  # the partner may still be beaten
        ("C8 CK H7 HA", "DK DA", "C8", "H7", "C8"),
        ("C8 CK D7 HA", LOST, "D7", "D7", "D7"),  # who follows suit says nothing
    ],
)
def test_sending(hand: str, trick: str, none: str, low: str, high: str) -> None:
    assert choices(playing(hand, trick)) == [none, low, high]


def test_a_top_may_have_become_one() -> None:
    assert choices(playing("C8 CJ H7 HK", LOST, gone="HA HT HQ S7")) == ["C8", "H7", "C8"]


# --- reading ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hand", "gone", "none", "low", "high"),
    [
        ("C7 HK", "DA D7 H8 D8", "C7", "HK", "C7"),  # low is come; South led the ace, North threw
        ("C7 HK", "DA D7 HJ D8", "C7", "C7", "HK"),  # high is come
        ("H7 CK", "DA D7 H8 D8", "H7", "H7", "CK"),  # not here: rather another suit
        ("H7 CK", "DA D7 HQ D8", "H7", "CK", "H7"),
        ("C7 HK", "DA D7 HA D8", "C7", "HK", "HK"),  # the ace from ace-ten
        ("H7 CK", "DA D7 HT D8", "H7", "CK", "CK"),  # a ten before its ace
        ("C7 HJ", "HA H7 H8 H9 DA D7 HT D8", "C7", "C7", "HJ"),
        ("H7 HK", "DA D7 HQ D8", "H7", "H7", "H7"),  # nothing else to lead
        ("C7 H9 HK", "DA D7 H8 D8", "C7", "H9", "C7"),  # the lowest card of the suit asked for
        ("CA HK", "DA D7 H8 D8", "CA", "CA", "CA"),  # a sure winner of its own comes first
        ("C7 HQ", "DA D7 H8 D8 H9 HA HJ S7", "C7", "C7", "C7"),  # led since
        ("H9 CK", "DA D7 H8 D8 DT D9 HQ DJ", "H9", "CK", "H9"),  # the last word counts
        ("C7 HK", "DA H8 D7 D8", "C7", "C7", "C7"),  # said by an opponent
        ("C7 HK", "DJ D7 H8 D8", "C7", "C7", "C7"),  # thrown while all was open
        ("C7 HK", "DA D7 S8 D8", "C7", "C7", "C7"),  # a ruff says nothing
    ],
)
def test_reading(hand: str, gone: str, none: str, low: str, high: str) -> None:
    assert choices(playing(hand, gone=gone)) == [none, low, high]


# --- both ------------------------------------------------------------------------------------------------------------


@every_convention
@pytest.mark.parametrize("variant", ["amsterdams", "rotterdams"])
def test_the_partner_hears_what_was_said_and_it_is_true(signals: str, variant: str) -> None:
    convention = SIGNALS.index(signals)
    bot = GreedyBot(signals)
    games = deals(Variant.of(variant), 0, 300, 5, "bid")
    heard = 0
    while len(games := games[games["phase"] != DEAL_OVER]) > 0:
        views = view(games, games["to_act"])
        actions = bot.act_many(views)
        before = games.copy()
        assert _apply_each(games, np.arange(len(games)), actions) < 0
        for seen, action, old, game in zip(views, actions, before, games, strict=True):
            if seen["phase"] != PLAYING or (true_signals(seen, card_duty(seen)[1], convention) >> action) & 1 == 0:
                continue
            told = says(int(action), sum(1 << int(card) for card in old["plays"][: old["n_plays"]]), convention)
            suit = int(action) >> 3
            listener = game.copy()
            listener["to_act"] = old["to_act"] ^ 2
            listener["n_plays"] = old["n_plays"] + 1  # forced plays may have followed
            come, not_here = read_signals(listener, convention)
            assert (come if told == COME else not_here) & (SUIT_MASK << (8 * suit))
            rest = int(old["hands"][old["to_act"]]) & ~(1 << int(action))
            others = sum(int(old["hands"][seat]) for seat in range(4) if seat != old["to_act"])
            held = [card for card in range(8 * suit, 8 * suit + 8) if (rest >> card) & 1]
            assert any(higher_cards(card, -1) & others == 0 for card in held) == (told == COME)
            heard += 1
    assert heard > 50


@pytest.mark.parametrize(("variant", "plays"), [("amsterdams", 2032890266), ("rotterdams", 3727984371)])
def test_without_signals_nothing_has_changed(variant: str, plays: int) -> None:
    """The checksums are those of 2,000 deals played before there were signals."""
    games = deals(Variant.of(variant), 0, 2000, 21, "bid")
    play_deals(GreedyBot(), make_bot("greedy"), games)
    assert zlib.crc32(games["plays"].tobytes()) == plays


@every_convention
def test_signals_change_some_plays(signals: str) -> None:
    games = deals(Variant.of("amsterdams"), 0, 500, 21, "bid")
    with_signals = games.copy()
    play_deals(GreedyBot(), GreedyBot(), games)
    play_deals(GreedyBot(signals), GreedyBot(signals), with_signals)
    assert (games["plays"] != with_signals["plays"]).any()


# --- by name ---------------------------------------------------------------------------------------------------------


@every_convention
def test_signalling_bots_by_name(signals: str) -> None:
    bot = make_bot(f"greedy:{signals}")
    assert isinstance(bot, GreedyBot)
    assert (bot.signals, bot.name) == (signals, f"greedy:{signals}")


def test_unknown_signals_are_refused() -> None:
    with pytest.raises(BotError, match="did you mean 'greedy:low_is_come'"):
        make_bot("greedy:low_come")
    with pytest.raises(ValueError, match="'loud' is not one of none, low_is_come, high_is_come"):
        GreedyBot("loud")
