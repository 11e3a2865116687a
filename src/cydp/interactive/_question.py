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

from cydp._columns.stored_tables import open_data_table
from cydp._columns.table import is_column
from cydp._columns.tables import is_read_once, open_table, refuse_other_than_table
from cydp._numbers.bounds import Pair
from cydp.releases._query import Query
from cydp.releases._run import engine_of

__all__ = [
    "Question",
    "check_name",
    "check_names",
    "check_table",
    "message_for_session",
    "opened",
    "question_of",
]


_NAMES = ("column", "by", "user", "columns")  # the arguments that name columns of the table
_SEVERAL = ("by", "columns")  # these may be lists of names
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
        The query of the release.
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
    query: Query, release: Callable[..., Any], written: Mapping[str, Any], again: int
) -> Question:
    """Return the question that a call asks.

    Parameters
    ----------
    query : Query
        The query of the call.
    release : callable
        A release of cydp.
    written : mapping
        The arguments of the call by name.
    again : int
        The number of the answer to the same question.

    """
    key = _digest([query.to_dict(), again])
    return Question(query, _text_of(release.__name__, written, again), key)


def check_names(given: Mapping[str, Any]) -> None:
    """Raise a TypeError for an argument of a release that holds a column, and not its name."""
    for name in _NAMES:
        if name in given:
            check_name(given[name], name)
    if given.get("by") is not None and "by_keys" in given and given["column"] is None:
        raise TypeError("by must be the name of a column of the table: give column= as well")


def check_name(value: Any, argument: str) -> None:
    """Raise a TypeError for an argument that holds a column, where a session takes its name.

    >>> check_name("pid", "user")
    """
    if argument in _SEVERAL and isinstance(value, list | tuple):
        for each in value:
            _check_one_name(each, argument)
    else:
        _check_one_name(value, argument)


def _check_one_name(value: Any, argument: str) -> None:
    if is_column(value) or isinstance(value, Mapping):
        raise TypeError(
            f"{argument} must be the name of a column of the session's table, not a column: "
            "questions are compared by what is public"
        )
    if isinstance(value, tuple):
        for each in value:
            _check_one_name(each, argument)
    elif not (value is None or isinstance(value, str | int | float | np.number | np.bool)):
        raise TypeError(
            f"{argument} must be a name that is text or a number, not {type(value).__name__}: a "
            "session compares questions by their text"
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


def check_table(table: Any) -> None:
    """Raise a TypeError for anything but a table or column that can be read more than once.

    No value is read. For a path of no file, or for a lazy frame without a schema, it is a
    ValueError.
    """
    if engine_of(table) is not None:
        return
    if is_read_once(table):
        raise TypeError(
            "table must be one that can be read more than once, not a stream or an iterator: read "
            "it first, as by read_all() or list()"
        )
    refuse_other_than_table(table, "table", {})
    open_data_table(table)


def opened(table: Any) -> Any:
    """Return a table as releases take it: a dict of one column is a table, too.

    >>> opened({"age": [31]}).names, opened([31])
    (('age',), [31])
    """
    return open_table(table) if isinstance(table, Mapping) and len(table) == 1 else table


def message_for_session(said: Any) -> Any:
    """Return the message of a release's error, which calls the table x, for a session.

    >>> message_for_session("column must be a column of x, which has 'x'")
    "column must be a column of the table, which has 'x'"
    """
    if not isinstance(said, str):
        return said
    said = said.replace(" of x, which has ", " of the table, which has ", 1)
    return f"table{said[1:]}" if said.startswith("x must ") else said
