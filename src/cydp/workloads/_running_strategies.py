# SPDX-License-Identifier: MIT
"""Which sums of a stream's steps have noise: those of the least mean variance of all totals."""

from __future__ import annotations

from functools import partial

from cydp.releases._query import Given
from cydp.workloads._running_query import RunningQuery
from cydp.workloads._signed_tree import SignedTreeQuery
from cydp.workloads._square_root import SquareRootQuery
from cydp.workloads._stream_query import StreamQuery, best_of

__all__ = ["read_stream"]

_KINDS: dict[str, type[StreamQuery]] = {
    each.strategy: each for each in (RunningQuery, SignedTreeQuery, SquareRootQuery)
}


def read_stream(given: Given) -> StreamQuery:
    """Return the query of a stream: of the best strategy, unless it was given.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or no noise fits.

    """
    strategy, branching = given["strategy"], given["branching"]
    if strategy is not None:
        if strategy not in list(_KINDS):  # which need not be hashable
            raise ValueError(f"strategy must be one of {', '.join(_KINDS)}, not {strategy!r}")
        kinds = [_KINDS[strategy]]
    else:
        kinds = [each for each in _KINDS.values() if branching is None or each.branchings]
    return best_of([partial(kind.of, given, None) for kind in kinds])
