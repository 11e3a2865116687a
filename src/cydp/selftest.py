# SPDX-License-Identifier: MIT
"""Checks that the installed package computes what it computed where it was made."""

from collections.abc import Iterator

import numpy as np

from cydp.testing import SeededGenerator, chacha20_words

# RFC 8439: sections 2.3.2 and A.1, test vectors 1 and 2; (key, nonce, counter) and the block.
_BLOCKS = {
    "RFC 8439 2.3.2": (
        (bytes(range(32)), bytes.fromhex("000000090000004a00000000"), 1),
        "10f1e7e4d13b5915500fdd1fa32071c4c7d1f4c733c068030422aa9ac3d46c4e"
        "d2826446079faa0914c2d705d98b02a2b5129cd1de164eb9cbd083e8a2503c4e",
    ),
    "RFC 8439 A.1 #1": (
        (bytes(32), bytes(12), 0),
        "76b8e0ada0f13d90405d6ae55386bd28bdd219b8a08ded1aa836efcc8b770dc7"
        "da41597c5157488d7724e03fb8d84a376a43b8f41518a11cc387b669b2ee6586",
    ),
    "RFC 8439 A.1 #2": (
        (bytes(32), bytes(12), 1),
        "9f07e7be5551387a98ba977c732d080dcb0f29a048e3656912c6533e32ee7aed"
        "29b721769ce64e43d57133b074d839d531ed1f28510afb45ace10a1f4b794d6f",
    ),
}

# The first samples of SeededGenerator(7) in calls of 5 and of 500: the stream of version 0.1.
STREAM: dict[str, tuple[list[int], list[int]]] = {
    "1": ([-1, -1, -1, 2, 0], [3, 0, -1, -2, 0]),
    "10": ([-13, -13, -11, 17, 5], [33, -6, -15, -17, 3]),
    "1000": ([-1317, -1295, -1104, 1701, 543], [3253, -586, -1459, -1720, 289]),
    "1e6": (
        [-1295030, -1700800, 710720, 759396, -3593558],
        [659684, -543959, 307778, -1404370, 1615311],
    ),
    "2e10": (
        [-25900591933, -34016008474, 14214404702, 15187927325, -71871167155],
        [13193672541, -10879172783, 6155553807, -28087395708, 32306226528],
    ),
}


def checks() -> Iterator[tuple[str, bool]]:
    """Yield the name of each check and whether it holds."""
    for name, ((key, nonce, counter), block) in _BLOCKS.items():
        words = chacha20_words(
            np.frombuffer(key, np.uint32), np.frombuffer(nonce, np.uint32), counter
        )
        yield name, words.tobytes().hex() == block
    for scale, (few, many) in STREAM.items():
        rng = SeededGenerator(7)
        drawn = rng.discrete_laplace(scale, 5), rng.discrete_laplace(scale, 500)[:5]
        yield f"stream at scale {scale}", [d.tolist() for d in drawn] == [few, many]
