"""Run in the environment of `tianshou`: every stored decision is legal and returns the result of its own side."""

import numpy as np
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv

from examples.measure import HOUSE
from examples.tianshou_dqn import QNet, self_play
from klaverjas_env import klaverjas_v0

envs = DummyVectorEnv([lambda: PettingZooEnv(klaverjas_v0.env(HOUSE)) for _ in range(4)])
envs.seed(list(range(4)))
algorithm = self_play(QNet(), PettingZooEnv(klaverjas_v0.env(HOUSE)))
buffer = VectorReplayBuffer(2000, 4)
collector = Collector(algorithm, envs, buffer, exploration_noise=True)
collector.reset()
collector.collect(n_episode=12)

indices = buffer.sample_indices(0)
stored = buffer[indices]
assert stored.obs.mask[np.arange(len(indices)), stored.act].all(), "an illegal action was taken"
batch = algorithm._preprocess_batch(stored, buffer, indices)
begun = 0
results = np.zeros((len(indices), 4))
for i in range(len(indices)):
    if stored.done[i]:
        results[begun : i + 1] = stored.rew[i]
        begun = i + 1
assert begun == len(indices)
assert (np.abs(results).sum(1) > 0).all()
assert (results[:, 0] == results[:, 2]).all()
assert (results[:, 0] == -results[:, 1]).all()
for seat in range(4):
    of_seat = stored.obs.agent_id == f"player_{seat}"
    np.testing.assert_allclose(batch[f"player_{seat}"].returns.numpy().ravel(), results[of_seat, seat], atol=1e-3)
