# SPDX-License-Identifier: MIT
"""An estimate of how many rows the bounds of users leave out, as a part of a release.

docs/releases/contribution_bound.md, "How many rows were left out".
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from cydp._arguments import Integer, Number
from cydp._numbers.rational import read_integer, read_level
from cydp._numbers.rounding import percent_of
from cydp.releases._answers import Answer, NoisyAnswer
from cydp.releases._noise_split import Aggregate, Part
from cydp.releases._unit import Change, Unit

__all__ = ["LEFT_OUT", "answer_of", "left_out_aggregate", "note_on", "read_left_out"]

LEFT_OUT = "left_out"  # the name of the part, and of its weight
_MOST = 2**20


def read_left_out(left_out: Integer | None, unit: Unit) -> int | None:
    """Return the most rows of one user that an estimate counts; None: there is no estimate.

    Raises
    ------
    TypeError, ValueError
        Unless it is an integer from 1 to 2**20, and rows of users are bounded.

    """
    if left_out is None:
        return None
    if not unit.has_users:
        raise TypeError("left_out is about rows of users: give user= as well")
    most = read_integer(left_out, "left_out")
    if not 1 <= most <= _MOST:
        raise ValueError(f"left_out must be from 1 to {_MOST:,}, not {most}")
    return most


def left_out_aggregate(most: int, unit: Unit, weight: Fraction) -> Aggregate:
    """Return the number of rows that are left out, of each user `most` of them at most."""
    change = Change(Fraction(most), Fraction(most), 1, unit.relation)
    return Aggregate(LEFT_OUT, change, weight=weight)


def answer_of(part: Part) -> Answer:
    """Return the estimate as a released number."""
    return NoisyAnswer(LEFT_OUT, 1, "rows", part)


def note_on(query: Any, estimate: int, confidence: Number) -> str:
    """Return what a release says of its estimate."""
    from cydp.releases.output._words import value_words

    answer = answer_of(query.parts[LEFT_OUT])
    low, high = (max(end, 0) for end in answer.interval({LEFT_OUT: estimate}, confidence, 1))
    cut = f"; the noisy number is {value_words(estimate)}" if estimate < 0 else ""
    sure = percent_of(read_level(confidence))
    return (
        f"an estimated {value_words(max(estimate, 0))} rows were left out ({value_words(low)} to "
        f"{value_words(high)}, with {sure} confidence{cut}), counting at most "
        f"{query.most_left_out:,} of each {query.unit.name}: the true number may be larger"
    )
