"""The engine in lockstep with a second reading of the rules: seats, legal actions, tricks, roem and results."""

import json
import random
from pathlib import Path
from typing import Any, Final

import pytest

from klaverjas_env.game import Phase, apply, deal_ended, legal, match_over, new, next_deal, turned_suit
from klaverjas_env.notation import action_name, card_names, parse_cards, position, turned_name
from klaverjas_env.rules.scoring import Pit, match_winner
from klaverjas_env.rules.variant import PRESETS, Variant
from tests.houses import random_house
from tests.referee import CLAIMS, RUN_ORDER, SUITS, Deal, Match, lawful_cards, runs_and_fours, stuk_of, winning_place

VECTORS: list[dict[str, Any]] = json.loads((Path(__file__).parent / "data" / "rule_vectors.json").read_text())[
    "vectors"
]
PHASES: Final = {
    "bid": Phase.BIDDING,
    "name": Phase.NAMING,
    "card": Phase.PLAYING,
    "claim": Phase.CLAIMING,
    "over": Phase.DEAL_OVER,
    "void": Phase.PASSED_OUT,
}
NAMES: Final = [action_name(action) for action in range(45)]
ACTIONS: Final = {name: action for action, name in enumerate(NAMES)}
MOST_DEALS: Final = 40
"""Deals after which a match is left unfinished."""


class DisagreementError(AssertionError):
    """Engine and referee say different things; the text has the house rules, the position and both."""


def compare(game: Any, what: str, engine: object, referee: object) -> None:
    """Raise unless engine and referee say the same."""
    if engine != referee:
        house = Variant.from_record(game.rules)
        try:
            place = position(game)
        except Exception as error:  # the position is only for the reader
            place = f"no position: {error}"
        raise DisagreementError(f"{what}: engine {engine}, referee {referee}\n  house {house}\n  {place}")


class Player:
    """How the seats of one deal choose: at random, but with a leaning that brings about what is rare."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.shy = draw.choice((0.3, 0.8, 0.97, 1.0))
        self.honest = draw.choice((0.0, 0.5, 1.0))
        self.rash = draw.random() < 0.2
        self.careless = draw.choice((0.0, 0.01, 0.1))
        self.leaning = draw.choice(("none", "none", "ranks", "suits", "side 0", "side 1"))

    def choose(self, deal: Deal, legal_names: list[str]) -> str:
        """One of the legal actions."""
        draw = self.draw
        if deal.asked == "bid" and "pass" in legal_names and draw.random() < self.shy:
            return "pass"
        if deal.asked == "card":
            return self.card(deal, legal_names)
        if deal.asked == "claim" and self.rash:
            return "roem200"
        if deal.asked == "claim" and draw.random() < self.honest:
            stuk = stuk_of(deal.table, deal.trump, deal.house)
            other = runs_and_fours(deal.table, deal.house)
            claim = draw.choice((other, other + stuk, other + stuk, stuk))
            return f"roem{claim if claim in CLAIMS else 0}"
        return draw.choice(legal_names)

    def card(self, deal: Deal, legal_names: list[str]) -> str:
        """One of the legal cards, mostly one that does not renege."""
        draw = self.draw
        if draw.random() >= self.careless:
            legal_names = deal.lawful()
        if self.leaning.startswith("side"):
            strong = int(self.leaning[-1]) == deal.turn % 2
            by_rank = sorted(legal_names, key=lambda card: ("789JQKTA".index(card[1]), card[0] == deal.trump))
            return by_rank[-1] if strong else by_rank[0]
        if deal.table and self.leaning != "none" and draw.random() < 0.9:
            first = deal.table[0]
            if self.leaning == "ranks":
                alike = [card for card in legal_names if card[1] == first[1]]
            else:
                near = RUN_ORDER.index(first[1])
                alike = [
                    card for card in legal_names if card[0] == first[0] and abs(RUN_ORDER.index(card[1]) - near) < 3
                ]
            legal_names = alike or legal_names
        return draw.choice(legal_names)


def stacked(draw: random.Random) -> list[list[str]]:
    """Hands of one suit each with a few cards changed about, for ruffs and four of a kind."""
    hands = [[letter + rank for rank in RUN_ORDER] for letter in SUITS]
    draw.shuffle(hands)
    for _ in range(draw.choice((0, 2, 6, 12))):
        one, other = draw.sample(hands, 2)
        place = draw.randrange(8)
        one[place], other[place] = other[place], one[place]
    return hands


def pile_of(game: Any, first: bool) -> list[str]:
    """The letters of the pile as it lies before a deal, without the clubs of a first deal, which the referee adds."""
    house = Variant.from_record(game.rules)
    if house.trump_mode != "stock":
        return []
    letters = [turned_name(int(turned)) for turned in game.stock if turned >= 0]
    if first and house.first_deal_clubs:
        compare(game, "first card of the first deal", letters.pop(0), "C")
    compare(game, "pile", sorted(letters), sorted("CDHS" * 5 + "J" * house.stock_jokers))
    return letters


def compare_positions(game: Any, deal: Deal) -> list[str]:
    """Compare what both say of a position; the legal actions are returned."""
    compare(game, "phase", Phase(game.phase), PHASES[deal.asked])
    names = deal.legal()
    mask = int(legal(game))
    expected = 0
    for name in names:
        expected |= 1 << ACTIONS[name]
    if mask != expected:
        engine = [NAMES[action] for action in range(len(NAMES)) if mask >> action & 1]
        compare(game, "legal", engine, sorted(names, key=ACTIONS.__getitem__))
    if names:
        compare(game, "seat to act", int(game.to_act), deal.turn)
    if deal.asked == "bid" and deal.turned:
        compare(game, "turned card", turned_name(turned_suit(game)), deal.turned)
    compare(game, "card points", game.points.tolist(), deal.points)
    compare(game, "roem", game.roem.tolist(), deal.roem)
    return names


def compare_results(game: Any, deal: Deal) -> None:
    """Compare contract, tricks and result of a deal that has ended."""
    if deal.asked == "void":
        return
    compare(game, "contract", (int(game.declarer), SUITS[int(game.trump)]), (deal.declarer, deal.trump))
    winners = deal.winners
    if winners:
        leaders = game.leaders.tolist()
        compare(game, "leader", leaders[0], deal.forehand)
        compare(game, "winners", leaders[1 : len(winners) + 1], winners[:7])
    tricks = [sum(winner % 2 == side for winner in winners) for side in (0, 1)]
    compare(game, "tricks", game.tricks.tolist(), tricks)
    compare(game, "reneged", int(game.reneged), -1 if deal.reneged is None else deal.reneged)
    compare(game, "score", game.score.tolist(), deal.score)
    compare(game, "nat", bool(game.nat), deal.nat)
    assert deal.declarer is not None
    pit = Pit.NONE
    if deal.all_tricks is not None:
        pit = Pit.PLAYING if deal.all_tricks == deal.declarer % 2 else Pit.DEFENDING
    compare(game, "pit", Pit(game.pit), pit)


def play_deal(game: Any, deal: Deal, player: Player) -> None:
    """Play a deal to its end in both, comparing at every step."""
    while True:
        names = compare_positions(game, deal)
        compare(game, "end of the deal", bool(deal_ended(game)), not names)
        if not names:
            compare_results(game, deal)
            return
        action = player.choose(deal, names)
        apply(game, ACTIONS[action])
        deal.act(action)


def play_match(house: Variant, draw: random.Random, referees_house: Variant | None = None) -> int:
    """Play a match in both, comparing all the way; the number of deals is returned."""
    games = new(house, draw.getrandbits(40))
    game = games[0]
    match = Match(referees_house or house, int(game.dealer))
    if house.first_dealer != "random":
        compare(game, "first dealer", int(game.dealer), int(house.first_dealer))
    for played in range(1, MOST_DEALS + 1):
        first = match.scored == 0
        compare(game, "dealer", int(game.dealer), match.dealer)
        hands = [card_names(int(hand)) for hand in game.hands]
        pack = sorted(letter + rank for letter in SUITS for rank in RUN_ORDER)
        compare(game, "pack", sorted(card for hand in hands for card in hand), pack)
        compare(game, "cards a seat", [len(hand) for hand in hands], [8, 8, 8, 8])
        if draw.random() < 0.2:
            hands = stacked(draw)
            game.hands[:] = [parse_cards(hand) for hand in hands]
        deal = Deal(match.house, hands, match.dealer, pile_of(game, first), first)
        play_deal(game, deal, Player(draw))
        match.write(deal)
        compare(game, "totals", game.totals.tolist(), match.totals)
        compare(game, "deals scored", int(game.deals_played), match.scored)
        over = deal.asked == "over" and match.over()
        compare(game, "end of the match", bool(match_over(game)), over)
        if over:
            winner = match.winner()
            compare(game, "winner", match_winner(*game.totals.tolist()), -1 if winner is None else winner)
            return played
        next_deal(game)
    return MOST_DEALS


def play_many(deals: int, seed: int) -> int:
    """At least so many deals: a match of every preset, then matches by random house rules."""
    draw = random.Random(seed)
    played = sum(play_match(house, draw) for house in PRESETS.values())
    while played < deals:
        played += play_match(random_house(draw), draw)
    return played


def test_engine_and_referee_agree() -> None:
    assert play_many(2_000, seed=1) >= 2_000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 12))
def test_engine_and_referee_agree_for_long(seed: int) -> None:
    assert play_many(10_000, seed) >= 10_000


NOTICED: Final = (
    *(("amsterdams", change) for change in ("partner_exempt=none", "partner_exempt=winning_trump")),
    *(("amsterdams", change) for change in ("undertrump_partner=allowed", "last_trick=20", "run3=30", "run4=60")),
    *(("amsterdams", change) for change in ("stuk=30", "four_jacks=100", "four_others=200", "four_kind_ranks=TJQKA")),
    *(("amsterdams", change) for change in ("nat_on_tie=False", "pit_bonus=90", "counter_pit_bonus=0", "deals=15")),
    *(("amsterdams", change) for change in ("must_hold_trump=True", "trump_mode=stock")),
    *(("rotterdams", change) for change in ("undertrump=forced", "undertrump=allowed")),
    *(("nku", change) for change in ("stuk_always=False", "false_roem=ignored", "first_bidder=forehand")),
    *(("amsterdams, renege_mode=penalty", change) for change in ("renege_points=0", "renege_bonus=0")),
    *(("amsterdams, renege_mode=penalty", change) for change in ("renege_roem=none", "renege_roem=winner_only")),
    *(("amsterdams/stock-verplicht", change) for change in ("stock_rounds=2", "stock_skip_passed=False")),
    *(("amsterdams/stock-verplicht", change) for change in ("first_deal_clubs=False", "forced_seat=last")),
    *(("amsterdams/stock-zoeker", change) for change in ("choice_excludes_passed=False", "all_pass=redeal")),
    ("amsterdams/stock-2x-opnieuw", "redeal_dealer=next"),
    ("amsterdams/vrij", "forced_seat=last"),
    ("amsterdams, match_end=target", "target=1400"),
    ("amsterdams, deals=1, nat_on_tie=False", "tie_break=extra_deal"),
)
"""House rules, and an option in which the referee is told otherwise."""


def play_until_refused(engines: Variant, draw: random.Random, referees: Variant) -> None:
    """Play matches by different house rules until engine and referee disagree, or for so long that they never will."""
    for _ in range(2_000):
        play_match(engines, draw, referees)


@pytest.mark.parametrize(("house", "change"), NOTICED)
def test_a_difference_of_one_option_is_noticed(house: str, change: str) -> None:
    draw = random.Random(1)
    engines, referees = Variant.parse(house), Variant.parse(f"{house}, {change}")
    with pytest.raises(DisagreementError):
        play_until_refused(engines, draw, referees)


def vectors(kind: str) -> list[Any]:
    """The hand-written vectors of one kind, as parameters."""
    return [pytest.param(vector, id=vector["id"]) for vector in VECTORS if vector["kind"] == kind]


@pytest.mark.parametrize("vector", vectors("legal_cards"))
def test_referee_knows_which_cards_may_be_played(vector: dict[str, Any]) -> None:
    trick = [card for _, card in vector["trick"]]
    house = Variant(**vector["options"])
    assert sorted(lawful_cards(vector["hand"], trick, vector["trump"], house)) == vector["expected"]


@pytest.mark.parametrize("vector", vectors("trick_winner"))
def test_referee_knows_who_wins_a_trick(vector: dict[str, Any]) -> None:
    place = winning_place([card for _, card in vector["trick"]], vector["trump"])
    assert vector["trick"][place][0] == vector["expected"]


@pytest.mark.parametrize("vector", vectors("trick_roem"))
def test_referee_knows_the_roem_of_a_trick(vector: dict[str, Any]) -> None:
    house = Variant(**vector["options"])
    cards, trump = vector["cards"], vector["trump"]
    assert runs_and_fours(cards, house) + stuk_of(cards, trump, house) == vector["expected"]


@pytest.mark.parametrize("vector", vectors("bidding"))
def test_referee_knows_how_trump_is_chosen(vector: dict[str, Any]) -> None:
    given, expected = vector["input"], vector["expected"]
    options = dict(vector["options"])
    if options["trump_mode"] == "free":
        options.setdefault("all_pass", "forced_choice")
    pile = ["J" if turned == "joker" else turned for turned in given.get("turned", [])]
    hands = [given.get("hand_of_bidder", [letter + "7" for letter in SUITS])] * 4
    deal = Deal(Variant(**options), hands, given["dealer"], pile, given.get("deal_number") == 1)
    for seat, action in given["actions"]:
        assert deal.turn == seat
        deal.act(action)
    if "redeal" in expected:
        assert deal.asked == "void"
    elif "legal" in expected:
        assert (deal.turn, deal.legal()) == (expected["to_act"], expected["legal"])
    else:
        assert (deal.trump, deal.declarer, deal.turn) == (expected["trump"], expected["declarer"], expected["leader"])
