"""Cases of a test, of which a few always run, and the others with the long tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest


def thinned(cases: Iterable[Any], every: int) -> list[Any]:
    """Return the cases; all but one of `every` are long."""
    return [
        pytest.param(
            *(case if isinstance(case, tuple) else (case,)),
            marks=pytest.mark.long if i % every else (),
        )
        for i, case in enumerate(cases)
    ]
