# SPDX-License-Identifier: MIT
"""What is to be released, as it says it is before anybody reads it."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray


class Declared:
    """A number, a list or an array: what it says of itself, which its values must then be.

    Attributes
    ----------
    value : object
        A number; an array; of a list or a tuple an array of its entries as objects, copied at
        once, so that nobody can add to them.
    dtype : dtype or None
        Of an array; None for a number and a list.
    shape : tuple of int
    listed : bool
        Whether the value is such a copy of a list.

    """

    __slots__ = ("dtype", "listed", "shape", "value")

    def __init__(
        self,
        value: Any,
        dtype: np.dtype[Any] | None,
        shape: tuple[int, ...],
        listed: bool = False,
    ) -> None:
        self.value, self.dtype, self.shape, self.listed = value, dtype, shape, listed

    @property
    def size(self) -> int:
        """How many entries there are."""
        return math.prod(self.shape)

    def read(self, name: str) -> NDArray[Any]:
        """Return the array, which must still be what it was when it was declared.

        Raises
        ------
        ValueError
            If its dtype or shape has changed.

        """
        array = np.asarray(self.value)
        if array.dtype != self.dtype or array.shape != self.shape:
            raise ValueError(
                f"{name} must have the dtype and the shape that it had when it was charged"
            )
        return array


def declare(value: Any, name: str, kind: str) -> Declared:
    """Return what a number, a list or an array says of itself, reading no value of an array.

    Parameters
    ----------
    value : number, list, tuple, numpy array, or what has a numpy dtype and a shape
    name, kind : str
        What to call it in an error, and what it must be of.

    Raises
    ------
    TypeError
        For anything else. Columns that may have nulls are no answers; a mask is none either.

    """
    kind_of = type(value)
    if kind_of is int or kind_of is float:  # most often, and the quickest way
        return Declared(value, None, ())
    if isinstance(value, (list, tuple)):
        entries = np.array(value, object)
        return Declared(entries, None, entries.shape, True)
    if isinstance(value, (int, float)) and not isinstance(value, np.generic):
        return Declared(value, None, ())
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{name} must be without a mask: fill it first")
    dtype, shape = getattr(value, "dtype", None), getattr(value, "shape", None)
    if not isinstance(dtype, np.dtype) or not isinstance(shape, tuple):
        raise TypeError(
            f"{name} must be of {kind}, in a list or a numpy array, not {type(value).__name__}"
        )
    return Declared(value, dtype, shape)


def is_integer(entry: object) -> bool:
    """Whether an entry of a list is an integer; bool and a timedelta are none."""
    return type(entry) is int or (
        isinstance(entry, (int, np.integer)) and not isinstance(entry, (bool, np.timedelta64))
    )


def is_real(entry: object) -> bool:
    """Whether an entry of a list is an integer or a float of at most 64 bits."""
    if isinstance(entry, np.floating):
        return entry.dtype.itemsize <= 8
    return isinstance(entry, float) or is_integer(entry)
