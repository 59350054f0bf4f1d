"""Checks of the house itself: imports point down, files say what they are, and every rule number stands in RULES.md."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "klaverjas_env"

FLOORS = (
    ("version", "jit", "files"),
    ("rng",),
    ("rules",),
    ("game",),
    ("view", "notation", "solver"),
    ("observation", "questions"),
    ("records", "replay"),
    ("bots",),
    ("envs",),
    ("klaverjas_v0", "__init__"),
)
"""The modules of the package from the ground up; each imports only from its own floor and those below."""

LINES = {"klaverjas_env": 450, "training": 450, "benchmarks": 450, "examples": 150, "tests": 600}
"""How long a file may grow before it is two files."""


def files_of(*folders: str) -> list[Path]:
    """The Python files in some folders of the repository."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def named(path: Path) -> str:
    """How a test names a file."""
    return path.relative_to(ROOT).as_posix()


def tree_of(path: Path) -> ast.Module:
    """A file, parsed."""
    return ast.parse(path.read_text(), named(path))


def imports_of(path: Path) -> Iterator[str]:
    """The full names of the modules that a file imports, and of what it takes from them."""
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{named(path)}: write imports in full"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def calls_of(path: Path) -> Iterator[ast.Call]:
    """The calls that a file makes."""
    return (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.Call))


EVERYWHERE = files_of("klaverjas_env", "training", "benchmarks", "examples", "tests")
in_package = pytest.mark.parametrize("path", files_of("klaverjas_env"), ids=named)
everywhere = pytest.mark.parametrize("path", EVERYWHERE, ids=named)


# --- imports ---------------------------------------------------------------------------------------------------------


def floor_of(module: str) -> int:
    """The floor of a module of the package, by the part of its name after `klaverjas_env.`."""
    for floor, modules in enumerate(FLOORS):
        if module in modules:
            return floor
    raise AssertionError(f"klaverjas_env.{module} has no floor yet: give it one in FLOORS")


@in_package
def test_imports_point_down(path: Path) -> None:
    own = path.relative_to(PACKAGE).with_suffix("").parts[0]
    for name in imports_of(path):
        if not name.startswith("klaverjas_env."):
            continue
        other = name.split(".")[1]
        assert floor_of(other) <= floor_of(own), f"{named(path)} imports {name}, which lies above it"


@in_package
def test_the_game_knows_no_training_and_only_doors_know_pettingzoo(path: Path) -> None:
    roots = {name.split(".")[0] for name in imports_of(path)}
    assert not roots & {"torch", "training", "tests", "benchmarks", "examples"}
    if path.parent != PACKAGE / "envs" and path.name != "klaverjas_v0.py":
        # The package registers its Gymnasium ids when it is imported, as `gymnasium.make` expects; that is all.
        assert not roots & {"pettingzoo", "gymnasium"} - ({"gymnasium"} if path == PACKAGE / "__init__.py" else set())


def test_training_is_not_imported_from_below() -> None:
    for path in files_of("training"):
        assert not {name.split(".")[0] for name in imports_of(path)} & {"tests", "benchmarks", "examples"}, named(path)


@everywhere
def test_one_file_knows_numba(path: Path) -> None:
    if path != PACKAGE / "jit.py":
        assert "numba" not in {name.split(".")[0] for name in imports_of(path)}


def test_the_package_works_without_torch() -> None:
    script = """
import sys
sys.modules["torch"] = None
import klaverjas_env
assert "pettingzoo" not in sys.modules, "importing klaverjas_env loads PettingZoo"
assert not any(name.startswith("klaverjas_env.envs") for name in sys.modules), "importing klaverjas_env loads the doors"
import klaverjas_env.bots, klaverjas_env.envs.vector, klaverjas_env.klaverjas_v0
env = klaverjas_env.klaverjas_v0.env(deals=1)
env.reset(seed=1)
env.step(int(env.last()[0]["action_mask"].argmax()))
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


# --- files -----------------------------------------------------------------------------------------------------------


@everywhere
def test_a_file_opens_by_saying_what_it_is(path: Path) -> None:
    words = ast.get_docstring(tree_of(path))
    assert words, f"{named(path)} has no docstring"
    assert path.read_text().startswith('"""'), f"{named(path)}: the docstring is not the first line"


@everywhere
def test_a_file_is_not_too_long(path: Path) -> None:
    lines = len(path.read_text().splitlines())
    assert lines <= LINES[path.relative_to(ROOT).parts[0]], f"{named(path)} has {lines} lines"


@in_package
def test_the_package_does_not_print_exit_or_assert(path: Path) -> None:
    for call in calls_of(path):
        assert ast.unparse(call.func) not in ("print", "exit", "quit", "sys.exit"), f"{named(path)}:{call.lineno}"
    for node in ast.walk(tree_of(path)):
        assert not isinstance(node, ast.Assert), f"{named(path)}:{node.lineno}: raise an error that says what was asked"


@pytest.mark.parametrize("path", files_of("klaverjas_env", "training", "benchmarks"), ids=named)
def test_data_is_never_run_as_code(path: Path) -> None:
    roots = {name.split(".")[0] for name in imports_of(path)}
    assert not roots & {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "marshal", "shelve"}
    for call in calls_of(path):
        where = f"{named(path)}:{call.lineno}"
        function = ast.unparse(call.func)
        options = {option.arg: ast.unparse(option.value) for option in call.keywords}
        assert function not in ("eval", "exec"), where
        assert options.get("allow_pickle", "False") == "False", where
        assert function != "torch.load" or options.get("weights_only") == "True", where


# --- rule numbers ----------------------------------------------------------------------------------------------------


def rules_written() -> set[str]:
    """The chapters (R3) and rules (R3.1) that RULES.md sets out."""
    text = (ROOT / "RULES.md").read_text()
    return set(re.findall(r"^## (R\d) ", text, re.MULTILINE)) | set(re.findall(r"^\*\*(R\d\.\d+) ", text, re.MULTILINE))


def rules_named_in(path: Path) -> set[str]:
    """The rule numbers that a text names."""
    return set(re.findall(r"\bR\d(?:\.\d+)?\b", path.read_text()))


@pytest.mark.parametrize("path", [ROOT / "RULES.md", *files_of("klaverjas_env")], ids=named)
def test_a_rule_that_is_named_is_written_in_rules_md(path: Path) -> None:
    assert rules_named_in(path) <= rules_written()


def test_a_rule_that_is_written_is_named_in_the_law() -> None:
    law = set().union(*(rules_named_in(path) for path in [*files_of("klaverjas_env/rules"), PACKAGE / "game.py"]))
    written = {rule for rule in rules_written() if rule[1] in "23456"}
    assert written - law == set()


def test_rules_are_numbered_in_order_and_once() -> None:
    numbers = re.findall(r"^\*\*R(\d)\.(\d+) ", (ROOT / "RULES.md").read_text(), re.MULTILINE)
    order = [(int(chapter), int(rule)) for chapter, rule in numbers]
    assert order == sorted(set(order))
