"""Entries of subclasses of Python's and numpy's types: none of their own methods is called."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import exact
from cydp._columns.numbers import read_exact_numbers, read_group_codes, read_numbers
from cydp.testing import SeededGenerator


def fails(self: Any, *given: Any, **named: Any) -> Any:
    raise ValueError("31415, which is data")


OVERRIDDEN = ("encode", "item", "tobytes", "__int__", "__index__", "__float__", "__bytes__",
              "__str__", "__len__", "__iter__", "__getitem__", "__bool__", "__abs__", "__lt__",
              "__gt__", "__le__", "__ge__", "__neg__", "__trunc__", "__mod__")  # fmt: skip


def subclass_of(base: type) -> Callable[[Any], Any]:
    own = {name: fails for name in OVERRIDDEN if hasattr(base, name) or name == "__index__"}
    if issubclass(base, float):
        del own["__index__"]
    return type(f"own {base.__name__}", (base,), own)


def objects(x: list[Any]) -> np.ndarray:
    array = np.empty(len(x), object)
    array[:] = x
    return array


STRINGS = [(str, ["a", "b\ud800"]), (bytes, [b"a", b"long " * 9])]
INTEGERS = [(int, [7, -1]), (int, [2**64 + 1, 10**5000]), (np.int64, [7, -1]), (np.uint8, [7, 1])]
FLOATS = [(float, [0.5, 2.0]), (np.float64, [0.5, 2.0]), (np.float32, [0.5, 2.0])]
SHAPES: list[Callable[[list[Any]], Any]] = [list, tuple, objects]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("number", range(len(STRINGS + INTEGERS)))
def test_identifiers(number: int, shape: Callable[[list[Any]], Any]) -> None:
    base, values = (STRINGS + INTEGERS)[number]
    own = shape([*map(subclass_of(base), values), None, values[0]])
    assert exact.match_keys(own, values).tolist() == [0, 1, 2, 0]
    assert exact.value_counts(own, values[::-1]).tolist() == [1, 2]
    stays = exact.bound_contributions(own, own, max_partitions=1, rng=SeededGenerator(1))
    assert stays.tolist()[1:3] == [True, False]
    assert stays.sum() == 2


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("number", range(len(INTEGERS + FLOATS)))
def test_numbers(number: int, shape: Callable[[list[Any]], Any]) -> None:
    base, values = (INTEGERS + FLOATS)[number]
    own, plain = shape([*map(subclass_of(base), values), None]), [*map(base, values), None]
    for read in (read_numbers, read_exact_numbers):
        assert read(own).tolist() == read(plain).tolist()
    if (base, values) in INTEGERS:
        assert read_group_codes(own).tolist() == read_group_codes(plain).tolist()


@pytest.mark.parametrize("number", range(len(INTEGERS + FLOATS)))
def test_mechanisms(number: int) -> None:
    base, values = (INTEGERS + FLOATS)[number]
    own = list(map(subclass_of(base), values))
    choice = cydp.ExponentialMechanism(epsilon=1, sensitivity=1)
    assert choice.release(own) in (0, 1)
    if (base, values) in INTEGERS:
        response = cydp.RandomizedResponse(epsilon=1, n_categories=8)
        assert response.release(own).shape == (2,)


@pytest.mark.parametrize("number", range(len(INTEGERS + FLOATS)))
def test_noise_added_to_them(number: int) -> None:
    """A list, and a single number, released as those of the type that they derive from."""
    base, values = (INTEGERS + FLOATS)[number]
    own = list(map(subclass_of(base), values))
    mechanisms: list[Any] = [
        cydp.Laplace(epsilon=1, sensitivity=1),
        cydp.Gaussian(rho=1, sensitivity=1),
        cydp.Snapping(epsilon=1, sensitivity=1, bounds=(-100, 100)),
    ]
    if (base, values) in INTEGERS:
        mechanisms += [
            cydp.DiscreteLaplace(epsilon=1, sensitivity=1),
            cydp.DiscreteGaussian(rho=1, sensitivity=1),
        ]
    for mechanism in mechanisms:
        pairs = [(own, list(map(base, values)))]
        if base in (int, float):
            pairs.append((own[0], base(values[0])))
        for given, expected in pairs:
            released = mechanism.release(given, rng=SeededGenerator(1))
            assert np.array_equal(released, mechanism.release(expected, rng=SeededGenerator(1)))
