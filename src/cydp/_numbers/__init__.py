# SPDX-License-Identifier: MIT
"""Numbers that matter for privacy: exact fractions, intervals that contain them, short decimals."""

from __future__ import annotations

__all__: list[str] = []
