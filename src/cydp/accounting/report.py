# SPDX-License-Identifier: MIT
"""How reports for people are written."""

from html import escape


def html_of(report: str) -> str:
    """Return a report as it is written.

    >>> html_of("1 < 2")
    '<pre>1 &lt; 2</pre>'
    """
    return f"<pre>{escape(report, quote=False)}</pre>"


def printable(text: str) -> str:
    r"""Return what somebody has written, in quotes if it could take more than its line.

    >>> printable("ages"), printable("a\nb")
    ('ages', "'a\\nb'")
    """
    return text if text.isprintable() else repr(text)
