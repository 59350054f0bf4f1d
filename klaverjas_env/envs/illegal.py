"""What an illegal action does in every door that does not merely refuse it, and what it costs."""

from typing import Final

ILLEGAL: Final = ("penalize", "raise")
"""What an illegal action may do: end the episode with `ILLEGAL_POINTS`, or be refused with an error."""
ILLEGAL_POINTS: Final = -162.0
"""What an illegal action costs its side: the card points of a deal, so that it never pays to lose so."""


def check_illegal(illegal: str) -> None:
    """ValueError for what is not one of `ILLEGAL`."""
    if illegal not in ILLEGAL:
        raise ValueError(f"illegal={illegal!r} is not one of {', '.join(ILLEGAL)}")
