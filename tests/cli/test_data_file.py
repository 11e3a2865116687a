"""_columns/files.py: nothing that a record says can raise, but the file's own shape can."""

import bz2
import gzip
import lzma
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from cli.commands import Run, refused
from refusals import check_refusals

import cydp
from cydp._columns import files
from cydp._columns.declared import Records
from cydp._columns.file_errors import FileError
from cydp._columns.files import Format, connect, open_data
from cydp._columns.stored_tables import table_of_relation

OPENED: list[Any] = []  # a relation does not outlive its file


def present(path: str, column: str) -> list[float]:
    """Return what is neither null nor NaN."""
    file = open_data(path, Format())
    rows = file.relation([column], []).fetchall()
    return [float(value) for (value,) in rows if value is not None and not math.isnan(value)]


def read_column(path: str, column: str) -> Any:
    file = open_data(path, Format())
    OPENED.append(file)
    return file.relation([column], [])


def type_of(path: str, column: str) -> Any:
    """Return the dtype that a release sees."""
    table = table_of_relation(read_column(path, column))
    return Records(table.column(column, "x")).dtype


def csv(tmp_path: Path, content: bytes, name: str = "table.csv") -> str:
    file = tmp_path / name
    file.write_bytes(content)
    return str(file)


CONTENTS: list[tuple[bytes, list[float]]] = [
    (b"a,b\n1,x\n2,y\n", [1, 2]),
    (b"a,b\r\n1,x\r\n2,y\r\n", [1, 2]),
    (b"\xef\xbb\xbfa,b\n1,x\n", [1]),  # a byte order mark
    (b"a,b\n", []),
    (b"a,b\n1,x\nword,y\n,z\n3,x\n", [1, 3]),  # what is no number is missing
    (b'a,b\n"1",x\n" 2 ",y\n1e2,z\n', [1, 2, 100]),
    (b"a,b\n1\n2,x,too,many\n3,x\n", [1, 2, 3]),
    (b"a,b\n1,x\n\n\n3,x\n", [1, 3]),
    (b"a,b\n1,x\n2," + b"y" * 3_000_000 + b"\n3,x\n", [1, 2, 3]),
    (b'a,b\n1,"x\ny"\n2,z\n', [1, 2]),  # a newline inside quotes,
    (b'a,b\n1,x\n2,"y\nz"\n', [1, 2]),  # at the end,
    (b"a,b\n" + 400_000 * b",xxxxxxxx\n" + b'2,"y\nz"\n3,x\n', [2, 3]),  # far behind
    (b"b,a\nx,1\ny,2\n", [1, 2]),
    (b'"a",b\n1,x\n', [1]),
]


def test_csv(tmp_path: Path) -> None:
    wrong = [c[:40] for c, values in CONTENTS if present(csv(tmp_path, c), "a") != values]
    assert wrong == []


def test_infinities_and_nan_are_numbers(tmp_path: Path) -> None:
    rows = read_column(csv(tmp_path, b"a\ninf\n-inf\nnan\n1e999\n"), "a").fetchall()
    assert [value for (value,) in rows[:2]] == [np.inf, -np.inf]


def test_names_are_taken_literally(tmp_path: Path) -> None:
    csv(tmp_path, b"a\n5\n", "with other.csv")
    (tmp_path / "a=9").mkdir()
    for name in ("with 'quote.csv", "with *.csv", "[a].csv", "no suffix", "ä.csv", "~tilde.csv",
                 "a=9/table.csv"):  # fmt: skip
        assert present(csv(tmp_path, b"a\n1\n", name), "a") == [1], name


def test_parquet(tmp_path: Path) -> None:
    file = str(tmp_path / "table.parquet")
    duckdb.execute(
        "COPY (SELECT i, i::UTINYINT u, (i / 2)::DECIMAL(9, 1) d, i > 1 b, i::HUGEINT h, "
        "CASE WHEN i = 1 THEN NULL ELSE i END n, 'x' s, DATE '2020-01-01' t, i \"a\"\"b\" "
        f"FROM range(4) r(i)) TO '{file}'"
    )
    for column in ("i", "u", "h", 'a"b'):
        assert present(file, column) == [0, 1, 2, 3]
    assert present(file, "d") == [0, 0.5, 1, 1.5]
    assert present(file, "b") == [0, 0, 1, 1]
    assert present(file, "n") == [0, 2, 3]
    for column, says in (("s", "numeric"), ("t", "numeric"), ("x", "no column 'x'")):
        with pytest.raises(FileError if column == "x" else TypeError, match=says):
            read_column(file, column)


def test_integers_keep_their_type_beside_nulls(tmp_path: Path) -> None:
    file = str(tmp_path / "table.parquet")
    kinds = [f"{sign}{kind}" for sign in ("", "U") for kind in
             ("TINYINT", "SMALLINT", "INTEGER", "BIGINT")]  # fmt: skip
    columns = ", ".join(f"IF(i = 1, NULL, i)::{kind} AS {kind}" for kind in kinds)
    # A column that is called x is not taken for the one that is asked for.
    duckdb.execute(f"COPY (SELECT {columns}, NULL::INTEGER x FROM range(3) r(i)) TO '{file}'")
    dtypes = ["int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"]
    for kind, dtype in zip(kinds, dtypes, strict=True):
        assert type_of(file, kind) == np.dtype(dtype)
        assert present(file, kind) == [0, 2]
    assert present(file, "x") == []
    duckdb.execute(f"COPY (SELECT 9007199254740993 AS i) TO '{file}'")
    assert read_column(file, "i").fetchall() == [(2**53 + 1,)]


def garbled(tmp_path: Path) -> str:
    """Return a Parquet file with a whole footer and broken data."""
    file = tmp_path / "garbled.parquet"
    duckdb.execute(f"COPY (SELECT 7 * i AS i FROM range(5000) r(i)) TO '{file}'")
    content = bytearray(file.read_bytes())
    content[4:1000] = b"\xff" * 996
    file.write_bytes(content)
    return str(file)


def test_the_values_of_a_broken_file_are_read_after_the_charge(
    run: Run, tmp_path: Path, ledger: str
) -> None:
    release = ["histogram", garbled(tmp_path), "--column", "i", "--bins", "1", "--range", "0:1"]
    paid = [*release, "--max-rows-per-unit", "1", "--ledger", ledger, "--epsilon"]
    refused(run(*paid, "2"), 1, "is left in")  # not the file's error: it is not read
    refused(run(*paid, "0.4"), 2, "as Parquet; the ledger was charged all the same")
    refused(run(*release, "--epsilon", "1"), 2, "as Parquet")
    with cydp.BudgetLedger.open(ledger) as opened:
        assert opened.spent == cydp.PureDP("0.4")


def test_a_broken_file_is_said_in_our_words(tmp_path: Path) -> None:
    for kind in ("parquet", "csv"):
        path = tmp_path / f"secret.{kind}"
        duckdb.execute(f"COPY (SELECT 'secret' AS a) TO '{path}'")
        file = open_data(str(path), Format())
        path.unlink()
        with pytest.raises(FileError) as error:
            file.relation([], ["a"]).fetchall()
        assert str(error.value) == file.cannot_read


def test_delimiters_and_gzip(tmp_path: Path) -> None:
    for delimiter, name in {";": "a b", "\t": "a,b", "|": "a.b", " ": "a", "\\": 'a "b"',
                            "'": "a"}.items():  # fmt: skip
        header = '"' + name.replace('"', '""') + '"'
        text = f"{header}{delimiter}x\n1{delimiter}y\n2{delimiter}z\n".encode()
        for file in ("t.csv", "t.CSV.GZ"):
            content = gzip.compress(text) if file.endswith("GZ") else text
            data = open_data(csv(tmp_path, content, file), Format(delimiter=delimiter))
            assert data.relation([name], ["x"]).fetchall() == [(1, "y"), (2, "z")]


def test_the_format_can_be_forced(tmp_path: Path) -> None:
    text = csv(tmp_path, b"a\n1\n", "t.parquet")
    data = open_data(text, Format("csv"))
    assert data.relation(["a"], []).fetchall() == [(1,)]
    duckdb.execute(f"COPY (SELECT 1 AS a) TO '{tmp_path}/t.bin' (FORMAT parquet)")
    data = open_data(f"{tmp_path}/t.bin", Format("parquet"))
    assert (data.kind, data.count_rows(), data.type_of("a")) == ("Parquet", 1, "INTEGER")


def test_columns_that_do_not_go_together(tmp_path: Path) -> None:
    duckdb.execute(f"COPY (SELECT 1 AS a, 'x' AS b) TO '{tmp_path}/t.parquet'")
    for file in (csv(tmp_path, b"a,A,b\n1,2,3\n"), f"{tmp_path}/t.parquet"):
        data = open_data(file, Format())
        with pytest.raises(FileError, match="'a' must be used either for numbers or for keys"):
            data.relation(["a"], ["a"])
        assert data.relation(["a"], ["b", "b"]).columns == ["a", "b"]
        if data.kind == "CSV":
            with pytest.raises(FileError, match="'a' and 'A' differ in case only"):
                data.relation(["a"], ["A"])


def test_every_row_has_a_row(tmp_path: Path) -> None:
    data = open_data(csv(tmp_path, b"Row,x\n1,2\n,\n"), Format())
    assert data.row_name(["Row"]) == "row_"
    assert data.relation([], ["Row"], every_row=True).fetchall() == [("1", 1), (None, 1)]


TABLE = b"a,b\n" + 1000 * b"1,2\n"
TWICE = gzip.compress(gzip.compress(TABLE, mtime=0), mtime=0)


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No message shows a record, which the first line may be."""
    contents: dict[str, tuple[str, bytes, str]] = {
        "text as Parquet": ("t.parquet", b"a\nSECRET 1\n", "as Parquet"),
        "empty": ("t.csv", b"", "t.csv' is empty"),
        "a record as header": ("t.csv", b"SECRET,positive,42\n", "no column 'a'"),
        "two columns": ("t.csv", b"a,a\n1,2\n", "more than one column 'a'"),
        "bzip2": ("t.csv.bz2", bz2.compress(TABLE), "is compressed by bzip2"),
        "xz": ("t.csv.xz", lzma.compress(TABLE), "is compressed by xz"),
        "gzip": ("t.csv", gzip.compress(TABLE), "is compressed by gzip: name it *.gz"),
        "gzip twice": ("t.csv.gz", TWICE, "is compressed by gzip"),
        "zstd": ("t.csv.zst", b"\x28\xb5\x2f\xfd\x24\x00", "is compressed by zstd"),
        "zip": ("t.xlsx", b"PK\x03\x04\x14\x00", "is a ZIP archive or a workbook"),
        "xls": ("t.xls", b"\xd0\xcf\x11\xe0\xa1\xb1", "is a workbook"),
        "sqlite": ("t.db", b"SQLite format 3\x00", "is a database"),
    }
    for text in ("a,b\n1,2\n", "\ufeffa,b\n"):
        for code, says in (("utf-16-le", ""), ("utf-16-be", ""), ("utf-32-be", "")):
            contents[f"{code} {text}"] = ("t.csv", text.encode(code), says)
    duckdb.execute(f"COPY (SELECT 1 AS a) TO '{tmp_path}/t.data' (FORMAT parquet)")
    paths = [
        (str(tmp_path / "none.csv"), "no such file"), (str(tmp_path), "is a directory"),
        (str(tmp_path / "t.data"), "is Parquet: name it *.parquet"),
    ]  # fmt: skip
    if sys.platform == "linux":
        paths.append((csv(tmp_path, b"a\n1\n", os.fsdecode(b"\xff.csv")), "cannot open"))
    refusals = {
        words: (lambda path=path: read_column(path, "a"), FileError, (words,))
        for path, words in paths
    }
    for name, (file, content, words) in contents.items():
        refusals[name] = (
            lambda file=file, content=content: read_column(csv(tmp_path, content, file), "a"),
            FileError, (words,),
        )  # fmt: skip
    check_refusals(refusals, never=("SECRET",))

    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "SECRET")

    file = csv(tmp_path, TABLE)
    with monkeypatch.context() as patch:
        patch.setattr(Path, "open", denied)
        with pytest.raises(FileError, match=r"^permission denied: '"):
            open_data(file, Format())
    monkeypatch.setitem(sys.modules, "duckdb", None)
    with pytest.raises(ImportError, match=r"pip install 'cydp\[files\]'"):
        open_data(file, Format())


def test_headers_that_begin_like_other_formats(tmp_path: Path) -> None:
    for name in ("BZh9", "PAR1", "PK", "SQLite format 3"):
        assert present(csv(tmp_path, f"{name},a\nx,1\n".encode()), "a") == [1]


@pytest.mark.long
def test_a_longer_cell_is_said_in_our_words(tmp_path: Path) -> None:
    content = gzip.compress(b"a,b\n1,x\n2," + 10**8 * b"S" + b"\n3,y\n", 1)
    with pytest.raises(duckdb.Error):
        present(csv(tmp_path, content, "t.csv.gz"), "a")


def test_nothing_goes_to_a_disk_and_nothing_comes_from_a_network() -> None:
    names = ("temp_directory", "autoinstall_known_extensions", "autoload_known_extensions")
    asked = ", ".join(f"current_setting('{name}')" for name in names)
    assert connect().execute(f"SELECT {asked}").fetchone() == ("", False, False)


NOTEBOOK = """
import sys, types
sys.modules["IPython"] = notebook = types.ModuleType("IPython")
notebook.get_ipython = lambda: types.SimpleNamespace(config={"IPKernelApp": 1})
sys.modules["ipywidgets"] = None
"""


@pytest.mark.parametrize("before", ["", NOTEBOOK], ids=["shell", "notebook without ipywidgets"])
def test_an_interactive_python_is_told_no_progress(before: str) -> None:
    """It would say how many rows there are. Python with -c is interactive for DuckDB."""
    code = before + (
        "from cydp._columns.files import connect\n"
        "asked = 'SELECT current_setting(\\'enable_progress_bar\\')'\n"
        "print([each.execute(asked).fetchone() for each in (connect(), connect().cursor())])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[(False,), (False,)]\n"


def test_too_little_memory_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(files._SETTINGS, "memory_limit", "20MB")
    file = csv(tmp_path, b"a,b\n" + 3 * 10**7 * b"S" + b",1\n")
    relation = read_column(file, "b")
    with pytest.raises(MemoryError, match=r"^the relation could not be read: DuckDB has too"):
        table_of_relation(relation).column("b", "x").x.arrays()
    done = OPENED[-1]
    with pytest.raises(FileError, match=r"^not enough memory to read '"):
        done._ask(lambda connection: connection.sql(f"FROM {done._scan}").fetchall())


def test_a_directory_names_no_column(tmp_path: Path) -> None:
    (tmp_path / "i=9").mkdir()
    file = str(tmp_path / "i=9" / "table.parquet")
    duckdb.execute(f"COPY (SELECT i, [i] l FROM range(3) r(i)) TO '{file}'")
    assert present(file, "i") == [0, 1, 2]
    with pytest.raises(TypeError, match="must be numeric"):
        read_column(file, "l")
