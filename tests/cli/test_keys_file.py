"""cli/_keys_file.py: public keys of a file or of a list, with the types of the data."""

import json
from pathlib import Path

import duckdb
import pytest
from cli.commands import WEEK, Run, parquet

import cydp
from cydp.accounting import BudgetLedger, PureDP


def write(tmp_path: Path, text: str, name: str = "keys.csv") -> str:
    (tmp_path / name).write_text(text)
    return str(tmp_path / name)


def keys_of(run: Run, data: str, by: str, *keys: str) -> list[list[object]]:
    done = run("group-by", data, "--by", by, *keys, "--epsilon", "1", "--json")
    assert done[0] == 0, done
    (axis,) = json.loads(done[1])["axes"]
    found = axis["keys"]
    columns = found.values() if isinstance(found, dict) else found
    return [list(column) for column in columns]


def test_a_file_of_keys(run: Run, tmp_path: Path) -> None:
    times = [["9:27AM", "9:27AM"], [1, 2]]
    for text, by, keys in (
        ("Day\n7\n1\n", "Day", [[7, 1]]),
        ("7\n1\n", "Day", [[7, 1]]),  # no header
        ("x,Day\na,7\nb,1\n", "Day", [[7, 1]]),
        ("Day,Time entered\n1,9:27AM\n2,9:27AM\n", "Time entered,Day", times),
        ("9:27AM,1\n9:27AM,2\n", "Time entered,Day", times),
    ):
        assert keys_of(run, WEEK, by, "--keys", write(tmp_path, text)) == keys, text


def test_keys_have_the_types_of_the_data(run: Run, tmp_path: Path) -> None:
    data = parquet(tmp_path, WEEK)
    file = write(tmp_path, "Day\n7\n1\n")
    assert keys_of(run, data, "Day", "--keys", file) == [[7, 1]]
    assert keys_of(run, data, "Day", "--keys", parquet(tmp_path, file, "k.parquet")) == [[7, 1]]
    assert keys_of(run, data, "Day", "--key-list", "7, 1") == [[7, 1]]
    duckdb.execute(
        f"COPY (SELECT DATE '2026-11-20' + i::INTEGER AS d, i % 2 = 0 AS b, i / 4 AS f "
        f"FROM range(4) r(i)) TO '{tmp_path}/t.parquet'"
    )
    data = f"{tmp_path}/t.parquet"
    assert keys_of(run, data, "d", "--key-list", "2026-11-21") == [["2026-11-21"]]
    assert keys_of(run, data, "b", "--key-list", "true,false") == [[True, False]]
    assert keys_of(run, data, "f", "--key-list", "0.25,1") == [[0.25, 1]]


def test_keys_of_csv_are_numbers_if_all_are_written_so(run: Run, tmp_path: Path) -> None:
    """As in Python, where keys that are numbers are compared with cells as numbers."""
    rows = ["1.0", "1", "01", '" 1 "', "1.5", "x", ""]
    data = write(tmp_path, "\n".join(["k,v", *(f"{row},0" for row in rows), ""]), "t.csv")
    sure = ("--column", "k", "--epsilon", "10000", "--json")
    for keys, expected, counts in (
        ("1", [1], [4]),
        ("1, -2", [1, -2], [4, 0]),
        ("1,1.5", [1, 1.5], [4, 1]),
        ("1,01", ["1", "01"], [1, 1]),
        ("1,x", ["1", "x"], [1, 1]),
        ("1e0", ["1e0"], [0]),
        ("9" * 19, ["9" * 19], [0]),
    ):
        facts = json.loads(run("value-counts", data, "--key-list", keys, *sure)[1])
        assert facts["axes"][0]["keys"]["k"] == expected, keys
        assert facts["columns"]["n"]["values"] == counts, keys
        python = cydp.value_counts(data, expected, column="k", epsilon=10**4)
        assert python.counts.tolist() == counts, keys
        is_text = isinstance(expected[0], str)
        assert any("compared as text" in note for note in facts["notes"]) == is_text
        assert any("pure noise" in note for note in facts["notes"]) != is_text
    facts = json.loads(run("value-counts", data, "--key-list", "x,y", *sure)[1])
    assert not any("compared as text" in note for note in facts["notes"])
    parquet_keys = parquet(tmp_path, write(tmp_path, "k\n1\n"), "k.parquet")
    facts = json.loads(run("value-counts", data, "--keys", parquet_keys, *sure)[1])
    assert facts["columns"]["n"]["values"] == [4]


def test_blanks_around_keys_of_a_list_are_none_of_them(run: Run, tmp_path: Path) -> None:
    data = write(tmp_path, "a,n\nDE,1\nFR,1\n", "t.csv")
    for written, keys in (
        ("DE, FR ", ["DE", "FR"]),
        ('" FR","a""b" , DE', [" FR", 'a"b', "DE"]),
        ('"DE "', ["DE "]),
    ):
        assert keys_of(run, data, "a", "--key-list", written) == [keys]
    for written in ('"DE', 'D"E"', '"DE"F', " "):
        arguments = ["--column", "a", "--key-list", written, "--epsilon", "1"]
        code, printed, error = run("value-counts", data, *arguments)
        assert (code, printed) == (2, "")
        assert "--key-list must" in error


@pytest.mark.parametrize("written", ["1-7", "1-3,5", "1, 2-3", "0-17,18-64"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_list_of_keys_has_no_ranges(run: Run, tmp_path: Path, form: str, written: str) -> None:
    """They would be texts that no number is. Several of them may be the names of groups."""
    data, ledger = write(tmp_path, "day\n1\n2\n", "t.csv"), str(tmp_path / "budget.db")
    if form == "parquet":
        data = f"{tmp_path}/t.parquet"
        duckdb.execute(f"COPY (SELECT 1 AS day) TO '{data}'")
    BudgetLedger.create(ledger, PureDP(1), privacy_unit="row").close()
    arguments = ["--column", "day", "--key-list", written, "--epsilon", "1", "--ledger", ledger]
    code, printed, error = run("value-counts", data, *arguments)
    groups = written == "0-17,18-64"
    if groups and form == "csv":
        assert (code, error) == (0, "")
        return
    assert (code, printed) == (2, "")
    assert ("must have keys of the types" if groups else "--key-list must name each key") in error
    with BudgetLedger.open(ledger) as opened:
        assert opened.spent == PureDP(0)


def test_texts_with_a_dash_are_keys(run: Run, tmp_path: Path) -> None:
    data = write(tmp_path, "a\n1-7\n65+\n", "t.csv")
    for written, keys in (
        ('"1-7"', ["1-7"]), ("1-7,65+", ["1-7", "65+"]), ("2024-01", ["2024-01"]),
        ('"1-7",5', ["1-7", "5"]),
    ):  # fmt: skip
        assert keys_of(run, data, "a", "--key-list", written) == [keys]


def test_a_key_may_have_a_comma(run: Run, tmp_path: Path) -> None:
    data = write(tmp_path, 'a;n\n"x,y";1\n', "t.csv")
    arguments = ["--key-list", '"x,y",z', "--delimiter", ";"]
    assert keys_of(run, data, "a", *arguments) == [["x,y", "z"]]


def test_keys_are_not_rounded_to_decimals(run: Run, tmp_path: Path) -> None:
    data = f"{tmp_path}/t.parquet"
    duckdb.execute(f"COPY (SELECT (-1.5)::DECIMAL(10, 2) AS d FROM range(1000)) TO '{data}'")
    arguments = ["--key-list", "7,7.10,-1.500", "--epsilon", "1000", "--json"]
    facts = json.loads(run("group-by", data, "--by", "d", *arguments)[1])
    assert facts["columns"]["n"]["values"] == [0, 0, 1000]


@pytest.mark.parametrize("more", [[], ["--dry-run", "--json"]], ids=["release", "dry run"])
def test_a_first_line_that_is_taken_for_a_key_is_noted(
    run: Run, tmp_path: Path, more: list[str]
) -> None:
    for text, noted in (("day\n7\n", True), ("Day\n7\n", False)):
        file = write(tmp_path, text)
        code, printed, _ = run(
            "group-by", WEEK, "--by", "Day", "--keys", file, "--epsilon", "1", *more
        )
        note = f"{file!r} has no header of --by, so its first line is a key"
        assert (code, note in " ".join(printed.split())) == (0, noted)


def test_keys_of_dates_are_told_how_they_are_written(run: Run, tmp_path: Path) -> None:
    data = str(tmp_path / "visits.parquet")
    duckdb.sql("select date '2024-02-03' as day").write_parquet(data)
    for by, key, words in (
        ("day", "2024-01", ": a date is written 2024-01-31"),
        ("date_trunc('month', day)", "2024-01", "first days of months, such as 2024-02-01"),
        ("date_trunc('quarter', day)", "2024-Q1", "first days of quarters, such as 2024-04-01"),
    ):
        code, _, said = run("group-by", data, "--by", by, "--key-list", key, "--epsilon", "1")
        assert code == 2
        assert said.endswith(words + "\n")
