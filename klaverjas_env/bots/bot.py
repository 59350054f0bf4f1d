"""What a bot is: views in, actions out."""

from abc import ABC, abstractmethod

import numpy as np


class Bot(ABC):
    """A player. It sees only views (`view.view`): records in which the hidden cards are blank.

    Its answer depends on its own seed and the view alone, not on what else it was asked before or beside it: results
    are the same whatever the size and order of batches.
    """

    name: str
    """How results name it."""
    sees_all: bool = False
    """Whether it is handed the games themselves instead of views: a yardstick, no player."""

    @abstractmethod
    def act_many(self, views: np.ndarray) -> np.ndarray:
        """One legal action int64 [N] for the seat to act in each of the views, `GAME` [N]."""

    def act(self, view: np.ndarray) -> int:
        """The action for one view, `GAME` [1]."""
        return int(self.act_many(view)[0])
