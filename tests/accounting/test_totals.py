"""Charges are added up as integers over one denominator: the same numbers as sums of fractions."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from cydp import ZCDP, ApproxDP, BudgetExceededError, DiscreteLaplace, PrivacyFilter, PureDP
from cydp.accounting._amounts import (
    MOST_BITS,
    Amount,
    add_amounts,
    add_totals,
    amount_of_total,
    exceeds,
    exceeds_total,
    repeat_total,
    total_of,
)
from cydp.accounting._loss import Loss
from cydp.accounting._loss_numbers import make_loss
from cydp.sensitivity import count as count_sensitivity

SHORT = st.fractions(0, 3, max_denominator=12)
LONG = st.builds(
    Fraction,
    st.integers(0, 2**MOST_BITS + 1),
    st.sampled_from([1, 2**4095, 3**2000, 5**1800, 2**4096 - 1, 2**4096, 10**12]),
)
NUMBERS = st.one_of(SHORT, LONG)


def amounts(length: int) -> st.SearchStrategy[list[Amount]]:
    return st.lists(st.tuples(*[NUMBERS] * length), max_size=6)


@given(st.sampled_from([1, 2]), st.data())
def test_totals_are_sums_of_amounts(length: int, data: Any) -> None:
    spent = (Fraction(0),) * length
    total = total_of(spent)
    for amount in data.draw(amounts(length)):
        spent, total = add_amounts(spent, amount), add_totals(total, total_of(amount))
        assert amount_of_total(total, length) == spent
        limit = data.draw(st.tuples(*[NUMBERS] * length))
        assert exceeds_total(total, total_of(limit)) == exceeds(spent, limit)
        assert not exceeds_total(total, total)
    times = data.draw(st.integers(0, 2**64 - 1))
    repeated = amount_of_total(repeat_total(total, times), length)
    assert repeated == tuple(times * number for number in spent)


def test_a_total_too_long_is_rounded_up() -> None:
    one, other = Fraction(1, 3**3000), Fraction(1, 5**2000)
    denominator, numerator, _ = add_totals(total_of((one,)), total_of((other,)))
    assert denominator == 2**4096
    assert 0 < Fraction(numerator, denominator) - one - other < Fraction(1, 2**4096)


LOSSES: list[Loss] = [
    PureDP("0.1"),
    PureDP(0.1),  # equal, but another object
    PureDP("1e-300"),
    PureDP("1/3", rho="1e-9"),
    PureDP(0),
    PureDP("0.25", relation="add-remove"),
    ApproxDP("0.1", "1e-9"),
    ApproxDP("1/7", 0, rho="0.01"),
    ZCDP("0.003"),
    ZCDP("1/7", relation="add-remove"),
    make_loss(PureDP, Fraction(1, 3**2600), Fraction(1)),
    make_loss(ApproxDP, Fraction(1, 5**1700), Fraction(1, 7**1500), Fraction(1, 3)),
    make_loss(ZCDP, Fraction(1, 11**1200)),
]
BUDGETS: list[Loss] = [PureDP(1), ApproxDP(1, "3e-9"), ZCDP("0.1"), ZCDP("1/7"), PureDP(0)]


def paid(loss: Loss, budget: Loss) -> Amount | None:
    """Return what a loss costs in the measure of a budget, from the table in docs/accounting.md."""
    if isinstance(budget, ZCDP):
        return None if loss.rho is None else (loss.rho,)
    if isinstance(loss, ZCDP):
        return None
    if isinstance(budget, ApproxDP):
        return loss.epsilon, loss.delta if isinstance(loss, ApproxDP) else Fraction(0)
    return (loss.epsilon,) if isinstance(loss, PureDP) else None


def numbers_of(loss: Any) -> Amount:
    return (loss.rho,) if isinstance(loss, ZCDP) else loss._numbers[: 1 + hasattr(loss, "delta")]


@given(
    st.sampled_from(BUDGETS),
    st.lists(st.tuples(st.sampled_from(LOSSES), st.sampled_from([1, 1, 1, 0, 3])), max_size=30),
)
@example(PureDP(1), [(LOSSES[0], 1)] * 11)
@example(ZCDP("0.1"), [(LOSSES[3], 3), (LOSSES[7], 1), (LOSSES[8], 3), (LOSSES[6], 1)])
@example(PureDP(1), [(LOSSES[0], 1), (LOSSES[1], 1)] * 6)
def test_a_filter_spends_what_fractions_say(budget: Loss, charges: list[tuple[Loss, int]]) -> None:
    limit = numbers_of(budget)
    spent: Amount = (Fraction(0),) * len(limit)
    mine, by_name = PrivacyFilter(budget), dict[str, int]()
    for loss, count in charges:
        cost = paid(loss, budget)
        if cost is None:
            with pytest.raises(Exception, match="cannot be paid"):
                mine.charge(loss, count)
            continue
        asked = tuple(count * number for number in cost)
        total = add_amounts(spent, asked)
        assert mine.would_exceed(loss, count) == exceeds(total, limit)
        if exceeds(total, limit):
            with pytest.raises(BudgetExceededError) as refused:
                mine.charge(loss, count)
            error: Any = refused.value
            assert numbers_of(error.spent) == spent
            assert numbers_of(error.requested) == asked
        else:
            mine.charge(loss, count)
            spent = total
            name = type(loss).__name__
            by_name[name] = by_name.get(name, 0) + count
        assert numbers_of(mine.spent) == spent
        assert all(type(number).__name__ == "Exact" for number in numbers_of(mine.spent))
        left = tuple(a - b for a, b in zip(limit, spent, strict=True))
        assert numbers_of(mine.remaining) == left
    for name, releases in by_name.items():
        assert f"{releases:,} x {name}:" in mine.report()


def test_a_loss_that_was_charged_is_not_taken_for_others() -> None:
    """What is known of the last loss holds for that object, once, without a stated relation."""
    mine, loss = PrivacyFilter(PureDP(1)), PureDP("0.1")
    mine.charge(loss)
    for count in (True, 1.0, "1", None):
        with pytest.raises(TypeError, match="count"):
            mine.charge(loss, count)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="relation must be"):
        mine.charge(loss, relation="none")
    with pytest.raises(Exception, match="stated under 'change-one'"):
        mine.charge(loss, relation="change-one")
    assert mine.spent == PureDP("0.1")
    mine.charge(loss, 3)
    mine.charge(loss)
    assert mine.spent == PureDP("0.5")
    noise = DiscreteLaplace(epsilon="0.1", sensitivity=count_sensitivity(relation="add-remove"))
    mine.charge(noise)
    mine.charge(noise)
    assert mine.report().splitlines()[2:] == [
        "  5 x PureDP: PureDP(epsilon=0.5)",
        "  2 x DiscreteLaplace: PureDP(epsilon=0.2)",
    ]
