# SPDX-License-Identifier: MIT
"""Which pair a cost has, where a wrong one would state a delta below the truth."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from cydp import (
    ZCDP,
    ApproxDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PartitionSelection,
    PermuteAndFlip,
    Plan,
    PureDP,
    count,
    sampling,
    teach,
)
from cydp.accounting import RelationMismatchError

privacy_loss = teach.privacy_loss
SELECT = PartitionSelection(epsilon=1, delta="0.01", max_partitions=1)
GAUSSIAN = Gaussian(rho="1/2", sensitivity=1)
SHARE = sampling.publish_share([1, 2], "0.1", exposes_rows=True)


@pytest.mark.parametrize("wrap", [lambda cost: cost, lambda cost: Plan([(cost, 1)])])
def test_no_neighbours_of_a_selection_lose_more_than_its_default(wrap: object) -> None:
    most = privacy_loss(wrap(SELECT))  # type: ignore[operator]
    at = np.linspace(0, 1, 9)
    each = [
        side.delta(at)
        for users in range(9)
        for loss in [privacy_loss(SELECT, neighbours=(users + 1, users))]
        for side in (loss, loss.reverse())
    ]
    assert (np.max(each, axis=0) <= most.delta(at) + 1e-12).all()
    assert each[0][4] < np.max(each, axis=0)[4] / 20  # a user who is alone: not the worst


def test_sums_with_a_rho_say_that_normal_noise_is_an_example() -> None:
    rho = privacy_loss(ZCDP(1))
    released = count([1, 2], rho=1)
    sums = [
        rho, privacy_loss(GAUSSIAN) + rho, 3 * rho, (3 * rho).reverse(),
        privacy_loss(Plan([(ZCDP(1), 2)])), privacy_loss([GAUSSIAN, released]),
        privacy_loss(sampling.Sampled(ZCDP(1), "0.1")),
        privacy_loss(Plan([(sampling.Sampled(ZCDP(1), "0.1"), 1)])),
    ]  # fmt: skip
    assert all("as an example" in repr(each) for each in sums)
    for other in (privacy_loss(Plan([(GAUSSIAN, 3)])), 0 * rho, privacy_loss(PureDP(1)) * 2):
        assert "example" not in repr(other)


def test_a_name_has_one_line() -> None:
    found = privacy_loss([SHARE, count([1, 2], epsilon=1)])
    assert found.name == (
        "list of 2 releases: 1 x publish_share(share=0.1), "
        "1 x NumberRelease, PureDP(epsilon=1, relation='add-remove')"
    )


@pytest.mark.parametrize("times", [1, 2, 10, 10_000])
def test_losses_that_are_constant_where_they_are_finite_are_added(times: int) -> None:
    alone = privacy_loss(SELECT, neighbours=(1, 0))
    for loss, chance in ((privacy_loss(SHARE), 0.1), (alone, alone.distinguishing)):
        both = loss * times
        any_row = -math.expm1(times * math.log1p(-chance))
        for side in (both, both.reverse()):
            assert side.delta(0) == pytest.approx(any_row, rel=1e-9)
        assert both.delta(3) == pytest.approx(any_row, rel=1e-9)
        assert both.reverse().supremum == pytest.approx(-times * math.log1p(-chance))


def _normal(epsilon: float) -> float:
    return float(norm.cdf(0.5 - epsilon) - math.exp(epsilon) * norm.cdf(-0.5 - epsilon))


def test_a_sample_of_normal_noise_has_the_delta_of_the_mixture() -> None:
    for q in (0.01, 0.3, 0.9):
        loss = privacy_loss(sampling.Sampled(GAUSSIAN, q))
        for epsilon in (0.001, 0.05, 0.3, 1, 2):
            factor = math.exp(epsilon)
            rest = 1 - (1 - q) * factor
            exact = q * _normal(math.log((factor - 1 + q) / q))
            other = rest * _normal(math.log(q * factor / rest)) if rest > 0 else 0.0
            for side, truth in ((loss, exact), (loss.reverse(), other)):
                assert truth - 1e-12 <= side.delta(epsilon) <= truth + 1e-7
        assert loss.reverse().supremum == pytest.approx(-math.log1p(-q))


@pytest.mark.parametrize(
    "mechanism",
    [
        DiscreteLaplace(epsilon=1, sensitivity=2),
        DiscreteGaussian(rho="1/2", sensitivity=1),
        PureDP(1),
        ApproxDP(1, "0.01"),
    ],
)
def test_a_sample_of_a_table_is_a_mixture_of_outputs(mechanism: object) -> None:
    whole, q = privacy_loss(mechanism), 0.1  # type: ignore[arg-type]
    loss = privacy_loss(sampling.Sampled(mechanism, q))  # type: ignore[arg-type]
    p = q * whole.p + (1 - q) * whole.q
    for side, one, other in ((loss, p, whole.q), (loss.reverse(), whole.q, p)):
        for epsilon in (0, 0.02, 0.09, 0.2):
            exact = np.maximum(one - math.exp(epsilon) * other, 0).sum()
            assert side.delta(epsilon) == pytest.approx(exact, abs=1e-12)
    assert loss.delta(0.1) < whole.delta(0.1)
    assert loss.stated == sampling.Sampled(mechanism, q).loss  # type: ignore[arg-type]


def test_a_sample_of_all_is_the_whole_and_laplace_noise_keeps_its_supremum() -> None:
    noise = Laplace(epsilon=1, sensitivity=1)
    assert privacy_loss(sampling.Sampled(noise, 1)).delta("1/2") == privacy_loss(noise).delta("1/2")
    part = privacy_loss(sampling.Sampled(noise, "0.1"))
    assert part.supremum == pytest.approx(math.log1p(0.1 * math.expm1(1)))
    assert part.reverse().supremum == pytest.approx(-math.log1p(0.1 * math.expm1(-1)))


@pytest.mark.long
def test_a_plan_of_samples_is_as_tight_as_dp_accounting_finds() -> None:
    pytest.importorskip("dp_accounting")
    plan = Plan([(sampling.Sampled(GAUSSIAN, "0.1"), 10)])
    loss = privacy_loss(plan)
    most = max(loss.epsilon(1e-6), loss.reverse().epsilon(1e-6))
    assert most == pytest.approx(plan.epsilon_by_method(1e-6)["pld"], rel=1e-4)


@pytest.mark.parametrize("choice", [ExponentialMechanism, PermuteAndFlip])
def test_large_scores_lose_what_their_differences_do(choice: type) -> None:
    """Floats of these scores are equal; those of their differences are not."""
    large, most = choice(epsilon=5, sensitivity=1), 10**17
    loss = privacy_loss(large, scores=[most, most], other=[most + 1, most - 1])
    same = privacy_loss(large, scores=[0, 0], other=[1, -1])
    assert loss.supremum == same.supremum > 4
    assert loss.delta(1) == same.delta(1) > 0.4


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("share", [1e-320, "1e-400"])
@pytest.mark.parametrize("mechanism", [GAUSSIAN, DiscreteGaussian(rho=1, sensitivity=1), PureDP(1)])
def test_a_share_that_is_no_float_counts_as_a_larger_one(mechanism: object, share: object) -> None:
    loss = privacy_loss(sampling.Sampled(mechanism, share))  # type: ignore[arg-type]
    larger = privacy_loss(sampling.Sampled(mechanism, "1e-300"))  # type: ignore[arg-type]
    assert loss.supremum == larger.supremum > 0
    assert loss.delta(0) == larger.delta(0) > 0
    nearly = privacy_loss(sampling.Sampled(mechanism, 1 - Fraction(1, 10**20)))  # type: ignore[arg-type]
    assert nearly.delta(1) == privacy_loss(mechanism).delta(1)  # type: ignore[arg-type]


def test_probabilities_that_underflow_take_no_loss_away() -> None:
    choice = ExponentialMechanism(epsilon=1, sensitivity=1)
    loss = privacy_loss(choice, scores=[3000, 2, 0], other=[2999, 3, 1])
    assert loss.reverse().supremum == loss.reverse().epsilon(0) == 1
    many = privacy_loss(
        PartitionSelection(epsilon=1, delta="1e-9", max_partitions=5000), neighbours=(3, 2)
    )
    p, q = PartitionSelection(epsilon=1, delta="1e-9", max_partitions=5000).probability([3, 2])
    assert many.supremum == pytest.approx(5000 * math.log(p / q), rel=1e-9)
    assert many.reverse().supremum == pytest.approx(5000 * math.log((1 - q) / (1 - p)), rel=1e-6)


def test_the_loss_of_an_output_far_out() -> None:
    normal = privacy_loss(GAUSSIAN)
    assert [normal.loss_of(x) for x in (-100, 0.25, 51)] == pytest.approx([100.5, 0.25, -50.5])
    assert privacy_loss(Laplace(epsilon=2, sensitivity=1)).loss_of(0.25) == pytest.approx(1)
    for wrong in ([1, 2], True, None):
        with pytest.raises(TypeError, match="output must be an int"):
            privacy_loss(DiscreteLaplace(epsilon=1, sensitivity=1)).loss_of(wrong)


def test_an_infinite_epsilon_is_refused_in_an_array_too() -> None:
    loss = privacy_loss(ApproxDP(1, "0.01"))
    for given in (math.inf, [math.inf], np.array([1, np.inf]), np.array([np.nan])):
        with pytest.raises(ValueError, match="epsilon must be finite"):
            loss.delta(given)  # type: ignore[arg-type]


def test_neighbours_that_floats_cannot_tell_apart_are_refused() -> None:
    far = (10**17, 10**17 + 1)
    for noise in (GAUSSIAN, Laplace(epsilon=1, sensitivity=1)):
        with pytest.raises(ValueError, match="subtract the same number from both"):
            privacy_loss(noise, neighbours=far)
    table = DiscreteGaussian(rho="1/2", sensitivity=1)
    assert privacy_loss(table, neighbours=far).loss_of(10**17) == 0.5
    with pytest.raises(ValueError, match=r"between -2\*\*62 and 2\*\*62"):
        privacy_loss(table, neighbours=(10**30, 10**30 + 1))


def test_pictures_of_an_epsilon_without_an_axis_are_refused() -> None:
    loss = privacy_loss(PureDP(800))
    for plot in (loss.plot, loss.plot_area, loss.plot_delta):
        with pytest.raises(ValueError, match="from 0 to 300 for a picture, not 800"):
            plot()


def test_a_curve_above_one_half_is_drawn() -> None:
    axes = (privacy_loss(SHARE) * 10).plot_curve()
    assert axes.lines[0].get_ydata()[0] == pytest.approx(1 - 0.9**10)


@pytest.mark.filterwarnings("error")
def test_a_partition_that_is_sure_to_be_kept_tells_nothing() -> None:
    loss = privacy_loss(SELECT, neighbours=(50, 49))
    assert (loss.delta(0), loss.supremum, loss.outputs.tolist()) == (0, 0, [1])


def test_several_integers_may_lose_more_than_one_and_the_text_says_so() -> None:
    noise = DiscreteGaussian(rho=1, sensitivity=2)
    one, four = privacy_loss(noise), privacy_loss(noise, neighbours=([0] * 4, [1] * 4))
    assert one.delta(1) < four.delta(1)
    for loss in (one, one.reverse(), 2 * one, privacy_loss(Plan([(noise, 2)]))):
        assert "several integers that move may lose more" in repr(loss)
    for other in (four, privacy_loss(DiscreteGaussian(rho=1, sensitivity=1))):
        assert "several" not in repr(other)


def test_of_several_entries_only_distances_count() -> None:
    wide, far = DiscreteGaussian(sigma=10**7, sensitivity=2), 2**61
    loss = privacy_loss(wide, neighbours=([far] * 3, [far + 1] * 3))
    assert loss.delta(0) == privacy_loss(wide, neighbours=([0] * 3, [1] * 3)).delta(0) > 0
    noise = DiscreteLaplace(epsilon=1, sensitivity=1000)
    many = privacy_loss(noise, neighbours=([0] * 999 + [5], [1] * 999 + [5]))
    assert many.delta(0) == (999 * privacy_loss(noise, neighbours=(0, 1))).delta(0)
    mixed = privacy_loss(noise, neighbours=([0, 3, 1, 9], [2, 1, 2, 9]))
    one, two = (privacy_loss(noise, neighbours=(0, move)) for move in (1, 2))
    assert mixed.delta("0.001") == pytest.approx((one + two + two).delta("0.001"), rel=1e-12)


def test_outputs_of_a_rho_are_in_standard_deviations() -> None:
    loss = privacy_loss(ZCDP("1/2"))
    assert loss.p.max() == pytest.approx(1 / math.sqrt(2 * math.pi), rel=1e-5)
    assert loss.loss_of(0) == 0.5
    assert loss.loss_of(1) == -0.5


def test_candidates_that_floats_do_not_hold_have_a_loss() -> None:
    """The worse candidate has e**-1000; its loss is 1/2, which the supremum must not forget."""
    choice = ExponentialMechanism(epsilon=1, sensitivity=1)
    for best, loss in (
        (1999, privacy_loss(choice, scores=[0, 2000], other=[0, 1999]).reverse()),
        (2001, privacy_loss(choice, scores=[0, 2000], other=[0, 2001])),
    ):
        assert 0.5 <= loss.supremum <= 1, best


def test_losses_of_different_neighbours_are_not_added() -> None:
    """Under "change-one" the first would lose twice as much as its pair says."""
    first, second = PureDP(1, relation="add-remove"), PureDP(1, relation="change-one")
    both, none = PureDP(1, relation="add-remove-or-change"), PureDP(1)
    for mixed in (
        lambda: privacy_loss([first, second]),
        lambda: privacy_loss(first) + privacy_loss(second),
        lambda: privacy_loss([first, none]).reverse() + 2 * privacy_loss(second),
    ):
        with pytest.raises(RelationMismatchError, match="losses"):
            mixed()
    for fitting in ([first, none], [first, both], [both, second], [first, first]):
        assert privacy_loss(fitting).supremum == 2
