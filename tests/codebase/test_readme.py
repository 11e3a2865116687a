"""Every block of the README runs, in order, and prints what the README shows."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from codebase import readme_alone
from codebase.reader import ROOT, Reader, blocks_of, reader_in

BLOCKS = blocks_of(ROOT / "README.md")


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    return reader_in(tmp_path, monkeypatch)


def test_every_block_runs_and_prints_what_is_shown(reader: Reader) -> None:
    assert {kind for kind, _ in BLOCKS} == {"python", "pycon", "sh", "text"}
    for kind, text in BLOCKS:
        getattr(reader, kind)(text)


def test_a_wrong_comment_is_noticed(reader: Reader) -> None:
    reader.python("x = 1\nx + 1  # 2\nprint(x)\n")
    reader.text("1\n")
    for wrong in ("1 + 1  # 3", "x = 1  # 1", "print(1)  # 1"):
        with pytest.raises(AssertionError):
            reader.python(wrong)
    with pytest.raises(AssertionError):
        reader.text("2\n")


def test_the_two_commands_that_every_clone_runs() -> None:
    commands = [text for kind, text in BLOCKS if kind == "sh"][:2]
    assert commands == [
        'pip install ".[all]" && cydp histogram examples/data/pums.csv --column age '
        "--bins 10 --range 0:100 --epsilon 1\n",
        'pip install ".[test]" && pytest\n',
    ]


def test_the_first_command_installs_all_that_the_page_needs(tmp_path: Path) -> None:
    words = [sys.executable, readme_alone.__file__, str(tmp_path)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_other_extras_bring_is_away_then() -> None:
    assert readme_alone.first_command() == "[all]"
    away, without_plot = (set(readme_alone.others(extras)) for extras in ("[all]", "[files]"))
    assert {"scipy", "dp_accounting", "hypothesis"} <= away
    assert not away & {"numpy", "nanoarrow", "duckdb", "pandas", "polars", "pyarrow", "matplotlib"}
    assert {"pandas", "polars", "pyarrow", "matplotlib"} <= without_plot
    assert readme_alone.brought_by(["cydp[cli]"]) == readme_alone.brought_by(["cydp[files]"])
