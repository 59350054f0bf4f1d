"""OpenSpiel: a linear agent in self-play through `rl_environment`, `python -m examples.openspiel_linear --seconds 60`.

The game is registered with pyspiel (see `openspiel_game`); four agents of OpenSpiel's `AbstractAgent` kind read their
`TimeStep` (`info_state`, `legal_actions`, `rewards`) and share one table of weights, learned by Monte-Carlo control: the
value of an action is what the deal brought the seat that took it. Needs nothing but numpy beside OpenSpiel.
"""

import numpy as np
from open_spiel.python import rl_agent, rl_environment

from examples import openspiel_game
from examples.measure import Clock, arguments, measure
from klaverjas_env.game import N_ACTIONS
from klaverjas_env.observation import N_OBSERVATION

EXPLORATION = 0.1
LEARNING_RATE = 0.03


class LinearAgent(rl_agent.AbstractAgent):
    """One seat: the best of `weights` [A, OBS] times the observation, now and then something else."""

    def __init__(self, player_id: int, weights: np.ndarray, rng: np.random.Generator) -> None:
        self.player_id = player_id
        self.weights = weights
        self.rng = rng
        self.taken: list[tuple[np.ndarray, int]] = []

    def step(self, time_step, is_evaluation=False):
        if time_step.last():
            self.learn(time_step.rewards[self.player_id])
            return None
        info_state = np.asarray(time_step.observations["info_state"][self.player_id], np.float32)
        legal = time_step.observations["legal_actions"][self.player_id]
        action = legal[int((self.weights[legal] @ info_state).argmax())]
        if not is_evaluation and self.rng.random() < EXPLORATION:
            action = int(self.rng.choice(legal))
        self.taken.append((info_state, action))
        return rl_agent.StepOutput(action=action, probs=None)

    def learn(self, points: float) -> None:
        """Move the value of each action of this deal towards its result (normalised least mean squares)."""
        for info_state, action in self.taken:
            error = points - self.weights[action] @ info_state
            self.weights[action] += LEARNING_RATE * error / (info_state @ info_state) * info_state
        self.taken.clear()


def main() -> None:
    chosen = arguments(__doc__)
    np.random.seed(chosen.seed)
    environment = rl_environment.Environment(
        openspiel_game.GAME_TYPE.short_name,
        chance_event_sampler=rl_environment.ChanceEventSampler(seed=chosen.seed),
    )
    weights = np.zeros((N_ACTIONS, N_OBSERVATION), np.float32)
    rng = np.random.default_rng(chosen.seed)
    agents = [LinearAgent(seat, weights, rng) for seat in range(environment.num_players)]

    def best(observation: np.ndarray, action_mask: np.ndarray) -> np.ndarray:
        return np.where(action_mask == 1, observation @ weights.T, -np.inf).argmax(1)

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
    print(f"trained on {decisions:,} decisions in {clock.spent:.0f} s")
    measure("after", "OpenSpiel linear", best, chosen.pairs)


if __name__ == "__main__":
    main()
