# SPDX-License-Identifier: MIT
"""Errors of releases on a grid of settings, measured and predicted; where mechanisms cross."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import float_of, read_integer, read_level, read_positive
from cydp.random import Generator, generator_or_default
from cydp.sensitivity import count
from cydp.teach.utility._case import GAUSSIAN, LAPLACE, Case, Setting, binomial_tail
from cydp.teach.utility._table import UtilityRow, UtilityTable
from cydp.teach.utility._workloads import READY, Method

__all__ = ["crossing", "measure"]

_DIMENSIONS, _EPSILONS = (1, 10, 100, 1000), (0.1, 1)
_MOST_TRIALS, _MOST_DIMENSION, _MOST_SETTINGS = 10**6, 10**9, 10_000


@explain_arguments
def measure(
    workload: Any = "histogram",
    dimension: Any = None,
    *,
    epsilon: Any = None,
    rho: Any = None,
    delta: Number | None = None,
    relation: Any = "add-remove",
    mechanism: Any = None,
    trials: Integer = 100,
    confidence: Number = 0.99,
    rng: Generator | None = None,
) -> UtilityTable:
    """Measure the errors of releases on a grid of settings, beside the predicted ones.

    Workload, dimension, epsilon or rho, relation and mechanism are each one thing or a list of
    them. The grid has all combinations that there are.

    Parameters
    ----------
    workload : str or Method, or list of them, default "histogram"
        A name among `WORKLOADS`, or a `Method` of your own.
    dimension : int or list of int, optional
        How many cells, answers, columns or rows: what the workload counts (`WORKLOADS`). Default:
        1, 10, 100 and 1000, as far as it allows them.
    epsilon, rho : number or list of numbers > 0
        The privacy of each release. Default: epsilon of 0.1 and 1.
    delta : number between 0 and 1, optional
        For discrete Gaussian noise at an epsilon.
    relation : str or list of str, default "add-remove"
        The local count is under "change-one" in any case.
    mechanism : str or list of str, optional
        "discrete Laplace" (for epsilon alone), "discrete Gaussian" (for rho, or epsilon and delta).
        Default: both with delta, else the one that fits. The median (exponential), the local count
        (randomized response) and a `Method` have their own.
    trials : int, default 100
        Releases for each setting: at least 2, or 0 for predictions alone.
    confidence : number between 0 and 1, default 0.99
        The probability with which all ratios stay in their intervals, if the predictions are right.
    rng : Generator, optional
        The source of the noise. Default: the calling thread's own generator. A `Method` draws from
        its own.

    Returns
    -------
    UtilityTable
        A row for each setting.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed.

    Notes
    -----
    Privacy cost: none is charged. The named workloads run on made data. Errors that a `Method` has
    on private data depend on them, and are not private: do not publish them.

    References
    ----------
    .. [1] Hay, Machanavajjhala, Miklau, Chen, Zhang, "Principled evaluation of differentially
       private algorithms using DPBench", 2016.

    Examples
    --------
    >>> from cydp.testing import SeededGenerator
    >>> relations = ["add-remove", "change-one"]
    >>> table = measure("histogram", 10, epsilon=1, relation=relations, rng=SeededGenerator(1))
    >>> [round(row.predicted, 2) for row in table], table.agrees
    ([1.36, 2.8], True)

    """
    trials = read_integer(trials, "trials")
    if trials != 0 and not 2 <= trials <= _MOST_TRIALS:
        raise ValueError(f"trials must be 0, or from 2 to {_MOST_TRIALS:,}, not {trials}")
    level = read_level(confidence)
    generator = generator_or_default(rng)
    cases = list(_settings(workload, dimension, epsilon, rho, delta, relation, mechanism))
    if len(cases) > _MOST_SETTINGS:
        raise ValueError(
            f"the grid must have at most {_MOST_SETTINGS:,} settings, not {len(cases):,}"
        )
    failure = float_of((1 - level) / len(cases))
    rows = tuple(
        _run(setting, _case_of(each, setting), isinstance(each, Method) and each.data is not None,
             trials, failure, generator)
        for each, setting in cases
    )  # fmt: skip
    return UtilityTable(rows=rows, trials=trials, confidence=level)


def _case_of(workload: str | Method, setting: Setting) -> Case:
    """Return the case of a setting."""
    if isinstance(workload, Method):
        return workload._prepare(setting)
    return READY[workload].prepare(setting)


def _settings(
    workload: Any, dimension: Any, epsilon: Any, rho: Any, delta: Any, relation: Any, mechanism: Any
) -> Iterator[tuple[str | Method, Setting]]:
    """Yield each combination, once all arguments have been checked."""
    relations = [str(count(relation=each).relation) for each in _listed(relation, "relation")]
    privacies = _privacies(epsilon, rho, delta, mechanism)
    given = [] if dimension is None else _listed(dimension, "dimension")
    dimensions = [read_integer(each, "dimension") for each in given]
    workloads = _listed(workload, "workload")
    for each in workloads:
        _check(each, dimensions, [kind for kind, _ in privacies])
    for each in workloads:
        for d in dimensions or _default_dimensions(each):
            if isinstance(each, Method):
                own = {tuple(privacy.items()): privacy for _, privacy in privacies}
                combined = [(each.name, r, privacy) for r in relations for privacy in own.values()]
                name = each.workload
            else:
                combined, name = _combined(each, relations, privacies), each
            for kind, r, privacy in combined:
                yield (
                    each,
                    Setting(workload=name, dimension=d, mechanism=kind, relation=r, **privacy),
                )


def _default_dimensions(workload: str | Method) -> list[int]:
    if isinstance(workload, Method):
        return list(_DIMENSIONS)
    ready = READY[workload]
    return [d for d in _DIMENSIONS if ready.least <= d <= ready.most]


def _combined(
    name: str, relations: list[str], privacies: list[tuple[str, dict[str, Any]]]
) -> list[tuple[str, str, dict[str, Any]]]:
    """Return mechanism, relation and privacy of each setting of a workload that has a name."""
    ready = READY[name]
    under = [r for r in relations if r in ready.relations] or list(ready.relations)
    if len(ready.mechanisms) == 1:
        pure = {privacy["epsilon"]: {"epsilon": privacy["epsilon"]} for _, privacy in privacies}
        return [(ready.mechanisms[0], r, privacy) for r in under for privacy in pure.values()]
    return [(kind, r, privacy) for kind, privacy in privacies for r in under]


def _privacies(
    epsilon: Any, rho: Any, delta: Any, mechanism: Any
) -> list[tuple[str, dict[str, Any]]]:
    """Return the mechanisms, each with the arguments of the releases that have it."""
    if rho is not None and (epsilon is not None or delta is not None):
        raise TypeError("rho must be given alone: epsilon and delta would ask for other noise")
    name = "epsilon" if rho is None else "rho"
    given = _EPSILONS if epsilon is None and rho is None else epsilon if rho is None else rho
    numbers = _listed(given, name)
    for each in numbers:
        read_positive(each, name)
    if delta is not None and not 0 < read_positive(delta, "delta") < 1:
        raise ValueError("delta must be between 0 and 1")
    fitting = [LAPLACE] if rho is None else []
    fitting += [GAUSSIAN] if rho is not None or delta is not None else []
    kinds = fitting if mechanism is None else _listed(mechanism, "mechanism")
    found: list[tuple[str, dict[str, Any]]] = []
    for kind in kinds:
        if kind not in (LAPLACE, GAUSSIAN):
            raise ValueError(f"mechanism must be {LAPLACE!r} or {GAUSSIAN!r}, not {_shown(kind)}")
        if kind not in fitting:
            needs = "epsilon=" if kind == LAPLACE else "rho=, or epsilon= and delta="
            raise ValueError(f"mechanism {kind!r} needs {needs}")
        further = {"delta": delta} if kind == GAUSSIAN and delta is not None else {}
        found += [(kind, {name: each} | further) for each in numbers]
    return found


def _check(workload: Any, dimensions: list[int], kinds: list[str]) -> None:
    """Refuse a workload that does not exist, or has no such dimension or privacy."""
    least, most, name = 1, _MOST_DIMENSION, "a Method"
    if not isinstance(workload, Method):
        if not isinstance(workload, str) or workload not in READY:
            names = ", ".join(map(repr, READY))
            raise ValueError(f"workload must be a Method, or of {names}, not {_shown(workload)}")
        ready = READY[workload]
        least, most, name = ready.least, ready.most, repr(workload)
        if len(ready.mechanisms) == 1 and LAPLACE not in kinds:
            raise ValueError(f"workload {workload!r} needs epsilon=, without rho= or a mechanism")
    for d in dimensions:
        if not least <= d <= most:
            raise ValueError(f"dimension of {name} must be from {least} to {most:,}, not {d}")


def _listed(given: Any, name: str) -> list[Any]:
    """Return one thing, or a list of things, as a list without repetitions."""
    if isinstance(given, str | Method) or np.ndim(given) == 0:
        return [given]
    if not isinstance(given, Sequence | np.ndarray | range) or not len(given):
        raise TypeError(f"{name} must be one, or a list that is not empty")
    if any(np.ndim(each) for each in given):
        raise TypeError(f"{name} must be one, or a list of single ones, not a list of lists")
    return list(dict.fromkeys(given))


def _shown(given: Any) -> str:
    return repr(given[:40]) if isinstance(given, str) else type(given).__name__


def _run(
    setting: Setting, case: Case, is_given: bool, trials: int, failure: float, generator: Generator
) -> UtilityRow:
    """Release as often as asked, and return the row of a setting."""
    found = {
        "setting": setting, "predicted": case.rms, "predicted_bound": case.bound,
        "answers": case.answers, "unit": case.unit, "given_data": is_given,
    }  # fmt: skip
    if trials == 0:
        return UtilityRow(**found)  # type: ignore[arg-type]
    drawn = np.array([case.draw(generator) for _ in range(trials)])
    square, absolute, beyond = drawn.mean(axis=0).tolist()
    measured = math.sqrt(square)
    spread = float(drawn[:, 0].std(ddof=1)) / math.sqrt(trials)
    found |= {
        "measured": measured,
        "standard_error": spread / (2 * measured) if measured else 0.0,
        "absolute": absolute,
        "beyond": beyond if case.bound is not None else None,
    }
    if case.rms is not None and case.spread is not None and case.rms > 0:
        low, high = case.spread.interval(trials, failure)
        is_inside = low <= square / case.rms**2 <= high
        found |= {
            "ratio_low": math.sqrt(low),
            "ratio_high": math.sqrt(high),
            "agrees": None if is_inside and low == 0 else is_inside,  # or no noise would agree
        }
    elif case.rms is None and case.bound is not None:
        missed = round(beyond * trials)  # of releases of one answer
        found["agrees"] = binomial_tail(trials, 0.05, missed) >= failure
    return UtilityRow(**found)  # type: ignore[arg-type]


@explain_arguments
def crossing(
    workload: str = "counts",
    *,
    epsilon: Number,
    delta: Number,
    relation: str = "add-remove",
    most: Integer = 10**4,
) -> int | None:
    """Return the least dimension at which discrete Gaussian noise beats discrete Laplace noise.

    Parameters
    ----------
    workload : str, default "counts"
        A name among `WORKLOADS` that takes either noise.
    epsilon, delta : numbers > 0
        Laplace noise has this epsilon alone; Gaussian noise has both.
    relation : str, default "add-remove"
    most : int, default 10**4
        The largest dimension to try.

    Returns
    -------
    int or None
        The first of the dimensions at which the predicted error is less; None if it is not up to
        `most`. It is found by bisection, and rests on this: once Gaussian noise is less, it stays.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or the workload has no predicted error of both.

    Notes
    -----
    A person changes all k counts, by k in the L1 norm and by sqrt(k) in the L2 norm. Laplace noise
    grows as k, Gaussian noise as sqrt(k).

    Examples
    --------
    >>> crossing("counts", epsilon=1, delta="1e-6")
    10
    >>> crossing("histogram", epsilon=1, delta="1e-6", most=1000) is None
    True

    """
    high = read_integer(most, "most")
    if high < 1:
        raise ValueError(f"most must be at least 1, not {high}")
    if not isinstance(workload, str):
        raise TypeError(f"workload must be a name, not {type(workload).__name__}")

    def is_less(dimension: int) -> bool:
        table = measure(
            workload, dimension, epsilon=epsilon, delta=delta, relation=relation, trials=0
        )
        errors = [row.predicted for row in table]
        if len(errors) != 2 or None in errors:
            raise ValueError(f"workload {workload!r} has no predicted errors of both mechanisms")
        laplace, gaussian = errors
        return bool(gaussian < laplace)  # type: ignore[operator]

    least = READY[workload].least if workload in READY else 1
    top = least
    while not is_less(min(top, high)):
        if top >= high:
            return None
        top *= 2
    low, high = top // 2, min(top, high)
    while high - low > 1 and high > least:
        middle = (low + high) // 2
        low, high = (low, middle) if is_less(middle) else (middle, high)
    return high
