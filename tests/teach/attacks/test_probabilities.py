"""The probabilities of attacks are exact: against enumeration, and against runs of a fixed key."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom
from teach.attacks.pums import INCOMES, PUMS, run

from cydp import DiscreteLaplace, PureDP
from cydp.teach import attacks
from cydp.teach.attacks._limit import largest_success
from cydp.teach.attacks._mean_trial import trial_of_mean
from cydp.teach.attacks._reconstruction import _success_by_exact, _success_by_noisy
from cydp.teach.attacks._sum_of_noise import success_of_sum
from cydp.testing import SeededGenerator

LIMIT = 1e-9  # a run of a fixed key with a smaller tail probability would be a mistake


def noise_of(epsilon: str | int) -> DiscreteLaplace:
    return DiscreteLaplace(epsilon=epsilon, sensitivity=1)


def law(noise: DiscreteLaplace, ends: int) -> Any:
    return noise.pmf(np.arange(-ends, ends + 1))


@pytest.mark.parametrize("count", [1, 2, 3, 8, 31])
@pytest.mark.parametrize("epsilon", ["0.2", 1, 5])
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


@pytest.mark.parametrize("count", [100, 10**4, 10**6])
def test_the_law_of_a_long_sum_is_nearly_normal(count: int) -> None:
    """Within the bound of Berry and Esseen, whose constant is below 0.4748."""
    noise = noise_of("0.01")
    spread = math.sqrt(noise.variance)
    third = float(np.abs(np.arange(-5000, 5001)) ** 3 @ law(noise, 5000))
    bound = 0.4748 * third / (spread**3 * math.sqrt(count))
    normal = 0.5 * (1 + math.erf(math.sqrt(count) / (2 * spread) / math.sqrt(2)))
    assert abs(success_of_sum(noise, count, count) - normal) < bound


@pytest.mark.parametrize("count", [1, 2, 5, 10, 1000])
def test_no_mean_is_better_than_a_vote_and_no_vote_than_the_loss(count: int) -> None:
    """Each answer votes for the count that it is nearer to; the votes are all that they tell."""
    noise = noise_of("0.1")
    right = 1 / (1 + math.exp(-0.1))
    vote = binom.sf(count / 2, count, right) + binom.pmf(count / 2, count, right) / 2
    mean = success_of_sum(noise, count, count)
    limit = largest_success(PureDP(Fraction(count, 10)), 0.5)
    assert 0.5 < mean <= vote + 1e-12 <= limit + 2e-12
    assert (count > 1) == (mean < vote - 1e-4) or count in (2, 1000)


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


def test_runs_of_linkage_are_as_often_right() -> None:
    """The attack truly run: one person of a table, drawn anew each time; a mutant is found out."""
    generator, random, times = SeededGenerator(2), np.random.default_rng(2), 400
    kept = 40
    table = {name: PUMS[name][:kept].copy() for name in INCOMES}
    expected = attacks.linkage(table, INCOMES, "income", epsilon=2)
    codes = np.digitize(table["income"], INCOMES["income"][0]) - 1
    values = np.array([0, 5000, 15_000, 25_000, 40_000, 70_000, 150_000])
    noise = DiscreteLaplace(epsilon=2, sensitivity=2)
    shares = np.bincount(codes, minlength=7) / kept
    columns = [table[name] for name in ("age", "sex", "educ", "race")]
    groups = np.unique(np.stack(columns, 1), axis=0, return_inverse=True)[1].reshape(-1)
    weights = np.stack([shares, shares * math.exp(2)])
    right = 0
    for _ in range(times):
        person, drawn = int(random.integers(kept)), int(random.choice(7, p=shares))
        now = codes.copy()
        now[person] = drawn
        cell = np.bincount(now[groups == groups[person]], minlength=7)
        above = (noise.release(cell, rng=generator) >= 1).astype(int)
        scores = weights[above, np.arange(7)]
        order = np.argsort(-shares, kind="stable")
        right += int(order[scores[order].argmax()] == drawn)
    assert values.size == len(shares)

    def tail(p: float) -> float:
        return float(2 * min(binom.cdf(right, times, p), binom.sf(right - 1, times, p)))

    assert tail(expected.defended.success) > LIMIT
    assert tail(expected.undefended.success) < LIMIT  # the mutant: noise that is not there


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


def test_more_noise_is_found_out() -> None:
    """The helpers, on laws of exact counts and of counts that tell nothing."""
    ways = np.array(list(itertools.product((0, 1), repeat=2)))
    exact = [np.eye(3)[ways.sum(1)]]
    assert _success_by_noisy(ways, exact) == _success_by_exact(ways, ways.sum(1)[:, None]) == 0.75
    assert _success_by_noisy(ways, [np.full((4, 3), 1 / 3)]) == pytest.approx(0.5)


def test_runs_of_differencing_are_as_often_right() -> None:
    """10^5 pairs of noisy counts of a fixed key; the law of one noisy count is found out."""
    times, noise = 10**5, DiscreteLaplace(epsilon="1/2", sensitivity=1)
    counts = np.tile([549, 548], (times, 1))
    noisy = noise.release(counts, rng=SeededGenerator(3))
    right = int((noisy[:, 0] - noisy[:, 1] >= 1).sum())

    def tail(p: float) -> float:
        return float(2 * min(binom.cdf(right, times, p), binom.sf(right - 1, times, p)))

    assert tail(run("differencing").defended.success) > LIMIT
    assert tail(success_of_sum(noise, 1, 1)) < LIMIT
