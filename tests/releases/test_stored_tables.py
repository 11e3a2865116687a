"""Tables that are paths, lazy frames or datasets: every release takes them, and answers alike."""

from __future__ import annotations

import gzip
import inspect
import json
import subprocess
import sys
from collections.abc import Callable
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest
from refusals import Refusal, check_refusals
from releases.test_one_way import CASES, TABLE, Case, of_users

import cydp
from cydp import PrivacyFilter, PureDP, Session
from cydp._columns import lazy, shared
from cydp.releases._run import kind_of
from cydp.sampling import on_sample
from cydp.testing import SeededGenerator

COLUMNS = {name: values.tolist() for name, values in TABLE.items()}
COLUMNS["u"] = [f"user {u}" for u in COLUMNS["u"]]  # of CSV users are text
COLUMNS["x"][7] = COLUMNS["s"][9] = None
Shape = Callable[[dict[str, list[Any]], Path], Any]


def csv_of(columns: dict[str, list[Any]], delimiter: str = ",") -> str:
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(
        delimiter.join("" if cell is None else str(cell) for cell in row) + "\n" for row in rows
    )


def parquet(columns: dict[str, list[Any]], path: Path) -> str:
    pl.DataFrame(columns, schema_overrides=TYPES).write_parquet(path)
    return str(path)


def halves(write: Callable[[dict[str, list[Any]], int], None], columns: Any) -> None:
    for i, part in enumerate((slice(None, 20), slice(20, None))):
        write({name: values[part] for name, values in columns.items()}, i)


def csv_file(columns: dict[str, list[Any]], folder: Path) -> str:
    (folder / "t.csv").write_text(csv_of(columns))
    return str(folder / "t.csv")


def csv_glob(columns: dict[str, list[Any]], folder: Path) -> str:
    halves(lambda part, i: (folder / f"part-{i}.csv").write_text(csv_of(part)) and None, columns)
    return str(folder / "part-*.csv")


def gzip_file(columns: dict[str, list[Any]], folder: Path) -> Path:
    (folder / "t.csv.gz").write_bytes(gzip.compress(csv_of(columns).encode()))
    return folder / "t.csv.gz"


def tsv_file(columns: dict[str, list[Any]], folder: Path) -> str:
    (folder / "t.tsv").write_text(csv_of(columns, "\t"))
    return str(folder / "t.tsv")


def parquet_glob(columns: dict[str, list[Any]], folder: Path) -> str:
    halves(lambda part, i: parquet(part, folder / f"part-{i}.parquet") and None, columns)
    return str(folder / "part-[01].parquet")


TYPES = {"x": pl.Float64, "y": pl.Float64, "s": pl.String, "u": pl.String}
FILES: dict[str, Shape] = {
    "CSV": csv_file, "CSV by a glob": csv_glob, "compressed CSV": gzip_file, "tabs": tsv_file,
    "Parquet": lambda columns, folder: parquet(columns, folder / "t.parquet"),
    "a path": lambda columns, folder: Path(parquet(columns, folder / "t.parquet")),
    "Parquet by a glob": parquet_glob,
}  # fmt: skip
QUERIES: dict[str, Shape] = {
    "a lazy frame": lambda columns, _: pl.LazyFrame(columns, schema_overrides=TYPES),
    "a scan": lambda columns, folder: pl.scan_parquet(parquet(columns, folder / "t.parquet")),
    "a dataset": lambda columns, folder: pyarrow.dataset.dataset(
        parquet(columns, folder / "t.parquet")
    ),
    "a relation": lambda columns, folder: duckdb.read_parquet(
        parquet(columns, folder / "t.parquet")
    ),
}
SHAPES = FILES | QUERIES


def ask(case: Case, table: Any, **given: Any) -> Any:
    names = list(inspect.signature(case.function).parameters)
    place = names.index(kind_of(case.function).data)
    arguments = (*case.args[:place], table, *case.args[place:])
    return case.function(*arguments, **{"epsilon": 1, **case.given, **given})


def answer(made: Any) -> str:
    """Return a release as JSON without the notes on text of CSV, which a frame does not have."""
    text: str = made.to_json()
    for note in made.query.reads.notes:
        said = json.dumps(note)
        text = text.replace(f", {said}", "").replace(f"{said}, ", "").replace(said, "")
    return text


@pytest.mark.parametrize("users", [False, True])
def test_answers_are_those_of_a_frame(
    users: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of one seed; in pieces too, each with all rows of some users if the rows can be repeated."""
    frame = pl.DataFrame(COLUMNS, schema_overrides=TYPES)
    asked = {name: (case, of_users(case) if users else {}) for name, case in CASES.items()}
    seeded = {
        name: answer(ask(case, frame, **given, rng=SeededGenerator(3)))
        for name, (case, given) in asked.items()
    }
    monkeypatch.setattr(shared, "_PIECE_ROWS", 16)
    monkeypatch.setattr(shared, "_USER_ROWS", 16)
    wrong = []
    for shape, make in SHAPES.items():
        table = make(COLUMNS, tmp_path)
        for name, (case, given) in asked.items():
            made = answer(ask(case, table, **given, rng=SeededGenerator(3)))
            if made != seeded[name]:
                wrong.append((shape, name))
    assert wrong == []


def test_a_session_of_a_file(tmp_path: Path) -> None:
    """A session asks the file anew; a repeated question is free."""
    for shape in ("CSV", "Parquet", "a lazy frame"):
        session = Session(SHAPES[shape](COLUMNS, tmp_path), PrivacyFilter(PureDP(2)))
        one, two = (session.sum((0, 10), column="x", epsilon=1) for _ in range(2))
        assert one == two
        assert [entry.repeated for entry in session.history()] == [False, True]
        assert session.count(epsilon=1).query.is_count


RECORDS: dict[str, list[dict[str, Any]]] = {  # in place of the sixth one
    "CSV": [
        {"x": "n/a", "y": "nan", "s": None, "u": None}, {"x": " 3 ", "y": "1e999", "s": "1"},
        {"x": None, "y": "-", "s": '"quoted, with a comma"', "u": '""'},
    ],
    "Parquet": [
        {"x": None, "y": float("nan"), "s": None, "u": None},
        {"x": float("inf"), "y": None, "s": "z", "u": ""},
    ],
}  # fmt: skip
DESCRIBED = ("count of labels", "mean", "median", "histogram by", "group_by", "group_by, found")


@pytest.mark.parametrize("shape", ["CSV", "compressed CSV", "Parquet", "a lazy frame"])
def test_a_record_changes_the_answer_alone(shape: str, tmp_path: Path) -> None:
    """No error, warning, type or shape: a text in a column of numbers is no number."""

    def described(columns: dict[str, list[Any]]) -> list[Any]:
        table = SHAPES[shape](columns, tmp_path)
        found: list[Any] = []
        for case in map(CASES.__getitem__, DESCRIBED):
            for given in ({}, of_users(case)):
                made = ask(case, table, **given)
                frame = made.to_pandas()
                shape_of = (frame.dtypes.tolist(), frame.shape)
                if "delta" in case.given:  # the keys that are released decide
                    shape_of = (frame.columns.tolist(), ())
                found.append((type(made), str(made.loss), made.query.to_dict(), shape_of))
        return found

    usual = described(COLUMNS)
    for record in RECORDS["CSV" if "CSV" in shape else "Parquet"]:
        columns = {name: list(values) for name, values in COLUMNS.items()}
        for name, entry in record.items():
            columns[name][5] = entry
        assert described(columns) == usual, record


def test_keys_of_csv_are_text_or_numbers_as_the_keys_are(tmp_path: Path) -> None:
    cells = ["1", " 1 ", "01", "1.0", "+1", "1.5", "1e0", "one", "", "9223372036854775807",
             "9223372036854775806", "18446744073709551616", "0.5", ".5", "9" * 50]  # fmt: skip
    (tmp_path / "t.csv").write_text("k,v\n" + "".join(f"{cell},1\n" for cell in cells))

    def counts(keys: list[Any]) -> list[int]:
        made = cydp.value_counts(str(tmp_path / "t.csv"), keys, column="k", epsilon=10**4)
        return [int(count) for count in made.counts]

    assert counts(["1", "01", "one", "1.0"]) == [1, 1, 1, 1]
    assert counts([1, 2]) == [5, 0]  # no number is rounded to a key
    assert counts([2**63 - 1, 2**63 - 2, 1]) == [1, 1, 5]
    assert counts([2**64, 2**63 - 1, 1]) == [1, 1, 5]
    assert counts([0.5, 1.5, 1.0]) == [2, 1, 6]
    made = cydp.group_by(
        str(tmp_path / "t.csv"), ["k", "v"], keys=[(1, "1"), (2, "1")], epsilon=10**4
    )
    assert made.counts.tolist() == [5, 0]


def test_a_sample_of_pieces_has_each_row_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its rows are drawn once for all columns of a piece, and anew for the next one."""
    monkeypatch.setattr(shared, "_PIECE_ROWS", 1000)
    n = 20_000
    pl.DataFrame({"a": [i % 2 for i in range(n)], "b": [i % 2 for i in range(n)]}).write_parquet(
        tmp_path / "t.parquet", row_group_size=1000
    )
    tables = (tmp_path / "t.parquet", pl.scan_parquet(tmp_path / "t.parquet"))
    for table in (*tables, duckdb.read_parquet(str(tmp_path / "t.parquet"))):
        rng = SeededGenerator(7)
        made = on_sample(
            cydp.histogramdd, table, 2, [(0, 1), (0, 1)], share="1/4", epsilon=10**4, rng=rng
        ).release
        assert made.counts[0, 1] == made.counts[1, 0] == 0
        total = int(made.counts.sum())
        # 20,000 rows of share 1/4: seven standard deviations are 429.
        assert abs(total - n / 4) < 429
        # One mask for all twenty pieces would give a multiple of 20.
        assert total % 20 != 0
        counted = on_sample(cydp.count, table, share="1/4", epsilon=10**4, rng=rng).release.value
        assert abs(counted - n / 4) < 429


def test_what_is_no_table_is_told_before_a_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    budget, secret = PrivacyFilter(PureDP(1)), "31415926"
    files = {
        "a.csv": "age,sex\n1,f\n", "b.csv": f"age,sex,{secret}\n1,f,2\n",
        "c.csv": "age,sex\r\n1,f\r\n", "ill.csv": f'age,sex\n{secret},"f\n',
        "one.csv": "age\n1\n", "x.txt": "PAR1\x15", "headless.csv": f"{secret},f\n1,f\n",
        "empty.csv": "", "blank.csv": "\n\n1\n", "semi.csv": f"age;sex\n{secret};f\n",
    }  # fmt: skip
    for name, text in files.items():
        Path(name).write_text(text, newline="")
    Path("empty.csv.gz").write_bytes(gzip.compress(b""))
    for name, age in {"a": 1, "b": 1.5}.items():
        pa.parquet.write_table(pa.table({"age": [age], "sex": ["f"]}), f"{name}.parquet")

    def sum_of(table: Any, **given: Any) -> Callable[[], Any]:
        given = {"column": "age", "epsilon": 1, "budget": budget, **given}
        return lambda: cydp.sum(table, (0, 1), **given)

    path, ages = "x must be the path of a table: ", pl.LazyFrame({"age": [1]})
    objects = pl.LazyFrame({"age": pl.Series([object()], dtype=pl.Object)})
    no_column = "x must be one column, not a table: choose one by column="
    cases: list[tuple[Callable[[], Any], type[Exception], str]] = [
        (sum_of("no.csv"), ValueError, path + "no such file: 'no.csv'"),
        (sum_of("*.tsv"), ValueError, path + "no file matches '*.tsv'"),
        (sum_of(tmp_path), ValueError, "is a directory: name its files, as"),
        (sum_of("empty.csv"), ValueError, path + "'empty.csv' is empty: the first line of CSV"),
        (sum_of("blank.csv"), ValueError, path + "'blank.csv' has a blank first line, which"),
        (sum_of("empty.csv.gz"), ValueError, path + "'empty.csv.gz' is empty"),
        (sum_of("semi.csv"), ValueError, "'semi.csv', which has one cell: is it separated by"),
        (sum_of("https://a.org/b.csv"), ValueError, "(nothing is fetched from a network"),
        (sum_of("from people select age"), ValueError, "(a query is duckdb.sql(...))"),
        (sum_of([tmp_path, None]), TypeError, "leave column= out; several files are one path"),
        (partial(cydp.value_counts, "abc", ["a"], epsilon=1), ValueError, path + "no such file"),
        (sum_of("[ab].csv"), ValueError, "'a.csv' and 'b.csv' must have the same columns"),
        (sum_of("[ac].csv"), ValueError, "'a.csv' and 'c.csv' must be alike"),
        (sum_of("[ab].parquet"), ValueError, "must have the same columns, of the same types"),
        (sum_of("a.*"), ValueError, "'a.csv' and 'a.parquet' must both be CSV, or both Parquet"),
        (sum_of("ill.csv"), ValueError, "'ill.csv' is no well-formed CSV: a cell with a quote"),
        (sum_of("x.txt"), ValueError, path + "'x.txt' is Parquet: name it *.parquet"),
        (sum_of("headless.csv"), ValueError, "no 'age' in the first line of 'headless.csv'"),
        (
            sum_of("a.parquet", column="Age"), ValueError,
            "of x, which has 'age', 'sex', not 'Age': did you mean 'age'?",
        ),
        (sum_of(ages, user="id", max_rows=1), ValueError, "of x, which has 'age', not 'id'"),
        (sum_of("a.parquet", column="sex"), TypeError, "must be numeric, not VARCHAR"),
        (
            partial(cydp.histogramdd, "headless.csv", 2, [(0, 1)] * 2, epsilon=1),
            ValueError, "columns must be given for CSV",
        ),
        (sum_of(ages.select("sex")), ValueError, "so call its collect_schema() yourself"),
        (sum_of("one.csv", column=None), TypeError, no_column),
        (sum_of(ages, column=None), TypeError, no_column),
        (sum_of(objects), TypeError, "column 'age' must not be a polars column of Object"),
    ]  # fmt: skip
    refused: dict[str, Refusal] = {words: (call, error, (words,)) for call, error, words in cases}
    check_refusals(refused, never=(secret,))
    assert budget.spent == PureDP(0)
    assert cydp.count("one.csv", epsilon=10**4).value == 1  # a file is a table


def test_columns_of_a_query_are_named(tmp_path: Path) -> None:
    """A column itself would go with other rows than those that the query keeps."""
    frame, path = pl.DataFrame({"age": [31, 64, 12], "user": ["a", "b", "c"]}), tmp_path / "t.csv"
    frame.write_csv(path)
    ages, users, budget = frame["age"], frame["user"], PrivacyFilter(PureDP(1))
    paid: Any = {"epsilon": 1, "budget": budget}
    for table in (frame.lazy().filter(pl.col("age") > 18), path, duckdb.sql("from frame")):
        calls: dict[str, Callable[[Any], Any]] = {
            "column": lambda given, table=table: cydp.count(table, column=given, **paid),
            "user": lambda given, table=table: cydp.count(table, user=given, max_rows=1, **paid),
            "by": lambda given, table=table: cydp.group_by(table, given, keys=[31], **paid),
        }
        for argument, call in calls.items():
            for given, words in ((ages, "a column itself"), (ages.to_numpy(), "a column itself")):
                with pytest.raises(TypeError, match=f"^{argument} must be the name.*, not {words}"):
                    call(given)
        for argument in ("column", "user"):
            with pytest.raises(TypeError, match=f"^{argument} must be .* not a list of names"):
                calls[argument](["user", "age"])
        with pytest.raises(TypeError, match=r"^user must be the name of a column of table"):
            cydp.contribution_bound(table, user=users, max=3, **paid)
        with pytest.raises(TypeError, match=r"^column must be the name of a column of x"):
            cydp.value_counts(table, [31], column=ages, **paid)
    assert budget.spent == PureDP(0)


def test_what_text_of_csv_is_read_as_is_said(tmp_path: Path) -> None:
    """By the columns that are used and the parameters alone, whatever the file holds."""
    number, key = "a value that is no number counts", "a value that is no number has no key"
    moment = "a value that is no date, or time without an offset, counts"
    days: dict[str, Any] = {"bins": "1d", "range": ("2024-01-01", "2024-01-03"), "epsilon": 1}
    sums: dict[str, Any] = {"bounds": (0, 1), "epsilon": 1}
    for rows in ([], ["1,2024-01-01"], ["x,x", ","]):
        (tmp_path / "t.csv").write_text("\n".join(["age,day", *rows, ""]))
        pl.DataFrame({"age": [1], "day": [date(2024, 1, 1)]}).write_parquet(tmp_path / "t.parquet")
        csv, parquet = tmp_path / "t.csv", tmp_path / "t.parquet"
        calls: list[tuple[Callable[[Any], Any], list[str]]] = [
            (lambda table: cydp.sum(table, column="age", **sums), [number]),
            (lambda table: cydp.histogram(table, column="day", **days), [moment]),
            (lambda table: cydp.value_counts(table, [1], column="age", epsilon=1), [key]),
            (lambda table: cydp.count(table, epsilon=1), []),
            (
                lambda table: cydp.group_by(
                    table, "day", keys=[date(2024, 1, 1)], means={"age": (0, 1)}, epsilon=1
                ),
                [moment, number],
            ),
            (
                lambda table: Session(table, PrivacyFilter(PureDP(1))).sum(column="age", **sums),
                [number],
            ),
        ]  # fmt: skip
        for call, words in calls:
            made = call(csv)
            for said in (made.to_text(), made._repr_html_(), made.to_json()):
                found = [word for word in (moment, number, key) if word in " ".join(said.split())]
                assert found == words
            assert not any(word in call(parquet).to_text() for word in (moment, number, key))
            made = call(cydp.where(csv, "day is null"))
            assert all(word in " ".join(made.to_text().split()) for word in words)


def test_what_keys_and_conditions_make_of_cells_is_said(tmp_path: Path) -> None:
    """By the parameters alone, whatever the file holds."""
    said = {
        "a > 3": "for the condition, a value that is no number is missing",
        "t > date '2024-01-31'": "no date, or time without an offset, is missing",
        "t > timestamp '2024-01-31 12:00Z'": "no time with an offset, such as",
        "a = '3'": "a constant in quotes is compared as text",
        "a = 'x'": None,
    }
    month = cydp.date_trunc("month", "t")
    in_vienna = cydp.date_trunc("month", "t", "Europe/Vienna")
    keys = [date(2024, 1, 1)]
    for rows in ([], ["1,2024-01-01"], ["x,2024-01-01T12:00Z"]):
        (tmp_path / "t.csv").write_text("\n".join(["a,t", *rows, ""]))
        csv = tmp_path / "t.csv"
        for condition, words in said.items():
            text = " ".join(cydp.count(cydp.where(csv, condition), epsilon=1).to_text().split())
            assert [each in text for each in said.values() if each] == [
                each == words for each in said.values() if each
            ]
        for by, given, words in (
            (month, keys, "no date, or time without an offset, counts as missing"),
            (in_vienna, keys, "no time with an offset, such as 2024-01-31T18:00Z, counts"),
            ("a", ["01", "2"], "keys are compared as text, so 1 is not 1.0 or 01"),
            ("a", [1, 2], "keys are compared as numbers"),
        ):
            assert words in " ".join(str(cydp.group_by(csv, by, keys=given, epsilon=1)).split())
        assert cydp.group_by(csv, "a", keys=["x"], epsilon=1).to_dict()["notes"] == []
        with pytest.raises(TypeError, match=r"^keys must be of one kind for a column of CSV"):
            cydp.group_by(csv, "a", keys=[1, "2"], epsilon=1)


def test_a_query_that_fails_is_charged_and_shows_nothing() -> None:
    frame = pl.LazyFrame({"age": ["31415926", "7"], "sex": ["f", "m"]})

    def other_types(batch: pl.DataFrame) -> pl.DataFrame:
        return batch.with_columns(age=pl.lit(1.5))

    tables = {
        "a cast": frame.with_columns(pl.col("age").cast(pl.Int8)),
        "other types": frame.with_columns(age=pl.lit(1)).map_batches(
            other_types, validate_output_schema=False
        ),
    }
    for name, table in tables.items():
        budget = PrivacyFilter(PureDP(1))
        with pytest.raises(ValueError, match=r"^the lazy frame could not be read: ") as caught:
            cydp.sum(table, (0, 1), column="age", epsilon=1, budget=budget)
        assert budget.spent == PureDP(1), name
        assert caught.value.__cause__ is caught.value.__context__ is None
        assert "31415926" not in str(caught.value)


def test_names_of_columns_are_no_patterns(tmp_path: Path) -> None:
    table = {"^a.*$": [1, 1], "*": [0, 1], "a.b": [1, 0], "ab": [0, 0]}
    pa.parquet.write_table(pa.table(table), tmp_path / "t.parquet")
    for made in (pl.LazyFrame(table), tmp_path / "t.parquet", pyarrow.dataset.dataset(tmp_path)):
        found = [round(cydp.sum(made, (0, 1), column=name, epsilon=10**4).value) for name in table]
        assert found == [2, 1, 1, 0]


def test_types_of_a_lazy_frame_are_those_of_its_frame(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each piece has categories and nulls of its own."""
    monkeypatch.setattr(shared, "_PIECE_ROWS", 16)
    monkeypatch.setattr(lazy, "_BATCH_ROWS", 16)
    some, days = [None, *"abc"] * 20, [date(2024, 1, 1 + i % 20) for i in range(80)]
    frame = pl.DataFrame(
        {
            "categories": pl.Series(some, dtype=pl.Categorical),
            "enum": pl.Series(some, dtype=pl.Enum(["a", "b", "c", "d"])),
            "nulls": pl.Series([None] * 80), "days": days, "flags": [True, False] * 40,
            "decimals": pl.Series([1, 2] * 40).cast(pl.Decimal(10, 2)),
        }
    )  # fmt: skip
    keys: dict[str, list[Any]] = {
        "categories": ["a", "c"], "enum": ["a", "d"], "nulls": ["a"], "days": days[:2],
        "flags": [True], "decimals": [1],
    }  # fmt: skip
    for name in frame.columns:
        counts = [
            cydp.value_counts(table, keys[name], column=name, epsilon=10**4).counts.tolist()
            for table in (frame, frame.lazy())
        ]
        assert counts[0] == counts[1], name
    monkeypatch.delattr(pl.LazyFrame, "collect_batches")
    with pytest.raises(TypeError, match=r"needs polars 1\.36 or later"):
        cydp.count(frame.lazy(), epsilon=1)


def test_a_dataset_keeps_the_names_of_its_folders(tmp_path: Path) -> None:
    (tmp_path / "day=3").mkdir()
    pa.parquet.write_table(pa.table({"x": [1]}), tmp_path / "day=3" / "t.parquet")
    days = pyarrow.dataset.dataset(tmp_path, partitioning="hive")
    assert round(cydp.sum(days, (0, 9), column="day", epsilon=10**4).value) == 3
    with pytest.raises(ValueError, match="which has 'x'"):
        cydp.sum(f"{tmp_path}/**/*.parquet", (0, 9), column="day", epsilon=1)


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_names_of_folders_are_no_columns(kind: str, tmp_path: Path) -> None:
    """The query that the error names has them as text, though all are written as numbers."""
    rows = duckdb.sql("select i, i % 2 as country from range(10) t(i)")
    rows.write_parquet(str(tmp_path / "t"), partition_by=["country"]) if kind == "parquet" else (
        rows.write_csv(str(tmp_path / "t"), partition_by=["country"])
    )
    path = f"{tmp_path}/t/*/*.{kind}"
    budget = PrivacyFilter(PureDP(1))
    said = []
    for call in (
        lambda: cydp.group_by(path, "country", keys=["0"], epsilon=1, budget=budget),
        lambda: cydp.count(cydp.where(path, "country = '0'"), epsilon=1, budget=budget),
    ):
        with pytest.raises(ValueError, match=r"country=\.\.\., of which a path makes no") as caught:
            call()
        said.append(str(caught.value).split("duckdb.sql(")[1])
    assert said[0] == said[1]
    assert budget.spent.epsilon == 0
    with pytest.raises(ValueError, match="'town'") as caught:
        cydp.count(path, column="town", epsilon=1)
    assert "names of folders" not in str(caught.value)
    query = said[0].partition('"')[2].partition('"')[0].replace("...", path)
    found = cydp.group_by(duckdb.sql(query), "country", keys=["0", "1"], epsilon=100)
    assert found.counts.tolist() == [5, 5]


def test_an_existing_name_with_a_star_is_that_file(tmp_path: Path) -> None:
    for name in ("*.csv", "a.csv", "b.csv"):
        (tmp_path / name).write_text("age\n1\n")
    for name, rows in {"*.csv": 1, "[ab].csv": 2}.items():
        assert cydp.count(tmp_path / name, epsilon=10**4).value == rows


@pytest.mark.parametrize("absent", ["duckdb", "polars", "nanoarrow", "pyarrow"])
def test_without_a_library(absent: str, tmp_path: Path) -> None:
    """What is missing is said before the charge, whatever the file holds."""
    for i, rows in enumerate(("1\n", "\n", "")):
        (tmp_path / f"{i}.csv").write_text("age,sex\n" + rows)
    says = {
        "duckdb": "reading files needs duckdb: pip install 'cydp[files]'",
        "nanoarrow": " through Arrow, which needs nanoarrow",
    }.get(absent)
    code = f"""
import sys
sys.modules[{absent!r}] = None
import cydp
budget = cydp.PrivacyFilter(cydp.PureDP(10**6))
said = set()
for i in range(3):
    path = {str(tmp_path)!r} + f"/{{i}}.csv"
    for ask in (
        lambda: cydp.sum(path, (0, 1), column="age", epsilon=1, budget=budget),
        lambda: cydp.count(path, epsilon=1, budget=budget),
    ):
        try:
            ask()
        except ImportError as error:
            said.add(str(error).partition(" is read")[-1] or str(error))
        else:
            said.add("")
if {says!r} is None:
    assert said == {{""}}, said
else:
    (message,) = said
    assert {says!r} in message, message
    assert budget.spent == cydp.PureDP(0)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_nothing_is_imported_for_what_is_in_memory() -> None:
    code = (
        "import sys, cydp; cydp.count([1, 2], epsilon=1); "
        "assert not {'duckdb', 'polars', 'pyarrow', 'nanoarrow'} & set(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_csv_counts_what_is_not_empty(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text('age,sex\n1,f\n,f\nn/a,\n"",m\n')
    counts = [
        cydp.count(tmp_path / "t.csv", column=name, epsilon=10**4).value
        for name in (None, "age", "sex")
    ]
    assert counts == [4, 2, 3]
    ages = cydp.histogram(tmp_path / "t.csv", [0, 9], column="age", epsilon=10**4).counts
    assert np.array_equal(ages, [1])


def test_long_texts_of_a_lazy_frame_are_read_as_often_as_they_are_asked() -> None:
    """A string view beyond 12 bytes lies in a buffer of its own, which copies must keep."""
    texts = ["u1", "u2", "y" * 100, "u3"] * 3
    frame = pl.DataFrame({"u": texts, "k": texts})
    given: dict[str, Any] = {"user": "u", "max_rows": 1, "epsilon": 1000}
    assert {cydp.count(frame.lazy(), **given).value for _ in range(60)} == {4}
    keys = ["u1", "y" * 100]
    found = [cydp.value_counts(frame.lazy(), keys, column="k", epsilon=1000) for _ in range(60)]
    assert {tuple(each.counts.tolist()) for each in found} == {(3, 3)}
