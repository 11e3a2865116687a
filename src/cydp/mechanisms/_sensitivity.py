# SPDX-License-Identifier: MIT
"""Reads and writes the sensitivity of a mechanism."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from cydp._arguments import Number
from cydp._numbers.rational import read_positive, read_upward
from cydp._sensitivity import Sensitivity, Unbounded, norm_order, upward_literal_of

__all__ = ["format_sensitivity", "read_norm"]


def read_norm(sensitivity: Number, order: int = 1) -> Fraction:
    """Return a sensitivity > 0 in the L1 norm or, if `order` is 2, in the L2 norm.

    A float means the larger of its shortest repr and its binary value.

    >>> read_norm("0.5"), read_norm(0.1) > Fraction(1, 10)
    (Fraction(1, 2), True)
    >>> read_norm(Sensitivity(100, l2=10), 2)
    Fraction(10, 1)
    """
    if isinstance(sensitivity, float | np.floating) and math.isinf(sensitivity):
        missing = sensitivity.missing_bound if isinstance(sensitivity, Unbounded) else "bound"
        raise ValueError(
            f"sensitivity must be finite: the data has no {missing}, so clamp it to "
            "bounds=(lower, upper) first"
        )
    if norm_order(sensitivity) > order:
        raise ValueError(
            "sensitivity must bound the L1 norm of a change, as norm=1 gives: this one bounds the "
            "L2 norm, which is for Gaussian mechanisms"
        )
    if order == 2 and isinstance(sensitivity, Sensitivity):
        sensitivity = sensitivity.l2
    return max(read_positive(sensitivity, "sensitivity"), read_upward(sensitivity, "sensitivity"))


def format_sensitivity(norm: Fraction, relation: str | None) -> str:
    """Return a sensitivity, with its relation if it has one, as a Python expression.

    >>> format_sensitivity(Fraction(1, 2), None), format_sensitivity(Fraction(2), "change-one")
    ('0.5', "Sensitivity(2, relation='change-one')")
    """
    return (
        upward_literal_of(norm) if relation is None else repr(Sensitivity(norm, relation=relation))
    )
