"""examples/publish.py runs, and what it publishes is near the truth."""

from __future__ import annotations

import runpy
from pathlib import Path

import numpy as np
import pytest
from publishing.tables import PEOPLE, disagreements, rows_of

EXAMPLE = Path(__file__).parents[2] / "examples" / "publish.py"
SURE = "0.999999999999"


def test_people_are_published(capsys: pytest.CaptureFixture[str]) -> None:
    shown = runpy.run_path(str(EXAMPLE))
    published, census = shown["published"], shown["census"]
    assert not list(disagreements(published))
    married = rows_of(PEOPLE, ("married", "educ"))
    lower, upper = published["married", "educ"].interval(SURE, count=married.size)
    assert ((lower <= married) & (married <= upper)).all()
    assert (lower + 300 > upper).all()
    assert not ((lower <= married + 300) & (married + 300 <= upper)).any()
    assert np.array_equal(
        rows_of(shown["synthetic"], ("married", "educ")), published["married", "educ"].counts
    )
    races = rows_of(PEOPLE, ("race",))
    lower, upper = census["total"].interval(SURE, count=races.size)
    assert ((lower <= races) & (races <= upper)).all()
    assert np.array_equal(census["kind"].counts.sum(axis=0), census["total"].counts)
    assert "independent of each other" in capsys.readouterr().out
