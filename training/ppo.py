"""PPO by self-play: `python -m training.ppo [--config FILE] [--option value]`.

The algorithm is that of Schulman et al. 2017 ("Proximal policy optimization algorithms") in the manner of CleanRL:
collect decisions, estimate advantages, take a few passes of clipped gradient steps, again. One net plays the four seats
from its own view; the critic sees all hands. Ctrl-C saves and stops; `--resume RUN` goes on where a run stopped.
"""

import argparse
import dataclasses
import sys
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn
from torch.utils.tensorboard import SummaryWriter
from tqdm import tqdm

from klaverjas_env.bots import BotError
from klaverjas_env.envs.vector import VectorGames
from klaverjas_env.observation import N_OBSERVATION
from klaverjas_env.rules.variant import Variant, VariantError
from training.checkpoint import LATEST, Checkpoint, CheckpointError, TorchBot, load, save
from training.config import Config, ConfigError, add_options, chosen_options, describe, resolve
from training.duels import open_bot
from training.evaluate import evaluate
from training.export import export
from training.model import Actor, Average, Critic
from training.provenance import write_provenance
from training.rollout import Rollout, advantages, collect, normalised
from training.stopping import stopped_by_signal

EVALUATION_SEED = 1_000_003
"""Deals of the evaluations during training; the final one uses the next seed."""


class Trainer:
    """A run in memory: nets, optimiser, games and counters."""

    def __init__(self, config: Config) -> None:
        torch.set_num_threads(config.threads)
        torch.manual_seed(config.seed)
        self.config = config
        for opponent in config.opponent_names:
            open_bot(opponent, EVALUATION_SEED)  # what cannot be opened is refused now, not after the first updates
        self.actor = Actor(config.width, config.depth)
        self.critic = Critic(config.width, config.depth)
        self.average = Average(self.actor, config.ema)
        parameters = [*self.actor.parameters(), *self.critic.parameters()]
        self.optimizer = torch.optim.Adam(parameters, lr=config.learning_rate, eps=1e-5, fused=True)
        self.generator = torch.Generator().manual_seed(config.seed)
        self.games = VectorGames(
            config.tables,
            config.variant,
            config.seed,
            skip_forced=True,
            canonical=True,
            random_contracts=config.random_contracts,
        )
        self.rollout = Rollout.empty(config.steps, config.tables)
        self.autocast = torch.autocast("cpu", dtype=torch.bfloat16, enabled=uses_bf16(config))
        self.update_count = 0
        self.decisions = 0
        self.seconds = 0.0
        self.measured: dict[str, float] = {}

    @property
    def progress(self) -> float:
        """Share of the run that is done, 0 to 1: by decisions, or by time where that runs out first."""
        done = self.update_count / self.config.updates
        limit = 60.0 * self.config.max_minutes
        return min(1.0, max(done, self.seconds / limit if limit > 0 else 0.0))

    def schedule(self, start: float, end: float) -> float:
        """The value, at this point of the run, of a setting that goes linearly from `start` to `end`."""
        return start + (end - start) * self.progress

    def train_one_update(self) -> dict[str, float]:
        """Collect, estimate, optimise. Returns the figures of the update under CleanRL's names."""
        begun = time.monotonic()
        config = self.config
        learning_rate = self.schedule(config.learning_rate, config.learning_rate_end)
        for group in self.optimizer.param_groups:
            group["lr"] = learning_rate
        with self.autocast:
            collect(self.rollout, self.games, self.actor, self.critic, self.generator)
        collected = time.monotonic()
        advantage, returns = advantages(self.rollout, self.schedule(config.gae_lambda, config.gae_lambda_end))
        figures = self.optimise(advantage.flatten(), returns.flatten())
        self.update_count += 1
        self.decisions += config.batch
        seconds = time.monotonic() - begun
        self.seconds += seconds
        return figures | {
            "charts/learning_rate": learning_rate,
            "charts/SPS": config.batch / seconds,
            "charts/rollout_share": (collected - begun) / seconds,
            "losses/explained_variance": explained_variance(self.rollout.value.flatten(), returns.flatten()),
        }

    def optimise(self, advantage: Tensor, returns: Tensor) -> dict[str, float]:
        """A few passes of clipped gradient steps over the rollout; stops early when the policy has moved enough."""
        config = self.config
        entropy_weight = self.schedule(config.entropy, config.entropy_end)
        state = self.rollout.state.flatten(0, 1)
        advantage = normalised(advantage, state)
        sums: dict[str, float] = {}
        steps = 0
        for _ in range(config.epochs):
            order = torch.randperm(len(advantage), generator=self.generator)
            for chosen in torch.split(order, config.minibatch):
                figures = self.gradient_step(chosen, state[chosen], advantage[chosen], returns[chosen], entropy_weight)
                steps += 1
                for name, value in figures.items():
                    sums[name] = sums.get(name, 0.0) + value
            if figures["losses/approx_kl"] > config.target_kl:
                break
        return {name: value / steps for name, value in sums.items()}

    def gradient_step(
        self, chosen: Tensor, state: Tensor, advantage: Tensor, returns: Tensor, entropy_weight: float
    ) -> dict[str, float]:
        """One step of Adam on the decisions `chosen` int64 [B]; the other tensors are theirs already."""
        config = self.config
        mask = self.rollout.action_mask.flatten(0, 1)[chosen]
        action = self.rollout.action.flatten()[chosen]
        old_log_prob = self.rollout.log_prob.flatten()[chosen]
        with self.autocast:
            logits = self.actor(state[:, :N_OBSERVATION], mask)
            value = self.critic(state)
        log_probs = torch.log_softmax(logits, dim=1)
        log_ratio = log_probs.gather(1, action[:, None]).squeeze(1) - old_log_prob
        ratio = log_ratio.exp()
        clipped = ratio.clamp(1.0 - config.clip, 1.0 + config.clip)
        policy_loss = -torch.min(advantage * ratio, advantage * clipped).mean()
        value_loss = 0.5 * (value - returns).square().mean()
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        loss = policy_loss - entropy_weight * entropy + config.value_coefficient * value_loss
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.actor.parameters(), config.max_grad_norm)
        nn.utils.clip_grad_norm_(self.critic.parameters(), config.max_grad_norm)
        self.optimizer.step()
        self.average.update(self.actor)
        with torch.no_grad():
            return {
                "losses/policy_loss": policy_loss.item(),
                "losses/value_loss": value_loss.item(),
                "losses/entropy": entropy.item(),
                "losses/old_approx_kl": (-log_ratio).mean().item(),
                "losses/approx_kl": (ratio - 1 - log_ratio).mean().item(),
                "losses/clipfrac": ((ratio - 1).abs() > config.clip).float().mean().item(),
            }

    def evaluate(self, pairs: int, seed: int) -> dict[str, Any]:
        """Results of the averaged policy against each of the opponents, on duplicate deals."""
        bot = TorchBot(self.average.actor, "net")
        results = {
            opponent: evaluate(bot, opponent, pairs=pairs, seed=seed, variant=self.config.variant)
            for opponent in self.config.opponent_names
        }
        self.measured = {name: result.points_per_deal for name, result in results.items()}
        return results

    def checkpoint(self) -> Checkpoint:
        """Everything needed to go on exactly."""
        state = {
            "actor": self.actor.state_dict(),
            "critic": self.critic.state_dict(),
            "average": self.average.actor.state_dict(),
            "average_steps": self.average.steps,
            "optimizer": self.optimizer.state_dict(),
            "generator": self.generator.get_state(),
            "games": torch.frombuffer(bytearray(self.games.games.tobytes()), dtype=torch.uint8),
        }
        return Checkpoint(self.config, self.update_count, self.decisions, self.seconds, state, self.measured)

    def restore(self, checkpoint: Checkpoint) -> None:
        """Take over the state of a checkpoint of a run with the same nets and tables."""
        state = checkpoint.state
        self.actor.load_state_dict(state["actor"])
        self.critic.load_state_dict(state["critic"])
        self.average.actor.load_state_dict(state["average"])
        self.average.steps = state["average_steps"]
        self.optimizer.load_state_dict(state["optimizer"])
        self.generator.set_state(state["generator"])
        self.games.restore(state["games"].numpy().tobytes())
        self.update_count = checkpoint.update
        self.decisions = checkpoint.decisions
        self.seconds = checkpoint.seconds
        self.measured = dict(checkpoint.measured)


def uses_bf16(config: Config) -> bool:
    """Whether to multiply in bfloat16: by setting, or where the CPU does so natively."""
    if config.bf16 == "auto":
        return bool(torch.cpu._is_avx512_bf16_supported())
    return config.bf16 == "on"


def explained_variance(value: Tensor, returns: Tensor) -> float:
    """1 for a perfect critic, 0 for one that says the mean."""
    variance = returns.var().item()
    return float("nan") if variance == 0.0 else 1.0 - (returns - value).var().item() / variance


def run(trainer: Trainer, folder: Path, stop: Callable[[], bool]) -> bool:
    """Train to the end of the schedule; returns False when stopped before. Saves now and then, and at the end."""
    config = trainer.config
    saved = time.monotonic()
    with (
        SummaryWriter(folder / "events") as writer,
        tqdm(total=config.updates * config.batch, initial=trainer.decisions, unit="dec", unit_scale=True) as bar,
    ):
        while trainer.progress < 1.0 and not stop():
            figures = trainer.train_one_update()
            for name, value in figures.items():
                writer.add_scalar(name, value, trainer.decisions)
            if config.evaluate_every > 0 and trainer.update_count % config.evaluate_every == 0:
                for name, result in trainer.evaluate(config.evaluate_pairs, EVALUATION_SEED).items():
                    writer.add_scalar(f"charts/points_per_deal_{name}", result.points_per_deal, trainer.decisions)
            bar.set_postfix({name: f"{points:+.1f}" for name, points in trainer.measured.items()}, refresh=False)
            bar.update(config.batch)
            if time.monotonic() - saved > 60.0 * config.checkpoint_minutes:
                save(folder / LATEST, trainer.checkpoint())
                saved = time.monotonic()
    save(folder / LATEST, trainer.checkpoint())
    return not stop()


def finish(trainer: Trainer, folder: Path) -> None:
    """Measure the policy, export it, and say where everything lies."""
    config = trainer.config
    results: dict[str, Any] = {}
    if config.final_pairs > 0:
        results = trainer.evaluate(config.final_pairs, EVALUATION_SEED + 1)
        save(folder / LATEST, trainer.checkpoint())
    figures = {name: result.summary() for name, result in results.items()}
    bot = export(folder / LATEST, folder / "bot.onnx", figures)
    print(f"checkpoint     {folder / LATEST}")
    print(f"exported bot   {bot}")
    print(f"trained        {trainer.decisions:,} decisions in {trainer.seconds / 60:.1f} minutes")
    for name, result in results.items():
        print(
            f"against {name:<8} {result.points_per_deal:+6.1f} ± {result.ci95:.1f} points a deal"
            f" ({result.pairs} seat-swapped pairs, {Variant.parse(config.variant)})"
        )


def prepare(arguments: argparse.Namespace) -> tuple[Trainer, Path]:
    """The trainer and its folder: new, or taken up from a checkpoint."""
    options = chosen_options(arguments)
    if arguments.resume is not None:
        checkpoint = load(arguments.resume)
        trainer = Trainer(resolve(arguments.config, options, checkpoint.config))
        trainer.restore(checkpoint)
        return trainer, arguments.resume if arguments.resume.is_dir() else arguments.resume.parent
    config = resolve(arguments.config, options)
    name = config.run or datetime.now().strftime("ppo-%Y%m%d-%H%M%S")
    config = dataclasses.replace(config, run=name)
    folder = Path(config.folder) / name
    if (folder / LATEST).exists():
        raise ConfigError(f"run {name!r}: {folder} holds a run already; --resume {folder} goes on with it")
    trainer = Trainer(config)
    write_provenance(folder, describe(config))
    return trainer, folder


def main(arguments: list[str] | None = None) -> int:
    """The command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m training.ppo", description="Learn Klaverjas by self-play (PPO).")
    parser.add_argument("--config", type=Path, help="a TOML file with settings that differ from the defaults")
    parser.add_argument("--resume", type=Path, metavar="RUN", help="a run's folder or checkpoint to go on with")
    add_options(parser)
    try:
        trainer, folder = prepare(parser.parse_args(arguments))
    except (ConfigError, CheckpointError, VariantError, BotError) as error:
        print(f"training.ppo: {error}", file=sys.stderr)
        return 2
    print(f"run            {folder}  (Ctrl-C saves and stops; tensorboard --logdir {trainer.config.folder})")
    stop = stopped_by_signal()
    if not run(trainer, folder, stop):
        print(f"stopped; go on with: python -m training.ppo --resume {folder}")
        return 0
    finish(trainer, folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
