# SPDX-License-Identifier: MIT
"""The way of every release of data: prepare, pay, read, draw; and its calls without data.

docs/releases.md, "One way".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any, TypeVar

import numpy as np

from cydp._call_errors import explain_arguments
from cydp._columns.conditions import condition_on_blocks
from cydp._columns.stored_tables import choose_rows, open_data_table
from cydp._columns.table import Table
from cydp._columns.tables import refuse_other_than_table
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._budget import Asked
from cydp.accounting._loss import ZCDP
from cydp.accounting._renyi_dp import RenyiDP
from cydp.accounting.ledger._paid import payment_of
from cydp.accounting.ledger._scope import LedgerScope
from cydp.exact._contributions import sample_key
from cydp.mechanisms import _run
from cydp.releases._query import DataQuery, Given

__all__ = [
    "RELEASES",
    "Prepared",
    "arguments_of",
    "engine_of",
    "kind_of",
    "prepare",
    "prepare_anywhere",
    "release",
    "run",
    "with_noise",
]


_Function = TypeVar("_Function", bound=Callable[..., Any])

RELEASES: dict[Callable[..., Any], type[DataQuery]] = {}
"""The query that each public function makes."""


# By the class of a table: what prepares a release of rows that an engine's workers read. It stands
# above this layer, so it is named here, and imported when such a table is given.
_ENGINES = {
    (f"pyspark.sql.{kind}.dataframe", "DataFrame"): "cydp.distributed._spark.prepare"
    for kind in ("classic", "connect")
}

_NOT_GIVEN = ("budget", "rng")

# What a release takes beside the data, which is not read before the charge: the exact and the
# noisy numbers, those of the noise, and a copy; and a place in a table for each key.
_ARRAYS = 4
_BYTES_OF_A_KEY = 64
_SMALL = 2**24
_NO_MEMORY = "there is no memory for the release"
_ASK_LESS = "ask for fewer bins, keys or queries"


@dataclass(slots=True, repr=False, eq=False)  # a repr would show records; frozen is slower
class Prepared:
    """A release that was checked, and neither paid for nor read.

    Attributes
    ----------
    query : DataQuery
    source : object
        The columns, declared.

    """

    query: DataQuery
    source: Any

    @property
    def asked(self) -> Asked:
        """The call that a budget is asked to pay for."""
        return Asked(self.query, self.query.function, nbytes=self.query.nbytes)

    def draw(self, generator: Generator) -> Any:
        """Read the data, and return what may be published."""
        key = sample_key(self.source.users, generator)
        return self.query.draw(self.query.read(self.source, key), generator)

    def check(self) -> None:
        """Raise a ValueError, before the charge, for want of memory, or of files as they were."""
        reads = self.query.reads
        needed = _ARRAYS * self.query.nbytes + _BYTES_OF_A_KEY * len(reads.keys or ())
        if needed > _SMALL:
            try:
                np.empty(needed, np.uint8)
            except MemoryError:
                raise ValueError(
                    f"{_NO_MEMORY}, which needs about {needed / 2**30:,.1f} GiB: {_ASK_LESS}"
                ) from None
        if self.source.length is None:  # seldom
            self.source.check()

    def release(self, budget: Any, rng: Generator | None) -> Any:
        """Pay, read and draw; return the release."""
        query = self.query
        self.check()
        if budget is None:  # most often, and the quickest way
            return query.result(self.draw(generator_or_default(rng)), None)
        if getattr(budget, "charge_id", None) is not None:
            query.check_recorded(self.source)
        drawn, paid = _run.pay_and_draw(self.asked, self.draw, budget, rng)
        return query.result(drawn, payment_of(paid))


def prepare(kind: type[DataQuery], given: Given) -> Prepared:
    """Return the release of a call, checked.

    Raises
    ------
    TypeError, ValueError
        If an argument is not allowed, or asks for more bins or keys than there is memory for.

    """
    try:
        return _prepared(kind, given)
    except MemoryError:
        raise ValueError(f"{_NO_MEMORY}: {_ASK_LESS}") from None
    except (TypeError, ValueError):
        if engine_of(given[kind.data]) is not None:
            raise TypeError(
                f"{kind.data} must be a table that is read here: call its toArrow()"
            ) from None
        refuse_other_than_table(given[kind.data], kind.data, given)
        raise


def _prepared(kind: type[DataQuery], given: Given) -> Prepared:
    data, given = given[kind.data], with_noise(given, given.get("budget"))
    opened = _in_blocks(open_data_table(data, kind.data), given.get("budget"), kind.data)
    given = kind.settled(given if opened is data else {**given, kind.data: opened})
    source = kind.declare(given)
    query, table = kind.of(given, source), opened
    if text_as := source.text_as:
        query = query.reading(text_as=text_as)
    if isinstance(table, Table):
        if table.where is not None:
            _check_condition(query, given)
            query = query.reading(
                where=str(table.where),
                chooses_blocks=table.where.chooses_blocks,
                besides_blocks=table.where.besides_blocks,
            )
        if table.path is not None:
            query = query.reading(path=table.path)
    return Prepared(query, source)


def with_noise(given: Given, budget: Any) -> Given:
    """Return the arguments of a call, with Gaussian noise where a budget in zCDP pays for a delta.

    Up to an epsilon of 2, Gaussian noise of the cost of Laplace noise has less variance.
    """
    is_open = given.get("delta") is not None and given.get("noise", "") is None
    payer = budget.ledger if isinstance(budget, LedgerScope) else budget
    if given.get("keys", ()) is None:  # their selection costs epsilon and delta in any case
        return given
    if is_open and isinstance(getattr(payer, "budget", None), ZCDP | ApproxZCDP | RenyiDP):
        return {**given, "noise": "gaussian"}
    return given


def _in_blocks(data: Any, budget: Any, name: str) -> Any:
    """Return the rows that lie in the blocks that pay: the ledger tells them, or it is promised."""
    if not isinstance(budget, LedgerScope) or not budget.blocks or budget.table_in_blocks:
        return data
    column = budget.ledger.block_column
    if column is None:
        raise ValueError(
            f"{name} must hold no rows of other blocks than those that pay, and this ledger does "
            f"not know which rows these are: filter {name} to the blocks, and promise it by "
            "ledger.scope(..., table_in_blocks=True), or make a ledger with block_column='...'"
        )
    try:
        return choose_rows(data, condition_on_blocks(column, budget.blocks), name)
    except TypeError:
        raise TypeError(
            f"{name} must be a path of files or a relation of DuckDB, of which the rows of the "
            f"blocks are read by the ledger's column {column!r}: filter another table or lazy "
            "frame to these blocks, and promise it by ledger.scope(..., table_in_blocks=True)"
        ) from None


def _check_condition(query: DataQuery, given: Given) -> None:
    """Raise a ValueError if the query takes the number of rows for public, which it is not.

    A row that changes may be left out by a condition: docs/cli.md, "Conditions".
    """
    is_fixed = query.relation == "change-one" and query.unit.has_fixed_rows
    if is_fixed and given.get("missing", "drop") != "drop":
        raise ValueError(
            "missing must be 'drop' for rows that satisfy a condition, under 'change-one': how "
            "many these are is not public"
        )


def prepare_anywhere(kind: type[DataQuery], given: Given) -> Prepared:
    """Return the release of a call, checked, as `prepare` does; of a table of an engine, too.

    Whoever changes what a `Prepared` reads takes `prepare`, which refuses an engine's table.
    """
    engine = engine_of(given[kind.data])
    if engine is None:
        return prepare(kind, given)
    module, _, name = engine.rpartition(".")
    made: Prepared = getattr(import_module(module), name)(kind, given)
    return made


def engine_of(table: Any) -> str | None:
    """Return the name of what prepares a release of an engine's table; None for other tables.

    >>> engine_of([7, 9]) is None
    True
    """
    kind = type(table)
    return _ENGINES.get((kind.__module__, kind.__name__))


def run(kind: type[DataQuery], given: Given) -> Any:
    """Return the release of a call: `given` has all arguments of the public function."""
    return prepare_anywhere(kind, given).release(given["budget"], given["rng"])


def release(kind: type[DataQuery]) -> Callable[[_Function], _Function]:
    """Return a decorator for the public function that makes a query.

    Wrong arguments show its signature, and all wrappers of releases find its query.
    """

    def decorate(function: _Function) -> _Function:
        made = explain_arguments(function)
        RELEASES[made] = kind
        return made

    return decorate


def kind_of(function: Any) -> type[DataQuery]:
    """Return the kind of query that a release makes.

    Raises
    ------
    TypeError
        If `function` is no release.

    """
    kind = RELEASES.get(function) if callable(function) else None
    if kind is None:
        raise TypeError(
            "function must be a release of cydp, such as cydp.count or cydp.histogram, not "
            f"{getattr(function, '__name__', type(function).__name__)}"
        )
    return kind


def arguments_of(
    function: Any, args: Sequence[Any], kwargs: Mapping[str, Any], *, caller: str = "explain"
) -> dict[str, Any]:
    """Return the arguments of a call of a release by name, with its defaults, without the data.

    `caller` is the name of the function that has taken them, for an error.

    Raises
    ------
    TypeError
        If `function` is no release, or does not take these arguments.

    Examples
    --------
    >>> from cydp.releases import sum
    >>> arguments_of(sum, [(0, 5)], {"epsilon": 1})["bounds"]
    (0, 5)

    """
    left_out = (kind_of(function).data, *_NOT_GIVEN)
    shape = signature(function)
    own = shape.replace(
        parameters=[each for name, each in shape.parameters.items() if name not in left_out]
    )
    try:
        bound = own.bind(*args, **kwargs)
    except TypeError as error:
        raise TypeError(
            f"{error}: {caller} takes the arguments of {function.__name__} without "
            f"{', '.join(left_out)}"
        ) from None
    bound.apply_defaults()
    return dict(bound.arguments)
