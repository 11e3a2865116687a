"""accounting/_composition.py, and how losses add."""

import pickle
from fractions import Fraction
from itertools import product
from typing import Any

import cydp
from cydp import ZCDP, ApproxDP, PureDP, group_privacy
from cydp._numbers.intervals import exp_bounds
from cydp._numbers.rounding import decimal_above
from cydp.accounting import parallel, sequential
from cydp.accounting._loss_numbers import make_loss


def test_sums_are_exact() -> None:
    assert sequential(*[PureDP(0.1)] * 10).epsilon == 1
    assert (PureDP(0.1) + PureDP(0.2)).epsilon == Fraction(3, 10)
    assert sequential(*[PureDP(1)] * 3).rho == 3 * PureDP(1).rho
    assert PureDP(1) * 3 == 3 * PureDP(1) == sequential(*[PureDP(1)] * 3)
    assert ApproxDP(1, 1e-6) * 2 == ApproxDP(2, 2e-6)
    assert ZCDP(0.1) * 3 == ZCDP(0.3)
    assert PureDP(5) * 0 == PureDP(0)


def test_measures_mix_where_they_can() -> None:
    assert PureDP(1) + ApproxDP(1, 1e-6) == ApproxDP(1, 1e-6) + PureDP(1) == ApproxDP(2, 1e-6)
    assert PureDP(1) + ZCDP(1) == ZCDP(1) + PureDP(1) == ZCDP(1 + PureDP(1).rho)
    assert PureDP(1, rho=0.125) + ZCDP(1) == ZCDP("1.125")
    assert ApproxDP(1, 1e-6, rho=0.1) + ZCDP(1) == ZCDP(1) + ApproxDP(1, 1e-6, rho=0.1)


def test_groups_carry_their_rho() -> None:
    assert group_privacy(PureDP(0.5), 3) == PureDP(1.5)
    assert group_privacy(PureDP(0.5, rho=0.01), 3) == PureDP(1.5, rho=0.09)
    assert group_privacy(PureDP(0.5, rho=10), 3) == PureDP(1.5)
    assert group_privacy(ApproxDP(0.5, 1e-6, rho=1), 3).rho == 9


def test_the_delta_of_a_group_is_rounded_up() -> None:
    # (e^2 - 1) / (e - 1) = 1 + e
    found = ApproxDP(1, Fraction(1, 1000)).group(2).delta
    assert found == Fraction("0.00371829"), "3.718281828... / 1000"
    assert ApproxDP(0, 0.25).group(3).delta == Fraction(3, 4)
    assert ApproxDP(3, 0).group(100) == ApproxDP(300, 0)
    assert ApproxDP(3, 0.1).group(1) == ApproxDP(3, 0.1)


def test_the_delta_of_a_group_stays_below_1() -> None:
    """Six digits would make it 1: then what it lacks to 1 has six."""
    almost = Fraction("0.26894142136999")  # times 1 + e, that is 1 - 4.7e-15
    lacking = 1 - ApproxDP(1, almost).group(2).delta
    e = Fraction("2.71828182845904523536028747135266249775724709369995")
    least = 1 - almost * (1 + e)
    assert least * Fraction(99_999, 100_000) < lacking <= least


def test_the_delta_of_a_group_at_any_epsilon() -> None:
    """Never below the sum of k powers of e**epsilon, and the next decimal of six digits."""
    wrong, delta = [], Fraction(1, 10**900)
    for power, k in product((-400, -300, -60, -59, -40, -29, -10, -2, 0), (2, 3, 1000)):
        epsilon = Fraction(10) ** power
        found = ApproxDP(epsilon, delta).group(k).delta / delta
        if power < -2:
            most = k * (1 + 2 * k * epsilon) + Fraction(1, 10**25)
            fine = k < found <= decimal_above(most)
        else:  # the sum of a thousand powers would take longer than all others
            e = exp_bounds(epsilon, 200)[1]
            expected = sum((e**j for j in range(k)), Fraction(0)) if k < 10 else Fraction(0)
            fine = expected <= found and (k > 3 or found == decimal_above(expected))
        if not fine:
            wrong.append((power, k, found))
    assert wrong == []


def unstated(pay: Any, relation: str) -> Any:
    """Return the same call; what it returns must be stated under a relation, and then is not."""

    def call(*losses: Any) -> Any:
        found = pay(*losses)
        assert found.relation == relation
        names = [name for name in type(found).__slots__ if name not in ("relation", "plan")]
        return make_loss(type(found), *(getattr(found, name) for name in names))

    return call


def test_parallel_under_add_remove() -> None:
    pay = unstated(lambda *losses: parallel(*losses, relation="add-remove"), "add-remove")
    assert pay(PureDP(1), PureDP(2), PureDP(0.5)) == PureDP(2)
    assert pay(ApproxDP(1, 1e-5), ApproxDP(2, 1e-6)) == ApproxDP(2, 1e-5)
    assert pay(PureDP(1), ApproxDP(0.5, 1e-6)) == ApproxDP(1, 1e-6)
    assert pay(PureDP(1, rho=0.1), PureDP(0.5, rho=0.2)) == PureDP(1, rho=0.2)
    assert pay(PureDP(1), ZCDP(0.1)) == ZCDP(PureDP(1).rho)


def test_parallel_under_change_one() -> None:
    """A record that moves is missing in one slice and new in another."""
    pay = unstated(lambda *pairs: parallel(*pairs, relation="change-one"), "change-one")
    histogram = (PureDP(2), PureDP(1))
    assert pay(histogram) == PureDP(2)
    assert pay(histogram, histogram) == PureDP(2)
    assert pay((PureDP(1), PureDP(1)), (PureDP(1), PureDP(3)), (PureDP(1), PureDP(2))).epsilon == 5
    assert pay((ZCDP(3), ZCDP(1)), (ZCDP(1), ZCDP(1))) == ZCDP(3)
    mixed = pay((ApproxDP(1, 0.1), ApproxDP(1, 0.01)), (PureDP(1), ApproxDP(3, 0.2)))
    assert mixed == ApproxDP(4, Fraction(21, 100))
    # A slice need not be all: what moves in costs what comes.
    assert pay((PureDP("0.1"), PureDP(1))) == pay((PureDP("0.1"), PureDP(1)), (PureDP(0),) * 2)
    assert pay((PureDP(0), PureDP(1))) == PureDP(1)
    assert parallel(PureDP(1), PureDP(2)) == parallel(PureDP(2), relation="add-remove")


def test_losses_pickle_and_print() -> None:
    for loss in (PureDP(1, rho=0.1), ApproxDP(1, 1e-6), ApproxDP(1, 0.5, rho=2), ZCDP("1/3")):
        assert pickle.loads(pickle.dumps(loss)) == loss
        assert eval(repr(loss), vars(cydp)) == loss


def test_losses_are_summed_from_0() -> None:
    assert sum([PureDP(1), PureDP(2)]) == PureDP(3, rho=PureDP(1).rho + PureDP(2).rho)
    assert sum([ApproxDP(1, 1e-6), PureDP(2)]) == ApproxDP(3, 1e-6)
    assert sum([ZCDP(1)] * 3) == ZCDP(3)
