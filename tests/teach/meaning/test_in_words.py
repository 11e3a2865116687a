"""teach/meaning/_in_words.py: a loss in sentences."""

from __future__ import annotations

import pytest

import cydp
from cydp.teach import in_words


@pytest.mark.parametrize(
    ("loss", "one"),
    [
        (cydp.PureDP(1), "one person "),
        (cydp.count([1, 2], epsilon=1), "one row "),
        (cydp.explain(cydp.count, epsilon=1, user="visitor", max_rows=1), "one visitor "),
    ],
    ids=["loss", "release", "plan of a release"],
)
def test_a_release_is_said_to_protect_what_it_protects(loss: object, one: str) -> None:
    assert one in in_words(loss).splitlines()[0]  # type: ignore[arg-type]
    assert "one guest " in in_words(loss, unit="guest").splitlines()[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("loss", [cydp.PureDP(0), cydp.ZCDP(0)], ids=str)
def test_nothing_is_lost_where_nothing_is_released(loss: cydp.PureDP | cydp.ZCDP) -> None:
    first, *_, bet = in_words(loss).splitlines()
    assert first.endswith("a factor of at most e**epsilon = 1.")
    assert bet.endswith("at most 0.5.")
