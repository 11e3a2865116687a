# SPDX-License-Identifier: MIT
"""The inputs of a query: columns by name, public keys and edges, and their digests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from cydp._columns.canonical import digest_argument
from cydp._columns.csv_uses import NOTES
from cydp._columns.keys import Keys, digest_keys
from cydp._columns.table import Table, is_column
from cydp._columns.tables import open_table
from cydp._numbers.rational import read_integer
from cydp.releases.output._sheet import cut, time_words

__all__ = [
    "NOTHING",
    "Reads",
    "by_names",
    "columns_by",
    "count_keys",
    "is_name",
    "key_names",
    "known_names",
    "name_of",
    "names_of",
    "public_keys",
    "refuse_columns",
    "several",
    "words_of_reads",
]


class Reads(NamedTuple):
    """The inputs that a query reads.

    Attributes
    ----------
    columns : mapping
        The names of columns by the arguments that name them: "" for a column without a name, None
        for an argument that was not given.
    keys : Keys or None
        Public keys.
    edges : tuple of ndarrays
        The public edges of bins.
    public : mapping
        Other public inputs by name, each with a `digest`: domains of columns, or a workload.
    labels : tuple of ndarrays
        The labels of places in domains, in the types that the columns declare.
    where : str or None
        The condition on rows: others are left out.
    chooses_blocks : bool
        Whether the condition leaves no rows but those of the blocks that pay. `where` says it, so
        `to_dict` leaves it out.
    besides_blocks : str or None
        The condition without these blocks, for a report, which names them beside it.
    text_as : tuple of str
        What text of CSV is read as, and what keys are compared with: names in `NOTES` of
        `cydp._columns.csv_uses`. Types of columns and the other parameters decide it, so
        `to_dict` leaves it out.
    path : str or None
        The absolute path, or glob, of the files that the table is, which a charge id belongs to.
        What is released does not depend on it, so `to_dict` leaves it out.
    called : str or None
        The function that was called, if its query is that of another one, which `to_dict` says.

    """

    columns: Mapping[str, Any] = {}
    keys: Keys | None = None
    edges: tuple[NDArray[Any], ...] = ()
    public: Mapping[str, Any] = {}
    labels: tuple[NDArray[Any], ...] = ()
    where: str | None = None
    text_as: tuple[str, ...] = ()
    path: str | None = None
    chooses_blocks: bool = False
    besides_blocks: str | None = None
    called: str | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes for a reader: they are the same whatever a file holds.

        >>> Reads(text_as=("number",)).notes[0][:45]
        'a value that is no number counts as missing, '
        """
        return tuple(NOTES[use] for use in self.text_as)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON can hold it: keys and edges by their number and a digest."""
        found: dict[str, Any] = {
            "columns": {argument: _json_of(name) for argument, name in self.columns.items()}
        }
        if self.keys is not None:
            found["keys"] = {"size": len(self.keys), "sha256": digest_keys(self.keys)}
        if self.edges:
            found["edges"] = [
                {"size": each.size, "sha256": digest_argument(each)} for each in self.edges
            ]
        if self.public:
            found["public"] = {
                name: [_json_of(getattr(each, "names", ())), each.digest()]
                for name, each in self.public.items()
            }
        if self.where is not None:
            found["where"] = self.where
        return found


NOTHING = Reads()

_MOST_NAMED = 5  # public keys, and numbers
_LONGEST = 40  # letters of each
_LONGEST_CONDITION = 80  # in a line of a report


def words_of_reads(title: str, reads: Reads, contents: Sequence[str]) -> str:
    """Return what is released, in words: its columns, and public keys or bins.

    >>> words_of_reads("count", Reads({"column": "age", "user": "id"}), ())
    'count of age'
    >>> words_of_reads("group_by", Reads({"by": ("sex",)}, Keys(["f", "m"])), ["n", "mean_age"])
    'group_by sex: n; mean_age, keys f, m'
    """
    named: dict[str, str] = {}  # some queries read a column by two arguments
    for argument, names in reads.columns.items():
        known = [str(name) for name in (names if isinstance(names, tuple) else (names,)) if name]
        if known and argument != "user":
            link = " " if title.endswith("_by") else " by " if argument == "by" else " of "
            named.setdefault(", ".join(known), link)
    words = title + "".join(f"{link}{names}" for names, link in named.items())
    if reads.path is not None:
        words += f" in {Path(reads.path).name[:_LONGEST]}"
    if contents:
        words += f": {_first_of(contents, len(contents), '; ')}"
    if reads.keys is not None:
        columns = [column[:_MOST_NAMED].tolist() for column in reads.keys.arrays]
        rows = ["/".join(map(str, row)) for row in zip(*columns, strict=True)]
        words += f", keys {_first_of(rows, len(reads.keys), ', ')}"
    for edges in reads.edges:
        words += f", {len(edges) - 1:,} bins from {time_words(edges[0])} to {time_words(edges[-1])}"
    if reads.besides_blocks is not None:
        words += f", where {cut(reads.besides_blocks, _LONGEST_CONDITION)}"
    return words


def _first_of(names: Sequence[str], size: int, between: str) -> str:
    shown = [name[:_LONGEST] for name in names[:_MOST_NAMED]]
    more = size - len(shown)
    return between.join(shown) + (f" and {more:,} more" if more else "")


def name_of(column: Any, table: Any = None) -> Any:
    """Return the name of a column; "" for all else, such as a column itself: records are no name.

    Text and numbers are names. A tuple is one if a table has a column of that name.

    >>> name_of("age"), name_of([31, 64]), name_of((31, 64)), name_of(None)
    ('age', '', '', None)
    """
    if column is None or type(column) is str:  # most often, and the quickest way
        return column
    if isinstance(column, str):
        return str(column)
    if isinstance(column, int | float | np.number | np.bool):
        return column
    return column if isinstance(column, tuple) and is_name(column, table) else ""


def is_name(name: tuple[Any, ...], table: Any) -> bool:
    """Whether a table has a column of this name; False for anything but a table.

    >>> is_name(("a", 1), {("a", 1): [7, 9]}), is_name(("a", 1), [7, 9])
    (True, False)
    """
    try:
        return any(type(each) is tuple and each == name for each in open_table(table).names)
    except (TypeError, ValueError):
        return False


def _json_of(name: Any) -> Any:
    """Return a name, or names, as JSON can hold them."""
    if isinstance(name, tuple):
        return [_json_of(each) for each in name]
    if isinstance(name, np.generic):
        name = name.item()
    if isinstance(name, float) and name.is_integer():  # names are equal if numbers are
        return int(name)
    is_plain = name is None or isinstance(name, str | int) or (name == name and type(name) is float)
    return name if is_plain else [type(name).__name__, repr(name)]


def names_of(given: Mapping[str, Any], *arguments: str) -> dict[str, Any]:
    """Return the names of columns by the arguments that name one each.

    >>> names_of({"x": [1, 2], "column": None, "user": [7, 9]}, "column", "user")
    {'column': None, 'user': ''}
    """
    table = given.get("x", given.get("table"))
    return {argument: name_of(given[argument], table) for argument in arguments}


def known_names(columns: Iterable[Any]) -> tuple[str, ...]:
    """Return the names of columns, "" for a column that was given without one; () if none has one.

    >>> known_names(["age", [31, 64]]), known_names([None])
    (('age', ''), ())
    """
    names = tuple(each if isinstance(each, str) else "" for each in columns)
    return names if any(names) else ()


def count_keys(keys: Any, names: tuple[Any, ...] | None) -> int | None:
    """Return the number of public keys, which may be all that is given of them; None for None.

    >>> count_keys(["a", "b"], None), count_keys(2, ("sex",))
    (2, 2)
    """
    if keys is None:
        return None
    if hasattr(keys, "__index__") and np.ndim(keys) == 0:
        number = read_integer(keys, "keys")
        if not 0 <= number < 2**32:
            raise ValueError(f"keys must be the keys, or how many: from 0 to 2**32, not {number}")
        return number
    return len(public_keys(keys, names))


def public_keys(keys: Any, names: tuple[Any, ...] | None) -> Keys:
    """Return public keys of columns of these names; None: of one column without a name.

    A dict has the labels of each column.

    >>> public_keys({"sex": ["f", "m"]}, ("sex",))
    <Keys: 2 of one column>
    """
    if names is None or len(names) > 1:
        return Keys(keys, names)
    if isinstance(keys, Mapping):
        Keys(keys, names)  # raises for the labels of another column
        keys = next(iter(keys.values()))
    return Keys(keys)


def by_names(by: Any, column: Any) -> tuple[Any, ...] | None:
    """Return the names of several columns of labels; None for a single column."""
    if isinstance(by, dict):
        return tuple(by)
    return tuple(by) if column is not None and isinstance(by, list | tuple) else None


def several(by: Any) -> tuple[Any, ...]:
    """Return the columns of labels that an argument `by` stands for: one, or those of a list."""
    return tuple(by) if isinstance(by, list | tuple) else (by,)


def refuse_columns(given: Mapping[str, Any], arguments: Sequence[str], why: str) -> None:
    """Raise a TypeError for a column itself beside the data, where its name is wanted.

    >>> refuse_columns({"column": "age", "by": ["sex"]}, ["column", "by"], "rows are not known")
    """
    for name in arguments:
        named = given.get(name)
        if named is None:
            continue
        is_data = name == "by" and given.get("column", True) is None
        is_list = isinstance(named, list | tuple) and name not in ("column", "user")
        each = named if is_list else [named]
        if is_data or isinstance(named, dict) or any(map(is_column, each)):
            raise TypeError(f"{name} must be given by name, as a column of the table: {why}")


def columns_by(table: Table, by: Any) -> list[Any]:
    """Return the columns that an argument `by` names.

    Raises
    ------
    TypeError, ValueError
        For a name that the table does not have. It is not shown if it stood in a list, which may
        be one of labels by mistake.

    """
    if isinstance(by, list | tuple):
        return [table.column(each, "each of by") for each in by]
    return [table.column(by, "by", is_named=True)]


def key_names(columns: Sequence[Any]) -> tuple[Any, ...]:
    """Return the names of columns of keys; columns without a name have a number, or None.

    The entries of a column are no names.

    >>> key_names(["age", [31, 64]]), key_names([[31, 64]])
    (('age', 'key1'), (None,))
    """
    unnamed = "key{}" if len(columns) > 1 else None
    return tuple(
        each if not is_column(each) else unnamed and unnamed.format(i)
        for i, each in enumerate(columns)
    )
