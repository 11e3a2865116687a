"""Every block of the README runs, in order, and prints what the README shows."""

from __future__ import annotations

from pathlib import Path

import pytest
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
        'pip install ".[cli]" && cydp histogram examples/data/pums.csv --column age '
        "--bins 10 --range 0:100 --epsilon 1\n",
        'pip install ".[test]" && pytest\n',
    ]
