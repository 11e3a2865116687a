# SPDX-License-Identifier: MIT
"""Private releases: check, charge, read, count, add noise."""

from __future__ import annotations

from cydp.releases._histogram import HistogramRelease, histogram

__all__ = ["HistogramRelease", "histogram"]


def __dir__() -> list[str]:
    return __all__
