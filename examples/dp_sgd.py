"""DP-SGD: a private logistic regression, with its plan, its sampling and its accuracy.

python examples/dp_sgd.py

It predicts from age, sex, education and race whether a person earns more than 20,000 dollars.
docs/teach/dp_sgd.md explains each step.
"""

import csv
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import cydp
from cydp.sampling import Sampled

DELTA = "1e-5"  # far below 1 / n
SHARE = Fraction(1, 10)  # of the rows, that a step sees
STEPS = 100
NOISE = 4  # sigma of a step's noise, in units of CLIP ("noise multiplier")
CLIP = 2**24  # the largest L2 norm of a row's gradient, in units of 1 / ONE**2
RATE = 4.0  # by how much the weights follow a mean gradient
ROWS = 800  # our public guess at the number of rows: the true one is secret under add-remove

ONE = 2**12  # features and weights are integers, in units of 1 / ONE
MOST = 8 * ONE  # the largest weight
SIGMOID = np.rint(ONE / (1 + np.exp(-np.arange(-8 * 64, 8 * 64 + 1) / 64))).astype(np.int64)


def read_people() -> tuple[np.ndarray, np.ndarray]:
    """Return integer features, a row for each person, and who earns more than 20,000 (0 or 1)."""
    path = Path(__file__).parent / "data" / "pums.csv"
    with path.open() as file:
        rows = [{name: float(cell) for name, cell in row.items()} for row in csv.DictReader(file)]
    column = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    # Scaled by public bounds, never by the data's own minimum, maximum, mean or deviation.
    age = (np.clip(column["age"], 18, 98) - 58) / 40
    educ = (np.clip(column["educ"], 1, 16) - 8.5) / 7.5
    flags = [2 * (column["sex"] == 1) - 1, 2 * (column["race"] == 1) - 1]
    features = np.stack([np.ones(len(age)), age, age**2, educ, *flags], axis=1)
    return np.rint(features * ONE).astype(np.int64), (column["income"] > 20_000).astype(np.int64)


def gradients_of(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the gradient of each row's log loss, as integers.

    Integers are exact in any order. A float product of matrices, or an exponential, may round one
    row's number differently when another row comes or goes; then more would change than that row.
    """
    logits = (x @ weights) // (ONE * ONE // 64)
    predicted = SIGMOID[np.clip(logits, -8 * 64, 8 * 64) + 8 * 64]
    return (y * ONE - predicted)[:, None] * x


def clip_rows(gradients: np.ndarray, norm: int) -> np.ndarray:
    """Return each row, scaled down to an L2 norm of at most `norm`, as integers.

    Numbers are rounded towards 0, which makes no norm larger. If float64 scaled by a trifle too
    little all the same, the row is left out: no row's norm is above `norm`, by integers.
    """
    if gradients.shape[1] * norm**2 >= 2**63:
        raise ValueError("norm must be so small that squares of entries up to it add up in int64")
    gradients = np.clip(gradients, -norm, norm)  # else the square of 2**32 would be 0 in int64
    squares = (gradients**2).sum(axis=1)
    scale = np.minimum(1, norm / np.sqrt(np.maximum(squares, 1)))
    clipped = np.where(
        (squares > norm**2)[:, None], np.trunc(gradients * scale[:, None]), gradients
    ).astype(np.int64)
    clipped[(clipped**2).sum(axis=1) > norm**2] = 0
    return clipped


def train(
    x: np.ndarray,
    y: np.ndarray,
    noise: cydp.DiscreteGaussian | cydp.Gaussian | None,
    rng: cydp.Generator,
    *,
    share: Fraction = SHARE,
    steps: int = STEPS,
    start: np.ndarray | None = None,
    gradients_of: Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray] = gradients_of,
) -> np.ndarray:
    """Return weights after some steps; without noise those of the same descent, not private."""
    weights = np.zeros(x.shape[1], np.int64) if start is None else start
    total = np.zeros(len(weights))
    for step in range(steps):
        sampled = rng.bernoulli(share, len(x))  # secret, and new in each step
        gradients = gradients_of(weights, x[sampled], y[sampled])
        summed = clip_rows(gradients, CLIP).sum(axis=0)
        if noise is not None:
            summed = noise.release(summed, rng=rng)
        # From here on all is post-processing: it may use floats, and costs nothing.
        mean = summed / float(share * ROWS * ONE * ONE)
        weights = np.rint(np.clip(weights + RATE * ONE * mean, -MOST, MOST)).astype(np.int64)
        total += weights * (2 * step + 1 >= steps)
    return total / (steps - steps // 2) / ONE  # the mean of the second half


def accuracy(weights: np.ndarray, x: np.ndarray, y: np.ndarray) -> float:
    """Return the share of the rows that are predicted as they are. It is not private."""
    return float(np.mean((x @ weights > 0) == y))


def main(rng: cydp.Generator | None = None) -> dict[str, float]:
    """Train with and without privacy, print what it costs and gives, and return accuracies."""
    rng = rng or cydp.Generator()
    # All steps are fixed, and paid, before data are read. calibrate finds NOISE for an epsilon.
    noise = cydp.DiscreteGaussian(sigma=NOISE * CLIP, sensitivity=CLIP)
    plan = cydp.Plan([(Sampled(noise, SHARE), STEPS)])
    budget = cydp.PrivacyFilter(cydp.ApproxDP(1.5, DELTA, relation="add-remove"))
    budget.charge(plan.as_loss(DELTA))

    x, y = read_people()
    held_out = rng.bernoulli("1/5", len(x))  # row by row, so that no row moves another
    weights = train(x[~held_out], y[~held_out], noise, rng)
    plain = train(x[~held_out], y[~held_out], None, rng)

    print(plan.report(DELTA))
    whole = cydp.Plan([(noise, STEPS)]).epsilon(DELTA)
    print(f"{STEPS} steps on samples of {SHARE}; on all rows they would cost epsilon {whole:.3g}")
    # To publish an accuracy would cost, as any number does (cydp.count). This is for the lesson.
    test = x[held_out], y[held_out]
    majority = int(2 * y[~held_out].sum() > len(y[~held_out]))
    found = {
        "private": accuracy(weights, *test),
        "not private": accuracy(plain, *test),
        "majority guess": float(np.mean(test[1] == majority)),
    }
    for name, value in found.items():
        print(f"accuracy on {len(test[1])} other people, {name}: {value:.1%}")
    return found


def plot_accuracy(ax: Any = None, runs: int = 3) -> Any:
    """Draw the accuracy over epsilon, a mean of some runs, and return matplotlib's axes."""
    if ax is None:
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            message = "plot_accuracy needs matplotlib: pip install 'cydp[plot]'"
            raise ImportError(message) from None
        ax = plt.subplots(figsize=(6.4, 4), layout="constrained")[1]
    (x, y), rng = read_people(), cydp.Generator()
    masks = [rng.bernoulli("1/5", len(x)) for _ in range(runs)]

    def mean(noise: cydp.DiscreteGaussian | None) -> float:
        trained = [train(x[~mask], y[~mask], noise, rng) for mask in masks]
        tests = zip(trained, masks, strict=True)
        return float(np.mean([accuracy(weights, x[mask], y[mask]) for weights, mask in tests]))

    noises = [cydp.DiscreteGaussian(sigma=k * CLIP, sensitivity=CLIP) for k in (2, 8, 20, 64)]
    epsilons = [cydp.Plan([(Sampled(noise, SHARE), STEPS)]).epsilon(DELTA) for noise in noises]
    ax.plot(epsilons, [mean(noise) for noise in noises], "C0o-", label="private")
    ax.axhline(mean(None), color="C1", linestyle="--", label="not private")
    ax.axhline(max(y.mean(), 1 - y.mean()), color="C2", linestyle=":", label="majority guess")
    ax.set_xscale("log")
    ax.xaxis.set_major_formatter("{x:g}")
    ax.set_ylim(0.4, 0.8)
    ax.set_xlabel(f"ε (nats) at δ = {DELTA}")
    ax.set_ylabel("accuracy on held-out rows (share)")
    title = "A smaller ε needs more noise, which costs accuracy\n"
    title += f"({STEPS} steps on samples of {SHARE}; means of {runs} runs)"
    ax.set_title(title, loc="left", fontsize="medium")
    ax.legend(loc="center right")
    return ax


if __name__ == "__main__":
    main()
