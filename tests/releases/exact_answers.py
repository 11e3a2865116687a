"""The exact answers of a release, and how far the answers of two tables are apart."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from reference.places import places_of_groups

import cydp
from cydp.exact import _contributions
from cydp.exact._grid import Grid
from cydp.exact._sorted_units import SortedUnits
from cydp.mechanisms._count_threshold import CountThreshold
from cydp.mechanisms._quantile import SPREAD_BITS, QuantileMechanism
from cydp.releases._noise_split import Part
from cydp.releases._query import Query

__all__ = ["Answers", "Apart", "answers", "distances", "without_noise"]

Distances = NDArray[np.float64]


@dataclass
class Answers:
    """What each part of a query was given, by the name of the part; the keys that were found."""

    query: Query
    exact: dict[str, Any]
    units: NDArray[np.int64] | None
    keys: NDArray[Any] | None


class Recorder:
    """Stands for all mechanisms."""

    def __init__(self) -> None:
        self.given: list[tuple[Any, Any]] = []
        self.secret = 0
        self.groups = 1  # of each pair of tables

    def add_nothing(self, mechanism: Any, value: Any, **_: Any) -> Any:
        self.given.append((mechanism, value))
        return value

    def choose_lowest(self, mechanism: Any, records: SortedUnits, _: Any) -> NDArray[np.int64]:
        self.given.append((mechanism, records))
        return np.full(len(records.offsets) - 1, records.grid.lowest)

    def choose_between(
        self, mechanism: Any, records: SortedUnits, ranges: Any, ends: Any, _: Any, chosen: Any,
        cuts: Any,
    ) -> None:  # fmt: skip
        """Choose points that the data do not tell: some of each table nearer to either end."""
        units, offsets = records.units.tolist(), records.offsets.tolist()
        places = np.array(
            places_of_groups(units, offsets, records.grid.lowest, SPREAD_BITS), np.int64
        )
        parts = [places[first:last] for first, last in zip(*ranges, strict=True)]
        offsets = np.cumsum([0, *map(len, parts)])
        self.given.append((mechanism, SortedUnits(Grid(0, 0, 0), np.concatenate(parts), offsets)))
        table = np.arange(len(chosen)) // self.groups + self.secret
        chosen[:] = ends[0] + (ends[1] - ends[0]) // 6 * (table % 7)
        up_to = [(part <= point).sum() for part, point in zip(parts, chosen, strict=True)]
        cuts[:] = ranges[0] + up_to

    def select_all(self, mechanism: Any, units: NDArray[np.int64], **_: Any) -> NDArray[np.bool_]:
        self.given.append((mechanism, units))
        return np.ones(len(units), np.bool_)

    def keep_all(self, threshold: Any, units: NDArray[np.int64], _: Any) -> NDArray[np.bool_]:
        return self.select_all(threshold, units)

    def key(self, _: Any) -> NDArray[np.uint64]:
        return np.array([self.secret, 7], np.uint64)


@contextmanager
def without_noise() -> Iterator[Recorder]:
    """Let mechanisms add nothing, choose anything and select all, and bound by a known key."""
    recorder = Recorder()

    def method(stand_in: Any) -> Any:
        return lambda self, *args, **kwargs: stand_in(self, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        for kind in (cydp.DiscreteLaplace, cydp.DiscreteGaussian):
            patch.setattr(kind, "release", method(recorder.add_nothing))
        patch.setattr(QuantileMechanism, "choose", method(recorder.choose_lowest))
        patch.setattr(QuantileMechanism, "choose_between", method(recorder.choose_between))
        patch.setattr(cydp.mechanisms.PartitionSelection, "release", method(recorder.select_all))
        patch.setattr(CountThreshold, "keeps", method(recorder.keep_all))
        patch.setattr(_contributions, "_draw_key", recorder.key)
        yield recorder


def answers(recorder: Recorder, secret: int, release: Callable[[], Any]) -> Answers:
    """Return the exact answers of a release with a sample drawn with this secret."""
    recorder.given, recorder.secret = [], secret
    made = release()
    parts = {id(part.mechanism): name for name, part in made.query.parts.items()}
    exact = {parts[id(by)]: value for by, value in recorder.given if id(by) in parts}
    assert set(exact) == set(made.query.parts)
    if "count" not in exact and isinstance(getattr(made, "rows", None), int):
        exact["count"] = made.rows  # without noise: public
    kinds = (cydp.mechanisms.PartitionSelection, CountThreshold)
    units = [value for by, value in recorder.given if isinstance(by, kinds)]
    if not units:
        return Answers(made.query, exact, None, None)
    return Answers(made.query, exact, units[0], made.key_columns[0])


@dataclass
class Apart:
    """How far the answers of a part are apart, for each pair of tables."""

    l1: Distances
    l2: Distances
    coordinates: NDArray[np.int64]


def distances(part: Part, one: Any, two: Any, pairs: int) -> Apart:
    """Return how far answers are apart.

    Parameters
    ----------
    part : Part
    one, two : the exact answers of two tables
    pairs : int
        The answers are of so many pairs of tables, as many of each.

    """
    if isinstance(one, SortedUnits):
        assert part.choice.q.denominator < 2**20
        each = _score_distances(part.choice.q, one, two) / part.choice.q.denominator
    else:
        each = np.abs(np.subtract(one, two, dtype=np.int64)).astype(np.float64)
    each = each.reshape(pairs, -1)
    # Below 2**53, so that sums are exact.
    assert float(part.change.l1) < 2**53
    squares = np.sqrt((each**2).sum(axis=1))
    return Apart(each.sum(axis=1), squares, (each > 0).sum(axis=1))


def _score_distances(q: Fraction, one: SortedUnits, two: SortedUnits) -> Distances:
    """Return the largest difference of a score of each group, times the denominator of q."""
    numbers = np.unique(np.concatenate([one.units, two.units]))
    worst = np.zeros(len(one.offsets) - 1)
    scores = [_below(each, numbers) for each in (one, two)]
    # Below y there are as many numbers as up to the last one before it: y stands behind one.
    for i in range(len(numbers) + 1):
        places = [np.abs(below[i] * q.denominator - q.numerator * below[-1]) for below in scores]
        np.maximum(worst, np.abs(places[0] - places[1]), out=worst)
    return worst


def _below(records: SortedUnits, numbers: NDArray[Any]) -> NDArray[np.int64]:
    """Return for each i how many numbers of a group are among the first i of all numbers."""
    groups = np.repeat(np.arange(len(records.offsets) - 1), np.diff(records.offsets))
    places = np.searchsorted(numbers, records.units)
    counts = np.zeros((len(numbers) + 1, len(records.offsets) - 1), np.int64)
    np.add.at(counts, (places + 1, groups), 1)
    return counts.cumsum(axis=0)
