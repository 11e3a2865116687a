"""ChaCha20 block function, RFC 8439 section 2.3, and the library's order of the keystream."""

import struct

BLOCKS = 16  # blocks in a group of the interleaved keystream
WORDS = 16  # 32-bit words in a block

_MASK = 0xFFFFFFFF
_CONSTANT = struct.unpack("<4I", b"expand 32-byte k")
_COLUMNS = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15))
_DIAGONALS = ((0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def _rotate(x: int, n: int) -> int:
    return (x << n) & _MASK | x >> (32 - n)


def quarter_round(a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    """Mix four 32-bit words, RFC 8439 section 2.1."""
    a = (a + b) & _MASK
    d = _rotate(d ^ a, 16)
    c = (c + d) & _MASK
    b = _rotate(b ^ c, 12)
    a = (a + b) & _MASK
    d = _rotate(d ^ a, 8)
    c = (c + d) & _MASK
    b = _rotate(b ^ c, 7)
    return a, b, c, d


def _words(key: bytes, nonce: bytes, counter: int) -> list[int]:
    if len(key) != 32 or len(nonce) != 12:
        raise ValueError(f"key and nonce must have 32 and 12 bytes, not {len(key)}, {len(nonce)}")
    if not 0 <= counter <= _MASK:
        raise ValueError(f"counter must be in [0, 2^32), not {counter}")
    start = [*_CONSTANT, *struct.unpack("<8I", key), counter, *struct.unpack("<3I", nonce)]
    state = list(start)
    for _ in range(10):
        for a, b, c, d in _COLUMNS + _DIAGONALS:
            state[a], state[b], state[c], state[d] = quarter_round(
                state[a], state[b], state[c], state[d]
            )
    return [(x + y) & _MASK for x, y in zip(state, start, strict=True)]


def block(key: bytes, nonce: bytes, counter: int) -> bytes:
    """Return the 64 bytes of one keystream block.

    Parameters
    ----------
    key, nonce : bytes
        32 and 12 bytes.
    counter : int
        Index of the block, in [0, 2^32).
    """
    return struct.pack("<16I", *_words(key, nonce, counter))


def interleaved(key: bytes, nonce: bytes, counter: int, groups: int) -> list[int]:
    """Return 256 words a group: word w of the group's block b stands at 16 w + b.

    Parameters
    ----------
    counter : int
        Index of the first block of the first group.
    groups : int
        Number of groups of 16 consecutive blocks.
    """
    out: list[int] = []
    for first in range(counter, counter + BLOCKS * groups, BLOCKS):
        blocks = [_words(key, nonce, first + b) for b in range(BLOCKS)]
        out += [blocks[b][w] for w in range(WORDS) for b in range(BLOCKS)]
    return out
