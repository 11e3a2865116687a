# SPDX-License-Identifier: MIT
"""Lazy frames of polars and datasets of pyarrow, whose columns share one execution.

docs/columns.md, "Tables".
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterable
from functools import partial
from typing import Any

from cydp._columns.arrow import import_nanoarrow
from cydp._columns.shared import SharedColumn, SharedRows, unread

__all__ = ["SharedDataset", "SharedLazyFrame", "guard_query", "is_dataset", "is_lazy_frame"]

_BATCH_ROWS = 2**18  # of a lazy frame: some batches are a piece
_LAZY = "the lazy frame", "call its collect()"
_DATASET = "the dataset", "call its to_table()"


class SharedLazyFrame(SharedRows):
    """A lazy frame of polars, which runs by its streaming engine.

    Parameters
    ----------
    frame : LazyFrame

    Raises
    ------
    TypeError
        If this version of polars does not read it in pieces.
    ValueError
        If its schema cannot be found.

    """

    __slots__ = ("_empty", "_frame")

    def __init__(self, frame: Any) -> None:
        super().__init__()
        if not hasattr(frame, "collect_batches"):
            raise TypeError(
                "a lazy frame needs polars 1.36 or later, which reads it in pieces: update polars, "
                "or call its collect()"
            )
        self._frame = frame
        # Without rows: the query does not run.
        words = _LAZY[0], "call its collect_schema()"
        self._empty = guard_query(lambda: frame.clear().collect(), *words)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._empty.columns)

    def _column(self, label: str, place: int) -> SharedColumn:
        na = import_nanoarrow(f"column {label!r}")
        column = self._empty.get_column(label)
        if column.dtype == sys.modules["polars"].Object:
            raise TypeError(
                f"column {label!r} must not be a polars column of Object, whose entries Arrow has "
                "as addresses: cast it"
            )
        return SharedColumn(self, place, schema=na.c_array_stream(column).get_schema())

    def _batches(self, part: tuple[str, int, int] | None = None) -> Generator[Any, None, None]:
        import nanoarrow

        # Names are no patterns.
        columns = sys.modules["polars"].selectors.by_name(*self._wanted)
        empty = self._empty.select(columns)
        self._schema = nanoarrow.c_array_stream(empty).get_schema()
        chosen = self._frame.select(columns)
        frames = partial(chosen.collect_batches, chunk_size=_BATCH_ROWS, engine="streaming")
        for frame in _guarded(frames, *_LAZY):
            if frame.schema != empty.schema:  # a function of the caller's may return anything
                raise ValueError("the lazy frame could not be read: it has not the types it said")
            yield from nanoarrow.c_array_stream(frame)

    def _count(self, watch: Callable[[int], object] | None) -> int:
        length = sys.modules["polars"].len()
        counted = self._frame.select(length)
        found = guard_query(lambda: counted.collect(engine="streaming").item(), *_LAZY)
        return int(found)


class SharedDataset(SharedRows):
    """A dataset of pyarrow.

    Parameters
    ----------
    dataset : pyarrow.dataset.Dataset

    """

    __slots__ = ("_dataset",)

    def __init__(self, dataset: Any) -> None:
        super().__init__()
        self._dataset = dataset

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self._dataset.schema.names)

    def _column(self, label: str, place: int) -> SharedColumn:
        import_nanoarrow(f"column {label!r}")
        return SharedColumn(self, place, schema=self._dataset.schema.field(label).type)

    def _batches(self, part: tuple[str, int, int] | None = None) -> Generator[Any, None, None]:
        import nanoarrow

        fields = [self._dataset.schema.field(label) for label in self._wanted]
        self._schema = nanoarrow.c_schema(sys.modules["pyarrow"].schema(fields))
        batches = partial(self._dataset.to_batches, columns=self._wanted)
        yield from map(nanoarrow.c_array, _guarded(batches, *_DATASET))

    def _count(self, watch: Callable[[int], object] | None) -> int:
        return int(guard_query(self._dataset.count_rows, *_DATASET))


def is_lazy_frame(x: Any) -> bool:
    """Whether x is a lazy frame of polars."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(x, polars.LazyFrame)


def is_dataset(x: Any) -> bool:
    """Whether x is a dataset of pyarrow."""
    datasets = sys.modules.get("pyarrow.dataset")
    return datasets is not None and isinstance(x, datasets.Dataset)


def _guarded(run: Callable[[], Iterable[Any]], *words: str) -> Generator[Any, None, None]:
    """Yield what a query yields; errors are as of `guard_query`."""
    batches = guard_query(lambda: iter(run()), *words)
    while (batch := guard_query(partial(next, batches, None), *words)) is not None:
        yield batch


def guard_query(call: Callable[[], Any], *words: str) -> Any:
    """Return the result of a call of a library; `unread` makes the error of a failure of words."""
    try:
        return call()
    except (MemoryError, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # a panic of polars is no Exception
        interrupted = _ended_by_interrupt(error)
    # An error that is raised above would have the library's as its context.
    if interrupted:
        raise KeyboardInterrupt
    raise unread(*words)


def _ended_by_interrupt(error: BaseException | None) -> bool:
    """Whether an error came up while a library cleaned up after Ctrl-C, as Spark's do."""
    while error is not None and not isinstance(error, KeyboardInterrupt):
        error = error.__context__
    return error is not None
