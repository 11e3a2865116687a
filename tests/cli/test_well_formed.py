"""_columns/file_errors.py: of well-formed CSV DuckDB sees the records that Python's csv sees."""

import csv
import gzip
import io
import json
import random
import struct
import zlib
from pathlib import Path

import pandas as pd
import polars as pl
import pytest
from cli.commands import Run, head, refused

from cydp._columns import file_errors
from cydp._columns.file_errors import FileError
from cydp._columns.files import Format, open_data

SAFE = [
    "1", "2.5", "x", "\u00e9", "\u65e5", " ", "n/a", "'", "\\", "\t", "\0", ";", "inf", "", ",",
    ",", ",", "\n", "\n", "\n", ',"a",', ',"b\nc",', ',"d\r\n""e"\n', ',"",', ',"f,g",',
]  # fmt: skip
ODD = [*SAFE, "\r", "\r\n", '"', '""', '"a"', '"b\nc"', '"\n']
NO_UTF8 = [b"\xff", b"\xc3", b"\xe6\x97", b"\xed\xa0\x80"]

Record = tuple[float | None, str | None, int]


def expected(text: str) -> list[Record]:
    """Return the records that Python's csv module reads: a number, a label, and that it is one."""
    records: list[Record] = []
    for row in list(csv.reader(io.StringIO(text, newline="")))[1:]:
        if not row:
            if "b" in text.splitlines()[0]:  # a blank line is a record of one column alone
                continue
            row = [""]
        try:
            number = float(row[0]) if row[0].isascii() else None
        except ValueError:
            number = None
        records.append((number, row[1] if len(row) > 1 and row[1] else None, 1))
    return records


def records_of(path: Path) -> list[Record]:
    file = open_data(str(path), Format())
    file.check()
    rows = file.relation(["a"], list(file.names[1:]), every_row=True).fetchall()
    return [(row[0], row[1] if len(row) > 2 else None, 1) for row in rows]


@pytest.mark.parametrize("files", [100, pytest.param(500, marks=pytest.mark.long)])
def test_records_are_those_of_another_reader(tmp_path: Path, files: int) -> None:
    """Files of odd pieces; most that may be ill-formed are, and are refused."""
    refused_files, wrong = 0, []
    for seed in range(files):
        chosen = random.Random(seed)
        pieces = ODD if seed % 2 else SAFE
        text = "".join(chosen.choices(pieces, k=chosen.randrange(1, 30)))
        text = ("a\n" if seed % 7 == 0 else "a,b\n") + text
        if seed % 2 == 0:
            text = text.replace("\n", chosen.choice(["\n", "\r\n", "\r"]))
        path = tmp_path / ("t.csv.gz" if seed % 5 == 0 else "t.csv")
        path.write_bytes(gzip.compress(text.encode()) if seed % 5 == 0 else text.encode())
        try:
            found = records_of(path)
        except FileError:
            refused_files += 1
            assert set('"\r') & set(text)
            continue
        if [r[0] for r in found] != [r[0] for r in expected(text)] or (
            seed % 7 and found != expected(text)
        ):
            wrong.append(text)
    assert wrong == []
    assert files / 5 < refused_files < files / 2


def test_a_file_of_one_column(tmp_path: Path) -> None:
    """A blank line is a record that is missing: so libraries of frames write it."""
    path = tmp_path / "t.csv"
    for end in ("\n", "\r\n", "\r"):
        path.write_text(end.join(["a", "1", "", '""', "x", ",,", "3,4", ""]), newline="")
        file = open_data(str(path), Format())
        file.check()
        found = file.relation(["a"], []).fetchall()
        assert found == [(1,), (None,), (None,), (None,), (None,), (3,)]
    pl.DataFrame({"a": [104.0, None, 102.0]}).write_csv(path)
    assert open_data(str(path), Format()).relation(["a"], []).fetchall() == [
        (104,),
        (None,),
        (102,),
    ]


def test_one_record_does_not_count_as_many(tmp_path: Path) -> None:
    """Where lines end by a newline, pandas writes a carriage return as it is."""
    path = tmp_path / "t.csv"
    pd.DataFrame({"age": [30], "note": ["x" + "\r99" * 100]}).to_csv(path, index=False)
    with pytest.raises(FileError, match="all lines must end alike"):
        open_data(str(path), Format()).check()
    for ends in ("\r\r\n", "\n\r\n", "\r\n\r", "\r\n\n"):
        path.write_text(f"a,b{ends}1,2", newline="")
        with pytest.raises(FileError, match="all lines must end alike"):
            open_data(str(path), Format()).check()
    path.write_text('a,b\n"1\r2","3\r\n"\n', newline="")
    open_data(str(path), Format()).check()


def test_what_is_ill_formed_is_refused_wherever_a_chunk_ends(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    for size in (3, 4, 5, 2**22):
        monkeypatch.setattr(file_errors, "_CHUNK", size)
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


def gzip_member(text: bytes, flags: int = 0, more: bytes = b"") -> bytes:
    """Return a stream of gzip with these flags in its header, and more than ten bytes."""
    packer = zlib.compressobj(wbits=-15)
    head = b"\x1f\x8b\x08" + bytes([flags, 0, 0, 0, 0, 0, 255]) + more
    end = struct.pack("<II", zlib.crc32(text), len(text))
    return head + packer.compress(text) + packer.flush() + end


def test_gzip_that_duckdb_does_not_read_is_refused_before_the_charge(
    run: Run, tmp_path: Path, ledger: str
) -> None:
    """Python's gzip reads all of these. What DuckDB reads of them depends on its version."""
    path = tmp_path / "t.csv.gz"
    text = b"a\n" + b"1\n" * 10**4
    plain = gzip_member(text)
    forms = {
        "plain": plain,
        "named": gzip_member(text, 8, b"t.csv\0"),
        "two streams": plain + gzip_member(text[2:]),
        "zero bytes behind": plain + bytes(512),
        "one zero byte behind": plain + bytes(1),
        "comment": gzip_member(text, 16, b"made by hand\0"),
        "second with a comment": plain + gzip_member(text[2:], 16, b"made by hand\0"),
        "extra field": gzip_member(text, 4, b"\6\0BC\2\0\0\0"),
        "second with a long extra field": plain
        + gzip_member(text[2:], 4, b"\x60\xea" + bytes(60000)),
    }
    command = ["count", str(path), "--max-rows-per-unit", "1", "--epsilon", "0.1", "--json"]
    read = []
    for name, content in forms.items():
        path.write_bytes(content)
        before, rows = head(ledger), gzip.decompress(content).count(b"\n") - 1
        done = run(*command, "--ledger", ledger)
        if done[0] == 0:
            read.append(name)
            released = json.loads(done[1])["columns"]["count"]["values"]
            assert abs(released - rows) < 1000, name  # the noise is, but for 1 in e**100
        else:
            refused(done, 2, "cannot read", "compress it again")
            assert head(ledger) == before, name
    assert read[:3] == ["plain", "named", "two streams"]
