"""If only one test file is run, then this is the one."""

import numpy as np

import cydp


def test_the_core_answers() -> None:
    assert cydp.build.build_info()["release"]
    assert cydp.discrete_laplace(1, 100).dtype == np.int64
    assert cydp.histogram([1, 2, 3], 3, (0, 3), epsilon=1000).counts.tolist() == [0, 1, 2]
