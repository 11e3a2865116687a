"""csrc/generator/aes256*.c against FIPS 197 written again in Python, and `cryptography`."""

import numpy as np
import pytest
from reference import aes256 as oracle
from reference import chacha20

from cydp.testing import SeededGenerator, aes256_words

KEY = np.arange(1, 9, dtype=np.uint32) * np.uint32(0x01234567)
NONCE = np.array([0x09000000, 0x4A000000, 7], np.uint32)

needs_aes = pytest.mark.skipif(
    not aes256_words(KEY, NONCE, 0), reason="needs AES instructions, which portable has not"
)


def test_the_oracle_is_fips_197() -> None:
    """Appendix C.3, and the key of A.3."""
    encrypted = oracle.encrypt(bytes(range(32)), bytes.fromhex("00112233445566778899aabbccddeeff"))
    assert encrypted.hex() == "8ea2b7ca516745bfeafc49904b496089"
    key = bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4")
    assert oracle.round_keys(key)[14].hex() == "fe4890d1e6188d0b046df344706c631e"


@needs_aes
@pytest.mark.parametrize("counter", [0, 0xFFD0, 2**32 - 128])
def test_every_version_is_the_oracle(counter: int) -> None:
    expected = oracle.counter_mode(KEY.tobytes(), NONCE.tobytes(), counter, 128)
    for name, words in aes256_words(KEY, NONCE, counter, groups=2).items():
        assert words.tobytes() == expected, name


@pytest.mark.hosts
@needs_aes
def test_every_version_is_that_of_cryptography() -> None:
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers")
    key, nonce, counter = KEY.tobytes(), NONCE.tobytes(), 0x00FFFF00
    start = nonce + counter.to_bytes(4, "big")
    cipher = ciphers.Cipher(ciphers.algorithms.AES(key), ciphers.modes.CTR(start))
    expected = cipher.encryptor().update(bytes(2**20))
    for name, words in aes256_words(KEY, NONCE, counter, groups=2**10).items():
        assert words.tobytes() == expected, name


@needs_aes
def test_the_generator_is_this_keystream() -> None:
    """Fast key erasure: of each 4 KiB the first 64 bytes are keys, the rest is served."""
    key = (5).to_bytes(32, "little")
    served = b""
    for _ in range(2):
        refill = oracle.counter_mode(key, bytes(12), 0, 256)
        key, served = refill[:32], served + refill[64:]
    rng = SeededGenerator(5, stream="aes")
    assert rng.bytes(104) + b"".join(rng.bytes(256) for _ in range(30)) == served[: 104 + 30 * 256]


@needs_aes
def test_many_bytes_come_from_a_key_for_each_chunk() -> None:
    """ChaCha20 makes the keys of chunks of 64 KiB, two a block, from a key of the call's own."""
    refill = oracle.counter_mode((6).to_bytes(32, "little"), bytes(12), 0, 6)
    call_key, domain = refill[64:96], (3).to_bytes(12, "little")
    keys = chacha20.block(call_key, domain, 0)
    got = SeededGenerator(6, stream="aes").bytes(2**16 + 160)
    assert got[:160] == oracle.counter_mode(keys[:32], bytes(12), 0, 10)
    second = bytes(4) + (1).to_bytes(8, "little")
    assert got[2**16 :] == oracle.counter_mode(keys[32:], second, 0, 10)
