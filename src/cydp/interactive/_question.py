# SPDX-License-Identifier: MIT
"""A question of a session: a release, its public arguments, and the key of its stored answer.

The key is a function of public text alone. docs/interactive.md, "The key".
"""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np

from cydp._columns.label_keys import LabelKeys
from cydp._columns.tables import is_column
from cydp._numbers.bounds import Pair
from cydp.releases._keys import digest_keys
from cydp.releases._qs import read_quantiles
from cydp.releases._quantile import median, quantile
from cydp.releases._query import Query
from cydp.releases._query_of import arguments_of, query_of
from cydp.releases._rows import by_names

__all__ = ["Question", "check_name", "question_of"]

_NAMES = ("column", "by", "user", "columns")  # the arguments that name columns of the table
_SEVERAL = ("by", "columns")  # of which these may be lists of names
_BINS = ("bins", "range")
_SHOWN = (str, int, float, bool, Fraction, Decimal, list, tuple, dict, np.generic, Pair)
_MOST_TEXT = 400

_short = reprlib.Repr()
_short.maxlist = _short.maxtuple = _short.maxdict = 6
_short.maxstring = _short.maxother = 60


@dataclass(frozen=True, slots=True)
class Question:
    """A question, without the table.

    Attributes
    ----------
    query : Query
        What the release runs.
    text : str
        The call, as it was written; long lists are shortened.
    key : str
        The same for all spellings of the question.

    """

    query: Query
    text: str
    key: str

    def charge_id(self, version: str, blocks: tuple[str, ...]) -> str:
        """Return the id of the charge for the answer about a version of the table."""
        return f"session:{_digest([version, sorted(blocks), self.key])}"


def question_of(
    release: Callable[..., Any], written: Mapping[str, Any], given: Mapping[str, Any], again: int
) -> Question:
    """Return the question that a call asks.

    Parameters
    ----------
    release : callable
        A release of cydp.
    written : mapping
        The arguments of the call by name.
    given : mapping
        These, and those that the session adds; without the table, budget and rng.
    again : int
        The number of the answer to the same question.

    Raises
    ------
    TypeError, ValueError
        The errors that the release raises for its parameters; for a column that is no name.

    """
    given = arguments_of(release, (), given)
    names = {name: _name_of(given[name], name) for name in _NAMES if name in given}
    if given.get("by") is not None and "by_keys" in given and given["column"] is None:
        raise TypeError("by must be the name of a column of the table: give column= as well")
    query = query_of(release, given)
    parts = {
        # A median is the quantile 1/2.
        "function": (quantile if release is median else release).__name__,
        "query": repr(query),
        "names": names,
        "keys": _digest_of_keys(given),
        "bins": [_bins_of(given.get(name), is_range=name == "range") for name in _BINS],
        "several": "q" in given and read_quantiles(given["q"])[1],
        "again": again,
    }
    return Question(query, _text_of(release.__name__, written, again), _digest(parts))


def check_name(value: Any, argument: str) -> None:
    """Raise a TypeError for an argument that holds a column, where a session takes its name.

    >>> check_name("pid", "user")
    """
    _name_of(value, argument)


def _name_of(value: Any, argument: str) -> Any:
    """Return the name of a column, or of several, as JSON can hold it."""
    if argument in _SEVERAL and isinstance(value, list | tuple):
        return [_one_name_of(each, argument) for each in value]
    return _one_name_of(value, argument)


def _one_name_of(value: Any, argument: str) -> Any:
    if is_column(value) or isinstance(value, Mapping):
        raise TypeError(
            f"{argument} must be the name of a column of the session's table, not a column: "
            "questions are compared by what is public"
        )
    if isinstance(value, tuple):
        return ["tuple", *(_one_name_of(each, argument) for each in value)]
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else ["float", repr(value)]
    raise TypeError(
        f"{argument} must be a name that is text or a number, not {type(value).__name__}: a "
        "session compares questions by their text"
    )


def _digest_of_keys(given: Mapping[str, Any]) -> list[str] | None:
    keys = given.get("keys", given.get("by_keys"))
    if keys is None:
        return None
    by, names = given.get("by"), None
    if "by_keys" in given:
        names = by_names(by, given["column"])
    elif isinstance(by, list | tuple) and len(by) > 1:
        names = tuple(by)
    return digest_keys(LabelKeys(keys, names))


def _bins_of(value: Any, *, is_range: bool) -> Any:
    """Return bins or ranges, which were checked, as JSON can hold them.

    Equal ends of ranges are equal if both are Python's numbers; edges if numpy's arrays of them
    are.
    """
    if value is None:
        return None
    if isinstance(value, np.ndarray) or (not is_range and _is_edges(value)):
        edges = np.array(value)
        return [edges.dtype.str, list(edges.shape), sha256(edges.tobytes()).hexdigest()]
    if isinstance(value, list | tuple):
        return [_bins_of(each, is_range=is_range) for each in value]
    if isinstance(value, np.floating):
        return [value.dtype.str, float(value).hex()]
    if isinstance(value, float):
        is_plain = value.is_integer() and abs(value) < 2**53 and repr(value) != "-0.0"
        return int(value) if is_plain else value.hex()
    return int(value)


def _is_edges(value: Any) -> bool:
    """Whether a list has numbers that are no counts of bins, one for each column."""
    return (
        isinstance(value, list | tuple)
        and len(value) > 0
        and not any(isinstance(each, list | tuple | np.ndarray | type(None)) for each in value)
    )


def _text_of(name: str, written: Mapping[str, Any], again: int) -> str:
    """Return a call as a text of one line."""
    shown = dict(written) | ({"again": again} if again else {})
    parts = (
        f"{key}={_short.repr(_plain(value)) if isinstance(value, _SHOWN) else _kind(value)}"
        for key, value in shown.items()
        if value is not None
    )
    text = f"{name}({', '.join(parts)})".encode(errors="backslashreplace").decode()
    text = " ".join(text.splitlines())
    return text if len(text) <= _MOST_TEXT else text[: _MOST_TEXT - 5] + " ...)"


def _plain(value: Any) -> Any:
    if isinstance(value, Pair):  # released bounds
        return tuple(value)
    return value.item() if isinstance(value, np.generic) else value


def _kind(value: Any) -> str:
    return f"<{type(value).__name__}>"


def _digest(parts: Any) -> str:
    return sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()
