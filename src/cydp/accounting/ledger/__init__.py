# SPDX-License-Identifier: MIT
"""A budget in a file. Its public names are in `cydp.accounting`."""

from __future__ import annotations

__all__: list[str] = []
