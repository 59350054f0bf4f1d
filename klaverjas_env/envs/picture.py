"""A table as a picture: what the AEC env draws in the render mode `rgb_array`. Needs Pillow (extra `render`).

Everything is drawn at three times its size and made smaller, which smooths its edges. Suit signs are drawn as shapes,
since the font that Pillow brings has none. South sits at the bottom.
"""

import math
from functools import lru_cache
from typing import Any, Final

import numpy as np

from klaverjas_env.envs.render import RANKS, TEAMS, bid_text, deal_words, last_deal_words, last_trick, table_trick
from klaverjas_env.game import CLAIMING, NO_SEAT, PASSED_OUT, turned_suit
from klaverjas_env.notation import SEAT_WORDS
from klaverjas_env.rules.bidding import JOKER, speaker
from klaverjas_env.rules.cards import NO_SUIT
from klaverjas_env.rules.trick import winning_place
from klaverjas_env.view import player_of

try:
    from PIL import Image, ImageDraw, ImageFont
except ImportError as error:
    raise ImportError(
        'render_mode="rgb_array" draws with Pillow, which is not installed; run: pip install "klaverjas-env[render]"'
    ) from error

HEIGHT: Final = 720
WIDTH: Final = 1080
"""Size of a picture in pixels: uint8 [720, 1080, 3]."""

_SCALE: Final = 3
_TABLE: Final = 760
"""Width of the table; the score stands on its right."""
_CARD: Final = (72, 104)
_RED: Final = (196, 30, 42)
_BLACK: Final = (28, 30, 34)
_FELT: Final = (24, 105, 72)
_FELT_DARK: Final = (17, 82, 56)
_WOOD: Final = (74, 47, 30)
_PANEL: Final = (28, 33, 40)
_PANEL_LINE: Final = (58, 66, 77)
_INK: Final = (236, 239, 242)
_DIM: Final = (160, 170, 181)
_GOLD: Final = (245, 196, 66)
_SUIT_COLOURS: Final = (_BLACK, _RED, _RED, _BLACK)

# By seat, south first: the centre of its row of cards or of the topmost of its column, of its card on the table, of its
# name plate, and of what it says.
_HAND_AT: Final = ((380, 628), (84, 230), (380, 92), (676, 230))
_PLAY_AT: Final = ((380, 432), (286, 354), (380, 276), (474, 354))
_PLATE_AT: Final = ((380, 544), (90, 150), (380, 176), (670, 150))
_WORDS_AT: Final = ((380, 488), (196, 354), (380, 220), (564, 354))


def table_picture(games: np.ndarray, open_hands: bool = False) -> np.ndarray:
    """The table of `games`, `GAME` [1], drawn: uint8 [720, 1080, 3], red green blue.

    Only the hand of the seat to act lies face up, unless `open_hands`, or the house plays with open hands.
    """
    game = games[0]
    picture = _background().copy()
    pen = ImageDraw.Draw(picture)
    for seat in range(4):
        _draw_hand(picture, game, seat, bool(open_hands or game.rules.open_hands or seat == game.to_act))
        _draw_plate(picture, pen, game, seat)
    if game.trump == NO_SUIT:
        _draw_bidding(picture, pen, game)
    else:
        _draw_trick(picture, pen, game)
    _draw_panel(picture, pen, game)
    return np.array(picture.reduce(_SCALE), dtype=np.uint8)


# --- shapes ----------------------------------------------------------------------------------------------------------


def _px(*numbers: float) -> list[int]:
    """Lengths in the picture as lengths on the sheet that is drawn on."""
    return [round(_SCALE * number) for number in numbers]


@lru_cache(maxsize=32)
def _font(size: int) -> Any:
    return ImageFont.load_default(_SCALE * size)


def _text(
    pen: Any, at: tuple[float, float], words: str, size: int, ink: Any = _INK, anchor: str = "mm", bold: int = 0
) -> None:
    """Words whose `anchor` is at a point."""
    pen.text(tuple(_px(*at)), words, fill=ink, font=_font(size), anchor=anchor, stroke_width=bold)


def _box(pen: Any, at: tuple[float, float], size: tuple[float, float], radius: float, **colours: Any) -> None:
    """A rounded box around a point."""
    (x, y), (width, height) = at, size
    pen.rounded_rectangle(_px(x - width / 2, y - height / 2, x + width / 2, y + height / 2), _px(radius)[0], **colours)


def _suit(pen: Any, at: tuple[float, float], suit: int, size: float, ink: Any = None) -> None:
    """The sign of a suit, `size` pixels high, around a point."""
    x, y = at
    colour = _SUIT_COLOURS[suit] if ink is None else ink
    half = size / 2

    def dot(across: float, down: float, radius: float) -> None:
        pen.ellipse(
            _px(
                x + half * (across - radius),
                y + half * (down - radius),
                x + half * (across + radius),
                y + half * (down + radius),
            ),
            fill=colour,
        )

    def patch(*points: tuple[float, float]) -> None:
        pen.polygon([tuple(_px(x + half * across, y + half * down)) for across, down in points], fill=colour)

    stem = ((-0.1, 0.2), (0.1, 0.2), (0.16, 0.62), (0.42, 1.0), (-0.42, 1.0), (-0.16, 0.62))
    if suit == 0:
        dot(0.0, -0.52, 0.46)
        dot(-0.5, 0.22, 0.46)
        dot(0.5, 0.22, 0.46)
        patch((-0.3, -0.3), (0.3, -0.3), (0.3, 0.4), (-0.3, 0.4))
        patch(*stem)
    elif suit == 1:
        patch(
            (0.0, -1.0), (0.3, -0.46), (0.74, 0.0), (0.3, 0.46), (0.0, 1.0), (-0.3, 0.46), (-0.74, 0.0), (-0.3, -0.46)
        )
    elif suit == 2:
        patch(*_heart())
    else:
        patch(*((0.94 * across, -0.86 * down - 0.16) for across, down in _heart()))
        patch(*stem)


@lru_cache(maxsize=1)
def _heart() -> tuple[tuple[float, float], ...]:
    """The outline of a heart between -1 and 1, from the usual curve of sines."""
    turns = [math.tau * step / 60 for step in range(60)]
    return tuple(
        (
            math.sin(turn) ** 3 * 0.95,
            -(13 * math.cos(turn) - 5 * math.cos(2 * turn) - 2 * math.cos(3 * turn) - math.cos(4 * turn)) / 14.5 - 0.14,
        )
        for turn in turns
    )


# --- cards -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _card(card: int, lit: bool = False) -> Any:
    """A card face up, or its back for -1."""
    width, height = _CARD
    sheet = Image.new("RGBA", tuple(_px(width + 4, height + 4)), (0, 0, 0, 0))  # type: ignore[arg-type]
    pen = ImageDraw.Draw(sheet)
    middle = (width / 2 + 2, height / 2 + 2)
    _box(pen, (middle[0] + 1, middle[1] + 1.5), (width, height), 8, fill=(0, 0, 0, 80))
    rim = _GOLD if lit else (120, 124, 130)
    _box(pen, middle, (width, height), 8, fill=(250, 249, 244), outline=rim, width=_px(3 if lit else 1)[0])
    if card < 0:
        _box(pen, middle, (width - 10, height - 10), 5, fill=(38, 66, 128), outline=(190, 202, 230), width=_px(1)[0])
        for row in range(7):
            for column in range(4):
                x, y = middle[0] + 14 * (column - 1.5), middle[1] + 13 * (row - 3)
                pen.polygon(
                    [tuple(_px(*p)) for p in ((x, y - 5), (x + 5, y), (x, y + 5), (x - 5, y))], fill=(88, 118, 184)
                )
        return sheet
    suit, rank = card >> 3, RANKS[card & 7]
    ink = _SUIT_COLOURS[suit]
    # Side by side in the corner, so that both are seen in a row of cards and in a column.
    _text(pen, (9, 19), rank, 20, ink, "lm", bold=1)
    _suit(pen, (9 + _font(20).getlength(rank) / _SCALE + 11, 19), suit, 15)
    _suit(pen, (middle[0], middle[1] + 14), suit, 40)
    return sheet


def _lay(picture: Any, card: int, at: tuple[float, float], lit: bool = False, share: float = 1.0) -> None:
    """A card around a point."""
    sheet = _card(card, lit)
    if share != 1.0:
        sheet = sheet.resize((round(sheet.width * share), round(sheet.height * share)), Image.Resampling.LANCZOS)
    x, y = _px(*at)
    picture.paste(sheet, (x - sheet.width // 2, y - sheet.height // 2), sheet)


def _sorted_hand(hand: int, trump: int) -> list[int]:
    """The cards of a hand as people hold them: trump first, colours in turn, high to low."""
    suits = sorted((0, 1, 3, 2), key=lambda suit: suit != trump)
    return [8 * suit + rank for suit in suits for rank in range(7, -1, -1) if hand >> (8 * suit + rank) & 1]


def _draw_hand(picture: Any, game: Any, seat: int, face_up: bool) -> None:
    """The cards that a seat holds: in a row for south and north, in a column for west and east."""
    cards = _sorted_hand(int(game.hands[seat]), int(game.trump))
    x, y = _HAND_AT[seat]
    for place, card in enumerate(cards):
        at = (x, y + 36 * place) if seat & 1 else (x + 46 * (place - (len(cards) - 1) / 2), y)
        _lay(picture, card if face_up else -1, at)


# --- the table -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _background() -> Any:
    """Felt in a wooden frame, and the panel of the score."""
    picture = Image.new("RGB", tuple(_px(WIDTH, HEIGHT)), _PANEL)  # type: ignore[arg-type]
    pen = ImageDraw.Draw(picture)
    pen.rectangle(_px(0, 0, _TABLE, HEIGHT), fill=_WOOD)
    _box(pen, (_TABLE / 2, HEIGHT / 2), (_TABLE - 20, HEIGHT - 20), 34, fill=_FELT, outline=_FELT_DARK, width=_px(4)[0])
    _box(pen, (380, 354), (290, 280), 26, fill=_FELT_DARK)
    return picture


def _draw_plate(picture: Any, pen: Any, game: Any, seat: int) -> None:
    """The name of a seat, lit when it has to act, with a D for the dealer and the trump sign of the declarer."""
    x, y = _PLATE_AT[seat]
    acts = seat == game.to_act
    _box(pen, (x, y), (128, 30), 15, fill=_GOLD if acts else (12, 56, 39), outline=_FELT_DARK, width=_px(1)[0])
    _text(pen, (x, y), SEAT_WORDS[seat], 17, _BLACK if acts else _INK, bold=int(acts))
    if seat == game.dealer:
        pen.ellipse(_px(x - 60, y - 11, x - 38, y + 11), fill=_INK)
        _text(pen, (x - 49, y), "D", 14, _BLACK, bold=1)
    if seat == game.declarer:
        pen.ellipse(_px(x + 38, y - 11, x + 60, y + 11), fill=_INK)
        _suit(pen, (x + 49, y), int(game.trump), 14)


def _draw_trick(picture: Any, pen: Any, game: Any) -> None:
    """The cards on the table, each before its seat; the one that wins so far has a golden rim."""
    first = table_trick(game)
    on_table = int(game.n_plays) - first
    best = winning_place(game.plays, first, on_table, game.trump) if on_table else 0
    for place in range(on_table):
        play = first + place
        _lay(picture, int(game.plays[play]), _PLAY_AT[player_of(game, play)], lit=place == best)
    if game.phase == CLAIMING:
        _bubble(pen, int(game.to_act), "roem?")
    if game.reneged != NO_SEAT and game.to_act == NO_SEAT:
        _bubble(pen, int(game.reneged), "reneged")


def _draw_bidding(picture: Any, pen: Any, game: Any) -> None:
    """The card that lies turned, and what each seat has said last."""
    turned = turned_suit(game)
    if turned == JOKER:
        _box(pen, (380, 354), (84, 116), 9, fill=(250, 249, 244))
        _text(pen, (380, 354), "joker", 22, _RED, bold=1)
    elif turned != NO_SUIT:
        _box(pen, (380, 354), (84, 116), 9, fill=(250, 249, 244))
        _suit(pen, (380, 354), turned, 56)
    else:
        _text(pen, (380, 354), "passed out" if game.phase == PASSED_OUT else "trump?", 24, _GOLD)
    for bid in range(max(int(game.n_bids) - 3, 0), int(game.n_bids)):
        _bubble(pen, int(speaker(game.dealer, bid, game.rules)), bid_text(game, bid))


def _bubble(pen: Any, seat: int, words: str) -> None:
    """What a seat says."""
    x, y = _WORDS_AT[seat]
    _box(pen, (x, y), (24 + 10 * len(words), 30), 12, fill=_INK)
    _text(pen, (x, y), words, 16, _BLACK)


# --- the score -------------------------------------------------------------------------------------------------------


def _draw_panel(picture: Any, pen: Any, game: Any) -> None:
    """The deal, trump, the score by side, and the last trick."""
    left, middle, right = _TABLE + 24, _TABLE + 160, WIDTH - 24
    _text(pen, (left, 36), "Klaverjas", 26, anchor="lm", bold=1)
    over = ", over" if game.to_act == NO_SEAT else ""
    _text(pen, (left, 68), deal_words(game) + over, 16, _DIM, "lm")
    _line(pen, 92)
    _text(pen, (left, 132), "trump", 17, _DIM, "lm")
    if game.trump != NO_SUIT:
        _box(pen, (middle, 132), (52, 52), 12, fill=(250, 249, 244))
        _suit(pen, (middle, 132), int(game.trump), 34)
        _text(pen, (right, 132), f"by {SEAT_WORDS[game.declarer]}", 17, anchor="rm")
    else:
        _text(pen, (middle, 132), "-", 20)
    _line(pen, 172)
    _draw_score(pen, game, left, right)
    _line(pen, 440)
    _draw_last_trick(picture, pen, game, left, right)


def _draw_score(pen: Any, game: Any, left: int, right: int) -> None:
    """Points, roem and tricks of the deal, the last deal and the match, by side."""
    columns = (_TABLE + 188, right)
    for column, team in zip(columns, TEAMS, strict=True):
        _text(pen, (column, 196), team, 14, _DIM, "rm")
    rows = [("points", game.points), ("roem", game.roem), ("tricks", game.tricks)]
    if game.deals_played > 0:
        rows.append(("last deal", game.score))
    for row, (title, numbers) in enumerate([*rows, ("match", game.totals)]):
        y = 228 + 34 * row
        ink = _GOLD if title == "match" else _INK
        _text(pen, (left, y), title, 17, _DIM, "lm")
        for column, number in zip(columns, numbers, strict=True):
            _text(pen, (column, y), str(number), 20, ink, "rm", bold=int(title == "match"))
    words = last_deal_words(game).strip()
    if words:
        _text(pen, (left, 410), f"last deal: {words}", 15, _GOLD, "lm")


def _draw_last_trick(picture: Any, pen: Any, game: Any, left: int, right: int) -> None:
    """The trick that was taken before the one on the table."""
    found = last_trick(game)
    _text(pen, (left, 464), "last trick", 17, _DIM, "lm")
    if found is None:
        return
    first, winner, points, roem = found
    for place in range(4):
        play = first + place
        seat = player_of(game, play)
        x = left + 34 + 68 * place
        _lay(picture, int(game.plays[play]), (x, 540), lit=seat == winner, share=0.8)
        _text(pen, (x, 600), SEAT_WORDS[seat], 14, _GOLD if seat == winner else _DIM)
    _text(pen, (left, 636), f"{SEAT_WORDS[winner]} took it", 17, anchor="lm")
    _text(pen, (left, 664), f"{points} points" + (f", roem {roem}" if roem else ""), 17, _GOLD if roem else _INK, "lm")


def _line(pen: Any, y: float) -> None:
    pen.line(_px(_TABLE + 24, y, WIDTH - 24, y), fill=_PANEL_LINE, width=_px(1)[0])
