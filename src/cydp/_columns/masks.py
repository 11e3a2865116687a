# SPDX-License-Identifier: MIT
"""Masks: which entries of a column are present, that is, not null."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Mask", "both_present", "concatenate_masks", "mask_absent", "spread_present"]

Mask: TypeAlias = NDArray[np.bool_] | None
"""True for each entry that is present; None: all entries are present."""


def both_present(one: Mask, other: Mask) -> Mask:
    """Return which entries are present in both masks."""
    return other if one is None else one if other is None else one & other


def concatenate_masks(parts: Sequence[tuple[Any, Mask]]) -> Mask:
    """Return the mask of all parts together; each part has entries and their mask."""
    if all(present is None for _, present in parts):
        return None
    return np.concatenate(
        [np.ones(len(part), np.bool_) if present is None else present for part, present in parts]
    )


def mask_absent(values: NDArray[Any], present: Mask) -> NDArray[Any]:
    """Return values as a masked array if any is absent. The mask overwrites `present`."""
    if present is None or present.all():
        return values
    return np.ma.MaskedArray(values, np.logical_not(present, out=present))


def spread_present(values: NDArray[Any], present: Mask) -> NDArray[Any]:
    """Return the values of the entries that are present at their places, and 0 for the others."""
    if present is None:
        return values
    spread = np.zeros(len(present), values.dtype)
    spread[present] = values
    return spread
