"""reference/chacha20.py against the vectors of RFC 8439."""

import struct

import pytest
from reference import chacha20

COUNTING_KEY = bytes(range(32))
ZERO_KEY = bytes(32)

# RFC 8439, section 2.3.2 and appendix A.1: key, nonce, counter, block.
BLOCKS = {
    "2.3.2": (
        COUNTING_KEY,
        "000000090000004a00000000",
        1,
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
    ),
    "A.1-1": (
        ZERO_KEY,
        "000000000000000000000000",
        0,
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    ),
    "A.1-5": (
        ZERO_KEY,
        "000000000000000000000002",
        0,
        "c2c64d378cd536374ae204b9ef933fcd1a8b2288b3dfa49672ab765b54ee27c7"
        "8a970e0e955c14f3a88e741b97c286f75f8fc299e8148362fa198a39531bed6d",
    ),
}


@pytest.mark.parametrize("section", BLOCKS)
def test_block_rfc8439(section: str) -> None:
    key, nonce, counter, expected = BLOCKS[section]
    assert chacha20.block(key, bytes.fromhex(nonce), counter).hex() == expected


def test_quarter_round_rfc8439() -> None:
    # section 2.1.1
    before = (0x11111111, 0x01020304, 0x9B8D6F43, 0x01234567)
    after = (0xEA2A92F4, 0xCB1CF8CE, 0x4581472E, 0x5881C4BB)
    assert chacha20.quarter_round(*before) == after


def test_interleaved_places_each_block() -> None:
    nonce = bytes(range(12))
    words = chacha20.interleaved(COUNTING_KEY, nonce, 7, 2)
    assert len(words) == 512
    for n in range(32):
        group, b = divmod(n, 16)
        expected = struct.unpack("<16I", chacha20.block(COUNTING_KEY, nonce, 7 + n))
        assert tuple(words[256 * group + b : 256 * (group + 1) : 16]) == expected


def test_counter_never_wraps() -> None:
    last = 2**32 - 16
    assert len(chacha20.interleaved(ZERO_KEY, bytes(12), last, 1)) == 256
    with pytest.raises(ValueError, match="counter"):
        chacha20.interleaved(ZERO_KEY, bytes(12), last, 2)
