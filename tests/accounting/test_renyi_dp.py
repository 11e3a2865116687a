"""accounting/_renyi_dp.py: Renyi DP of one order as a loss, a budget, and in (epsilon, delta)."""

from __future__ import annotations

import copy
import json
import math
import pickle
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from mpmath import mp, mpf

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    BudgetLedger,
    DiscreteLaplace,
    Gaussian,
    Plan,
    PrivacyFilter,
    PureDP,
    Session,
    calibrate,
)
from cydp.accounting import (
    MeasureMismatchError,
    RelationMismatchError,
    RenyiDP,
    convert,
    renyi_divergence,
    split,
)
from cydp.accounting._renyi_dp import epsilon_of_divergence
from cydp.sampling import Sampled

STEP = Sampled(Gaussian(sigma="1.1", sensitivity=1), "256/60000")


def epsilon_of(order: str, divergence: str, delta: str) -> Fraction:
    return epsilon_of_divergence(Fraction(order), Fraction(divergence), Fraction(delta))


def law_of_two(order: Any, high: Any, low: Any) -> tuple[Any, Any]:
    """The chance of `high`, and the divergence, if P / Q is one of two numbers."""
    p = (1 - low) / (high - low)
    return p, mp.log(p * high**order + (1 - p) * low**order) / (order - 1)


def largest_delta(order: Any, divergence: Any, epsilon: Any) -> Any:
    """The largest delta that laws of two likelihood ratios of this divergence have at epsilon."""
    found = mpf(0)
    for i in range(300):
        high = mp.exp(epsilon) * (1 + mpf(10) ** (-3 + mpf(i) / 60))
        if law_of_two(order, high, mpf(0))[1] < divergence:
            continue
        below, above = mpf(0), mpf(1)
        for _ in range(60):
            low = (below + above) / 2
            too_much = law_of_two(order, high, low)[1] > divergence
            below, above = (low, above) if too_much else (below, low)
        found = max(found, law_of_two(order, high, above)[0] * (high - mp.exp(epsilon)))
    return found


@pytest.mark.parametrize(
    ("order", "divergence", "delta"),
    [("8", "1", "1e-5"), ("2", "0.1", "1e-5"), ("1.5", "0.01", "0.01"), ("2", "1e-6", "1e-5")],
)
def test_no_law_has_more_and_one_has_nearly_as_much(
    order: str, divergence: str, delta: str
) -> None:
    found = epsilon_of(order, divergence, delta)
    with mp.workdps(40):
        at = mpf(found.numerator) / found.denominator
        worst = largest_delta(mpf(order), mpf(divergence), at) / mpf(delta)
        assert 0.999 < worst <= 1


def test_it_implies_less_than_the_usual_bound() -> None:
    """Canonne, Kamath, Steinke 2020, proposition 12; for a tiny divergence far less."""
    for order, divergence, delta, gain in (
        ("8", "1", "1e-5", 1e-5), ("2", "0.1", "1e-5", 2), ("32", "0.5", "1e-5", 0),
        ("1.1", "1", "0.9", 0),
    ):  # fmt: skip
        a, d, at = float(order), float(divergence), float(delta)
        usual = d + math.log(1 - 1 / a) - (math.log(at) + math.log(a)) / (a - 1)
        assert float(epsilon_of(order, divergence, delta)) <= max(usual, 0) - gain + 1e-12


def test_any_noise_keeps_what_its_divergence_implies() -> None:
    for cost in (Gaussian(sigma=3, sensitivity=1), DiscreteLaplace(epsilon="0.5", sensitivity=4)):
        for order in (1.5, 4, 40):
            loss = RenyiDP(order, float(renyi_divergence(cost, order)))
            for delta in ("0.1", "1e-6"):
                assert Plan([(cost, 1)]).epsilon(delta) <= convert(loss, delta=delta).epsilon


def test_numbers_of_any_size() -> None:
    assert epsilon_of("2", "0", "1e-9") == 0
    assert 0 <= epsilon_of("1.000001", "1e-12", "1e-3") < 1
    assert epsilon_of("1e6", "3", "1e-300") == pytest.approx(3.0006768, abs=1e-6)
    with pytest.raises(ValueError, match="must be smaller"):
        convert(RenyiDP("1e9", "1e9"), delta=1e-6)


def test_losses_of_one_order_add_up() -> None:
    half = RenyiDP(8, "0.5", relation="add-remove")
    assert half + half == 2 * half == RenyiDP(8, 1, relation="add-remove")
    assert sum([half, half]) == half * 2
    assert half < RenyiDP(8, 1)
    assert not half > RenyiDP(8, 1)
    assert convert(half, delta=1e-6).relation == "add-remove"
    with pytest.raises(MeasureMismatchError, match="orders differ"):
        half + RenyiDP(7, 1)
    with pytest.raises(MeasureMismatchError, match="cannot compare"):
        assert half <= RenyiDP(7, 1)
    with pytest.raises(RelationMismatchError):
        half + RenyiDP(8, 1, relation="change-one")
    with pytest.raises(MeasureMismatchError, match="convert it first"):
        half.group(2)
    with pytest.raises(TypeError, match="unsupported operand"):
        half + ZCDP(1)  # type: ignore[operator]


def test_it_is_written_and_read_back() -> None:
    loss = RenyiDP("8.5", "0.1", relation="change-one")
    assert repr(loss) == "RenyiDP(order=8.5, divergence=0.1, relation='change-one')"
    stored = json.loads(json.dumps(loss.to_dict()))
    assert (stored["order"], stored["divergence"]) == (8.5, 0.1)
    assert RenyiDP(**stored["exact"], relation=stored["relation"]) == loss
    assert pickle.loads(pickle.dumps(loss)) == copy.copy(loss) == loss


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [((1, 1), ValueError, "order must be greater than 1"), ((2, -1), ValueError, "divergence must"),
     (("x", 1), ValueError, "order must"), ((2, None), TypeError, "divergence must"),
     ((math.inf, 1), ValueError, "order must"), ((2, math.nan), ValueError, "divergence must")],
)  # fmt: skip
def test_other_numbers_are_refused(
    given: tuple[Any, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        RenyiDP(*given)


def test_a_filter_pays_by_the_divergence_of_its_order() -> None:
    budget = PrivacyFilter(RenyiDP(8, 2))
    budget.charge(STEP, 14_062)
    spent = budget.spent
    assert isinstance(spent, RenyiDP)
    assert float(spent.divergence) == pytest.approx(
        14_062 * float(renyi_divergence(STEP, 8)), rel=1e-9
    )
    with pytest.raises(BudgetExceededError, match=r"RenyiDP\(order=8, divergence=2\) has"):
        budget.charge(STEP, 14_062)
    assert budget.spent == spent
    for cost, divergence in ((ZCDP("0.01"), "0.08"), (RenyiDP(8, "0.3"), "0.3")):
        before = budget.spent
        budget.charge(cost)  # type: ignore[arg-type]
        assert budget.spent == before + RenyiDP(8, divergence)  # type: ignore[operator]
    laplace, before = DiscreteLaplace(epsilon="0.1", sensitivity=1), budget.spent
    budget.charge(laplace)
    more = budget.spent.divergence - before.divergence  # type: ignore[union-attr]
    assert float(more) == pytest.approx(float(renyi_divergence(laplace, 8)), rel=1e-9)
    assert "14,062 x Sampled" in budget.report()


def test_a_release_and_a_session_are_paid_from_it() -> None:
    budget = PrivacyFilter(RenyiDP(4, 1))
    assert cydp.count([1, 2], budget=budget, rho="0.1").loss.rho == Fraction("0.1")
    assert budget.spent == RenyiDP(4, "0.4")
    count = cydp.count([1, 2], budget=budget, epsilon="0.5", delta=1e-6)
    assert "noise: DiscreteGaussian" in str(count)
    session = Session([1, 2], PrivacyFilter(RenyiDP(4, 1)), analyst="ada")
    session.count(rho="0.1")
    assert session.spent == RenyiDP(4, "0.4")
    assert "left RenyiDP(order=4, divergence=0.6)" in session.report()
    with pytest.raises(BudgetExceededError):
        session.count(rho="0.2")


def test_what_it_cannot_pay_is_refused_before_anything_is_charged(tmp_path: Path) -> None:
    budget = PrivacyFilter(RenyiDP(8, 1))
    for cost in (ApproxDP(1, 1e-6), cydp.ApproxZCDP(1, 1e-6), RenyiDP(7, 1)):
        with pytest.raises(MeasureMismatchError):
            budget.charge(cost)  # type: ignore[arg-type]
    with pytest.raises(RelationMismatchError):
        budget.charge(ZCDP("0.1", relation="change-one"))
    with pytest.raises(RelationMismatchError):
        PrivacyFilter(RenyiDP(8, 1, relation="change-one"))
    assert budget.spent == RenyiDP(8, 0)
    for other in (PureDP(1), ApproxDP(1, 1e-6), ZCDP(1), cydp.ApproxZCDP(1, 1e-6)):
        with pytest.raises(MeasureMismatchError, match="from a RenyiDP budget alone"):
            PrivacyFilter(other).charge(RenyiDP(8, "0.1"))  # type: ignore[arg-type]
    for use in (
        lambda: BudgetLedger.create(tmp_path / "l", RenyiDP(8, 1), privacy_unit="row"),  # type: ignore[arg-type]
        lambda: calibrate(Gaussian, RenyiDP(8, 1), sensitivity=1),  # type: ignore[arg-type]
        lambda: split(RenyiDP(8, 1), [1, 2]),  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="budget of a PrivacyFilter alone"):
            use()
