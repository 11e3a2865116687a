# SPDX-License-Identifier: MIT
"""Optional libraries: imported where they are used, and named where they are missing.

Also what all pictures of matplotlib share.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__all__ = ["DASHES", "import_extra", "import_pyplot", "ink_of", "plain_words"]

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))  # of lines, which differ in grey too

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


def import_pyplot() -> Any:
    """Return matplotlib.pyplot, or raise the ImportError that says how to install it."""
    return import_extra("matplotlib.pyplot", "plot")


def ink_of(ax: Any) -> Any:
    """Return the colour of words, which a light and a dark style set to what can be seen."""
    return ax.xaxis.label.get_color()


def plain_words(text: str) -> str:
    r"""Return words of a caller or of data, escaped: matplotlib reads none as a formula.

    >>> print(plain_words("$x"))
    \$x
    """
    return text.replace("$", r"\$")
