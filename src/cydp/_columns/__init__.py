# SPDX-License-Identifier: MIT
"""Columns and arrays of users, of any library: what they declare, and then what they hold.

docs/columns.md says in which order a column is asked, and why no record changes what it declares.
"""

from __future__ import annotations

__all__: list[str] = []
