"""accounting/_in_words.py: a loss in sentences, and what a delta allows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

import cydp
from cydp.teach import delta_meaning, in_words, trade_off


def test_a_release_is_said_to_protect_what_it_protects() -> None:
    for loss, one in (
        (cydp.PureDP(1), "one person "),
        (cydp.count([1, 2], epsilon=1), "one row "),
        (cydp.explain(cydp.count, epsilon=1, user="visitor", max_rows=1), "one visitor "),
    ):
        assert one in in_words(loss).splitlines()[0]
        assert "one guest " in in_words(loss, unit="guest").splitlines()[0]
    changed = in_words(cydp.PureDP(1, relation="change-one"))
    assert "one value of one person against another" in changed
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
        assert all(sentence.rstrip(".") in explained for sentence in told), cost


def test_the_fair_bet_of_the_words_is_that_of_the_trade_off() -> None:
    """An epsilon that rho implies at one delta allows more: 0.9947 instead of 0.7728."""
    for loss in (
        cydp.ZCDP("1/2"), 4 * cydp.PureDP("0.3"), cydp.PureDP(1), cydp.ApproxDP(1, "0.01")
    ):  # fmt: skip
        (bet,) = (line for line in in_words(loss).splitlines() if line.startswith("A fair bet"))
        told = float(bet.rstrip(".").rpartition(" ")[2])
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


def test_the_numbers_are_those_of_publishing_each_row_with_probability_delta() -> None:
    for n in (1, 7, 1000):
        for delta in ("1e-9", "1e-3", "0.3"):
            meant = delta_meaning(cydp.ApproxDP(1, delta), n)
            exact = 1 - (1 - Fraction(delta)) ** n
            found = Fraction(repr(meant.any_row))
            assert exact <= found <= exact * Fraction("1.00001"), (n, delta)
            assert meant.expected_rows == pytest.approx(n * float(delta), rel=1e-5)
            assert found <= Fraction(repr(meant.expected_rows))
            assert meant.is_small == (100 * n * Fraction(delta) <= 1)


def test_the_advice_is_kept_by_whoever_takes_it() -> None:
    for n in (1, 1000, 10**9):
        advised = delta_meaning(cydp.ApproxDP(1, "0.1"), n).advised
        meant = delta_meaning(cydp.ApproxDP(1, advised), n)
        assert meant.is_small
        assert meant.any_row <= 0.01


def test_a_delta_of_one_nth_has_the_note_of_explain() -> None:
    text = repr(delta_meaning(cydp.ApproxDP(1, "0.001"), 1000))
    assert "delta = 1/n allows publishing one row at random" in text
    assert "choose at most 1/(100 n) = 1e-05" in text
    better = repr(delta_meaning(cydp.ApproxDP(1, "0.0009"), 1000))
    assert "at random" not in better
    assert "choose at most" in better
    assert "choose" not in repr(delta_meaning(cydp.ApproxDP(1, 1e-9), 1000))


def test_pure_and_concentrated_losses() -> None:
    none = delta_meaning(cydp.PureDP(1), 10)
    assert (none.expected_rows, none.any_row, none.is_small) == (0.0, 0.0, True)
    assert "no output" in repr(none)
    assert delta_meaning(cydp.ZCDP(1), 1000, delta="1e-6").delta == Fraction(1, 10**6)
    assert "a rho allows less" in repr(delta_meaning(cydp.ZCDP(1), 1000, delta="1e-6"))


def test_extreme_numbers() -> None:
    assert delta_meaning(cydp.ApproxDP(1, 0.5), 2**62).any_row == 1.0
    assert 0 < delta_meaning(cydp.ApproxDP(1, "1e-400"), 10).any_row < 1e-300


def test_every_release_is_said_to_protect_what_it_protects() -> None:
    user: dict[str, Any] = {
        "user": [1, 1], "max_rows": 2, "epsilon": 1, "delta": "1e-6", "noise": "gaussian",
    }  # fmt: skip
    of_rows = cydp.count([1], epsilon=1)
    of_users = cydp.count([1, 2], **user)
    told = repr(delta_meaning(of_users, 50))
    assert "in a table of 50 users" in told
    assert "each user with this probability" in told
    assert "row" not in told
    for cost in (
        cydp.sampling.on_sample(cydp.count, [1], share="1/2", epsilon=1),
        cydp.teach.publish_share([1], "1/2", exposes_rows=True),
        cydp.sampling.Sampled(of_rows, "1/2"),
        cydp.Plan([(of_rows, 2), (cydp.Laplace(epsilon=1, sensitivity=1), 1)]),
    ):
        assert "one row taking part" in repr(trade_off(cost))
    both = cydp.Plan([(of_rows, 1), (cydp.count([1, 2], user=[1, 1], max_rows=2, epsilon=1), 1)])
    assert "one unit taking part" in repr(trade_off(both))
    assert "one person taking part" in repr(trade_off(cydp.PureDP(1, relation="add-remove")))


def test_long_numbers_of_a_loss_are_rounded_up_in_words() -> None:
    assert repr(trade_off(cydp.PureDP("1.00400001"))).startswith("<epsilon = 1.01:")
    long = Fraction(1, 3) ** 200 + Fraction("0.1234561")
    assert "delta = about 0.123457" in in_words(cydp.ApproxDP(1, long))
    assert "delta = about 0.123457" in repr(delta_meaning(cydp.ApproxDP(1, long), 5))
    assert "about 0.123457" in repr(cydp.teach.publish_share([1], long, exposes_rows=True))
    assert "epsilon=about 0.123457" in cydp.count([1], epsilon=long).to_text()
