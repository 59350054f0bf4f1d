"""A second reading of the rules, in plain and slow Python, that shares nothing with the engine but the house rules.

Cards are texts such as `HJ`, hands are lists, prices stand in dictionaries. It was written from the rules and their
sources without a look at the engine, so that both can only agree by being right, or by misreading the same words.
"""

from klaverjas_env.rules.variant import Variant

SUITS = ["C", "D", "H", "S"]
RUN_ORDER = ["7", "8", "9", "T", "J", "Q", "K", "A"]
STRENGTH = {
    "side": ["7", "8", "9", "J", "Q", "K", "T", "A"],
    "trump": ["7", "8", "Q", "K", "T", "A", "9", "J"],
}
PRICE = {
    "side": {"A": 11, "T": 10, "K": 4, "Q": 3, "J": 2, "9": 0, "8": 0, "7": 0},
    "trump": {"J": 20, "9": 14, "A": 11, "T": 10, "K": 4, "Q": 3, "8": 0, "7": 0},
}
CLAIMS = [0, 20, 40, 50, 70, 100, 200]


def suit(card: str) -> str:
    """The suit of a card."""
    return card[0]


def rank(card: str) -> str:
    """The rank of a card."""
    return card[1]


def kind(card: str, trump: str) -> str:
    """Whether a card is `trump` or `side`."""
    return "trump" if suit(card) == trump else "side"


def strength(card: str, trump: str) -> int:
    """How high a card stands in its own suit."""
    return STRENGTH[kind(card, trump)].index(rank(card))


def price(card: str, trump: str) -> int:
    """What a card is worth to the side that takes it."""
    return PRICE[kind(card, trump)][rank(card)]


def winning_place(trick: list[str], trump: str) -> int:
    """Which card of a trick, counted from the lead, takes it as it lies."""
    ruffs = [card for card in trick if suit(card) == trump]
    contenders = ruffs or [card for card in trick if suit(card) == suit(trick[0])]
    best = max(contenders, key=lambda card: strength(card, trump))
    return trick.index(best)


def lawful_cards(hand: list[str], trick: list[str], trump: str, house: Variant) -> list[str]:
    """The cards of a hand that may follow the cards that lie on the table."""
    if not trick:
        return list(hand)
    led = suit(trick[0])
    same = [card for card in hand if suit(card) == led]
    trumps = [card for card in hand if suit(card) == trump]
    others = [card for card in hand if suit(card) != trump]
    ruffs = [card for card in trick if suit(card) == trump]
    highest = max([strength(card, trump) for card in ruffs], default=-1)
    higher = [card for card in trumps if strength(card, trump) > highest]
    if led == trump:
        if not same:
            return list(hand)
        return higher or same
    if same:
        return same
    if not trumps:
        return list(hand)
    place = winning_place(trick, trump)
    partner_wins = len(trick) - place == 2
    ruffed_by_winner = suit(trick[place]) == trump
    if house.partner_exempt == "winning":
        exempt = partner_wins
    elif house.partner_exempt == "winning_trump":
        exempt = partner_wins and ruffed_by_winner
    else:
        exempt = False
    if exempt:
        if not ruffs or house.undertrump_partner == "allowed":
            return list(hand)
        return others + higher or list(hand)
    if higher:
        return higher
    if house.undertrump == "forced":
        return trumps
    if house.undertrump == "allowed":
        return list(hand)
    return others or trumps


def runs_and_fours(trick: list[str], house: Variant) -> int:
    """The roem of the four cards of a trick, but for the stuk."""
    total = 0
    for letter in SUITS:
        row = ""
        for step in [*RUN_ORDER, "end"]:
            if letter + step in trick:
                row += step
                continue
            if len(row) == 3:
                total += house.run3
            if len(row) == 4:
                total += house.run4
            row = ""
    ranks = {rank(card) for card in trick}
    if len(trick) == 4 and len(ranks) == 1:
        only = ranks.pop()
        counts = {"all": RUN_ORDER, "TJQKA": ["T", "J", "Q", "K", "A"], "none": []}[house.four_kind_ranks]
        if only in counts:
            total += house.four_jacks if only == "J" else house.four_others
    return total


def stuk_of(trick: list[str], trump: str, house: Variant) -> int:
    """The roem of king and queen of trump in one trick."""
    return house.stuk if trump + "K" in trick and trump + "Q" in trick else 0


class Deal:
    """One deal from the first word to the result; `pile` are the letters of the cards to turn, J for a joker."""

    def __init__(self, house: Variant, hands: list[list[str]], dealer: int, pile: list[str], first_deal: bool) -> None:
        self.house = house
        self.hands = [list(hand) for hand in hands]
        self.forehand = (dealer + 1) % 4
        self.trump = ""
        self.declarer: int | None = None
        self.words: list[str] = []
        self.leader = self.forehand
        self.table: list[str] = []
        self.winners: list[int] = []
        self.points = [0, 0]
        self.roem = [0, 0]
        self.score = [0, 0]
        self.nat = False
        self.all_tricks: int | None = None
        self.reneged: int | None = None
        self.pile = list(pile)
        if house.first_deal_clubs and first_deal:
            self.pile.insert(0, "C")
        self.passed_on: list[str] = []
        self.turned = ""
        self.speaks_first = self.forehand
        if house.trump_mode != "forehand" and house.first_bidder == "dealer":
            self.speaks_first = dealer
        self.turn = self.speaks_first
        self.asked = "name"
        """What the seat whose turn it is decides: `bid`, `name`, `card` or `claim`; `over` and `void` are ends."""
        if house.trump_mode == "free":
            self.asked = "bid"
        if house.trump_mode == "stock":
            self._turn_a_card()

    # Choosing trump.

    def _turn_a_card(self) -> None:
        """Turn a card of the pile and ask for words on it, or for a suit if it is a joker."""
        while True:
            self.turned = self.pile.pop(0)
            spent = self.turned in self.passed_on and len(set(self.passed_on)) < 4
            if not (self.house.stock_skip_passed and spent):
                break
        self.turn = self.speaks_first
        self.asked = "name" if self.turned == "J" else "bid"

    def _may_pass(self) -> bool:
        rounds = self.house.stock_rounds if self.house.trump_mode == "stock" else 1
        return not (self.house.forced_seat == "last" and len(self.words) == 4 * rounds - 1)

    def _nameable(self) -> list[str]:
        """The suits that the seat whose turn it is may name."""
        suits = list(SUITS)
        if self.house.choice_excludes_passed and len(set(self.passed_on)) < 4:
            suits = [letter for letter in suits if letter not in self.passed_on]
        if self.house.must_hold_trump:
            held = [letter for letter in suits if letter in [suit(card) for card in self.hands[self.turn]]]
            suits = held or suits
        return suits

    def _contract(self, letter: str) -> None:
        self.trump = letter
        self.declarer = self.turn
        self.turn = self.forehand
        self.asked = "card"

    def _pass(self) -> None:
        self.words.append("pass")
        self.turn = (self.turn + 1) % 4
        if len(self.words) % 4 != 0:
            return
        if self.house.trump_mode == "stock":
            self.passed_on.append(self.turned)
            if len(self.words) < 4 * self.house.stock_rounds:
                self._turn_a_card()
                return
        if self.house.all_pass == "redeal":
            self.asked = "void"
        elif self.house.all_pass == "forced_choice":
            self.asked = "name"
        else:
            self._turn_a_card()
            if self.asked == "bid":
                self._contract(self.turned)

    # Playing.

    def lawful(self) -> list[str]:
        """The cards that the seat whose turn it is may play without reneging."""
        return lawful_cards(self.hands[self.turn], self.table, self.trump, self.house)

    def legal(self) -> list[str]:
        """The names of the actions that the seat whose turn it is can take."""
        if self.asked == "name":
            return self._nameable()
        if self.asked == "bid":
            words = ["pass"] if self._may_pass() else []
            return words + (["play"] if self.house.trump_mode == "stock" else self._nameable())
        if self.asked == "card":
            return list(self.hands[self.turn]) if self.house.renege_mode == "penalty" else self.lawful()
        if self.asked == "claim":
            return [f"roem{points}" for points in CLAIMS]
        return []

    def act(self, action: str) -> None:
        """Let the seat whose turn it is take an action."""
        if action not in self.legal():
            raise ValueError(f"{action} is not legal")
        if action == "pass":
            self._pass()
        elif action == "play":
            self._contract(self.turned)
        elif self.asked in ("name", "bid"):
            self._contract(action)
        elif self.asked == "card":
            self._play(action)
        else:
            self._claim(int(action.removeprefix("roem")))

    def _play(self, card: str) -> None:
        if card not in self.lawful():
            self._renege()
            return
        self.hands[self.turn].remove(card)
        self.table.append(card)
        self.turn = (self.turn + 1) % 4
        if len(self.table) < 4:
            return
        winner = (self.leader + winning_place(self.table, self.trump)) % 4
        self.winners.append(winner)
        self.leader = self.turn = winner
        self.points[winner % 2] += sum(price(card, self.trump) for card in self.table)
        if len(self.winners) == 8:
            self.points[winner % 2] += self.house.last_trick
        if self.house.roem_mode == "declare":
            self.asked = "claim"
            return
        stuk = stuk_of(self.table, self.trump, self.house)
        self.roem[winner % 2] += runs_and_fours(self.table, self.house) + stuk
        self._clear_the_table()

    def _claim(self, claimed: int) -> None:
        """What the winner of the trick gets, or loses, by what it says of the roem in it."""
        own = self.leader % 2
        stuk = stuk_of(self.table, self.trump, self.house)
        other = runs_and_fours(self.table, self.house)
        free_stuk = stuk if self.house.stuk_always else 0
        if claimed == 0:
            self.roem[own] += free_stuk
        elif claimed == other + stuk:
            self.roem[own] += claimed
        elif claimed == other:
            self.roem[own] += claimed + free_stuk
        elif claimed == stuk:
            self.roem[own] += claimed
        else:
            if self.house.false_roem == "to_opponents":
                self.roem[1 - own] += claimed
            self.roem[own] += free_stuk
        self.asked = "card"
        self._clear_the_table()

    def _clear_the_table(self) -> None:
        self.table = []
        if len(self.winners) == 8:
            self._count()

    # The result.

    def _renege(self) -> None:
        offenders = self.turn % 2
        self.reneged = self.turn
        gain = self.house.renege_points + self.house.renege_bonus
        if self.house.renege_roem == "all":
            gain += sum(self.roem)
        if self.house.renege_roem == "winner_only":
            gain += self.roem[1 - offenders]
        self.score[offenders] = 0
        self.score[1 - offenders] = gain
        self.asked = "over"

    def _count(self) -> None:
        assert self.declarer is not None
        makers = self.declarer % 2
        defenders = 1 - makers
        totals = [self.points[side] + self.roem[side] for side in (0, 1)]
        sides = {winner % 2 for winner in self.winners}
        self.all_tricks = sides.pop() if len(sides) == 1 else None
        made = totals[makers] > totals[defenders]
        if totals[makers] == totals[defenders] and not self.house.nat_on_tie:
            made = True
        if made:
            self.score = totals
            if self.all_tricks == makers:
                self.score[makers] += self.house.pit_bonus
        else:
            self.nat = True
            self.score[makers] = 0
            self.score[defenders] = sum(totals)
            if self.all_tricks == defenders:
                self.score[defenders] += self.house.counter_pit_bonus
        self.asked = "over"


class Match:
    """The score sheet of a match: who deals, what is written down, and when it ends."""

    def __init__(self, house: Variant, dealer: int) -> None:
        self.house = house
        self.dealer = dealer
        self.totals = [0, 0]
        self.scored = 0

    def write(self, deal: Deal) -> None:
        """Write down a deal that has ended and pass the deal on."""
        if deal.asked == "void":
            if self.house.redeal_dealer == "next":
                self.dealer = (self.dealer + 1) % 4
            return
        self.totals = [self.totals[side] + deal.score[side] for side in (0, 1)]
        self.scored += 1
        self.dealer = (self.dealer + 1) % 4

    def over(self) -> bool:
        """Whether the match has ended."""
        if self.house.match_end == "deals":
            ended = self.scored >= self.house.deals
        else:
            ended = max(self.totals) >= self.house.target
        if ended and self.house.tie_break == "extra_deal" and self.totals[0] == self.totals[1]:
            return False
        return ended

    def winner(self) -> int | None:
        """The side with more points, or nobody."""
        if self.totals[0] == self.totals[1]:
            return None
        return 0 if self.totals[0] > self.totals[1] else 1
