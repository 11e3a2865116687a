# SPDX-License-Identifier: MIT
"""Users as integers or texts that are equal if the users are. docs/columns.md, "Labels"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from cydp._columns.canonical import Canonical, canonical, canonical_block, label_bytes
from cydp._columns.declared import Labels
from cydp._columns.dtypes import describe_entry
from cydp._columns.entries import null_types, present_entries
from cydp._columns.label_values import LabelValues
from cydp._columns.masks import Mask, both_present, concatenate_masks
from cydp._columns.strings import Strings, concatenate, fixed_width, join_bytes
from cydp.exact._label_sets import find_distinct, find_strings, list_texts

__all__ = ["MOST", "identify_labels"]


_Identifiers: TypeAlias = tuple[NDArray[Any] | Strings, Mask]

_LARGE = 2.0**63


def identify_labels(column: Labels, *, refuses: bool = False) -> _Identifiers:
    """Return a column of labels as integers or strings, which are equal only for equal labels.

    Text becomes UTF-8, an integer of 64 bits stays itself, and any other label becomes its
    `label_bytes`. The mask of present entries comes with them. An object that is no label is
    missing, or a TypeError if `refuses` is true.
    """
    values = column.read()
    held = values.values
    if values.rows is not None:
        return _of_categories(values)
    if isinstance(held, Strings):
        return held, values.present
    if values.is_objects():
        return _of_entries(values, column.name if refuses else None)
    assert isinstance(held, np.ndarray)
    if values.type.kind == "numbers" and held.dtype.kind in "biu":
        return held, values.present
    if held.dtype.kind == "f" and (integers := _of_whole_floats(held, values.present)) is not None:
        return integers
    if values.type.kind == "text":
        native = np.ascontiguousarray(held, held.dtype.newbyteorder("="))
        chosen, codes = find_strings(fixed_width(native), len(native), values.present)
        return _of_labels([*list_texts(native[chosen]), None], codes.astype(np.int64))
    return _of_distinct(*find_distinct(values))


def _of_entries(values: LabelValues, refused: str | None) -> _Identifiers:
    """Return labels among objects; `refused` is the name of a column that must hold labels."""
    types = set[type]().union(*(found for _, _, found in values.entry_blocks()))
    if types <= {str, type(None)}:
        return _of_texts(values)
    if types <= {int, type(None)} and (integers := _of_integers(values)) is not None:
        return integers
    places: defaultdict[Any, int] = defaultdict(count().__next__)
    known: dict[int, Canonical | None] = {}
    codes = np.empty(len(values), np.int64)
    for rows, entries, found in values.entry_blocks():
        labels = [*canonical_block(entries, found)]
        if refused is not None and None in labels:
            _refuse_others(entries, labels, refused)
        codes[rows] = np.fromiter((places[_hashed(label)] for label in labels), np.int64)
        known.update(zip(codes[rows].tolist(), labels, strict=True))
    return _of_labels([known[place] for place in range(len(known))], codes)


def _hashed(label: Canonical | None) -> Any:
    """Return what a dict finds a label by, with a hash that nobody can make equal for many.

    Python's hash of text and bytes has a secret key; its hashes of numbers have none.
    """
    is_plain = label is None or isinstance(label, str)
    if is_plain or (isinstance(label, int) and -MOST <= label <= MOST):
        return label
    return label_bytes(cast("Canonical", label))


def _is_nan(entry: Any) -> bool:
    """Whether an object is NaN or no time, or may hold one: a tuple or a set."""
    if isinstance(entry, tuple | frozenset):
        return True
    try:
        return bool(entry != entry)
    except Exception:  # of a method of the entry: its message may show data
        return False


def _refuse_others(entries: list[Any], labels: list[Canonical | None], name: str) -> None:
    """Raise a TypeError for an entry that is neither a label nor missing."""
    nulls = null_types(set(map(type, entries)))
    for entry, label in zip(entries, labels, strict=True):
        if label is None and type(entry) not in nulls and not _is_nan(entry):
            raise TypeError(
                f"{name} must hold numbers, text, bytes, dates, times or tuples of these, not "
                f"{describe_entry(type(entry))}"
            )


def _of_texts(values: LabelValues) -> _Identifiers:
    parts = [join_bytes([], None)]
    for _, entries, _ in values.entry_blocks():
        # A lone surrogate, which Python allows, is kept as it is.
        texts, present = present_entries(entries)
        encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
        parts.append(join_bytes(encoded, present))
    return concatenate([strings for strings, _ in parts]), concatenate_masks(parts)


def _of_integers(values: LabelValues) -> _Identifiers | None:
    """Return integers of 64 bits; None if one is beyond."""
    found, present = np.zeros(len(values), np.int64), np.ones(len(values), np.bool_)
    try:
        for rows, entries, types in values.entry_blocks():
            if type(None) in types:
                present[rows] = [each is not None for each in entries]
                entries = [each or 0 for each in entries]
            found[rows] = entries
    except OverflowError:
        return None
    return found, None if present.all() else present


def _of_categories(values: LabelValues) -> _Identifiers:
    """Return labels that are categories: each category is identified once."""
    held = values.values
    if values.present is None and isinstance(held, Strings):
        return replace(held, rows=values.rows), values.rows_present
    if values.present is None and isinstance(held, np.ndarray) and held.dtype.kind in "biu":
        return held[values.rows], values.rows_present
    labels, codes = find_distinct(replace(values, rows=None))
    return _of_distinct(labels, values.code_rows(codes, len(labels)))


def _of_whole_floats(x: NDArray[Any], present: Mask) -> _Identifiers | None:
    """Return floats as integers, if all are; None if one is not."""
    with np.errstate(all="ignore"):  # a signalling NaN may warn
        known = np.nan_to_num(x, posinf=np.inf, neginf=-np.inf).astype(np.float64, copy=False)
        if not (np.abs(known) < _LARGE).all() or not (np.trunc(known) == known).all():
            return None
        return known.astype(np.int64), both_present(present, ~np.isnan(x))


def _of_distinct(labels: NDArray[Any], codes: NDArray[np.uint32]) -> _Identifiers:
    """Return rows by the codes of their labels; the code len(labels) is no label."""
    return _of_labels([*map(canonical, list(labels)), None], codes.astype(np.int64))


def _of_labels(labels: Sequence[Canonical | None], codes: NDArray[np.int64]) -> _Identifiers:
    known = np.array([label is not None for label in labels], np.bool_)
    present = None if known.all() else known[codes]
    encoded = [b"" if label is None else label_bytes(label) for label in labels]
    strings, _ = join_bytes(encoded, None)
    if not any(isinstance(label, int) for label in labels):
        return replace(strings, rows=codes), present
    integers = tuple(label if isinstance(label, int) else None for label in labels)
    return replace(strings, rows=codes, integers=integers), present


MOST = 2**63 - 1
