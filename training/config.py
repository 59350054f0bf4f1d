"""Every number of a training run: defaults, then a TOML file, then the command line."""

import argparse
import dataclasses
import difflib
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from klaverjas_env.rules.variant import Variant


class ConfigError(ValueError):
    """A setting that does not exist or cannot be used; the text says which and what would do."""


@dataclass(frozen=True)
class Config:
    """The settings of `python -m training.ppo`. One decision is one choice among two or more legal actions."""

    run: str = ""
    """Name of the run's folder under `folder`; empty: named after the date and time."""
    folder: str = "checkpoints"
    """Where run folders are made."""
    variant: str = "amsterdams"
    """House rules, as `Variant.parse` reads them."""
    seed: int = 1
    """Seed of deals, weights and sampling."""
    threads: int = 2
    """Threads of torch in this process."""

    total_decisions: int = 5_500_000
    """Decisions to train on; the schedules below run over them."""
    max_minutes: float = 7.5
    """Training ends after this time even if decisions are left, and the schedules hurry to be done by then; 0 for no
    limit. A run that is faster than this repeats exactly."""
    tables: int = 2048
    """Games played side by side."""
    steps: int = 32
    """Decisions per table between two updates."""
    minibatch: int = 4096
    """Decisions per gradient step. A run of 3 M decisions ended at +39.3 points against lennard with 8192, at +41.4
    with 4096 and at +40.4, more slowly, with 2048 (+- 1.7 each)."""
    epochs: int = 2
    """Passes over the decisions of an update. One pass is faster, but ended at +24.3 (with minibatches of 8192)."""
    random_contracts: float = 0.15
    """Share of deals with a given random contract, so that every contract stays known to the card play."""

    learning_rate: float = 1e-3
    """Adam's step at the start; falls linearly."""
    learning_rate_end: float = 5e-5
    """Adam's step at the end."""
    entropy: float = 0.03
    """Weight of the entropy bonus at the start (advantages are normalised); falls linearly."""
    entropy_end: float = 0.005
    """Weight of the entropy bonus at the end."""
    gae_lambda: float = 1.0
    """Lambda of generalised advantage estimation at the start; falls linearly."""
    gae_lambda_end: float = 0.95
    """Lambda at the end."""
    clip: float = 0.2
    """PPO's clip of the probability ratio."""
    target_kl: float = 0.03
    """An update stops early when the approximate KL divergence exceeds this."""
    value_coefficient: float = 0.5
    """Weight of the critic's squared error."""
    max_grad_norm: float = 0.5
    """Bound on the norm of the actor's and of the critic's gradient."""
    ema: float = 0.995
    """Decay per gradient step of the averaged weights, which are evaluated and exported."""
    width: int = 256
    """Units per hidden layer of actor and critic."""
    depth: int = 3
    """Hidden layers of actor and critic."""
    bf16: str = "auto"
    """`on`, `off`, or `auto`: bfloat16 autocast where the CPU multiplies it natively."""

    checkpoint_minutes: float = 1.0
    """Minutes between two checkpoints."""
    opponents: str = "random, lennard, rule"
    """The bots against which the policy is measured, on duplicate deals: names or files, with commas between."""
    evaluate_every: int = 20
    """Updates between two evaluations; 0 for none."""
    evaluate_pairs: int = 500
    """Seat-swapped pairs of deals in an evaluation during training."""
    final_pairs: int = 5000
    """Seat-swapped pairs of deals in the evaluation at the end; 0 for none."""

    def __post_init__(self) -> None:
        for field in dataclasses.fields(self):
            _check_kind(field, getattr(self, field.name))
        for name in ("threads", "total_decisions", "tables", "steps", "minibatch", "epochs", "width", "depth"):
            _require(getattr(self, name) >= 1, name, getattr(self, name), "at least 1")
        for name in ("random_contracts", "gae_lambda", "gae_lambda_end", "ema"):
            _require(0.0 <= getattr(self, name) <= 1.0, name, getattr(self, name), "between 0 and 1")
        _require(self.bf16 in ("auto", "on", "off"), "bf16", self.bf16, "auto, on or off")
        _require(self.evaluate_pairs >= 2, "evaluate_pairs", self.evaluate_pairs, "at least 2")
        _require(self.final_pairs == 0 or self.final_pairs >= 2, "final_pairs", self.final_pairs, "0 or at least 2")
        Variant.parse(self.variant)

    @property
    def opponent_names(self) -> list[str]:
        """The names in `opponents`."""
        return [name.strip() for name in self.opponents.split(",") if name.strip()]

    @property
    def batch(self) -> int:
        """Decisions per update."""
        return self.tables * self.steps

    @property
    def updates(self) -> int:
        """Updates in the whole run."""
        return max(1, -(-self.total_decisions // self.batch))


def from_mapping(values: dict[str, Any], base: Config, source: str) -> Config:
    """`base` with the settings of `values`; ConfigError names the nearest setting for an unknown one."""
    names = [field.name for field in dataclasses.fields(Config)]
    for name in values:
        if name not in names:
            nearest = difflib.get_close_matches(name, names, n=1, cutoff=0.0)[0]
            raise ConfigError(f"{source}: unknown setting {name!r}; did you mean {nearest!r}?")
    floats = {field.name for field in dataclasses.fields(Config) if field.type is float}
    numbers: dict[str, Any] = {
        name: float(value) if name in floats and isinstance(value, int) and not isinstance(value, bool) else value
        for name, value in values.items()
    }
    return dataclasses.replace(base, **numbers)


def from_file(path: Path, base: Config) -> Config:
    """`base` with the settings of a TOML file."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise ConfigError(f"config {path}: cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"config {path}: is not TOML ({error})") from error
    return from_mapping(values, base, f"config {path}")


def add_options(parser: argparse.ArgumentParser) -> None:
    """One command-line option for every setting (`--total_decisions` and `--total-decisions` both do)."""
    for field in dataclasses.fields(Config):
        parser.add_argument(
            f"--{field.name}",
            *([f"--{field.name.replace('_', '-')}"] if "_" in field.name else []),
            dest=field.name,
            type=field.type,
            default=argparse.SUPPRESS,
            metavar=str(field.default) or '""',
        )


def chosen_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """The settings that stand on the command line."""
    names = [field.name for field in dataclasses.fields(Config)]
    return {name: value for name, value in vars(arguments).items() if name in names}


def resolve(file: Path | None, options: dict[str, Any], base: Config | None = None) -> Config:
    """Defaults (or `base`), then the file, then the options."""
    config = base or Config()
    if file is not None:
        config = from_file(file, config)
    return from_mapping(options, config, "command line")


def describe(config: Config, names: Sequence[str] | None = None) -> str:
    """The settings as TOML, strings quoted, one a line."""
    chosen = names or [field.name for field in dataclasses.fields(config)]
    return "".join(f"{name} = {_toml(getattr(config, name))}\n" for name in chosen)


def _toml(value: Any) -> str:
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return str(value)


def _check_kind(field: "dataclasses.Field[Any]", value: Any) -> None:
    kind: Any = field.type
    fits = isinstance(value, kind) and not isinstance(value, bool)
    if not fits:
        raise ConfigError(f"{field.name} = {value!r} is not of type {getattr(kind, '__name__', kind)}")


def _require(holds: bool, name: str, value: Any, wanted: str) -> None:
    if not holds:
        raise ConfigError(f"{name} = {value!r} will not do; it must be {wanted}")
