# SPDX-License-Identifier: MIT
"""Optional libraries: imported where they are used, and named where they are missing.

Also what all pictures of matplotlib share.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import Any

__all__ = [
    "DASHES",
    "DELTA",
    "EPSILON",
    "RHO",
    "import_extra",
    "import_pyplot",
    "ink_of",
    "plain_words",
    "with_letters",
]

# Pictures have the letters of the literature, code has their names.
EPSILON = "\N{GREEK SMALL LETTER EPSILON}"
DELTA = "\N{GREEK SMALL LETTER DELTA}"
RHO = "\N{GREEK SMALL LETTER RHO}"
_LETTERS = {"epsilon": EPSILON, "delta": DELTA, "rho": RHO}

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


def with_letters(text: str) -> str:
    """Return words of the library with letters for parameters, as pictures have them.

    >>> print(with_letters("PureDP(epsilon=1)"))
    PureDP(\N{GREEK SMALL LETTER EPSILON}=1)
    """
    return re.sub(r"\b(epsilon|delta|rho)\b", lambda found: _LETTERS[found[0]], text)


def plain_words(text: str) -> str:
    r"""Return words of a caller or of data, escaped: matplotlib reads none as a formula.

    >>> print(plain_words("$x"))
    \$x
    """
    return text.replace("$", r"\$")
