# SPDX-License-Identifier: MIT
"""Public keys of a release, as a ledger compares them."""

from __future__ import annotations

from hashlib import sha256

from cydp._columns.label_keys import LabelKeys

__all__ = ["digest_keys"]


def digest_keys(public: LabelKeys | None) -> list[str] | None:
    """Return a digest of each column of public keys; None without keys.

    >>> digest_keys(None) is None
    True
    """
    if public is None:
        return None
    return [
        sha256(repr(column.tolist()).encode(errors="replace")).hexdigest()
        for column in public.arrays
    ]
