# SPDX-License-Identifier: MIT
"""A Spark DataFrame as the table of a release: its tasks count, the driver pays and draws.

docs/distributed.md, "Spark".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Generator as Generated
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from cydp._columns.lazy import guard_query
from cydp._columns.masks import both_present
from cydp._columns.shared import SharedColumn, SharedRows
from cydp._columns.table import Table
from cydp._extras import import_extra
from cydp._generator import Generator
from cydp._version import __version__
from cydp.distributed._bundles import PIECE, bundle, joined, unbundle
from cydp.distributed._piece_tally import PieceTally, add_up
from cydp.distributed._plan import ReleasePlan, plan_of
from cydp.distributed._reader import MOST_PIECES, Reader
from cydp.exact._contributions import sample_key
from cydp.releases._query import DataQuery, Given
from cydp.releases._run import Prepared

__all__ = ["prepare"]

_TAKEN = frozenset([
    "binary", "boolean", "byte", "char", "date", "decimal", "double", "float", "integer", "long",
    "short", "string", "timestamp", "timestamp_ntz", "varchar",
])  # fmt: skip
_OUTPUT = "key {}, low bigint, high bigint"
_BUNDLES = "piece int, rows binary"
_TASKS = 200  # where Spark chooses the number of partitions of a shuffle
_PIECES_OF_TASK, _MOST_PIECES = 8, 2**16  # of users
_BATCH_BYTES = 2**28  # of bundles that Spark hands to a task at a time
_MOST_RECORDS = 2**20  # where it is not said how many these are
_NUMBER = 0  # of a run: tallies never leave its job
_UNREAD = "the DataFrame", "call its write.format('noop').mode('overwrite').save()"


_Task: TypeAlias = Callable[[Iterator[Any]], Iterator[Any]]
"""What a task does with its record batches."""


class SharedBatches(SharedRows):
    """The rows of a DataFrame: on the driver its types, in a task its record batches.

    Parameters
    ----------
    names : sequence of str
        Of the columns; some may be there twice.
    types : mapping
        By name, the type of Arrow; or the name of a type of Spark that is not read.
    batches : iterable of pyarrow.RecordBatch

    """

    __slots__ = ("_given", "_names", "_types")

    def __init__(
        self, names: Iterable[str], types: Mapping[str, Any], batches: Iterable[Any] = ()
    ) -> None:
        super().__init__()
        self._names, self._types, self._given = tuple(names), types, batches

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return self._names

    @property
    def wanted(self) -> tuple[str, ...]:
        """The names of the columns that were asked for."""
        return tuple(self._wanted)

    def table(self, name: str) -> Table:
        """Return the rows as a table that releases take."""
        return Table(name, self.names, None, lambda i: self.column(self.names[i]), rows=self)

    def _column(self, label: str, place: int) -> SharedColumn:
        kind = self._types[label]
        if isinstance(kind, str):
            raise TypeError(
                f"column {label!r} must hold numbers, texts, bytes, dates or times, not Spark's "
                f"{kind}: select a part of it, or cast it"
            )
        return SharedColumn(self, place, schema=kind)

    def _batches(self, part: tuple[str, int, int] | None = None) -> Generated[Any, None, None]:
        import nanoarrow

        pa = import_extra("pyarrow", "a DataFrame of Spark")
        schema = pa.schema([(label, self._types[label]) for label in self._wanted])
        self._schema = nanoarrow.c_schema(schema)
        places = [self._names.index(label) for label in self._wanted]  # Spark's names are numbers
        said = list(map(_without_zone, schema.types))
        for batch in self._given:
            chosen = batch.select(places)
            if list(map(_without_zone, chosen.schema.types)) != said:
                raise ValueError("the DataFrame could not be read: it has not the types it said")
            yield nanoarrow.c_array(chosen)

    def _count(self, watch: Callable[[int], object] | None) -> int:
        return sum(batch.num_rows for batch in self._given)


@dataclass(slots=True, repr=False, eq=False)
class SparkRelease(Prepared):
    """A release of a DataFrame that was checked, and neither paid for nor read.

    Attributes
    ----------
    plan : ReleasePlan
    frame : DataFrame
        The columns that the release reads, under their numbers.
    types : mapping of str to pyarrow.DataType
        Of these columns, by their names.

    """

    plan: ReleasePlan
    frame: Any
    types: Mapping[str, Any]

    def check(self) -> None:
        """Raise a ValueError, before the charge, if workers cannot count a row of nulls."""
        fields = [(each.name, each.dataType) for each in self.frame.schema]
        nulls = _nulls(self.frame.sparkSession.range(0, 1, 1, 1), fields)
        try:
            self._sums(nulls, Reader(self.plan, _NUMBER, bytes(16)))
        except Exception as error:
            raise ValueError(
                f"the workers of Spark must have cydp {__version__} and pyarrow, and the types of "
                "the driver: they could not count a row of nulls"
            ) from error

    def draw(self, generator: Generator) -> Any:
        """Let the tasks count, add up, and return what may be published."""
        key = sample_key(self.source.users, generator)
        reader = Reader(self.plan, _NUMBER, bytes(16) if key is None else key.tobytes())
        tally = guard_query(lambda: self._sums(self.frame, reader), *_UNREAD)
        _, exact = add_up([tally], self.plan._outline, self.query)
        return self.query.draw(exact, generator)

    def _sums(self, frame: Any, reader: Reader) -> PieceTally:
        """Return the tally of a frame; each task counts its partition.

        Raises
        ------
        ValueError
            If a piece was counted twice, or a partition is missing before the last one that came.

        """
        from pyspark.sql import functions

        counter, pieces = _counter(reader, self.types), MOST_PIECES
        if of_users := self.source.users is not None:
            pieces, nbytes = _sizes(frame.sparkSession)
            placer = _placer(reader, self.types, pieces, nbytes)
            frame = frame.mapInArrow(placer, _BUNDLES).repartition(PIECE)
            counter = _counter_of_users(reader, self.types, pieces)
        sums = [functions.sum(name).alias(name) for name in ("low", "high")]
        key = "bigint" if self.plan._outline.kinds is None else "binary"
        tallies = frame.mapInArrow(counter, _OUTPUT.format(key))
        table = tallies.groupBy("key").agg(*sums).toArrow()
        tally = reader.from_arrow(table, pieces=pieces)
        if of_users:
            return tally
        if tally.done != frozenset(range(len(tally.done))):
            raise ValueError("partitions of the DataFrame are missing")
        return tally


def prepare(kind: type[DataQuery], given: Given) -> SparkRelease:
    """Return the release of a call whose table is a DataFrame, checked. No row is read.

    Raises
    ------
    TypeError, ValueError
        As for any other table; for releases that do not add up over pieces, and for a stream.
    ImportError
        If pyarrow is missing.

    """
    import_extra("pyarrow", "a DataFrame of Spark")
    frame = given[kind.data]
    if frame.isStreaming:
        raise TypeError(f"{kind.data} must be a DataFrame that has an end, not a stream")
    types = _types_of(frame)
    rows = SharedBatches(frame.columns, types)
    others = {each: given[each] for each in given if each not in (kind.data, "budget", "rng")}
    plan, made = plan_of(kind, others, rows.table(kind.data), given.get("budget"))
    wanted = rows.wanted
    chosen, read = _chosen(frame, wanted), {name: types[name] for name in wanted}
    return SparkRelease(made.query, made.source, plan, chosen, read)


def _counter(reader: Reader, types: Mapping[str, Any]) -> _Task:
    """Return how a task counts the record batches of its partition, which is a piece."""

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        table = SharedBatches(types, types, batches).table(reader.plan.query.data)
        tally = reader.tally(table, piece=context.partitionId(), pieces=MOST_PIECES)
        yield from tally.to_arrow().to_batches()

    return count


def _counter_of_users(reader: Reader, types: Mapping[str, Any], pieces: int) -> _Task:
    """Return how a task counts a partition of some pieces, in each of which users are whole."""

    def count(batches: Iterator[Any]) -> Iterator[Any]:
        done = set[int]()
        rows = unbundle(batches, types.values(), done)
        table = SharedBatches(types, types, rows).table(reader.plan.query.data)
        tally = reader.tally(table, piece=0, pieces=pieces, users_in_one_piece=True)
        yield from replace(tally, done=frozenset(done)).to_arrow().to_batches()

    return count


def _placer(reader: Reader, types: Mapping[str, Any], pieces: int, nbytes: int) -> _Task:
    """Return what bundles the rows of each piece, and leaves out rows that cannot count."""

    def place(batches: Iterator[Any]) -> Iterator[Any]:
        pa = import_extra("pyarrow", "a DataFrame of Spark")
        data = reader.plan.query.data
        for rows in joined(batches):
            held = rows.to_batches()
            users, all_columns = (SharedBatches(types, types, held).table(data) for _ in range(2))
            places, present = reader._places_of(users, pieces)
            goes_on = both_present(present, reader._may_count(all_columns))
            if goes_on is not None:
                rows, places = rows.filter(pa.array(goes_on)), places[goes_on]
            yield bundle(rows, places, nbytes)

    return place


def _sizes(session: Any) -> tuple[int, int]:
    """Return how many pieces users are in, and how large a bundle may be: from public settings.

    There are several pieces for each task, so that tasks have about as many rows. What Spark hands
    to a task at a time is not larger than an array of Arrow may be.
    """
    partitions = session.conf.get("spark.sql.shuffle.partitions")
    records = session.conf.get("spark.sql.execution.arrow.maxRecordsPerBatch")
    tasks = int(partitions) if str(partitions).isdecimal() else _TASKS
    rows = int(records) if str(records).isdecimal() and int(records) else _MOST_RECORDS
    return min(_PIECES_OF_TASK * max(tasks, 1), _MOST_PIECES), max(_BATCH_BYTES // rows, 1)


def _types_of(frame: Any) -> dict[str, Any]:
    """Return the types of columns, by name: those of Arrow, as Spark makes it of its schema.

    The frame is asked for its schema alone: Spark may compute some rows while it plans a query.
    """
    fields = [(str(i), field.dataType) for i, field in enumerate(frame.schema)]
    taken = [field for field in fields if field[1].typeName() in _TAKEN]
    empty = _nulls(frame.sparkSession.range(0), taken or [("0", "int")]).toArrow()
    found = {name: empty.schema.field(name).type for name, _ in taken}
    return {
        label: found.get(name, kind.typeName())
        for label, (name, kind) in zip(frame.columns, fields, strict=True)
    }


def _nulls(frame: Any, fields: Iterable[tuple[str, Any]]) -> Any:
    """Return as many rows as a frame has, of nulls of these types."""
    from pyspark.sql.functions import lit

    return frame.select(*(lit(None).cast(kind).alias(name) for name, kind in fields))


def _chosen(frame: Any, names: Iterable[str]) -> Any:
    """Return these columns of a frame, named by numbers from 0 on: names may have any letters."""
    from pyspark.sql.functions import col, lit

    labels = frame.columns
    placed = frame.toDF(*map(str, range(len(labels))))
    chosen = [col(str(labels.index(name))).alias(str(i)) for i, name in enumerate(names)]
    return placed.select(*(chosen or [lit(True).alias("0")]))


def _without_zone(kind: Any) -> str:
    """Return the name of a type of Arrow: tasks have times in the zone of the session.

    >>> _without_zone("timestamp[us, tz=UTC]"), _without_zone("int64")
    ('timestamp[us, ', 'int64')
    """
    return str(kind).partition("tz=")[0]
