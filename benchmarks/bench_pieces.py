"""Releases of a Parquet file, each in a process of its own: seconds, and peak memory."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import pytest

ROWS = (10**7, 4 * 10**7)  # how many more cost no memory
PERSONS = 10**5

RELEASE = """
import json, sys
from time import perf_counter
import duckdb
import cydp
from cydp._columns.tables import table_of_relation

def peak_of_memory():  # getrusage would tell the parent's peak
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM"))

file, call = sys.argv[1:]
table = table_of_relation(duckdb.read_parquet(file), repeatable=True)
cydp.sum([1.0], (0, 1), epsilon=1)
before, start = peak_of_memory(), perf_counter()
release = eval(call)
print(json.dumps([perf_counter() - start, before, peak_of_memory(), float(release)]))
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
    benchmark.group = f"{name} of a Parquet file"

    def release() -> None:
        for rows, file in files.items():
            done = subprocess.run(
                [sys.executable, "-c", RELEASE, file, CALLS[name]],
                capture_output=True, check=True, text=True,
            )  # fmt: skip
            seconds, before, peak, answer = json.loads(done.stdout)
            expected = 1 if name == "mean" else 3 * PERSONS if "users" in name else rows
            assert answer == pytest.approx(expected, rel=1e-3)
            benchmark.extra_info[f"{rows:.0e} rows"] = (
                f"{seconds:.2f} s, {peak / 1024:.0f} MiB at most, of which {before / 1024:.0f} "
                "before it began"
            )

    benchmark.pedantic(release, rounds=1)
