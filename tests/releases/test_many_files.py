"""Parquet files of one table, which threads of DuckDB read while rows are counted."""

from __future__ import annotations

import gc
import os
import signal
import time
import weakref
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import duckdb
import pytest

import cydp
from cydp import _threads
from cydp._columns import shared
from cydp._columns.file_columns import SharedFile
from cydp._columns.file_errors import FileError
from cydp._columns.files import Format, connect, open_data
from cydp.sampling import on_sample
from cydp.testing import SeededGenerator

FILES, ROWS = 3, 300_000
GROUPS = range(50)
SUMS = {"sums": {"x": (0, 100)}, "epsilon": 1}
CALLS: dict[str, Callable[..., Any]] = {
    "group_by": lambda table, rng: cydp.group_by(table, "k", keys=GROUPS, rng=rng, **SUMS),
    "group_by, user": lambda table, rng: cydp.group_by(
        table, "k", keys=GROUPS, user="u", max_partitions=2, rng=rng, **SUMS
    ),
    "sample": lambda table, rng: (
        on_sample(cydp.sum, table, (0, 100), column="x", share="1/3", epsilon=1, rng=rng).release
    ),
    "quantile": lambda table, rng: cydp.quantile(
        table, 0.3, (0, 100), column="x", epsilon=1, rng=rng
    ),
}


def write(folder: Path, x: str = "hash(i) % 1001 / 10") -> str:
    """Write files of rows of users, which lie in all files, and return their glob."""
    for i in range(FILES):
        duckdb.execute(
            f"""copy (select hash(i, 1) % 60 as k, hash(i, 2) % 9000 as u, {x} as x
            from range({i * ROWS}, {(i + 1) * ROWS}) t(i)) to '{folder}/{i}.parquet'"""
        )
    return f"{folder}/*.parquet"


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write(tmp_path_factory.mktemp("files"))


def threads() -> set[str]:
    """Return the threads of this process."""
    gc.collect()  # of tests before: a connection has threads as long as it is open
    return set(os.listdir("/proc/self/task"))


def none_is_left(before: set[str]) -> bool:
    """Whether no thread is new: one that was joined may be listed for a moment."""
    return any(threads() <= before or time.sleep(0.02) for _ in range(500))


on_linux = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="no /proc")


@pytest.mark.parametrize("name", CALLS)
def test_threads_change_no_answer(name: str, files: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor the order of rows, by which they are sampled, and by which some of a user's stay.

    A single thread hands rows over in other batches, so a seeded sample is another one.
    """
    monkeypatch.setattr(shared, "_USER_ROWS", ROWS)
    seen = set()
    for number in (2, 3, 5) if name == "sample" else (1, 2, 5):
        monkeypatch.setattr(_threads, "NUM_THREADS", number)
        assert connect().sql("select current_setting('threads')").fetchall() == [(min(number, 4),)]
        generator = SeededGenerator(5)
        seen.add((CALLS[name](files, generator).to_json(), generator.bytes(8)))
    assert len(seen) == 1


@on_linux
def test_no_thread_is_left_by_an_error_or_an_interruption(
    tmp_path: Path, files: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_threads, "NUM_THREADS", 4)
    broken = write(tmp_path)
    content = bytearray(Path(tmp_path, "1.parquet").read_bytes())
    pages = slice(4, len(content) - 2000)  # not its footer
    content[pages] = (pages.stop - pages.start) * b"S"
    Path(tmp_path, "1.parquet").write_bytes(content)
    before = threads()
    CALLS["group_by"](files, None)
    assert none_is_left(before)
    for name in CALLS:
        budget = cydp.PrivacyFilter(cydp.PureDP(1))
        with pytest.raises(ValueError, match=r"\*\.parquet' could not be read: ") as caught:
            cydp.sum(broken, (0, 1), column="x", epsilon=1, budget=budget)
        assert budget.spent == cydp.PureDP(1)
        with pytest.raises(ValueError, match=r"\*\.parquet' could not be read: ") as caught:
            CALLS[name](broken, None)
        assert caught.value.__context__ is None
        del caught
        assert none_is_left(before)

    read = SharedFile.pieces

    def interrupt(self: SharedFile, users: int | None = None) -> Generator[SharedFile, None, None]:
        for piece in read(
            self, users
        ):  # of which there may be one: batches are joined as they come
            yield piece
            signal.raise_signal(signal.SIGINT)

    monkeypatch.setattr(shared, "_USER_ROWS", ROWS)
    monkeypatch.setattr(SharedFile, "pieces", interrupt)
    # Which a shell lets programs ignore that it starts in the background.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        for name in ("group_by", "group_by, user", "sample"):
            with pytest.raises(KeyboardInterrupt) as stopped:
                CALLS[name](files, None)
            del stopped
            assert none_is_left(before)
    finally:
        signal.signal(signal.SIGINT, handler)


def test_a_query_that_was_interrupted_is_no_query_that_failed(
    files: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """DuckDB raises errors of its own after Ctrl-C; a value in a message is none of them."""

    def stream(error: Exception) -> Callable[..., Any]:
        def fail(*_: Any) -> Any:
            raise error

        return fail

    for text in ("Query interrupted", "INTERRUPT Error: Interrupted!"):
        monkeypatch.setattr("nanoarrow.c_array_stream", stream(RuntimeError(text)))
        with pytest.raises(KeyboardInterrupt) as stopped:
            cydp.sum(files, (0, 1), column="x", epsilon=1)
        assert stopped.value.__context__ is None
    failed = duckdb.ConversionException("Conversion Error: 'Query interrupted' is no number")
    monkeypatch.setattr("nanoarrow.c_array_stream", stream(failed))
    with pytest.raises(BaseException, match="could not be read") as told:
        cydp.sum(files, (0, 1), column="x", epsilon=1)
    assert type(told.value) is ValueError
    monkeypatch.undo()
    opened = open_data(files, Format())
    with pytest.raises(KeyboardInterrupt):
        opened._ask(stream(RuntimeError("Query interrupted")))
    with pytest.raises(FileError):
        opened._ask(stream(failed))


def test_long_text_in_each_row_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread holds the text of a row group."""
    monkeypatch.setattr(_threads, "NUM_THREADS", 4)
    file = tmp_path / "t.parquet"
    text = "repeat(md5((i % 1000)::varchar), 8) || md5(i::varchar)"
    duckdb.execute(f"copy (select {text} as s from range(500_000) t(i)) to '{file}'")
    made = cydp.value_counts(file, ["a", "b"], column="s", epsilon=10**4)
    assert made.counts.tolist() == [0, 0]


class Held:
    """A batch, of which it is known when it is forgotten."""

    def __init__(self, batch: Any) -> None:
        self._batch = batch

    def __len__(self) -> int:
        return len(self._batch)

    def child(self, i: int) -> Any:
        return self._batch.child(i)


@pytest.mark.parametrize("user", [None, "u"])
def test_memory_holds_a_piece_however_many_rows_there_are(
    user: str | None, files: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "_USER_ROWS", ROWS // 2)
    alive, most, run = 0, 0, SharedFile._run

    def freed(rows: int) -> None:
        nonlocal alive
        alive -= rows

    def watch(self: SharedFile, relation: Any) -> Generator[Any, None, None]:
        nonlocal alive, most
        for batch in run(self, relation):
            alive += len(batch)
            most = max(most, alive)
            held = Held(batch)
            weakref.finalize(held, freed, len(batch))
            yield held

    monkeypatch.setattr(SharedFile, "_run", watch)
    bounds = {} if user is None else {"user": user, "max_rows": 3}
    cydp.sum(files, (0, 100), column="x", epsilon=1, **bounds)
    assert alive == 0
    # The batch that is counted, and the next one; or a sixth of all rows, those of some users.
    assert most <= 2**18


def test_a_null_or_a_nan_changes_no_piece(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, seen = SharedFile.pieces, []

    def count(self: SharedFile, users: int | None = None) -> Generator[SharedFile, None, None]:
        for piece in read(self, users):
            seen[-1].append(sum(len(array) for array in piece.read(0)[1]))
            yield piece

    monkeypatch.setattr(SharedFile, "pieces", count)
    for x in (
        "1.5",
        "case i when 7 then null else 1.5 end",
        "case i when 7 then 'nan'::double else 1.5 end",
    ):
        seen.append([])
        table = write(tmp_path_factory.mktemp("files"), f"({x})::double")
        assert cydp.group_by(table, "k", keys=GROUPS, **SUMS)["sum_x"].dtype == "float64"
    assert len(seen[0]) > FILES
    assert seen[1:] == [seen[0]] * 2
