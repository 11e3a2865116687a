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


def test_a_delta_of_0_bounds_odds() -> None:
    assert in_words(cydp.ApproxDP(1, 0)) == in_words(cydp.PureDP(1))


@pytest.mark.parametrize(
    ("delta", "note"),
    [
        ("1e-5", None),
        ("1.1e-5", "above 1/(100 n), for n = 1,000: it allows publishing 0.011 rows at random"),
        ("0.0009", "above 1/(100 n), for n = 1,000: it allows publishing 0.9 rows at random"),
        ("0.001", "delta is 1/n or more, for n = 1,000"),
    ],
)
def test_a_delta_is_said_to_be_large_from_where_delta_meaning_says_so(
    delta: str, note: str | None
) -> None:
    loss = cydp.ApproxDP(1, delta)
    more = in_words(loss, n=1000).removeprefix(in_words(loss))
    assert (note in more) if note else not more
    assert cydp.teach.delta_meaning(loss, 1000).is_small is (note is None)
