# SPDX-License-Identifier: MIT
"""Adds noise to the exact sums of `cydp.exact`, before they are converted to floats."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from cydp._columns.declared import Declared
from cydp._core import Sampler
from cydp._generator import Generator
from cydp._numbers.rational import float_of
from cydp._relations import RELATIONS
from cydp.exact._grid_sum import GridSum
from cydp.mechanisms._grid_exponent import LEAST_EXPONENT, MOST_EXPONENT
from cydp.mechanisms._grid_noise import add_noise
from cydp.mechanisms._integer_mechanism import declare_integers
from cydp.mechanisms._output import check_output, fill_output
from cydp.mechanisms._run import Budget, draw_array

if TYPE_CHECKING:
    from cydp.mechanisms._grid_mechanism import GridMechanism

__all__ = ["release_sum"]

_FLOAT64 = np.dtype(np.float64)


def release_sum(
    mechanism: GridMechanism,
    total: GridSum,
    budget: Budget | None,
    rng: Generator | None,
    out: NDArray[np.float64] | None,
) -> float | NDArray[np.float64]:
    """Return a sum plus the noise of a mechanism, on the mechanism's grid.

    The noise is the same as for any other value, so the mechanism's loss holds for sums of any
    step, also in plans and budgets.

    Raises
    ------
    ValueError
        If the sensitivity or the number of coordinates is too small for the sum; if the step of
        the sum and that of the grid are too far apart; if out is not allowed.
    TypeError
        If out is not allowed.

    """
    _check_sensitivity(mechanism, total)
    given = declare_integers(total.units, "value")
    check_output(out, _FLOAT64, given.shape, total.units)
    step = total.step.numerator.bit_length() - total.step.denominator.bit_length()
    exponent = mechanism._exponent(given.size) - step  # in steps of the sum
    if not LEAST_EXPONENT <= exponent <= MOST_EXPONENT:
        raise ValueError("sensitivity and epsilon must fit the step of the sum better")
    draw = partial(
        _add_noise_and_scale, given, mechanism._prepare_noise(given.size), exponent, step, out
    )
    public = list(map(str, (total.step, *total.bounds)))
    released = draw_array(mechanism, draw, (given.shape, _FLOAT64), budget, rng, arguments=public)
    if out is not None:
        return fill_output(out, released)
    return released if given.shape else float(released)


def _check_sensitivity(mechanism: GridMechanism, total: GridSum) -> None:
    stated = RELATIONS if mechanism.relation is None else (mechanism.relation,)
    order = mechanism._norm_order
    least = min(
        total.sensitivity(relation=relation, missing=False, norm=order) for relation in stated
    )
    if mechanism.sensitivity < least:
        raise ValueError(
            f"sensitivity must be at least {float_of(least)!r}, by which one record can change this"
            " sum on its grid: give the mechanism sensitivity=total.sensitivity(relation=...)"
        )
    groups = 1 if isinstance(total.units, int) else len(total.units)
    may_move = mechanism.relation not in (None, "add-remove")
    if mechanism.coordinates == 1 < groups and may_move:
        raise ValueError("coordinates must be at least 2: a record that changes may change groups")


def _add_noise_and_scale(
    given: Declared,
    sampler: Sampler,
    exponent: int,
    step: int,
    out: NDArray[np.float64] | None,
    generator: Generator,
) -> NDArray[np.float64]:
    noisy = add_noise(given, sampler, exponent, generator, out=out)
    with np.errstate(all="ignore"):  # a sum beyond float64 is infinite or 0
        return np.ldexp(noisy, step, out=out)
