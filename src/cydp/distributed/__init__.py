# SPDX-License-Identifier: MIT
"""Releases of tables that are spread over machines: workers count, the driver pays and draws."""

from __future__ import annotations

from cydp.distributed._piece_tally import PieceTally
from cydp.distributed._plan import ReleasePlan, prepare
from cydp.distributed._reader import Reader
from cydp.distributed._run import Run, SavedRun

__all__ = ["PieceTally", "Reader", "ReleasePlan", "Run", "SavedRun", "prepare"]


def __dir__() -> list[str]:
    return __all__
