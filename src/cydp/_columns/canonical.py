# SPDX-License-Identifier: MIT
"""Labels as values that can be compared and sorted without calling a method of a record.

docs/columns.md, "Labels".
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from fractions import Fraction
from hashlib import sha256
from typing import Any, TypeAlias
from uuid import UUID

import numpy as np

from cydp._columns.entries import null_types, plain
from cydp._columns.label_types import NANOSECONDS
from cydp._columns.pandas import is_series

__all__ = [
    "BYTES",
    "INSTANTS",
    "INTERVALS",
    "NUMBERS",
    "PERIODS",
    "RAW",
    "SPANS",
    "TEXT",
    "TIMES",
    "TIMES_OF_DAY",
    "Canonical",
    "canonical",
    "canonical_block",
    "digest_argument",
    "digest_labels",
    "label_bytes",
    "rank",
    "restore",
]


Canonical: TypeAlias = int | float | Fraction | str | tuple[Any, ...]
"""A number or a text is itself; any other label is a tuple that begins with its kind."""

NUMBERS, TEXT, BYTES, TIMES, INSTANTS, SPANS, TIMES_OF_DAY = range(7)
_UUIDS, INTERVALS, PERIODS, _ENUMS, _TUPLES, _SETS, _OTHERS = range(7, 14)

RAW = frozenset({str, int, type(None)})
"""Types of entries that are their own canonical value; None is no label."""

_EPOCH, _EPOCH_UTC = datetime(1970, 1, 1), datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)
_MOST_DIGITS = 400  # of a Decimal, before or behind the point
_MOST_NESTED = 8
# Types with entries that can be hashed without a call of the user's code. Equal entries of one
# type are one label.
_SAFE = frozenset({bool, bytes, date, Fraction, timedelta})


def canonical(entry: Any, others: frozenset[type] = frozenset()) -> Canonical | None:
    """Return a canonical key: equal labels get equal keys; None if `entry` is not a label.

    Parameters
    ----------
    entry : object
        Anything. Null, NaN, lists and what cannot be hashed are no labels.
    others : set of types
        Types of given keys that have an order and a meaning of their own; entries of these types
        are hashed and compared by their own methods.

    Examples
    --------
    >>> canonical(True), canonical(2.0), canonical(Decimal("0.5")), canonical(float("nan"))
    (1, 2, 0.5, None)

    """
    kind = type(entry)
    if kind is str or kind is int:
        return entry  # type: ignore[no-any-return]
    try:
        return _canonical(entry, kind, others, 0)
    except MemoryError:
        raise
    except Exception:  # of a method of the entry: its message may show data
        return None


def canonical_block(
    entries: list[Any], types: set[type], others: frozenset[type] = frozenset()
) -> Iterable[Canonical | None]:
    """Return the canonical labels of entries; their types are given."""
    if types <= RAW:
        return entries
    if len(types) == 1 and types <= _SAFE:  # each distinct entry once
        labels = {entry: canonical(entry) for entry in set(entries)}
        return map(labels.__getitem__, entries)
    return [canonical(entry, others) for entry in entries]


def rank(label: Canonical) -> tuple[Any, ...]:
    """Return the sort key of labels of all kinds: the kind, then the value.

    >>> sorted(["b", 2, canonical(b"a"), 0.5], key=rank)
    [0.5, 2, 'b', (2, b'a')]
    """
    if isinstance(label, tuple):
        return label
    return (TEXT, label) if isinstance(label, str) else (NUMBERS, label)


def restore(label: Canonical) -> Any:
    """Return the label of a canonical value; equal labels give always the same one."""
    if not isinstance(label, tuple):
        return _decimal(label) if isinstance(label, Fraction) else label
    kind, *parts = label
    if kind in (NUMBERS, TEXT):
        return restore(parts[0])
    if kind == BYTES:
        return parts[0]
    if kind == TIMES:
        return _time_of(parts[0], _EPOCH)
    if kind == INSTANTS:
        return _time_of(parts[0], _EPOCH_UTC)
    if kind == SPANS:
        span, rest = divmod(parts[0], 1000)
        return np.timedelta64(parts[0], "ns") if rest else _MICROSECOND * span
    if kind == TIMES_OF_DAY:
        return (_EPOCH + _MICROSECOND * (parts[0] // 1000)).time()
    if kind == INTERVALS:
        closed, left, right = parts
        return sys.modules["pandas"].Interval(restore(left), restore(right), closed)
    if kind == _TUPLES:
        return tuple(map(restore, parts[0]))
    if kind == _SETS:
        return frozenset(map(restore, parts[0]))
    if kind == _UUIDS:
        return UUID(int=parts[0])
    return parts[-1].entry


def label_bytes(label: Canonical) -> bytes:
    r"""Return bytes that no other label has; for a text, its UTF-8.

    >>> label_bytes("a"), label_bytes(255), label_bytes((2, b"x"))
    (b'a', b'\xffff', b'\xfc2:\xff22:\xfbx')
    """
    if isinstance(label, str):
        return label.encode("utf-8", "surrogatepass")
    if isinstance(label, int):
        return b"\xff%x" % label
    if isinstance(label, float):
        return b"\xfe" + label.hex().encode()
    if isinstance(label, Fraction):
        return b"\xfd%x/%x" % label.as_integer_ratio()
    if isinstance(label, tuple):
        parts = map(label_bytes, label)
        return b"\xfc" + b"".join(b"%x:%b" % (len(part), part) for part in parts)
    return b"\xfb" + label if isinstance(label, bytes) else b""


def _canonical(entry: Any, kind: type, others: frozenset[type], depth: int) -> Canonical | None:
    if null_types((kind,)):
        return None
    if issubclass(kind, str | int | np.integer | np.bool) and not issubclass(kind, np.timedelta64):
        return plain(entry)  # type: ignore[no-any-return]
    if issubclass(kind, float | np.float16 | np.float32):
        return _float(float(plain(entry)))
    if issubclass(kind, np.longdouble):
        near = float(entry)
        is_near = near == entry or near != near  # NaN is no label
        return _float(near) if is_near else _rational(Fraction(*entry.as_integer_ratio()))
    if issubclass(kind, bytes):
        return (BYTES, plain(entry))
    if issubclass(kind, Decimal | Fraction):
        return _rational(entry)
    if issubclass(kind, date | np.datetime64):
        return _time(entry)
    if issubclass(kind, timedelta | np.timedelta64):
        return _span(entry)
    if issubclass(kind, time) and time.tzinfo.__get__(entry) is None:
        seconds = 3600 * entry.hour + 60 * entry.minute + entry.second
        return (TIMES_OF_DAY, 10**9 * seconds + 10**3 * entry.microsecond)
    if issubclass(kind, UUID):
        return (_UUIDS, int(entry.int))
    if issubclass(kind, Enum):
        return (_ENUMS, kind.__module__, kind.__qualname__, entry.name, _CarriedEntry(entry))
    if issubclass(kind, tuple):
        parts = _parts(tuple.__iter__(entry), others, depth)
        return None if parts is None else (_TUPLES, tuple(parts))
    if issubclass(kind, frozenset):
        parts = _parts(frozenset.__iter__(entry), others, depth)
        return None if parts is None else (_SETS, tuple(sorted(parts)))
    of_pandas = kind.__module__.partition(".")[0] == "pandas"
    if of_pandas and kind.__name__ == "Period":
        return (PERIODS, str(entry.freqstr), int(entry.ordinal), _CarriedEntry(entry))
    if of_pandas and kind.__name__ == "Interval":
        parts = _parts((entry.left, entry.right), others, depth)
        return None if parts is None else (INTERVALS, entry.closed, *parts)
    if kind in others:
        return (_OTHERS, id(kind), _CustomEntry(entry))
    return None


def _parts(entries: Any, others: frozenset[type], depth: int) -> list[tuple[Any, ...]] | None:
    if depth == _MOST_NESTED:
        return None
    parts = []
    for entry in entries:
        part = _canonical(entry, type(entry), others, depth + 1)
        if part is None:
            return None
        parts.append(rank(part))
    return parts


def _float(number: float) -> Canonical | None:
    if number != number:
        return None
    return int(number) if number.is_integer() else number


def _rational(number: Decimal | Fraction) -> Canonical | None:
    if isinstance(number, Decimal):
        if number.is_nan():
            return None
        if number.is_infinite():
            return float(number)
        if number and abs(number.adjusted()) + len(number.as_tuple().digits) > _MOST_DIGITS:
            return None
    exact = Fraction(number)
    if exact.denominator == 1:
        return exact.numerator
    try:
        rounded = float(exact)
    except OverflowError:
        return exact
    return rounded if Fraction(rounded) == exact else exact


def _decimal(number: Fraction) -> Decimal | Fraction:
    """Return the decimal that equals a fraction, if there is one of few digits."""
    places = 0
    while (numerator := number * 10**places).denominator != 1:
        places += 1
        if places > 2 * _MOST_DIGITS or number.denominator % 3 == 0:
            return number
    digits = tuple(map(int, str(abs(numerator.numerator))))
    return Decimal((int(number < 0), digits, -places))


def _time(entry: Any) -> Canonical | None:
    if hasattr(entry, "to_datetime64"):  # a Timestamp of pandas
        return _counted(INSTANTS if entry.tzinfo is not None else TIMES, entry.to_datetime64())
    if isinstance(entry, np.datetime64):
        return _counted(TIMES, entry)
    if not isinstance(entry, datetime):
        return (TIMES, (date.toordinal(entry) - _EPOCH.toordinal()) * NANOSECONDS["D"])
    if datetime.tzinfo.__get__(entry) is None:
        return (TIMES, 1000 * (datetime.__sub__(entry, _EPOCH) // _MICROSECOND))
    return (INSTANTS, 1000 * (datetime.__sub__(entry, _EPOCH_UTC) // _MICROSECOND))


def _span(entry: Any) -> Canonical | None:
    if hasattr(entry, "to_timedelta64"):  # a Timedelta of pandas
        entry = entry.to_timedelta64()
    if isinstance(entry, np.timedelta64):
        return _counted(SPANS, entry)
    return (SPANS, 1000 * (timedelta.__floordiv__(entry, _MICROSECOND)))


def _counted(kind: int, entry: np.datetime64 | np.timedelta64) -> Canonical | None:
    unit, count = np.datetime_data(entry.dtype)
    number = int(entry.astype(np.int64))
    if number == -(2**63) or unit not in NANOSECONDS:  # NaT; years, which have several lengths
        return None
    return (kind, number * count * NANOSECONDS[unit])


def _time_of(nanoseconds: int, epoch: datetime) -> Any:
    microseconds, rest = divmod(nanoseconds, 1000)
    if not rest:
        try:
            return epoch + _MICROSECOND * microseconds
        except OverflowError:  # a year beyond 9999
            return np.datetime64(microseconds // 10**6, "s")
    return np.datetime64(nanoseconds, "ns")


class _CarriedEntry:
    """An entry that a canonical value carries; only its type is compared."""

    __slots__ = ("entry",)

    def __init__(self, entry: Any) -> None:
        self.entry = entry

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _CarriedEntry) and type(self.entry) is type(other.entry)

    def __lt__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0


class _CustomEntry:
    """An entry that has the type of a key, compared by its own methods."""

    __slots__ = ("_hash", "entry")

    def __init__(self, entry: Hashable) -> None:
        self.entry, self._hash = entry, hash(entry)

    def __eq__(self, other: object) -> bool:
        try:
            return isinstance(other, _CustomEntry) and bool(self.entry == other.entry)
        except Exception:  # its message may show data
            return False

    def __hash__(self) -> int:
        return self._hash


def digest_argument(argument: Any) -> Any:
    """Return a public argument of a release, as a ledger compares it.

    Parameters
    ----------
    argument : object
        An array and a Series with a public index become digests, also in a dict; anything else is
        returned as it is.

    """
    if isinstance(argument, dict):
        return {name: digest_argument(each) for name, each in argument.items()}
    if is_series(argument):
        labels = [argument.name, *argument.index.tolist()]
        return ["index", str(argument.index.dtype), digest_labels(labels, "labels of rows")]
    if not isinstance(argument, np.ndarray):
        return argument
    if argument.dtype.kind == "O":  # times with a zone
        return [argument.dtype.str, digest_labels(argument, "edges")]
    return [argument.dtype.str, sha256(argument.tobytes()).hexdigest()]


def digest_labels(labels: Iterable[Any], name: str) -> str:
    """Return a digest of labels in their order, which no other labels have.

    It covers their types, the unit of times, and the values by which labels are compared.

    Parameters
    ----------
    labels : ndarray, or iterable of objects
        Null and NaN count as one label.
    name : str
        What to call them in an error.

    Raises
    ------
    TypeError
        For an object of a class of its own: only its methods know what is equal to it.

    Examples
    --------
    >>> seconds = np.array([0], "M8[s]")
    >>> digest_labels(seconds, "keys") == digest_labels(seconds.astype(int), "keys")
    False

    """
    digest = sha256()
    if isinstance(labels, np.ndarray) and labels.dtype.kind in "biufmM":
        numbers = labels + 0.0 if labels.dtype.kind == "f" else labels  # -0.0 is 0
        digest.update(f"{numbers.dtype.str}{numbers.shape}".encode())
        digest.update(numbers.tobytes())
        return digest.hexdigest()
    for label in labels:
        part = _bytes_of(label, name)
        digest.update(b"%x:" % len(part) + part)
    return digest.hexdigest()


def _bytes_of(label: Any, name: str) -> bytes:
    label = plain(label)
    kind, value = type(label), canonical(label)
    is_nan = isinstance(label, float | Decimal) and label != label
    if value is None and not (null_types([kind]) or is_nan):
        raise TypeError(
            f"{name} must be numbers, text, bytes, dates, times, or tuples of these, for an answer "
            f"that is recorded: objects of {kind.__name__} cannot be compared with recorded ones"
        )
    if value is None:
        return b""
    part = kind.__qualname__.encode() + b" " + label_bytes(value)
    # The same member of another version of a program may stand for something else.
    return part + b" " + _bytes_of(label.value, name) if isinstance(label, Enum) else part
