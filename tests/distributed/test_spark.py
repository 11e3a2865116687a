"""A DataFrame of Spark gives the local release of the same file, bit for bit, for one charge."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from refusals import check_refusals
from releases.test_one_way import CASES, of_users
from releases.test_one_way import TABLE as WHOLE

import cydp
from cydp.distributed import Reader
from cydp.distributed._plan import plan_of
from cydp.releases._run import arguments_of, kind_of, prepare_anywhere
from cydp.sampling import on_sample
from cydp.testing import SeededGenerator

from . import test_neighbours
from .engines import TABLES, write_tables
from .test_equality import CALLS, INF, KEYS, NAN, NOT_MERGED, is_ranked

pytest.importorskip("pyspark", reason="without pyspark")
if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
    pytest.skip("without Java", allow_module_level=True)
pytestmark = [
    pytest.mark.hosts,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]
ZONE = "America/New_York"
BUILT = {
    "spark.ui.enabled": "false", "spark.sql.shuffle.partitions": "5",
    "spark.sql.session.timeZone": ZONE, "spark.sql.execution.arrow.maxRecordsPerBatch": "64",
    "spark.sql.adaptive.coalescePartitions.enabled": "false",  # users are in five partitions
}  # fmt: skip


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    built = SparkSession.builder.master("local[2,3]")  # a task may fail twice
    for name, value in BUILT.items():
        built = built.config(name, value)
    session = built.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_tables(tmp_path_factory.mktemp("spark"))


def released(function: Callable[..., Any], table: Any, *args: Any, **given: Any) -> str:
    made = function(table, *args, epsilon="1/10", rng=SeededGenerator(7), **given)
    return str(made.to_json())


def released_of_pieces(function: Callable[..., Any], path: str, *args: Any, **given: Any) -> str:
    """Return a release of quantiles, which are drawn from counts of a grid, of one piece."""
    plan = cydp.distributed.prepare(function, path, *args, epsilon="1/10", **given)
    run, rng = plan.pay(None, rng=SeededGenerator(7)), SeededGenerator(7)
    tally = run.reader.tally(path, piece=0, pieces=1, users_in_one_piece=True)
    if "user" in given:
        rng.bytes(16)
    return str(run.release(tally, rng=rng).to_json())


def in_parts(frame: Any) -> Any:
    """Return a frame of seven partitions, of which some are empty."""
    return frame.repartition(7, "t").where("t != 3 or true")


@pytest.mark.parametrize("users", [False, True])
def test_a_frame_gives_the_local_release_of_the_file(spark: Any, path: str, users: bool) -> None:
    """The draws are the same, so equal releases have equal exact answers."""
    frame = in_parts(spark.read.parquet(path))
    for name, (function, args, own, bound) in CALLS.items():
        given = own | ({"user": "u", bound: 2} if users else {})
        compared = released_of_pieces if is_ranked(CALLS[name]) else released
        local = compared(function, path, *args, **given)
        assert released(function, frame, *args, **given) == local, name


@pytest.mark.parametrize("users", [False, True])
def test_each_of_many_tables_is_counted_as_locally(spark: Any, path: str, users: bool) -> None:
    """By the number of the table: one job for all of them."""
    given: dict[str, Any] = {"sums": {"x": (-3, 5)}, "means": {"i": (-9, 9)}}
    given["keys"] = {"t": np.arange(TABLES), "s": np.array(KEYS["s"])}
    given |= {"user": "u", "max_partitions": 3} if users else {}
    local = released(cydp.group_by, path, ["t", "s"], **given)
    frame = in_parts(spark.read.parquet(path))
    assert released(cydp.group_by, frame, ["t", "s"], **given) == local


def test_every_release_of_a_frame_is_the_local_one_or_refused(spark: Any, tmp_path: Path) -> None:
    file = str(tmp_path / "whole.parquet")
    pq.write_table(pa.table(WHOLE), file)
    frame = spark.read.parquet(file).repartition(3)
    for name, case in CASES.items():
        given = arguments_of(
            case.function, case.args, {"epsilon": 1, **case.given, **of_users(case)}
        )
        data = kind_of(case.function).data
        if not case.merges:
            with pytest.raises((TypeError, ValueError), match=NOT_MERGED):
                case.function(**{data: frame}, **given)
            continue
        one, two = (
            case.function(**{data: table}, **given, rng=SeededGenerator(7))
            for table in (frame, file)
        )
        assert one.to_json() == two.to_json(), name


TYPES: dict[str, tuple[Any, list[Any], list[Any]]] = {
    "b": (pa.bool_(), [True, None, False], [True, False]),
    "i8": (pa.int8(), [1, None, -7, 127], [1, 127]),
    "i64": (pa.int64(), [1, None, 2**62, -(2**63)], [-(2**63), 2**62]),
    "f32": (pa.float32(), [1.5, None, NAN, INF, 0.1, -0.0, 0.0], [1.5, 0.0]),
    "f64": (pa.float64(), [1.5, None, NAN, -INF, 0.1, -0.0, 0.0], [0.1, -INF, 0.0]),
    "d": (
        pa.decimal128(19, 2), [Decimal("1.25"), None, Decimal("-12345678901234567.89")],
        [Decimal("1.25"), Decimal("-12345678901234567.89")],
    ),
    "s": (pa.string(), ["a", "", None, "ü", "a\0"], ["a", "", "a\0"]),
    "bytes": (pa.binary(), [b"a", None, b"\xff\0"], [b"a", b"\xff\0"]),
    "day": (pa.date32(), [date(2024, 1, 1), None, date(1700, 1, 1)], [date(1700, 1, 1)]),
    "instant": (
        pa.timestamp("us", "UTC"), [datetime(2024, 1, 1, 3), None, datetime(1970, 1, 1)],
        ["2024-01-01T03:00:00Z"],
    ),
    "wall": (pa.timestamp("us"), [datetime(2024, 1, 1, 3), None], ["2024-01-01T03:00"]),
}  # fmt: skip


@pytest.fixture(scope="module")
def typed(tmp_path_factory: pytest.TempPathFactory) -> str:
    columns = {
        name: pa.array([values[i % len(values)] for i in range(60)], kind)
        for name, (kind, values, _) in TYPES.items()
    }
    nested = pa.array([{"a": 1}] * 60, pa.struct([("a", pa.int64())]))
    columns |= {"nested": nested, "list": pa.array([[1]] * 60), "person": pa.array([1, 2, 3] * 20)}
    file = tmp_path_factory.mktemp("spark") / "types.parquet"
    pq.write_table(pa.table(columns), file, row_group_size=16)
    return str(file)


def test_each_type_is_read_as_of_the_file(spark: Any, typed: str) -> None:
    frame = spark.read.parquet(typed).repartition(4)
    ends = [datetime(2023, 12, 30, tzinfo=UTC), datetime(2024, 1, 3, tzinfo=UTC)]
    calls: list[tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]] = [
        (cydp.histogram, ("1d", ends), {"column": "instant"}),
        (cydp.histogram, ("1d", ("2023-12-30", "2024-01-03")), {"column": "wall"}),
        (cydp.group_by, (cydp.date_trunc("day", "instant", "Europe/Vienna"),),
         {"keys": ["2024-01-01", "1970-01-01"]}),
    ]  # fmt: skip
    for name, (_, _, keys) in TYPES.items():
        calls.append((cydp.value_counts, (keys,), {"column": name, "user": "person"}))
        calls[-1][2]["max_partitions"] = 1
        if name != "b":
            calls.append((cydp.count, (), {"column": name, "user": name, "max_rows": 2}))
        if name in ("b", "i8", "i64", "f32", "f64", "d"):
            calls.append((cydp.sum, ((-100, 100),), {"column": name}))
    for function, args, given in calls:
        local = released(function, typed, *args, **given)
        assert released(function, frame, *args, **given) == local, (function, given)


def never(frame: Any) -> Any:
    """Return a frame that fails when it is read, with a value in the message of the failure."""
    return frame.selectExpr("assert_true(x > 1e9, 'secret 77') is null as y", "*").where("y")


def test_what_is_refused_is_refused_before_a_row_is_read(spark: Any, path: str, typed: str) -> None:
    frame, kinds = never(spark.read.parquet(path)), spark.read.parquet(typed)
    budget = cydp.PrivacyFilter(cydp.PureDP("1/2"))
    paid = {"epsilon": "1/4", "budget": budget}
    twice = frame.select("x", frame["i"].alias("x"), "s")
    stream = spark.readStream.format("rate").load()

    def call(function: Callable[..., Any], table: Any, *args: Any, **given: Any) -> Any:
        return lambda: function(table, *args, **paid | given)

    check_refusals(
        {
            "quantile": (call(cydp.median, frame, (0, 9), column="x"), ValueError, ("step must",)),
            "found": (
                call(cydp.value_counts, kinds, column="d", delta="1/9"), TypeError, ("declare it",)
            ),
            "text": (call(cydp.sum, frame, (0, 9), column="s"), TypeError, ("must hold numbers",)),
            "nested": (call(cydp.count, kinds, column="nested"), TypeError, ("Spark's struct",)),
            "list": (call(cydp.sum, kinds, (0, 1), column="list"), TypeError, ("Spark's array",)),
            "no column": (call(cydp.count, frame, column="z"), ValueError, ("which has",)),
            "twice": (call(cydp.count, twice, column="x"), ValueError, ("more than once",)),
            "itself": (call(cydp.count, frame, column=frame["x"]), TypeError, ("name a column",)),
            "list itself": (
                call(cydp.count, frame, column="x", user=[77], max_rows=1),
                TypeError, ("user must be given by name",),
            ),
            "stream": (call(cydp.count, stream), TypeError, ("not a stream",)),
            "sample": (
                lambda: on_sample(cydp.count, frame, share="1/2", **paid), TypeError, ("toArrow",),
            ),
            "budget": (
                call(cydp.count, frame, epsilon=1), cydp.BudgetExceededError, ("budget",),
            ),
        },
        never=("secret", "77"),
    )  # fmt: skip
    assert budget.spent == cydp.PureDP(0)


@pytest.mark.parametrize("name", ["count of users", "sum", "histogram", "group_by"])
def test_what_a_record_holds_changes_no_error_and_no_type(spark: Any, name: str) -> None:
    function, args, given = test_neighbours.CALLS[name]
    made = [
        function(
            spark.createDataFrame(test_neighbours.arrow(rows)), *args, **given, epsilon=1,
            rng=SeededGenerator(7),
        )
        for rows in test_neighbours.PIECES[2:]
    ]  # fmt: skip
    assert len({(repr(each.query), type(each)) for each in made}) == 1
    assert len({str(each.metadata) for each in made}) == 1


def test_the_page(spark: Any, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "distributed.md").read_text()
    _, _, block = page.partition("```py\n")
    rows = {"shop": ["a", "b"], "euros": [7.5, 90.0], "person": [1, 2]}
    pq.write_table(pa.table(rows), tmp_path / "visits")
    code = block.partition("```")[0].replace('"visits"', repr(str(tmp_path / "visits")))
    names = {"spark": spark, "cydp": cydp}
    exec(code, names)
    budget: Any = names["budget"]
    assert budget.remaining == cydp.PureDP(0)


def test_a_query_that_fails_shows_no_value(spark: Any, path: str) -> None:
    frame = never(spark.read.parquet(path))
    for given in ({}, {"user": "u", "max_rows": 1}):
        budget = cydp.PrivacyFilter(cydp.PureDP(1))
        with pytest.raises(ValueError, match="the DataFrame could not be read") as error:
            cydp.count(frame, epsilon="1/2", budget=budget, **given)
        assert "77" not in str(error.value)
        assert error.value.__cause__ is None
        assert error.value.__context__ is None
        assert budget.spent == cydp.PureDP("1/2")


def test_a_task_that_fails_once_is_counted_once(spark: Any, path: str) -> None:
    frame = spark.read.parquet(path).repartition(3)

    def flaky(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        context: Any = TaskContext.get()
        for batch in batches:
            yield batch
            if context.attemptNumber() == 0 and context.partitionId() < 2:
                raise OSError("a worker was lost")

    failing = frame.mapInArrow(flaky, frame.schema)
    for given in ({}, {"user": "u", "max_rows": 2}):
        budget = cydp.PrivacyFilter(cydp.PureDP(1))
        local = released(cydp.count, path, column="x", **given)
        assert released(cydp.count, failing, column="x", **given) == local
        cydp.count(failing, column="x", epsilon="1/3", budget=budget, **given)
        assert budget.spent == cydp.PureDP("1/3")


def test_a_ledger_pays_once_and_records(spark: Any, path: str, tmp_path: Path) -> None:
    frame, given = spark.read.parquet(path), {"keys": KEYS["s"], "column": "s", "epsilon": 1}
    with cydp.BudgetLedger.create(
        str(tmp_path / "rows"), cydp.PureDP(3), privacy_unit="row"
    ) as ledger:
        first = cydp.value_counts(frame, **given, budget=ledger.scope(charge_id="a"))
        again = cydp.value_counts(never(frame), **given, budget=ledger.scope(charge_id="a"))
        assert again.to_json() == first.to_json()
        assert ledger.spent == cydp.PureDP(1)
    with cydp.BudgetLedger.create(
        str(tmp_path / "blocks"), cydp.PureDP(3), privacy_unit="row", by_block=True,
        block_column="t",
    ) as ledger:  # fmt: skip
        ledger.add_blocks(["1"])
        blocks = ledger.scope(blocks=["1"])
        with pytest.raises(TypeError, match="table_in_blocks=True"):
            cydp.value_counts(never(frame), **given, budget=blocks)
        promised = ledger.scope(blocks=["1"], table_in_blocks=True)
        cydp.value_counts(frame.where("t = 1"), **given, budget=promised)
        assert promised.spent == cydp.PureDP(1)
    session = cydp.Session(frame, cydp.PrivacyFilter(cydp.PureDP(1)))
    one, two = (session.count(column="x", epsilon="1/2") for _ in range(2))
    assert one is two
    assert session.spent == cydp.PureDP("1/2")


def test_a_budget_in_zcdp_chooses_the_noise(spark: Any, path: str) -> None:
    given: dict[str, Any] = {"column": "x", "epsilon": 1, "delta": "1/1000000"}
    made = [
        cydp.count(table, **given, budget=cydp.PrivacyFilter(cydp.ZCDP(1, relation="add-remove")))
        for table in (path, spark.read.parquet(path))
    ]
    assert made[0].query == made[1].query
    assert "Gaussian" in made[1].query.mechanism_name


def test_frames_without_rows_and_names_of_any_letters(spark: Any, path: str) -> None:
    empty = spark.createDataFrame([], "x double, u long")
    late = spark.read.parquet(path).where("t < 0").groupBy("u").count()  # found out as it runs
    fixed = spark.read.parquet(path).selectExpr("x", "7 as u")
    none = {"x": np.zeros(0), "u": np.zeros(0, np.int64)}
    users = {"user": "u", "max_rows": 1}
    for table, given in ((empty, {}), (empty, users), (late, {}), (late, users)):
        assert released(cydp.count, table, **given) == released(
            cydp.count, none, column="x", **given
        ), given
    assert released(cydp.count, fixed, **users) == released(
        cydp.count, {"x": [1.0], "u": [7]}, column="x", **users
    )
    odd = spark.read.parquet(path).selectExpr("x as `a.``b'`", "u as `u.`")
    given = {"column": "a.`b'", "user": "u.", "max_rows": 2}
    local = pq.read_table(path).select(["x", "u"]).rename_columns(["a.`b'", "u."])
    assert released(cydp.count, odd, **given) == released(cydp.count, local, **given)


def test_workers_of_another_version_are_noticed_before_the_charge(
    spark: Any, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def planned(*args: Any) -> Any:
        plan, made = plan_of(*args)
        return replace(plan, _version="9.9"), made

    monkeypatch.setattr("cydp.distributed._spark.plan_of", planned)
    budget = cydp.PrivacyFilter(cydp.PureDP(1))
    with pytest.raises(ValueError, match="workers of Spark must have cydp"):
        cydp.count(spark.read.parquet(path), epsilon=1, budget=budget)
    assert budget.spent == cydp.PureDP(0)


def test_a_frame_says_the_types_of_pieces(spark: Any, path: str) -> None:
    frame = never(spark.read.parquet(path))
    plans = [
        cydp.distributed.prepare(
            cydp.sum, like, (0, 9), column="x", user="u", max_rows=1, epsilon=1
        )
        for like in (frame, pq.read_schema(path))
    ]
    assert plans[0].fingerprint == plans[1].fingerprint


def test_pyarrow_is_asked_for_before_the_charge(
    spark: Any, path: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame, budget = spark.read.parquet(path), cydp.PrivacyFilter(cydp.PureDP(1))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match="a DataFrame of Spark needs pyarrow"):
        cydp.count(frame, epsilon=1, budget=budget)
    assert budget.spent == cydp.PureDP(0)


class Summed:
    """A frame, of which these pieces came."""

    def __init__(self, reader: Reader, pieces: list[int]) -> None:
        most = 2**31 - 1
        made = [
            reader.tally(pa.table({"x": [1.0]}), piece=i, pieces=most).to_arrow() for i in pieces
        ]
        sums = pa.concat_tables(made).group_by("key").aggregate([("low", "sum"), ("high", "sum")])
        self._sums = sums.rename_columns([each.removesuffix("_sum") for each in sums.column_names])

    def mapInArrow(self, *_: Any) -> Any:  # noqa: N802
        return self

    groupBy = agg = mapInArrow  # noqa: N815

    def toArrow(self) -> Any:  # noqa: N802
        return self._sums


def test_a_partition_that_is_missing_or_there_twice_is_refused(spark: Any, path: str) -> None:
    made: Any = prepare_anywhere(
        kind_of(cydp.count),
        arguments_of(cydp.count, [], {"column": "x", "epsilon": 1})
        | {"x": spark.read.parquet(path)},
    )
    reader = Reader(made.plan, 0, bytes(16))
    assert made._sums(Summed(reader, [1, 0, 2]), reader).done == {0, 1, 2}
    for pieces in ([0, 2], [1], [0, 1, 1]):
        with pytest.raises(ValueError, match=r"missing|twice"):
            made._sums(Summed(reader, pieces), reader)


CONNECTED = """
import sys
import warnings

warnings.simplefilter("ignore")
import cydp
from cydp.testing import SeededGenerator
from pyspark.sql import SparkSession

spark = SparkSession.builder.remote("local[2]").getOrCreate()
path = sys.argv[1]
for given in ({}, {"user": "u", "max_rows": 2}):
    made = [
        cydp.sum(table, (0, 5), column="x", epsilon=1, rng=SeededGenerator(7), **given).to_json()
        for table in (path, spark.read.parquet(path))
    ]
    assert made[0] == made[1], given
print("equal")
"""


def test_over_spark_connect(path: str) -> None:
    pytest.importorskip("grpc", reason="without grpcio")
    found = subprocess.run(
        [sys.executable, "-c", CONNECTED, path],
        capture_output=True, text=True, env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )  # fmt: skip
    assert found.stdout.strip().endswith("equal"), found.stderr[-2000:]
