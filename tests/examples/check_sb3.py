"""Run in the environment of `sb3`: the return of the learner is the result of its own side, wherever it sits."""

import gymnasium as gym
from sb3_contrib import MaskablePPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor


class Results(gym.Wrapper):
    """Keeps the result of every deal, for the side of the learner."""

    def __init__(self, env: gym.Env, seat: int) -> None:
        super().__init__(env)
        self.team = seat & 1
        self.results: list[float] = []

    def step(self, action):
        seen, reward, terminated, truncated, info = self.env.step(action)
        if terminated:
            score = info["deal"]["score"]
            self.results.append(float(score[self.team] - score[1 - self.team]))
        return seen, reward, terminated, truncated, info

    def action_masks(self):
        return self.env.get_wrapper_attr("action_masks")()


for seat in range(4):
    check_env(gym.make("klaverjas_env:Klaverjas-v0", seat=seat), skip_render_check=True)
    kept = Results(gym.make("klaverjas_env:Klaverjas-v0", seat=seat, opponents="greedy", partner="random"), seat)
    monitor = Monitor(kept)
    MaskablePPO("MlpPolicy", monitor, n_steps=256, n_epochs=1, seed=seat, device="cpu").learn(512)
    returns = monitor.get_episode_rewards()
    assert len(returns) > 20
    assert returns == kept.results, (seat, returns, kept.results)
