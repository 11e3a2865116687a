"""Noise with a scale for each entry: of the scale in its place, and independent of the others."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded
from samplers.goodness_of_fit import LIMIT, REJECTED
from samplers.test_discrete_gaussian import p_value as gaussian_p_value
from samplers.test_discrete_laplace import p_value as laplace_p_value

from cydp import Generator
from cydp.testing import SeededGenerator

SCALES: list[Any] = ["1/7", 3, 0.1, Fraction(3, 1), Decimal("1e3"), 2**40, 3.0]


def test_an_entry_has_the_noise_of_its_scale(seeded: Seeded) -> None:
    """The mutant gives entries the noise of another scale: it fits neither."""
    n = 40_000
    scales = np.tile([4.0, 0.7, 300.0], n)
    laplace = seeded(1).discrete_laplace(scales)
    gaussian = seeded(2).discrete_gaussian(scales)
    for place, scale in enumerate(("4", "0.7", "300")):
        right = laplace[place::3]
        assert laplace_p_value(right, Fraction(scale)) > LIMIT
        assert laplace_p_value(np.roll(laplace, 1)[place::3], Fraction(scale)) < REJECTED
        assert gaussian_p_value(gaussian[place::3], Fraction(scale) ** 2) > LIMIT
    # Next entries are independent, of one scale and of two.
    signs = np.sign(laplace[0::3] * 1.0)
    for other in (np.roll(signs, 1), np.sign(laplace[2::3] * 1.0)):
        assert abs((signs * other).sum()) < 6 * n**0.5


def test_each_distinct_scale_is_drawn_as_if_alone() -> None:
    found = SeededGenerator(7).discrete_laplace(SCALES)
    alone = SeededGenerator(7)
    expected = {str(scale): alone.discrete_laplace(scale, size=1) for scale in SCALES}
    assert found.tolist() == [int(expected[str(scale)][0]) for scale in SCALES]
    # Equal numbers of an array share a sampler, in the order of numbers.
    array = np.array([5.0, 2.0, 5.0, 2.0, 5.0])
    alone = SeededGenerator(8)
    two, five = alone.discrete_laplace(2, size=2), alone.discrete_laplace(5, size=3)
    expected_ = [five[0], two[0], five[1], two[1], five[2]]
    assert SeededGenerator(8).discrete_laplace(array).tolist() == expected_


def test_shapes() -> None:
    g = Generator()
    assert g.discrete_laplace([1, 2, 3]).shape == (3,)
    assert g.discrete_laplace((1, 2, 3), size=(4, 3)).shape == (4, 3)
    assert g.discrete_laplace(np.array(2.5)).shape == ()
    assert g.discrete_laplace(np.ones((2, 1)), size=(2, 5)).shape == (2, 5)
    assert g.discrete_laplace([]).shape == (0,)
    assert g.discrete_gaussian(sigma2=[[1, 2]], size=(3, 2)).dtype == np.int64
    out = np.zeros((2, 3), np.int32)
    assert g.discrete_gaussian([1000, 2, 3], out=out) is out
    assert out.any()
    for shape in ((2, 2), 4, ()):
        with pytest.raises(ValueError, match=r"broadcast to \(.*, not \(3,\)"):
            g.discrete_laplace([1, 2, 3], size=shape)


def test_float32_means_the_decimal_that_it_is_printed_as() -> None:
    scales = np.array([0.1, 0.3], np.float32)
    one, two = SeededGenerator(1), SeededGenerator(1)
    for _ in range(20):
        assert one.discrete_laplace(scales).tolist() == [
            *two.discrete_laplace("0.1", size=1), *two.discrete_laplace("0.3", size=1)
        ]  # fmt: skip


@pytest.mark.parametrize(
    ("scales", "message"),
    [
        ([1, 0], "scale must be greater than 0, not 0"),
        ([1, True], "scale must be an int"),
        (np.array([True]), "scale must be an int"),
        (np.array([1.0, np.nan]), "scale must be finite"),
        (np.array([1.0, 1e-7]), "scale must be between 1e-6"),
        (["1", None], "scale must be an int"),
        ([[1], [2, 3]], "scale must be an int"),
        ([1 + 1j], "scale must be an int"),
    ],
)
def test_a_scale_that_is_not_allowed_draws_nothing(scales: Any, message: str) -> None:
    g, other = SeededGenerator(3), SeededGenerator(3)
    with pytest.raises((TypeError, ValueError), match=message):
        g.discrete_laplace(scales)
    out = np.full(2, 7, np.int32)
    with pytest.raises(ValueError, match="out must have dtype int64"):
        g.discrete_laplace([1, 2**40], out=out)
    with pytest.raises(TypeError, match="exactly one of sigma"):
        g.discrete_gaussian([1], sigma2=2)  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="exactly one of sigma"):
        g.discrete_gaussian([1], sigma2=[2])  # type: ignore[call-overload]
    with pytest.raises(TypeError, match="exactly one of sigma"):
        g.discrete_gaussian(1, sigma2=[2])  # type: ignore[call-overload]
    assert out.tolist() == [7, 7]
    assert g.bytes(8) == other.bytes(8)
