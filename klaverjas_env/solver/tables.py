"""Tables of one deal for the exact solver, made from the functions of the law when a solve begins."""

from typing import Any

from klaverjas_env.jit import jit
from klaverjas_env.rules.cards import NO_CARD, STRENGTH, TAKERS, lowest_bit, points_of
from klaverjas_env.rules.roem import trick_roem
from klaverjas_env.rules.trick import beats

EPOCHS = 1 << 11
"""How many deals are told apart in the table before it is cleared."""


@jit
def prepare(game: Any, work: Any) -> None:
    """Make the tables of the deal of `game`; what the table of positions holds of other deals is forgotten."""
    work.epoch += 1
    if work.epoch == EPOCHS:
        work.table[:] = 0
        work.epoch = 1
    work.killers[:] = NO_CARD
    trump = game.trump
    work.trump = trump
    work.bonus = game.rules.pit_bonus
    work.counter_bonus = game.rules.counter_pit_bonus
    for card in range(32):
        work.points[card] = points_of(card, trump)
        work.takers[card] = TAKERS[trump, card]
    _note_equal_cards(work, trump)
    place_root(game, work)
    owners = _owners(work)
    for suit in range(4):
        _note_runs(work, suit, owners, game.rules)
    _note_kinds(work, owners, game.rules)
    _note_top_trumps(work, owners)


@jit
def place_root(game: Any, work: Any) -> None:
    """Put the position of `game` at ply 0."""
    trump = game.trump
    turn = game.declarer & 1
    left = game.rules.last_trick
    for seat in range(4):
        work.hands[(seat - turn) & 3] = game.hands[seat]
        cards = game.hands[seat]
        while cards != 0:
            left += points_of(lowest_bit(cards), trump)
            cards &= cards - 1
    work.seat[0] = (game.to_act - turn) & 3
    first = game.n_plays & ~3
    work.place[0] = game.n_plays - first
    work.led[0] = NO_CARD
    work.top[0] = NO_CARD
    work.top_seat[0] = 0
    work.trick[0] = 0
    work.worth[0] = 0
    for play in range(first, game.n_plays):
        card = game.plays[play]
        if play == first:
            work.led[0] = card
        if play == first or beats(card, work.top[0], trump):
            work.top[0] = card
            work.top_seat[0] = (game.leaders[first >> 2] + play - first - turn) & 3
        work.trick[0] |= 1 << card
        work.worth[0] += points_of(card, trump)
    work.left[0] = left + work.worth[0]
    playing, defending = game.declarer & 1, 1 - (game.declarer & 1)
    work.alive[0] = 0
    if game.tricks[defending] == 0 and work.bonus != 0:
        work.alive[0] |= 1
    if game.tricks[playing] == 0 and work.counter_bonus != 0:
        work.alive[0] |= 2
    work.difference[0] = game.points[playing] + game.roem[playing] - game.points[defending] - game.roem[defending]


@jit
def _note_equal_cards(work: Any, trump: int) -> None:
    """Which neighbours in rank have the same points and are neighbours in strength as well."""
    near = 0
    far = 0
    for card in range(32):
        strength = STRENGTH[int(card >> 3 == trump)]
        rank = card & 7
        if rank >= 1 and strength[rank] == strength[rank - 1] + 1 and work.points[card] == work.points[card - 1]:
            near |= 1 << card
            if rank >= 2 and (near >> (card - 1)) & 1:
                far |= 1 << card
    work.near_equal = near
    work.far_equal = far


@jit
def _owners(work: Any) -> Any:
    """Who holds, or has on the table, each card: four sets by turned seat."""
    on_table = work.hands.copy()
    # Which of the cards on the table is whose does not matter to roem left: they lie in the same trick already, so they
    # are given to seats of their own.
    seat = work.seat[0]
    cards = work.trick[0]
    while cards != 0:
        seat = (seat - 1) & 3
        on_table[seat] |= cards & -cards
        cards &= cards - 1
    return on_table


@jit
def _in_different_hands(cards: int, owners: Any) -> bool:
    """Whether no seat holds two of the cards, and each is held."""
    held = 0
    for seat in range(4):
        own = owners[seat] & cards
        if own & (own - 1) != 0:
            return False
        held |= own
    return bool(held == cards)


@jit
def _note_runs(work: Any, suit: int, owners: Any, rules: Any) -> None:
    """For every set of ranks of a suit: the most roem by runs and stuk, and which ranks can be part of any.

    Roem within a suit comes from two, three or four neighbours in rank that lie in different hands.
    """
    left = work.roem_left[suit]
    ranks = work.roem_ranks[suit]
    left[0] = 0
    ranks[0] = 0
    for low in range(7, -1, -1):
        step = 1 << low
        # sets whose lowest rank is `low`; those with a higher lowest rank are done
        for higher in range(0, 256, 2 * step):
            left[higher | step] = left[higher]
            ranks[higher | step] = ranks[higher]
        for length in range(2, 5):
            if low + length > 8:
                break
            run = ((1 << length) - 1) << low
            cards = run << (8 * suit)
            worth = trick_roem(cards, work.trump, rules)
            if worth == 0 or not _in_different_hands(cards, owners):
                continue
            for higher in range(0, 256, 2 * step):
                have = higher | step
                if have & run == run:
                    left[have] = max(left[have], left[have & ~run] + worth)
                    ranks[have] |= run


@jit
def _note_kinds(work: Any, owners: Any, rules: Any) -> None:
    """Which ranks lie in four hands and bring roem together."""
    kinds = 0
    for rank in range(8):
        cards = 0x01010101 << rank
        work.kind_roem[rank] = trick_roem(cards, work.trump, rules)
        if work.kind_roem[rank] != 0 and _in_different_hands(cards, owners):
            kinds |= 1 << rank
    work.kinds = kinds


@jit
def _note_top_trumps(work: Any, owners: Any) -> None:
    """Whoever holds the strongest trump takes the trick in which it falls, and so for those below it on the same
    side: their points are safe."""
    first = 8 * work.trump
    playing = ((owners[0] | owners[2]) >> first) & 0xFF
    work.top_points[0] = 0
    work.top_side[0] = 3
    for trumps in range(1, 256):
        strongest = 0
        for rank in range(8):
            if (trumps >> rank) & 1 and STRENGTH[1, rank] >= STRENGTH[1, strongest]:
                strongest = rank
        side = 1 if (playing >> strongest) & 1 else 2
        rest = trumps & ~(1 << strongest)
        own = work.points[first + strongest]
        work.top_side[trumps] = side
        work.top_points[trumps] = own if side == 1 else -own
        if rest != 0 and work.top_side[rest] == side:
            work.top_points[trumps] += work.top_points[rest]


@jit
def roem_left(remaining: int, work: Any) -> int:
    """No less than all roem that can still come from the cards `remaining` (a set)."""
    roem = (
        work.roem_left[0, remaining & 0xFF]
        + work.roem_left[1, (remaining >> 8) & 0xFF]
        + work.roem_left[2, (remaining >> 16) & 0xFF]
        + work.roem_left[3, (remaining >> 24) & 0xFF]
    )
    kinds = kinds_left(remaining, work)
    while kinds != 0:
        roem += work.kind_roem[lowest_bit(kinds)]
        kinds &= kinds - 1
    return int(roem)


@jit
def kinds_left(remaining: int, work: Any) -> int:
    """The ranks of which four of a kind can still fall, as an 8-bit set."""
    return int(remaining & (remaining >> 8) & (remaining >> 16) & (remaining >> 24) & work.kinds)


@jit
def without_equals(moves: int, remaining: int, work: Any) -> int:
    """`moves` (cards of one hand) without those that are as good as a lower one: the same points, no card in between,
    and no roem in sight for either. `remaining`: the cards in all hands and on the table."""
    near = work.near_equal
    far = work.far_equal
    twins = moves & ((moves << 1) & near | (moves << 2) & far & ~(remaining << 1))
    if twins == 0:
        return moves
    bound = kinds_left(remaining, work) * 0x01010101
    for suit in range(4):
        bound |= work.roem_ranks[suit, (remaining >> (8 * suit)) & 0xFF] << (8 * suit)
    free = moves & ~bound
    return int(moves & ~(free & ((free << 1) & near | (free << 2) & far & ~(remaining << 1))))
