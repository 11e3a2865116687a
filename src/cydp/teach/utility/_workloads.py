# SPDX-License-Identifier: MIT
"""What is measured: a method of the user's own, and workloads by name on made data."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from cydp._numbers.rounding import root_above
from cydp.local import CategorySurvey
from cydp.mechanisms import DiscreteGaussian, DiscreteLaplace, Gaussian, Laplace
from cydp.random import Generator
from cydp.releases import count, explain, histogram, mean, median
from cydp.releases import sum as noisy_sum
from cydp.teach.utility._case import (
    EXPONENTIAL,
    GAUSSIAN,
    LAPLACE,
    RESPONSE,
    Case,
    Errors,
    Setting,
    Spread,
    errors_of,
    spread_of,
)
from cydp.workloads import marginals, range_counts

__all__ = ["READY", "WORKLOADS", "Method"]

_BOUNDS = (0, 100)
_LARGEST = _BOUNDS[1]
_BOTH = (LAPLACE, GAUSSIAN)
_RELATIONS = ("add-remove", "change-one", "add-remove-or-change")
_TREE = "A tree answers many ranges better than a histogram does."
_MORE_ROWS = "A noisy sum has the same error over any number of rows."
_ONE = Fraction(1)
_EACH = 1000  # rows that each answer counts in made data


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)  # data may be an array
class Method:
    """A method of your own, or another library's: anything that returns noisy numbers.

    Parameters
    ----------
    name : str
        What the table calls it, in the column of mechanisms.
    release : callable
        ``release(data, setting)`` returns noisy answers, array_like of real numbers. It draws from
        a generator of its own. `Setting` has the dimension, the privacy and the relation.
    truth : callable or array_like, optional
        ``truth(data, setting)``, or the exact answers themselves, of the same shape. Default: the
        data.
    predicted : callable, optional
        ``predicted(setting)`` returns the root mean square error of an answer, a number >= 0; or
        the mechanism of cydp that noises each answer by itself, such as ``cydp.Laplace(...)``.
        Only with a mechanism is the law of the errors known, and agreement is stated.
    data : object or callable, optional
        What `release` gets, or ``data(setting)``. Default: an array of `dimension` made counts. The
        table marks given data.
    workload : str, default "own"
        What the table calls the question; use the name of a workload to compare with it.

    Raises
    ------
    TypeError
        If a name is no text, or a callable cannot be called.

    Notes
    -----
    No budget pays: this is a simulation. Errors that were measured on private data depend on them,
    and are not private: do not publish them.

    Examples
    --------
    >>> import numpy
    >>> numbers = numpy.random.default_rng(1)
    >>> method = Method(
    ...     name="numpy's Laplace, rounded",
    ...     release=lambda data, setting: numpy.round(
    ...         data + numbers.laplace(scale=1 / setting.epsilon, size=len(data))
    ...     ),
    ... )
    >>> from cydp.teach import utility
    >>> table = utility.measure(method, dimension=50, epsilon=1, trials=100)
    >>> 1.3 < table[0].measured < 1.6
    True

    """

    name: str
    release: Callable[[Any, Setting], Any]
    truth: Any = None
    predicted: Callable[[Setting], Any] | None = None
    data: Any = None
    workload: str = "own"

    def __post_init__(self) -> None:
        for argument in ("name", "workload"):
            given = getattr(self, argument)
            if not isinstance(given, str) or not given.strip():
                raise TypeError(f"{argument} must be a text that is not empty")
        if not callable(self.release):
            raise TypeError(f"release must be callable, not {type(self.release).__name__}")
        if self.predicted is not None and not callable(self.predicted):
            raise TypeError(f"predicted must be callable, not {type(self.predicted).__name__}")

    def _prepare(self, setting: Setting) -> Case:
        data = np.full(setting.dimension, _EACH) if self.data is None else self.data
        if callable(data):
            data = data(setting)
        exact = data if self.truth is None else self.truth
        truth = _read(exact(data, setting) if callable(exact) else exact, "truth", self.name)
        rms, spread, bound = self._predict(setting, truth.size)

        def draw(rng: Generator) -> Errors:
            answers = _read(self.release(data, setting), "release", self.name)
            if answers.shape != truth.shape:
                raise ValueError(
                    f"release of {self.name!r} must return answers of the shape of the true ones, "
                    f"{truth.shape}, not {answers.shape}"
                )
            return errors_of(answers, truth, bound)

        return Case(
            draw=draw, rms=rms, spread=spread, bound=bound, answers=truth.size, unit="units"
        )

    def _predict(
        self, setting: Setting, answers: int
    ) -> tuple[float | None, Spread | None, float | None]:
        found = None if self.predicted is None else self.predicted(setting)
        if found is None:
            return None, None, None
        if isinstance(found, DiscreteLaplace | DiscreteGaussian | Laplace | Gaussian):
            return math.sqrt(found.variance), spread_of(found, answers), float(found.error_bound())
        try:
            rms = float(found)
        except (TypeError, ValueError):
            rms = math.nan
        if not 0 <= rms < math.inf:
            raise ValueError(
                f"predicted of {self.name!r} must return a finite number >= 0, or a mechanism of "
                f"cydp that adds noise, not {type(found).__name__}"
            )
        return rms, None, None


def _read(answers: Any, argument: str, name: str) -> NDArray[np.float64]:
    """Return answers as an array of finite floats."""
    try:
        found = np.asarray(answers)
        if np.iscomplexobj(found):  # the imaginary part would be dropped
            raise TypeError
        found = found.astype(np.float64)
    except (TypeError, ValueError):
        kind = type(answers).__name__
        raise TypeError(
            f"{argument} of {name!r} must be real numbers, or return them, not {kind}"
        ) from None
    if not found.size or not np.isfinite(found).all():
        raise ValueError(f"{argument} of {name!r} must have numbers, all of them finite")
    return found


@dataclass(frozen=True, slots=True)
class Ready:
    """A workload that has a name.

    Attributes
    ----------
    prepare : callable
        From a `Setting` to its `Case`.
    dimension : str
        What the dimension counts.
    lesson : str
        What its errors teach.
    most : int
        The largest dimension.
    least : int, default 1
    mechanisms, relations : tuple of str

    """

    prepare: Callable[[Setting], Case]
    dimension: str
    lesson: str
    most: int
    least: int = 1
    mechanisms: tuple[str, ...] = _BOTH
    relations: tuple[str, ...] = _RELATIONS


def _noisy(
    release: Callable[..., Any], truth: Any, noise: Any, step: Fraction = _ONE, unit: str = "rows"
) -> Case:
    """Return the case of answers that each have independent noise, in steps."""
    exact = np.asarray(truth)
    bound = float(noise.error_bound() * step)

    def draw(rng: Generator) -> Errors:
        return errors_of(np.asarray(release(rng=rng)), exact, bound)

    return Case(
        draw=draw, rms=math.sqrt(noise.variance) * float(step), spread=spread_of(noise, exact.size),
        bound=bound, answers=exact.size, unit=unit,
    )  # fmt: skip


def _noise_of(function: Callable[..., Any], *args: Any, **privacy: Any) -> tuple[Any, Fraction]:
    """Return the noise of each answer of a release and its step, before there is any data."""
    part, *_ = explain(function, *args, **privacy).query.parts.values()
    return part.noise, part.step


def _numbers(rows: int) -> NDArray[np.int64]:
    return np.arange(rows) % (_LARGEST + 1)


def _count(setting: Setting) -> Case:
    n, privacy = setting.dimension, setting.privacy
    return _noisy(partial(count, np.ones(n, np.int8), **privacy), n, *_noise_of(count, **privacy))


def _counts(setting: Setting) -> Case:
    """Return the case of k counts of the same people: a person may be in all of them."""
    k = setting.dimension
    own = {name: each for name, each in setting.privacy.items() if name != "relation"}
    noise = (
        DiscreteLaplace(**own, sensitivity=k)
        if setting.mechanism == LAPLACE
        else DiscreteGaussian(**own, sensitivity=root_above(Fraction(k)), coordinates=k)
    )
    truth = np.full(k, _EACH)
    return _noisy(partial(noise.release, truth), truth, noise)


def _histogram(setting: Setting) -> Case:
    d, privacy = setting.dimension, setting.privacy
    noise = _noise_of(histogram, d, (0, d), **privacy)
    return _noisy(partial(histogram, np.arange(d), d, (0, d), **privacy), np.ones(d), *noise)


def _sum(setting: Setting) -> Case:
    x, privacy = _numbers(setting.dimension), setting.privacy
    noise = _noise_of(noisy_sum, _BOUNDS, **privacy)
    return _noisy(partial(noisy_sum, x, _BOUNDS, **privacy), x.sum(), *noise, "units")


def _ranges(levels: int | None, setting: Setting) -> Case:
    """Return the case of all ranges of bins: from a histogram, or from a tree."""
    d, privacy = setting.dimension, {**setting.privacy, "strategy": "tree"}
    plan: Any = explain(range_counts, d, (0, d), levels=levels, **privacy).query
    x = np.arange(d)

    def draw(rng: Generator) -> Errors:
        off = range_counts(x, d, (0, d), levels=levels, rng=rng, **privacy).counts - 1
        ends = np.concatenate([[0.0], np.cumsum(off)])  # the error of a range is a difference
        square = (ends @ ends - ends.sum() ** 2 / (d + 1)) * (d + 1)
        rising = np.sort(ends) @ (2 * np.arange(d + 1) - d)
        ranges = d * (d + 1) / 2
        return Errors(max(float(square), 0.0) / ranges, float(rising) / ranges, np.nan)

    return Case(
        draw=draw, rms=plan.expected_error, spread=spread_of(plan.part.noise, 1, linear=True),
        bound=None, answers=d * (d + 1) // 2, unit="rows",
    )  # fmt: skip


def _marginals(setting: Setting) -> Case:
    """Return the case of a table for each pair of columns of yes or no."""
    names = [f"column {i}" for i in range(setting.dimension)]
    domains = {name: [0, 1] for name in names}
    sets, privacy = list(combinations(names, 2)), {**setting.privacy, "strategy": "tables"}
    noise = _noise_of(marginals, domains, sets, **privacy)
    rows = np.arange(1000)
    table = {name: (rows >> i % 9) & 1 for i, name in enumerate(names)}
    truth = [
        np.histogram2d(table[one], table[other], [2, 2], [[0, 2], [0, 2]])[0] for one, other in sets
    ]

    def release(rng: Generator) -> NDArray[np.int64]:
        return np.array(marginals(table, domains, sets, rng=rng, **privacy).tables)

    return _noisy(release, truth, *noise)


def _mean(setting: Setting) -> Case:
    x, privacy = _numbers(setting.dimension), setting.privacy
    bound = explain(mean, _BOUNDS, n=setting.dimension, **privacy).error["mean"]
    truth = np.asarray(x.mean())

    def draw(rng: Generator) -> Errors:
        return errors_of(np.asarray(mean(x, _BOUNDS, rng=rng, **privacy).value), truth, bound)

    return Case(draw=draw, rms=None, spread=None, bound=bound, answers=1, unit="units")


def _median(setting: Setting) -> Case:
    x, privacy = np.linspace(*_BOUNDS, setting.dimension), setting.privacy
    (bound,) = explain(median, _BOUNDS, n=setting.dimension, **privacy).error.values()
    half = setting.dimension / 2

    def draw(rng: Generator) -> Errors:
        point = median(x, _BOUNDS, rng=rng, **privacy).value
        below, up_to = (np.searchsorted(x, point, side) for side in ("left", "right"))
        return errors_of(max(below - half, half - up_to, 0.0), np.zeros(()), bound)

    return Case(draw=draw, rms=None, spread=None, bound=bound, answers=1, unit="ranks")


def _local_count(setting: Setting) -> Case:
    """Return the case of people who randomize a yes or a no themselves."""
    n, epsilon = setting.dimension, setting.epsilon
    assert epsilon is not None
    survey = CategorySurvey([0, 1], epsilon=epsilon)
    x = np.arange(n) % 2
    truth, bound = np.asarray(x.sum()), survey.error_bound(reports=n)

    def draw(rng: Generator) -> Errors:
        return errors_of(survey.estimate(survey.reports(x, rng=rng)).counts[1], truth, bound)

    p = float(survey.mechanism.p_truth)  # type: ignore[union-attr]
    spread = None  # if nearly every report is the truth
    if p < 1 - 2**-30:
        second = 2 + (1 / (p * (1 - p)) - 6) / n
        spread = Spread(second=second, fourth=math.inf, copies=1)
    return Case(
        draw=draw, rms=math.sqrt(n * survey.variance), bound=bound, answers=1,
        unit="rows", spread=spread,
    )  # fmt: skip


READY = {
    "count": Ready(_count, "rows", _MORE_ROWS, 10**7),
    "counts": Ready(
        _counts, "counts of the same people",
        "k counts: Laplace noise grows as k, Gaussian noise as its root.",
        10**6,
    ),
    "histogram": Ready(
        _histogram, "cells", "A cell of a histogram has the same error among any number of cells.",
        10**7,
    ),
    "ranges by histogram": Ready(partial(_ranges, 1), "bins", _TREE, 10**6),
    "ranges by tree": Ready(partial(_ranges, None), "bins", _TREE, 10**6),
    "marginals": Ready(
        _marginals, "columns of yes or no, of which all pairs",
        "Tables share the privacy: each further column makes all of them less exact.", 30, 2,
    ),
    "sum": Ready(_sum, "rows of numbers from 0 to 100", _MORE_ROWS, 10**7),
    "mean": Ready(
        _mean, "rows of numbers from 0 to 100", "The error of a mean falls as rows are added.",
        10**7,
    ),
    "median": Ready(
        _median, "rows of numbers from 0 to 100",
        "A median is off by as many ranks over any number of rows.", 10**7,
        mechanisms=(EXPONENTIAL,),
    ),
    "local count": Ready(
        _local_count, "people", "Without a curator the error grows as the root of the people.",
        10**7, mechanisms=(RESPONSE,), relations=("change-one",),
    ),
}  # fmt: skip

WORKLOADS = {name: ready.dimension for name, ready in READY.items()}
"""The workloads that have a name, and what their dimension counts."""
