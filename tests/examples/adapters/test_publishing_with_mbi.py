"""cydp.publishing.estimate_with_mbi beside mbi's release: tables that overlap in a cycle."""

from __future__ import annotations

import numpy as np
import pytest
from examples.adapters.hosts import Way, start
from examples.adapters.test_mbi_generator import HOST

from cydp import DiscreteLaplace

pytestmark = pytest.mark.hosts

ROWS = 5000


@pytest.fixture(scope="module")
def way(tmp_path_factory: pytest.TempPathFactory) -> Way:
    return start(tmp_path_factory.mktemp("publishing"), "publishing_ways.py", HOST)


def test_a_model_fits_noisy_tables_together(way: Way) -> None:
    exact, noisy, estimated, sampled, given, joint, n = way("model", ROWS, "1/5", 1)()
    # The share of each table is 10 of 31 parts.
    sigma = DiscreteLaplace(epsilon="10/155", sensitivity=1).variance ** 0.5
    assert given == [
        (("a", "b"), pytest.approx(sigma)), (("b", "c"), pytest.approx(sigma)),
        (("c", "a"), pytest.approx(sigma)),
    ]  # fmt: skip

    def far(tables: list[np.ndarray]) -> float:
        return float(np.sum((np.array(tables) - np.array(exact)) ** 2))

    assert far(estimated) < far(noisy)
    assert far(sampled) < 2 * far(noisy)
    assert far([each.T for each in estimated]) > 10 * far(noisy)  # columns that are swapped
    assert n == ROWS
    assert np.allclose(joint.sum(axis=2), estimated[0], rtol=1e-3, atol=1)
    assert np.allclose(joint.sum(axis=0), estimated[1], rtol=1e-3, atol=1)
