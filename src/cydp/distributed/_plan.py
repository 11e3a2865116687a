# SPDX-License-Identifier: MIT
"""The plan of a release of a table that is spread over machines: parameters and types, no data.

docs/distributed.md.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import zip_longest
from typing import Any

import numpy as np

from cydp._call_errors import explain_arguments
from cydp._columns.stored_tables import open_data_table
from cydp._columns.tables import is_tabular, open_table
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp._version import __version__
from cydp.accounting._budget import Asked
from cydp.accounting._loss import Loss
from cydp.accounting.ledger._scope import LedgerScope
from cydp.distributed._label_bytes import kinds_of
from cydp.distributed._outline import Outline, found_outline, outline_of
from cydp.distributed._reader import Reader
from cydp.distributed._run import Run
from cydp.exact._sorted_units import SortedUnits
from cydp.mechanisms._run import Budget, check_budget_type, check_generator
from cydp.releases._group_query import GroupQuery
from cydp.releases._group_rows import FoundTally
from cydp.releases._quantile_query import QuantileQuery
from cydp.releases._query import DataQuery, Given
from cydp.releases._reads import refuse_columns
from cydp.releases._run import Prepared, arguments_of, engine_of, kind_of, with_noise
from cydp.releases._run import prepare as prepare_release

__all__ = ["ReleasePlan", "plan_of", "prepare"]

_KEYS = "keys", "by_keys"
_MOST_POINTS = 2**22  # of the grids of quantiles, of all keys together: 100 MB on the driver
_NOT_MERGED = (
    "pieces of a table are for releases whose exact answers add up in bounded memory: counts, "
    "sums, means, variances and histograms do, and by public keys quantiles on a grid"
)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ReleasePlan:
    """A release of a table that is spread over machines, before it is paid. `prepare` returns it.

    It holds public parameters and types, and no record. A pickle carries it.

    Attributes
    ----------
    query : Query
        The query of the release: mechanisms, privacy unit and loss.
    fingerprint : str
        A SHA-256 of the query, of public keys and edges, and of the types of the columns.

    Examples
    --------
    >>> import cydp
    >>> plan = cydp.distributed.prepare(cydp.sum, {"x": []}, (0, 10), column="x", epsilon=1)
    >>> plan.loss, plan.unit[:18]
    (PureDP(epsilon=1, relation='add-remove'), 'whether one row is')

    """

    query: DataQuery
    fingerprint: str
    _kind: type[DataQuery] = field(repr=False)
    _given: Mapping[str, Any] = field(repr=False)
    _types: tuple[str, ...] = field(repr=False)
    _outline: Outline = field(repr=False)
    _version: str = field(default=__version__, repr=False)

    @property
    def loss(self) -> Loss:
        """Privacy cost of the release."""
        return self.query.loss

    @property
    def unit(self) -> str:
        """What is protected, in words."""
        return self.query.protects

    @explain_arguments
    def pay(self, budget: Budget | None, *, rng: Generator | None = None) -> Run:
        """Pay for the release, and fix the secret key by which the rows of users are chosen.

        Parameters
        ----------
        budget : PrivacyFilter, BudgetLedger or LedgerScope, or None
            What pays the privacy cost, before data is read. With a `charge_id` of a ledger the
            release is recorded, so that a driver can be started anew.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        Run
            If the same charge was paid and its release recorded before, a run whose `release([])`
            is the recorded one.

        Raises
        ------
        TypeError, ValueError
            For what is no budget; for blocks of a ledger without `table_in_blocks=True`, since the
            workers are given the rows; and if a budget in zCDP pays for a delta and `noise` is left
            open. Nothing is charged.
        PrivacyError
            If the budget refuses, or protects another unit. Nothing is charged.

        Notes
        -----
        Privacy cost: `loss`.

        Examples
        --------
        >>> import cydp
        >>> plan = cydp.distributed.prepare(cydp.count, [], epsilon=1)
        >>> budget = cydp.PrivacyFilter(cydp.PureDP(3))
        >>> run = plan.pay(budget)
        >>> budget.spent
        PureDP(epsilon=1)

        """
        generator = generator_or_default(rng)
        asked, paid = Asked(self.query, self.query.function, nbytes=self.query.nbytes), None
        key, number = generator.bytes(16), int.from_bytes(generator.bytes(7))
        if budget is not None:
            check_budget_type(budget)
            check_generator(generator)
            self._check_scope(budget)
            try:
                paid = budget._pay(asked)
            except BaseException as error:
                for answer in asked.answers:
                    answer.note(error)
                raise
        return Run(Reader(self, number, key), paid)

    def _check_scope(self, budget: Budget) -> None:
        """Refuse what a local release would take from the budget: its blocks, and its noise."""
        if isinstance(budget, LedgerScope) and budget.blocks and not budget.table_in_blocks:
            raise ValueError(
                "budget must be ledger.scope(..., table_in_blocks=True) for a table in pieces: "
                "give the workers the rows of the blocks that pay, and no others"
            )
        if with_noise(self._given, budget) is not self._given:
            raise ValueError(
                "noise must be given for a budget in zCDP, which Gaussian noise costs less: "
                "prepare(..., noise='gaussian')"
            )

    def _open(self, table: Any) -> Any:
        """Return the columns of a piece, declared: they must have the types of the plan."""
        if self._version != __version__:  # it may tell users apart in another way
            raise ValueError(
                f"workers must have the cydp that made the plan, {self._version}, not {__version__}"
            )
        kind = self._kind
        made = prepare_release(kind, {**self._given, kind.data: table})
        pairs = zip_longest(self._types, _types_of(made), fillvalue="no column")
        for mine, theirs in pairs:
            if mine != theirs:
                raise ValueError(
                    f"{kind.data} must have the types of the plan: {mine}, and not {theirs}"
                )
        if made.query != self.query or _reads_of(made.query) != _reads_of(self.query):
            raise ValueError(f"{kind.data} must be a table as in the plan, with no other condition")
        made.check()
        return made.source

    def __repr__(self) -> str:
        return f"<plan {self.fingerprint[:8]} of {self.query!r}>"


@explain_arguments
def prepare(function: Callable[..., Any], like: Any, *args: Any, **kwargs: Any) -> ReleasePlan:
    """Check a release of a table that is spread over machines, and return its plan.

    Parameters
    ----------
    function : callable
        A release whose exact answers add up, such as `cydp.histogram`, `cydp.mean` or
        `cydp.group_by`.
    like : table, column or pyarrow.Schema
        What the workers will be given, by its types: a table of the same kind, which may be empty.
        No row of it is read. A DataFrame of Spark stands for tables of Arrow, as its tasks have.
    *args : object
        Further arguments of the release, in its order.
    **kwargs : object
        Further arguments of the release, by name, without `budget` and `rng`. Columns are named.

    Returns
    -------
    ReleasePlan

    Raises
    ------
    TypeError, ValueError
        What the release itself raises for these arguments; for quantiles on a grid that is too fine
        to count each of its points, or that are chosen by halves; for keys that are not given, if
        their columns may have another type in other pieces; and for a column that is given itself
        instead of by its name.

    Notes
    -----
    Privacy cost: none. `ReleasePlan.pay` pays, and the release is that of the whole table.

    References
    ----------
    .. [1] Dwork, Roth, "The algorithmic foundations of differential privacy", 2014, section 3.3.

    Examples
    --------
    >>> import cydp
    >>> from cydp import distributed
    >>> visits = {"shop": ["a", "b", "b"], "person": [7, 8, 7], "euros": [1.5, 2.0, 9.0]}
    >>> plan = distributed.prepare(
    ...     cydp.group_by, {name: [] for name in visits}, "shop", keys=["a", "b"],
    ...     sums={"euros": (0, 10)}, user="person", max_partitions=1, epsilon=1,
    ... )
    >>> run = plan.pay(cydp.PrivacyFilter(cydp.PureDP(1)))
    >>> tally = run.reader.tally(visits, piece=0, pieces=1)  # on a worker
    >>> run.release([tally]).loss
    PureDP(epsilon=1, relation='add-remove')

    """
    given = arguments_of(function, args, kwargs, caller="prepare")
    if engine_of(like) is not None:
        like = like.limit(0).toArrow()
    is_schema = hasattr(type(like), "empty_table")  # of pyarrow
    plan, _ = plan_of(kind_of(function), given, like.empty_table() if is_schema else like, None)
    return plan


def plan_of(
    kind: type[DataQuery], given: Given, like: Any, budget: Budget | None
) -> tuple[ReleasePlan, Prepared]:
    """Return the plan of a call without its data, and the release of `like`, which it is made of.

    A budget that is known decides the noise, as locally, and which blocks are read.
    """
    why = "a column itself stays on one machine"
    refuse_columns(given, ("column", "columns", "by", "user"), why)
    asked = {**with_noise(given, budget)}
    if issubclass(kind, QuantileQuery) and asked.get("method") == "auto":
        asked["method"] = "independent"
    made = prepare_release(kind, {**asked, kind.data: like, "budget": budget})
    made.check()
    keys = made.query.reads.keys  # which workers need not prepare for each piece
    asked |= {name: keys for name in _KEYS if keys is not None and asked.get(name) is not None}
    query = made.query.reading(path=None)  # of `like`
    types = _types_of(made)
    said = json.dumps([query.to_dict(), types], sort_keys=True)
    fingerprint = sha256(said.encode()).hexdigest()
    outline = _outline_of(kind, asked, like, made)
    return ReleasePlan(query, fingerprint, kind, asked, types, outline), made


def _types_of(made: Prepared) -> tuple[str, ...]:
    """Return what the columns declare, and the column of users, as text."""
    users = made.source.users
    return tuple(each.declared for each in [*made.source.columns, *([users] if users else [])])


def _reads_of(query: DataQuery) -> Any:
    """Return what a query reads, without its keys, which are those of the plan."""
    return query.reads._replace(keys=None).to_dict()


def _outline_of(
    kind: type[DataQuery], given: Mapping[str, Any], like: Any, made: Prepared
) -> Outline:
    """Return the names and shapes of the exact answers: those of a table without rows.

    Raises
    ------
    TypeError, ValueError
        If they do not add up in bounded memory.

    """
    query = made.query
    opened, empty = open_data_table(like, kind.data), list[Any]()
    data = {name: [] for name in open_table(opened).names} if is_tabular(opened) else empty
    source = kind.declare(kind.settled({**given, kind.data: data}))
    exact = query.read(source, np.zeros(2, np.uint64))
    ranked = [each for each in exact.parts.values() if isinstance(each, SortedUnits)]
    if ranked and not isinstance(exact, FoundTally):
        _check_ranks(query, ranked)
        return outline_of(exact.parts)
    if not all(isinstance(each, int) or _is_of_int64(each) for each in exact.parts.values()):
        raise TypeError(_NOT_MERGED)
    if isinstance(exact, FoundTally):
        if not all(map(_is_of_int64, exact.parts.values())):
            raise TypeError("left_out must be left out for pieces of a table with keys to be found")
        return found_outline(exact, kinds_of(made.source.labels))
    if hasattr(exact, "keys"):
        raise TypeError(_NOT_MERGED)
    return outline_of(exact.parts)


def _check_ranks(query: DataQuery, ranked: Sequence[SortedUnits]) -> None:
    """Refuse quantiles that cannot be chosen from counts of the points of their grids.

    Raises
    ------
    TypeError
        If they are chosen by halves.
    ValueError
        If the grids are too fine.

    """
    if not isinstance(query, QuantileQuery | GroupQuery):
        raise TypeError(_NOT_MERGED)
    if any(each.level for each in query.aggregates()):
        raise TypeError(
            "quantiles of pieces of a table are chosen each alone, and not by method='recursive', "
            "nor, as here by default, several of one column by key: ask for one of each column"
        )
    grids = [(each.grid.highest - each.grid.lowest + 1, len(each.offsets) - 1) for each in ranked]
    points = sum(size * groups for size, groups in grids)
    if points > _MOST_POINTS:
        raise ValueError(
            f"step must be given, or larger, for quantiles of pieces of a table: the points of the "
            f"grid, for all keys together, are {points:,}, more than {_MOST_POINTS:,}"
        )


def _is_of_int64(exact: Any) -> bool:
    return isinstance(exact, np.ndarray) and exact.dtype == np.int64
