"""csrc/generator/chacha20*.c against the RFC written again in Python."""

import numpy as np
import pytest
from reference import chacha20 as oracle

from cydp.testing import SeededGenerator, chacha20_words

KEY = np.arange(1, 9, dtype=np.uint32) * np.uint32(0x01234567)
NONCE = np.array([0x09000000, 0x4A000000, 7], np.uint32)


@pytest.mark.parametrize("counter", [0, 1, 255, 2**32 - 1])
def test_blocks(counter: int) -> None:
    block = oracle.block(KEY.tobytes(), NONCE.tobytes(), counter)
    assert chacha20_words(KEY, NONCE, counter).tobytes() == block


@pytest.mark.parametrize("counter", [0, 3, 2**32 - 48])
def test_groups_interleave(counter: int) -> None:
    expected = oracle.interleaved(KEY.tobytes(), NONCE.tobytes(), counter, 3)
    assert chacha20_words(KEY, NONCE, counter, groups=3).tolist() == expected


def test_the_generator_is_this_keystream() -> None:
    """Fast key erasure: of each 4 KiB the first 64 bytes are keys, the rest is served."""
    key = (5).to_bytes(32, "little")
    served = b""
    for _ in range(3):
        refill = np.array(oracle.interleaved(key, bytes(12), 0, 4), np.uint32).tobytes()
        key, served = refill[:32], served + refill[64:]
    rng = SeededGenerator(5)
    assert rng.bytes(104) + b"".join(rng.bytes(256) for _ in range(40)) == served[: 104 + 40 * 256]


def test_many_bytes_come_from_a_key_of_their_own() -> None:
    refill = np.array(oracle.interleaved((6).to_bytes(32, "little"), bytes(12), 0, 4), np.uint32)
    key = refill.tobytes()[64:96]
    expected = np.array(oracle.interleaved(key, bytes(12), 0, 5), np.uint32).tobytes()
    assert SeededGenerator(6).bytes(5000) == expected[:5000]
