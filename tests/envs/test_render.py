"""Tests of the table as text and as a picture."""

import subprocess
import sys

import numpy as np
import pytest

from klaverjas_env.envs.picture import HEIGHT, WIDTH, table_picture
from klaverjas_env.envs.render import table_text
from klaverjas_env.notation import from_position
from tests.envs.matches import advance, exchange_unseen, make_env, play, presets


@presets
def test_the_table_as_text_shows_no_hand_but_that_of_the_seat_to_act(preset: str) -> None:
    env = make_env(variant=preset, deals=2, render_mode="ansi")
    env.reset(seed=23)
    rng = np.random.default_rng(23)
    for agent in play(env, np.random.default_rng(24)):
        text = env.render()
        raw = env.unwrapped
        game = raw.game
        raw.game = exchange_unseen(game, env.possible_agents.index(agent), rng)
        assert env.render() == text
        raw.game = game
        assert " to act, holds " in text
        assert f"deal {game['deals_played'][0] + 1}/2, dealer " in text
    assert "deal 2/2" in env.render()
    assert "over" in env.render()


def test_the_table_of_a_match_to_a_target_tells_the_target() -> None:
    env = make_env(variant="bga, target=300", render_mode="ansi")
    env.reset(seed=23)
    for _ in play(env, np.random.default_rng(24)):
        number = env.unwrapped.game["deals_played"][0] + 1
        assert f"deal {number} to 300 points, dealer " in env.render()


def test_human_mode_writes_every_table_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    env = make_env(deals=1, render_mode="human")
    env.reset(seed=25)
    assert len(list(play(env, np.random.default_rng(25)))) == 33
    assert capsys.readouterr().out.count("dealer") == 34
    with pytest.raises(ValueError, match="render_mode"):
        make_env(render_mode="video")
    env = make_env()
    env.reset()
    assert env.render() is None


POSITION = (
    "kj1:amsterdams/utrechts dealer:2 hands:CAD9DAS8/H7HJSJSK/HAS9STSQ/CTDQDKS7SA bids:S trump:S by:3"
    " plays:3C7CQC8DJ,0H9HQHKHT,3C9CKCJH8,0DTD7D8 turn:3 points:11-17 deal:5/0"
)
TEXT = """\
deal 1/16, dealer north, trump ♠ by east
last trick: east ♣9, south ♣K, west ♣J, north ♥8; south took it, 6 points
trick 4: south ♦10, west ♦7, north ♦8
east to act, holds ♣10  ♦Q K  ♠7 A
            south-north    west-east
points               11           17
roem                  0            0
tricks                2            1
match                 0            0
"""


def test_the_text_of_a_position() -> None:
    assert table_text(from_position(POSITION)) == TEXT


def test_open_hands_shows_all_four_to_who_watches_and_changes_nothing_else() -> None:
    env, open_env = (make_env(render_mode="ansi", open_hands=shown) for shown in (False, True))
    for table in (env, open_env):
        table.reset(seed=26)
        advance(table, np.random.default_rng(26), 9)
    assert env.render().count(" holds ") == 1
    assert open_env.render().count(" holds ") == 4
    assert np.array_equal(env.last()[0]["observation"], open_env.last()[0]["observation"])


@presets
def test_pictures_have_one_shape_and_show_no_hidden_card(preset: str) -> None:
    env = make_env(variant=preset, deals=2, render_mode="rgb_array")
    env.reset(seed=27)
    rng = np.random.default_rng(27)
    for moment, agent in enumerate(play(env, np.random.default_rng(28))):
        if moment % 9:
            continue
        picture = env.render()
        assert picture.shape == (HEIGHT, WIDTH, 3)
        assert picture.dtype == np.uint8
        raw = env.unwrapped
        game = raw.game
        raw.game = exchange_unseen(game, env.possible_agents.index(agent), rng)
        assert np.array_equal(env.render(), picture)
        raw.game = game
        hidden = any(np.delete(game["hands"][0], game["to_act"][0]))
        assert hidden != np.array_equal(table_picture(game, open_hands=True), picture)
    assert env.render().shape == (HEIGHT, WIDTH, 3)


def test_a_picture_is_the_callers_own_and_tells_positions_apart() -> None:
    env = make_env(render_mode="rgb_array")
    env.reset(seed=29)
    first = env.render()
    kept = first.copy()
    advance(env, np.random.default_rng(29), 1)
    second = env.render()
    second[:] = 0
    assert np.array_equal(first, kept)
    assert env.render().any()
    assert not np.array_equal(first, env.render())


def test_nothing_draws_until_it_is_asked_to() -> None:
    script = """
import sys
sys.modules["PIL"] = None
from klaverjas_env import klaverjas_v0
for mode in (None, "ansi", "human", "rgb_array"):
    env = klaverjas_v0.env(render_mode=mode)
    env.reset(seed=1)
    if mode != "rgb_array":
        env.render()
try:
    env.render()
except ImportError as error:
    assert 'pip install "klaverjas-env[render]"' in str(error)
else:
    raise SystemExit("drew without Pillow")
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
