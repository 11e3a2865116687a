# SPDX-License-Identifier: MIT
"""How a report for people looks in a notebook."""

from html import escape


def html_of(report: str) -> str:
    """Return a report as it is written.

    >>> html_of("1 < 2")
    '<pre>1 &lt; 2</pre>'
    """
    return f"<pre>{escape(report, quote=False)}</pre>"
