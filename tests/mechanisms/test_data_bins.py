# SPDX-License-Identifier: MIT
"""No mechanism releases counts in bins that came from the data, unless told; nothing is charged."""

import numpy as np
import pytest

import cydp
from cydp import exact

X = np.array([1.0, 2, 3, 9])
COUNTS = exact.histogram(X, 3)[0]

MECHANISMS = {
    "value": [
        cydp.DiscreteLaplace(epsilon=1, sensitivity=1),
        cydp.DiscreteGaussian(epsilon=1, delta=1e-6, sensitivity=1),
        cydp.Laplace(epsilon=1, sensitivity=1),
        cydp.Gaussian(epsilon=1, delta=1e-6, sensitivity=1),
        cydp.Snapping(epsilon=1, sensitivity=1, bounds=(-100, 100)),
    ],
    "scores": [
        cydp.ExponentialMechanism(epsilon=1, sensitivity=1),
        cydp.PermuteAndFlip(epsilon=1, sensitivity=1),
    ],
    "counts": [cydp.PartitionSelection(epsilon=1, delta=1e-5, max_partitions=1)],
}
CASES = [(name, mechanism) for name, several in MECHANISMS.items() for mechanism in several]

GIVEN = {
    "counts": COUNTS,
    "floats": COUNTS / 2,
    "part": COUNTS[1:],
    "two columns": exact.histogramdd([X, X], 2)[0],
    "rows in a list": [COUNTS, COUNTS],
    "rows in a tuple": (COUNTS.tolist(), COUNTS),
    "codes": exact.bincount([0, 3]),
    "no data": exact.histogram(X[:0], 3)[0],
}


class Refusing:
    """Stands for a budget that must not be asked."""


@pytest.mark.parametrize(("name", "mechanism"), CASES)
@pytest.mark.parametrize("given", GIVEN)
def test_counts_in_bins_of_the_data_are_refused(given, name, mechanism):
    budget = cydp.accounting.PrivacyFilter(cydp.accounting.ApproxDP(50, 1e-3))
    spent = budget.spent
    for paid in (budget, None, Refusing()):
        with pytest.raises(ValueError, match=rf"^{name} must not be counts in bins that") as error:
            mechanism.release(GIVEN[given], budget=paid)
        assert f"np.asarray({name})" in str(error.value)
    assert budget.spent == spent


@pytest.mark.parametrize(("name", "mechanism"), CASES)
def test_they_are_released_if_asked(name, mechanism):
    del name
    budget = cydp.accounting.PrivacyFilter(cydp.accounting.ApproxDP(50, 1e-3))
    spent = budget.spent
    released = mechanism.release(np.asarray(COUNTS), budget=budget)
    assert type(released) in (np.ndarray, int)
    assert budget.spent != spent
    public = exact.histogram(X, 3, (0, 9))[0]
    assert type(mechanism.release(public)) is type(released)


def test_the_message_is_the_same_for_all_data():
    """It names no edge, no count, and no number of rows."""
    messages = set()
    for x in (X, X[:0], X[1:], X * 1e9):
        with pytest.raises(ValueError, match="came from the data") as error:
            MECHANISMS["value"][0].release(exact.histogram(x, 3)[0])
        messages.add(str(error.value))
    assert len(messages) == 1
    assert not any(letter.isdigit() for letter in messages.pop())
