"""Types the blocks of a page, in order, and compares what they print with what the page shows."""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import re
import shlex
import shutil
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from cydp.accounting import PrivacyError
from cydp.cli import main
from cydp.releases import _run
from cydp.testing import SeededGenerator

ROOT = Path(__file__).parents[2]
INSTALLS = re.compile(r"pip install [^&]*(?:&& |$)")


def blocks_of(page: Path) -> list[tuple[str, str]]:
    """Return the kind and the text of each block."""
    return re.findall(r"^```(\w*)\n(.*?)^```$", page.read_text(), re.DOTALL | re.MULTILINE)


def made_by(name: str) -> ModuleType:
    """Import a module of docs/site."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "docs" / "site")
        return importlib.import_module(name)


def reader_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Reader:
    """Return a reader in a folder that has the examples' data.

    Releases without a budget draw from a fixed key there, so that their numbers are the page's.
    """
    shutil.copytree(ROOT / "examples" / "data", folder / "examples" / "data")
    monkeypatch.chdir(folder)
    seeded = SeededGenerator(1)
    monkeypatch.setattr(_run, "generator_or_default", lambda rng: rng or seeded)
    return Reader()


class Reader:
    """Somebody who types every block."""

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
