"""Each example learns in its library, and each library sees the masks and rewards of the game as they are."""

import math
import re
from pathlib import Path

import pytest

from tests.examples.client import REQUIREMENTS, ROOT, python_of, run

CLIENTS = {
    "sb3": "sb3_maskable_ppo",
    "tianshou": "tianshou_dqn",
    "torchrl": "torchrl_ppo",
    "rllib": "rllib_ppo",
    "agilerl": "agilerl_dqn",
    "openspiel": "openspiel_linear",
    "cleanrl": "cleanrl_ppo",
}
"""The example of each requirement file."""

LINE = re.compile(r"^(before|after): .* ([+-][\d.]+) ± ([\d.]+) points a deal against random$", re.MULTILINE)


@pytest.fixture(scope="session")
def environments(request: pytest.FixtureRequest) -> Path:
    """Where the environments of the clients are kept from one run to the next."""
    assert request.config.cache is not None
    return request.config.cache.mkdir("clients")


def test_every_example_is_named_here() -> None:
    assert {path.stem for path in REQUIREMENTS.glob("*.txt")} == set(CLIENTS)
    for example in CLIENTS.values():
        assert f"python -m examples.{example} --seconds 60" in (ROOT / "examples" / f"{example}.py").read_text()


@pytest.mark.clients
@pytest.mark.parametrize("client", CLIENTS)
def test_an_example_learns(client: str, environments: Path) -> None:
    printed = run(python_of(client, environments), f"examples.{CLIENTS[client]}", "--seconds", "60")
    print(printed)  # the figures, for pytest -rP
    figures = {when: (float(points), float(ci)) for when, points, ci in LINE.findall(printed)}
    (before, before_ci), (after, after_ci) = figures["before"], figures["after"]
    assert after - before > math.hypot(before_ci, after_ci), printed


@pytest.mark.clients
@pytest.mark.parametrize("client", ["sb3", "tianshou", "torchrl", "rllib", "agilerl", "openspiel"])
def test_a_library_sees_the_game_as_it_is(client: str, environments: Path) -> None:
    run(python_of(client, environments), f"tests.examples.check_{client}")
