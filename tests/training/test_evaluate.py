"""Evaluation: duplicate deals, what bots are shown, the figures, and the command line."""

import dataclasses
import json
import subprocess
import sys
import zlib

import numpy as np
import pytest

from klaverjas_env.bots import GreedyBot, LennardBot, RandomBot
from klaverjas_env.bots.bot import Bot
from klaverjas_env.envs.vector import play_forced
from klaverjas_env.game import BIDDING, DEAL_OVER, NAMING, PASS, PASSED_OUT, apply, legal, next_deal
from klaverjas_env.rules.cards import ACE, points_of
from klaverjas_env.rules.scoring import Pit
from klaverjas_env.rules.variant import PRESETS, Variant
from klaverjas_env.view import dealt_hand, view
from training.contracts import CONTRACTS, deals
from training.duels import play_deals
from training.evaluate import Result, evaluate, main, table

every_contract = pytest.mark.parametrize("contract", ["bid", "chooser", "random"])


class Spy(Bot):
    """Plays as `greedy` and keeps what it was shown."""

    name = "spy"

    def __init__(self) -> None:
        self.seen: list[np.ndarray] = []

    def act_many(self, views: np.ndarray) -> np.ndarray:
        self.seen.append(views.copy())
        return GreedyBot().act_many(views)


class Wrong(Bot):
    """Always the same action."""

    name = "wrong"

    def __init__(self, action: int, shape: tuple[int, ...] | None = None) -> None:
        self.action = action
        self.shape = shape

    def act_many(self, views: np.ndarray) -> np.ndarray:
        return np.full(self.shape or len(views), self.action)


def figures(result: Result) -> dict[str, object]:
    """All of a result but the time it took."""
    return {key: value for key, value in dataclasses.asdict(result).items() if "second" not in key}


# --- duplicate deals -------------------------------------------------------------------------------------------------


@every_contract
@pytest.mark.parametrize("bot", [GreedyBot(), LennardBot(), RandomBot(3)], ids=lambda bot: bot.name)
def test_a_bot_against_itself_is_exactly_zero(bot: Bot, contract: str) -> None:
    result = evaluate(bot, bot, pairs=50, contract=contract)
    assert result.points_per_deal == 0
    assert result.ci95 == 0
    assert result.side_a == result.side_b


@every_contract
def test_swapped_arguments_negate(contract: str) -> None:
    one = evaluate("random", "greedy", pairs=200, seed=4, contract=contract)
    other = evaluate("greedy", "random", pairs=200, seed=4, contract=contract)
    assert one.points_per_deal == -other.points_per_deal
    assert one.ci95 == other.ci95
    assert (one.side_a, one.side_b) == (other.side_b, other.side_a)


def test_two_random_players_do_not_play_alike() -> None:
    result = evaluate("random", "random", pairs=2000)
    assert result.ci95 > 0
    assert abs(result.points_per_deal) < 2 * result.ci95


@every_contract
def test_the_result_is_reproducible_and_independent_of_the_batch(contract: str) -> None:
    one, other, small, alien = (
        evaluate("random", "lennard", pairs=100, seed=seed, contract=contract, batch=batch)
        for seed, batch in ((8, 4096), (8, 4096), (8, 7), (9, 4096))
    )
    assert figures(one) == figures(other) == figures(small)
    assert one.points_per_deal != alien.points_per_deal


def test_both_seatings_play_the_same_deal() -> None:
    one, other = Spy(), Spy()
    evaluate(one, other, pairs=20, contract="random")
    decisions = [
        {(int(row["deal_number"]), int(row["to_act"]), int(row["hands"][row["to_act"]])) for row in rows}
        for rows in (np.concatenate(one.seen), np.concatenate(other.seen))
    ]
    # Equal bots decide alike: over both seatings each has sat at every place of every deal.
    assert decisions[0] == decisions[1]


def test_deals_are_uniform_in_seed_and_number_and_the_dealer_goes_round() -> None:
    games = deals(Variant(), 0, 8, 5, "bid")
    later = deals(Variant(), 4, 4, 5, "bid")
    assert games["dealer"].tolist() == [0, 1, 2, 3, 0, 1, 2, 3]
    assert games[4:].tobytes() == later.tobytes()
    assert len({tuple(hands) for hands in games["hands"].tolist()}) == 8
    assert (games["hands"] != deals(Variant(), 0, 8, 6, "bid")["hands"]).any(axis=1).all()


def test_random_contracts_are_uniform_and_bids_are_made_by_the_bots() -> None:
    games = deals(Variant(), 0, 1600, 5, "random")
    counts = np.bincount(4 * games["declarer"] + games["trump"], minlength=16)
    assert len(counts) == 16
    assert (np.abs(counts - 100) < 45).all()
    assert (games["n_bids"] == 0).all()
    assert (deals(Variant(), 0, 10, 5, "bid")["phase"] == NAMING).all()
    assert (deals(Variant.parse("amsterdams/stock-zoeker"), 0, 10, 5, "bid")["phase"] == BIDDING).all()


def test_the_contracts_of_the_chooser_are_frozen() -> None:
    """Its name stands in results: whatever changes these contracts is another chooser, with another name."""
    assert CONTRACTS["chooser"] == "klaverjas-chooser-v1"
    games = deals(Variant(), 0, 2000, 5, "chooser")
    contracts = (4 * games["declarer"] + games["trump"]).astype(np.uint8)
    assert zlib.crc32(contracts.tobytes()) == 2219875263
    assert (np.bincount(contracts, minlength=16) > 70).all()


def test_the_chooser_gives_the_strongest_hand_its_best_suit() -> None:
    def strength(hand: int, suit: int) -> int:
        cards = [card for card in range(32) if hand >> card & 1]
        trumps = sum(points_of(card, suit) + 5 for card in cards if card >> 3 == suit)
        return trumps + 11 * sum(card & 7 == ACE for card in cards if card >> 3 != suit)

    for game in deals(Variant(), 0, 200, 7, "chooser"):
        ranked = [
            (-strength(int(dealt_hand(game, seat)), suit), (seat - int(game.dealer) - 1) % 4, suit, seat)
            for seat in range(4)
            for suit in range(4)
        ]
        assert (int(game.trump), int(game.declarer)) == min(ranked)[2:]


# --- what bots are shown ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", PRESETS)
def test_bots_see_only_views_of_the_seat_to_act_and_only_choices(variant: str) -> None:
    spy = Spy()
    games = deals(Variant.parse(variant), 0, 40, 2, "bid")
    asked = play_deals(spy, spy, games)
    seen = np.concatenate(spy.seen)
    assert len(seen) == asked
    for row in seen:
        others = [seat for seat in range(4) if seat != row["to_act"]]
        assert row["hands"][others].tolist() == [0, 0, 0]
        assert row["seed"] == 0
        assert (row["stock"][row["drawn"] :] == -1).all()
        assert int(legal(row)).bit_count() > 1


def test_a_bot_that_sees_all_is_handed_the_games_themselves() -> None:
    spy = Spy()
    spy.sees_all = True
    games = deals(Variant(), 0, 40, 2, "bid")
    hands = {int(game.deal_number): set(range(32)) for game in games}
    play_deals(spy, GreedyBot(), games)
    for row in np.concatenate(spy.seen):
        held = [int(hand) for hand in row["hands"]]
        assert sum(held) == sum(1 << card for card in hands[int(row["deal_number"])] - set(row["plays"].tolist()))
        assert row["seed"] == 2
    before = games.tobytes()
    spy.seen[0]["hands"] = 0  # a copy: what it does with it is its own affair
    assert games.tobytes() == before


def test_each_bot_is_asked_for_its_own_seats() -> None:
    spies = (Spy(), Spy())
    play_deals(*spies, deals(Variant(), 0, 40, 2, "bid"))
    for team, spy in enumerate(spies):
        assert {int(seat) & 1 for rows in spy.seen for seat in rows["to_act"]} == {team}


@pytest.mark.parametrize("variant", PRESETS)
def test_the_loop_is_the_law_game_by_game(variant: str) -> None:
    bots = (LennardBot(), GreedyBot())
    games = deals(Variant.parse(variant), 0, 20, 2, "bid")
    alone = games.copy()
    play_deals(*bots, games)
    assert (games["phase"] == DEAL_OVER).all()
    for i in range(len(alone)):
        while alone[i]["phase"] != DEAL_OVER:
            seat = alone["to_act"][i : i + 1]
            apply(alone[i], bots[int(seat[0]) & 1].act(view(alone[i : i + 1], seat)))
            play_forced(alone[i])
            while alone[i].phase == PASSED_OUT:
                next_deal(alone[i])
                play_forced(alone[i])
    assert games.tobytes() == alone.tobytes()


@pytest.mark.parametrize("bot", [Wrong(33), Wrong(-1), Wrong(99), Wrong(0), Wrong(34, shape=(1,))])
def test_an_illegal_answer_is_refused_and_nothing_is_played(bot: Wrong) -> None:
    games = deals(Variant(), 0, 30, 2, "bid")
    before = games.tobytes()
    with pytest.raises(ValueError, match="bot wrong"):
        play_deals(bot, bot, games)
    assert games.tobytes() == before


# --- the figures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("variant", ["amsterdams", "rotterdams/stock-zoeker"])
def test_figures_are_those_of_the_deals(variant: str) -> None:
    pairs, seed = 60, 3
    bots = (LennardBot(), RandomBot(1))
    result = evaluate(*bots, pairs=pairs, seed=seed, variant=variant)
    rows = []  # (team of lennard, finished game)
    for team in (0, 1):
        games = deals(Variant.parse(variant), 0, pairs, seed, "bid")
        play_deals(bots[team], bots[1 - team], games)
        rows += [(team, game) for game in games]
    difference = np.array([game["score"][team] - game["score"][1 - team] for team, game in rows], dtype=float)
    means = difference.reshape(2, pairs).mean(axis=0)
    assert result.points_per_deal == pytest.approx(means.mean())
    assert result.ci95 == pytest.approx(1.96 * np.sqrt(((means - means.mean()) ** 2).sum() / (pairs - 1) / pairs))
    for b, side in ((0, result.side_a), (1, result.side_b)):
        playing = [game for team, game in rows if game["declarer"] & 1 == team ^ b]
        defending = [game for team, game in rows if game["declarer"] & 1 != team ^ b]
        assert side.playing == len(playing) / len(rows)
        assert side.nat == sum(int(game["nat"]) for game in playing) / len(playing)
        assert side.pit == sum(int(game["pit"] == Pit.PLAYING) for game in playing) / len(playing)
        assert side.counter_pit == sum(int(game["pit"] == Pit.DEFENDING) for game in defending) / len(defending)
        assert side.nat_given == sum(int(game["nat"]) for game in defending) / len(defending)
        margins = [int(game["score"][team ^ b] - game["score"][1 - team ^ b]) for team, game in rows]
        plays = [game["declarer"] & 1 == team ^ b for team, game in rows]
        assert side.points_playing == pytest.approx(np.mean([m for m, own in zip(margins, plays, strict=True) if own]))
        assert side.points_defending == pytest.approx(
            np.mean([m for m, own in zip(margins, plays, strict=True) if not own])
        )
        assert side.roem == sum(int(game["roem"][team ^ b]) for team, game in rows) / len(rows)
    assert result.deals == 2 * pairs
    assert result.decisions > 15 * result.deals


@pytest.mark.parametrize("contract", ["chooser", "random"])
def test_roles_are_gains_at_a_table_of_the_other_bot(contract: str) -> None:
    pairs = 40
    result = evaluate("greedy", "random", pairs=pairs, seed=3, contract=contract, roles=True)
    greedy, random = GreedyBot(), RandomBot(3)

    def playing_side(*places_of_greedy: int) -> np.ndarray:
        """Points of the playing side minus those of the defenders; places are counted from the declarer."""
        margins = []
        games = deals(Variant(), 0, pairs, 3, contract)
        for i in range(pairs):
            game = games[i]
            of_greedy = {(int(game.declarer) + place) % 4 for place in places_of_greedy}
            while game.phase != DEAL_OVER:
                bot: Bot = greedy if int(game.to_act) in of_greedy else random
                apply(game, bot.act(view(games[i : i + 1], games["to_act"][i : i + 1])))
                play_forced(game)
            team = int(game.declarer) & 1
            margins.append(int(game.score[team] - game.score[1 - team]))
        return np.array(margins)

    none, all_four = playing_side(), playing_side(0, 1, 2, 3)
    assert result.roles_a is not None
    assert result.roles_b is not None
    expected_a = (
        playing_side(0) - none,
        playing_side(2) - none,
        none - playing_side(1, 3),
    )
    expected_b = (
        playing_side(1, 2, 3) - all_four,
        playing_side(0, 1, 3) - all_four,
        all_four - playing_side(0, 2),
    )
    for roles, expected in ((result.roles_a, expected_a), (result.roles_b, expected_b)):
        for role, gains in zip(("declarer", "partner", "defence"), expected, strict=True):
            assert roles[role].mean == pytest.approx(gains.mean())
            assert roles[role].ci95 == pytest.approx(1.96 * gains.std(ddof=1) / np.sqrt(pairs))


def test_the_chance_of_a_boompje_is_that_of_sums_of_sixteen_deals() -> None:
    result = evaluate("greedy", "lennard", pairs=300, seed=3)
    games = [deals(Variant(), 0, 300, 3, "bid") for _ in range(2)]
    play_deals(GreedyBot(), LennardBot(), games[0])
    play_deals(LennardBot(), GreedyBot(), games[1])
    margins = np.concatenate([game["score"][:, team] - game["score"][:, 1 - team] for team, game in enumerate(games)])
    sums = np.random.default_rng(1).choice(margins, size=(200_000, 16)).sum(axis=1)
    assert result.boompje.chance == pytest.approx((sums > 0).mean() + (sums == 0).mean() / 2, abs=0.004)
    assert result.boompje.low < result.boompje.chance < result.boompje.high


def test_equals_win_half_of_their_boompjes() -> None:
    assert evaluate("lennard", "greedy", pairs=2, contract="chooser").boompje.low >= 0
    same = evaluate(LennardBot(), LennardBot(), pairs=50)
    assert same.boompje.chance == pytest.approx(0.5, abs=1e-9)


def test_the_table_names_both_bots_and_the_figure() -> None:
    result = evaluate("greedy", "random", pairs=20)
    text = table(result)
    assert f"{result.points_per_deal:+.2f}" in text
    assert f"{result.ci95:.2f}" in text
    for word in ("greedy", "random", "nat", "pit", "roem", "amsterdams/utrechts", "20 "):
        assert word in text


# --- the command line ------------------------------------------------------------------------------------------------


def command(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "training.evaluate", *arguments], capture_output=True, text=True, timeout=300
    )


def test_json_is_one_object_on_standard_output() -> None:
    ran = command("random", "lennard", "--pairs", "30", "--seed", "5", "--variant", "online-rotterdams")
    assert ran.returncode == 0
    assert "random against lennard" in ran.stdout
    words = ["--pairs=30", "--seed=5", "--variant=rotterdams, four_jacks=100", "--contract=random", "--json"]
    ran = command("random", "lennard", *words)
    assert ran.returncode == 0
    assert ran.stderr == ""
    found = json.loads(ran.stdout)
    same = evaluate("random", "lennard", 30, 5, "rotterdams, four_jacks=100", "random")
    assert {key: value for key, value in found.items() if "second" not in key} == figures(same)
    assert found["pairs"] == 30
    assert found["variant"] == "rotterdams/utrechts, four_jacks=100"
    assert found["rules_hash"] == Variant.parse(found["variant"]).rules_hash
    assert isinstance(found["points_per_deal"], float)
    assert found["ci95"] > 0
    shares = {"nat", "nat_given", "pit", "counter_pit", "roem", "playing", "points_playing", "points_defending"}
    assert set(found["side_a"]) == shares


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["lenard", "random"], ["'lenard'", "'lennard'", "greedy", ".onnx"]),
        (["random", "missing.onnx"], ["missing.onnx", "no such file"]),
        (["random", "missing.pt"], ["missing.pt", "no such file"]),
        (["random", __file__], ["test_evaluate.py"]),
        (["random", "greedy", "--variant", "amsterdam"], ["'amsterdam'", "'amsterdams'"]),
        (["random", "greedy", "--variant", "four_jack=1"], ["four_jacks"]),
        (["random", "greedy", "--pairs", "1"], ["pairs=1", "at least 2"]),
        (["random", "greedy", "--pairs", "-5"], ["pairs=-5"]),
        (["random", "greedy", "--pairs", "many"], ["--pairs", "many"]),
        (["random", "greedy", "--seed", "-1"], ["seed=-1"]),
        (["random", "greedy", "--seed", str(2**63)], [str(2**63)]),
        (["random", "greedy", "--contract", "none"], ["'none'", "bid, chooser, random"]),
        (["random", "greedy", "--roles"], ["roles", "chooser"]),
        (["random"], ["required", "b"]),
        (["random", "greedy", "--par", "3", "--nonsense"], ["nonsense"]),
    ],
)
def test_bad_input_is_one_line_and_exit_status_2(
    arguments: list[str], words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(arguments)
    except SystemExit as stop:  # argparse leaves this way
        status = int(stop.code or 0)
    printed = capsys.readouterr()
    assert status == 2
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    for word in words:
        assert word in printed.err


def test_the_shell_sees_status_2_and_no_traceback() -> None:
    ran = command("nobody", "random", "--json")
    assert ran.returncode == 2
    assert ran.stdout == ""
    assert "Traceback" not in ran.stderr
    assert ran.stderr.count("\n") == 1


class Passer(Bot):
    """Passes whenever it may."""

    name = "passer"

    def act_many(self, views: np.ndarray) -> np.ndarray:
        return np.array([PASS if int(legal(row)) >> PASS & 1 else int(legal(row)).bit_length() - 1 for row in views])


def test_bots_that_never_choose_trump_are_refused_in_the_end() -> None:
    with pytest.raises(ValueError, match="passer pass out every deal under amsterdams/stock-2x-opnieuw"):
        play_deals(Passer(), Passer(), deals(Variant.parse("amsterdams/stock-2x-opnieuw"), 0, 1, 1, "bid"))
