# SPDX-License-Identifier: MIT
"""The sensitivity that a mechanism is given."""

import math
from fractions import Fraction

import numpy as np

from cydp.rational import Number, positive
from cydp.sensitivity import Unbounded


def norm_of(sensitivity: Number) -> Fraction:
    """Return a sensitivity > 0; of an infinite one, say what would make it finite.

    >>> norm_of("0.5")
    Fraction(1, 2)
    """
    if isinstance(sensitivity, float | np.floating) and math.isinf(sensitivity):
        missing = sensitivity.missing if isinstance(sensitivity, Unbounded) else "bound"
        raise ValueError(f"sensitivity must be finite: the data has no {missing}")
    return positive(sensitivity, "sensitivity")
