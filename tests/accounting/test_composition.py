"""accounting/_composition.py, and how losses add."""

import pickle
import re
from fractions import Fraction
from typing import Any

import pytest

import cydp
from cydp import ZCDP, ApproxDP, PureDP, group_privacy, parallel, sequential
from cydp._numbers.intervals import exp_bounds
from cydp._numbers.rounding import decimal_above
from cydp.accounting import MeasureMismatchError
from cydp.accounting._make_loss import make_loss


def test_sums_are_exact() -> None:
    assert sequential(*[PureDP(0.1)] * 10).epsilon == 1
    assert (PureDP(0.1) + PureDP(0.2)).epsilon == Fraction(3, 10)
    assert sequential(*[PureDP(1)] * 3).rho == Fraction(3, 2)
    assert PureDP(1) * 3 == 3 * PureDP(1) == sequential(*[PureDP(1)] * 3)
    assert ApproxDP(1, 1e-6) * 2 == ApproxDP(2, 2e-6)
    assert ZCDP(0.1) * 3 == ZCDP(0.3)
    assert PureDP(5) * 0 == PureDP(0)


def test_measures_mix_where_they_can() -> None:
    assert PureDP(1) + ApproxDP(1, 1e-6) == ApproxDP(1, 1e-6) + PureDP(1) == ApproxDP(2, 1e-6)
    assert PureDP(1) + ZCDP(1) == ZCDP(1) + PureDP(1) == ZCDP(1.5)
    assert PureDP(1, rho=0.125) + ZCDP(1) == ZCDP("1.125")
    assert ApproxDP(1, 1e-6, rho=0.1) + ZCDP(1) == ZCDP(1) + ApproxDP(1, 1e-6, rho=0.1)
    for first, second in ((ApproxDP(1, 1e-6), ZCDP(1)), (ZCDP(1), ApproxDP(1, 1e-6))):
        place = "first" if isinstance(first, ApproxDP) else "second"
        says = re.escape(f"cannot add {first} and {second}: the {place} has no known rho")
        with pytest.raises(MeasureMismatchError, match=says):
            first + second
    for loss in (PureDP(1), ApproxDP(1, 0), ZCDP(1)):
        with pytest.raises(TypeError):
            loss + 1  # type: ignore[operator]
        with pytest.raises(TypeError, match="count must be an integer"):
            loss * 1.5  # type: ignore[operator]
        with pytest.raises(ValueError, match="count must be from 0"):
            loss * -1


def test_groups_carry_their_rho() -> None:
    assert group_privacy(PureDP(0.5), 3).rho == 9 * PureDP(0.5).rho
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
    with pytest.raises(ValueError, match="delta would reach 1"):
        ApproxDP(1, Fraction("0.26894142137001")).group(2)


@pytest.mark.parametrize("power", [-400, -300, -60, -59, -55, -40, -29, -10, -2, 0])
@pytest.mark.parametrize("k", [2, 3, 1000])
def test_the_delta_of_a_group_at_any_epsilon(power: int, k: int) -> None:
    """Never below the sum of k powers of e**epsilon, and the next decimal of six digits."""
    epsilon, delta = Fraction(10) ** power, Fraction(1, 10**900)
    found = ApproxDP(epsilon, delta).group(k).delta / delta
    if power < -2:
        most = k * (1 + 2 * k * epsilon) + Fraction(1, 10**25)
        assert k < found <= decimal_above(most)
    elif k < 10:
        e = exp_bounds(epsilon, 200)[1]
        expected = sum((e**j for j in range(k)), Fraction(0))
        assert expected <= found == decimal_above(expected)


@pytest.mark.parametrize(
    ("loss", "k"), [(ApproxDP(3, 0.1), 3), (ApproxDP(10**9, 1e-6), 2), (ApproxDP(0, 0.5), 2)]
)
def test_a_group_without_any_guarantee(loss: ApproxDP, k: int) -> None:
    with pytest.raises(ValueError, match="delta would reach 1"):
        loss.group(k)


@pytest.mark.parametrize(("k", "error"), [(0, ValueError), (-1, ValueError), (1.0, TypeError)])
def test_wrong_groups(k: Any, error: type[Exception]) -> None:
    for loss in (PureDP(1), ApproxDP(1, 0), ZCDP(1)):
        with pytest.raises(error, match="k must be"):
            loss.group(k)


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
    assert pay(PureDP(1, rho=0.5), PureDP(0.5, rho=0.125)) == PureDP(1)
    assert pay(PureDP(1), ZCDP(0.1)) == ZCDP(0.5)
    with pytest.raises(MeasureMismatchError, match="losses must have one measure"):
        pay(ApproxDP(1, 0.1), ZCDP(1))


def test_parallel_under_change_one() -> None:
    """A record that moves is missing in one slice and new in another."""
    pay = unstated(lambda *pairs: parallel(*pairs, relation="change-one"), "change-one")
    histogram = (PureDP(2), PureDP(1))
    assert pay(histogram) == PureDP(2)
    assert pay(histogram, histogram) == PureDP(2, rho=2)
    assert pay((PureDP(1), PureDP(1)), (PureDP(1), PureDP(3)), (PureDP(1), PureDP(2))).epsilon == 5
    assert pay((ZCDP(3), ZCDP(1)), (ZCDP(1), ZCDP(1))) == ZCDP(3)
    mixed = pay((ApproxDP(1, 0.1), ApproxDP(1, 0.01)), (PureDP(1), ApproxDP(3, 0.2)))
    assert mixed == ApproxDP(4, Fraction(21, 100))
    with pytest.raises(ValueError, match="delta would reach 1"):
        pay(*[(ApproxDP(1, 0.1), ApproxDP(1, 0.5))] * 2)
    # A slice need not be all: what moves in costs what comes.
    assert pay((PureDP("0.1"), PureDP(1))) == pay((PureDP("0.1"), PureDP(1)), (PureDP(0),) * 2)
    assert pay((PureDP(0), PureDP(1))) == PureDP(1)
    for wrong in (PureDP(1), 3, (PureDP(1),)):
        with pytest.raises(TypeError, match="must be pairs"):
            pay(wrong, PureDP(2))
    with pytest.raises(ValueError, match="at least one"):
        pay()


def test_wrong_losses() -> None:
    for call in (sequential, lambda *losses: parallel(*losses, relation="add-remove")):
        with pytest.raises(ValueError, match="at least one"):
            call()
        with pytest.raises(TypeError, match="losses must be"):
            call(1)
    assert parallel(PureDP(1), PureDP(2)) == parallel(PureDP(2), relation="add-remove")
    with pytest.raises(ValueError, match="relation must be"):
        parallel(PureDP(1), relation="both")
    with pytest.raises(TypeError, match=r"^loss must be"):
        group_privacy(1, 2)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: ApproxDP(1, 1), ValueError), (lambda: ApproxDP(1, -0.1), ValueError),
        (lambda: ApproxDP(-1, 0), ValueError), (lambda: ApproxDP(1, float("nan")), ValueError),
        (lambda: ApproxDP(1, True), TypeError), (lambda: ZCDP(-1), ValueError),
        (lambda: ZCDP(float("inf")), ValueError), (lambda: ZCDP(None), TypeError),  # type: ignore[arg-type]
        (lambda: PureDP(1, rho=-1), ValueError), (lambda: ApproxDP(1, 0, rho=1j), TypeError),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_bad_numbers(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"epsilon|delta|rho"):
        make()


def test_losses_pickle_and_print() -> None:
    for loss in (PureDP(1, rho=0.1), ApproxDP(1, 1e-6), ApproxDP(1, 0.5, rho=2), ZCDP("1/3")):
        assert pickle.loads(pickle.dumps(loss)) == loss
        assert eval(repr(loss), vars(cydp)) == loss


def test_losses_are_summed_from_0() -> None:
    assert sum([PureDP(1), PureDP(2)]) == PureDP(3, rho=2.5)
    assert sum([ApproxDP(1, 1e-6), PureDP(2)]) == ApproxDP(3, 1e-6)
    assert sum([ZCDP(1)] * 3) == ZCDP(3)
    for other in (1, 0.0, False, None):
        with pytest.raises(TypeError, match="unsupported operand"):
            other + PureDP(1)  # type: ignore[operator]
