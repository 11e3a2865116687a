"""releases/output/_files.py: CSV and Parquet, whole or not at all."""

from __future__ import annotations

import io
import math
import os
from datetime import date
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import pytest
from releases.output.made import MADE, failing, made
from releases.output.test_frames import COLUMNS, objects, table_of

import cydp
from cydp.releases.output import _files
from cydp.releases.output._files import csv_of
from cydp.releases.output._sheet import Numbers, Sheet, keys_of


def check_a_file_has_what_frames_have(name: str, folder: Path) -> None:
    release, path = made(name), folder / "file.parquet"
    release.to_parquet(path, overwrite=True)
    expected = release.to_arrow()
    read = duckdb.read_parquet(str(path))
    assert read.columns == expected.column_names
    assert read.fetchall() == list(zip(*expected.to_pydict().values(), strict=True))
    assert pq.read_schema(path).metadata.items() >= expected.schema.metadata.items()
    text = release.to_csv()
    assert text.splitlines()[0].split(",") == expected.column_names
    release.to_csv(folder / "file.csv", overwrite=True)
    assert (folder / "file.csv").read_bytes().decode() == text
    found = pd.read_csv(io.StringIO(text), keep_default_na=False)
    for column in expected.column_names:
        values = expected[column].to_pylist()
        written = values if not values or isinstance(values[0], float | int) else map(str, values)
        assert found[column].tolist() == list(written)


def test_an_open_file_is_written_to(tmp_path: Path) -> None:
    release, written = made("histogram"), io.StringIO("")
    assert release.to_csv(written, confidence=None) is None
    with (tmp_path / "t.csv").open("w", newline="") as file:
        release.to_csv(file, confidence=None)
    text = release.to_csv(confidence=None)
    assert written.getvalue() == text == (tmp_path / "t.csv").read_bytes().decode()


@pytest.mark.parametrize("write", ["to_csv", "to_parquet"])
def test_a_file_that_is_there_stays(
    write: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A link to nothing, too, and before the confidence is looked at."""
    monkeypatch.chdir(tmp_path)
    Path("mine").write_text("data")
    os.symlink("nowhere", "link")
    for path in ("mine", Path("link")):
        with pytest.raises(FileExistsError) as caught:
            getattr(made("histogram"), write)(path, confidence=7)
        shown = f"'{path}' exists already: choose another name, or add overwrite=True"
        assert str(caught.value) == shown
    with pytest.raises(TypeError, match=r"^overwrite must be True or False, not str$"):
        getattr(made("histogram"), write)("mine", overwrite="no")
    assert Path("mine").read_text() == "data"
    assert sorted(os.listdir()) == ["link", "mine"]
    getattr(made("histogram"), write)("mine", overwrite=True)
    assert Path("mine").read_bytes() != b"data"


def test_files_have_what_frames_have(tmp_path: Path) -> None:
    assert failing(lambda name: check_a_file_has_what_frames_have(name, tmp_path), MADE) == {}
    assert sorted(os.listdir(tmp_path)) == ["file.csv", "file.parquet"]


def check_keys_of_every_kind(name: str, folder: Path) -> None:
    given, kind, expected = COLUMNS[name]
    release = table_of(given if isinstance(given, np.ndarray) else objects(given))
    if "span" not in name:  # Parquet's own type for spans is not Arrow's
        release.to_parquet(folder / "keys.parquet", overwrite=True)
        read = duckdb.read_parquet(str(folder / "keys.parquet")).fetchall()
        nulls = [row[0] is None for row in read]
        assert nulls == [entry is None for entry in expected], kind
    assert len(release.to_csv(confidence=None).splitlines()) == len(expected) + 1


def test_files_have_keys_of_every_kind(tmp_path: Path) -> None:
    assert failing(lambda name: check_keys_of_every_kind(name, tmp_path), COLUMNS) == {}


def sheet_of(keys: list[Any], values: Any) -> Sheet:
    return Sheet(
        title="t", cost="", relation="", protects="", noise="",
        axes=(keys_of((objects(keys),), ("k",)),), columns=(Numbers(name="n", values=values),),
        confidence=cydp.PureDP("0.95").epsilon, simultaneous=False,
    )  # fmt: skip


FLOATS = [0.1, 1 / 3, -0.0, 5e-324, 1.7976931348623157e308, math.inf, -math.inf, 2.0**53 + 2]


def test_numbers_of_csv_read_back_exactly() -> None:
    text = csv_of(sheet_of(list("abcdefgh"), np.array(FLOATS)), intervals=False)
    for read in (
        [float(line.split(",")[1]) for line in text.splitlines()[1:]],
        pl.read_csv(io.StringIO(text))["n"].to_list(),
        pd.read_csv(io.StringIO(text))["n"].tolist(),
    ):
        assert [x.hex() for x in read] == [x.hex() for x in FLOATS]
    most = csv_of(sheet_of(["a", "b"], np.array([2**63 - 1, -(2**63)])), intervals=False)
    assert pl.read_csv(io.StringIO(most))["n"].to_list() == [2**63 - 1, -(2**63)]


def test_text_of_csv_reads_back_whatever_it_has() -> None:
    keys = ["a", "", ",", '"', 'a "b", c', "a\nb", "\r", " a ", "é", None, "null"]
    text = csv_of(sheet_of(keys, np.arange(len(keys))), intervals=False)
    assert pl.read_csv(io.StringIO(text))["k"].to_list() == keys
    kinds = csv_of(
        sheet_of([True, date(2026, 1, 2), b"a,\xff", 0.1], np.arange(4)), intervals=False
    )
    assert kinds == 'k,n\ntrue,0\n2026-01-02,1\n"a,\\xff",2\n0.1,3\n'


@pytest.mark.parametrize("name", ["to_csv", "to_parquet"])
def test_a_file_is_there_whole_or_as_it_was(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, write = tmp_path / "it's a \N{SNOWMAN} file", getattr(made("histogram"), name)
    write(path)
    first = path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()

    def fail(*_: Any) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(_files.os, "replace", fail)
    with pytest.raises(OSError, match="the disk is full"):
        getattr(made("mean"), name)(path, overwrite=True)
    assert path.read_bytes() == first
    assert os.listdir(tmp_path) == [path.name]
    monkeypatch.undo()
    getattr(made("mean"), name)(str(path), overwrite=True)
    assert path.read_bytes() != first
    assert os.listdir(tmp_path) == [path.name]


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


@pytest.mark.parametrize("name", ["to_csv", "to_parquet"])
def test_an_error_names_the_path_that_was_given(name: str, tmp_path: Path) -> None:
    write = getattr(made("histogram"), name)
    with pytest.raises(FileNotFoundError) as raised:
        write(tmp_path / "gone" / "a.csv")
    assert raised.value.filename == str(tmp_path / "gone" / "a.csv")
    with pytest.raises(TypeError, match=r"PathLike|path must be a path or an open text file"):
        write(7)
    with pytest.raises(ValueError, match="confidence"):
        write(tmp_path / "a.csv", confidence=1)
    assert os.listdir(tmp_path) == []
