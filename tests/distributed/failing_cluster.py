"""Releases on a Spark of two executors, of which one dies: what it has counted is counted again.

test_spark_failures.py runs it, in a process of its own: python failing_cluster.py FILE FOLDER.
"""

from __future__ import annotations

import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")
import pyspark  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402

import cydp  # noqa: E402
from cydp.distributed import _spark  # noqa: E402
from cydp.testing import SeededGenerator  # noqa: E402

FILE, FOLDER = sys.argv[1:]
GIVEN = {"keys": ["a", "", "ü"], "sums": {"x": (-3, 5)}}
USERS: dict[str, Any] = {"user": "t", "max_partitions": 2}
BUILT = {
    "spark.ui.enabled": "false", "spark.executor.memory": "512m",
    "spark.sql.shuffle.partitions": "4", "spark.sql.adaptive.coalescePartitions.enabled": "false",
    "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
}  # fmt: skip
Task = Callable[[Iterator[Any]], Iterator[Any]]
COUNTERS = {each: getattr(_spark, each) for each in ("_counter", "_counter_of_users")}


def killing(task: Task, folder: Path) -> Task:
    """Return a task of which one, as it ends, kills its executor, where another has ended before.

    The folder gets a file for each task that ends. What it wrote is lost with its executor.
    """

    def killed(batches: Iterator[Any]) -> Iterator[Any]:
        context: Any = pyspark.TaskContext.get()
        rows = 0

        def noted() -> Iterator[Any]:
            nonlocal rows
            for batch in batches:
                rows += batch.num_rows
                yield batch

        yield from task(noted())
        if rows < 2:  # of nulls, before the charge
            return
        partition, attempt = context.partitionId(), context.taskAttemptId()
        if partition > 1 and not (folder / "killed").exists():
            (folder / "killed").touch()
            daemon = Path(f"/proc/{os.getppid()}/stat").read_text()
            executor = int(daemon.rpartition(")")[2].split()[1])
            assert b"CoarseGrainedExecutorBackend" in Path(f"/proc/{executor}/cmdline").read_bytes()
            os.kill(executor, signal.SIGKILL)
            return
        (folder / f"{partition} {attempt}").touch()

    return killed


def nothing(batches: Iterator[Any]) -> Iterator[Any]:
    yield from batches


def call(table: Any, users: dict[str, Any], **given: Any) -> Any:
    return cydp.group_by(table, "s", **GIVEN, **users, epsilon="1/2", **given)


def main() -> None:
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    built = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in BUILT.items():
        built = built.config(name, value)
    spark = built.getOrCreate()
    spark.sparkContext.setLogLevel("OFF")
    rows = spark.read.parquet(FILE).repartition(4, "t")
    for name, users, paid in product(["reading", "counting"], [{}, USERS], [False, True]):
        folder = Path(FOLDER, f"{name} {len(users)} {paid}")
        folder.mkdir()
        frame = rows
        if name == "reading":
            frame = rows.mapInArrow(killing(nothing, folder), rows.schema)
        else:
            for each, made in COUNTERS.items():
                dying = lambda *given, by=made, to=folder: killing(by(*given), to)  # noqa: E731
                setattr(_spark, each, dying)
        if paid:
            budget = cydp.PrivacyFilter(cydp.PureDP(1))
            call(frame, users, budget=budget)
            assert budget.spent == cydp.PureDP("1/2"), folder
        else:
            made, local = (call(each, users, rng=SeededGenerator(7)) for each in (frame, FILE))
            assert made.to_json() == local.to_json(), folder
        for each, made in COUNTERS.items():
            setattr(_spark, each, made)
        assert (folder / "killed").exists(), folder
        partitions = [each.name.split()[0] for each in folder.iterdir()]
        assert max(map(partitions.count, partitions)) > 1, folder
        print(folder.name, flush=True)
    print("equal")
    spark.stop()


main()
