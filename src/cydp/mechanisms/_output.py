# SPDX-License-Identifier: MIT
"""The array that a mechanism writes its result to, if the caller gives one."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from cydp._outputs import prepare_output

__all__ = ["apart_from", "check_output", "fill_output"]

_Array = TypeVar("_Array", bound=NDArray[Any])


def check_output(
    out: Any, dtype: np.dtype[Any], shape: tuple[int, ...], value: object, name: str = "value"
) -> None:
    """Raise a TypeError or ValueError unless out takes a result of this dtype and shape.

    It may be the value itself, but may not overlap it otherwise. No entry is read: only the dtype,
    the shape, the flags and the addresses matter. None is no output.
    """
    if out is None:
        return
    prepare_output(None, out, dtype)
    if out.shape != shape:
        raise ValueError(f"out must have the shape of {name}, {shape}, not {out.shape}")
    if isinstance(value, np.ndarray) and value is not out and np.may_share_memory(value, out):
        raise ValueError(f"out must be {name} itself, or memory apart from it")


def apart_from(out: NDArray[Any] | None, values: _Array) -> _Array:
    """Return values, or a copy of them if writing to out could change them."""
    if out is None or not np.may_share_memory(values, out):
        return values
    return values.copy()


def fill_output(out: _Array, result: NDArray[Any]) -> _Array:
    """Return out with a result, which a ledger may have kept from an earlier call."""
    if result is not out:
        np.copyto(out, result)
    return out
