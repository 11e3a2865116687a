"""What tests of engines share: the code of docs/cluster.md, and files of many generated tables."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import cydp
from cydp.distributed import PieceTally, Run, prepare
from cydp.testing import SeededGenerator

from .test_equality import CALLS, KEYS, is_ranked, table_of

PAGE = Path(__file__).parents[2] / "docs" / "cluster.md"
TABLES, FILES = 1000, 5
EPSILON = "1/10"


def write_tables(folder: Path) -> str:
    """Write many tables into one file: t is the number of each."""
    random = np.random.default_rng(7)
    made = [table_of(random) for _ in range(TABLES)]
    numbered = [
        table.set_column(4, "u", table["u"].cast(pa.string())).append_column(
            "t", pa.array([i] * len(table), pa.int64())
        )
        for i, table in enumerate(made)
    ]
    file = str(folder / "tables.parquet")
    pq.write_table(pa.concat_tables(numbered), file, row_group_size=100)
    return file


def in_files(file: str) -> str:
    """Write the rows into several files, of which one is empty, and return their folder."""
    rows, folder = pq.read_table(file), Path(file).with_name("files")
    folder.mkdir()
    places = np.random.default_rng(8).integers(0, FILES - 1, len(rows))
    for i in range(FILES):
        pq.write_table(rows.filter(pa.array(places == i)), folder / f"{i}.parquet")
    return str(folder)


def calls(users: bool) -> dict[str, tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]]:
    """Return releases, and one that counts each of the tables."""
    given: dict[str, Any] = {"sums": {"x": (-3, 5)}, "means": {"i": (-9, 9)}}
    given["keys"] = {"t": np.arange(TABLES), "s": np.array(KEYS["s"])}
    named = CALLS | {"each table": (cydp.group_by, (["t", "s"],), given, "max_partitions")}
    return {
        name: (function, args, own | ({"user": "u", bound: 3} if users else {}))
        for name, (function, args, own, bound) in named.items()
    }


def local_release(function: Callable[..., Any], table: Any, *args: Any, **given: Any) -> str:
    """Return the release as text; of quantiles, whose draws are others, that of one piece."""
    if is_ranked((function, args, given)):

        def whole(run: Run) -> list[PieceTally]:
            return [run.reader.tally(table, piece=0, pieces=1)]

        return release_in_pieces(whole, function, table, *args, **given)
    made = function(table, *args, epsilon=EPSILON, rng=SeededGenerator(7), **given)
    return str(made.to_json())


def release_in_pieces(
    tallies: Callable[[Run], Iterable[PieceTally]],
    function: Callable[..., Any],
    like: Any,
    *args: Any,
    **given: Any,
) -> str:
    """Return the release of the tallies of a run as text, with the draws of the local release."""
    plan = prepare(function, like, *args, epsilon=EPSILON, **given)
    run = plan.pay(None, rng=SeededGenerator(7))
    rng = SeededGenerator(7)
    if "user" in given:
        rng.bytes(16)  # the key of the run
    return str(run.release(tallies(run), rng=rng).to_json())


def code_of(section: str, folder: Path) -> str:
    """Return the code of a section of the page, whose files are in a folder; there are visits."""
    _, _, after = PAGE.read_text().partition(f"\n## {section}\n")
    blocks = after.partition("\n## ")[0].split("```py\n")[1:]
    visits = folder / "visits"
    visits.mkdir(parents=True)
    for i, shops in enumerate((["a", "b"], ["a", None])):
        rows = {"shop": shops, "euros": [7.5, None], "person": [1, 2 + i]}
        pq.write_table(pa.table(rows), visits / f"{i}.parquet")
    code = "".join(block.partition("```")[0] for block in blocks)
    return code.replace('"visits', f'"{visits}')


def killer(marker: Path) -> Callable[[Any], Any]:
    """Return a function that kills its process once, and else returns what it is given.

    Workers cannot import the tests: it is a closure, which is pickled itself.
    """
    file = str(marker)

    def die_once(given: Any) -> Any:
        try:
            os.close(os.open(file, os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            return given
        raise SystemExit(os.kill(os.getpid(), signal.SIGKILL))

    return die_once
