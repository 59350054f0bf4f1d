"""Run in the environment of `openspiel`: OpenSpiel's own simulation test, and deals that are those of klaverjas_env."""

import random

import numpy as np
import pyspiel

from examples import openspiel_game
from klaverjas_env import game as law

game = pyspiel.load_game("python_klaverjas(variant=rotterdams/stock-zoeker)")
pyspiel.random_sim_test(game, num_sims=10, serialize=False, verbose=False)
random.seed(1)
for seed in range(30):
    state = game.new_initial_state()
    for place in range(openspiel_game.CHANCES):
        state.apply_action(seed // openspiel_game.OUTCOMES**place % openspiel_game.OUTCOMES)
    games = law.new("rotterdams/stock-zoeker", seed)
    while not state.is_terminal():
        assert state.current_player() == games["to_act"][0]
        action = random.choice(state.legal_actions())
        before = str(state)
        clone = state.clone()
        clone.apply_action(action)
        assert str(state) == before
        state.apply_action(action)
        assert str(clone) == str(state)
        law.apply(games[0], action)
        while games["phase"][0] == law.PASSED_OUT:
            law.next_deal(games[0])
    south_north, west_east = (float(points) for points in games["score"][0])
    assert state.returns() == [south_north - west_east, west_east - south_north] * 2
    assert np.sum(state.returns()) == 0
