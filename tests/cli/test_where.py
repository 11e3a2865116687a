"""cli/_release.py with --where and --blocks: which rows are read, and what is recorded of it."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import duckdb
import pytest
from cli.commands import PUMS, SECRET, WEEK, Run, Told, check_told, head, parquet, refused

import cydp
from cydp import BudgetLedger, PureDP

EXACT = ["--epsilon", "10000", "--json"]
E = ["--epsilon", "0.1"]


def count(run: Run, file: str, *more: str) -> int:
    code, printed, message = run("count", file, *more, *EXACT)
    assert (code, message) == (0, "")
    return int(json.loads(printed)["columns"]["count"]["values"])


def exact(where: str, table: str = PUMS) -> int:
    (found,) = duckdb.sql(f"SELECT count(*) FROM '{table}' WHERE {where}").fetchall()[0]
    return int(found)


@pytest.mark.parametrize("kind", ["csv", "csv.gz", "parquet"])
def test_the_rows_that_satisfy_a_condition_are_read(run: Run, tmp_path: Path, kind: str) -> None:
    file = str(tmp_path / f"t.{kind}")
    duckdb.execute(f"COPY (SELECT * FROM '{PUMS}') TO '{file}'")
    for where in ("age >= 18 and sex = 1", "age between 20 and 30 or income > 1e5",
                  "not (race in (1, 2)) and educ <> 9", "married = 0", "pid is null"):  # fmt: skip
        assert count(run, file, "--where", where) == exact(where)


def test_every_command_takes_it_and_says_it(run: Run) -> None:
    """So does a dry run, and both print the same condition."""
    bounds = ["--column", "age", "--bounds", "0:100"]
    keys = ["--key-list", "0,1"]
    for command in (
        ["count", PUMS], ["sum", PUMS, *bounds], ["mean", PUMS, *bounds],
        ["variance", PUMS, *bounds], ["median", PUMS, *bounds],
        ["quantile", PUMS, *bounds, "--q", "0.5"],
        ["histogram", PUMS, "--column", "age", "--bins", "2", "--range", "0:100"],
        ["histogramdd", PUMS, "--column", "age", "--bins", "2", "--range", "0:100"],
        ["value-counts", PUMS, "--column", "sex", *keys],
        ["top-k", PUMS, "--column", "sex", "--k", "1", *keys],
        ["group-by", PUMS, "--by", "sex", *keys],
    ):  # fmt: skip
        for more in ([], ["--dry-run"], ["--json"], ["--dry-run", "--json"]):
            code, printed, _ = run(*command, "--where", "age<18", *E, *more)
            assert code == 0
            assert "only rows where age < 18" in printed
        refused(run(*command, "--where", "AGE < 18", *E), 2, "no column 'AGE' in")


def test_rows_are_left_out_before_the_rows_of_users_are_bounded(run: Run) -> None:
    where = "Day in (1, 2)"
    per_user = f"SELECT least(count(*), 2) n FROM '{WEEK}' WHERE {where} GROUP BY VisitorId"
    (expected,) = duckdb.sql(f"SELECT sum(n) FROM ({per_user})").fetchall()[0]
    bounded = ["--user", "VisitorId", "--max-rows", "2", "--where", where]
    assert count(run, WEEK, *bounded) == expected


def test_numbers_and_times_in_quotes_are_no_order_of_csv(run: Run, tmp_path: Path) -> None:
    rows = ["1,2024-01-01 08:00", "9,2024-01-02", "10,x", "01,2024-01-03"]
    file = tmp_path / "t.csv"
    file.write_text("\n".join(["a,t", *rows, ""]))
    for where, meant in (
        ("a < '10'", "a' of CSV with 10, not with '10'"),
        ("a between '1' and '9'", "with 1, not"),
        ("not ('1e3' >= a)", "with 1e3, not"),
        (
            "t < '2024-01-02'",
            "date '2024-01-02', or with an offset, timestamp '2024-01-02 00:00:00+",
        ),
        ("a = 1 or t >= ' 2024-01-02T08:00'", "with timestamp '2024-01-02T08:00', or with an"),
        ("t >= '2024-01-02T08:00Z'", "with timestamp '2024-01-02T08:00Z', not"),
        ("t < '2024-1-1'", "with a number such as 9.5 or date '2024-01-31', not with '2024-1-1'"),
        ("a < '9,5'", "with a number such as 9.5 or date '2024-01-31', not with '9,5'"),
    ):
        refused(run("count", str(file), "--where", where, *E), 2, meant)
        with pytest.raises(ValueError, match=re.escape(meant)):
            cydp.where(file, where)
    parquet_file = parquet(tmp_path, str(file))
    assert count(run, parquet_file, "--where", "t < '2024-01-02'") == 1  # a column of text
    note = "a constant in quotes is compared as text"
    for where, rows_left, is_said in (
        ("a = '1'", 1, True), ("a in ('1', '9')", 2, True), ("not (t = '2024-01-02')", 3, True),
        ("a = 1", 2, False), ("t = 'x'", 1, False), ("t > 'b'", 1, False), ("a < 10", 3, False),
    ):  # fmt: skip
        printed = run("count", str(file), "--where", where, *E)[1]
        made = cydp.count(cydp.where(file, where), epsilon=10**4)
        assert made.value == count(run, str(file), "--where", where) == rows_left
        assert (note in printed) == (note in made.to_text()) == (note in made.to_json()) == is_said
    assert note not in run("count", parquet_file, "--where", "a = '1'", *E)[1]


def test_a_row_decides_for_itself_alone(run: Run, tmp_path: Path) -> None:
    """The count of two tables together is the sum of their counts, whatever the rows hold."""
    wheres = ["a > 1", "a like '%1%'", "a is null or b = 'x'", "not (a in (1, 2))", "a <= 'm'",
              "a >= date '2024-01-01'"]  # fmt: skip
    rows = ["1,x", ",", "n/a,y", "2024-01-31,x", "nan,", "1e999,x", f"{SECRET},x", '"1\n1",x', "-1"]
    for where in wheres:
        counts = []
        for table in [[row] for row in rows] + [rows]:
            (tmp_path / "t.csv").write_text("\n".join(["a,b", *table, ""]))
            counts.append(count(run, str(tmp_path / "t.csv"), "--where", where))
        assert sum(counts[:-1]) == counts[-1]
        assert set(counts[:-1]) <= {0, 1}


def test_a_number_for_missing_ones_is_refused_where_rows_may_be_left_out(run: Run) -> None:
    """Under change-one it makes the number of rows public, which a condition does not leave so."""
    mean = ["mean", PUMS, "--column", "age", "--bounds", "50:100", *E, "--where", "age > 20"]
    fixed = [*mean, "--relation", "change-one", "--missing", "60"]
    for more in ([], ["--dry-run"]):
        words = "--missing must be 'drop' for rows that satisfy a condition, under 'change-one'"
        refused(run(*fixed, *more), 2, words)
        for others in (fixed[:-2], [*mean, "--missing", "60"], [*fixed, "--max-rows-per-unit", "1"],
                       [*fixed, "--user", "pid", "--max-rows", "1"]):  # fmt: skip
            assert run(*others, *more)[0] == 0


def test_a_charge_id_is_for_one_condition(run: Run, ledger: str) -> None:
    paid = ["count", PUMS, *E, "--max-rows-per-unit", "1", "--ledger", ledger, "--charge-id", "a"]
    first = run(*paid, "--where", "age >= 18")
    assert first[0] == 0
    again = run(*paid, "--where", "age>=18")[1]
    assert "the recorded result of charge 'a'" in again
    assert [line for line in again.splitlines() if line in first[1]] == first[1].splitlines()
    before = head(ledger)
    for other in (["--where", "age >= 19"], []):
        for more in ([], ["--dry-run"]):
            code, _, message = run(*paid, *other, *more)
            assert code == 1
            assert "differs in the options of the release" in message
    assert head(ledger) == before
    shown = run("ledger", "history", ledger)[1].splitlines()[-2]
    assert shown.endswith("count of rows in pums.csv, where age >= 18")
    entry = json.loads(run("ledger", "history", ledger, "--json")[1].splitlines()[-2])
    assert entry["query"]["reads"]["where"] == "age >= 18"
    assert entry["params"].endswith("where='age >= 18')")


def test_a_certificate_says_it(run: Run, tmp_path: Path) -> None:
    files = [str(tmp_path / name) for name in ("r.cert", "r.json")]
    release = ["count", PUMS, *E, "--where", "age >= 18", "--certificate", files[0]]
    assert run(*release, "--output", files[1])[0] == 0
    assert json.loads(Path(files[0]).read_text())["where"] == "age >= 18"
    assert run("verify-release", files[0], "--release", files[1])[0] == 0


def by_day(tmp_path: Path, *more: str, days: str = "1,2,3") -> str:
    path = str(tmp_path / "days.db")
    with BudgetLedger.create(
        path, PureDP(10**6), privacy_unit="row", by_block=True, block_column="Day"
    ) as made:
        made.add_blocks([*days.split(","), *more])
    return path


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_only_the_rows_of_the_blocks_are_read(run: Run, tmp_path: Path, form: str) -> None:
    file, path = WEEK if form == "csv" else parquet(tmp_path, WEEK), by_day(tmp_path)
    paid = ["--ledger", path, "--blocks"]
    for days in (["1"], ["3", "1"], ["1", "2", "3"]):
        assert count(run, file, *paid, *days) == exact(f"Day IN ({', '.join(days)})", WEEK)
    euros = '"Money spent (euros)" > 20'
    where = ["--where", euros]
    assert count(run, file, *paid, "2", *where) == exact(f"Day = 2 AND {euros}", WEEK)
    whole = count(run, file, *paid, "2", "--file-in-blocks")
    assert whole == exact("true", WEEK)
    printed = run("count", file, *E, *paid, "2", "1", "--dry-run")[1]
    assert "only rows where Day in blocks ('1', '2')" in printed
    with BudgetLedger.open(path) as opened:
        assert opened.remaining["3"] == PureDP(10**6 - 2 * 10**4)


def test_a_repetition_may_name_the_blocks_in_another_order(run: Run, tmp_path: Path) -> None:
    paid = ["count", WEEK, *E, "--ledger", by_day(tmp_path), "--charge-id", "a", "--blocks"]
    first = run(*paid, "1", "2")
    assert first[0] == 0
    assert run(*paid, "2", "1")[1].splitlines()[:4] == first[1].splitlines()[:4]
    assert "differs in --blocks" in run(*paid, "2")[2]


def test_dates_are_blocks(run: Run, tmp_path: Path) -> None:
    path, file = by_day(tmp_path, days="2024-01-01,2024-01-02"), str(tmp_path / "t.parquet")
    times = "range(TIMESTAMP '2024-01-01', TIMESTAMP '2024-01-03', INTERVAL 7 HOUR)"
    for kind, rows in [("DATE", [4, 3]), ("TIMESTAMP", [4, 3]), ("VARCHAR", [4, 3])]:
        duckdb.execute(f"COPY (SELECT unnest({times})::{kind} AS Day) TO '{file}'")
        found = [
            count(run, file, "--ledger", path, "--blocks", f"2024-01-0{day}") for day in (1, 2)
        ]
        assert found == rows
    file = str(tmp_path / "t.csv")
    Path(file).write_text(
        "Day\n2024-01-01 00:00\n2024-01-01\n2024-01-02T23:59\n2024-01-01T00:00Z\n"
    )
    assert count(run, file, "--ledger", path, "--blocks", "2024-01-01") == 2
    assert count(run, file, "--where", "Day < timestamp '2024-01-02T00:00Z'") == 1


def test_what_is_refused(run: Run, tmp_path: Path, path: str) -> None:
    """Each in one line that shows the condition, before anything is charged."""
    table = str(tmp_path / "t.parquet")
    duckdb.execute(f"COPY (SELECT '{SECRET}' AS s, 1 AS n, [1] AS l, 1.5 AS d, "
                   f"TIMESTAMPTZ '2024-01-01' AS z) TO '{table}'")  # fmt: skip
    days = by_day(tmp_path)
    with BudgetLedger.create(path, PureDP(1), privacy_unit="row", by_block=True) as made:
        made.add_block("1")
    names = {"TABLE": table, "DAYS": days, "LEDGER": path}
    by_condition: dict[str, str] = {
        "": "--where must have the name of a column, or a constant at its end",
        "n": "--where must have a comparison, 'in', 'between', 'like' or 'is' at its end",
        "n = (select 1)": "--where must have a constant: a number, a 'text', date '2024-01-31' at "
        "'(select 1)'",
        "random() < 0.5": "there are no functions", "n = 1; drop": "not '; drop'",
        "m = 1": "no column 'm' in", "s = 1": "compare column 's', which holds VARCHAR, with",
        "n = 'x'": "compare column 'n', which holds INTEGER, with a constant of its type, not with",
        "n like '1%'": "a column of text before 'like', and 'n' holds INTEGER",
        "l = 1": "which holds INTEGER[]", "z > '2024-01-01'": "a time with an offset for 'z'",
        "n in (1, 'a')": "constants of one kind in n in (1, 'a')",
    }  # fmt: skip
    count_of = ["count", "TABLE", *E]
    in_days = ["count", WEEK, *E, "--ledger", "DAYS"]
    refusals: list[Told] = [
        *(([*count_of, "--where", where], 2, words) for where, words in by_condition.items()),
        ([*count_of, "--where", "n = 1", "--where", "n = 2"], 2, "--where must be given once"),
        ([*count_of, "--file-in-blocks"], 2, "--file-in-blocks needs --blocks"),
        (in_days, 2, "--blocks must name the blocks that are read"),
        ([*in_days, "--blocks", "9"], 1, "--blocks must be in the ledger, and '9' is not"),
        (["count", PUMS, *in_days[2:], "--blocks", "1"], 2, "no column 'Day' in"),
        (["count", WEEK, *E, "--ledger", "LEDGER", "--blocks", "1"], 2,
         "--blocks needs to know which rows lie in them: make the ledger by `cydp ledger create "
         "--block-column`, or promise by --file-in-blocks"),
        (["ledger", "create", "x.db", *E, "--privacy-unit", "row", "--block-column", ""], 2,
         "--block-column must"),
    ]  # fmt: skip
    dry: list[Told] = [([*told[0], "--dry-run"], *told[1:]) for told in refusals[::4]]
    kept = [Path(days).read_bytes, Path(path).read_bytes]
    check_told(run, [*refusals, *dry], names, lambda: [each() for each in kept])
    odd = str(tmp_path / "odd.parquet")
    for column in ("d AS Day", "z AS Day", "l AS Day"):
        duckdb.execute(f"COPY (SELECT {column} FROM '{table}') TO '{odd}'")
        done = run("count", odd, *E, "--ledger", days, "--blocks", "1")
        refused(done, 2, "column 'Day' cannot tell the blocks of rows, since it holds")


def test_the_column_of_blocks_is_shown(run: Run, path: str) -> None:
    create = ["ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person"]
    assert run(*create, "--block-column", "day")[0] == 0
    assert "block column: day" in run("ledger", "show", path)[1].splitlines()
    assert json.loads(run("ledger", "show", path, "--json")[1])["block_column"] == "day"
    with BudgetLedger.open(path) as opened:
        assert opened.block_column == "day"
        opened.add_block("mon")
        opened.verify()


def test_no_value_is_shown_of_rows_that_cannot_be_compared(run: Run, tmp_path: Path) -> None:
    def release(*records: str) -> Any:
        (tmp_path / "t.csv").write_text("\n".join(["a,d", "1,x", *records, ""]))
        mean = ["mean", str(tmp_path / "t.csv"), "--column", "a", "--bounds", "0:4"]
        code, printed, message = run(*mean, "--where", "a > 0 and d <> 'y'", *E, "--json")
        facts = json.loads(printed)
        assert SECRET not in printed + message
        return code, message, facts["notes"], sorted(facts), list(facts["columns"])

    without = release()
    for record in (SECRET, f"{SECRET},{SECRET}", ",", "", "1e999", "nan,y", '"a\nb","c"', "\x00"):
        assert release(record) == without
