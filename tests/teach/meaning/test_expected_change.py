"""teach/meaning: expectations and tests, against mechanisms that attain the bounds."""

from __future__ import annotations

import doctest
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from statistics import NormalDist
from typing import Any

import mpmath
import numpy as np
import pytest
from teach.looks import check

import cydp
from cydp.accounting._trade_off import curve_of
from cydp.sampling import Sampled
from cydp.teach import ExpectedChange, expected_change, posterior, privacy_loss, trade_off
from cydp.teach.meaning import __all__ as names

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


@pytest.mark.parametrize(("epsilon", "delta"), LOSSES)
def test_no_utility_of_the_extremal_mechanism_exceeds_the_bounds_and_some_attain_them(
    epsilon: str, delta: str
) -> None:
    """A utility of four outputs is a point of a cube: its corners and 50 others."""
    two = extremal(float(epsilon), float(delta))
    corners = np.array(np.meshgrid(*[[0, 1]] * 4)).reshape(4, -1).T
    utilities = [*corners, *np.random.default_rng(7).random((50, 4))]
    change = expected_change(loss_of(epsilon, delta), 1)
    tight = wrong = 0
    smaller = expected_change(loss_of(str(float(epsilon) * 0.98), delta), 1)  # the mutant
    for utility in utilities:
        mine, without = two @ utility
        share = Fraction(min(max(without, 0.0), 1.0)).limit_denominator(10**12)
        most, least = change.most(share), change.least(share)
        assert least - 1e-9 <= mine <= most + 1e-9
        tight += mine >= most * (1 - ROUNDED) - 1e-9
        wrong += mine > smaller.most(share) + 1e-9
    assert tight >= 4
    assert wrong or float(epsilon) == 0
    largest = (two @ [1, 1, 0, 0])[0] - (two @ [1, 1, 0, 0])[1]
    assert largest <= change.largest + 1e-12
    assert change.largest == pytest.approx(largest, rel=ROUNDED, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "delta"), LOSSES)
def test_both_formulas_and_their_complements_are_used(epsilon: str, delta: str) -> None:
    """The four inequalities of the page, each in floats, for a salary of at most 10,000."""
    e, d, top = math.exp(float(epsilon)), float(delta), 10_000
    change = expected_change(loss_of(epsilon, delta), top)
    for share in SHARES:
        x = float(share) * top
        most = min(top, e * x + d * top, top - (top - x - d * top) / e)
        least = max(0, (x - d * top) / e, top - e * (top - x) - d * top)
        assert change.most(top * share) == pytest.approx(most, rel=ROUNDED, abs=1e-9)
        assert change.least(top * share) == pytest.approx(least, rel=ROUNDED, abs=1e-6)
        assert change.most(top * share) >= most * (1 - 1e-12)
        assert change.least(top * share) <= least * (1 + 1e-12) + 1e-9


def test_the_complement_is_the_better_bound_for_a_high_salary() -> None:
    change = expected_change(cydp.PureDP(1), 10_000)
    assert change.most(9000) == pytest.approx(10_000 - 1000 / math.e, rel=ROUNDED)
    assert change.most(9000) < 10_000 < math.e * 9000
    assert change.most(100) == pytest.approx(math.e * 100, rel=ROUNDED)


@pytest.mark.parametrize("rho", ["0.001", "0.1", "0.5", "3"])
def test_gaussian_noise_stays_within_the_curve_of_its_rho(rho: str) -> None:
    """Its best test is known: true positives Phi(Phi^-1(x) + sqrt(2 rho)); half of rho fails."""
    law, shift = NormalDist(), math.sqrt(2 * float(rho))
    curve, mutant = (curve_of(cydp.ZCDP(Fraction(rho) * share)) for share in (1, Fraction(1, 2)))
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
    for cost in (cydp.ZCDP(0.5), cydp.Plan([(cydp.PureDP(0.1), 30)])):
        best = expected_change(cost, 1)
        for delta in ("1e-9", "1e-6", "1e-3"):
            alone = expected_change(cost, 1, delta=delta)
            if isinstance(cost, cydp.Plan):
                assert all(best.most(x) <= alone.most(x) for x in SHARES)
            else:  # a grid of epsilons, between two of which one delta can be a little better
                assert all(best.most(x) <= alone.most(x) * 1.02 for x in SHARES)
    pair = cydp.convert(cydp.ZCDP(0.5), delta="1e-6")
    assert expected_change(cydp.ZCDP(0.5), 1, delta="1e-6").most("0.001") == (
        expected_change(cydp.ApproxDP(pair.epsilon, "1e-6"), 1).most("0.001")
    )


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
        factor = curve_of(cydp.PureDP(epsilon)).factor
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


def test_a_sample_is_told_by_its_plan_and_by_its_loss() -> None:
    """Each alone is the better one for some mechanism; the exact bet is below both."""
    for mechanism, alone in (
        (cydp.Gaussian(sigma=1, sensitivity=1), 0.77),
        (cydp.DiscreteLaplace(epsilon=1, sensitivity=1), 0.539),
        (cydp.ZCDP("1/2"), 0.785),  # a plan knows no pair of it, and its bet is 0.7856
    ):
        sample = Sampled(mechanism, "1/10")
        told = trade_off(sample)
        plan = trade_off(cydp.Plan([(sample, 1)]))
        assert told.fair_bet == min(trade_off(sample.loss).fair_bet, plan.fair_bet) < alone
        assert (1 + privacy_loss(sample).delta(0)) / 2 <= told.fair_bet
        assert told.question == plan.question
        at_one = expected_change(sample, 1, delta="1e-3")
        assert at_one.most("0.1") == expected_change(plan.loss, 1, delta="1e-3").most("0.1")
        assert "on a sample of 0.1: a fair bet" in repr(told)


def test_a_smaller_rho_of_a_pure_loss_is_used() -> None:
    told = trade_off(cydp.PureDP(10, rho="0.1"))
    assert told.fair_bet < 0.7 < trade_off(cydp.PureDP(10)).fair_bet


COSTS: dict[str, Callable[[], Any]] = {
    "loss": lambda: cydp.PureDP(1),
    "mechanism": lambda: cydp.DiscreteLaplace(epsilon=1, sensitivity=1),
    "release": lambda: cydp.count([1, 2], epsilon=1),
    "plan": lambda: cydp.Plan([(cydp.PureDP(1), 1)]),
}


@pytest.mark.parametrize("name", COSTS)
def test_every_cost_is_read(name: str) -> None:
    change = expected_change(COSTS[name](), 100)
    assert change.most(10) == pytest.approx(10 * math.e, rel=ROUNDED)
    assert trade_off(COSTS[name]()).fair_bet == pytest.approx(math.e / (1 + math.e), rel=ROUNDED)
    assert posterior(COSTS[name](), 0.5)[1] == pytest.approx(math.e / (1 + math.e), rel=ROUNDED)


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


@pytest.mark.parametrize(
    ("loss", "about", "words"),
    [
        (cydp.PureDP(1, relation="change-one"), "presence", "number of records is public"),
        (cydp.PureDP(1), "value", "states no relation"),
        (cydp.PureDP(1), "salary", "about must be 'presence', 'value' or None, not 'salary'"),
    ],
)
def test_a_question_that_a_loss_does_not_answer_is_refused(
    loss: Any, about: str, words: str
) -> None:
    for ask in (
        lambda: expected_change(loss, 1, about=about),
        lambda: trade_off(loss, about=about),
        lambda: posterior(loss, 0.5, about=about),
    ):
        with pytest.raises(ValueError, match=words):
            ask()


def test_the_question_is_said() -> None:
    for relation, words in (
        ("add-remove", "one person taking part or not"),
        ("change-one", "this or another"),
        (None, "neighbouring tables"),
    ):
        loss = cydp.PureDP(1, relation=relation)
        assert words in repr(expected_change(loss, 10))
        assert words in repr(trade_off(loss))


@pytest.mark.parametrize(
    "ask", [trade_off, lambda *loss, **about: expected_change(*loss, 9, **about)]
)
def test_a_question_is_of_what_a_release_protects(ask: Callable[..., Any]) -> None:
    """A person with several rows is not protected by a release that protects a row."""
    rows = cydp.count([1, 2], epsilon=1)
    assert ask(rows).question == "one row taking part or not"
    assert ask(rows, about="value").question == "one row's record being this or another"
    visitors = cydp.explain(cydp.count, epsilon=1, user="visitor", max_rows=1)
    assert ask(visitors).question == "one visitor taking part or not"


BAD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "no loss": (lambda: expected_change(1, 10), TypeError, "loss must be a loss or a mechanism"),
    "no utility": (lambda: expected_change(cydp.PureDP(1), 0), ValueError, "max_utility must be g"),
    "below 0": (lambda: expected_change(cydp.PureDP(1), -5), ValueError, "shift those"),
    "text": (lambda: expected_change(cydp.PureDP(1), "much"), ValueError, "max_utility must be a"),
    "beyond floats": (
        lambda: expected_change(cydp.PureDP(1), 10**400), ValueError, "at most 1e300",
    ),
    "negative": (
        lambda: expected_change(cydp.PureDP(1), 10).most(-1), ValueError, "expected must be from 0",
    ),
    "too much": (
        lambda: expected_change(cydp.PureDP(1), 10).least(11), ValueError, "to max_utility, 10",
    ),
    "delta": (
        lambda: expected_change(cydp.ApproxDP(1, 0.1), 10, delta=0.01), ValueError,
        "at least that of the loss",
    ),
    "zcdp": (lambda: trade_off(cydp.ZCDP(1), delta=0), ValueError, "delta must be greater than 0"),
    "prior": (lambda: posterior(cydp.PureDP(1), 2), ValueError, "prior must be between 0 and 1"),
    "rate": (
        lambda: trade_off(cydp.PureDP(1)).true_positives(-1), ValueError,
        "false_positives must be between",
    ),
    "sure": (
        lambda: trade_off(cydp.PureDP(1)).posterior(0.5, 0), ValueError, "must be greater than 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_a_bad_argument_is_named(name: str) -> None:
    call, kind, words = BAD[name]
    with pytest.raises(kind, match=words):
        call()


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


# Tests and beliefs


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


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_beliefs_are_those_of_bayes_after_a_randomized_answer(epsilon: str) -> None:
    """Its outputs attain both ends."""
    (_, yes, no, _), (_, other_yes, other_no, _) = extremal(float(epsilon), 0)
    for prior in ("0.001", "0.2", "0.5", "0.9"):
        p = float(prior)
        least, most = posterior(cydp.PureDP(epsilon), prior)
        assert most == pytest.approx(p * yes / (p * yes + (1 - p) * other_yes), rel=ROUNDED)
        assert least == pytest.approx(p * no / (p * no + (1 - p) * other_no), rel=ROUNDED)


def test_a_delta_bounds_no_single_output_and_certainty_stays() -> None:
    assert posterior(cydp.ApproxDP(1, 1e-9), 0.5) == (0.0, 1.0)
    assert posterior(cydp.ZCDP(1), 0.5) == (0.0, 1.0)
    assert posterior(cydp.ApproxDP(1, 1e-9), 1) == (1.0, 1.0)
    assert posterior(cydp.PureDP(1), 0) == (0.0, 0.0)


def test_groups_and_several_releases() -> None:
    three = posterior(cydp.PureDP("1.5"), "0.1")
    assert posterior(cydp.group_privacy(cydp.PureDP("0.5"), 3), "0.1") == three
    assert posterior(cydp.sequential(*[cydp.PureDP("0.5")] * 3), "0.1") == three


def test_the_room_offers_what_its_door_does() -> None:
    import cydp.teach

    assert set(names) < set(cydp.teach.__all__)
    assert isinstance(expected_change(cydp.PureDP(1), 1), ExpectedChange)


STATED = cydp.PureDP("0.5", relation="add-remove")
PICTURES: dict[str, Callable[[], Any]] = {
    "expected_change": lambda: expected_change(STATED, 10_000).plot(),
    "trade_off": lambda: trade_off(STATED).plot(),
    "of a rho": lambda: expected_change(cydp.ZCDP("0.5"), 1).plot(),
}


@pytest.mark.parametrize("name", PICTURES)
def test_a_picture_can_be_read(name: str) -> None:
    check(PICTURES[name])


def test_a_picture_shows_the_bounds() -> None:
    change = expected_change(cydp.ApproxDP(1, "0.01"), 10)
    ax = change.plot()
    (fill,) = ax.collections
    assert fill.get_paths()[0].vertices[:, 1].max() == 10
    test = trade_off(cydp.PureDP(1))
    line = test.plot().lines[0]
    assert all(
        y <= test.true_positives(min(x, 1)) + 1e-9 for x, y in zip(*line.get_data(), strict=True)
    )
    corner = 1 / (1 + math.e)
    assert np.interp(corner, *line.get_data()) == pytest.approx(1 - corner, abs=1e-9)


def test_the_examples_of_the_page_run() -> None:
    page = Path(__file__).parents[3] / "docs" / "teach" / "meaning.md"
    result = doctest.testfile(str(page), module_relative=False)
    assert (result.failed, result.attempted >= 4) == (0, True)
