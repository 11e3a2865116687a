# SPDX-License-Identifier: MIT
"""The picture of a ledger's report: what was spent over time, as SVG that stands on any page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from html import escape
from typing import Any

from cydp._numbers.rational import float_of
from cydp.accounting._amounts import Amount
from cydp.accounting.ledger._serialize import amount_from

__all__ = ["spending_picture"]

_WIDTH, _HEIGHT = 480, 140
_LEFT, _RIGHT, _TOP, _BOTTOM = 8, 8, 18, 20


def spending_picture(
    charges: Sequence[Mapping[str, Any]], spent: Amount, budget: Amount, name: str
) -> str:
    """Return a line that steps up at each charge, below a line at the budget; "" without charges.

    Parameters
    ----------
    charges : sequence of dict
        The last entries that charge, oldest first.
    spent, budget : tuple of Fraction
        What all charges have cost, and what may be spent.
    name : str
        Of the first number, which is drawn: epsilon or rho.

    """
    if not charges or not budget[0]:
        return ""
    times = [datetime.fromisoformat(entry["time"]).timestamp() for entry in charges]
    costs = [amount_from(entry["cost"])[0] for entry in charges]
    total = spent[0] - sum(costs)  # before the first of these charges
    shares = [float_of(total / budget[0])]
    for cost in costs:
        total += cost
        shares.append(float_of(total / budget[0]))
    first, last = min(times), max(times)
    span = last - first or 1.0

    def place(time: float, share: float) -> str:
        x = _LEFT + (time - first) / span * (_WIDTH - _LEFT - _RIGHT)
        y = _TOP + (1 - min(share, 1.0)) * (_HEIGHT - _TOP - _BOTTOM)
        return f"{x:.1f},{y:.1f}"

    points = [place(first, shares[0])]
    for time, before, after in zip(times, shares, shares[1:], strict=False):
        points += [place(time, before), place(time, after)]
    points.append(place(last, shares[-1]))
    said = f"{name} spent: {shares[-1]:.0%} of the budget"
    days = [charges[times.index(each)]["time"][:10] for each in (first, last)]
    line = 'fill="none" stroke="currentColor"'
    text = 'fill="currentColor" font-size="11"'
    base = _HEIGHT - _BOTTOM
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" '
        f'style="max-width:100%;font:inherit"><title>{escape(said)}</title>'
        f'<text x="{_LEFT}" y="{_TOP - 6}" {text}>budget</text>'
        f'<path d="M{_LEFT},{_TOP} H{_WIDTH - _RIGHT}" {line} stroke-dasharray="4 4"/>'
        f'<path d="M{_LEFT},{base} H{_WIDTH - _RIGHT}" {line} opacity=".5"/>'
        f'<polyline points="{" ".join(points)}" {line} stroke-width="2"/>'
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}" {text}>{days[0]}</text>'
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 6}" text-anchor="end" {text}>{days[1]}</text>'
        "</svg>"
    )
