# SPDX-License-Identifier: MIT
"""Attacks that recover what a release should hide, each with its defence."""

from __future__ import annotations

from cydp.teach.attacks._attack import Attack, Guesses, Trial
from cydp.teach.attacks._count_attacks import (
    AveragingAttack,
    averaging,
    differencing,
    repeated_array,
)
from cydp.teach.attacks._linkage import linkage
from cydp.teach.attacks._low_bits import LowBits, low_bits
from cydp.teach.attacks._reconstruction import reconstruction
from cydp.teach.attacks._timing import Timed, timing

__all__ = [
    "Attack",
    "AveragingAttack",
    "Guesses",
    "LowBits",
    "Timed",
    "Trial",
    "averaging",
    "differencing",
    "linkage",
    "low_bits",
    "reconstruction",
    "repeated_array",
    "timing",
]


def __dir__() -> list[str]:
    return __all__
