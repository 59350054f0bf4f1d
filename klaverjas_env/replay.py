"""The command that checks a file of deals and shows one: `python -m klaverjas_env.replay FILE [--deal N]`.

The file may be of any size; its lines are described in `records/files.py`. Exit status 0 when all holds, 1 when
something does not, 2 when the question makes no sense.
"""

import argparse
import sys
from collections.abc import Sequence
from typing import BinaryIO, Final

from klaverjas_env.records.files import entries
from klaverjas_env.records.text import deal_text

_FAULTS_SHOWN: Final = 20


def main(arguments: Sequence[str] | None = None) -> int:
    """Show a deal of a file and check the whole file; the exit status."""
    parser = argparse.ArgumentParser(prog="klaverjas_env.replay", description="check a file of deals, and show one")
    parser.add_argument("file", help="JSON, one deal a line; see klaverjas_env/records/files.py")
    parser.add_argument("--deal", type=int, default=1, metavar="N", help="which deal to show, from 1 (the default)")
    asked = parser.parse_args(arguments)
    try:
        with open(asked.file, "rb") as stream:
            return _check(stream, asked.deal)
    except OSError as error:
        sys.stderr.write(f"{asked.file}: {error.strerror}\n")
        return 2


def _check(stream: BinaryIO, wanted: int) -> int:
    """Go through a file, show the deal that is wanted, tell the faults, and sum up."""
    deals = faults = 0
    for entry in entries(stream):
        if entry.fault is not None:
            faults += 1
            if faults <= _FAULTS_SHOWN:
                _say(f"line {entry.line}: {entry.fault}\n")
            continue
        deals += 1
        if deals == wanted and entry.record is not None:
            _say(deal_text(entry.record))
    if faults > _FAULTS_SHOWN:
        _say(f"and {faults - _FAULTS_SHOWN} faults more\n")
    if deals == 0 and faults == 0:
        _say("the file holds no deal\n")
        return 1
    _say(f"{deals} deals hold; {faults or 'no'} faults\n")
    if faults:
        return 1
    if not 1 <= wanted <= deals:
        sys.stderr.write(f"there is no deal {wanted}; the deals are 1 to {deals}\n")
        return 2
    return 0


def _say(text: str) -> None:
    """Write to standard output, with escapes for letters that it cannot write."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


if __name__ == "__main__":
    raise SystemExit(main())
