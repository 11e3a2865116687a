# SPDX-License-Identifier: MIT
"""Mechanisms that add noise to integers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import partial
from typing import Any, TypeGuard, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from cydp._call_errors import explain_arguments
from cydp._columns.blocks import is_for_kernel
from cydp._columns.declared import Declared, check_entries, declare
from cydp._columns.entries import is_integer, plain
from cydp._columns.pandas import labels_of, restore_labels
from cydp._core import Sampler, add_noise_to_one, saturating_add
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp.accounting._loss import Loss
from cydp.exact._bins import refuse_data_bins
from cydp.mechanisms._noise_distribution import NoiseDistribution
from cydp.mechanisms._run import Budget, apart_from, check_output, draw_array, fill_output

__all__ = ["INT64", "IntegerMechanism", "declare_integers", "read_int64"]

INT64 = np.dtype(np.int64)
_LEAST, _LARGEST = -(2**63), 2**63 - 1
_KIND = "integers (Laplace and Gaussian take real numbers)"


class IntegerMechanism(NoiseDistribution):
    """A mechanism that adds integer noise to integers."""

    __slots__ = ()

    @property
    @abstractmethod
    def loss(self) -> Loss:
        """Privacy cost of one release."""

    @abstractmethod
    def _prepare_noise(self, entries: int) -> tuple[Sampler, bool]:
        """Return a sampler for a release of this many entries, and whether it may saturate."""

    @property
    def _noise_exponent(self) -> None:
        return None

    @overload
    def release(
        self,
        value: int | np.integer,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
    ) -> int: ...
    @overload
    def release(
        self,
        value: NDArray[np.integer] | Sequence[Any],
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
        out: NDArray[np.int64] | None = None,
    ) -> NDArray[np.int64]: ...
    @explain_arguments
    def release(
        self,
        value: int | ArrayLike,
        *,
        budget: Budget | None = None,
        rng: Generator | None = None,
        out: NDArray[np.int64] | None = None,
    ) -> int | NDArray[np.int64]:
        """Return the value plus noise; the loss covers the whole call.

        Parameters
        ----------
        value : int, or array of any integer dtype and shape, or column
            Nulls in a list or a column count as 0. Integers are clamped to int64, or to
            [-2**62, 2**62] for discrete Laplace noise of a scale above 2**52.
        budget : PrivacyFilter, BudgetLedger or LedgerScope, optional
            It is charged before the value is read.
        rng : Generator, optional
            The source of the noise. Default: the calling thread's own generator.
        out : ndarray of int64, optional
            The array to fill and to return: C-contiguous, in native byte order, writable, and of
            the shape of value. It may be value itself, but may not overlap it otherwise. Default:
            a new array.

        Returns
        -------
        int, or ndarray of int64 of the same shape; for a pandas Series one with its index
            Results are clamped in the same way, which is post-processing. `out`, if it is given.

        Raises
        ------
        TypeError, ValueError
            If value does not hold integers, or is counts in bins that came from the data; if
            budget, rng or out is not allowed. Then nothing is charged or drawn.
        PrivacyError
            If the budget refuses. Then nothing is charged and the value is not read.

        Examples
        --------
        >>> from cydp import DiscreteLaplace
        >>> DiscreteLaplace(epsilon=1, sensitivity=1).release([10, 20]).dtype
        dtype('int64')

        """
        kind = type(value)
        if (
            (kind is int or kind is np.int64) and budget is None and out is None
        ):  # most often, and the quickest way
            sampler, may_saturate = self._prepare_noise(1)
            clamped = _clamp(int(value))  # type: ignore[arg-type]
            generator = generator_or_default(rng)
            return add_noise_to_one(clamped, may_saturate, generator._stream, sampler)
        if budget is None and out is None and _is_plain(value):  # as releases pass their counts
            sampler, may_saturate = self._prepare_noise(value.size)
            return _add_to(value, sampler, may_saturate, generator_or_default(rng), None)
        refuse_data_bins(value, "value")
        given = declare_integers(value, "value", _KIND)
        check_output(out, INT64, given.shape, value)
        draw = partial(_add_noise, given, *self._prepare_noise(given.size), out)
        labels = labels_of(value)
        noisy = draw_array(self, draw, (given.shape, INT64), budget, rng, arguments=labels)
        if out is not None:
            return fill_output(out, noisy)
        is_number = isinstance(value, (int, np.integer))
        return int(noisy[()]) if is_number else restore_labels(value, noisy)


def _add_noise(
    given: Declared,
    sampler: Sampler,
    may_saturate: bool,
    out: NDArray[np.int64] | None,
    generator: Generator,
) -> NDArray[np.int64]:
    values = apart_from(out, read_int64(given, "value"))
    return _add_to(values, sampler, may_saturate, generator, out)


def _is_plain(value: object) -> TypeGuard[NDArray[np.int64]]:
    """Whether a value is read as it is: a plain array that needs no conversion."""
    return type(value) is np.ndarray and is_for_kernel(value, INT64)


def _add_to(
    values: NDArray[np.int64],
    sampler: Sampler,
    may_saturate: bool,
    generator: Generator,
    out: NDArray[np.int64] | None,
) -> NDArray[np.int64]:
    noisy = np.empty(values.shape, np.int64) if out is None else out
    generator._fill(sampler, noisy)
    saturating_add(values.reshape(-1), may_saturate, noisy.reshape(-1))
    return noisy


def declare_integers(value: Any, name: str, kind: str = "integers") -> Declared:
    """Return the declared type and shape of an integer or an array of integers, without reading it.

    Raises
    ------
    TypeError
        If the dtype of an array, or the type of a list's entry, is not one of integers.

    """
    given = declare(value, name, kind)
    if given.listed:
        check_entries(given, is_integer, name, kind)
    elif given.dtype is None:
        if not is_integer(type(value)):
            raise TypeError(f"{name} must be {kind}, not {type(value).__name__}")
    elif given.dtype.kind not in "iu":
        raise TypeError(f"{name} must be {kind}, not of dtype {given.dtype}")
    return given


def read_int64(given: Declared, name: str) -> NDArray[np.int64]:
    """Return the integers, clamped to int64, as a contiguous array."""
    if given.listed:  # numpy reads an empty list as floats, and long integers as objects
        clamped = [_clamp(plain(entry)) for entry in given.value.flat]
        return np.array(clamped, np.int64).reshape(given.shape)
    if given.dtype is None:
        return np.array(_clamp(plain(given.value)), np.int64)
    array = given.read(name)
    if array.dtype.itemsize == 8 and array.dtype.kind == "u":
        array = np.minimum(array, np.uint64(_LARGEST))
    return cast("NDArray[np.int64]", np.require(array, np.int64, ["C", "ALIGNED"]))


def _clamp(integer: int) -> int:
    return min(max(integer, _LEAST), _LARGEST)
