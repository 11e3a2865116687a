# SPDX-License-Identifier: MIT
"""The error of files that commands read and write."""

from __future__ import annotations

__all__ = ["FileError"]


class FileError(ValueError):
    """A file cannot be read or written. The message is one line without data."""
