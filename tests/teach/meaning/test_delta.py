"""teach/meaning: what a delta allows, and a loss in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

import cydp
from cydp.teach import delta_meaning, in_words, trade_off


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
    user = {"user": [1, 1], "max_rows": 2, "epsilon": 1, "delta": "1e-6"}
    of_rows = cydp.count([1], epsilon=1)
    of_users = cydp.count([1, 2], **user)
    told = repr(delta_meaning(of_users, 50))
    assert "in a table of 50 users" in told
    assert "each user with this probability" in told
    assert "row" not in told
    for cost in (
        cydp.sampling.on_sample(cydp.count, [1], share="1/2", epsilon=1),
        cydp.sampling.publish_share([1], "1/2", exposes_rows=True),
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
    assert "about 0.123457" in repr(cydp.sampling.publish_share([1], long, exposes_rows=True))
    assert "epsilon=about 0.123457" in cydp.count([1], epsilon=long).to_text()
