"""OpenSpiel: a linear agent in self-play through `rl_environment`, `python -m examples.openspiel_linear --seconds 60`.

The game is registered with pyspiel (see `openspiel_game`); four agents of OpenSpiel's `AbstractAgent` kind read their
`TimeStep` (`info_state`, `legal_actions`, `rewards`) and share one linear policy, learned by REINFORCE with a linear
baseline. Needs nothing but numpy beside OpenSpiel.
"""

import numpy as np
from open_spiel.python import rl_agent, rl_environment

from examples import openspiel_game
from examples.measure import Clock, arguments, measure
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import N_OBSERVATION

POLICY_RATE = 0.1
VALUE_RATE = 0.02


class LinearAgent(rl_agent.AbstractAgent):
    """One seat: a softmax over `policy` [A, OBS] times the observation, with `value` [OBS] as its baseline."""

    def __init__(self, player_id: int, policy: np.ndarray, value: np.ndarray, rng: np.random.Generator) -> None:
        self.player_id = player_id
        self.policy = policy
        self.value = value
        self.rng = rng
        self.taken: list[tuple[np.ndarray, list[int], np.ndarray, int]] = []

    def step(self, time_step, is_evaluation=False):
        if time_step.last():
            self.learn(time_step.rewards[self.player_id] / 100.0)
            return None
        info_state = np.asarray(time_step.observations["info_state"][self.player_id], np.float32)
        legal = time_step.observations["legal_actions"][self.player_id]
        logits = self.policy[legal] @ info_state
        chances = np.exp(logits - logits.max())
        chances /= chances.sum()
        choice = int(chances.argmax()) if is_evaluation else int(self.rng.choice(len(legal), p=chances))
        if not is_evaluation and len(legal) > 1:
            self.taken.append((info_state, legal, chances, choice))
        return rl_agent.StepOutput(action=legal[choice], probs=chances)

    def learn(self, result: float) -> None:
        """REINFORCE: what the deal brought above expectation makes the actions taken in it more likely."""
        for info_state, legal, chances, choice in self.taken:
            direction = info_state / (info_state @ info_state)
            advantage = result - self.value @ info_state
            self.value += VALUE_RATE * advantage * direction
            gradient = -chances
            gradient[choice] += 1.0
            self.policy[legal] += POLICY_RATE * advantage * gradient[:, None] * direction
        self.taken.clear()


def main() -> None:
    chosen = arguments(__doc__)
    environment = rl_environment.Environment(
        openspiel_game.GAME_TYPE.short_name,
        chance_event_sampler=rl_environment.ChanceEventSampler(seed=chosen.seed),
    )
    policy = np.zeros((N_ACTIONS, N_OBSERVATION), np.float32)
    value = np.zeros(N_OBSERVATION, np.float32)
    rng = np.random.default_rng(chosen.seed)
    agents = [LinearAgent(seat, policy, value, rng) for seat in range(environment.num_players)]

    def best(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        return np.where(action_mask == 1, observation @ policy.T, -np.inf).argmax(1)

    measure("before", "OpenSpiel linear", best, chosen.pairs)
    clock = Clock(chosen.seconds)
    decisions = 0
    while clock.running:
        time_step = environment.reset()
        while not time_step.last():
            seat = time_step.observations["current_player"]
            time_step = environment.step([agents[seat].step(time_step).action])
            decisions += 1
        for agent in agents:
            agent.step(time_step)
    print(f"trained on {decisions:,} decisions in {clock.spent:.0f} s of processor time")
    measure("after", "OpenSpiel linear", best, chosen.pairs)


if __name__ == "__main__":
    main()
