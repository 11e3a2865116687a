"""selftest.py: it passes, and it can fail."""

import pytest

from cydp import selftest
from cydp.cli import main


def test_all_checks_hold() -> None:
    results = dict(selftest.checks())
    assert len(results) == len(selftest.STREAM) + 3
    assert len(selftest.STREAM) >= 4
    assert all(results.values())


def test_another_stream_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    scale, (few, many) = next(iter(selftest.STREAM.items()))
    monkeypatch.setitem(selftest.STREAM, scale, (few, [*many[:-1], many[-1] + 1]))
    assert main(["selftest"]) == 1
    assert f"FAILED  stream at scale {scale}" in capsys.readouterr().out
