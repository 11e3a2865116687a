# SPDX-License-Identifier: MIT
"""Noise on the exact sums of `cydp.exact`, in steps of their own grid."""

from fractions import Fraction
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cydp.exact._sums import GridSum
from cydp.mechanisms._arrays import Declared
from cydp.mechanisms._charge import Budget, paid
from cydp.mechanisms._integers import IntegerMechanism, declare_integers, read_int64
from cydp.random import Generator
from cydp.rational import float_of
from cydp.relations import RELATIONS

if TYPE_CHECKING:
    from cydp.mechanisms._reals import GridMechanism

_FLOAT64 = np.dtype(np.float64)


def release_sum(
    mechanism: "GridMechanism",
    noise: IntegerMechanism,
    total: GridSum,
    budget: Budget | None,
    rng: Generator | None,
) -> float | NDArray[np.float64]:
    """Return a sum with noise, converted to float64 once, at the end.

    Parameters
    ----------
    mechanism : GridMechanism
        Whose loss is paid.
    noise : IntegerMechanism
        The same noise in steps of the sum's grid. Nothing is rounded to a grid here, so its
        sensitivity is that of the mechanism, in steps.
    total : GridSum
    budget, rng
        Of the release.

    Raises
    ------
    ValueError
        If the mechanism's sensitivity is less than what one record can change in the sum.

    """
    check_sensitivity(mechanism, total)
    if isinstance(total.units, int):
        draw = partial(_one, total.units, total.step, noise)
        shape: tuple[int, ...] = ()
    else:
        given = declare_integers(total.units, "value")
        draw, shape = partial(_groups, given, total.step, noise), given.shape
    public = [str(total.step), total.lowest, total.highest]
    released = paid(mechanism, draw, shape, _FLOAT64, budget, rng, arguments=public)
    return released if shape else float(released)


def check_sensitivity(mechanism: "GridMechanism", total: GridSum) -> None:
    """Raise a ValueError for a sensitivity below the least that a sum of single records has."""
    stated = RELATIONS if mechanism.relation is None else (mechanism.relation,)
    least = min(
        total.sensitivity(relation, missing=False, norm=mechanism._norm_order)
        for relation in stated
    )
    if mechanism.sensitivity < least:
        raise ValueError(
            f"sensitivity must be at least {float_of(least)!r}, by which one record can change this"
            " sum on its grid: give the mechanism sensitivity=total.sensitivity(relation)"
        )


def _one(
    units: int, step: Fraction, noise: IntegerMechanism, generator: Generator
) -> NDArray[np.float64]:
    """Add noise to a sum, which may have 128 bits, as to an integer of any size."""
    _, stops = noise._noise(1)
    if stops:  # the noise ends at 2**62, so the sum must, too
        noisy = noise.release(units, rng=generator)
    else:
        noisy = units + noise.release(0, rng=generator)
    return np.array(float_of(noisy * step))


def _groups(
    given: Declared, step: Fraction, noise: IntegerMechanism, generator: Generator
) -> NDArray[np.float64]:
    noisy = noise.release(read_int64(given, "value"), rng=generator)
    exponent = step.numerator.bit_length() - step.denominator.bit_length()
    with np.errstate(all="ignore"):  # beyond float64 a sum is infinite, or 0
        return np.ldexp(noisy.astype(np.float64), exponent)
