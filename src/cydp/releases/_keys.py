# SPDX-License-Identifier: MIT
"""Public keys of a release, as a ledger compares them."""

from __future__ import annotations

from typing import Any

import numpy as np

from cydp._columns.digests import digest_labels
from cydp._columns.label_keys import LabelKeys
from cydp._numbers.rational import read_integer

__all__ = ["count_keys", "digest_keys"]


def count_keys(keys: Any, names: tuple[Any, ...] | None) -> int | None:
    """Return the number of public keys, which may be all that is given of them; None for None.

    >>> count_keys(["a", "b"], None), count_keys(2, None)
    (2, 2)
    """
    if keys is None:
        return None
    if np.ndim(keys) == 0 and hasattr(keys, "__index__"):
        number = read_integer(keys, "keys")
        if not 0 <= number < 2**32:
            raise ValueError(f"keys must be the keys, or how many: from 0 to 2**32, not {number}")
        return number
    return len(LabelKeys(keys, names))


def digest_keys(public: LabelKeys | None) -> list[str] | None:
    """Return a digest of each column of public keys; None without keys.

    Raises
    ------
    TypeError
        For keys of a class that is not known.

    >>> digest_keys(None) is None
    True
    """
    if public is None:
        return None
    return [digest_labels(column, "keys") for column in public.arrays]
