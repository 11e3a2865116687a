# SPDX-License-Identifier: MIT
"""Columns and arrays of users, of any library: what they declare, and then what they hold."""

from __future__ import annotations

__all__: list[str] = []
