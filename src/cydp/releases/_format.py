# SPDX-License-Identifier: MIT
"""How releases write their cost, their noise and their parameters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from cydp._numbers.rational import float_of, literal_of
from cydp.accounting._renyi_dp import AnyLoss
from cydp.accounting._words import format_numbers, numbers_of
from cydp.exact._grid import Grid
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.releases._noise_split import Part
from cydp.releases._unit import Unit

__all__ = ["counted", "format_cost", "format_noise", "format_parameter"]


def counted(unit: Unit) -> tuple[str, str]:
    """Return what a count is a number of, for one and for several: users or rows.

    Where one row of each user counts, in each cell, a count is the number of users there; else it
    is a number of rows.

    >>> counted(Unit()), counted(Unit(name="company", has_users=True))
    (('row', 'rows'), ('company', 'companies'))
    >>> counted(Unit(name="user_id", has_users=True))
    ("value of 'user_id'", "values of 'user_id'")
    """
    one = unit.name if unit.has_users and unit.max_rows == 1 else "row"
    noun, of_blocks, block = one.partition(" in ")
    is_word = noun.replace(" ", "").isalpha() and (noun.islower() or noun.istitle())
    if not is_word:  # but the name of a column
        return f"value of {noun!r}{of_blocks}{block}", f"values of {noun!r}{of_blocks}{block}"
    return one, f"{_plural_of(noun)}{of_blocks}{block}"


def _plural_of(noun: str) -> str:
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return f"{noun}es"
    if noun.endswith("y") and noun[-2:-1] not in ("", *"aeiou"):
        return f"{noun[:-1]}ies"
    return f"{noun}s"


def format_cost(loss: AnyLoss) -> str:
    """Return a loss as the parameters that a release takes; long numbers are rounded up.

    >>> from cydp import ZCDP, PureDP
    >>> format_cost(PureDP("0.1")), format_cost(ZCDP(2))
    ('epsilon=0.1', 'rho=2')
    """
    return format_numbers(numbers_of(loss))


def format_noise(parts: Iterable[Part], names: Mapping[str, str]) -> str:
    """Return the mechanisms with their scales, in the unit of the data, or in ranks for quantiles.

    Parts with one kind of noise stand together, each scale with what `names` calls its part.
    """
    scales: dict[str, list[tuple[str, str]]] = {}
    for part in parts:
        mechanism = part.mechanism
        kind, step = "scale", float_of(part.step)
        if isinstance(mechanism, QuantileMechanism):
            size = f"{float_of(mechanism.scale):,.6g}"
            size += " rank" if size == "1" else " ranks"
        elif isinstance(mechanism, DiscreteLaplace):
            size = f"{float_of(mechanism.scale * part.step):,.6g}"
        else:
            kind, size = "sigma", f"{mechanism.sigma * step:,.6g}"
        scales.setdefault(f"{type(mechanism).__name__}, {kind}", []).append(
            (size, names.get(part.name, part.name))
        )
    several = sum(map(len, scales.values())) > 1
    return "; ".join(
        f"{kind} " + ", ".join(f"{size} ({name})" if several else size for size, name in sizes)
        for kind, sizes in scales.items()
    )


def format_parameter(value: Any) -> str:
    """Return a parameter of a query as a text that is the same in every process.

    >>> print(format_parameter((Fraction(1, 2), Grid(-1, 0, 20), None)))
    (0.5, Grid(bounds=(0, 10), step=2**-1), None)
    """
    if isinstance(value, Fraction):
        return literal_of(value)
    if isinstance(value, tuple):
        return f"({', '.join(map(format_parameter, value))}{',' * (len(value) == 1)})"
    if isinstance(value, Mapping):
        items = (f"{name!r}: {format_parameter(each)}" for name, each in value.items())
        return f"{{{', '.join(items)}}}"
    if type(value) is Grid:
        return f"Grid(bounds={format_parameter(value.bounds)}, step=2**{value.exponent})"
    return repr(value)
