"""AES-256, FIPS 197, and counter mode, SP 800-38A: with tables, many blocks side by side."""

from functools import lru_cache

import numpy as np

_ROUNDS = 14


def _double(a: int) -> int:
    return a << 1 ^ (0x11B if a & 0x80 else 0)


def _product(a: int, b: int) -> int:
    product = 0
    while b:
        product ^= a if b & 1 else 0
        a, b = _double(a), b >> 1
    return product


def _substitute(a: int) -> int:
    """Section 5.1.1: the inverse in the field, and an affine map."""
    inverse = next((b for b in range(256) if _product(a, b) == 1), 0)
    twice = inverse << 8 | inverse
    rotated = [twice >> (8 - i) & 0xFF for i in range(5)]
    return rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63


SBOX = bytes(map(_substitute, range(256)))
_SUBSTITUTED = np.array(list(SBOX), np.uint8)
_TWICE = np.array([_double(a) for a in range(256)], np.uint8)
_SHIFTED = np.array([(i + 4 * (i % 4)) % 16 for i in range(16)])


@lru_cache(maxsize=64)
def round_keys(key: bytes) -> tuple[bytes, ...]:
    """Return 15 keys of 16 bytes, section 5.2."""
    if len(key) != 32:
        raise ValueError(f"key must have 32 bytes, not {len(key)}")
    words, constant = [key[4 * i : 4 * i + 4] for i in range(8)], 1
    for i in range(8, 4 * (_ROUNDS + 1)):
        word = words[-1]
        if i % 8 == 0:
            word = bytes(SBOX[b] for b in word[1:] + word[:1])
            word = bytes([word[0] ^ constant]) + word[1:]
            constant = _double(constant)
        elif i % 8 == 4:
            word = bytes(SBOX[b] for b in word)
        words.append(bytes(a ^ b for a, b in zip(words[i - 8], word, strict=True)))
    return tuple(b"".join(words[4 * i : 4 * i + 4]) for i in range(_ROUNDS + 1))


def encrypt(key: bytes, blocks: bytes) -> bytes:
    """Return the encrypted blocks of 16 bytes, section 5.1."""
    keys = [np.frombuffer(words, np.uint8) for words in round_keys(key)]
    state = np.frombuffer(blocks, np.uint8).reshape(-1, 16) ^ keys[0]
    for number in range(1, _ROUNDS + 1):
        state = _SUBSTITUTED[state[:, _SHIFTED]]
        if number < _ROUNDS:
            a = state.reshape(-1, 4, 4)  # block, column, row
            b, c, d = (np.roll(a, -i, axis=2) for i in (1, 2, 3))
            state = (_TWICE[a] ^ _TWICE[b] ^ b ^ c ^ d).reshape(-1, 16)
        state = state ^ keys[number]
    return bytes(state.tobytes())


def counter_mode(key: bytes, nonce: bytes, counter: int, blocks: int) -> bytes:
    """Return 16 bytes a block: encrypted nonce and counter, most significant byte first."""
    if len(nonce) != 12:
        raise ValueError(f"nonce must have 12 bytes, not {len(nonce)}")
    counters = range(counter, counter + blocks)
    return encrypt(key, b"".join(nonce + i.to_bytes(4, "big") for i in counters))
