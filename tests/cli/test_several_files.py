"""Several files, globs, and the standard input: one table each."""

import gzip
import io
import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli.commands import SECRET, Run, parquet, refused

from cydp import BudgetLedger, PureDP

SURE = ("--epsilon", "10000")


def count_of(done: tuple[int, str, str]) -> int:
    code, printed, said = done
    assert (code, said) == (0, ""), said
    return int(printed.split()[1].replace(",", ""))


def typed(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(content), closed=False))


def test_files_of_one_table(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for i, rows in enumerate((1, 2, 4)):
        Path(f"{i}.csv").write_text("age,sex\n" + "31,f\n" * rows)
    assert count_of(run("count", "0.csv", "2.csv", *SURE)) == 5
    assert count_of(run("count", "[01].csv", *SURE)) == 3
    assert count_of(run("count", "*.csv", "0.csv", *SURE)) == 7  # each file once
    Path("*.csv").write_text("age,sex\n")
    assert count_of(run("count", "*.csv", *SURE)) == 0  # a file of exactly this name
    Path("other.csv").write_text(f"age,{SECRET}\n31,f\n")
    refused(run("count", "0.csv", "other.csv", *SURE), 2, "'0.csv' and 'other.csv'", "same columns")
    refused(run("count", "*.tsv", *SURE), 2, "no file matches '*.tsv'")
    refused(run("count", "0.csv", "no.csv", *SURE), 2, "no such file: 'no.csv'")
    output = ("--output", "1.csv", "--force")
    refused(run("count", "[01].csv", *SURE, *output), 2, "--output", "1.csv")
    found = parquet(tmp_path, str(tmp_path / "0.csv"))
    refused(run("count", "0.csv", found, *SURE), 2, "both be CSV, or both Parquet")


@pytest.mark.parametrize("compressed", [False, True])
def test_standard_input(run: Run, monkeypatch: pytest.MonkeyPatch, compressed: bool) -> None:
    """It is read as a file is, several times with users, and nothing of it stays on the disk."""
    content = b"age,user\n" + b"".join(b"%d,%d\n" % (i % 90, i % 7) for i in range(1000))
    monkeypatch.setattr("cydp._columns.shared._USER_ROWS", 300)
    made: list[str] = []
    make = tempfile.mkdtemp

    def seen(*arguments: object, **named: object) -> str:
        made.append(make(*arguments, **named))  # type: ignore[call-overload]
        assert os.stat(made[-1]).st_mode & 0o077 == 0
        return made[-1]

    monkeypatch.setattr(tempfile, "mkdtemp", seen)
    for arguments, expected in (((), 1000), (("--user", "user", "--max-rows", "100"), 700)):
        typed(monkeypatch, gzip.compress(content) if compressed else content)
        assert count_of(run("count", "-", *SURE, *arguments)) == expected
    typed(monkeypatch, f'age,user\n{SECRET},"1\n'.encode())
    refused(run("count", "-", *SURE), 2, "no well-formed CSV")
    typed(monkeypatch, b"age,user\n31,1\n")
    code, printed, _ = run("count", "-", "--epsilon", "1", "--dry-run")
    assert (code, "count" in printed) == (0, True)
    assert len(made) == 4
    assert not any(map(os.path.exists, made))


def test_parquet_on_standard_input(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = Path(parquet(tmp_path)).read_bytes()
    for form in ([], ["--format", "parquet"]):
        typed(monkeypatch, content)
        assert count_of(run("count", "-", *SURE, *form)) == 1000
    typed(monkeypatch, content)
    said = "--delimiter is for CSV, and the standard input is read as Parquet"
    refused(run("count", "-", *SURE, "--delimiter", ";"), 2, said)


def test_what_standard_input_cannot_be(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    typed(monkeypatch, b"age\n31\n")
    paid = (*SURE, "--ledger", ledger)
    said = "cannot read the standard input as Parquet"
    refused(run("count", "-", "--format", "parquet", *paid), 2, said)
    typed(monkeypatch, b"PK\x03\x04")
    refused(run("count", "-", *paid), 2, "the standard input is a ZIP archive")
    typed(monkeypatch, b"age\n31\n")
    refused(run("count", "-", "-", *paid), 2, "must be named once")
    refused(run("sum", "-", "--column", "x", "--bounds", "0:1", *SURE), 2,
            "no column 'x' in the first line of the standard input")  # fmt: skip
    typed(monkeypatch, b"")
    refused(run("count", "-", *paid), 2, "the standard input is empty")
    monkeypatch.setattr(sys, "stdin", None)
    refused(run("count", "-", *SURE), 2, "no standard input")
    with BudgetLedger.open(ledger) as opened:
        assert opened.spent == PureDP(0)


def test_a_charge_is_for_these_files(
    run: Run, ledger: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv"):
        Path(name).write_text("age\n31\n")
    paid = (
        "--epsilon",
        "0.1",
        "--ledger",
        ledger,
        "--charge-id",
        "one",
        "--max-rows-per-unit",
        "1",
    )
    first = run("count", "a.csv", "b.csv", *paid)
    again = run("count", "a.csv", "b.csv", *paid)[1].splitlines()
    assert (first[0], [line for line in again if line in first[1]]) == (0, first[1].splitlines())
    refused(run("count", "a.csv", *paid), 1, "charge")
    refused(run("count", "*.csv", *paid), 1, "charge")
    with BudgetLedger.open(ledger) as opened:
        (charge,) = [entry for entry in opened.history() if entry["kind"] == "charge"]
    assert "a.csv and 1 more" in charge["label"]
