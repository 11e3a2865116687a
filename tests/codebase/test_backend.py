"""What docs/backend.md says to authors of other systems: its test runs, its numbers are true."""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import ZCDP, PureDP, _samplers, _threads
from cydp.testing import SeededGenerator

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "backend.md").read_text()
HEADER = (ROOT / "csrc" / "include" / "cydp.h").read_text()


def test_its_examples_run() -> None:
    names: dict[str, Any] = {"cydp": cydp, "np": np}
    for block in re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE):
        exec(block, names)
    names["test_our_counts_get_noise"]()
    total = names["train"]([np.zeros(200_001, np.int64)] * 2)
    assert 1300 < total.std() < 1530  # sigma is 1000 sqrt(2)


def test_its_numbers_are_those_of_the_code() -> None:
    assert _threads.THREADS_FROM == 2**19
    assert "From $2^{19}$ values on" in PAGE
    assert "#define CYDP_SMALL_CALL 256\n" in HEADER
    assert "Up to 256 values come from the generator's own stream" in PAGE
    assert "#define CYDP_BLOCK_VALUES 4096\n" in HEADER
    assert "as a call for 4,096 values" in PAGE
    assert _samplers._KEPT == 256
    assert "the last 256 are kept" in PAGE


def test_the_names_of_the_c_api_are_there() -> None:
    names = set(re.findall(r"`(cydp_\w+|CYDP_\w+)`", PAGE))
    environment = {"CYDP_FORCE_ISA", "CYDP_STREAM", "CYDP_NUM_THREADS"}
    assert len(names) > 8
    assert [n for n in names - environment if not re.search(rf"\b{n}\b", HEADER)] == []


def test_the_same_values_in_int32() -> None:
    wide, narrow = np.empty(5000, np.int64), np.empty(5000, np.int32)
    SeededGenerator(1).discrete_gaussian(2**27, out=wide)
    SeededGenerator(1).discrete_gaussian(2**27, out=narrow)
    assert (wide == narrow).all()


def test_two_calls_differ_from_one() -> None:
    seeded = SeededGenerator(1)
    two = np.append(seeded.discrete_laplace(10, 1000), seeded.discrete_laplace(10, 1000))
    assert (two != SeededGenerator(1).discrete_laplace(10, 2000)).any()


@pytest.mark.parametrize("rng", [np.random.default_rng(1), 1])
def test_rng_is_a_generator_of_cydp(rng: Any) -> None:
    with pytest.raises(TypeError, match="rng must be"):
        cydp.DiscreteLaplace(epsilon=1, sensitivity=1).release(3, rng=rng)


def test_a_budget_refuses_a_seed() -> None:
    budget = cydp.PrivacyFilter(PureDP(1))
    with pytest.raises(TypeError, match="seeded"):
        cydp.DiscreteLaplace(epsilon=1, sensitivity=1).release(
            3, rng=SeededGenerator(1), budget=budget
        )
    assert budget.spent == PureDP(0)


@pytest.mark.parametrize("d", [1, 3])
def test_the_losses_are_those_of_the_mechanisms(d: int) -> None:
    t, sigma2 = Fraction(20), Fraction(49)
    laplace = cydp.DiscreteLaplace(epsilon=Fraction(d) / t, sensitivity=d)
    assert (laplace.scale, laplace.loss) == (t, PureDP(Fraction(d) / t))
    gaussian = cydp.DiscreteGaussian(sensitivity=d, sigma2=sigma2)
    assert gaussian.loss == ZCDP(Fraction(d) ** 2 / (2 * sigma2))


@pytest.mark.parametrize("draw", [cydp.discrete_laplace, cydp.discrete_gaussian])
def test_a_wrong_parameter_leaves_out_as_it_is(draw: Callable[..., object]) -> None:
    out = np.full(5, 7)
    for wrong in (0, -1, "a", None, [1, -1], [1, 2]):
        with pytest.raises((TypeError, ValueError)):
            draw(wrong, out=out)
    assert (out == 7).all()
