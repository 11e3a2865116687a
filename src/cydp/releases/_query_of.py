# SPDX-License-Identifier: MIT
"""The query that a call of a release makes, from its arguments without the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import signature
from typing import Any, TypeAlias

import numpy as np

from cydp._columns.label_keys import LabelKeys
from cydp._numbers.bounds import check_pair
from cydp._numbers.rational import read_integer
from cydp.exact._bins import public_bins
from cydp.exact._histogramdd import public_grids
from cydp.releases._bounds import bounds, bounds_query
from cydp.releases._count import count, count_query
from cydp.releases._group_by import group_by, group_query
from cydp.releases._histogram import histogram, histogram_query
from cydp.releases._histogramdd import histogramdd
from cydp.releases._mean import mean, mean_query
from cydp.releases._median_by_halving import halving_query, median_by_halving
from cydp.releases._quantile import median, quantile, quantile_query
from cydp.releases._query import Query
from cydp.releases._rows import by_names
from cydp.releases._sum import sum, sum_query
from cydp.releases._top_k import top_k, top_query
from cydp.releases._unit import user_key
from cydp.releases._value_counts import value_counts
from cydp.releases._variance import variance, variance_query

__all__ = ["arguments_of", "query_of"]

Given: TypeAlias = Mapping[str, Any]

_NOT_GIVEN = ("budget", "rng")
_PRIVACY = ("epsilon", "rho", "delta", "relation", "user", "unit")
_NUMBER = (*_PRIVACY, "max_rows", "max_rows_per_unit")
_CELLS = (*_PRIVACY, "max_partitions", "max_rows_per_partition", "max_rows_per_unit")
_FLOATS = np.dtype(np.float64)


def query_of(function: Callable[..., Any], given: Given) -> Query:
    """Return the query of a release.

    Parameters
    ----------
    function : callable
        A release.
    given : mapping
        Its arguments, as `arguments_of` returns them.

    Raises
    ------
    TypeError, ValueError
        The errors that the release raises for these arguments.

    """
    return _BUILDERS[function](given)


def arguments_of(
    function: Any, args: Sequence[Any], kwargs: Given, *, caller: str = "explain"
) -> dict[str, Any]:
    """Return the arguments of a call of a release by name, with its defaults, without the data.

    `caller` is what has taken them, for an error.

    Raises
    ------
    TypeError
        If `function` is no release, or does not take these arguments.

    Examples
    --------
    >>> arguments_of(sum, [(0, 5)], {"epsilon": 1})["bounds"]
    (0, 5)

    """
    if not callable(function) or function not in _BUILDERS:
        names = ", ".join(each.__name__ for each in _BUILDERS)
        raise TypeError(f"function must be a release of cydp: {names}")
    shape = signature(function)
    data = next(iter(shape.parameters))
    own = shape.replace(
        parameters=[p for name, p in shape.parameters.items() if name not in (data, *_NOT_GIVEN)]
    )
    try:
        bound = own.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(
            f"{error}: {caller} takes the arguments of {function.__name__} without "
            f"{', '.join((data, *_NOT_GIVEN))}"
        ) from None
    bound.apply_defaults()
    return dict(bound.arguments)


def _pick(given: Given, names: Sequence[str]) -> list[Any]:
    return [user_key(given[name]) if name == "user" else given[name] for name in names]


def _count_keys(keys: Any, names: tuple[Any, ...] | None) -> int:
    """Return the number of public keys, which may be all that is given of them."""
    if np.ndim(keys) == 0 and hasattr(keys, "__index__"):
        number = read_integer(keys, "keys")
        if not 0 <= number < 2**32:
            raise ValueError(f"keys must be the keys, or how many: from 0 to 2**32, not {number}")
        return number
    return len(LabelKeys(keys, names))


def _count_optional_keys(given: Given, names: tuple[Any, ...] | None = None) -> int | None:
    return None if given["keys"] is None else _count_keys(given["keys"], names)


def _histogram(given: Given) -> Query:
    by, keys = given["by"], given["by_keys"]
    if (by is None) != (keys is None):
        raise TypeError("by and by_keys must be given together: the column, and public keys")
    cells = len(public_bins(given["bins"], given["range"], _FLOATS).edges) - 1
    if keys is not None:
        cells *= _count_keys(keys, by_names(by, given["column"]))
    return histogram_query(cells, *_pick(given, _CELLS))


def _histogramdd(given: Given) -> Query:
    bins = given["bins"]  # edges of columns may be of different lengths
    is_each = isinstance(bins, list | tuple) or np.ndim(bins)
    each = bins if is_each or not given["range"] else given["range"]
    if not isinstance(each, Sequence | np.ndarray):
        raise TypeError("bins must be given for each column, or range")
    grids = public_grids(given["bins"], given["range"], [_FLOATS] * len(each))
    cells = int(np.prod([len(grid.edges) - 1 for grid in grids], dtype=object))
    return histogram_query(cells, *_pick(given, _CELLS))


def _group_by(given: Given) -> Query:
    by = given["by"]
    names = tuple(by) if isinstance(by, list | tuple) else (by,)
    n_keys = _count_optional_keys(given, names if len(names) > 1 else None)
    asked = [given[name] for name in ("count", "sums", "means", "quantiles", "missing", "split")]
    return group_query(n_keys, *asked, *_pick(given, _CELLS))


def _value_counts(given: Given) -> Query:
    n_keys, split = _count_optional_keys(given), given["split"]
    return group_query(n_keys, True, None, None, None, "drop", split, *_pick(given, _CELLS))


def _moment(build: Callable[..., Query]) -> Callable[[Given], Query]:
    def query(given: Given) -> Query:
        ends = check_pair(given["bounds"])
        return build(*ends, given["missing"], given["split"], *_pick(given, _NUMBER))

    return query


def _sum(given: Given) -> Query:
    return sum_query(*check_pair(given["bounds"]), given["missing"], *_pick(given, _NUMBER))


def _quantile(given: Given) -> Query:
    ends = check_pair(given["bounds"])
    q = given.get("q", "1/2")  # of the median, which has no such parameter
    return quantile_query(q, *ends, given["missing"], *_pick(given, _NUMBER))


def _median_by_halving(given: Given) -> Query:
    ends = check_pair(given["bounds"])
    own = given["rounds"], given["ranges"], *ends, given["missing"]
    return halving_query(*own, *_pick(given, _NUMBER))


def _top_k(given: Given) -> Query:
    names = tuple(name for name in _CELLS if name != "max_partitions")
    return top_query(given["k"], _count_keys(given["keys"], None), *_pick(given, names))


def _bounds(given: Given) -> Query:
    return bounds_query(given["confidence"], given["fallback"], *_pick(given, _CELLS))


_BUILDERS: dict[Callable[..., Any], Callable[[Given], Query]] = {
    count: lambda given: count_query(*_pick(given, _NUMBER)),
    sum: _sum,
    mean: _moment(mean_query),
    variance: _moment(variance_query),
    quantile: _quantile,
    median: _quantile,
    median_by_halving: _median_by_halving,
    histogram: _histogram,
    histogramdd: _histogramdd,
    value_counts: _value_counts,
    group_by: _group_by,
    top_k: _top_k,
    bounds: _bounds,
}
