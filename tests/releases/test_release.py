"""releases/_release.py: releases are values, whose arrays cannot be changed."""

import copy
import dataclasses
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import HistogramRelease
from cydp.releases._release import Release

EDGES = np.array([0.0, 1.0, 2.0])


def release(**parts: Any) -> HistogramRelease:
    mechanism = cydp.DiscreteLaplace(epsilon=1, sensitivity=1)
    given = {"counts": np.array([3, -1]), "edges": EDGES, "mechanism": mechanism}
    return HistogramRelease(**(given | {"relation": "add-remove"} | parts))


def test_equal_fields_make_equal_releases() -> None:
    assert release() == release()
    assert hash(release()) == hash(release())
    assert len({release(), release()}) == 1
    assert release() != 1
    assert release() != (3, -1)


OTHERS: dict[str, Any] = {
    "counts": np.array([3, 1]),
    "edges": np.array([0.0, 1.0, 2.5]),
    "mechanism": cydp.DiscreteLaplace(epsilon=2, sensitivity=1),
    "relation": "change-one",
}


def test_every_field_is_compared() -> None:
    assert {field.name for field in dataclasses.fields(HistogramRelease)} == set(OTHERS)
    for name, value in OTHERS.items():
        other = release(**{name: value})
        assert other != release(), name
        assert hash(other) != hash(release()), name  # not by chance: hashes of numbers are fixed


def test_shapes_are_compared() -> None:
    more = release(counts=np.array([3, -1, 0]), edges=np.arange(4.0))
    assert more != release()
    assert release(counts=np.array([3])) != release()


@pytest.mark.parametrize("dtype", [np.int8, np.int64, np.float32])
def test_equal_numbers_of_another_dtype_are_equal(dtype: Any) -> None:
    other = release(edges=EDGES.astype(dtype))
    assert other == release()
    assert hash(other) == hash(release())


def test_releases_of_the_same_noise_are_equal() -> None:
    one, two = (
        cydp.histogram([1, 2], 4, (0, 4), epsilon="1/3", rng=cydp.testing.SeededGenerator(1))
        for _ in range(2)
    )
    assert one is not two
    assert one == two
    assert one != cydp.histogram([1, 2], 4, (0, 4), epsilon=Fraction(1, 10**6))


COPIES: dict[str, Callable[[Any], Any]] = {
    "itself": lambda x: x,
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "replace": dataclasses.replace,
    **{
        f"pickle {protocol}": lambda x, protocol=protocol: pickle.loads(pickle.dumps(x, protocol))
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1)
    },
}


@pytest.mark.parametrize("name", COPIES)
def test_copies_are_equal_and_read_only(name: str) -> None:
    released = cydp.histogram([1, 2], 4, (0, 4), epsilon=1)
    again = COPIES[name](released)
    assert type(again) is HistogramRelease
    assert again == released
    assert repr(again) == repr(released)
    for array in (again.counts, again.edges):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 7
    with pytest.raises(dataclasses.FrozenInstanceError):
        again.counts = released.counts


def test_an_array_that_is_given_stays_writable() -> None:
    counts = np.array([3, -1])
    assert release(counts=counts) == release()
    counts[0] = 4
    assert counts.flags.writeable


def test_what_every_release_has() -> None:
    assert isinstance(release(), Release)
    assert release().loss == cydp.PureDP(1)
    assert release().variance == release().mechanism.variance
    with pytest.raises(TypeError, match="abstract"):
        Release()  # type: ignore[abstract]


def test_the_array_that_was_given_changes_nothing() -> None:
    counts = np.array([3, -1])
    made = release(counts=counts)
    before = hash(made)
    counts[0] = 99
    assert (made.counts.tolist(), hash(made)) == ([3, -1], before)
    with pytest.raises(ValueError, match="WRITEABLE"):
        made.counts.flags.writeable = True
