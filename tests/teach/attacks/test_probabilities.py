"""The probabilities of attacks are exact: against enumeration of all outputs."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from cydp import DiscreteLaplace, PureDP
from cydp.teach import attacks
from cydp.teach.attacks._attack import largest_success
from cydp.teach.attacks._counts import success_of_sum, trial_of_mean
from cydp.testing import SeededGenerator


def noise_of(epsilon: str | int) -> DiscreteLaplace:
    return DiscreteLaplace(epsilon=epsilon, sensitivity=1)


def law(noise: DiscreteLaplace, ends: int) -> Any:
    return noise.pmf(np.arange(-ends, ends + 1))


@pytest.mark.parametrize(("count", "epsilon"), [(1, 1), (2, "0.2"), (3, 5), (31, "0.2")])
def test_the_law_of_a_sum_is_that_of_convolutions(count: int, epsilon: str | int) -> None:
    noise = noise_of(epsilon)
    ends = math.ceil(45 * float(noise.scale))
    masses = np.ones(1)
    for _ in range(count):
        masses = np.convolve(masses, law(noise, ends))
    sums = np.arange(len(masses)) - len(masses) // 2
    for gap in {1, 2, count, count + 5}:
        expected = masses[2 * sums > -gap].sum() + masses[2 * sums == -gap].sum() / 2
        assert success_of_sum(noise, count, gap) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("secrets", [2, 3, 7])
def test_the_limit_is_reached_by_randomized_response(secrets: int) -> None:
    """With equal chances; and no shares of the secrets give any attacker more."""
    for epsilon in ("0.1", 1, 4):
        odds = math.exp(float(Fraction(epsilon)))
        reached = odds / (odds + secrets - 1)
        assert largest_success(PureDP(epsilon), 1 / secrets) == pytest.approx(reached, rel=1e-12)
        channel = np.full((secrets, secrets), 1.0) + np.eye(secrets) * (odds - 1)
        channel /= channel.sum(1, keepdims=True)
        shares = np.arange(1, secrets + 1) / sum(range(1, secrets + 1))
        best = (shares[:, None] * channel).max(0).sum()
        assert best <= largest_success(PureDP(epsilon), shares.max()) + 1e-12
    assert largest_success(PureDP(10**6), 0.5) == 1


def enumerate_linkage(people: list[tuple[int, int]], secrets: int, epsilon: int) -> Any:
    """Return the two probabilities by enumeration: of each person, secret and pattern of counts."""
    shares = np.bincount([secret for _, secret in people], minlength=secrets) / len(people)
    order = sorted(range(secrets), key=lambda each: -shares[each])
    noise = DiscreteLaplace(epsilon=epsilon, sensitivity=2)
    by_rows = by_counts = 0.0
    for i, (known, _) in enumerate(people):
        others = [people[j][1] for j in range(len(people)) if j != i and people[j][0] == known]
        for drawn in range(secrets):
            counts = [[*others, drawn].count(each) for each in order]
            guess = order[counts.index(max(counts))]
            by_rows += shares[drawn] * (guess == drawn)
            tails = [1 - noise.cdf(0, value=count) for count in counts]
            for above in itertools.product((0, 1), repeat=secrets):
                p = math.prod(t if a else 1 - t for t, a in zip(tails, above, strict=True))
                weights = [
                    shares[each] * math.exp(epsilon * a)
                    for each, a in zip(order, above, strict=True)
                ]
                best = order[int(np.argmax(np.round(weights, 12)))]
                by_counts += shares[drawn] * p * (best == drawn)
    return by_rows / len(people), by_counts / len(people)


@pytest.mark.parametrize("epsilon", [1, 3])
def test_linkage_is_that_of_enumeration(epsilon: int) -> None:
    people = [(0, 0), (0, 1), (0, 1), (1, 2), (2, 0), (2, 0), (2, 3), (3, 1), (4, 0)]
    table = {"known": [p[0] for p in people], "secret": [p[1] for p in people]}
    found = attacks.linkage(
        table, {"known": range(5), "secret": range(4)}, "secret", epsilon=epsilon
    )
    rows, counts = enumerate_linkage(people, 4, epsilon)
    assert found.undefended.success == pytest.approx(rows, rel=1e-12)
    assert found.defended.success == pytest.approx(counts, rel=1e-9)


def test_linkage_of_any_epsilon_and_of_secrets_that_nobody_has() -> None:
    """Without a warning, which here is an error; without noise, by exact counts."""
    people = [(0, 0), (0, 1), (1, 1), (2, 2), (2, 0), (2, 0)]
    table = {"known": [p[0] for p in people], "secret": [p[1] for p in people]}
    domains = {"known": range(3), "secret": range(5)}  # nobody has 3 or 4
    for epsilon in (1, 40, 800, 10**5):
        found = attacks.linkage(table, domains, "secret", epsilon=epsilon)
        rows, counts = enumerate_linkage(people, 5, min(epsilon, 40))
        assert found.undefended.success == pytest.approx(rows, rel=1e-12)
        assert found.defended.success == pytest.approx(counts, rel=1e-8)
    assert found.defended.observed["right"] == 4


def test_linkage_of_many_secrets_is_that_of_counting() -> None:
    """In two groups of 200 people each, everybody with a secret of their own.

    A drawn secret that another of the group has is there twice, and found: 199 of 400. Their own
    one is found if it is the first of the group: 1 of 400 of 1 of 200. One of the other group is
    found if it comes before all of this group, which is so for half of the people: 200 of 400.
    """
    table = {"known": [0] * 200 + [1] * 200, "secret": range(400)}
    found = attacks.linkage(table, {"known": [0, 1], "secret": range(400)}, "secret")
    expected = (199 + 1 / 200 + 200 / 2) / 400
    assert found.undefended.success == pytest.approx(expected, rel=1e-12)
    assert found.chance < found.defended.success < found.defended.limit


def test_rounding_never_exceeds_the_limit() -> None:
    """These reach the limit; of one secret both are 1."""
    table = {"a": [1, 1], "b": [0, 0]}
    for epsilon in ("0.1", 1, 2, 5, 20):
        for found in (
            attacks.averaging(table, {"a": 1}, epsilon=epsilon, total=epsilon, count=1),
            attacks.repeated_array(table, {"a": 1}, epsilon=epsilon, count=1),
            attacks.linkage(table, {"a": [1], "b": [0]}, "b", epsilon=epsilon),
            attacks.timing((0, 1), epsilon=epsilon, runs=2),
        ):
            assert found.defended.success <= found.defended.limit
            assert found.defended.success == pytest.approx(found.defended.limit, rel=1e-12)


@pytest.mark.parametrize("epsilon", ["0.5", 2])
def test_reconstruction_is_that_of_all_outputs(epsilon: str | int) -> None:
    """Of three people in two groups: each pair of noisy counts, far beyond the groups' sizes."""
    noise, groups = noise_of(epsilon), [(0, 1, 2), (0, 1)]
    ways = np.array(list(itertools.product((0, 1), repeat=3)))
    sums = np.stack([ways[:, list(group)].sum(1) for group in groups], 1)
    ends = np.arange(-60, 64)
    laws = [noise.pmf(ends[None] - sums[:, i : i + 1]) for i in range(2)]
    joint = laws[0][:, :, None] * laws[1][:, None, :]
    best = [
        np.maximum(joint[ways[:, i] == 1].sum(0), joint[ways[:, i] == 0].sum(0)).sum() / 8
        for i in range(3)
    ]
    table = {"block": [1, 1, 1], "sex": ["f", "f", "m"], "ill": [1, 0, 1]}
    found = attacks.reconstruction(
        table, {"sex": ["f", "m"]}, {"ill": 1}, block={"block": 1},
        epsilon=2 * Fraction(epsilon),
    )  # fmt: skip
    assert found.undefended.observed["groups"] == groups
    assert found.defended.success == pytest.approx(np.mean(best), rel=1e-9)
    # Of exact counts: the third person for sure; of the first two in the two ways that differ 1/2.
    assert found.undefended.success == (1 + 0.75 + 0.75) / 3


def test_the_guess_from_noisy_counts_is_the_most_probable_one() -> None:
    """By Bayes' rule, with the law of the noise at the counts as they are: beyond the ends, too."""
    ways = np.array(list(itertools.product((0, 1), repeat=3)))
    has, groups = np.array([1, 0, 1]), [(0, 1, 2), (0, 1)]
    table = {"block": [1, 1, 1], "sex": ["f", "f", "m"], "ill": has}
    noise, seen = noise_of(1), []
    for seed in range(40):
        observed = attacks.reconstruction(
            table, {"sex": ["f", "m"]}, {"ill": 1}, block={"block": 1},
            epsilon=2, rng=SeededGenerator(seed),
        ).defended.observed  # fmt: skip
        chances = np.ones(len(ways))
        for group, count in zip(groups, observed["counts"], strict=True):
            chances *= noise.pmf(count - ways[:, list(group)].sum(1))
        beliefs = chances @ ways / chances.sum()
        if np.abs(beliefs - 0.5).min() > 1e-9:  # else any guess is as good
            assert observed["right"] == np.count_nonzero((beliefs > 0.5) == has)
            seen.append(observed["right"])
    assert len(seen) > 20
    assert len(set(seen)) > 1


def test_a_mean_is_a_bet_on_the_nearer_count() -> None:
    for off, counted in ((0.25, True), (0, True), (-0.25, True), (-0.5, True), (-0.75, False)):
        answers = 500 + np.array([0, 0, 0, round(4 * off)])
        trial = trial_of_mean("", PureDP(1), noise_of("1/4"), answers, 500)
        assert (trial.observed["mean"], trial.observed["counted"]) == (500 + off, counted)


def test_two_counts_of_one_person_are_two_votes() -> None:
    """Each right with e**(epsilon / 2) : 1; where they differ a coin decides, which is one vote."""
    table = {"block": [1, 2], "sex": ["f", "f"], "ill": [1, 0]}
    found = attacks.reconstruction(
        table, {"sex": ["f"]}, {"ill": 1}, block={"block": 1}, smallest=1
    )
    assert found.undefended.success == 1
    assert found.defended.success == pytest.approx(1 / (1 + math.exp(-0.5)), rel=1e-12)
