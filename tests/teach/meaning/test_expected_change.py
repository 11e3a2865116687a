"""teach/meaning: expectations and tests, against mechanisms that attain the bounds."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import mpmath
import numpy as np
import pytest
from teach.looks import closed

import cydp
from cydp.accounting._trade_off import roc_of
from cydp.sampling import Sampled
from cydp.teach import expected_change, posterior, privacy_loss, trade_off

EPSILONS = ["0", "0.1", "0.5", "1", "3", "10"]
DELTAS = ["0", "1e-6", "0.01", "0.3"]
LOSSES = [(epsilon, delta) for epsilon in EPSILONS for delta in DELTAS]
SHARES = [Fraction(i, 20) for i in range(21)]
ROUNDED = 1.1e-5  # relative: six digits, rounded outwards


def extremal(epsilon: float, delta: float) -> np.ndarray[Any, Any]:
    """The mechanism with four outputs that is (epsilon, delta)-DP, and no better: two rows."""
    more = (1 - delta) / (1 + math.exp(-epsilon))
    less = (1 - delta) / (1 + math.exp(epsilon))
    return np.array([[delta, more, less, 0.0], [0.0, less, more, delta]])


def loss_of(epsilon: str, delta: str) -> cydp.PureDP | cydp.ApproxDP:
    return cydp.PureDP(epsilon) if delta == "0" else cydp.ApproxDP(epsilon, delta)


def test_no_utility_of_the_extremal_mechanism_exceeds_the_bounds_and_some_attain_them() -> None:
    """A utility of four outputs is a point of a cube: its corners and 50 others."""
    corners = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    utilities = [*corners, *np.random.default_rng(7).random((50, 4))]
    for epsilon, delta in LOSSES:
        two, change = extremal(float(epsilon), float(delta)), expected_change(
            loss_of(epsilon, delta), 1
        )  # fmt: skip
        tight = 0
        for utility in utilities:
            mine, without = two @ utility
            share = Fraction(min(max(without, 0.0), 1.0)).limit_denominator(10**12)
            most, least = change.most(share), change.least(share)
            assert least - 1e-9 <= mine <= most + 1e-9, (epsilon, delta)
            tight += mine >= most * (1 - ROUNDED) - 1e-9
        assert tight >= 4
        mine, without = two @ [1, 1, 0, 0]
        assert mine - without <= change.largest + 1e-12
        assert change.largest == pytest.approx(mine - without, rel=ROUNDED, abs=1e-12)


def test_both_formulas_and_their_complements_are_used() -> None:
    """The four inequalities of the page, each in floats, for a salary of at most 10,000."""
    top = 10_000
    for epsilon, delta in LOSSES:
        e, d, change = math.exp(float(epsilon)), float(delta), expected_change(
            loss_of(epsilon, delta), top
        )  # fmt: skip
        for share in SHARES:
            x = float(share) * top
            most = min(top, e * x + d * top, top - (top - x - d * top) / e)
            least = max(0, (x - d * top) / e, top - e * (top - x) - d * top)
            assert change.most(top * share) == pytest.approx(most, rel=ROUNDED, abs=1e-9)
            assert change.least(top * share) == pytest.approx(least, rel=ROUNDED, abs=1e-6)
            assert change.most(top * share) >= most * (1 - 1e-12), (epsilon, delta)
            assert change.least(top * share) <= least * (1 + 1e-12) + 1e-9, (epsilon, delta)


def test_gaussian_noise_stays_within_the_curve_of_its_rho() -> None:
    """Its best test is known: true positives Phi(Phi^-1(x) + sqrt(2 rho)); half of rho fails."""
    law = NormalDist()
    for rho in ("0.001", "0.5", "3"):
        shift = math.sqrt(2 * float(rho))
        curve, mutant = (roc_of(cydp.ZCDP(Fraction(rho) / part)) for part in (1, 2))
        wrong = 0
        for x in [*SHARES[1:-1], Fraction(1, 10**4), Fraction(1, 10**7)]:
            true = law.cdf(law.inv_cdf(float(x)) + shift)
            assert true <= curve.most(x) <= 1
            wrong += true > mutant.most(x)
            opposite = law.cdf(law.inv_cdf(float(x)) - shift)
            assert opposite >= curve.least(x) >= 0
        assert wrong
        assert curve.most(Fraction(1, 10**7)) < 1 or rho == "3"


def test_several_deltas_are_never_worse_than_one() -> None:
    rho, plan = cydp.ZCDP(0.5), cydp.Plan([(cydp.PureDP(0.1), 30)])
    for cost, far in ((plan, 1), (rho, 1.02)):  # a rho has a grid of epsilons
        best = expected_change(cost, 1)
        for delta in ("1e-9", "1e-3"):
            alone = expected_change(cost, 1, delta=delta)
            assert all(best.most(x) <= alone.most(x) * far for x in SHARES)


def test_with_a_delta_only_pairs_of_it_are_used() -> None:
    plan = cydp.Plan([(cydp.Gaussian(rho="0.1", sensitivity=1), 2)])
    for delta in ("1e-9", "0.05"):
        epsilon = plan.epsilon(delta)
        alone = expected_change(cydp.ApproxDP(epsilon, delta), 1)
        for x in ("0.001", "0.1", "0.5"):
            assert expected_change(plan, 1, delta=delta).most(x) == alone.most(x)
        assert plan.as_loss(delta).rho is not None  # which would say more


def test_the_factor_of_an_epsilon_is_never_rounded_down() -> None:
    """Against e**epsilon of 60 digits: one that is 10^-25 too small would be a wrong promise."""
    for epsilon in ("0.001", "1", "7.3", "300"):
        factor = roc_of(cydp.PureDP(epsilon)).factor
        assert factor is not None
        with mpmath.workdps(200):
            true = mpmath.exp(mpmath.mpf(epsilon))
            found = mpmath.mpf(factor.numerator) / factor.denominator
            assert true < found < true * (1 + mpmath.mpf(10) ** -20)


def test_a_plan_is_told_better_than_by_its_sum() -> None:
    """Of two randomized answers the best bet is known: they agree, or tell nothing."""
    yes = 1 / (1 + math.exp(-0.5))
    exact = yes**2 + yes * (1 - yes)
    told = trade_off(cydp.Plan([(cydp.PureDP("0.5"), 2)])).fair_bet
    assert exact <= told < trade_off(cydp.PureDP(1)).fair_bet - 0.05


@pytest.mark.parametrize(
    ("mechanism", "alone"),
    [
        (cydp.DiscreteLaplace(epsilon=1, sensitivity=1), 0.539),
        pytest.param(cydp.Gaussian(sigma=1, sensitivity=1), 0.77, marks=pytest.mark.long),
        pytest.param(cydp.ZCDP("1/2"), 0.785, marks=pytest.mark.long),  # without a pair: 0.7856
    ],
    ids=["Laplace", "Gaussian", "rho"],
)
def test_a_sample_is_told_by_its_plan_and_by_its_loss(mechanism: Any, alone: float) -> None:
    """Each alone is the better one for some mechanism; the exact bet is below both."""
    sample = Sampled(mechanism, "1/10")
    told, plan = trade_off(sample), trade_off(cydp.Plan([(sample, 1)]))
    assert told.fair_bet == min(trade_off(sample.loss).fair_bet, plan.fair_bet) < alone
    assert (1 + privacy_loss(sample).delta(0)) / 2 <= told.fair_bet
    assert told.question == plan.question
    at_one = expected_change(sample, 1, delta="1e-3")
    assert at_one.most("0.1") == expected_change(plan.loss, 1, delta="1e-3").most("0.1")
    assert "on a sample of 0.1: a fair bet" in repr(told)


def test_a_smaller_rho_of_a_pure_loss_is_used() -> None:
    told = trade_off(cydp.PureDP(10, rho="0.1"))
    assert told.fair_bet < 0.7 < trade_off(cydp.PureDP(10)).fair_bet


def test_every_cost_is_read() -> None:
    for cost in (
        cydp.PureDP(1), cydp.DiscreteLaplace(epsilon=1, sensitivity=1),
        cydp.count([1, 2], epsilon=1), cydp.Plan([(cydp.PureDP(1), 1)]),
    ):  # fmt: skip
        assert expected_change(cost, 100).most(10) == pytest.approx(10 * math.e, rel=ROUNDED)
        for chance in (trade_off(cost).fair_bet, posterior(cost, 0.5)[1]):
            assert chance == pytest.approx(math.e / (1 + math.e), rel=ROUNDED)


def test_two_values_are_two_steps_apart_under_add_remove() -> None:
    stated = cydp.PureDP("0.5", relation="add-remove")
    assert expected_change(stated, 1, about="value").most("0.1") == (
        expected_change(cydp.PureDP(1), 1).most("0.1")
    )
    for relation in ("change-one", "add-remove-or-change"):
        one = expected_change(cydp.PureDP("0.5", relation=relation), 1, about="value")
        assert one.most("0.1") == expected_change(cydp.PureDP("0.5"), 1).most("0.1")
    rho = cydp.ZCDP("0.1", relation="add-remove")
    assert trade_off(rho, about="value").fair_bet == trade_off(cydp.ZCDP("0.4")).fair_bet
    pair = cydp.ApproxDP(1, "0.01", relation="add-remove")
    assert trade_off(pair, about="value").fair_bet == trade_off(pair.group(2)).fair_bet
    no_more = cydp.ApproxDP(1, "0.9", relation="add-remove")
    assert trade_off(no_more, about="value").fair_bet == 1.0
    plan = cydp.Plan([(stated, 1)])
    assert posterior(plan, "0.5", about="value") == posterior(cydp.PureDP(1), "0.5")


def test_a_question_is_of_what_a_loss_or_a_release_protects() -> None:
    """A person with several rows is not protected by a release that protects a row."""
    rows = cydp.count([1, 2], epsilon=1)
    visitors = cydp.explain(cydp.count, epsilon=1, user="visitor", max_rows=1)
    for cost, about, words in (
        (cydp.PureDP(1, relation="add-remove"), None, "one person taking part or not"),
        (cydp.PureDP(1, relation="change-one"), None, "one person's record being this or another"),
        (cydp.PureDP(1), None, "one of two neighbouring tables or the other"),
        (rows, None, "one row taking part or not"),
        (rows, "value", "one row's record being this or another"),
        (visitors, None, "one visitor taking part or not"),
    ):
        for told in (expected_change(cost, 9, about=about), trade_off(cost, about=about)):
            assert told.question == words
            assert words in repr(told)


def test_extreme_losses() -> None:
    for loss in (cydp.PureDP(10**6), cydp.ZCDP(10**5), cydp.ApproxDP(10**6, 0.5)):
        change = expected_change(loss, 10)
        assert (change.least(5), change.most(5), change.largest) == (0.0, 10.0, 10.0)
        assert posterior(loss, 0.5) == (0.0, 1.0)
        assert trade_off(loss).true_positives(0.1) == 1.0
    for nothing in (cydp.PureDP(0), cydp.ZCDP(0)):
        change = expected_change(nothing, 10)
        assert (change.least(5), change.most(5), change.largest) == (5.0, 5.0, 0.0)
        assert posterior(nothing, "0.3") == (0.3, 0.3)
    tiny = expected_change(cydp.ZCDP("1e-300"), 10)
    assert 5 <= tiny.most(5) < 6


def test_the_rates_of_a_test() -> None:
    test = trade_off(cydp.ApproxDP(1, "0.01"))
    assert test.true_positives("0.05") == pytest.approx(0.01 + math.e * 0.05, rel=ROUNDED)
    for x in SHARES:
        both = test.true_positives(x) + test.false_negatives(x)
        assert both == pytest.approx(1, abs=2e-5)
    assert test.true_positives(1) == 1.0
    assert test.fair_bet == pytest.approx((math.e + 0.01) / (1 + math.e), rel=ROUNDED)
    belief = test.posterior("0.01", "0.05")
    yes = 0.01 * (0.01 + math.e * 0.05)
    assert belief == pytest.approx(yes / (yes + 0.99 * 0.05), rel=ROUNDED)


def test_beliefs_are_those_of_bayes_after_a_randomized_answer() -> None:
    """Its outputs attain both ends."""
    for epsilon in EPSILONS:
        (_, yes, no, _), (_, other_yes, other_no, _) = extremal(float(epsilon), 0)
        for prior in ("0.001", "0.5", "0.9"):
            p = float(prior)
            least, most = posterior(cydp.PureDP(epsilon), prior)
            assert most == pytest.approx(p * yes / (p * yes + (1 - p) * other_yes), rel=ROUNDED)
            assert least == pytest.approx(p * no / (p * no + (1 - p) * other_no), rel=ROUNDED)


def test_a_delta_bounds_no_single_output_and_certainty_stays() -> None:
    assert posterior(cydp.ApproxDP(1, 1e-9), 0.5) == (0.0, 1.0)
    assert posterior(cydp.ZCDP(1), 0.5) == (0.0, 1.0)
    assert posterior(cydp.ApproxDP(1, 1e-9), 1) == (1.0, 1.0)
    assert posterior(cydp.PureDP(1), 0) == (0.0, 0.0)
    three = posterior(cydp.PureDP("1.5"), "0.1")
    assert posterior(cydp.group_privacy(cydp.PureDP("0.5"), 3), "0.1") == three
    assert posterior(cydp.accounting.sequential(*[cydp.PureDP("0.5")] * 3), "0.1") == three


def test_a_picture_shows_the_bounds() -> None:
    change = expected_change(cydp.ApproxDP(1, "0.01"), 10)
    with closed():
        ax = change.plot()
    (fill,) = ax.collections
    assert fill.get_paths()[0].vertices[:, 1].max() == 10
    test = trade_off(cydp.PureDP(1))
    with closed():
        line = test.plot().lines[0]
    assert all(
        y <= test.true_positives(min(x, 1)) + 1e-9 for x, y in zip(*line.get_data(), strict=True)
    )
    corner = 1 / (1 + math.e)
    assert np.interp(corner, *line.get_data()) == pytest.approx(1 - corner, abs=1e-9)


def test_a_plan_of_much_loss_is_told_by_its_delta() -> None:
    """At mu = 3 the fair bet is Phi(3 / 2) = 0.93319: `Plan.delta(0)` knows it."""
    plan = cydp.Plan([(cydp.Gaussian(sigma=1, sensitivity=3), 1)])
    told = trade_off(plan)
    assert told.fair_bet <= (1 + plan.delta(0)) / 2 + 1e-6
    assert told.true_positives("0.05") <= plan.delta(0) + 0.05 + 1e-6
    assert "a plan of 1 release:" in repr(told)
    assert plan.report().startswith("a plan of 1 release, fixed")
