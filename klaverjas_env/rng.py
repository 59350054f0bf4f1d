"""Deals from (seed, deal number): the same on every machine and Python, for ever.

The generator is Philox4x32-10 (Salmon, Moraes, Dror and Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011):
counter-based, so that any deal of any match can be dealt without dealing those before it. Every intermediate fits in 64
unsigned bits, so numpy and compiled code agree to the last bit.
"""

import numpy as np

from klaverjas_env.jit import jit

GENERATOR = "klaverjas-deals-v1"
"""Frozen name of the way in which (seed, deal number) becomes hands; written into records and checkpoints."""

DOMAIN_PACK = 0
"""Draws that deal the 32 cards."""
DOMAIN_STOCK = 1
"""Draws that order the pile of low cards from which trump is turned."""
DOMAIN_DEALER = 2
"""The draw of the first dealer of a match."""
DOMAIN_TABLE = 3
"""Draws that give each table of a batch its own seed."""
DOMAIN_CONTRACT = 4
"""The draw that decides whether a deal gets a random contract; the next domain draws which."""

STREAM = 9
"""Length of a stream: seed, number, domain, index, words drawn, and the four words in hand."""

_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_ONE = np.uint64(1)
_LANES = np.uint64(3)
_MULTIPLIER_0 = np.uint64(0xD2511F53)
_MULTIPLIER_1 = np.uint64(0xCD9E8D57)
_WEYL_0 = np.uint64(0x9E3779B9)
_WEYL_1 = np.uint64(0xBB67AE85)


@jit
def philox(
    counter_0: np.uint64, counter_1: np.uint64, counter_2: np.uint64, counter_3: np.uint64, key: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Four random 32-bit words for a counter of four 32-bit words and a 64-bit key."""
    key_0 = key & _LOW
    key_1 = key >> _HALF
    for _ in range(10):
        product_0 = _MULTIPLIER_0 * counter_0
        product_1 = _MULTIPLIER_1 * counter_2
        counter_0 = (product_1 >> _HALF) ^ counter_1 ^ key_0
        counter_1 = product_1 & _LOW
        counter_2 = (product_0 >> _HALF) ^ counter_3 ^ key_1
        counter_3 = product_0 & _LOW
        key_0 = (key_0 + _WEYL_0) & _LOW
        key_1 = (key_1 + _WEYL_1) & _LOW
    return counter_0, counter_1, counter_2, counter_3


@jit
def _words(seed: int, number: int, domain: int, block: int) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """The `block`-th four words of the stream (seed, number, domain)."""
    count = np.uint64(number)
    position = (np.uint64(domain) << np.uint64(16)) | np.uint64(block)
    return philox(count & _LOW, count >> _HALF, position, np.uint64(0), np.uint64(seed))


@jit
def _below(word: np.uint64, bound: int) -> int:
    """A number in 0..bound-1 from a 32-bit word (multiply and shift; bias under bound / 2^32)."""
    return int((word * np.uint64(bound)) >> _HALF)


@jit
def shuffle(seed: int, number: int, domain: int, items: np.ndarray, draws: int) -> None:
    """Put `draws` uniformly drawn items first, in the order drawn (Fisher and Yates; in place).

    `items` int64 [n]; `draws` at most n - 1.
    """
    n = len(items)
    for block in range((draws + 3) // 4):
        words = _words(seed, number, domain, block)
        for lane in range(min(4, draws - 4 * block)):
            i = 4 * block + lane
            if lane == 0:
                word = words[0]
            elif lane == 1:
                word = words[1]
            elif lane == 2:
                word = words[2]
            else:
                word = words[3]
            j = i + _below(word, n - i)
            item = items[i]
            items[i] = items[j]
            items[j] = item


@jit
def draw(seed: int, number: int, domain: int, bound: int) -> int:
    """One uniform number in 0..bound-1 for (seed, number, domain)."""
    return _below(_words(seed, number, domain, 0)[0], bound)


@jit
def table_seed(seed: int, table: int) -> int:
    """The seed (63 bits) of one table of a batch, from the seed of the batch."""
    words = _words(seed, table, DOMAIN_TABLE, 0)
    return int(((words[0] << _HALF) | words[1]) >> np.uint64(1))


@jit
def start_stream(stream: np.ndarray, seed: int, number: int, domain: int, index: int) -> None:
    """Set `stream` uint64 [STREAM] to the first word of (seed, number, domain, index): for who does not know beforehand
    how many words it will draw (at most 2^18). `index` 0..2^32-1 keeps the samples of one number apart."""
    stream[0] = np.uint64(seed)
    stream[1] = np.uint64(number)
    stream[2] = np.uint64(domain)
    stream[3] = np.uint64(index)
    stream[4] = np.uint64(0)


@jit
def next_word(stream: np.ndarray) -> np.uint64:
    """The next random 32-bit word of a stream uint64 [STREAM]."""
    drawn = stream[4]
    lane = int(drawn & _LANES)
    if lane == 0:
        number = stream[1]
        position = (stream[2] << np.uint64(16)) | (drawn >> np.uint64(2))
        words = philox(number & _LOW, number >> _HALF, position, stream[3], stream[0])
        stream[5] = words[0]
        stream[6] = words[1]
        stream[7] = words[2]
        stream[8] = words[3]
    stream[4] = drawn + _ONE
    return np.uint64(stream[5 + lane])


@jit
def next_below(stream: np.ndarray, bound: int) -> int:
    """A number in 0..bound-1 from the next word of a stream; bias under bound / 2^32."""
    return _below(next_word(stream), bound)


@jit
def next_long_below(stream: np.ndarray, bound: int) -> int:
    """A number in 0..bound-1 from the next two words of a stream, for bounds up to 2^62; bias under bound / 2^64."""
    high = next_word(stream)
    return int(((high << _HALF) | next_word(stream)) % np.uint64(bound))
