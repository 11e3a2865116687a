# SPDX-License-Identifier: MIT
"""Optional libraries: imported where they are used, and named where they are missing."""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["import_extra"]

_BROUGHT_BY = {
    "duckdb": "'cydp[files]'",
    "matplotlib": "'cydp[plot]'",
    "psycopg": "'cydp[postgres]'",
}


def import_extra(name: str, use: str) -> Any:
    """Return the module of an optional library.

    Parameters
    ----------
    name : str
        The module, such as "pandas" or "matplotlib.pyplot".
    use : str
        What needs it, for the error.

    Raises
    ------
    ImportError
        If it is not installed: the error says how to install it.

    """
    try:
        return import_module(name)
    except ImportError:
        library = name.partition(".")[0]
        brought_by = _BROUGHT_BY.get(library, library)
        raise ImportError(f"{use} needs {library}: pip install {brought_by}") from None
