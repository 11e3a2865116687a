# SPDX-License-Identifier: MIT
"""Columns of real numbers, from what people have."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from numbers import Real
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray


def column(x: ArrayLike | Sequence[Any], name: str = "x") -> NDArray[Any]:
    """Return x as an array of real numbers.

    Parameters
    ----------
    x : array_like
        A masked array stays one. Of a list, and of a column that is no numpy array, None, NA
        and masked entries become NaN; the types of the other entries must be of numbers.

    Returns
    -------
    ndarray of bool, int, uint, or float of at most 64 bits

    Raises
    ------
    TypeError
        For another dtype, with its name and no value.

    Examples
    --------
    >>> column([1, None]).tolist()
    [1.0, nan]

    """
    types = set(map(type, x)) if isinstance(x, list | tuple) else _PLAIN
    values: NDArray[Any]
    if not types <= _PLAIN | _NESTED:
        values = np.empty(len(cast("Sequence[Any]", x)), object)
        values[:] = x
    elif isinstance(x, np.ma.MaskedArray):
        values = x
    else:
        try:
            values = np.asarray(x)
        except ValueError:  # lists of different lengths
            raise TypeError(f"{name} must be an array of real numbers, not of sequences") from None
    if values.dtype == object and values.ndim > 0 and not isinstance(x, np.ndarray):
        values = _with_nulls(values, name)
    check_real(values.dtype, name)
    return values


def codes_column(x: ArrayLike | Sequence[Any], name: str = "codes") -> NDArray[Any]:
    """Return x as a one-dimensional array of integers, masked and null entries left out.

    Parameters
    ----------
    x : array_like
        Integers or bool. A null is None, NA or masked; of a column of another library, what
        the column calls so.

    Returns
    -------
    ndarray of bool, int or uint, shape (n,)

    Raises
    ------
    TypeError, ValueError
        For another dtype or shape.

    Examples
    --------
    >>> codes_column([1, None, 2]).tolist()
    [1, 2]

    """
    if isinstance(x, list | tuple):
        x = [value for value in x if not _is_null(value)]
        values = np.asarray(x) if x else np.empty(0, np.int64)
    elif isinstance(x, np.ma.MaskedArray):
        values = x if x.ndim != 1 else x.compressed()
    elif isinstance(x, np.ndarray):
        values = np.asarray(x)
    else:
        for without in ("dropna", "drop_nulls", "drop_null"):  # pandas, polars, pyarrow
            if hasattr(x, without):
                x = getattr(x, without)()
                break
        values = np.asarray(x)
    if values.ndim != 1:
        raise ValueError(f"{name} must be of one dimension, not of shape {values.shape}")
    if values.dtype.kind not in "biu":
        raise TypeError(f"{name} must be of integers or bool, not {values.dtype.type.__name__}")
    return values


def _is_null(value: Any) -> bool:
    # pandas.NA, by name: pandas is not imported for it
    return value is None or value is np.ma.masked or type(value).__name__ == "NAType"


# Entries that numpy makes an array of, without a warning, and numbers only of numbers.
_PLAIN = {bool, int, float, np.bool, np.float32, np.float64, np.int32, np.int64, np.uint64}
_NESTED = {list, tuple, np.ndarray}


def _with_nulls(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return the entries of an object array, which numpy has no dtype for, as float64."""
    entries = [_float_or_nan(value, name) for value in values.flat]
    return np.array(entries, np.float64).reshape(values.shape)


def _float_or_nan(value: Any, name: str) -> float:
    if _is_null(value):
        return np.nan
    if isinstance(value, bool | np.bool | Real | Decimal):
        try:
            return float(value)
        except OverflowError:  # an integer or a fraction beyond the floats
            return np.inf if cast("Any", value) > 0 else -np.inf
        except ValueError:  # Decimal's signalling NaN
            return np.nan
    raise TypeError(f"{name} must be of real numbers, not of {type(value).__name__}")


def check_real(dtype: np.dtype[Any], name: str) -> None:
    """Raise a TypeError for a dtype other than bool, int, uint, and float up to 64 bits."""
    if dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(
            f"{name} must be of bool, integers, or floats of at most 64 bits, "
            f"not {dtype.type.__name__}"
        )


def blocks(values: NDArray[Any], dtype: np.dtype[Any], rows: int) -> Iterator[NDArray[Any]]:
    """Yield the values as contiguous arrays of a dtype that holds them, in any order."""
    if values.dtype == dtype and values.flags.c_contiguous and values.flags.aligned:
        yield values.reshape(-1)
    elif values.size:
        op_flags: Any = ["readonly", "aligned", "contig", "nbo"]  # numpy's stub lacks "contig"
        yield from np.nditer(
            np.atleast_1d(values),  # of a 0-d array numpy 2.0 gives an unfilled buffer
            flags=["buffered", "external_loop"],
            op_flags=op_flags,
            op_dtypes=dtype,
            casting="safe",
            order="K",
            buffersize=min(rows, values.size),
        )


def paired_blocks(
    columns: tuple[NDArray[Any], ...], dtypes: tuple[np.dtype[Any], ...], rows: int
) -> Iterator[tuple[NDArray[Any], ...]]:
    """Yield columns of one shape together, as `blocks` does one; not for empty ones."""
    if all(
        values.dtype == dtype and values.flags.c_contiguous and values.flags.aligned
        for values, dtype in zip(columns, dtypes, strict=True)
    ):
        yield tuple(values.reshape(-1) for values in columns)
        return
    op_flags: Any = [["readonly", "aligned", "contig", "nbo"]] * len(columns)
    yield from np.nditer(
        tuple(map(np.atleast_1d, columns)),
        flags=["buffered", "external_loop"],
        op_flags=op_flags,
        op_dtypes=dtypes,
        casting="safe",
        order="K",
        buffersize=min(rows, columns[0].size),
    )
