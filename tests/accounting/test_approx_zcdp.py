"""accounting/_approx_zcdp.py: approximate zCDP as a loss and as a budget."""

from __future__ import annotations

import copy
import math
import pickle
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from scipy.stats import norm

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    ApproxZCDP,
    BudgetExceededError,
    BudgetLedger,
    DiscreteGaussian,
    DiscreteLaplace,
    PrivacyFilter,
    PureDP,
    calibrate,
    group_privacy,
)
from cydp.accounting import (
    MeasureMismatchError,
    PrivacyOdometer,
    convert,
    largest_count,
    parallel,
    sequential,
    split,
)
from cydp.accounting._approx_zcdp import rho_and_delta
from cydp.accounting._loss import Loss
from cydp.accounting._trade_off import roc_of
from cydp.mechanisms import PartitionSelection

HALF = ApproxZCDP("0.5", "1e-6")


# Losses


def test_losses_add_up_and_are_compared() -> None:
    assert HALF + HALF == HALF * 2 == 2 * HALF == sum([HALF, HALF]) == ApproxZCDP(1, "2e-6")
    assert sequential(HALF, ZCDP(1)) == ZCDP(1) + HALF == ApproxZCDP("1.5", "1e-6")
    assert PureDP(1) + HALF == HALF + PureDP(1) == ApproxZCDP(PureDP(1).rho + HALF.rho, "1e-6")
    assert ApproxDP(1, "1e-6") + HALF == HALF + ApproxDP(1, "1e-6")
    assert ZCDP("0.5") <= HALF < ApproxZCDP("0.5", "1e-5")
    assert not ApproxZCDP(1, 0) >= HALF
    assert not ApproxZCDP(1, 0) <= HALF
    for other in (PureDP(1), ApproxDP(1, "1e-6")):
        with pytest.raises(MeasureMismatchError, match="cannot compare"):
            assert other > HALF
    with pytest.raises(ValueError, match="delta would reach 1"):
        assert ApproxZCDP(1, "0.5") + ApproxZCDP(1, "0.5")
    with pytest.raises(TypeError):
        assert HALF + 1  # type: ignore[operator]


def test_a_loss_is_written_and_read() -> None:
    for loss in (HALF, ApproxZCDP("1/3", 0), ApproxZCDP(0, "0.5", relation="change-one")):
        assert eval(repr(loss), vars(cydp)) == loss
        assert pickle.loads(pickle.dumps(loss)) == copy.deepcopy(loss) == loss
        given = loss.to_dict()
        assert ApproxZCDP(**given["exact"], relation=given["relation"]) == loss
        assert given["measure"] == "ApproxZCDP"
    for rho, delta in ((-1, 0), (1, 1), (1, -1), (math.nan, 0), (True, 0), ("x", 0), (1, None)):
        with pytest.raises((TypeError, ValueError), match=r"rho|delta"):
            ApproxZCDP(rho, delta)  # type: ignore[arg-type]


def test_slices_and_relations() -> None:
    slices = parallel(HALF, ApproxDP(1, "1e-5"), ZCDP(1))
    assert slices == ApproxZCDP(1, "1e-5", relation="add-remove")
    moved = parallel((HALF, HALF), (ZCDP(2), ZCDP(2)), relation="change-one")
    assert moved == ApproxZCDP("2.5", "1e-6", relation="change-one")
    with pytest.raises(cydp.PrivacyError, match="one relation"):
        assert ApproxZCDP(1, 0, relation="add-remove") + ZCDP(1, relation="change-one")


def test_groups_are_refused() -> None:
    assert group_privacy(HALF, 1) == HALF
    with pytest.raises(MeasureMismatchError, match="convert it first"):
        group_privacy(HALF, 2)


# What it costs


LOSSES: list[tuple[Loss, tuple[Any, Any]]] = [
    (HALF, (Fraction(1, 2), Fraction(1, 10**6))),
    (ZCDP(2), (2, 0)),
    (PureDP(3), (PureDP(3).rho, 0)),
    (PureDP(3, rho="0.1"), (Fraction(1, 10), 0)),
    (ApproxDP(3, "0.1"), (PureDP(3).rho, Fraction(1, 10))),
    (ApproxDP(3, "0.1", rho="0.2"), (Fraction(1, 5), 0)),
]


def test_what_other_losses_cost_in_it() -> None:
    for loss, numbers in LOSSES:
        assert rho_and_delta(loss) == numbers
        budget = PrivacyFilter(ApproxZCDP(100, "0.5"))
        budget.charge(loss, 2)
        assert budget.spent == ApproxZCDP(*(2 * number for number in numbers))


Law = list[float]


def parts_of(p: Law, q: Law, epsilon: float, delta: float) -> tuple[Law, Law]:
    """Return measures of mass 1 - delta below two laws, by the proof in docs."""
    factor = math.exp(epsilon)

    def common(p: Law, q: Law) -> Law:
        return [min(a, factor * b) for a, b in zip(p, q, strict=True)]

    def split(p: Law, q: Law) -> tuple[Law, Law]:
        """Of the first, which has the smaller common measure, a share; of the second, between."""
        first, second = common(p, q), common(q, p)
        share = (1 - delta) / sum(first)
        first = [share * a for a in first]
        lowest = [a / factor for a in first]
        highest = [min(b, factor * a) for a, b in zip(first, second, strict=True)]
        rising = (1 - delta - sum(lowest)) / (sum(highest) - sum(lowest))
        return first, [a + rising * (b - a) for a, b in zip(lowest, highest, strict=True)]

    if sum(common(p, q)) <= sum(common(q, p)):
        return split(p, q)
    second, first = split(q, p)
    return first, second


def worst_ratio(p: Law, q: Law, epsilon: float, delta: float) -> float:
    """Return the largest D(p' | q') / (rho order) of the conditional laws; inf if there are none.

    rho is what the loss costs.
    """
    rho, given = (float(number) for number in rho_and_delta(ApproxDP(epsilon, delta)))
    parts = parts_of(p, q, epsilon, given)
    tiny = 1e-12
    for part, law in zip(parts, (p, q), strict=True):
        fits = all(-tiny <= a <= b + tiny for a, b in zip(part, law, strict=True))
        if not fits or abs(sum(part) - (1 - given)) > tiny:
            return math.inf
    worst = 0.0
    for first, second in (parts, parts[::-1]):
        for order in (1.001, 1.5, 2, 5, 30):
            moment = sum(
                a * (a / b) ** (order - 1)
                for a, b in zip(first, second, strict=True)
                if a > tiny
            ) / (1 - given)  # fmt: skip
            worst = max(worst, math.log(moment) / (order - 1) / (order * rho))
    return worst


def laws(rng: random.Random) -> tuple[Law, Law]:
    found: list[Law] = []
    for _ in range(2):
        weights = [rng.random() ** rng.choice([1, 6]) for _ in range(6)]
        weights[rng.randrange(6)] *= rng.choice([0, 1])
        found.append([w / sum(weights) for w in weights])
    return found[0], found[1]


def test_an_epsilon_and_delta_is_a_rho_but_for_a_delta() -> None:
    """Of any two laws: they are given the delta that they need at several epsilons."""
    rng, worst, tried = random.Random(20_261_129), 0.0, 0
    for _ in range(300):
        p, q = laws(rng)
        for epsilon in (0.1, 0.5, 1.0, 2.0):
            needed = max(
                sum(max(a - math.exp(epsilon) * b, 0) for a, b in zip(one, two, strict=True))
                for one, two in ((p, q), (q, p))
            )
            if 1e-9 < needed < 0.9:
                worst, tried = max(worst, worst_ratio(p, q, epsilon, needed)), tried + 1
    assert tried > 500
    assert 0.9 < worst <= 1 + 1e-9  # and no smaller rho would do


def gaussian_delta(rho: float, epsilon: float) -> float:
    s = math.sqrt(2 * rho)
    return float(norm.cdf(s / 2 - epsilon / s) - math.exp(epsilon) * norm.cdf(-s / 2 - epsilon / s))


def test_it_implies_no_less_than_its_worst_mechanism_costs() -> None:
    """A mechanism that tells all with chance delta, and else adds normal noise."""
    for rho, own in ((0.5, 1e-6), (0.02, 1e-4), (3.0, 0.2), (0.0, 0.1)):
        loss = ApproxZCDP(rho, own)
        for more in (1e-9, 1e-6, 1e-2):
            found: Any = convert(loss, delta=Fraction(own) + Fraction(more))
            needed = own + (1 - own) * (
                gaussian_delta(rho, float(found.epsilon)) if rho else 0.0
            )  # fmt: skip
            assert needed <= found.delta
        curve = roc_of(loss)
        for x in (0.0, 0.01, 0.3, 0.5):
            best = norm.cdf(norm.ppf(x) + math.sqrt(2 * rho)) if x else 0.0
            assert own + (1 - own) * best <= float(curve.most(Fraction(x))) + 1e-12
    for delta in ("1e-7", "1e-6"):
        with pytest.raises(ValueError, match="delta must be more than that of the loss"):
            convert(HALF, delta=delta)
    assert convert(ApproxZCDP(0, "1e-6"), delta="1e-6") == ApproxDP(0, "1e-6")


# Budgets


def budgets(path: Path, budget: Loss) -> Sequence[Any]:
    return (
        PrivacyFilter(budget),
        BudgetLedger.create(path / "ledger", budget, privacy_unit="row"),
    )


def test_a_budget_is_spent_by_both_numbers(tmp_path: Path) -> None:
    for budget in budgets(tmp_path, ApproxZCDP(1, "2e-6")):
        budget.charge(DiscreteGaussian(rho="0.25", sensitivity=1))
        budget.charge(DiscreteLaplace(epsilon=1, sensitivity=1))
        budget.charge(PartitionSelection(epsilon="0.1", delta="1e-6", max_partitions=1))
        budget.charge(ApproxZCDP("0.1", "1e-6"))
        rho = Fraction(1, 4) + PureDP(1).rho + PureDP("0.1").rho + Fraction(1, 10)
        assert budget.spent == ApproxZCDP(rho, "2e-6")
        for cost in (ApproxZCDP(0, "1e-300"), ZCDP("0.2"), ApproxDP("0.01", "1e-9")):
            assert budget.would_exceed(cost)
            with pytest.raises(BudgetExceededError, match="nothing was charged"):
                budget.charge(cost)
        budget.charge(ZCDP("0.1"))
        assert budget.remaining == ApproxZCDP(1 - rho - Fraction(1, 10), 0)
        assert "ApproxZCDP(rho=1, delta=2e-06)" in str(budget.report())
    with BudgetLedger.open(tmp_path / "ledger") as again:
        again.verify()
        assert again.budget == ApproxZCDP(1, "2e-6")
        assert again.spent.delta == Fraction(2, 10**6)  # type: ignore[union-attr]
        assert "promise" in again.report()._repr_html_().lower()


def test_no_other_budget_pays_for_it() -> None:
    for budget, advice in (
        (PureDP(1), "use an ApproxZCDP budget"),
        (ZCDP(1), "use an ApproxZCDP budget"),
        (ApproxDP(1, "1e-5"), "convert"),
    ):
        mine = PrivacyFilter(budget)
        with pytest.raises(MeasureMismatchError, match=advice):
            mine.charge(HALF)
        assert mine.spent == mine.spent * 0
    with pytest.raises(TypeError, match="items must have no loss in approximate zCDP"):
        cydp.Plan([(HALF, 2)])  # type: ignore[list-item]
    with pytest.raises(MeasureMismatchError, match="no rho says"):
        cydp.sampling.amplified(HALF, "0.1")
    with pytest.raises(TypeError, match="convert it by"):
        cydp.teach.privacy_loss(HALF)


def test_an_odometer_has_a_total_of_it() -> None:
    odometer = PrivacyOdometer()
    for cost in (HALF, ZCDP(1), HALF):
        odometer.charge(cost)
    assert odometer.spent == {"approximate zcdp": 2 * HALF, "zcdp": ZCDP(1)}


def test_blocks_guarantee_their_budgets(tmp_path: Path) -> None:
    """What is spent on this path says nothing of others, in either number."""
    with BudgetLedger.create(
        tmp_path / "l", ApproxZCDP(1, "1e-6"), privacy_unit="person", by_block=True
    ) as ledger:
        ledger.add_block("mon")
        ledger.add_block("tue", ApproxZCDP("0.5", "1e-7"))
        nothing = ApproxZCDP(0, 0, relation="add-remove")
        assert ledger.guarantee() == nothing
        ledger.charge(ZCDP("0.1"), blocks=["tue"])
        assert ledger.guarantee() == ApproxZCDP("0.5", "1e-7", relation="add-remove")
        ledger.charge(HALF, blocks=["mon"])
        assert ledger.guarantee() == ApproxZCDP(1, "1e-6", relation="add-remove")
        with pytest.raises(MeasureMismatchError, match="several units"):
            ledger.guarantee(unit="person")
        assert "mon" in str(ledger.report())


def test_calibration_looks_at_both_numbers() -> None:
    noise = calibrate(DiscreteGaussian, ApproxZCDP(1, "1e-6"), count=4, sensitivity=1)
    assert noise.rho == Fraction(1, 4)
    budget, given = ApproxZCDP(1, "1e-6"), {"count": 4, "max_partitions": 1}
    chosen = calibrate(PartitionSelection, budget, delta="2.5e-7", **given)  # type: ignore[arg-type]
    assert 4 * PureDP(chosen.epsilon).rho <= 1 < 4 * PureDP(chosen.epsilon * Fraction("1.0001")).rho
    with pytest.raises(ValueError, match="fit the budget"):
        calibrate(PartitionSelection, budget, delta="1e-6", **given)  # type: ignore[arg-type]


def test_shares_and_counts_have_both_numbers() -> None:
    budget = ApproxZCDP(1, "4e-6")
    assert split(budget, [3, 1]) == [ApproxZCDP("0.75", "3e-6"), ApproxZCDP("0.25", "1e-6")]
    assert largest_count(ApproxZCDP("0.01", "1e-6"), budget) == 4
    assert largest_count(ApproxZCDP("0.3", "1e-6"), budget) == 3


def test_words_say_what_it_allows() -> None:
    words = cydp.teach.in_words(ApproxZCDP("0.5", "1e-6", relation="add-remove"))
    assert words
    meant = cydp.teach.delta_meaning(HALF, 1000)
    assert meant.delta == Fraction(1, 10**6)
