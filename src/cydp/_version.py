# SPDX-License-Identifier: MIT
"""The version, which the build reads too."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0.dev0"
