"""teach/meaning/_in_words.py: a loss in sentences."""

from __future__ import annotations

from typing import Any

import pytest

import cydp
from cydp.teach import in_words, trade_off


def test_a_release_is_said_to_protect_what_it_protects() -> None:
    for loss, one in (
        (cydp.PureDP(1), "one person "),
        (cydp.count([1, 2], epsilon=1), "one row "),
        (cydp.explain(cydp.count, epsilon=1, user="visitor", max_rows=1), "one visitor "),
    ):
        assert one in in_words(loss).splitlines()[0]
        assert "one guest " in in_words(loss, unit="guest").splitlines()[0]
    changed = in_words(cydp.PureDP(1, relation="change-one"))
    assert "two values of one person" in changed
    assert "2.7" in changed


def test_the_words_are_those_of_explain() -> None:
    """But for the line breaks."""
    costs: list[dict[str, Any]] = [
        {"epsilon": 1}, {"epsilon": 1, "delta": "0.001"}, {"rho": 1}, {"epsilon": 12}
    ]  # fmt: skip
    for cost in costs:
        explained = " ".join(str(cydp.explain(cydp.count, n=1000, **cost)).split())
        told = in_words(cydp.explain(cydp.count, **cost).loss, unit="row", n=1000).splitlines()
        assert len(told) >= 2
        assert all(sentence in explained for sentence in told), cost


def test_the_fair_bet_of_the_words_is_that_of_the_trade_off() -> None:
    """An epsilon that rho implies at one delta allows more: 0.9947 instead of 0.7728."""
    for loss in (
        cydp.ZCDP("1/2"), 4 * cydp.PureDP("0.3"), cydp.PureDP(1), cydp.ApproxDP(1, "0.01")
    ):  # fmt: skip
        told = float(in_words(loss).splitlines()[-1].rstrip(".").rpartition(" ")[2])
        assert trade_off(loss).fair_bet <= told + 1e-6
        assert told == pytest.approx(trade_off(loss).fair_bet, abs=1.1e-4)


def test_nothing_is_lost_where_nothing_is_released() -> None:
    for loss in (cydp.PureDP(0), cydp.ZCDP(0)):
        first, *_, bet = in_words(loss).splitlines()
        assert first.endswith("a factor of at most e**epsilon = 1.")
        assert bet.endswith("at most 0.5.")
    assert in_words(cydp.ApproxDP(1, 0)) == in_words(cydp.PureDP(1))


def test_a_delta_is_said_to_be_large_from_where_delta_meaning_says_so() -> None:
    above = "above 1/(100 n), for n = 1,000: it allows publishing "
    for delta, note in (
        ("1e-5", ""), ("1.1e-5", above + "0.011 rows at random"),
        ("0.0009", above + "0.9 rows at random"), ("0.001", "delta is 1/n or more, for n = 1,000"),
    ):  # fmt: skip
        loss = cydp.ApproxDP(1, delta)
        more = in_words(loss, n=1000).removeprefix(in_words(loss))
        assert (note in more) if note else not more
        assert cydp.teach.delta_meaning(loss, 1000).is_small is (not note)
