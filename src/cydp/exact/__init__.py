# SPDX-License-Identifier: MIT
"""Exact aggregates: fast, and NOT private. What they return is the data's own."""

from cydp.exact._bins import Bins, public_bins
from cydp.exact._columns import check_real, column
from cydp.exact._contributions import bound_contributions
from cydp.exact._histogram import histogram

__all__ = ["Bins", "bound_contributions", "check_real", "column", "histogram", "public_bins"]
