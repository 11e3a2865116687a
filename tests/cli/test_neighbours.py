"""What one record holds changes no message, no exit code and no column; no message shows it."""

import gzip
import json
from pathlib import Path

import duckdb
import pytest
from cli.commands import SECRET, Run, head, refused

from cydp import BudgetLedger, PureDP

E = ["--epsilon", "0.1"]
RECORDS = [
    f"{SECRET},{SECRET},{SECRET}", ",,", "", "1e999,x,y", "nan,,", '""""', f'"{SECRET}"', "1", "\t",
    f"1,2,3,4,{SECRET}", "\ufffd,1,2", "\x00,a,b", f'1,"{SECRET}\n{SECRET}",3',
    "1," + 3_000_000 * "y" + ",3",
]  # fmt: skip
COMMANDS = [
    ["histogram", "--column", "a", "--bins", "4", "--range", "0:4"],
    ["count", "--column", "a"],
    ["sum", "--column", "a", "--bounds", "0:4", "--user", "p", "--max-rows", "1"],
    ["mean", "--column", "a", "--bounds", "0:4"],
    ["variance", "--column", "a", "--bounds", "0:4"],
    ["median", "--column", "a", "--bounds", "0:4"],
    ["histogramdd", "--column", "a", "--column", "p", "--bins", "4", "--range", "0:4"],
    ["histogram", "--column", "a", "--bins", "0,1,4", "--by", "d", "--key-list", "x,y"],
    ["histogram", "--column", "a", "--bins", "1d", "--range", "2024-01-01:2024-01-05"],
    ["median", "--column", "a", "--bounds", "2024-01-01:2024-01-05", "--user", "p", "--max-rows",
     "1"],
    ["count", "--where", "a > 1 or d like 'x%' and not (a in ('1', '2'))"],
    ["contribution-bound", "--user", "p", "--by", "d", "--max", "3"],
    ["value-counts", "--column", "d", "--key-list", "x,y"],
    ["top-k", "--column", "d", "--k", "2", "--key-list", "x,y"],
    ["value-counts", "--column", "date_trunc('day', a)", "--key-list", "2024-01-01,2024-01-02"],
    ["group-by", "--by", "date_trunc('hour', a)", "--by", "d", "--key-list", "2024-01-01 10:00",
     "--key-list", "x,y"],
    ["quantile", "--column", "a", "--q", "0.5", "--bounds", "0:4"],
    ["group-by", "--by", "d", "--key-list", "x,y", "--mean", "a:0:4", "--quantile", "a:0.5:0:4",
     "--user", "p", "--max-partitions", "1"],
]  # fmt: skip


def write(tmp_path: Path, *records: str) -> str:
    file = tmp_path / "t.csv"
    text = "\n".join(["a,d,p", "1,x,7", *records, "2,y,8", ""])
    file.write_bytes(text.encode(errors="surrogateescape"))
    return str(file)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_records_of_any_kind(run: Run, tmp_path: Path, command: list[str]) -> None:
    def release(*records: str) -> tuple[int, str, str, object]:
        file, out = write(tmp_path, *records), tmp_path / "out.parquet"
        more = ["--epsilon", "1", "--json", "--output", str(out), "--force"]
        code, printed, message = run(command[0], file, *command[1:], *more)
        facts = json.loads(printed)
        assert SECRET not in printed + message
        described = duckdb.sql(f"DESCRIBE FROM '{out}'").fetchall()
        columns = {name: sorted(each) for name, each in facts["columns"].items()}
        return code, message, json.dumps([columns, facts["notes"], sorted(facts)]), described

    without, place = release(), COMMANDS.index(command)
    # The command that reads all columns takes all records, and every other one a quarter of them.
    for record in RECORDS if command[0] == "group-by" else RECORDS[place % 4 :: 4]:
        assert release(record) == without, record[:40]


def test_ill_formed_files_show_no_value(run: Run, tmp_path: Path) -> None:
    for record in ('"', f'"{SECRET}', f'{SECRET}"', f'"{SECRET}"1', f"\udcff{SECRET}"):
        file = write(tmp_path, record)
        for command in COMMANDS:
            refused(run(command[0], file, *command[1:], *E), 2, "is no ")


def test_broken_files_show_no_value(run: Run, tmp_path: Path) -> None:
    path = str(tmp_path / "b.db")
    BudgetLedger.create(path, PureDP(10), privacy_unit="row").close()
    file = tmp_path / "t.parquet"
    duckdb.execute(
        f"COPY (SELECT '{SECRET}' || i AS d, i AS a FROM range(50000) r(i)) TO '{file}' "
        "(COMPRESSION uncompressed)"
    )
    content = bytearray(file.read_bytes())
    content[4 : len(content) // 2] = SECRET.encode() * 10**6
    broken = bytes(content[: len(content) // 2]) + file.read_bytes()[-(len(content) // 2) :]
    file.write_bytes(broken)
    zipped = tmp_path / "t.csv.gz"
    zipped.write_bytes(gzip.compress(f"a,d\n{SECRET}\n".encode() * 10**5)[:-20])
    for data in (str(file), str(zipped)):
        for more in ([], ["--sum", "a:0:1"]):
            arguments = ["group-by", data, "--by", "d", "--key-list", "x", *more, *E]
            paid_by = ["--ledger", path]
            for paid in ([], paid_by, [*paid_by, "--charge-id", f"{more}{data}"]):
                before = head(path)
                done = run(*arguments, *paid)
                if done[0] == 0:  # the reader has not noticed
                    continue
                refused(done, 2, "cannot read '")
                charged = bool(paid) and data == str(file)  # of CSV, it is seen before
                assert (head(path) != before) == charged
                assert ("charged all the same" in done[2]) == charged
                assert ("another --charge-id" in done[2]) == (charged and len(paid) > 2)


def test_a_header_that_may_be_a_record_is_not_shown(run: Run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(f"{SECRET},{SECRET}\n1,2\n")
    for command in COMMANDS:
        if "--column" in command or "--by" in command:
            done = run(command[0], str(tmp_path / "t.csv"), *command[1:], "--epsilon", "1")
            refused(done, 2, "no column '")
