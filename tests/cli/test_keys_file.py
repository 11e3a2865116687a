"""cli/_keys_file.py: public keys of a file or of a list, with the types of the data."""

import json
from pathlib import Path

import duckdb
import pytest
from cli.commands import WEEK, Run, head, parquet, refused

from cydp import BudgetLedger, PureDP

SECRET = "secret-4711"


@pytest.fixture
def week(tmp_path: Path) -> str:
    """Return the path of a ledger of visitors."""
    path = str(tmp_path / "week.db")
    BudgetLedger.create(path, PureDP(1), privacy_unit="VisitorId").close()
    return path


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


@pytest.mark.parametrize(
    ("text", "by", "keys"),
    [
        ("Day\n7\n1\n", "Day", [["7", "1"]]),
        ("7\n1\n", "Day", [["7", "1"]]),  # no header
        ("x,Day\na,7\nb,1\n", "Day", [["7", "1"]]),
        ("Day,Time entered\n1,9:27AM\n2,9:27AM\n", "Time entered,Day",
         [["9:27AM", "9:27AM"], ["1", "2"]]),
        ("9:27AM,1\n9:27AM,2\n", "Time entered,Day", [["9:27AM", "9:27AM"], ["1", "2"]]),
    ],
)  # fmt: skip
def test_a_file_of_keys(
    run: Run, tmp_path: Path, text: str, by: str, keys: list[list[object]]
) -> None:
    assert keys_of(run, WEEK, by, "--keys", write(tmp_path, text)) == keys


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


def test_a_key_may_have_a_comma(run: Run, tmp_path: Path) -> None:
    data = write(tmp_path, 'a;n\n"x,y";1\n', "t.csv")
    arguments = ["--key-list", '"x,y",z', "--delimiter", ";"]
    assert keys_of(run, data, "a", *arguments) == [["x,y", "z"]]


@pytest.mark.parametrize(
    ("text", "by", "message"),
    [
        (f"{SECRET}\n7\n", "Day", "--keys must have keys of the types of the data"),
        (f"Day\n{SECRET}\n", "Day", "BIGINT for 'Day', and none missing"),
        ("Day\n7.5\n", "Day", "BIGINT for 'Day'"),
        ("Day\n7\n\n8\n", "Day", "none missing"),
        ("Day\n7\n7\n", "Day", "--keys must be distinct: some are given more than once"),
        ("Day\n", "Day", "--keys must be 1 to 2**32 - 4 keys, not 0"),
        ("", "Day", "or with 1 columns and no header"),
        (f"{SECRET},b,c\n", "Day", "no header: "),
        (f'Day\n"7" {SECRET}\n1,2,{SECRET}\n', "Day", "keys"),
    ],
)
def test_bad_keys_charge_nothing_and_are_not_shown(
    run: Run, tmp_path: Path, week: str, text: str, by: str, message: str
) -> None:
    data, file, before = parquet(tmp_path, WEEK), write(tmp_path, text), head(week)
    arguments = ["group-by", data, "--by", by, "--keys", file, "--epsilon", "0.1",
                 "--user", "VisitorId", "--max-partitions", "1", "--ledger", week]  # fmt: skip
    done = run(*arguments)
    refused(done, 2, message)
    assert SECRET not in done[2]
    assert head(week) == before


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (["--key-list", "1,1"], "--key-list must be distinct"),
        (["--key-list", "1,x"], "--key-list must have keys of the types of the data"),
        (["--key-list", ""], "--key-list must"),
        (["--key-list", "1", "--keys", "k.csv"], "not allowed with argument"),
        (["--keys", "missing.csv"], "no such file: 'missing.csv'"),
        (["--by", "Day,VisitorId", "--key-list", "1"], "--key-list is for one column of --by"),
        (["--by", "Day,Day"], "--by must name each column once"),
        (["--by", "Days", "--key-list", "1"], "no column 'Days' in"),
        ([], "--epsilon and --delta must be given for keys that are not public"),
    ],
)
def test_wrong_options_of_keys(
    run: Run, tmp_path: Path, week: str, more: list[str], message: str
) -> None:
    data, before = parquet(tmp_path, WEEK), head(week)
    arguments = ["group-by", data, "--epsilon", "0.1",
                 "--user", "VisitorId", "--max-partitions", "1", "--ledger", week]  # fmt: skip
    by = [] if "--by" in more else ["--by", "Day"]
    refused(run(*arguments, *by, *more), 2, message)
    assert head(week) == before


def test_keys_are_not_rounded_to_decimals(run: Run, tmp_path: Path) -> None:
    data = f"{tmp_path}/t.parquet"
    duckdb.execute(f"COPY (SELECT (-1.5)::DECIMAL(10, 2) AS d FROM range(1000)) TO '{data}'")
    arguments = ["--key-list", "7,7.10,-1.500", "--epsilon", "1000", "--json"]
    facts = json.loads(run("group-by", data, "--by", "d", *arguments)[1])
    assert facts["columns"]["n"]["values"] == [0, 0, 1000]
    for key in ("7.001", "7e-1", "x", "", "0.005", "123456789.00"):
        done = run("group-by", data, "--by", "d", f"--key-list={key},1", "--epsilon", "1")
        refused(done, 2, "--key-list must have keys of the types of the data, DECIMAL(10,2)")


@pytest.mark.parametrize("more", [[], ["--json"], ["--dry-run"], ["--dry-run", "--json"]])
def test_a_first_line_that_is_taken_for_a_key_is_noted(
    run: Run, tmp_path: Path, more: list[str]
) -> None:
    for text, noted in (("day\n7\n", True), ("Day\n7\n", False)):
        file = write(tmp_path, text)
        code, printed, _ = run(
            "group-by", WEEK, "--by", "Day", "--keys", file, "--epsilon", "1", *more
        )
        note = f"{file!r} has no header of --by, so its first line is a key"
        assert (code, note in printed) == (0, noted)
    file = write(tmp_path, "Name,Size\na,7\n")
    done = run("group-by", WEEK, "--by", "Day", "--keys", file, "--epsilon", "1", *more)
    refused(done, 2, "or with 1 columns and no header")
