# SPDX-License-Identifier: MIT
"""Pictures of a ledger's report, as SVG that stands on any page: spending over time, and blocks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from fractions import Fraction
from html import escape
from typing import Any

from cydp._numbers.rational import float_of
from cydp.accounting._amounts import Amount
from cydp.accounting.ledger._serialize import amount_from

__all__ = ["blocks_picture", "spending_picture"]

_WIDTH, _HEIGHT = 480, 140
_LEFT, _RIGHT, _TOP, _BASE = 8, 8, 18, 120
_MOST_BARS = 116
_LONGEST = 30  # characters of an id
_LINE = 'fill="none" stroke="currentColor"'


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
        y = _TOP + (1 - min(share, 1.0)) * (_BASE - _TOP)
        return f"{x:.1f},{y:.1f}"

    points = [place(first, shares[0])]
    for time, before, after in zip(times, shares, shares[1:], strict=False):
        points += [place(time, before), place(time, after)]
    points.append(place(last, shares[-1]))
    said = f"{name} spent: {shares[-1]:.0%} of the budget"
    days = [charges[times.index(each)]["time"][:10] for each in (first, last)]
    drawn = f'<polyline points="{" ".join(points)}" {_LINE} stroke-width="2"/>'
    return _framed(said, drawn, days)


def blocks_picture(blocks: Sequence[tuple[str, Fraction]], name: str) -> str:
    """Return a bar for each block, by id, below a line at its budget; "" if nothing was spent.

    Of more blocks than there is room for, several in a row have one bar: of the one that has spent
    most.

    Parameters
    ----------
    blocks : sequence of (str, Fraction)
        The id of each block, and which part of its budget it has spent.
    name : str
        Of the number: epsilon or rho.

    """
    if not any(spent for _, spent in blocks):
        return ""
    together = -(-len(blocks) // _MOST_BARS)
    tops = [
        float_of(max(spent for _, spent in blocks[i : i + together]))
        for i in range(0, len(blocks), together)
    ]
    width = (_WIDTH - _LEFT - _RIGHT) / len(tops)
    bars = []
    for i, share in enumerate(tops):
        left, height = _LEFT + i * width, min(share, 1.0) * (_BASE - _TOP)
        bars.append(f"M{left:.1f},{_BASE} v{-height:.1f} h{max(width - 1, 0.5):.1f} V{_BASE} Z")
    several = f", {together:,} blocks to a bar" if together > 1 else ""
    said = f"{name} spent in each block{several}: at most {max(tops):.0%} of its budget"
    drawn = f'<path d="{" ".join(bars)}" fill="currentColor" opacity=".6"/>'
    ends = [_shortened(blocks[0][0]), _shortened(blocks[-1][0])]
    return _framed(said, drawn, ends)


def _shortened(name: str) -> str:
    return name if len(name) <= _LONGEST else name[:_LONGEST] + "..."


def _framed(said: str, drawn: str, ends: Sequence[str]) -> str:
    """Return a picture between its base and the budget, with what stands at its ends."""
    text = 'fill="currentColor" font-size="11"'
    first, last = map(escape, ends)
    return (
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" width="{_WIDTH}" role="img" '
        f'style="max-width:100%;font:inherit"><title>{escape(said)}</title>'
        f'<text x="{_LEFT}" y="{_TOP - 6}" {text}>budget</text>'
        f'<path d="M{_LEFT},{_TOP} H{_WIDTH - _RIGHT}" {_LINE} stroke-dasharray="4 4"/>'
        f'<path d="M{_LEFT},{_BASE} H{_WIDTH - _RIGHT}" {_LINE} opacity=".5"/>'
        f"{drawn}"
        f'<text x="{_LEFT}" y="{_HEIGHT - 6}" {text}>{first}</text>'
        f'<text x="{_WIDTH - _RIGHT}" y="{_HEIGHT - 6}" text-anchor="end" {text}>{last}</text>'
        "</svg>"
    )
