"""_selftest.py: it passes, and it can fail."""

import numpy as np
import pytest

from cydp import _selftest as selftest
from cydp.cli import main
from cydp.testing import aes256_words


def test_all_checks_hold() -> None:
    results = dict(selftest.checks())
    zeros = np.zeros(8, np.uint32)
    versions = aes256_words(zeros, zeros[:3], 0)
    assert len(results) == len(selftest.STREAM) + 3 + len(versions)
    assert all(f"SP 800-38A F.5.5, {version}" in results for version in versions)
    assert {distribution for distribution, _ in selftest.STREAM} == {
        "discrete_laplace",
        "discrete_gaussian",
        "bernoulli",
    }
    assert all(results.values())


def test_another_stream_is_noticed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (distribution, parameter), (few, many) = next(iter(selftest.STREAM.items()))
    monkeypatch.setitem(
        selftest.STREAM, (distribution, parameter), (few, [*many[:-1], many[-1] + 1])
    )
    assert main(["selftest"]) == 1
    assert f"FAILED  stream of {distribution}({parameter})" in capsys.readouterr().out
