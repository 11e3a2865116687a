"""publishing/_mbi.py without the extra: errors that say what to install, and what is wrong."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from publishing.tables import publish

from cydp.publishing import estimate_with_mbi, to_mbi


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mbi", None)
    release = publish(["sex"])
    for function in (to_mbi, estimate_with_mbi):
        with pytest.raises(ImportError, match=r"pip install 'cydp\[mbi\]'"):
            function(release)
    assert release.total > 0


@pytest.mark.parametrize("iterations", [0, 1.5, True])
def test_wrong_arguments_are_refused(iterations: Any) -> None:
    with pytest.raises((TypeError, ValueError), match="iterations"):
        estimate_with_mbi(publish(["sex"]), iterations=iterations)
    with pytest.raises(TypeError, match="release must be one of contingency_tables"):
        estimate_with_mbi([1])  # type: ignore[arg-type]
