"""A deal as people read it: hands, bids, tricks and result."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from klaverjas_env.game import CLAIMING, NO_SEAT, PASSED_OUT
from klaverjas_env.notation import SEAT_WORDS, SUIT_WORDS, card_name, card_names
from klaverjas_env.records.deal import replay, result_of
from klaverjas_env.rules.cards import NO_SUIT
from klaverjas_env.rules.variant import Variant
from klaverjas_env.view import dealt_hand, player_of

TEAM_WORDS: Final = ("south/north", "west/east")


def deal_text(record: Mapping[str, Any]) -> str:
    """A deal as people read it: hands, bids, tricks and result."""
    seats = record.get("seats", SEAT_WORDS)
    positions = list(replay(record))
    start, end = positions[0].game[0], positions[-1].game[0]
    lines = [f"{Variant.from_record(start.rules)}; {seats[start.dealer]} deals"]
    width = max(map(len, seats))
    for seat in range(4):
        lines.append(f"  {seats[seat]:<{width}}  {' '.join(card_names(int(dealt_hand(start, seat))))}")
    bids = [f"{seats[p.to_act]} {p.action}" for p in positions if p.to_act is not None and _is_bid(p.action)]
    if bids:
        lines.append(f"bids: {', '.join(bids)}")
    if end.trump != NO_SUIT:
        lines.append(f"{SUIT_WORDS[end.trump]} are trump, made by {seats[end.declarer]}")
    last = start
    for p in positions:
        game = p.game[0]
        if game.phase != CLAIMING and game.n_plays > last.n_plays and (game.n_plays & 3 == 0 or p.action is None):
            lines.append(_trick_text(last, game, seats))
            last = game
    lines.append(_result_text(end))
    return "\n".join(lines) + "\n"


def _is_bid(action: str | None) -> bool:
    return action is not None and (action in ("pass", "play") or len(action) == 1)


def _trick_text(before: Any, after: Any, seats: Sequence[str]) -> str:
    """One trick: who played what, who took it, and what points and roem it brought."""
    first = int(before.n_plays)
    plays = range(first, int(after.n_plays))
    cards = [f"{seats[player_of(after, play)]} {card_name(int(after.plays[play]))}" for play in plays]
    text = f"{(first >> 2) + 1}. {', '.join(cards)}"
    if after.reneged != NO_SEAT:
        return f"{text}: {seats[after.reneged]} reneges (R6.7)"
    if after.tricks.sum() == before.tricks.sum():
        return text
    team = int(after.tricks[1] > before.tricks[1])
    points = after.points - before.points
    roem = after.roem - before.roem
    claim = int(after.claims[first >> 2])
    text += f": {TEAM_WORDS[team]} take it, {points[team]} points"
    text += f", claiming {claim}" if claim > 0 else ""
    return text + "".join(f", roem {roem[side]} for {TEAM_WORDS[side]}" for side in range(2) if roem[side])


def _result_text(game: Any) -> str:
    """How a deal ended."""
    if game.phase == PASSED_OUT:
        return "all have passed; the cards are dealt again"
    result = result_of(game)
    if result is None:
        return "the deal is not finished"
    words = ["nat"] if result["nat"] else []
    words += [f"pit for the {result['pit']} side"] if result["pit"] else []
    return f"score: {TEAM_WORDS[0]} {game.score[0]}, {TEAM_WORDS[1]} {game.score[1]}" + "".join(f"; {w}" for w in words)
