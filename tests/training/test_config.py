"""Settings: defaults, file and command line, and what is refused."""

import dataclasses
from pathlib import Path

import pytest

from klaverjas_env.rules.variant import VariantError
from training.config import Config, ConfigError, describe, from_file, resolve

CONFIGS = sorted((Path(__file__).parents[2] / "configs").glob("*.toml"))


def test_the_command_line_wins_over_the_file_and_the_file_over_the_defaults(tmp_path: Path) -> None:
    file = tmp_path / "c.toml"
    file.write_text("tables = 64\nsteps = 8\n")
    config = resolve(file, {"steps": 4})
    assert (config.tables, config.steps, config.epochs) == (64, 4, Config().epochs)


def test_a_description_reads_back_as_the_same_settings(tmp_path: Path) -> None:
    config = dataclasses.replace(Config(), run='a "quoted" name', tables=7, clip=0.1)
    file = tmp_path / "c.toml"
    file.write_text(describe(config))
    assert from_file(file, Config()) == config


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_every_shipped_config_is_valid_and_differs_from_the_defaults(path: Path) -> None:
    assert from_file(path, Config()) != Config()


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("tabels = 3", "tables"),
        ("tables = 'many'", "tables"),
        ("tables = 0", "tables"),
        ("tables = true", "tables"),
        ("ema = 1.5", "ema"),
        ("bf16 = 'maybe'", "bf16"),
        ("tables = ", "TOML"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(tmp_path: Path, text: str, word: str) -> None:
    file = tmp_path / "c.toml"
    file.write_text(text)
    with pytest.raises(ConfigError, match=word):
        from_file(file, Config())


def test_a_missing_file_and_an_unknown_variant_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        from_file(tmp_path / "none.toml", Config())
    with pytest.raises(VariantError, match="amsterdams"):
        resolve(None, {"variant": "amsterdam"})
