# SPDX-License-Identifier: MIT
"""How the report of a plan writes the costs that the bounds have found."""

from __future__ import annotations

from fractions import Fraction

from cydp._numbers.rational import format_number
from cydp._numbers.rounding import decimal_above

__all__ = ["report_costs"]

_METHODS = {
    "basic": "by basic composition",
    "zcdp": "by zCDP",
    "renyi": "by Renyi divergences of samples",
    "optimal": "by optimal composition",
    "pld": "by the privacy loss distribution",
}
_NO_BOUND = "at delta {} no bound gives an epsilon: a larger delta is needed"


def report_costs(epsilons: dict[str, Fraction], delta: Fraction, *, without_pld: bool) -> list[str]:
    """Return lines that tell the epsilon of each method at a delta, and which one is the least.

    Parameters
    ----------
    epsilons : dict
        By the names of the methods; those without an epsilon are left out.
    delta : Fraction
    without_pld : bool
        Whether the extra ``pld``, which is not installed, could find a smaller epsilon.

    """
    least = min(epsilons, key=epsilons.__getitem__, default=None)
    lines = [
        f"at delta {format_number(delta)} it costs"
        if epsilons
        else _NO_BOUND.format(format_number(delta))
    ]
    for method, epsilon in epsilons.items():
        used = " (this counts)" if method == least else ""
        lines.append(f"  epsilon {format_number(decimal_above(epsilon))} {_METHODS[method]}{used}")
    if without_pld:
        lines.append(f"  perhaps less {_METHODS['pld']}: pip install 'cydp[pld]'")
    return lines
