# SPDX-License-Identifier: MIT
"""Which pair a cost has, where a wrong one would state a delta below the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from cydp import (
    ZCDP,
    DiscreteGaussian,
    DiscreteLaplace,
    ExponentialMechanism,
    Gaussian,
    Laplace,
    PermuteAndFlip,
    Plan,
    PureDP,
    count,
    sampling,
    teach,
)
from cydp.accounting import RelationMismatchError
from cydp.mechanisms import PartitionSelection
from cydp.teach import publish_share

privacy_loss = teach.privacy_loss
SELECT = PartitionSelection(epsilon=1, delta="0.01", max_partitions=1)
GAUSSIAN = Gaussian(rho="1/2", sensitivity=1)
SHARE = publish_share([1, 2], "0.1", exposes_rows=True)


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


def test_candidates_that_floats_do_not_hold_have_a_loss() -> None:
    """The worse candidate has e**-1000; its loss is 1/2, which the supremum must not forget."""
    choice = ExponentialMechanism(epsilon=1, sensitivity=1)
    for best, loss in (
        (1999, privacy_loss(choice, scores=[0, 2000], other=[0, 1999]).reverse()),
        (2001, privacy_loss(choice, scores=[0, 2000], other=[0, 2001])),
    ):
        assert 0.5 <= loss.supremum <= 1, best


def test_a_published_size_of_the_rows_tells_a_row_of_either_table() -> None:
    shared = publish_share([1, 2, 3, 4], size=1, rows=4, exposes_rows=True)
    loss = privacy_loss(shared)
    for side in (loss, loss.reverse()):
        assert side.distinguishing == side.delta(0) == side.delta(9) == 0.25
    assert (loss * 2).delta(1) == pytest.approx(1 - 0.75**2)


def test_losses_that_are_constant_where_they_are_finite_are_added() -> None:
    alone = privacy_loss(SELECT, neighbours=(1, 0))
    for loss, chance in ((privacy_loss(SHARE), 0.1), (alone, alone.distinguishing)):
        for times in (1, 2, 10_000):
            both = loss * times
            any_row = -math.expm1(times * math.log1p(-chance))
            for delta in (both.delta(0), both.reverse().delta(0), both.delta(3)):
                assert delta == pytest.approx(any_row, rel=1e-9)
            assert both.reverse().supremum == pytest.approx(-times * math.log1p(-chance))


def test_large_scores_lose_what_their_differences_do() -> None:
    """Floats of these scores are equal; floats of their differences are not."""
    most = 10**17
    for choice in (ExponentialMechanism, PermuteAndFlip):
        large = choice(epsilon=5, sensitivity=1)
        loss = privacy_loss(large, scores=[most, most], other=[most + 1, most - 1])
        same = privacy_loss(large, scores=[0, 0], other=[1, -1])
        assert loss.supremum == same.supremum > 4
        assert loss.delta(1) == same.delta(1) > 0.4


def test_the_loss_of_an_output_far_out() -> None:
    normal = privacy_loss(GAUSSIAN)
    assert [normal.loss_of(x) for x in (-100, 0.25, 51)] == pytest.approx([100.5, 0.25, -50.5])
    assert privacy_loss(Laplace(epsilon=2, sensitivity=1)).loss_of(0.25) == pytest.approx(1)
    rho = privacy_loss(ZCDP("1/2"))  # its outputs are in standard deviations
    assert rho.p.max() == pytest.approx(1 / math.sqrt(2 * math.pi), rel=1e-5)
    assert (rho.loss_of(0), rho.loss_of(1)) == (0.5, -0.5)
    far = (10**17, 10**17 + 1)  # which floats do not tell apart
    table = DiscreteGaussian(rho="1/2", sensitivity=1)
    assert privacy_loss(table, neighbours=far).loss_of(10**17) == 0.5


def test_losses_of_fitting_neighbours_are_added() -> None:
    """Of others not: under "change-one" the first would lose twice as much as its pair says."""
    first, second = PureDP(1, relation="add-remove"), PureDP(1, relation="change-one")
    both, none = PureDP(1, relation="add-remove-or-change"), PureDP(1)
    for fitting in ([first, none], [first, both], [both, second], [first, first]):
        assert privacy_loss(fitting).supremum == 2
    with pytest.raises(RelationMismatchError):
        privacy_loss(first) + privacy_loss(second)
