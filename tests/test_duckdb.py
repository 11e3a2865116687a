"""engines/duckdb.py: nothing in a file can raise, but the file's own shape can."""

from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest

from cydp.engines.duckdb import FileError, read_column


def present(values: Any) -> list[float]:
    array = np.ma.masked_invalid(np.ma.asarray(values, dtype=float))
    return [float(value) for value in array.compressed()]


def csv(tmp_path: Path, content: bytes, name: str = "table.csv") -> str:
    file = tmp_path / name
    file.write_bytes(content)
    return str(file)


@pytest.mark.parametrize(
    ("content", "values"),
    [
        (b"a,b\n1,x\n2,y\n", [1, 2]),
        (b"a,b\r\n1,x\r\n2,y\r\n", [1, 2]),
        (b"\xef\xbb\xbfa,b\n1,x\n", [1]),  # a byte order mark
        (b"a,b\n", []),
        (b"a,b\n1,x\nword,y\n,z\n3,x\n", [1, 3]),  # what is no number is missing
        (b'a,b\n"1",x\n" 2 ",y\n1e2,z\n', [1, 2, 100]),
        (b"a,b\n1\n2,x,too,many\n3,x\n", [1, 2, 3]),
        (b"a,b\n1,x\n\n\n3,x\n", [1, 3]),
        (b"a,b\n1,x\n\xff\xfe,x\n3,x\n", [1, 3]),  # not UTF-8
        (b"a,b\n1,x\n2," + b"y" * 3_000_000 + b"\n3,x\n", [1, 3]),
        (b'a,b\n1,"x\ny"\n2,z\n', [1, 2]),  # a newline inside quotes,
        (b'a,b\n1,x\n2,"y\nz"\n', [1, 2]),  # at the end,
        (b"a,b\n" + 400_000 * b"1,xxxxxxxx\n" + b'2,"y\nz"\n3,x\n', 400_000 * [1] + [2, 3]),
        (b"b,a\nx,1\ny,2\n", [1, 2]),
        (b'"a",b\n1,x\n', [1]),
    ],
)
def test_csv(tmp_path: Path, content: bytes, values: list[float]) -> None:
    assert present(read_column(csv(tmp_path, content), "a")) == values


def test_infinities_and_nan_are_numbers(tmp_path: Path) -> None:
    column = read_column(csv(tmp_path, b"a\ninf\n-inf\nnan\n1e999\n"), "a")
    assert set(np.ma.compressed(column)[:2]) == {np.inf, -np.inf}


@pytest.mark.parametrize(
    "name",
    [
        "with 'quote.csv",
        "with *.csv",
        "[a].csv",
        "no suffix",
        "ä.csv",
        "~tilde.csv",
        "a=9/table.csv",
    ],
)
def test_names_are_taken_literally(tmp_path: Path, name: str) -> None:
    csv(tmp_path, b"a\n5\n", "with other.csv")
    (tmp_path / "a=9").mkdir()
    assert present(read_column(csv(tmp_path, b"a\n1\n", name), "a")) == [1]


def test_parquet(tmp_path: Path) -> None:
    file = str(tmp_path / "table.parquet")
    duckdb.execute(
        "COPY (SELECT i, i::UTINYINT u, (i / 2)::DECIMAL(9, 1) d, i > 1 b, i::HUGEINT h, "
        "CASE WHEN i = 1 THEN NULL ELSE i END n, 'x' s, DATE '2020-01-01' t, i \"a\"\"b\" "
        f"FROM range(4) r(i)) TO '{file}'"
    )
    for column in ("i", "u", "h", 'a"b'):
        assert present(read_column(file, column)) == [0, 1, 2, 3]
    assert present(read_column(file, "d")) == [0, 0.5, 1, 1.5]
    assert present(read_column(file, "b")) == [0, 0, 1, 1]
    assert present(read_column(file, "n")) == [0, 2, 3]
    for column in ("s", "t"):
        with pytest.raises(FileError, match="must be numeric"):
            read_column(file, column)
    with pytest.raises(FileError, match="no column 'x'"):
        read_column(file, "x")


def test_large_integers_stay_exact(tmp_path: Path) -> None:
    file = str(tmp_path / "table.parquet")
    duckdb.execute(f"COPY (SELECT 9007199254740993 AS i) TO '{file}'")
    assert int(read_column(file, "i")[0]) == 2**53 + 1


def test_files_that_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="no such file"):
        read_column(str(tmp_path / "none.csv"), "a")
    with pytest.raises(FileError, match="not a regular file"):
        read_column(str(tmp_path), "a")
    with pytest.raises(FileError, match="as Parquet"):
        read_column(csv(tmp_path, b"a\nsecret 1\n", "text.parquet"), "a")
    with pytest.raises(FileError, match="no column"):
        read_column(csv(tmp_path, b""), "a")
    with pytest.raises(FileError, match="no column"):
        read_column(csv(tmp_path, b"\xff\xfea,b\n1,2\n"), "a")
    with pytest.raises(FileError, match="more than one column 'a'"):
        read_column(csv(tmp_path, b"a,a\n1,2\n"), "a")


def test_no_message_shows_what_may_be_a_record(tmp_path: Path) -> None:
    with pytest.raises(FileError) as error:
        read_column(csv(tmp_path, b"Alice Smith,positive,42\n"), "age")
    assert "Alice" not in str(error.value)


def test_a_directory_names_no_column(tmp_path: Path) -> None:
    (tmp_path / "i=9").mkdir()
    file = str(tmp_path / "i=9" / "table.parquet")
    duckdb.execute(f"COPY (SELECT i, [i] l FROM range(3) r(i)) TO '{file}'")
    assert present(read_column(file, "i")) == [0, 1, 2]
    with pytest.raises(FileError, match="must be numeric"):
        read_column(file, "l")


def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "duckdb", None)
    with pytest.raises(FileError, match=r"pip install 'cydp\[cli\]'"):
        read_column("x.csv", "a")
