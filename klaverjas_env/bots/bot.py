"""What a bot is: views in, actions out."""

from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from klaverjas_env.jit import jit


class Bot(ABC):
    """A player. It sees only views (`view.view`): records in which the hidden cards are blank.

    Its answer depends on its own seed and the view alone, not on what else it was asked before or beside it: results
    are the same whatever the size and order of batches.
    """

    name: str
    """How results name it."""
    sees_all: bool = False
    """Whether it is given the games themselves, hidden hands and all, instead of views: for yardsticks only."""

    @abstractmethod
    def act_many(self, views: np.ndarray) -> np.ndarray:
        """One legal action int64 [N] for the seat to act in each of the views, `GAME` [N]."""

    def act(self, view: np.ndarray) -> int:
        """The action for one view, `GAME` [1]."""
        return int(self.act_many(view)[0])


@jit
def decision_number(view: Any, seat: int) -> int:
    """A number for what `seat` has to decide, from what it sees: own hand (32 bits), plays, bids and deal number. Bots
    key their draws to it, so that the same question gets the same answer in any batch."""
    return int(view.hands[seat] | view.n_plays << 32 | view.n_bids << 38 | (view.deal_number & 0xFFFFF) << 43)
