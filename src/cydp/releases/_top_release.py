# SPDX-License-Identifier: MIT
"""The most frequent of public keys, as they are released."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Number
from cydp._numbers.rational import float_of
from cydp.releases._format import counted
from cydp.releases._release import Release, recorded
from cydp.releases.output._sheet import Numbers, Sheet, keys_of

__all__ = ["TopRelease"]


@recorded
@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class TopRelease(Release):
    """The most frequent keys, as `top_k` returns them.

    Attributes
    ----------
    query : TopQuery
        The query: how many keys, privacy unit and loss.
    payment : Payment or None
        The entry of the ledger that has paid; None without a ledger.
    key_columns : tuple of ndarrays, shape (k,) each
        The keys, the first one selected first.
    key_names : tuple of str
        The name of the column of the keys, "" where it is not known; empty if none is known.

    """

    query: Any
    key_columns: tuple[NDArray[Any], ...]
    key_names: tuple[str, ...] = ()

    @property
    def keys(self) -> Any:
        """The keys: an array, or for several columns a tuple of arrays."""
        return self.key_columns[0] if len(self.key_columns) == 1 else self.key_columns

    @property
    def mechanism(self) -> Any:
        """The mechanism of each selection, or the noise of all counts."""
        return self.query.selection

    @property
    def variance(self) -> None:
        """None: no number is released."""

    def __len__(self) -> int:
        return len(self.key_columns[0])

    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        best, (one, several) = "of the highest count among the keys then left", self._counted
        rank = Numbers(
            name="rank",
            unit="rank",
            values=np.arange(1, len(self) + 1),
            bound=self.error_bound(confidence, count=len(self) if simultaneous else 1),
            bound_unit=f"{several} {best}",
            singular=f"{one} {best}",
        )
        axis = keys_of(self.key_columns, self.key_names)
        return self._make_sheet([axis], [rank], confidence, simultaneous)

    @property
    def _noise_words(self) -> str:
        if self.query.parts:
            return f"{super()._noise_words}, on the counts of all keys"
        name, scale = type(self.mechanism).__name__, f"{float_of(self.mechanism.scale):,.6g}"
        return f"{name}, scale {scale} {self._counted[scale != '1']}"

    @property
    def _counted(self) -> tuple[str, str]:
        return counted(self.query.unit)
