"""releases/_noise_split.py: the parts together cost what the release states, and no more."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import cydp
from cydp import ApproxDP, DiscreteGaussian, DiscreteLaplace, PureDP
from cydp.accounting import ZCDP
from cydp.accounting._conversion import rho_of
from cydp.mechanisms._gaussian_calibration import normal_variance
from cydp.releases._noise_split import Aggregate, Joint, Part, split_privacy
from cydp.releases._query import Query
from cydp.releases._unit import Change, Unit

NEAR, FAR = (-4, 10), (50, 60)
TABLE = {"key": ["a", "b"], "x": [1.0, 2.0], "user": [1, 2]}


def grouped(**privacy: Any) -> Query:
    return cydp.group_by(
        TABLE, "key", keys=["a", "b"], sums={"x": NEAR}, means={"x": FAR},
        quantiles={"x": ([0.25, 0.5], NEAR)}, split={"n": 3, "quantile_x": "1/2"}, user="user",
        max_partitions=2, max_rows_per_partition=3, **privacy,
    ).query  # fmt: skip


def without_choices(**privacy: Any) -> Query:
    return cydp.group_by(
        TABLE, "key", keys=["a"], sums={"x": NEAR}, means={"x": FAR}, split={"n": 3}, user="user",
        max_partitions=2, **privacy,
    ).query  # fmt: skip


QUERIES: dict[str, Callable[..., Query]] = {
    "count": lambda **given: cydp.count([1], **given).query,
    "sum": lambda **given: cydp.sum([1], FAR, max_rows_per_unit=3, **given).query,
    "mean": lambda **given: cydp.mean([1], NEAR, split={"sum": 3}, **given).query,
    "mean of a known number": lambda **given: cydp.mean(
        [1], NEAR, missing=1, **given | {"relation": "change-one"}).query,
    "variance": lambda **given: cydp.variance([1], NEAR, split={"squares": 0.1}, **given).query,
    "quantile": lambda **given: cydp.quantile([1], [0.1, 0.5, 0.7], NEAR, **given).query,
    "histogram": lambda **given: cydp.histogram([1], 4, (0, 4), **given).query,
    "group_by": grouped,
    "without choices": without_choices,
}  # fmt: skip


def pure_cost(part: Part) -> Fraction:
    """Of all answers, from the scale of the noise and the change alone."""
    if isinstance(part.mechanism, DiscreteLaplace):
        return part.change.l1 / part.mechanism.scale
    return 2 * part.change.l1 / part.choice.scale  # exp(-score / scale): up and down


def rho_cost(part: Part) -> Fraction:
    if isinstance(part.mechanism, DiscreteGaussian):
        return part.change.l2**2 / (2 * part.mechanism.sigma2)
    return (2 * part.change.l2 / part.choice.scale) ** 2 / 8


def one_of_each(parts: Iterable[Part]) -> list[Part]:
    """Return one part of each level: together they cost what one of them costs."""
    return [*{part.level or part.name: part for part in parts}.values()]


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_pure_parts_cost_epsilon(relation: str) -> None:
    for name, query_of in QUERIES.items():
        query = query_of(epsilon="7/10", relation=relation)
        assert query.loss == PureDP("7/10", relation=query.relation)
        assert sum(part.share for part in one_of_each(query.parts.values())) == 1
        for part in query.parts.values():
            assert pure_cost(part) * query.joint.epsilon == part.share * Fraction(7, 10), name


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_zcdp_parts_cost_rho(relation: str) -> None:
    for name, query_of in QUERIES.items():
        query = query_of(rho="1/3", relation=relation)
        assert query.loss == ZCDP("1/3", relation=query.relation)
        for part in query.parts.values():
            most = part.share / 3 / query.joint.rho
            assert most * (1 - Fraction(2, 10**5)) <= rho_cost(part) <= most, name


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_the_rho_of_an_approximate_loss_covers_its_parts(relation: str) -> None:
    for name, query_of in QUERIES.items():
        try:
            query = query_of(epsilon=1, delta=1e-6, relation=relation, noise="gaussian")
        except (TypeError, ValueError):  # of choices alone, to which no noise is added
            query = query_of(epsilon=1, delta=1e-6, relation=relation)
        loss, parts = query.loss, one_of_each(query.parts.values())
        if isinstance(loss, PureDP):  # choices of a larger rate than under zCDP
            assert sum(map(pure_cost, parts)) * query.joint.epsilon == loss.epsilon == 1, name
            continue
        assert isinstance(loss, ApproxDP)
        assert (loss.epsilon, loss.delta) == (1, Fraction(1, 10**6))
        if len(parts) > 1:
            assert loss.rho is not None
            assert sum(map(rho_cost, parts)) * query.joint.rho <= loss.rho, name


def test_what_parts_cost_together() -> None:
    """By hand: a row that stays moves the sum by twice as much, and the count not at all."""
    given: list[tuple[dict[str, Any], str, str]] = [
        ({"relation": "change-one"}, "3/4", "5/8"),
        ({"relation": "add-remove-or-change"}, "3/4", "5/8"),
        ({"relation": "add-remove"}, "1", "1"),
        ({"relation": "change-one", "split": {"sum": 3}}, "3/4", "3/4"),
        ({"relation": "change-one", "split": {"count": 3}}, "7/8", "13/16"),
        ({"relation": "change-one", "missing": 1}, "1", "1"),
        ({"relation": "change-one", "max_rows_per_unit": 4}, "3/4", "5/8"),
    ]
    for arguments, epsilon, rho in given:
        joint = cydp.mean([1], NEAR, rho=1, **arguments).query.joint
        assert joint == (Fraction(epsilon), Fraction(rho)), arguments


def test_a_square_and_its_number_move_together() -> None:
    """Against all pairs of numbers of a fine grid, for several weights."""
    x = np.linspace(-1, 1, 401)
    squares, numbers = (np.abs(np.subtract.outer(each, each)) for each in (x**2, x))
    for weight in (0.01, 0.5, 1, 3, 100):
        query = cydp.variance(
            [1], (-7, 7), missing=1, rho=1, relation="change-one", split={"squares": weight}
        ).query
        share, rest = weight / (1 + weight), 1 / (1 + weight)
        for p, joint in zip((1, 2), query.joint, strict=True):
            exact = (share * squares**p + rest * (numbers / 2) ** p).max()
            assert exact * (1 - 1e-6) <= joint <= exact * 1.01, (weight, p)


# (epsilon, delta): the discrete noise of all parts, composed from its probabilities alone


def masses(sigma2: float) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    reach = math.ceil(12 * math.sqrt(sigma2)) + 1
    k = np.arange(-reach, reach + 1)
    mass = np.exp(-(k.astype(float) ** 2) / (2 * sigma2))
    return k, mass / mass.sum()


def exact_delta(moves: list[tuple[int, float]], epsilon: float) -> float:
    """Return the delta of independent discrete noise, each (by how much it is moved, sigma2).

    The losses of a part lie on a lattice: k moved by d has the loss (2 k d + d**2) / (2 sigma2).
    Losses are put on a fine grid, once up and once down, and the mean of both is no bound but is
    precise.
    """
    spacing, found = 1e-4, []
    for rounding in (np.ceil, np.floor):
        start, total = 0, np.ones(1)
        for d, sigma2 in moves:
            k, mass = masses(sigma2)
            places = rounding((2 * k * d + d * d) / (2 * sigma2) / spacing).astype(np.int64)
            first = int(places.min())
            line = np.bincount(places - first, mass)
            n = len(total) + len(line) - 1
            size = 1 << n.bit_length()
            product = np.fft.irfft(np.fft.rfft(total, size) * np.fft.rfft(line, size), size)[:n]
            start, total = start + first, np.maximum(product, 0)
        losses = (start + np.arange(len(total))) * spacing
        over = losses > epsilon
        found.append(float((total[over] * -np.expm1(epsilon - losses[over])).sum()))
    assert found[1] <= found[0] <= found[1] * 1.1 + 1e-15
    return found[0]


def worst_moves(parts: list[tuple[Change, Fraction]]) -> list[tuple[int, float]]:
    """Return moves that reach the L2 norm of each part, in entries of their own."""
    found = []
    for change, sigma2 in parts:
        entries = change.coordinates
        each = float(change.l2) / math.sqrt(entries)
        assert abs(each - round(each)) < 1e-4
        found += [(round(each), float(sigma2))] * entries
    return found


def change(l2: int, entries: int) -> Change:
    """Each of several entries changes by l2."""
    norm = Fraction(math.isqrt(entries) * l2)
    assert math.isqrt(entries) ** 2 == entries
    return Change(Fraction(l2 * entries), norm, entries, "add-remove")


STACKS: dict[str, tuple[list[tuple[int, int, int]], str, str]] = {  # by, entries, weight
    "two counts": ([(1, 1, 1), (1, 1, 1)], "1", "1e-6"),
    "mean": ([(7, 1, 3), (1, 1, 1)], "0.5", "1e-5"),
    "variance": ([(49, 1, 1), (7, 1, 1), (1, 1, 1)], "2", "1e-4"),
    "by key": ([(1, 4, 1), (30, 4, 2), (5, 4, 1)], "1", "1e-8"),
    "uneven": ([(1, 1, 1000), (20, 1, 1)], "0.3", "0.001"),
}


def stack(name: str) -> tuple[list[tuple[Change, Fraction]], float, float]:
    given, epsilon, delta = STACKS[name]
    aggregates = [
        Aggregate(f"part {i}", change(by, entries), weight=Fraction(weight))
        for i, (by, entries, weight) in enumerate(given)
    ]
    privacy = ApproxDP(epsilon, delta, relation="add-remove")
    parts, loss = split_privacy(privacy, aggregates)
    assert isinstance(loss, ApproxDP)
    assert (loss.epsilon, loss.delta) == (privacy.epsilon, privacy.delta)
    noise = [(part.change, part.noise.sigma2) for part in parts.values()]  # type: ignore[union-attr]
    return noise, float(privacy.epsilon), float(privacy.delta)


@pytest.mark.parametrize("name", STACKS)
def test_stacked_noise_has_epsilon_and_delta(name: str) -> None:
    """All parts together need most of delta: the noise is not more than it must be."""
    noise, epsilon, delta = stack(name)
    found = exact_delta(worst_moves(noise), epsilon)
    assert found <= delta
    assert found >= delta * (0.9 if min(float(sigma2) for _, sigma2 in noise) > 300 else 0.05)


def test_noise_of_small_variance_is_wider_than_normal_noise() -> None:
    """Discrete noise is as private as normal noise with a variance that is less by 3."""
    aggregates = [Aggregate(name, change(1, 1)) for name in ("one", "two")]
    parts, _ = split_privacy(ApproxDP(1, 1e-6, relation="add-remove"), aggregates)
    variance = normal_variance(Fraction(1), Fraction(1, 10**6), 2)
    assert variance is not None
    for part in parts.values():
        assert part.noise.sigma2 >= 2 * variance + 3  # type: ignore[union-attr]


def test_noise_of_parts_that_never_change_to_the_full_has_epsilon_and_delta() -> None:
    """For a mean of numbers 14 apart: a number changes, or becomes missing."""
    aggregates = [Aggregate("sum", change(14, 1)), Aggregate("count", change(1, 1))]
    joint = Joint(Fraction(3, 4), Fraction(5, 8))
    for epsilon, delta in ((1, 1e-6), (0.3, 1e-3)):
        privacy = ApproxDP(epsilon, delta, relation="change-one")
        parts, loss = split_privacy(privacy, aggregates, joint)
        total, count = (float(part.noise.sigma2) for part in parts.values())  # type: ignore[union-attr]
        found = [exact_delta(moves, epsilon) for moves in ([(7, total), (1, count)], [(14, total)])]
        assert delta / 4 <= max(found) <= delta
        assert isinstance(loss, ApproxDP)
        assert loss.rho is not None
        assert 49 / (2 * total) + 1 / (2 * count) <= loss.rho
        # Without it there is more noise, and with less of it there is too little.
        alone, _ = split_privacy(privacy, aggregates)
        assert alone["sum"].noise.variance > 1.5 * total
        less, _ = split_privacy(
            privacy, aggregates, Joint(joint.epsilon, joint.rho * Fraction(4, 5))
        )
        moves = [(7, less["sum"].noise.variance), (1, less["count"].noise.variance)]
        assert exact_delta(moves, epsilon) > delta


def test_the_stack_is_no_split() -> None:
    """Sigma is less than if epsilon and delta were split among the parts."""
    noise, epsilon, delta = stack("by key")
    for change, sigma2 in noise:
        split = DiscreteGaussian(epsilon=epsilon / 3, delta=delta / 3, sensitivity=change.l2)
        assert sigma2 < split.sigma2


def test_noise_of_one_aggregate_is_calibrated_for_all_its_answers() -> None:
    one, many = (
        split_privacy(ApproxDP("0.1", "1e-9", relation="add-remove"),
                      [Aggregate("counts", Change(Fraction(n), Fraction(1), n, "add-remove"))])[0]
        for n in (1, 10**6)
    )  # fmt: skip
    assert many["counts"].mechanism.coordinates == 10**6  # type: ignore[union-attr]
    assert many["counts"].noise.variance > one["counts"].noise.variance


def test_a_huge_epsilon_is_released_under_rho() -> None:
    aggregates = [Aggregate(name, change(1, 1)) for name in ("one", "two")]
    parts, loss = split_privacy(ApproxDP(30, 1e-6, relation="add-remove"), aggregates)
    assert isinstance(loss, ApproxDP)
    assert loss.rho is not None
    assert sum(map(rho_cost, parts.values())) <= loss.rho <= rho_of(Fraction(30), loss.delta)


# Keys that are not public


def selecting(**given: Any) -> Any:
    """The query of a table with selected keys, for users."""
    usual: dict[str, Any] = {
        "epsilon": 4, "delta": "1e-4", "user": "user", "selection": "optimal"
    }  # fmt: skip
    return cydp.explain(cydp.group_by, "key", **usual | given).query


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize("weight", ["1/9"])
def test_the_selection_and_the_rest_add_up(relation: str, weight: Any) -> None:
    query = selecting(
        sums={"x": NEAR}, split={"keys": weight}, relation=relation, max_partitions=300
    )
    selection, rest = query.selection, query.privacy_of_parts
    assert selection is not None
    assert isinstance(rest, ApproxDP)
    assert selection.epsilon + rest.epsilon == 4
    assert selection.delta + rest.delta == Fraction(1, 10**4)
    share = Fraction(weight) / (2 + Fraction(weight))
    assert (selection.epsilon, selection.delta) == (4 * share, share / 10**4)
    assert query.loss == ApproxDP(4, "1e-4", relation=relation)
    # The parts have the noise of the rest.
    parts, _ = split_privacy(rest, query.aggregates(), query.joint)
    assert parts == query.parts
    more, _ = split_privacy(query.privacy, query.aggregates(), query.joint)
    for name, part in parts.items():
        assert part.noise.sigma2 > more[name].noise.sigma2  # type: ignore[union-attr]


def noise_of(query: Any, privacy: Any) -> float:
    parts, _ = split_privacy(privacy, query.aggregates())
    return sum(math.log(part.noise.variance) for part in parts.values())


def test_the_selection_takes_the_delta_that_the_rest_does_not_need() -> None:
    pure, gaussian = PureDP(2, relation="add-remove"), ApproxDP(2, "2/30000", relation="add-remove")
    for partitions in (1, 3, 10, 12, 20, 300):
        query = selecting(sums={"x": NEAR}, epsilon=3, max_partitions=partitions)
        assert query.selection is not None
        is_pure = noise_of(query, pure) < noise_of(query, gaussian)
        assert query.privacy_of_parts == (pure if is_pure else gaussian)
        assert is_pure or partitions > 3
        assert not (is_pure and partitions == 300)
        assert query.selection.delta == (Fraction(1, 10**4) if is_pure else Fraction(1, 30000))
        assert query.loss == ApproxDP(3, "1e-4", relation="add-remove")


def test_the_selection_alone_takes_all() -> None:
    query = selecting(count=False, max_partitions=3)
    assert query.selection is not None
    assert (query.selection.epsilon, query.selection.delta) == (4, Fraction(1, 10**4))
    assert query.parts == {}


@pytest.mark.parametrize("contains", [(), ("person",)])
@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_the_selection_covers_all_keys_of_a_unit(relation: str, contains: tuple[str, ...]) -> None:
    query = selecting(
        relation=relation, unit=("household", *contains), max_partitions=3, max_rows_per_partition=5
    )
    assert query.selection is not None
    twice = 2 if relation == "change-one" else 1
    reached = 6 if contains or relation == "change-one" else 3
    assert query.selection.max_partitions * twice == reached == query.unit.most_reached
    assert query.selection.relation == relation


def test_choices_take_the_larger_rate() -> None:
    """Of pure DP and zCDP; both are within (epsilon, delta)."""
    for n in (1, 2, 50):
        qs = [(i + 1) / (n + 1) for i in range(n)]
        query = cydp.quantile([1], qs, NEAR, epsilon=1, delta=1e-6).query
        rho_given = rho_of(Fraction(1), Fraction(1, 10**6))
        pure, rho = (
            cydp.quantile([1], qs, NEAR, **given).query.parts["q0"].choice.scale
            for given in ({"epsilon": 1}, {"rho": rho_given})
        )
        assert query.parts["q0"].choice.scale == min(pure, rho)
    assert pure > rho


def test_the_order_of_costs() -> None:
    """More privacy for a part is less for the others, and equal weights are equal shares."""
    shares = [
        {name: part.share for name, part in QUERIES["mean"](**given).parts.items()}
        for given in ({"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": 1e-6})
    ]
    assert all(one == two for one, two in itertools.pairwise(shares))
    assert shares[0] == {"sum": Fraction(3, 4), "count": Fraction(1, 4)}
    assert Unit().change_one_answer(1, 1) == change(1, 1)


def test_parts_that_cannot_change_have_their_noise() -> None:
    for given in ({"epsilon": 1}, {"rho": 1}, {"epsilon": 1, "delta": 1e-6}):
        made = cydp.variance([5.0, 5.0], (5, 5), missing=5, relation="change-one", **given)
        assert made.value == 0
