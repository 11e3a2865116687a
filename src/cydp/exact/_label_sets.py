# SPDX-License-Identifier: MIT
"""The distinct labels that columns hold, sorted, and the code of each row. docs/columns.md."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp import _core, _threads
from cydp._columns.canonical import (
    TIMES_OF_DAY,
    Canonical,
    canonical_block,
    rank,
    restore,
)
from cydp._columns.column_keys import KeyPlaces, as_strings
from cydp._columns.declared import Labels
from cydp._columns.label_types import NANOSECONDS
from cydp._columns.label_values import LabelValues, check_lengths
from cydp._columns.masks import Mask, both_present
from cydp._columns.strings import Strings, fixed_width
from cydp._default_generator import default_generator

__all__ = [
    "LabelSets",
    "find_distinct",
    "find_integers",
    "find_labels",
    "find_strings",
    "list_texts",
]

Found: TypeAlias = tuple[NDArray[Any], NDArray[np.uint32]]
"""Distinct labels, sorted, and the place of each row's label; the number of labels for none."""

_DAY = NANOSECONDS["D"]
_DENSE = 2**16  # a range of integers this small is always searched by a flag for each
_FLAGS_OF_ROW = 8  # a flag for each integer of a range that has so many for each row
_SORT_FROM = 2**21  # distinct integers, from which on sorting is quicker than a key table
_BLOCK_ROWS = 2**18


@dataclass(frozen=True, slots=True, eq=False)
class LabelSets:
    """The distinct labels, or combinations of labels, in the rows of columns.

    Attributes
    ----------
    arrays : tuple of ndarray
        The labels of each column: sorted, by the first column, then by the second, and so on.
        Their dtypes are those that the columns declared.
    codes : ndarray of uint32, shape (n,)
        The place of each row's labels; the number of combinations, if one of the row's labels is
        missing or cannot be hashed.

    """

    arrays: tuple[NDArray[Any], ...]
    codes: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.arrays[0])


def find_labels(columns: Sequence[Labels]) -> LabelSets:
    """Return the distinct labels that columns hold together, and the code of each row. NOT private.

    Numbers come first, then text, bytes, times and other kinds; each is sorted by value.

    Parameters
    ----------
    columns : sequence of Labels
        They are read here.

    Returns
    -------
    LabelSets

    Raises
    ------
    ValueError
        If a column is not what it declared, or the columns have different lengths.

    Examples
    --------
    >>> found = find_labels([Labels(["b", None, "a", 3, "b"])])
    >>> found.arrays[0].tolist(), found.codes.tolist()
    ([3, 'a', 'b'], [2, 3, 1, 0, 2])

    """
    values = [column.read() for column in columns]
    check_lengths(values)
    arrays, codes = find_distinct(values[0])
    places = [arrays]
    for held in values[1:]:
        labels, second = find_distinct(held)
        width = len(labels) + 1
        present = both_present(codes < len(places[0]), second < len(labels))
        pairs = codes.astype(np.int64)
        pairs *= width
        pairs += second
        found, codes = find_integers(pairs, present)
        first, last = np.divmod(found, width)
        places = [*(array[first] for array in places), labels[last]]
    return LabelSets(tuple(places), codes)


def find_distinct(values: LabelValues) -> Found:
    """Return the distinct labels of one column, sorted, and the place of each row's label."""
    labels, codes = _find_values(values)
    if values.rows is None:
        return labels, codes
    codes = values.code_rows(codes, len(labels))
    used = np.bincount(codes, minlength=len(labels) + 1)[:-1] > 0
    if used.all():
        return labels, codes
    return labels[used], _places(used, len(labels))[codes]


def _find_values(values: LabelValues) -> Found:
    held, kind = values.values, values.type
    if isinstance(held, Strings):
        present = values.present
        chosen, codes = find_strings(held.blank(present).kernel(), held.count, present)
        labels = _strings_at(held, chosen)
        return _sort_strings(labels, codes, decode=kind.kind == "text")
    if values.is_objects():
        return _find_entries(values)
    assert isinstance(held, np.ndarray)
    if held.dtype.kind in "US":
        return _find_fixed(held, values)
    return _find_numbers(values)


def _find_numbers(values: LabelValues) -> Found:
    """Return the labels in an array of numbers or times."""
    kind, present = values.type, values.present
    array: NDArray[Any] = np.asarray(values.values)
    integers = values.integers()
    known = None
    if array.dtype.kind == "f":
        with np.errstate(all="ignore"):  # a signalling NaN may warn
            known = ~np.isnan(array)
    elif kind.dtype.kind in "Mm":
        known = integers != -(2**63)  # NaT
    elif kind.kind == "times of day":
        known = (integers >= 0) & (integers < _DAY // kind.nanoseconds)
    if known is not None and not known.all():
        present = both_present(present, known)
    distinct, codes = find_integers(integers, present)
    if array.dtype.kind == "f":
        labels = distinct.view(array.dtype.newbyteorder("="))
        order = np.argsort(labels)
        codes = _reorder(order)[codes]
        return labels[order].astype(kind.dtype), codes
    if kind.kind == "times of day":
        from_midnight = distinct.astype(np.int64) * kind.nanoseconds
        times = [restore((TIMES_OF_DAY, nanoseconds)) for nanoseconds in from_midnight.tolist()]
        return _as_objects(times), codes
    if kind.dtype.kind in "Mm":
        return distinct.astype(np.int64).view(kind.dtype), codes
    return distinct.astype(kind.dtype), codes


def find_integers(x: NDArray[Any], present: Mask) -> Found:
    """Return the distinct integers, sorted, and the place of each row's; their number for none."""
    known = x if present is None else x[present]
    if len(known) == 0:
        return known[:0], np.zeros(len(x), np.uint32)
    least, most = int(known.min()), int(known.max())
    if most - least < max(_DENSE, _FLAGS_OF_ROW * len(x)):
        return _find_dense(x, present, least, most)
    distinct = np.sort(known)
    distinct = distinct[np.append(True, distinct[1:] != distinct[:-1])]
    if len(distinct) >= _SORT_FROM:
        codes = np.searchsorted(distinct, x).astype(np.uint32)
    else:
        codes = np.empty(len(x), np.uint32)
        table = KeyPlaces(distinct, None)
        table.fill(as_strings(x), 0, None, _threads.threads_for(len(x)), codes)
    if present is not None:
        codes[~present] = len(distinct)
    return distinct, codes


def _find_dense(x: NDArray[Any], present: Mask, least: int, most: int) -> Found:
    """Return the distinct integers in a range, by a flag for each."""
    flags = np.zeros(most - least + 1, np.bool_)
    blocks = [slice(first, first + _BLOCK_ROWS) for first in range(0, len(x), _BLOCK_ROWS)]
    word = np.uint64 if x.dtype == np.uint64 else np.int64

    def offsets(rows: slice) -> NDArray[Any]:
        part = x[rows].astype(word)
        if present is not None:
            part[~present[rows]] = least  # which is present
        return (part - word(least)).astype(np.intp)

    for rows in blocks:
        flags[offsets(rows)] = True
    places = _places(flags, 0)
    codes = np.empty(len(x), np.uint32)
    for rows in blocks:
        np.take(places, offsets(rows), out=codes[rows], mode="clip")
    distinct = (np.flatnonzero(flags).astype(word) + word(least)).astype(x.dtype)
    if present is not None:
        codes[~present] = len(distinct)
    return distinct, codes


def _find_fixed(held: NDArray[Any], values: LabelValues) -> Found:
    """Return the labels in an array of numpy's text or bytes, of bytes, or of decimals."""
    kind = values.type
    array = np.ascontiguousarray(held, held.dtype.newbyteorder("="))
    chosen, codes = find_strings(fixed_width(array), len(array), values.present)
    distinct = array[chosen]
    if kind.kind == "text":
        return _sort(list_texts(distinct), codes)
    if kind.kind == "bytes":
        return _sort(distinct.tolist(), codes)
    width = array.dtype.itemsize
    raw = distinct.tobytes()
    stored = [raw[i : i + width] for i in range(0, len(raw), width)]
    if kind.kind == "bytes of one length":
        return _sort(stored, codes)
    units = [int.from_bytes(each, "little", signed=True) for each in stored]
    labels, codes = _sort(units, codes)
    return _as_objects([_decimal(each, kind.scale) for each in labels.tolist()]), codes


def find_strings(
    strings: _core.Strings, rows: int, present: Mask
) -> tuple[NDArray[np.intp], NDArray[np.uint32]]:
    """Return where each distinct string stands first, and the place of each row's string there."""
    ids, hashes = np.empty(rows, np.uint64), np.empty(rows, np.uint64)
    _core.factorize(strings, _key(), ids, hashes)
    del hashes
    used = np.zeros(rows, np.bool_)
    used[(ids if present is None else ids[present]).view(np.int64)] = True
    chosen = np.flatnonzero(used)
    codes = _places(used, len(chosen))[:-1][ids.view(np.int64)]
    if present is not None:
        codes[~present] = len(chosen)
    return chosen, codes


def _key() -> NDArray[np.uint64]:
    """Return a random key, so that nobody can choose strings that collide."""
    return np.frombuffer(default_generator().bytes(16), np.uint64)


def _strings_at(strings: Strings, chosen: NDArray[np.int64]) -> list[bytes]:
    if strings.offsets is None:
        return [_viewed(strings, i) for i in chosen.tolist()]
    held = strings.data.data
    ends = zip(strings.offsets[chosen].tolist(), strings.offsets[chosen + 1].tolist(), strict=True)
    return [bytes(held[first:end]) for first, end in ends]


def _viewed(strings: Strings, i: int) -> bytes:
    """Return a string of which Arrow has a view."""
    view = strings.data[16 * i : 16 * i + 16]
    length, _, buffer, first = view.view(np.int32).tolist()
    if length <= 12:
        return view[4 : 4 + length].tobytes()
    entry: bytes = strings.buffers[buffer][first : first + length].tobytes()
    return entry


def _sort_strings(labels: list[bytes], codes: NDArray[np.uint32], *, decode: bool) -> Found:
    return _sort(list(map(_decode, labels)) if decode else labels, codes)


def _decode(text: bytes) -> str | None:
    """Return a text; None if it is no UTF-8, and so no label."""
    try:
        return text.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return None


def list_texts(texts: NDArray[Any]) -> list[str | None]:
    """Return texts of numpy; None for one that is no Unicode, and so no label."""
    try:
        found: list[str | None] = texts.tolist()
        return found
    except (ValueError, SystemError):  # which numpy raises
        return [_text_at(texts, i) for i in range(len(texts))]


def _text_at(texts: NDArray[Any], i: int) -> str | None:
    try:
        return str(texts[i])
    except (ValueError, SystemError):
        return None


def _find_entries(values: LabelValues) -> Found:
    """Return the labels among objects."""
    numbers: defaultdict[Canonical | None, int] = defaultdict(count().__next__)
    codes = np.empty(len(values.values), np.uint32)
    for rows, entries, types in values.entry_blocks():
        labels = canonical_block(entries, types)
        codes[rows] = np.fromiter(map(numbers.__getitem__, labels), np.uint32, len(entries))
    found = list(numbers)
    dtype = values.type.dtype
    known = [i for i, label in enumerate(found) if _fits(label, dtype)]
    if set(map(type, found)) - {type(None)} in ({str}, {int}):
        known.sort(key=lambda i: cast("int", found[i]))
    else:
        known.sort(key=lambda i: rank(cast("Canonical", found[i])))
    places = np.full(len(found), len(known), np.uint32)
    places[known] = np.arange(len(known))
    restored: list[Any] = [restore(cast("Canonical", found[i])) for i in known]
    if dtype.kind == "O":
        array = _as_objects(restored)
    elif dtype.kind == "M":
        array = np.array([label.date() for label in restored], dtype)
    else:
        array = np.array(restored, dtype)
    return array, places[codes]


def _fits(label: Canonical | None, dtype: np.dtype[Any]) -> bool:
    """Whether it is a label, and of the dtype that the types of a list's entries declare."""
    if label is None:
        return False
    return dtype.kind != "i" or (isinstance(label, int) and -(2**63) <= label < 2**63)


def _sort(labels: Sequence[Any], codes: NDArray[np.uint32]) -> Found:
    """Return distinct labels sorted as an array of objects, and their codes; None is no label."""
    order = [i for i, label in enumerate(labels) if label is not None]
    order.sort(key=labels.__getitem__)
    places = np.full(len(labels) + 1, len(order), np.uint32)
    places[order] = np.arange(len(order))
    return _as_objects([labels[i] for i in order]), places[codes]


def _reorder(order: Any) -> NDArray[np.uint32]:
    """Return the new place of each old place, and last the place of missing entries."""
    places = np.empty(len(order) + 1, np.uint32)
    places[order] = np.arange(len(order))
    places[-1] = len(order)
    return places


def _places(used: NDArray[np.bool_], missing: int) -> NDArray[np.uint32]:
    """Return the place of each used entry among the used ones, and last of missing entries."""
    ends = np.cumsum(used, dtype=np.int64)
    places = np.empty(len(used) + 1, np.uint32)
    places[:-1] = ends - used
    places[-1] = ends[-1] if len(ends) else missing
    return places


def _as_objects(labels: list[Any]) -> NDArray[Any]:
    array = np.empty(len(labels), object)
    array[:] = labels
    return array


def _decimal(units: int, scale: int) -> Decimal:
    digits = tuple(map(int, str(abs(units))))
    return Decimal((int(units < 0), digits, -scale))
