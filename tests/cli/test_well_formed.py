"""cli/_well_formed.py: of what is well-formed, DuckDB sees the records that Python's csv sees."""

import csv
import gzip
import io
import json
import random
from pathlib import Path

import pytest
from cli.commands import Run, head, refused

from cydp.cli import _well_formed
from cydp.cli._data_file import Format, open_data
from cydp.cli._errors import FileError

SAFE = [
    "1", "2.5", "x", "\u00e9", "\u65e5", " ", "n/a", "'", "\\", "\t", "\0", ";", "inf", "", ",",
    ",", ",", "\n", "\n", "\r\n", "\r", ',"a",', ',"b\nc",', ',"d\r\n""e"\n', ',"",', ',"f,g",',
]  # fmt: skip
ODD = [*SAFE, '"', '""', '"a"', '"b\nc"', '"\n']
NO_UTF8 = [b"\xff", b"\xc3", b"\xe6\x97", b"\xed\xa0\x80"]

Record = tuple[float | None, str | None, int]


def expected(text: str) -> list[Record]:
    """Return the records that Python's csv module reads: a number, a label, and that it is one."""
    records: list[Record] = []
    for row in list(csv.reader(io.StringIO(text, newline="")))[1:]:
        if not row:
            continue
        try:
            number = float(row[0]) if row[0].isascii() else None
        except ValueError:
            number = None
        records.append((number, row[1] if len(row) > 1 and row[1] else None, 1))
    return records


def records_of(path: Path) -> list[Record]:
    file = open_data(str(path), Format())
    file.check()
    found: list[Record] = file.relation(["a"], ["b"], every_row=True).fetchall()
    return found


@pytest.mark.parametrize("files", [100, pytest.param(500, marks=pytest.mark.long)])
def test_records_are_those_of_another_reader(tmp_path: Path, files: int) -> None:
    """Files of odd pieces; most that may be ill-formed are, and are refused."""
    refused_files, wrong = 0, []
    for seed in range(files):
        chosen = random.Random(seed)
        pieces = ODD if seed % 2 else SAFE
        text = "a,b\n" + "".join(chosen.choices(pieces, k=chosen.randrange(1, 30)))
        path = tmp_path / ("t.csv.gz" if seed % 5 == 0 else "t.csv")
        path.write_bytes(gzip.compress(text.encode()) if seed % 5 == 0 else text.encode())
        try:
            found = records_of(path)
        except FileError:
            refused_files += 1
            assert '"' in text
            continue
        if found != expected(text):
            wrong.append(text)
    assert wrong == []
    assert files / 5 < refused_files < files / 2


def test_a_file_of_one_column(tmp_path: Path) -> None:
    """A blank line is no record; a quoted cell that is empty is one."""
    path = tmp_path / "t.csv"
    for end in ("\n", "\r\n", "\r"):
        path.write_text(end.join(["a", "1", "", '""', "x", ",,", "3,4", ""]), newline="")
        found = open_data(str(path), Format()).relation(["a"], []).fetchall()
        assert found == [(1,), (None,), (None,), (None,), (3,)]


def test_what_is_ill_formed_is_refused_wherever_a_chunk_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    for size in (3, 4, 5, 2**22):
        monkeypatch.setattr(_well_formed, "_CHUNK", size)
        for text in ('\ufeffa,b\n"\u65e5",\u00e9\n', '\ufeff"a",b\n1,2', 'a,b\n"1""","2"'):
            path.write_text(text)
            open_data(str(path), Format()).check()
        for text in ('a,b\n1,"2', 'a,b\n1,2"\n', 'a,b\n"1"2,3\n', 'a,b\n1, "2"\n', 'a,b\n"1" ,2\n'):
            path.write_text(text)
            with pytest.raises(FileError, match="is no well-formed CSV"):
                open_data(str(path), Format()).check()
        for no_text in NO_UTF8:
            path.write_bytes(b"a,b\n1,2\n" + no_text)
            with pytest.raises(FileError, match="is no text in UTF-8"):
                open_data(str(path), Format()).check()


def test_what_is_no_number_is_missing_and_is_counted(run: Run, tmp_path: Path) -> None:
    """Ten records are ten, whatever one of them holds: at this epsilon the noise is nearly none."""
    path = tmp_path / "t.csv"
    command = ["--column", "a", "--bounds", "100:104", "--missing", "100", "--epsilon", "1e6",
               "--relation", "change-one", "--json"]  # fmt: skip
    for cell, counts_as in (("104", 104), ("abc", 100), ('""', 100), ('"a ""b"', 100)):
        path.write_text("a\n" + 9 * "102\n" + cell + "\n")
        code, said, _ = run("sum", str(path), *command)
        assert (code, round(json.loads(said)["columns"]["sum"]["values"])) == (
            0,
            9 * 102 + counts_as,
        )


def test_an_ill_formed_file_is_refused_before_the_charge(
    run: Run, tmp_path: Path, ledger: str
) -> None:
    path = tmp_path / "t.csv"
    command = ["count", str(path), "--max-rows-per-unit", "1", "--ledger", ledger]
    before = head(ledger)
    for content in (b'a\n1\n"2\n', b"a\n1\n\xff\n"):
        path.write_bytes(content)
        refused(run(*command, "--epsilon", "0.1"), 2, "is no")
        assert head(ledger) == before
