"""Each adapter is short, and its page has its figures; a host that is missing skips its tests."""

from __future__ import annotations

import ast
import re
import sys
from pathlib import Path

import pytest
from examples.adapters.hosts import ADAPTERS
from harness.environments import UnavailableError

from examples.adapters import hosts

FILES = sorted(ADAPTERS.glob("*.py"))
PAGE = (ADAPTERS / "README.md").read_text()


def test_there_are_four() -> None:
    assert len(FILES) == 4


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_adapter_is_one_short_file_with_figures(file: Path) -> None:
    text = file.read_text()
    assert len(text.splitlines()) <= 40
    said = " ".join((ast.get_docstring(ast.parse(text)) or "").split())
    before, after = re.findall(r"([\d.]+ m?s) (?:before|after)", said)
    (row,) = re.findall(rf"\| `{file.name}` \|.*\| {before} \| {after} \|", PAGE)
    assert row


def test_a_host_that_cannot_be_installed_is_skipped_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def python_with(requirements: tuple[str, ...]) -> Path:
        raise UnavailableError("no such version")

    monkeypatch.setattr(hosts, "python_with", python_with)
    with pytest.raises(pytest.skip.Exception, match="nothing==0: no such version"):
        hosts.start(tmp_path, "opendp_ways.py", "nothing==0")


def test_an_adapter_that_fails_beside_its_host_is_not_skipped(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "ways.py").write_text("import no_such_adapter")
    monkeypatch.setattr(hosts, "python_with", lambda requirements: Path(sys.executable))
    with pytest.raises(UnavailableError, match="no_such_adapter"):
        hosts.start(tmp_path, str(tmp_path / "ways.py"), "anything==1")
