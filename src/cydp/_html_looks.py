# SPDX-License-Identifier: MIT
"""The looks of results and reports in HTML: inline styles, so that they stand on any page."""

from __future__ import annotations

__all__ = ["BOX", "CELL", "HEADER", "SMALL", "TABLE"]

# Fonts and colours are the page's own, so that text is readable on a light and a dark page.
BOX = "overflow-x:auto;max-width:100%"
TABLE = "border-collapse:collapse;margin:.4em 0;font:inherit;color:inherit;background:none"
CELL = "padding:.15em .7em;border:0;background:none;vertical-align:middle;white-space:nowrap"
HEADER = (
    f"{CELL};border-bottom:1px solid currentColor;font-weight:bold;white-space:normal;"
    "max-width:8em;overflow-wrap:anywhere"
)
SMALL = "opacity:.75"
