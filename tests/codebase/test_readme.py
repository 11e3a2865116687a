"""Every block of the README runs, in order, and prints what the README shows.

Releases without a budget draw from a fixed key here, so that their numbers are those of the page.
"""

from __future__ import annotations

import ast
import contextlib
import io
import re
import shlex
import shutil
from pathlib import Path
from typing import Any

import pytest

from cydp.accounting import PrivacyError
from cydp.cli import main
from cydp.releases import _run
from cydp.testing import SeededGenerator

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "README.md").read_text()
BLOCKS = re.findall(r"^```(\w*)\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
INSTALLS = re.compile(r"pip install [^&]*(?:&& |$)")


class Reader:
    """Somebody who types every block, in a folder that has the examples."""

    def __init__(self) -> None:
        self.names: dict[str, Any] = {}
        self.printed = ""

    def python(self, text: str) -> None:
        """Run statements; an expression with a comment behind it has the value of the comment."""
        lines, printed = text.splitlines(), io.StringIO()
        for statement in ast.parse(text).body:
            assert statement.end_lineno is not None
            comment = lines[statement.end_lineno - 1][statement.end_col_offset :].strip()
            with contextlib.redirect_stdout(printed):
                if isinstance(statement, ast.Expr):
                    value = eval(ast.unparse(statement), self.names)
                    assert comment in ("", f"# {value!r}"), (comment, value)
                else:
                    assert not comment, "nothing is printed here"
                    exec(ast.unparse(statement), self.names)
        self.printed = printed.getvalue()

    def text(self, text: str) -> None:
        """Compare with what the block before has printed."""
        assert self.printed == text

    def pycon(self, text: str) -> None:
        """Run a statement that raises what the line below says."""
        statement, error = re.fullmatch(r">>> (.*)\n(.*)\n", text).groups()  # type: ignore[union-attr]
        with pytest.raises((PrivacyError, TypeError, ValueError)) as raised:
            exec(statement, self.names)
        assert f"{type(raised.value).__name__}: {raised.value}" == error

    def sh(self, text: str) -> None:
        """Run the commands of cydp; what installs it, and pytest, have run before."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            for line in text.replace("\\\n", "").splitlines():
                program, *arguments = shlex.split(INSTALLS.sub("", line))
                assert program in ("cydp", "pytest")
                assert program == "pytest" or main(arguments) == 0
        self.printed = printed.getvalue()


@pytest.fixture
def reader(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    shutil.copytree(ROOT / "examples" / "data", tmp_path / "examples" / "data")
    monkeypatch.chdir(tmp_path)
    seeded = SeededGenerator(1)
    monkeypatch.setattr(_run, "generator_or_default", lambda rng: rng or seeded)
    return Reader()


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
        "--bins 0:100:10 --epsilon 1\n",
        'pip install ".[test]" && pytest\n',
    ]
