# SPDX-License-Identifier: MIT
"""What everything that has a sheet can do: show itself, and export itself."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Any

from cydp._arguments import Number
from cydp.releases.output._sheet import Sheet

__all__ = ["Shown"]


class Shown(ABC):
    """A result that shows and exports itself: releases, and what is made from them."""

    __slots__ = ()

    @abstractmethod
    def _sheet(self, confidence: Number, simultaneous: bool) -> Sheet:
        """Return the result as a table, with error bounds at a confidence."""

    @abstractmethod
    def _facts(self) -> Mapping[str, Any]:
        """Return what JSON says besides the sheet: "metadata", "exact" and so on."""
