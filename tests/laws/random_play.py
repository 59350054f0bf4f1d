"""Random play with every law checked at every step, compiled so that a thousand deals take a moment."""

from enum import IntEnum
from typing import Any

import numpy as np

from klaverjas_env.game import (
    ALL_CLAIMS,
    BIDDING,
    CLAIM,
    CLAIMING,
    DEAL_OVER,
    NAME,
    NAMING,
    NO_PIT,
    PASS,
    PASSED_OUT,
    PLAY,
    PLAYING,
    REDEAL_BY_NEXT,
    apply,
    begin_bidding,
    card_duty,
    deal_ended,
    legal,
    match_over,
    new,
    new_match,
    next_deal,
)
from klaverjas_env.jit import jit
from klaverjas_env.rules.bidding import (
    ALL_SUITS,
    DEALER_FIRST,
    FORCED_CHOICE,
    FORCED_TURNED,
    FOREHAND,
    JOKER,
    LAST_FORCED,
    REDEAL_ALL_PASS,
    STOCK,
)
from klaverjas_env.rules.cards import ALL_CARDS, CLUBS, NO_SUIT, STRENGTH, count, lowest_bit, ranks_of
from klaverjas_env.rules.follow import duty, ruled_out
from klaverjas_env.rules.roem import CLAIMS, DECLARE, FALSE_TO_OPPONENTS, stuk_roem, trick_roem
from klaverjas_env.rules.scoring import EXTRA_DEAL, ROEM_ALL, ROEM_WINNER_ONLY, TARGET, Pit
from klaverjas_env.rules.trick import winning_place
from klaverjas_env.view import player_of

PLAYING_PIT = int(Pit.PLAYING)
DEFENDING_PIT = int(Pit.DEFENDING)


class Law(IntEnum):
    """What must hold in every deal, whatever the house rules."""

    CARDS_CONSERVED = 0
    """Hands and plays are the 32 cards, each once, and every seat has played its share."""
    LEGAL_NEVER_EMPTY = 1
    LEGAL_IS_POSSIBLE = 2
    """Only cards in hand while cards are played, calls or suits before, and claims after a trick."""
    CLOCKWISE = 3
    """The turn passes to the left within a trick and within a round of bidding; who claims keeps it."""
    FOREHAND_LEADS = 4
    """Left of the dealer leads to the first trick, whoever is the declarer."""
    WINNER_LEADS = 5
    """The strongest card, found in another way than the engine's, takes the trick and leads the next."""
    ROEM_OF_A_TRICK = 6
    """At the usual prices a multiple of ten, at most 200, and for the winner's side alone; where it is claimed, never
    more than there is, and for the other side only a false claim."""
    RULED_OUT_IS_SOUND = 7
    """No seat holds a card that its plays are said to rule out."""
    RULED_OUT_IS_THE_MIRROR_OF_DUTY = 8
    """A play rules out exactly those cards beside which it would have been illegal."""
    CONTRACT = 9
    """Declarer, trump and the cards turned are those that the bidding tells."""
    POINTS_OF_A_DEAL = 10
    """Card points add up to 162 and tricks to 8, unless somebody reneged."""
    SCORE = 11
    """Both scores together are 162, all roem, and the bonus for pit or tegenpit; or what reneging costs."""
    MADE_OR_NAT = 12
    """Made: each side its own. Nat: the playing side nothing. Never both, never neither."""
    PIT = 13
    """Pit and tegenpit go by tricks; the side with all tricks is never nat, but by its own false claims."""
    TOTALS = 14
    """The match is the sum of its deals, and over after the agreed number or at its target."""
    DEALER_ROTATES = 15
    SUIT_SYMMETRY = 16
    """The same deal with suits renamed runs the same."""
    SEAT_SYMMETRY = 17
    """The same deal with everybody moved round the table runs the same."""
    PASSED_OUT = 18
    """A deal is passed out only by passes of all, changes nothing in the match, and is dealt again."""


# --- numbers ---------------------------------------------------------------------------------------------------------


@jit
def next_random(state: int) -> int:
    """The number in 1..2^32-1 that follows `state` (xorshift; Marsaglia 2003), compiled or not."""
    state ^= (state << 13) & 0xFFFFFFFF
    state ^= state >> 17
    return state ^ ((state << 5) & 0xFFFFFFFF)


@jit
def pick(actions: int, number: int) -> int:
    """The member of a non-empty set of actions that a number from 0 points at."""
    for _ in range(number % (count(actions & 0xFFFFFFFF) + count(actions >> 32))):
        actions &= actions - 1
    return lowest_bit(actions)


@jit
def random_order(state: int, order: np.ndarray) -> int:
    """Put `order` int64 [n] in random order and return the next state."""
    for i in range(len(order) - 1, 0, -1):
        state = next_random(state)
        j = state % (i + 1)
        order[i], order[j] = order[j], order[i]
    return state


# --- the checks ------------------------------------------------------------------------------------------------------


@jit
def note(broken: np.ndarray, law: int, holds: bool, deal: int) -> None:
    """Keep the first deal in which a law is broken."""
    if not holds and broken[law] < 0:
        broken[law] = deal


@jit
def cards_conserved(game: Any) -> bool:
    """Whether the cards in hands and on the table are the pack, and each hand has the size that its plays leave."""
    seen = 0
    total = 0
    left = np.full(4, 8)
    for play in range(game.n_plays):
        seen |= 1 << game.plays[play]
        left[player_of(game, play)] -= 1
        total += 1
    sizes_fit = True
    for seat in range(4):
        seen |= game.hands[seat]
        total += count(game.hands[seat])
        sizes_fit = sizes_fit and count(game.hands[seat]) == left[seat]
    return bool(sizes_fit and seen == ALL_CARDS and total == 32)


@jit
def opener(game: Any) -> int:
    """R2.3: the seat that spoke first."""
    by_dealer = game.rules.trump_mode != FOREHAND and game.rules.first_bidder == DEALER_FIRST
    return int(game.dealer if by_dealer else (game.dealer + 1) & 3)


@jit
def calls_in_all(game: Any) -> int:
    """How many calls there can be before somebody is forced or the cards are dealt again."""
    if game.rules.trump_mode == FOREHAND:
        return 0
    return int(4 * game.rules.stock_rounds if game.rules.trump_mode == STOCK else 4)


@jit
def possible(game: Any, actions: int) -> bool:
    """Whether a set of legal actions lies within what the phase allows at all."""
    if game.phase == PLAYING:
        return bool(actions & ~game.hands[game.to_act] == 0)
    if game.phase == CLAIMING:
        return actions == ALL_CLAIMS
    suits = ALL_SUITS << NAME
    if game.phase == NAMING:
        return actions & ~suits == 0
    bound = game.rules.forced_seat == LAST_FORCED and game.n_bids == calls_in_all(game) - 1
    if bound == ((actions >> PASS) & 1 == 1):
        return False
    if game.rules.trump_mode == STOCK:
        return actions & ~((1 << PASS) | (1 << PLAY)) == 0
    return actions & ~((1 << PASS) | suits) == 0


@jit
def mirrors_duty(game: Any, card: int) -> bool:
    """Whether the card about to be played rules out exactly the cards that would have made it illegal."""
    first = game.n_plays & ~3
    on_table = game.n_plays - first
    if on_table == 0:
        return True
    place = winning_place(game.plays, first, on_table, game.trump)
    led, best, partner = game.plays[first], game.plays[first + place], on_table - place == 2
    out = ruled_out(card, led, best, partner, game.trump, game.rules)
    for other in range(32):
        both = (1 << card) | (1 << other)
        illegal = (duty(both, led, best, partner, game.trump, game.rules)[1] >> card) & 1 == 0
        if illegal != ((out >> other) & 1 == 1):
            return False
    return True


@jit
def ruled_out_is_sound(game: Any) -> bool:
    """Whether no seat holds a card that is ruled out for it."""
    wrong = 0
    for seat in range(4):
        wrong |= game.hands[seat] & game.ruled_out[seat]
    return wrong == 0


@jit
def strongest_player(game: Any, first: int) -> int:
    """The seat that takes the complete trick from `first`: each card on one scale, trumps above the suit led."""
    best = -1
    winner = -1
    for play in range(first, first + 4):
        card = game.plays[play]
        is_trump = int(card >> 3 == game.trump)
        follows = int(card >> 3 == game.plays[first] >> 3)
        value = STRENGTH[is_trump, card & 7] + 8 * follows + 16 * is_trump
        if value > best:
            best = value
            winner = player_of(game, play)
    return winner


@jit
def suits_on(game: Any, places: int) -> int:
    """The suits (and the joker, as a fifth) of the first `places` cards of the pile, as a set."""
    suits = 0
    for place in range(places):
        suits |= 1 << game.stock[place]
    return suits


@jit
def turned_fit(game: Any, turned: int) -> bool:
    """R2.4, R2.7: whether so many cards were turned as there lie open, those of passed suits aside."""
    if game.rules.first_deal_clubs == 1 and game.deals_played == 0 and game.stock[0] != CLUBS:
        return False
    drawn = game.drawn
    if game.rules.stock_skip_passed == 0:
        return bool(drawn == turned)
    if turned == 5:  # every suit has been passed on: the fifth card may be any
        drawn -= 1
        turned -= 1
    last = 1 << game.stock[drawn - 1]
    return bool(count(suits_on(game, drawn)) == turned and suits_on(game, drawn - 1) & last == 0)


@jit
def name_fits(game: Any) -> bool:
    """R2.5, R2.12: whether the suit that was named might be."""
    passed = suits_on(game, game.drawn) & ALL_SUITS
    left = ALL_SUITS
    if game.rules.choice_excludes_passed == 1 and passed != ALL_SUITS:
        left &= ~passed
    held = 0
    for suit in range(4):
        if ranks_of(game.hands[game.declarer], suit) != 0:
            held |= 1 << suit
    if game.rules.must_hold_trump == 1 and left & held != 0:
        left &= held
    return bool((left >> game.trump) & 1 == 1)


@jit
def contract_fits(game: Any) -> bool:
    """Whether declarer and trump follow from the calls (R2), read here from the last call backwards."""
    for call in range(game.n_bids - 1):
        if game.bids[call] != PASS:
            return False
    last = game.bids[game.n_bids - 1]
    spoke_last = (opener(game) + game.n_bids - 1) & 3
    calls = calls_in_all(game)
    if game.declarer != (opener(game) if last == PASS else spoke_last):
        return False
    if game.rules.forced_seat == LAST_FORCED and calls > 0 and (game.n_bids > calls or last == PASS):
        return False
    if game.rules.trump_mode != STOCK:
        free_choice = game.n_bids <= calls or game.rules.trump_mode == FOREHAND or game.rules.all_pass == FORCED_CHOICE
        return bool(free_choice and game.n_bids <= calls + 1 and game.trump == last - NAME and name_fits(game))
    top = game.stock[game.drawn - 1]
    if last == PASS:
        forced = game.n_bids == calls and game.rules.all_pass == FORCED_TURNED
        return bool(forced and game.trump == top and turned_fit(game, calls // 4 + 1))
    if last == PLAY:
        return bool(game.n_bids <= calls and game.trump == top and turned_fit(game, (game.n_bids + 3) // 4))
    if game.trump != last - NAME or game.n_bids & 3 != 1:
        return False
    if top == JOKER:
        return name_fits_after_joker(game) and turned_fit(game, (game.n_bids + 3) // 4)
    chosen = game.n_bids == calls + 1 and game.rules.all_pass == FORCED_CHOICE
    return chosen and name_fits(game) and turned_fit(game, calls // 4)


@jit
def name_fits_after_joker(game: Any) -> bool:
    """R2.11: whether a suit was named that might be; a joker ends the bidding at the round that it would have begun."""
    return bool(game.n_bids <= calls_in_all(game) + 1) and name_fits(game)


@jit
def passed_out_fits(game: Any) -> bool:
    """R2.8: whether nobody has played although all could."""
    for call in range(game.n_bids):
        if game.bids[call] != PASS:
            return False
    nothing = game.trump == NO_SUIT and game.declarer == -1 and game.to_act == -1 and game.n_plays == 0
    redeal = game.rules.all_pass == REDEAL_ALL_PASS and game.rules.forced_seat != LAST_FORCED
    return bool(nothing and redeal and game.n_bids == calls_in_all(game) and legal(game) == 0)


@jit
def bonus_of(game: Any) -> int:
    """What pit or tegenpit adds to the scores of the deal, from the tricks."""
    own_tricks = game.tricks[game.declarer & 1]
    if own_tricks == 8 and game.nat == 0:
        return int(game.rules.pit_bonus)
    return int(game.rules.counter_pit_bonus) if own_tricks == 0 and game.nat == 1 else 0


@jit
def made_or_nat(game: Any) -> bool:
    """Whether the scores are those of a deal that was either made or nat, as its points say."""
    own, other = game.declarer & 1, 1 - (game.declarer & 1)
    playing = game.points[own] + game.roem[own]
    defending = game.points[other] + game.roem[other]
    nat = playing < defending or (playing == defending and game.rules.nat_on_tie == 1)
    if nat != (game.nat == 1):
        return False
    if nat:
        return bool(game.score[own] == 0 and game.score[other] == playing + defending + bonus_of(game))
    return bool(game.score[own] == playing + bonus_of(game) and game.score[other] == defending)


@jit
def pit_fits(game: Any) -> bool:
    """Whether pit and nat agree with the tricks."""
    own_tricks = game.tricks[game.declarer & 1]
    if own_tricks == 8:
        return bool(game.pit == PLAYING_PIT and (game.nat == 0 or game.roem[1 - (game.declarer & 1)] > 0))
    if own_tricks == 0:
        return bool(game.pit == DEFENDING_PIT and (game.nat == 1 or game.roem[game.declarer & 1] > 0))
    return bool(game.pit == NO_PIT)


@jit
def reneging_fits(game: Any) -> bool:
    """R6.7: whether a deal that a card against R3 ended is paid as it should be."""
    offenders = game.reneged & 1
    paid = game.rules.renege_points + game.rules.renege_bonus
    if game.rules.renege_roem == ROEM_ALL:
        paid += game.roem[0] + game.roem[1]
    elif game.rules.renege_roem == ROEM_WINNER_ONLY:
        paid += game.roem[1 - offenders]
    last = game.plays[game.n_plays - 1]
    played = player_of(game, game.n_plays - 1) == game.reneged
    return bool(
        played and last >= 0 and game.score[offenders] == 0 and game.score[1 - offenders] == paid and legal(game) == 0
    )


@jit
def over_by_the_house(game: Any) -> bool:
    """R6.6, R6.8: whether the match is over, as its totals and deals say."""
    south_north, west_east = game.totals
    if south_north == west_east and game.rules.tie_break == EXTRA_DEAL:
        return False
    if game.rules.match_end == TARGET:
        return bool(south_north >= game.rules.target or west_east >= game.rules.target)
    return bool(game.deals_played >= game.rules.deals)


@jit
def check_deal(game: Any, broken: np.ndarray, deal: int) -> None:
    """Check what holds of a deal that has been scored."""
    note(broken, Law.TOTALS, match_over(game) == over_by_the_house(game), deal)
    points = game.points[0] + game.points[1]
    tricks = game.tricks[0] + game.tricks[1]
    if game.reneged >= 0:
        note(broken, Law.POINTS_OF_A_DEAL, points <= 152 and tricks == (game.n_plays - 1) >> 2, deal)
        note(broken, Law.SCORE, reneging_fits(game), deal)
        note(broken, Law.MADE_OR_NAT, game.nat == 0, deal)
        note(broken, Law.PIT, game.pit == NO_PIT, deal)
        return
    note(broken, Law.POINTS_OF_A_DEAL, points == 152 + game.rules.last_trick and tricks == 8, deal)
    everything = points + game.roem[0] + game.roem[1] + bonus_of(game)
    note(broken, Law.SCORE, game.score[0] + game.score[1] == everything, deal)
    note(broken, Law.MADE_OR_NAT, made_or_nat(game), deal)
    note(broken, Law.PIT, pit_fits(game), deal)


@jit
def check_trick(game: Any, roem: np.ndarray, broken: np.ndarray, deal: int) -> None:
    """Check the trick that the last play closed; `roem` int64 [2] is that of both sides before it."""
    winner = strongest_player(game, game.n_plays - 4)
    team = winner & 1
    if game.phase == PLAYING:
        leads = game.to_act == winner and game.leaders[game.n_plays >> 2] == winner
        note(broken, Law.WINNER_LEADS, leads, deal)
    elif game.phase == CLAIMING:
        note(broken, Law.WINNER_LEADS, game.to_act == winner, deal)
    gained = game.roem[team] - roem[team]
    if game.rules.roem_mode == DECLARE:
        note(broken, Law.ROEM_OF_A_TRICK, game.phase == CLAIMING and gained == 0, deal)
    usual = gained % 10 == 0 and 0 <= gained <= 200 and game.roem[1 - team] == roem[1 - team]
    note(broken, Law.ROEM_OF_A_TRICK, usual, deal)


@jit
def check_claim(game: Any, seat: int, claim: int, roem: np.ndarray, broken: np.ndarray, deal: int) -> None:
    """Check what the claim of `seat` for the last trick brought; `roem` int64 [2] is that of both sides before it."""
    team = seat & 1
    cards = 0
    for play in range(game.n_plays - 4, game.n_plays):
        cards |= 1 << game.plays[play]
    there = trick_roem(cards, game.trump, game.rules)
    own = game.roem[team] - roem[team]
    theirs = game.roem[1 - team] - roem[1 - team]
    stuk = stuk_roem(cards, game.trump, game.rules)
    always = stuk if game.rules.stuk_always == 1 else 0
    note(broken, Law.ROEM_OF_A_TRICK, always <= own <= there and own % 10 == 0, deal)
    if claim == 0 or claim == there:
        note(broken, Law.ROEM_OF_A_TRICK, own == (there if claim > 0 else always) and theirs == 0, deal)
    if 0 < claim == there - stuk:
        note(broken, Law.ROEM_OF_A_TRICK, own == claim + always and theirs == 0, deal)
    if claim > there:
        note(broken, Law.ROEM_OF_A_TRICK, own == always, deal)
        note(broken, Law.ROEM_OF_A_TRICK, theirs == (claim if game.rules.false_roem == FALSE_TO_OPPONENTS else 0), deal)
    note(broken, Law.ROEM_OF_A_TRICK, theirs == 0 or (theirs == claim and own == always), deal)
    if game.phase == PLAYING:
        note(broken, Law.WINNER_LEADS, game.to_act == seat and game.leaders[game.n_plays >> 2] == seat, deal)
    note(broken, Law.CLOCKWISE, game.phase == (DEAL_OVER if game.n_plays == 32 else PLAYING), deal)


# --- the same deal, moved --------------------------------------------------------------------------------------------


@jit
def moved_set(actions: int, suits: np.ndarray) -> int:
    """A set of actions with suits renamed by `suits` int64 [4]."""
    moved = actions & ((1 << PASS) | (1 << PLAY) | ALL_CLAIMS)
    for suit in range(4):
        moved |= ranks_of(actions, suit) << (8 * suits[suit])
        moved |= ((actions >> (NAME + suit)) & 1) << (NAME + suits[suit])
    return moved


@jit
def move(game: Any, twin: Any, suits: np.ndarray, shift: int) -> None:
    """Set `twin` to the start of the deal of `game` with suits renamed and everybody moved `shift` seats."""
    twin.dealer = (game.dealer + shift) & 3
    for seat in range(4):
        twin.hands[(seat + shift) & 3] = moved_set(game.hands[seat], suits)
    for place in range(len(game.stock)):
        is_suit = 0 <= game.stock[place] < JOKER
        twin.stock[place] = suits[game.stock[place]] if is_suit else game.stock[place]
    begin_bidding(twin)


@jit
def runs_the_same(game: Any, twin: Any, suits: np.ndarray, shift: int) -> bool:
    """Whether `twin` is where `game` is, but for the names of suits and seats."""
    if game.phase != twin.phase or moved_set(legal(game), suits) != legal(twin):
        return False
    if not deal_ended(game) and (game.to_act + shift) & 3 != twin.to_act:
        return False
    for seat in range(4):
        if moved_set(game.ruled_out[seat], suits) != twin.ruled_out[(seat + shift) & 3]:
            return False
    for team in range(2):
        other = (team + shift) & 1
        if game.points[team] != twin.points[other] or game.roem[team] != twin.roem[other]:
            return False
        if game.phase == DEAL_OVER and game.score[team] != twin.score[other]:
            return False
    return True


# --- play ------------------------------------------------------------------------------------------------------------


@jit
def step(game: Any, action: int, broken: np.ndarray, deal: int) -> None:
    """Take an action and check what holds of any step."""
    seat = game.to_act
    phase = game.phase
    roem = game.roem.copy()
    if phase == PLAYING:
        note(broken, Law.RULED_OUT_IS_THE_MIRROR_OF_DUTY, mirrors_duty(game, action), deal)
    apply(game, action)
    note(broken, Law.CARDS_CONSERVED, cards_conserved(game), deal)
    note(broken, Law.RULED_OUT_IS_SOUND, ruled_out_is_sound(game), deal)
    if game.phase == PASSED_OUT:
        note(broken, Law.PASSED_OUT, passed_out_fits(game), deal)
    elif game.phase == PLAYING and game.n_plays == 0:
        note(broken, Law.CONTRACT, contract_fits(game), deal)
        note(broken, Law.FOREHAND_LEADS, game.to_act == (game.dealer + 1) & 3, deal)
    elif game.reneged >= 0:
        note(broken, Law.CLOCKWISE, game.to_act == -1 and game.phase == DEAL_OVER, deal)
    elif phase == CLAIMING:
        check_claim(game, seat, CLAIMS[action - CLAIM], roem, broken, deal)
    elif game.n_plays & 3 == 0 and phase == PLAYING:
        check_trick(game, roem, broken, deal)
    elif phase == BIDDING and game.n_bids & 3 == 0:
        note(broken, Law.CLOCKWISE, game.to_act == opener(game), deal)
    else:
        note(broken, Law.CLOCKWISE, game.to_act == (seat + 1) & 3, deal)


@jit
def leaning(game: Any, actions: int, action: int, state: int) -> int:
    """A random action instead of `action` that brings about what blind chance hardly does: bids that go round and
    round, long deals where reneging is possible, and claims that are true."""
    if game.phase == BIDDING and (actions >> PASS) & 1 == 1 and state & 15 != 0:
        return PASS
    if game.phase == PLAYING and state & 31 != 0:
        return pick(card_duty(game)[1], state >> 5)
    if game.phase == CLAIMING and state & 1 == 0:
        cards = 0
        for play in range(game.n_plays - 4, game.n_plays):
            cards |= 1 << game.plays[play]
        for place in range(len(CLAIMS)):
            if CLAIMS[place] == trick_roem(cards, game.trump, game.rules):
                return CLAIM + place
    return action


@jit
def play_deal(tables: np.ndarray, state: int, broken: np.ndarray, deal: int) -> int:
    """Play the deal of `tables[0]` at random, and moved at the other two tables; returns the next random state."""
    game, renamed, turned = tables[0], tables[1], tables[2]
    suits = np.arange(4)
    state = random_order(state, suits)
    shift = 1 + state % 3
    same_suits = np.arange(4)
    move(game, renamed, suits, 0)
    move(game, turned, same_suits, shift)
    while not deal_ended(game):
        actions = legal(game)
        note(broken, Law.LEGAL_NEVER_EMPTY, actions != 0, deal)
        note(broken, Law.LEGAL_IS_POSSIBLE, possible(game, actions), deal)
        note(broken, Law.SUIT_SYMMETRY, runs_the_same(game, renamed, suits, 0), deal)
        note(broken, Law.SEAT_SYMMETRY, runs_the_same(game, turned, same_suits, shift), deal)
        state = next_random(state)
        action = pick(actions, state)
        if deal & 1 == 1:
            state = next_random(state)
            action = leaning(game, actions, action, state)
        apply(renamed, lowest_bit(moved_set(1 << action, suits)))
        apply(turned, action)
        step(game, action, broken, deal)
    note(broken, Law.SUIT_SYMMETRY, runs_the_same(game, renamed, suits, 0), deal)
    note(broken, Law.SEAT_SYMMETRY, runs_the_same(game, turned, same_suits, shift), deal)
    return state


@jit
def play_deals(tables: np.ndarray, state: int, deals: int, broken: np.ndarray) -> None:
    """Play `deals` deals on end and write the first deal in which each law is broken into `broken` int64 [LAWS]."""
    game = tables[0]
    for deal in range(deals):
        dealer, number, played = game.dealer, game.deal_number, game.deals_played
        totals = game.totals.copy()
        state = play_deal(tables, state, broken, deal)
        if game.phase == PASSED_OUT:
            same = game.deals_played == played and game.totals[0] == totals[0] and game.totals[1] == totals[1]
            next_deal(game)
            moves = int(game.rules.redeal_dealer == REDEAL_BY_NEXT)
            note(broken, Law.PASSED_OUT, same and game.dealer == (dealer + moves) & 3, deal)
            note(broken, Law.PASSED_OUT, game.deal_number == number + (1 << 32), deal)
            continue
        check_deal(game, broken, deal)
        for team in range(2):
            note(broken, Law.TOTALS, game.totals[team] == totals[team] + game.score[team], deal)
        note(broken, Law.TOTALS, game.deals_played == played + 1, deal)
        if match_over(game):
            new_match(game)
        next_deal(game)
        follows = game.deal_number == (number & 0xFFFFFFFF) + 1
        note(broken, Law.DEALER_ROTATES, game.dealer == (dealer + 1) & 3 and follows, deal)


def first_breaches(house: str, deals: int, seed: int = 0) -> np.ndarray:
    """The first deal of `deals` random ones in which each law is broken, or -1: int64 [LAWS]."""
    tables = np.concatenate([new(house, seed)] * 3)
    broken = np.full(len(Law), -1)
    play_deals(tables, seed + 1, deals, broken)
    return broken
