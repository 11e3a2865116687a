# SPDX-License-Identifier: MIT
"""Private releases: validate, read, count, add noise."""

from cydp.releases._histogram import HistogramRelease, histogram

__all__ = ["HistogramRelease", "histogram"]
