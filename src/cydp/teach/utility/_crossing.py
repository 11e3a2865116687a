# SPDX-License-Identifier: MIT
"""The dimension from which Gaussian noise is less than Laplace noise."""

from __future__ import annotations

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.rational import read_integer
from cydp.teach.utility._measure import measure
from cydp.teach.utility._workloads import READY

__all__ = ["crossing"]


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
        A name among `WORKLOADS` whose noise may be either.
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
