"""releases/_unit.py: any two neighbouring tables are as far apart as the noise is for, at most."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from releases.exact_answers import Recorder, answers, without_noise
from releases.neighbours import CASES, CELLS, PROTECTED, SLOTS, Rows, columns_of, table_of
from releases.test_sensitivities import ALL, EITHER, Found, compare

NUMBERS = (-50.0, -4.0, 1.0, 10.0, 52.0, 57.0, 60.0, 1e9, np.nan)
CELL, NUMBER = st.integers(-1, CELLS - 1), st.sampled_from(NUMBERS)


@pytest.fixture(scope="module")
def recorder() -> Iterator[Recorder]:
    with without_noise() as made:
        yield made


def rows_of(drawn: list[tuple[int, float]]) -> Rows:
    cells, numbers = ([each[i] for each in drawn] for i in range(2))
    present = np.ones((1, len(drawn)), np.bool_)
    return Rows(present, np.array([cells], np.int64), np.array([numbers], np.float64))


@st.composite
def neighbours(draw: Any, relation: str, protected: str) -> tuple[Any, Any]:
    """Return two tables: the rows of one unit differ, wherever they stand."""
    most = SLOTS[protected]
    least = 1 if protected == "row" else 0
    rows = st.lists(st.tuples(CELL, NUMBER), min_size=least, max_size=most)
    one = draw(rows)
    comes = relation == "add-remove" or (relation == EITHER and draw(st.booleans()))
    two = [] if comes else draw(rows)
    others = draw(st.lists(st.tuples(st.integers(0, 2), CELL, NUMBER), max_size=8))
    unit, cell, x = ([each[i] for each in others] for i in range(3))
    rest = columns_of(
        unit=np.array(unit, np.int64) + 10, pair=np.where(np.array(cell, np.int64) < 0, -1, 0),
        cell=np.array(cell, np.int64), x=np.array(x, np.float64),
    )  # fmt: skip
    place = draw(st.integers(0, len(others)))
    before, after = [], []
    if protected == "contained":  # rows of others in the household
        before, after = draw(st.tuples(rows, rows))
    tables = [table_of(rows_of(before + each + after), rest, place) for each in (one, two)]
    return tables[0], tables[1]


@pytest.mark.parametrize("protected", PROTECTED)
def test_neighbours_are_no_further_apart_than_the_noise_is_for(
    recorder: Recorder, protected: str
) -> None:
    settings = [setting[:2] for setting in ALL if setting[-1] == protected]

    @given(st.data(), st.sampled_from(settings), st.integers(0, 2**62))
    def compare_two(data: Any, setting: tuple[str, str], secret: int) -> None:
        name, relation = setting
        case, worst = CASES[name], Found()
        one, two = (
            answers(recorder, secret, partial(case.release, table, 1, relation, protected))
            for table in data.draw(neighbours(relation, protected))
        )
        compare(worst, one, two, 1)
        for part, found in worst.items():
            assert found.is_private, (part, found)

    compare_two()
