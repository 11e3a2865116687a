"""Every command against the library, with the same generator."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from cli.commands import PUMS, WEEK, Run, parquet, refused

import cydp
from cydp.cli._messages import in_options, json_in_options
from cydp.releases import _run
from cydp.testing import SeededGenerator

EUROS = {"Money spent (euros)": (0, 50)}
BY_DAY = ["group-by", WEEK, "--by", "Day", "--user", "VisitorId", "--max-partitions", "2"]
DAYS = list(range(1, 8))
ALL_DAYS = ",".join(map(str, DAYS))


def seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let releases without a budget draw from a fixed key."""
    generator = SeededGenerator(19)
    monkeypatch.setattr(_run, "generator_or_default", lambda rng: generator if rng is None else rng)


Release = Callable[[], Any]


USER: dict[str, Any] = {"user": "VisitorId", "max_partitions": 2}
CASES: list[tuple[list[str], Release]] = [
    (
        ["histogram", PUMS, "--column", "age", "--bins", "10", "--range", "0:100",
         "--epsilon", "0.5"],
        lambda: cydp.histogram(PUMS, 10, (0, 100), column="age", epsilon="0.5"),
    ),
    (
        ["count", PUMS, "--column", "age", "--epsilon", "1", "--delta", "1e-6"],
        lambda: cydp.count(list(range(1000)), epsilon=1, delta="1e-6"),
    ),
    (
        ["sum", PUMS, "--column", "income", "--bounds", "0:200000", "--epsilon", "1"],
        lambda: cydp.sum(PUMS, (0, 200_000), column="income", epsilon=1),
    ),
    (
        ["count", PUMS, "--epsilon", "1", "--delta", "1e-6", "--noise", "gaussian"],
        lambda: cydp.count(list(range(1000)), epsilon=1, delta="1e-6", noise="gaussian"),
    ),
    (
        ["sum", WEEK, "--column", "Money spent (euros)", "--bounds", "0:50", "--epsilon", "1",
         "--user", "VisitorId", "--max-rows", "7", "--max-sum-per-user", "60"],
        lambda: cydp.sum(
            WEEK, (0, 50), column="Money spent (euros)", user="VisitorId", max_rows=7,
            max_sum_per_user=60, epsilon=1,
        ),
    ),
    (
        ["sum", PUMS, "--column", "age", "--bounds", "-5.5:60", "--rho", "1", "--missing", "7"],
        lambda: cydp.sum(PUMS, (-5.5, 60), column="age", rho=1, missing="7"),
    ),
    (
        ["mean", PUMS, "--column", "age", "--bounds", "0:100", "--epsilon", "1",
         "--relation", "change-one"],
        lambda: cydp.mean(
            PUMS, (0, 100), column="age", epsilon=1, relation="change-one"
        ),
    ),
    (
        ["quantile", PUMS, "--column", "age", "--q", "0.25,1/2", "--bounds", "0:100",
         "--epsilon", "1", "--max-rows-per-unit", "2", "--unit", "person"],
        lambda: cydp.quantile(
            PUMS, ["0.25", "1/2"], (0, 100), column="age", epsilon=1, max_rows_per_unit=2,
            unit="person",
        ),
    ),
    (
        ["median", PUMS, "--column", "age", "--bounds", "0:100", "--interval", "0.9",
         "--epsilon", "1"],
        lambda: cydp.median(PUMS, (0, 100), column="age", interval="0.9", epsilon=1),
    ),
    (
        ["quantile", PUMS, "--column", "age", "--q", "0.1,0.2,0.5", "--bounds", "0:100",
         "--step", "1", "--method", "independent", "--epsilon", "1"],
        lambda: cydp.quantile(
            PUMS, ["0.1", "0.2", "0.5"], (0, 100), column="age", step=1, method="independent",
            epsilon=1,
        ),
    ),
    (
        [*BY_DAY, "--key-list", ALL_DAYS, "--sum", "Money spent (euros):0:50",
         "--mean", "Money spent (euros):0:50", "--epsilon", "1"],
        lambda: cydp.group_by(
            WEEK, "Day", keys=DAYS, sums=EUROS, means=EUROS, epsilon=1, **USER
        ),
    ),
    (
        [*BY_DAY, "--quantile", "Money spent (euros):0.5,0.9:0:50", "--no-count", "--key-list",
         "1,2", "--max-rows-per-partition", "2", "--rho", "1"],
        lambda: cydp.group_by(
            WEEK, "Day", keys=[1, 2], count=False,
            quantiles={"Money spent (euros)": (["0.5", "0.9"], (0, 50))}, rho=1,
            max_rows_per_partition=2, **USER,
        ),
    ),
    (
        ["histogram", PUMS, "--column", "age", "--bins", "0,18,65.5,100", "--by", "sex",
         "--key-list", "0,1", "--epsilon", "0.5"],
        lambda: cydp.histogram(
            PUMS, [0, 18, 65.5, 100], column="age", by="sex",
            by_keys=[0, 1], epsilon="0.5",
        ),
    ),
    (
        ["histogramdd", PUMS, "--column", "age", "--column", "income", "--column", "educ",
         "--bins", "2", "--bins", "0,1e4,1e6", "--bins", "3", "--range", "0:100", "--range",
         "1:16", "--rho", "0.5"],
        lambda: cydp.histogramdd(
            PUMS, [2, [0, 1e4, 1e6], 3], [(0, 100), None, (1, 16)],
            columns=["age", "income", "educ"], rho="0.5",
        ),
    ),
    (
        ["variance", PUMS, "--column", "age", "--bounds", "0:100", "--epsilon", "1"],
        lambda: cydp.variance(PUMS, (0, 100), column="age", epsilon=1),
    ),
    (
        ["median", WEEK, "--column", "Money spent (euros)", "--bounds", "0:50", "--epsilon", "1",
         "--user", "VisitorId", "--max-rows", "3"],
        lambda: cydp.median(
            WEEK, (0, 50), column="Money spent (euros)", epsilon=1,
            user="VisitorId", max_rows=3,
        ),
    ),
    (
        ["value-counts", WEEK, "--column", "Day", "--key-list", ALL_DAYS, "--epsilon", "1",
         *BY_DAY[4:]],
        lambda: cydp.value_counts(WEEK, DAYS, column="Day", epsilon=1, **USER),
    ),
    (
        ["value-counts", WEEK, "--column", "Day", "--epsilon", "1", "--delta", "1e-6",
         *BY_DAY[4:]],
        lambda: cydp.value_counts(WEEK, column="Day", epsilon=1, delta="1e-6", **USER),
    ),
    (
        ["value-counts", WEEK, "--column", "Day", "--rho", "1", "--delta", "1e-6", *BY_DAY[4:]],
        lambda: cydp.value_counts(WEEK, column="Day", rho=1, delta="1e-6", **USER),
    ),
    (
        ["top-k", WEEK, "--column", "Day", "--k", "2", "--key-list", ALL_DAYS, "--epsilon",
         "1", "--user", "VisitorId", "--max-rows-per-partition", "1"],
        lambda: cydp.top_k(
            WEEK, 2, DAYS, column="Day", epsilon=1, user="VisitorId", max_rows_per_partition=1
        ),
    ),
    (
        ["top-k", PUMS, "--column", "educ", "--k", "3", "--epsilon", "1", "--delta", "1e-6"],
        lambda: cydp.top_k(
            PUMS, 3, column="educ", epsilon=1, delta="1e-6"
        ),
    ),
    (
        ["contribution-bound", WEEK, "--user", "VisitorId", "--max", "10", "--share", "0.9",
         "--of", "contributions", "--by", "Day", "--epsilon", "1"],
        lambda: cydp.contribution_bound(
            WEEK, user="VisitorId", max=10, share="0.9", of="contributions", by=["Day"],
            epsilon=1,
        ),
    ),
    (
        ["quantile", PUMS, "--column", "age", "--q", "0.25,0.75", "--bounds", "0:100",
         "--interval", "0.9", "--epsilon", "1"],
        lambda: cydp.quantile(
            PUMS, ["0.25", "0.75"], (0, 100), column="age", interval="0.9", epsilon=1
        ),
    ),
    (
        ["count", WEEK, "--user", "VisitorId", "--max-rows", "2", "--left-out", "5", "--split",
         "count=9", "--rho", "1"],
        lambda: cydp.count(
            WEEK, user="VisitorId", max_rows=2, left_out=5, split={"count": "9"}, rho=1,
            column="VisitorId",
        ),
    ),
    (
        ["group-by", PUMS, "--by", "sex", "--by", "married", "--key-list", "0,1", "--key-list",
         "1,0", "--epsilon", "1"],
        lambda: cydp.group_by(
            PUMS, ["sex", "married"],
            keys=[(0, 1), (0, 0), (1, 1), (1, 0)], epsilon=1,
        ),
    ),
    (
        [*BY_DAY, "--epsilon", "1", "--delta", "1e-6"],
        lambda: cydp.group_by(WEEK, "Day", epsilon=1, delta="1e-6", **USER),
    ),
]  # fmt: skip


@pytest.mark.parametrize(("arguments", "release"), CASES)
def test_a_command_releases_what_the_library_releases(
    run: Run, monkeypatch: pytest.MonkeyPatch, arguments: list[str], release: Release
) -> None:
    seed(monkeypatch)
    expected = release()
    seed(monkeypatch)
    code, printed, message = run(*arguments, "--json")
    assert (code, message) == (0, "")
    facts = json.loads(printed)
    assert facts == json_in_options(json.loads(expected.to_json()))
    seed(monkeypatch)
    text = run(*arguments)[1]
    assert text.startswith(in_options(expected.to_text()))


TIMES: list[tuple[list[str], Callable[[Any], Any]]] = [
    (
        ["histogram", "--column", "t", "--bins", "1mo", "--range", "2024-01-01:2024-04-01"],
        lambda x: cydp.histogram(x, "1mo", ("2024-01-01", "2024-04-01"), column="t", epsilon=1),
    ),
    (
        ["histogram", "--column", "t", "--bins", "2024-01-01,2024-02-01 12:00,2024-03-01"],
        lambda x: cydp.histogram(
            x, ["2024-01-01", "2024-02-01 12:00", "2024-03-01"], column="t", epsilon=1
        ),
    ),
    (
        ["histogramdd", "--column", "t", "--column", "v", "--bins", "5", "--bins", "2", "--range",
         "2024-01-01 08:00..2024-03-01 18:00", "--range", "0:4"],
        lambda x: cydp.histogramdd(
            x, [5, 2], [("2024-01-01 08:00", "2024-03-01 18:00"), (0, 4)], columns=["t", "v"],
            epsilon=1,
        ),
    ),
    (
        ["median", "--column", "t", "--bounds", "2024-01-01:2024-04-01"],
        lambda x: cydp.median(x, ("2024-01-01", "2024-04-01"), column="t", epsilon=1),
    ),
    (
        ["group-by", "--by", "d", "--key-list", "x,y", "--quantile",
         "t:0.25,0.5:2024-01-01:2024-04-01"],
        lambda x: cydp.group_by(
            x, "d", keys=["x", "y"], epsilon=1,
            quantiles={"t": (["0.25", "0.5"], ("2024-01-01", "2024-04-01"))},
        ),
    ),
]  # fmt: skip


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize(("arguments", "release"), TIMES)
def test_dates_and_times(
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    form: str,
    arguments: list[str],
    release: Callable[[Any], Any],
) -> None:
    """Of CSV, what is no date or time is missing, as a text in a column of times cannot be."""
    file = str(tmp_path / f"t.{form}")
    rows = ["2024-01-01,1,x", "2024-01-31 12:30,2,y", ",3,x", "2024-02-29,4,y", "2025-01-01,2,x"]
    (tmp_path / "t.csv").write_text("\n".join(["t,v,d", *rows, "n/a,1,x", "5,1,y", ""]))
    columns = "TRY_CAST(NULLIF(t, '') AS TIMESTAMP) AS t, v::BIGINT AS v, d"
    typed = duckdb.sql(f"SELECT {columns} FROM read_csv('{tmp_path}/t.csv', all_varchar = true)")
    if form == "parquet":
        typed.write_parquet(file)
    seed(monkeypatch)
    expected = release(typed)
    seed(monkeypatch)
    code, printed, message = run(arguments[0], file, *arguments[1:], "--epsilon", "1", "--json")
    assert (code, message) == (0, "")
    facts, shown = json.loads(printed), json.loads(expected.to_json())
    assert facts["columns"] == shown["columns"]
    assert facts["axes"] == shown["axes"]
    noted = "a value that is no date, or time without an offset, counts as missing" in printed
    assert noted == (form == "csv")


def test_times_of_csv_keep_their_zone(run: Run, tmp_path: Path) -> None:
    """A cell with an offset is missing for a range without a zone, and the other way round."""
    file = tmp_path / "t.csv"
    file.write_text("t\n2024-01-04T23:30:00-05:00\n2024-01-04T22:30:00Z\n2024-01-05 10:00\n")
    binned = ["histogram", str(file), "--column", "t", "--bins", "1d", "--json"]
    binned += ["--epsilon", "1000", "--range"]
    for ends, counts in [
        ("2024-01-04:2024-01-06", [0, 1]), ("2024-01-04[UTC]:2024-01-06[UTC]", [1, 1]),
    ]:  # fmt: skip
        code, printed, _ = run(*binned, ends)
        assert (code, json.loads(printed)["columns"]["count"]["values"]) == (0, counts)


def test_users_are_bounded(run: Run) -> None:
    visits = np.genfromtxt(WEEK, delimiter=",", skip_header=1, usecols=0, dtype=np.int64)
    _, times = np.unique(visits, return_counts=True)
    arguments = ["count", WEEK, "--user", "VisitorId", "--max-rows", "2", "--epsilon", "10000"]
    code, printed, _ = run(*arguments, "--json")
    assert code == 0
    assert json.loads(printed)["columns"]["count"]["values"] == np.minimum(times, 2).sum()
    assert "pure noise" not in printed  # no column is read as numbers


def test_the_rows_of_a_file_of_one_column_are_counted(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("row\nx\n\ny\n")
    file = str(tmp_path / "t.csv")
    for more, count in [
        ([], 3),
        (["--column", "row"], 2),
        (["--user", "row", "--max-rows", "1"], 2),
    ]:
        printed = run("count", file, "--epsilon", "10000", "--json", *more)[1]
        assert json.loads(printed)["columns"]["count"]["values"] == count


def test_parquet_keeps_its_types(run: Run, tmp_path: Path) -> None:
    file = parquet(tmp_path, WEEK)
    arguments = ["group-by", file, "--by", "Day", "--key-list", "7,2", "--epsilon", "10000"]
    facts = json.loads(run(*arguments, "--json")[1])
    assert facts["axes"][0]["keys"] in ({"Day": [7, 2]}, [[7, 2]], [7, 2])
    days = np.genfromtxt(WEEK, delimiter=",", skip_header=1, usecols=4)
    assert facts["columns"]["n"]["values"] == [int((days == day).sum()) for day in (7, 2)]


def test_a_column_in_which_nothing_is_a_number_is_noise(run: Run) -> None:
    """The words do not depend on the data: docs/cli.md."""
    arguments = ["mean", "--bounds", "0:50", "--epsilon", "10000", "--column"]
    texts = run(arguments[0], WEEK, *arguments[1:], "Time entered")
    numbers = run(arguments[0], WEEK, *arguments[1:], "Money spent (euros)")
    assert texts[0] == numbers[0] == 0
    note = "note: a value that is no number counts as missing"
    assert texts[1].count(note) == numbers[1].count(note) == 1
    for command in ("histogram", "sum", "mean", "quantile", "group-by"):
        assert "gives pure noise" in " ".join(run(command, "--help")[1].split())


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_times_are_grouped_by_month(run: Run, tmp_path: Path, form: str) -> None:
    """As `date_trunc` of Python groups them; what is no time in CSV has no month."""
    file, keys = str(tmp_path / f"t.{form}"), "2024-01-01,2024-02-01"
    duckdb.execute(
        "COPY (SELECT timestamp '2024-01-30' + to_hours(i * 12) AS ts, i % 2 AS k, 1 AS v "
        f"FROM range(10) t(i)) TO '{file}'"
    )
    if form == "csv":
        Path(file).write_text(Path(file).read_text() + "monday,0,1\n,1,1\n")
    month, exact = "date_trunc('month', ts)", ["--epsilon", "10000", "--json"]
    (tmp_path / "keys.csv").write_text(f'k,"{month}"\n0,2024-02-01\n')
    by = ["group-by", file, "--by", month]
    for command, column, expected in (
        ([*by, "--key-list", keys], "n", [4, 6]),
        ([*by, "--by", "k", "--key-list", keys, "--key-list", "0,1"], "n", [2, 2, 3, 3]),
        ([*by, "--by", "k", "--keys", str(tmp_path / "keys.csv")], "n", [3]),
        (["value-counts", file, "--column", month, "--key-list", keys], "n", [4, 6]),
        (["histogram", file, "--column", "v", "--bins", "0,2", "--by", month, "--key-list", keys],
         "count", [4, 6]),
    ):  # fmt: skip
        code, printed, said = run(*command, *exact)
        assert (code, said) == (0, ""), said
        values = json.loads(printed)["columns"][column]["values"]
        assert np.ravel(values).tolist() == expected
    hours = ["--key-list", "2024-01-30 12:00"]
    printed = run("value-counts", file, "--column", "date_trunc('hour', ts)", *hours, *exact)[1]
    assert json.loads(printed)["columns"]["n"]["values"] == [1]


def test_a_column_may_be_called_as_a_month(run: Run, tmp_path: Path) -> None:
    file, name = str(tmp_path / "t.csv"), "date_trunc('month', ts)"
    Path(file).write_text(f'"{name}"\na\nb\n')
    assert run("group-by", file, "--by", f'"{name}"', "--key-list", "a", "--epsilon", "1")[0] == 0
    refused(run("group-by", file, "--by", name, "--key-list", "a", "--epsilon", "1"), 2, "'ts'")
