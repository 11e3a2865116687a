"""The first bits of candidates, of both streams: the table of docs/generator.md."""

import numpy as np

from reference import aes256, chacha20

GROUP = 1024  # bytes

_CHUNK_KEYS = 3  # domain
_HELD = 32  # keys of chunks under one nonce


def nonce(domain: int, level: int, round_: int, chunk: int) -> bytes:
    """Return domain, level and round in word 0, and the chunk in words 1 and 2."""
    word = domain | level << 8 | round_ << 16
    return word.to_bytes(4, "little") + chunk.to_bytes(8, "little")


def refill(stream: str, key: bytes) -> bytes:
    """Return 4 KiB: two keys, and what small calls are served."""
    return _expand(stream, key, nonce(0, 0, 0, 0), 4)


def of_chunk(stream: str, key: bytes, round_: int, chunk: int, groups: int) -> bytes:
    """Return the first bits of a chunk's candidates: `key` is the call's, or the chunk's of AES."""
    return _expand(stream, key, nonce(0, 0, round_, chunk), groups)


def chunk_key(call_key: bytes, chunk: int) -> bytes:
    """Return a chunk's key of AES: half a block of ChaCha20."""
    block, half = divmod(chunk % _HELD, 2)
    keys = chacha20.block(call_key, nonce(_CHUNK_KEYS, 0, 0, chunk // _HELD), block)
    return keys[32 * half :][:32]


def _expand(stream: str, key: bytes, at: bytes, groups: int) -> bytes:
    if stream == "aes":
        return aes256.counter_mode(key, at, 0, GROUP // 16 * groups)
    return np.array(chacha20.interleaved(key, at, 0, groups), np.uint32).tobytes()
