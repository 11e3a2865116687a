"""Releases of Parquet files: each in a process of its own, and beside DuckDB's group by."""

from pathlib import Path
from typing import Any

import pytest
from harness import growth, in_turn
from harness.processes import run
from harness.sizes import size

import cydp
from cydp import _threads

duckdb = pytest.importorskip("duckdb")

ROWS = [size(n) for n in (5 * 10**6, 10**7, 2 * 10**7, 4 * 10**7)]  # from two pieces on
PERSONS = size(10**5)

RELEASE = """
import duckdb
import cydp
from cydp._columns.stored_tables import table_of_relation

file, call = sys.argv[1:]
table = table_of_relation(duckdb.read_parquet(file), repeatable=True)
cydp.sum([1.0], (0, 1), epsilon=1)
before, cpu, start = peak(), process_time(), perf_counter()
release = eval(call)
answer(wall=perf_counter() - start, cpu=process_time() - cpu, before=before, peak=peak(),
       value=float(release))
"""
USER = "user='person', max_rows=3, epsilon=1000"
CALLS = {
    "count": "cydp.count(table, epsilon=1)",
    "sum": "cydp.sum(table, (0, 1), column='income', epsilon=1000)",
    "mean": "cydp.mean(table, (0, 1), column='income', epsilon=1000)",
    "histogram": "cydp.histogram(table, 10, (0, 100), column='age', epsilon=1000).counts.sum()",
    "group_by": "cydp.group_by(table, 'day', keys=[*range(366)], sums={'income': (0, 1)}, "
    "epsilon=1000)['n'].sum()",
    "sum, users": f"cydp.sum(table, (0, 1), column='income', {USER})",
}


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Return files of as many rows, in which each person has the same number of rows."""
    folder = tmp_path_factory.mktemp("pieces")
    for rows in ROWS:
        duckdb.execute(
            f"""copy (select (i % 100)::double as age, 1.0::double as income,
            i % {PERSONS} as person, (i % 366)::int as day from range({rows}) t(i))
            to '{folder}/{rows}.parquet'"""
        )
    return {rows: folder / f"{rows}.parquet" for rows in ROWS}


@pytest.mark.parametrize("name", CALLS)
def bench_file(benchmark: Any, files: dict[int, Path], name: str) -> None:
    benchmark.group = f"pieces: {name}, a Parquet file of 5 * 10^6 to 4 * 10^7 rows"
    points: list[dict[str, Any]] = []

    def release() -> None:
        for rows, file in files.items():
            found = run(RELEASE, file, CALLS[name])
            expected = 1 if name == "mean" else 3 * PERSONS if "users" in name else rows
            assert found["value"] == pytest.approx(expected, abs=0.001 * expected + 60)
            seconds = 3 * [found["wall"]]  # of one turn
            rise = None if found["before"] is None else found["peak"] - found["before"]
            points.append({"x": rows, "seconds": seconds, "cpu": found["cpu"], "peak": rise})
            if rise is not None:
                most = round(found["peak"] / 2**20)
                benchmark.extra_info[f"MiB of the process, {rows:,} rows"] = most

    benchmark.pedantic(release, rounds=1)
    benchmark.extra_info["curve"] = {
        "work": f"{name} of a Parquet file",
        "axis": "rows",
        "unit": "rows",
        "points": points,
        "slope": growth.exponent(points),
        "memory_slope": growth.memory_exponent(points),
    }


def bench_many_files(benchmark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    benchmark.group = "two threads: counts and sums by key of 10^8 rows in 100 Parquet files"
    monkeypatch.setattr(_threads, "NUM_THREADS", 2)
    rows = size(10**8) // 100
    for i in range(100):
        duckdb.execute(
            f"""copy (select (hash(i) % 1000)::smallint as key, (i % 1000 / 10)::double as value
            from range({i * rows}, {(i + 1) * rows}) t(i)) to '{tmp_path}/{i}.parquet'"""
        )
    files = f"{tmp_path}/*.parquet"
    query = f"select count(*), sum(value) from '{files}' group by key order by key"
    connection = duckdb.connect(config={"threads": 2})
    answers = in_turn.measure(
        benchmark,
        {
            "cydp": lambda: cydp.group_by(
                files, "key", keys=range(1000), sums={"value": (0, 100)}, epsilon=1000
            ),
            "DuckDB": lambda: connection.execute(query).fetchall(),
        },
        threads=2,
    )
    counts, sums = zip(*answers["DuckDB"], strict=True)
    assert answers["cydp"]["n"].tolist() == pytest.approx(counts, abs=1)
    assert answers["cydp"]["sum_value"].tolist() == pytest.approx(sums, abs=10)
