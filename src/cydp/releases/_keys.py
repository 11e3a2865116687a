# SPDX-License-Identifier: MIT
"""Public keys of a release, as a ledger compares them."""

from __future__ import annotations

from cydp._columns.digests import digest_labels
from cydp._columns.label_keys import LabelKeys

__all__ = ["digest_keys"]


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
