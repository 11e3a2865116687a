# SPDX-License-Identifier: MIT
"""Steps of post-processing, and the tables that they make. docs/releases/postprocessing.md."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._core import clamp_counts, project_nonnegative, project_total, round_counts, shares
from cydp._numbers.rational import read_integer
from cydp.releases._count import NumberRelease

__all__ = [
    "Step",
    "add_step",
    "apply_steps",
    "biases_of",
    "has_shares",
    "read_totals",
    "words_of_steps",
]


_Total: TypeAlias = int | tuple[int, ...]
"""The total of a table, or of the table of each key."""

_WORD = 2**64 - 1


Step: TypeAlias = str | tuple[Any, ...]
"""The name of a step, or a tuple of its name and its parameters."""

_NONNEGATIVE = "nonnegative"

_NORMALIZED = "normalized"

_SHOWN = 3  # totals of keys, in words

_BIASES = {
    _NONNEGATIVE: "small counts are too large on average, and large ones too small",
    "rounded": "rounding moves counts",
    "clamped": "clamping moves counts",
    _NORMALIZED: "a share is a ratio of noisy numbers",
}


class _ReleasedTotal(int):
    """A total with noise: where no table has it, a note says so, and there is no error.

    An error would depend on the noise.
    """

    __slots__ = ()


def _has_released(total: _Total) -> bool:
    """Whether a total, or the total of a key, is a released one."""
    return any(isinstance(each, _ReleasedTotal) for each in _all_of(total))


def _all_of(total: _Total) -> tuple[int, ...]:
    return total if isinstance(total, tuple) else (total,)


def read_totals(n: Any, by_keys: bool, tables: int, cells: int, name: str = "n") -> _Total:
    """Read the total of a table, or of the table of each key.

    Raises
    ------
    TypeError, ValueError
        If it is no integer, or not one for each key; if no table of so many int64 cells has it.

    """
    if not by_keys:
        return _read_total(n, name, cells)
    if np.ndim(n) != 1 or len(n) != tables:
        raise ValueError(
            f"{name} must be a sequence with one integer for each of the {tables} keys"
        )
    return tuple(_read_total(each, f"each of {name}", cells) for each in n)


def _read_total(n: Any, name: str, cells: int) -> int:
    if isinstance(n, NumberRelease):
        if not n.query.is_count:
            raise TypeError(f"{name} must be an integer or a released count, not a released sum")
        return _ReleasedTotal(n.value)
    total = read_integer(n, name)
    # Without cells there may be none because no keys were found, which noise has decided.
    if cells and not -cells * 2**63 <= total < cells * 2**63:
        raise ValueError(f"{name} must be what {cells} counts in int64 can sum to")
    return total


def _machine_words(total: _Total) -> NDArray[np.uint64]:
    """Return totals as pairs (low, high) of words, in two's complement.

    >>> _machine_words(2**64 + 5)
    array([[5, 1]], dtype=uint64)
    """
    totals = _all_of(total)
    pairs = [(each & _WORD, each >> 64 & _WORD) for each in totals]
    return np.array(pairs, np.uint64).reshape(len(totals), 2)


def add_step(steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    """Return the steps with one more.

    ``nonnegative`` and ``with_total`` in a row are one projection, with the last total. They stand
    in one order, whichever was asked for first.

    >>> add_step((("rounded", 5), ("with_total", 7)), "nonnegative")
    (('rounded', 5), 'nonnegative', ('with_total', 7))
    """
    before, constraints = _split_constraints(steps)
    if not _is_constraint(step):
        return (*steps, step)
    constraints[_name_of(step)] = step
    found = (constraints.get(name) for name in (_NONNEGATIVE, "with_total"))
    return (*before, *(each for each in found if each is not None))


def _split_constraints(steps: tuple[Step, ...]) -> tuple[tuple[Step, ...], dict[str, Step]]:
    """Return the steps before the last projection, and its constraints by name."""
    n = len(steps)
    while n > 0 and _is_constraint(steps[n - 1]):
        n -= 1
    return steps[:n], {_name_of(step): step for step in steps[n:]}


def _name_of(step: Step) -> str:
    return step if isinstance(step, str) else step[0]


def _is_constraint(step: Step) -> bool:
    return _name_of(step) in (_NONNEGATIVE, "with_total")


def has_shares(steps: Sequence[Step]) -> bool:
    """Whether the steps end with shares."""
    return steps[-1:] == (_NORMALIZED,)


def biases_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """Return why the numbers are biased; nothing if they are not."""
    names = dict.fromkeys(map(_name_of, steps))
    return tuple(_BIASES[name] for name in names if name in _BIASES)


def words_of_steps(steps: Sequence[Step]) -> str:
    """Return the steps as they are called.

    >>> words_of_steps(("nonnegative", ("clamped", None, 9), ("with_total", (1, 2, 3, 4))))
    'nonnegative(), clamped(None, 9), with_total((1, 2, 3, ... for 4 keys))'
    """
    return ", ".join(_words_of(step) for step in steps)


def _words_of(step: Step) -> str:
    if isinstance(step, str):
        return f"{step}()"
    name, *values = step
    return f"{name}({', '.join(map(_format_value, values))})"


def _format_value(value: Any) -> str:
    if isinstance(value, tuple) and len(value) > _SHOWN:
        return f"({', '.join(map(str, value[:_SHOWN]))}, ... for {len(value)} keys)"
    return repr(value)


def apply_steps(
    counts: NDArray[np.int64], steps: Sequence[Step]
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """Return the tables that steps make of tables.

    Parameters
    ----------
    counts : ndarray of int64, shape (tables, cells)
    steps : sequence of Step

    Returns
    -------
    (numbers, notes) : ndarray of the same shape, and tuple of str
        Counts, or shares; and what did not come out as its step says.

    Raises
    ------
    ValueError
        If a public total does not fit.

    """
    numbers: NDArray[Any] = np.ascontiguousarray(counts)
    notes: list[str] = []
    for name, values in _groups_of(steps):
        out = np.empty(counts.shape, np.float64 if name == _NORMALIZED else np.int64)
        notes += _apply(name, values, numbers, out)
        numbers = out
    return numbers, tuple(notes)


def _groups_of(steps: Sequence[Step]) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Yield names and parameters of steps; a total after ``nonnegative`` becomes its parameter."""
    rest = [(step, ()) if isinstance(step, str) else (step[0], step[1:]) for step in steps]
    while rest:
        name, values = rest.pop(0)
        if name == _NONNEGATIVE and rest and rest[0][0] == "with_total":
            values = rest.pop(0)[1]
        yield name, values


def _apply(
    name: str, values: tuple[Any, ...], counts: NDArray[np.int64], out: NDArray[Any]
) -> list[str]:
    """Write what one step makes of tables, and return notes."""
    if name == _NONNEGATIVE:
        return _make_nonnegative(counts, values[0] if values else None, out)
    if name == "with_total":
        return _project(project_total, counts, values[0], out)
    if name == "rounded":
        saturated = round_counts(counts, values[0], out)
        if saturated:
            beyond = f"the nearest multiple of {values[0]} is beyond int64 for {saturated:,} counts"
            return [f"{beyond}: they are the last one in it"]
    elif name == "clamped":
        info = np.iinfo(np.int64)
        lower, upper = values
        clamp_counts(
            counts,
            info.min if lower is None else lower,
            info.max if upper is None else upper,
            out,
        )
    else:
        without = shares(counts, out)
        if without and out.size:
            return [f"{_which(without, counts)} not above 0: all shares are 0"]
    return []


def _make_nonnegative(
    counts: NDArray[np.int64], total: _Total | None, out: NDArray[Any]
) -> list[str]:
    if total is None:
        negative = project_nonnegative(counts, None, out)
        return (
            [f"{_which(negative, counts)} below 0: all counts are 0, and the total is not kept"]
            if negative
            else []
        )
    totals = total if isinstance(total, tuple) else (total,)
    below = [each for each in totals if each < 0]
    public = [each for each in below if not isinstance(each, _ReleasedTotal)]
    if public:
        raise ValueError(f"n must not be below 0 where no count may be, not {min(public)}")
    possible = tuple(each if each > 0 else type(each)(0) for each in totals)
    notes = _project(project_nonnegative, counts, possible, out)
    if below:
        notes.append(f"{_which(len(below), counts, 'released total')} below 0: it counts as 0")
    return notes


def _project(
    project: Callable[..., Any], counts: NDArray[np.int64], total: _Total, out: NDArray[Any]
) -> list[str]:
    """Write the closest tables with totals, and return notes.

    Raises
    ------
    ValueError
        If a count would leave int64, and no total is a released one.

    """
    words = _machine_words(total)
    try:
        project(counts, words, out)
    except ValueError:
        if not _has_released(total):
            too_far = "n must be nearer to the total of the counts: a count would leave int64"
            raise ValueError(too_far) from None
        out[:] = counts
        return ["a count would leave int64: counts stay as they are, and no total is kept"]
    if not counts.shape[1] and words.any():
        return ["there are no counts: the total is not kept"]
    return []


def _which(tables: int, counts: NDArray[np.int64], what: str = "total") -> str:
    """Return which totals they are, as the subject of a note."""
    if len(counts) == 1:
        return f"the {what} is"
    return f"the {what} of {tables:,} of {len(counts):,} keys is"
