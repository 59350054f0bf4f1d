"""TorchRL: PPO on the batched Gymnasium door, `python -m examples.torchrl_ppo --seconds 60`.

`Tables` gives TorchRL the N tables as one environment with a batch size (its own `GymWrapper` takes the form of the
infos of a batch from one step with unmasked actions, which fails here); `MaskedCategorical`, `GAE` and `ClipPPOLoss`
are TorchRL's. `PettingZooWrapper` works as well (see tests/examples), but takes some 10 ms a decision.
"""

import gymnasium as gym
import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Bounded, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from examples.measure import HOUSE, Clock, arguments, measure
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import HIGHEST_FEATURE, N_OBSERVATION

N_ENVS = 128
N_STEPS = 32
N_EPOCHS = 4
N_MINIBATCHES = 8


class Tables(EnvBase):
    """The tables of a Gymnasium `VectorEnv` that begins the next deal in the step that ended one."""

    def __init__(self, tables: gym.vector.VectorEnv) -> None:
        super().__init__(batch_size=[tables.num_envs])
        self.tables = tables
        n = tables.num_envs
        self.observation_spec = Composite(
            observation=Bounded(0.0, HIGHEST_FEATURE, (n, N_OBSERVATION)),
            action_mask=Binary(shape=(n, N_ACTIONS), dtype=torch.bool),
            shape=[n],
        )
        self.action_spec = Categorical(N_ACTIONS, shape=(n,))
        self.reward_spec = Unbounded((n, 1))
        self.seen: TensorDict | None = None

    def _set_seed(self, seed: int | None) -> None:
        self.seen = self._read(*self.tables.reset(seed=seed))

    def _reset(self, tensordict: TensorDict | None = None, **options) -> TensorDict:
        # Tables whose deal is over have begun the next one already: it is what was seen last.
        return self.seen.clone()

    def _step(self, tensordict: TensorDict) -> TensorDict:
        seen, reward, terminated, _, infos = self.tables.step(tensordict["action"].numpy())
        self.seen = self._read(seen, infos)
        ended = torch.as_tensor(terminated)[:, None]
        return self.seen.clone().update(
            {
                "reward": torch.as_tensor(reward, dtype=torch.float32)[:, None],
                "done": ended,
                "terminated": ended.clone(),
            }
        )

    def _read(self, seen: np.ndarray, infos: dict) -> TensorDict:
        mask = torch.as_tensor(infos["action_mask"]).bool()
        return TensorDict({"observation": torch.as_tensor(seen), "action_mask": mask}, self.batch_size)


def layers(outputs: int) -> nn.Sequential:
    return nn.Sequential(nn.Linear(N_OBSERVATION, 256), nn.ReLU(), nn.Linear(256, outputs))


def main() -> None:
    chosen = arguments(__doc__)
    torch.set_num_threads(1)
    torch.manual_seed(chosen.seed)
    net = layers(N_ACTIONS)
    actor = ProbabilisticActor(
        TensorDictModule(net, in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        out_keys=["action"],
        distribution_class=MaskedCategorical,
        return_log_prob=True,
    )
    critic = ValueOperator(layers(1), in_keys=["observation"])
    loss_module = ClipPPOLoss(actor, critic, clip_epsilon=0.2, entropy_coeff=0.01, critic_coeff=0.5)
    advantage = GAE(gamma=1.0, lmbda=0.95, value_network=critic)
    optimizer = torch.optim.Adam(loss_module.parameters(), lr=1e-3)
    tables = gym.make_vec(
        "klaverjas_env:Klaverjas-v0",
        num_envs=N_ENVS,
        vectorization_mode="vector_entry_point",
        variant=HOUSE,
        opponents="random",
        reward_scale=0.01,
    )
    env = Tables(tables)
    env.set_seed(chosen.seed)
    collector = Collector(env, actor, frames_per_batch=N_ENVS * N_STEPS, total_frames=-1)

    @torch.no_grad()
    def best(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        seen = TensorDict({"observation": torch.as_tensor(observation)}, batch_size=[len(observation)])
        logits = actor.module[0](seen)["logits"].numpy()
        return np.where(action_mask == 1, logits, -np.inf).argmax(1)

    measure("before", "TorchRL PPO", best, chosen.pairs)
    clock = Clock(chosen.seconds)
    decisions = 0
    for data in collector:
        decisions += data.numel()
        with torch.no_grad():
            advantage(data)
        rows = data.reshape(-1)
        for _ in range(N_EPOCHS):
            for batch in rows[torch.randperm(len(rows))].chunk(N_MINIBATCHES):
                losses = loss_module(batch)
                loss = losses["loss_objective"] + losses["loss_critic"] + losses["loss_entropy"]
                optimizer.zero_grad()
                loss.backward()
                nn.utils.clip_grad_norm_(loss_module.parameters(), 0.5)
                optimizer.step()
        if not clock.running:
            break
    collector.shutdown()
    print(f"trained on {decisions:,} decisions in {clock.spent:.0f} s of processor time")
    measure("after", "TorchRL PPO", best, chosen.pairs)


if __name__ == "__main__":
    main()
