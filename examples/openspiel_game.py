"""Klaverjas as an OpenSpiel game: importing this file registers `python_klaverjas(variant=...)` with pyspiel.

An episode is one deal, drawn by three chance nodes that spell its seed: states clone, print and rebuild from their
history as those of any OpenSpiel game, and the deals are those of `klaverjas_env` for that seed. Utilities are points.
"""

import numpy as np
import pyspiel

from klaverjas_env import game as law
from klaverjas_env.notation import action_name, position
from klaverjas_env.observation import N_OBSERVATION, PHYSICAL, write_observation
from klaverjas_env.view import view

SEATS = 4
CHANCES = 3
OUTCOMES = 1024
"""The seed of a deal has `CHANCES` digits in base `OUTCOMES`."""
MOST_POINTS = 2000.0
"""Above what any deal of the presets can be worth."""

GAME_TYPE = pyspiel.GameType(
    short_name="python_klaverjas",
    long_name="Klaverjas",
    dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
    chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
    information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
    utility=pyspiel.GameType.Utility.ZERO_SUM,
    reward_model=pyspiel.GameType.RewardModel.TERMINAL,
    max_num_players=SEATS,
    min_num_players=SEATS,
    # No information state: the observation holds what matters, not the order of everything that was said.
    provides_information_state_string=False,
    provides_information_state_tensor=False,
    provides_observation_string=True,
    provides_observation_tensor=True,
    parameter_specification={"variant": "amsterdams/utrechts"},
)


class KlaverjasGame(pyspiel.Game):
    """The game under the house rules of its parameter `variant`."""

    def __init__(self, params=None):
        self.variant = (params or {}).get("variant", "amsterdams/utrechts")
        info = pyspiel.GameInfo(
            num_distinct_actions=law.N_ACTIONS,
            max_chance_outcomes=OUTCOMES,
            num_players=SEATS,
            min_utility=-MOST_POINTS,
            max_utility=MOST_POINTS,
            utility_sum=0.0,
            max_game_length=256,
        )
        super().__init__(GAME_TYPE, info, {"variant": self.variant})

    def new_initial_state(self):
        return KlaverjasState(self)

    def make_py_observer(self, iig_obs_type=None, params=None):
        return KlaverjasObserver()


class KlaverjasState(pyspiel.State):
    """One deal: `games` is `GAME` [1], or None before it has been dealt."""

    def __init__(self, game):
        super().__init__(game)
        self.variant = game.variant
        self.digits = []
        self.games = None

    def current_player(self):
        if self.games is None:
            return pyspiel.PlayerId.CHANCE
        return pyspiel.PlayerId.TERMINAL if self.is_terminal() else int(self.games["to_act"][0])

    def chance_outcomes(self):
        return [(digit, 1.0 / OUTCOMES) for digit in range(OUTCOMES)]

    def _legal_actions(self, player):
        actions = law.legal(self.games[0])
        return [action for action in range(law.N_ACTIONS) if actions >> action & 1]

    def _apply_action(self, action):
        if self.games is None:
            self.digits.append(action)
            if len(self.digits) == CHANCES:
                seed = sum(digit * OUTCOMES**place for place, digit in enumerate(self.digits))
                self.games = law.new(self.variant, seed)
            return
        law.apply(self.games[0], action)
        while self.games["phase"][0] == law.PASSED_OUT:
            law.next_deal(self.games[0])

    def _action_to_string(self, player, action):
        return f"seed digit {action}" if player == pyspiel.PlayerId.CHANCE else action_name(action)

    def is_terminal(self):
        return self.games is not None and self.games["phase"][0] == law.DEAL_OVER

    def returns(self):
        if not self.is_terminal():
            return [0.0] * SEATS
        south_north, west_east = (float(points) for points in self.games["score"][0])
        return [south_north - west_east, west_east - south_north] * 2

    def __str__(self):
        return f"seed digits {self.digits}" if self.games is None else position(self.games)


class KlaverjasObserver:
    """The observation of `klaverjas_env.observation`, float32 [OBS]."""

    def __init__(self):
        self.tensor = np.zeros(N_OBSERVATION, np.float32)
        self.dict = {"observation": self.tensor}

    def set_from(self, state, player):
        self.tensor.fill(0.0)
        if state.games is not None:
            write_observation(state.games[0], player, PHYSICAL, self.tensor)

    def string_from(self, state, player):
        return "not dealt" if state.games is None else position(view(state.games, np.array([player])))


pyspiel.register_game(GAME_TYPE, KlaverjasGame)
