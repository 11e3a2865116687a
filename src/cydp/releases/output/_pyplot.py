# SPDX-License-Identifier: MIT
"""What all plots share: matplotlib, which is an extra, and lines that differ in grey."""

from __future__ import annotations

from typing import Any

__all__ = ["DASHES", "import_pyplot", "ink_of", "plain_words"]

DASHES = ("-", "--", "-.", ":", (0, (5, 1)), (0, (1, 1)))


def import_pyplot() -> Any:
    """Return matplotlib.pyplot, or raise the ImportError that says how to install it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError:
        raise ImportError("plot needs matplotlib: pip install 'cydp[plot]'") from None
    return plt


def ink_of(ax: Any) -> Any:
    """Return the colour of words, which a light and a dark style set to what can be seen."""
    return ax.xaxis.label.get_color()


def plain_words(text: str) -> str:
    r"""Return words of a caller or of data, escaped: matplotlib reads none as a formula.

    >>> print(plain_words("$x"))
    \$x
    """
    return text.replace("$", r"\$")
