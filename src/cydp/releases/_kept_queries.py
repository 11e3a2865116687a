# SPDX-License-Identifier: MIT
"""Queries of the parameters that callers wrote last: what is repeated is not checked again."""

from __future__ import annotations

from abc import ABC
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from cydp._numbers.rational import Exact

__all__ = ["NESTED", "flat_arguments", "keep_results", "nested_arguments"]


_Builder = TypeVar("_Builder", bound=Callable[..., Any])

_KEPT = 256  # queries of the parameters that callers wrote last

NESTED = (dict, list, tuple)

_DEEPEST = 4


class _Nested(NamedTuple):
    """A mark before the entries of a dict, list or tuple among the flat arguments of a call."""

    kind: type
    size: int


_KEPT_TYPES = frozenset(
    {int, float, bool, str, Fraction, Exact, type(None), np.float64, np.int64, type(ABC), _Nested}
)


def keep_results(build: _Builder) -> _Builder:
    """Return a function that keeps its last results by the parameters that callers wrote.

    Parameters are public, so what is kept reveals nothing about records. All arguments are
    positional.
    """
    cached = lru_cache(_KEPT, typed=True)(build)  # typed, since True == 1

    def keep_or_build(*args: Any) -> Any:
        if _KEPT_TYPES.issuperset(map(type, args)):
            return cached(*args)
        return build(*args)

    return cast(_Builder, keep_or_build)


def flat_arguments(written: Iterable[Any], deep: int = 0) -> Iterator[Any]:
    """Yield arguments, with the entries of a dict, list or tuple in a row, so that they are kept.

    No release takes arguments that are nested deeper.

    >>> [*nested_arguments(flat_arguments([{"x": (0, 1)}, [0.5], None]))]
    [{'x': (0, 1)}, [0.5], None]
    """
    for each in written:
        if type(each) in NESTED and deep < _DEEPEST:
            yield _Nested(type(each), len(each))
            yield from flat_arguments(
                chain(*each.items()) if type(each) is dict else each, deep + 1
            )
        else:
            yield each


def nested_arguments(flat: Iterator[Any]) -> Iterator[Any]:
    """Yield the arguments from the entries that `flat_arguments` has yielded."""
    for each in flat:
        if not isinstance(each, _Nested):
            yield each
        elif each.kind is dict:
            pairs = [*islice(nested_arguments(flat), 2 * each.size)]
            yield dict(zip(pairs[::2], pairs[1::2], strict=True))
        else:
            yield each.kind(islice(nested_arguments(flat), each.size))
