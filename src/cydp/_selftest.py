# SPDX-License-Identifier: MIT
"""Checks that the installed package computes what it computed where it was developed."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from cydp.testing import SeededGenerator, aes256_words, chacha20_words

__all__ = ["STREAM", "checks"]

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

# SP 800-38A F.5.5: key, nonce, counter, and the first output block of AES-256 in counter mode.
_AES = (
    bytes.fromhex("603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4"),
    bytes.fromhex("f0f1f2f3f4f5f6f7f8f9fafb"),
    0xFCFDFEFF,
    "0bdf7df1591716335e9a8b15c860c502",
)

# The first values of SeededGenerator(7) in calls of 5 and of 500: the stream of version 0.1. They
# are drawn by every method and from bits of every kind. At large scales candidates are rejected.
STREAM: dict[tuple[str, str], tuple[list[int], list[int]]] = {
    ("discrete_laplace", "1"): ([1, 1, 0, -1, 0], [0, -1, -1, 1, -1]),
    ("discrete_laplace", "4"): ([5, 5, -2, -5, 0], [2, -5, -2, 3, -4]),
    ("discrete_laplace", "10"): ([-13, -13, -11, 17, 5], [43, -1, 2, 3, 1]),
    ("discrete_laplace", "1000"): ([-1317, -1295, -1104, 1701, 543], [4315, -90, 154, 295, 83]),
    ("discrete_laplace", "1e6"): (
        [-1295030, -1700800, 710720, 759396, -3593558],
        [659684, -543959, 307778, -1404370, 1615311],
    ),
    ("discrete_laplace", "2e10"): (
        [-25900583315, -34016033857, 14214408066, 15187902529, -71871149534],
        [-139696243, 54447592517, -55057904727, -5516927399, 127302367345],
    ),
    ("discrete_laplace", "1e12"): (
        [-1295029504403, -1700800527425, 710720071554, 759395975233, -3593558701534],
        [-6983719027, 2722378110021, -2752894104663, -275846799783, 6365118199921],
    ),
    ("discrete_laplace", "7e16"): (
        [
            -90652059972798867,
            -119056017900676994,
            49750363894068702,
            53157745887516388,
            -251549071401416679,
        ],
        [
            44075229318472459,
            17103679945854887,
            -41451596091821382,
            21386445178823467,
            -2742164686086824,
        ],
    ),
    ("discrete_gaussian", "2"): ([2, 2, -1, -2, 0], [1, -2, -1, 1, -2]),
    ("discrete_gaussian", "10"): ([11, 11, -5, -11, -1], [6, -10, -6, 7, -9]),
    ("discrete_gaussian", "1e3"): ([-946, 332, -1360, -1294, -513], [-457, -555, 1144, -197, 1391]),
    ("discrete_gaussian", "1e6"): (
        [-1319218, -709072, -161537, 746072, 759779],
        [900247, -494372, -37075, -1314126, 732597],
    ),
    ("discrete_gaussian", "1e12"): (
        [-2133026677042, -790985864961, 815143950307, 20380675235, -536914169622],
        [-570582606942, 1276057022910, -278889688878, -692216255942, 736837318453],
    ),
    ("bernoulli", "1/3"): ([1, 1, 0, 1, 0], [0, 1, 0, 0, 0]),
}


def checks() -> Iterator[tuple[str, bool]]:
    """Yield the name of each check and whether it holds."""
    for name, ((key, nonce, counter), block) in _BLOCKS.items():
        words = chacha20_words(
            np.frombuffer(key, np.uint32), np.frombuffer(nonce, np.uint32), counter
        )
        yield name, words.tobytes().hex() == block
    key, nonce, counter, block = _AES
    versions = aes256_words(np.frombuffer(key, np.uint32), np.frombuffer(nonce, np.uint32), counter)
    for version, words in versions.items():
        yield f"SP 800-38A F.5.5, {version}", words[:4].tobytes().hex() == block
    for (distribution, parameter), expected in STREAM.items():
        name = f"stream of {distribution}({parameter})"
        yield name, draw_first_values(distribution, parameter) == expected


def draw_first_values(distribution: str, parameter: str) -> tuple[list[int], list[int]]:
    """Return the first 5 values of calls of 5 and of 500, from one seeded generator."""
    draw = getattr(SeededGenerator(7), distribution)
    few, many = draw(parameter, 5), draw(parameter, 500)[:5]
    return few.astype(int).tolist(), many.astype(int).tolist()
