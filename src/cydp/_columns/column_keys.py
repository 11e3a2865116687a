# SPDX-License-Identifier: MIT
"""Distinct public labels of one column, and the key tables for the types that columns have.

docs/columns.md, "Labels".
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp import _core
from cydp._columns.canonical import (
    BYTES,
    INSTANTS,
    INTERVALS,
    NUMBERS,
    PERIODS,
    RAW,
    SPANS,
    TEXT,
    TIMES,
    TIMES_OF_DAY,
    Canonical,
    canonical,
    rank,
)
from cydp._columns.conditions import Constant, is_number_as_text
from cydp._columns.csv_uses import DAYS, OBJECTS
from cydp._columns.declared import Labels
from cydp._columns.dense_keys import DensePlaces, are_distinct, is_dense
from cydp._columns.label_types import NANOSECONDS, LabelType, stored_integers
from cydp._columns.moments import Moment, read_moment
from cydp._columns.strings import Strings, join_bytes

__all__ = ["ColumnKeys", "KeyPlaces", "as_strings"]

# The kinds of keys that labels of a column may be equal to; objects may be equal to any.
_KINDS = {
    "numbers": NUMBERS, "decimals": NUMBERS, "text": TEXT, "bytes": BYTES,
    "bytes of one length": BYTES, "times": TIMES, "instants": INSTANTS, "time spans": SPANS,
    "times of day": TIMES_OF_DAY, "periods": PERIODS, "intervals": INTERVALS,
}  # fmt: skip
_WORDS = {
    NUMBERS: "numbers", TEXT: "text", BYTES: "bytes", TIMES: "dates or times without a zone",
    INSTANTS: "times with a zone", SPANS: "time spans", TIMES_OF_DAY: "times of day",
    PERIODS: "periods of pandas", INTERVALS: "intervals of pandas",
}  # fmt: skip

_SUCH_AS = {
    TIMES: "'2024-01-31', or datetime.date(2024, 1, 31)",
    INSTANTS: "'2024-01-31[Europe/Vienna]', or datetime.datetime(2024, 1, 31, tzinfo=datetime.UTC)",
}


class KeyPlaces:
    """A key table of the keys that a column can hold, and their places among all keys.

    Attributes
    ----------
    places : ndarray of uint32, or None
        The place of each key of the table, and behind them the number of all keys; None: the
        table has all keys.

    """

    __slots__ = ("_data", "_table", "places")

    def __init__(self, data: NDArray[Any] | Strings, places: NDArray[np.uint32] | None) -> None:
        """Make a table of strings, or of entries of a fixed number of bytes."""
        self._data, self.places = data, places
        strings = data.kernel() if isinstance(data, Strings) else as_strings(data)
        self._table = _core.KeyTable(strings)

    def fill(
        self,
        strings: _core.Strings,
        first: int,
        present: NDArray[np.bool_] | None,
        threads: int,
        codes: NDArray[np.uint32],
    ) -> None:
        """Set codes to the places of strings from the first on; the number of keys for others."""
        valid = None if present is None else present.view(np.uint8)
        _core.lookup(self._table, strings, first, valid, threads, codes)
        if self.places is not None:
            codes[:] = self.places[codes]


def as_strings(array: NDArray[Any]) -> _core.Strings:
    """Return entries of a fixed number of bytes for a kernel; the array must live as long."""
    return _core.Strings(len(array), array.view(np.uint8), width=array.dtype.itemsize)


class ColumnKeys:
    """Distinct labels of one column, in an order.

    Attributes
    ----------
    labels : list of canonical values
    others : frozenset of types
        Types of keys that are compared by their own methods.

    """

    def __init__(
        self, labels: list[Canonical] | NDArray[np.integer], others: frozenset[type]
    ) -> None:
        """Take distinct labels; they may be an array of integers."""
        self._given, self.others = labels, others
        self._tables: dict[Any, KeyPlaces | DensePlaces | None] = {}

    @classmethod
    def of(cls, given: list[Any] | NDArray[Any]) -> tuple[ColumnKeys, NDArray[np.uint32]]:
        """Return the distinct labels among entries, and the place of each entry's label.

        Raises
        ------
        TypeError, ValueError
            For an entry that is missing or cannot be hashed.

        """
        if isinstance(given, np.ndarray) and given.dtype.kind in "iu" and are_distinct(given):
            return cls(given, frozenset()), np.arange(len(given), dtype=np.uint32)
        entries = _listed(given)
        types = set(map(type, entries))
        others: frozenset[type] = frozenset()
        labels: list[Any] = entries
        if not types <= RAW - {type(None)}:
            others = frozenset(kind for kind in types if kind.__hash__ is not None)
            labels = [canonical(entry, others) for entry in entries]
            if None in labels:
                entry = entries[labels.index(None)]
                _refuse(entry, others)
        places: dict[Canonical, int] = {}
        codes = np.fromiter(
            (places.setdefault(label, len(places)) for label in labels), np.uint32, len(labels)
        )
        return cls(list(places), others), codes

    def __len__(self) -> int:
        return len(self._given)

    @cached_property
    def labels(self) -> list[Any]:
        """The canonical values of the labels."""
        return self._given.tolist() if isinstance(self._given, np.ndarray) else self._given

    @cached_property
    def places(self) -> dict[Canonical, int]:
        """The place of each label."""
        return {label: place for place, label in enumerate(self.labels)}

    @cached_property
    def kinds(self) -> set[int]:
        """The kinds of the labels."""
        if isinstance(self._given, np.ndarray):
            return {NUMBERS}
        types = set(map(type, self.labels))
        if types == {str} or types == {int}:
            return {TEXT if types == {str} else NUMBERS}
        return {rank(label)[0] for label in self.labels}

    def compared(self, column: Labels) -> Labels:
        """Return a column as it is compared with the labels: numbers or times if they are such.

        Only a column without a type is another one then. Text that is no such number or time is
        none of the labels.

        Raises
        ------
        TypeError
            For labels of several kinds, if the column has no type: those of one kind would be none
            of its entries.

        """
        if not column.is_untyped:
            return column
        if len(self.kinds) > 1:
            raise TypeError(
                "keys must be of one kind for a column of CSV, such as all numbers or all text"
            )
        has_numbers = self.kinds == {TEXT} and any(map(is_number_as_text, self.labels))
        kind = "VARCHAR" if has_numbers else self.sql_type
        return column if kind is None else column.read_as(kind)

    @property
    def sql_type(self) -> str | None:
        """What a column without a type is read as: a type of DuckDB, or None for text."""
        if self.kinds in ({TIMES}, {INSTANTS}):
            return "TIMESTAMP" if self.kinds == {TIMES} else "TIMESTAMPTZ"
        if self.kinds != {NUMBERS}:
            return None
        if not all(isinstance(label, int) for label in self.labels):
            return "DOUBLE"
        fits = all(-(2**63) <= label < 2**63 for label in self.labels)
        return "BIGINT" if fits else "DECIMAL(38, 0)"

    def check(self, column: Labels, name: str = "keys") -> None:
        """Raise a TypeError if a label is of a kind that a column cannot hold, by its type.

        And a ValueError for times that no time is rounded down to. `name` is what to call the
        labels in an error.
        """
        wanted = _KINDS.get(column.type.kind)
        if wanted in (TIMES, INSTANTS) and self.kinds == {TEXT}:
            self._check_moments(wanted, name)
        elif wanted is not None and self.kinds != {wanted}:
            entries = f"the entries of {column.name}" if name == "keys" else "its entries"
            raise TypeError(
                f"{name} must be {_WORDS[wanted]}, as {entries} are"
                + (f", such as {_SUCH_AS[wanted]}" if wanted in _SUCH_AS else "")
            )
        if wanted == TIMES and (words := column.times_wanted(self._of_kind(TIMES)[0])):
            raise ValueError(f"{name} must be {words}")

    def uses(self, column: Labels) -> tuple[str, ...]:
        """Return which notes a release has on these labels for a column of this type.

        They are names in `NOTES` of `csv_uses`. Neither depends on an entry of the column.
        """
        kind = column.type.kind
        if kind == "objects":
            return (OBJECTS,) if self._may_miss_objects else ()
        if kind not in ("times", "instants") or column.type.nanoseconds >= NANOSECONDS["D"]:
            return ()
        return (DAYS,) if self._are_midnights else ()

    @cached_property
    def _may_miss_objects(self) -> bool:
        """Whether labels are times, or text that is written as a number or a time."""
        if self.kinds != {TEXT}:
            return not self.kinds.isdisjoint((TIMES, INSTANTS))
        return any(Constant("text", label).unquoted is not None for label in self.labels)

    @cached_property
    def _are_midnights(self) -> bool:
        """Whether a day begins at each label, of labels that are times."""
        if self.kinds == {TEXT}:
            return all(moment.is_midnight for moment in self._moments)
        return self.kinds == {TIMES} and all(
            Moment(nanoseconds).is_midnight for nanoseconds in self._of_kind(TIMES)[0]
        )

    @cached_property
    def _moments(self) -> list[Moment]:
        """The labels as dates and times, where all are text and a column of such is asked for."""
        return [read_moment(label, "each of keys") for label in self.labels]

    def _check_moments(self, wanted: int, name: str) -> None:
        """Raise an error for text that is no date or time of this kind, or twice the same one."""
        try:
            moments = self._moments
        except ValueError as error:
            raise TypeError(f"{name} must be {_WORDS[wanted]}: {error}") from None
        if any((moment.zone is None) != (wanted == TIMES) for moment in moments):
            raise TypeError(
                f"{name} must be {_WORDS[wanted]}, as the column is, such as {_SUCH_AS[wanted]}"
            )
        if len({moment.nanoseconds for moment in moments}) < len(moments):
            raise ValueError(f"{name} must be distinct: two are the same time")

    def table(self, kind: LabelType, encoding: str) -> KeyPlaces | DensePlaces | None:
        """Return the table for a column of a type; None if it can hold none of the labels.

        The encoding of strings is "utf-8", "utf-32-le" or "bytes". Integers that lie close to each
        other have an array instead.
        """
        described = (kind, encoding)
        if described not in self._tables:  # two threads may both make it
            self._tables[described] = self._make(kind, encoding)
        return self._tables[described]

    def _make(self, kind: LabelType, encoding: str) -> KeyPlaces | DensePlaces | None:
        if isinstance(self._given, np.ndarray) and _holds(kind, self._given):
            assert kind.storage is not None
            integers = self._given.astype(stored_integers(kind.storage.newbyteorder("=")))
            if is_dense(integers):
                return DensePlaces(integers, None, len(self))
            return KeyPlaces(integers, None)
        values, places = self._of_kind(_KINDS[kind.kind])
        if kind.kind in ("text", "bytes"):
            stored, _ = join_bytes(_encode(values, encoding), None)
            count = len(values)
        else:
            stored, fits = _store(values, kind)
            count = len(stored)
            if count < len(values):
                places = np.flatnonzero(fits) if places is None else places[fits]
        if count == 0:
            return None
        if kind.storage is not None and kind.storage.kind != "f" and is_dense(stored):
            return DensePlaces(np.asarray(stored), places, len(self))
        if places is None:
            return KeyPlaces(stored, None)
        return KeyPlaces(stored, np.append(places, len(self)).astype(np.uint32))

    def _of_kind(self, wanted: int) -> tuple[list[Any], NDArray[np.intp] | None]:
        """Return the labels of a kind, without their kind, and their places; None: all.

        Text stands for the times that a column of such is compared with.
        """
        if wanted in (TIMES, INSTANTS) and self.kinds == {TEXT}:
            return [moment.nanoseconds for moment in self._moments], None
        if wanted in (NUMBERS, TEXT) and self.kinds == {wanted}:
            return self.labels, None
        ranked = map(rank, self.labels)
        chosen = [(place, label[1]) for place, label in enumerate(ranked) if label[0] == wanted]
        places = np.fromiter((place for place, _ in chosen), np.intp, len(chosen))
        return [value for _, value in chosen], places


def _listed(entries: NDArray[Any] | list[Any]) -> list[Any]:
    """Return labels as objects; times of numpy as they are, since a list would round them."""
    if not isinstance(entries, np.ndarray):
        return entries
    return list(entries) if entries.dtype.kind in "Mm" else entries.tolist()


def _holds(kind: LabelType, integers: NDArray[Any]) -> bool:
    """Whether a column is of integers, and all of these are within its range."""
    if kind.kind != "numbers" or kind.storage is None or kind.storage.kind not in "iu":
        return False
    ends = np.iinfo(kind.storage)
    return ends.min <= int(integers.min()) and int(integers.max()) <= ends.max


def _refuse(entry: Any, others: frozenset[type]) -> None:
    """Raise the error for a key that is no label."""
    try:
        hash(entry)
    except Exception:
        raise TypeError(
            f"keys must be hashable and have a value, not a {type(entry).__name__}"
        ) from None
    if isinstance(entry, np.datetime64 | np.timedelta64) and not np.isnat(entry):
        raise ValueError(
            f"keys must not be of {entry.dtype}, whose steps have no fixed length: take days, [D]"
        )
    if isinstance(entry, tuple | frozenset):
        _refuse_part(entry, others)
    raise ValueError("keys must not be missing, as None and NaN are, nor beyond 400 digits")


def _refuse_part(entry: tuple[Any, ...] | frozenset[Any], others: frozenset[type]) -> None:
    """Raise the error for a part of a key."""
    wrong = [part for part in entry if canonical(part, others) is None]
    if not wrong:
        raise ValueError("keys must not be nested more than eight deep")
    part, kind = wrong[0], type(wrong[0])
    if canonical(part, frozenset({kind})) is not None:
        raise TypeError(
            f"keys must not hold a {kind.__name__} within a {type(entry).__name__}: objects of "
            "that class are keys only by themselves, so give numbers or text instead"
        )
    _refuse(part, others)


def _encode(keys: list[Any], encoding: str) -> list[bytes]:
    """Return the bytes of text or bytes in a column of this encoding."""
    encoded = [
        key.encode(encoding, "surrogatepass") if isinstance(key, str) else key for key in keys
    ]
    if encoding == "utf-8":
        return encoded
    # numpy's arrays drop zeros at the end, so no entry of a column ends in a zero.
    ends = [key[-1:] in ("\0", b"\0") for key in keys]
    return [key if end else key.rstrip(b"\0") for key, end in zip(encoded, ends, strict=True)]


def _store(values: list[Any], kind: LabelType) -> tuple[Any, NDArray[np.bool_]]:
    """Return the values that a column can hold, as it stores them, and which ones they are."""
    storage = kind.storage.newbyteorder("=")  # type: ignore[union-attr]
    if kind.kind == "bytes of one length":
        fits = _mask(len(value) == storage.itemsize for value in values)
        return np.array(
            [value for value in values if len(value) == storage.itemsize], storage
        ), fits
    if kind.kind == "decimals":
        return _store_decimals(values, storage.itemsize, kind.scale)
    if storage.kind == "f":
        return _store_floats(values, storage)
    if kind.kind != "numbers":
        values = [
            value // kind.nanoseconds if value % kind.nanoseconds == 0 else None for value in values
        ]
    dtype = stored_integers(storage)
    least, most = (0, 1) if storage.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if storage.kind in "Mm":
        least += 1  # NaT
    fitting = [type(value) is int and least <= value <= most for value in values]
    stored = [value for value, fits in zip(values, fitting, strict=True) if fits]
    return np.array(stored, dtype), np.array(fitting, np.bool_)


def _store_floats(
    values: list[Any], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    with np.errstate(all="ignore"):
        rounded = np.array([_nearest(value) for value in values], np.float64).astype(dtype)
    fits = _mask(a == b for a, b in zip(rounded.tolist(), values, strict=True))
    return rounded[fits].view(stored_integers(dtype)), fits


def _nearest(number: Any) -> float:
    try:
        return float(number)
    except OverflowError:
        return np.nan


def _store_decimals(values: list[Any], width: int, scale: int) -> tuple[Any, NDArray[np.bool_]]:
    most, scaled = 2 ** (8 * width - 1), []
    fits = []
    for value in values:
        numerator, denominator = _ratio(value)
        units, rest = divmod(numerator * 10**scale, denominator)
        fits.append(rest == 0 and denominator > 0 and -most <= units < most)
        if fits[-1]:
            scaled.append(units.to_bytes(width, "little", signed=True))
    return np.array(scaled, f"S{width}"), np.array(fits, np.bool_)


def _ratio(number: Any) -> tuple[int, int]:
    """Return a number as a fraction; an infinity becomes a fraction that no decimal equals."""
    try:
        numerator, denominator = number.as_integer_ratio()
    except OverflowError:
        return 1, 3 * 7**99
    return numerator, denominator


def _mask(flags: Any) -> NDArray[np.bool_]:
    return np.array(list(flags), np.bool_)
