"""random.py: arguments, results and errors of draws. The distribution is tested elsewhere."""

import copy
import inspect
import pickle
import threading
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from generator.streams import Seeded

import cydp
from cydp.testing import SeededGenerator


def test_scalars_and_shapes() -> None:
    g = cydp.Generator()
    assert type(g.discrete_laplace(1)) is type(g.discrete_gaussian(3)) is int
    assert type(g.bernoulli("1/2")) is bool
    for size, shape in [
        (5, (5,)), (0, (0,)), ((2, 3), (2, 3)), ([4], (4,)), ((), ()), (np.int8(2), (2,)),
        ((3, 0), (3, 0)), (1000, (1000,)), (range(2, 4), (2, 3)), (np.array([2]), (2,)),
    ]:  # fmt: skip
        drawn = g.discrete_laplace(1, size)
        assert (type(drawn), drawn.dtype, drawn.shape) == (np.ndarray, np.dtype("int64"), shape)


@pytest.mark.parametrize(
    ("law", "given", "dtype"),
    [("discrete_laplace", 10, "int64"), ("discrete_gaussian", 100, "int64"),
     ("bernoulli", 0.3, "bool")],
)  # fmt: skip
def test_out_is_filled_with_what_size_would_give(
    seeded: Seeded, law: str, given: Any, dtype: str
) -> None:
    for n in (1, 256, 257, 5000):
        drawn = getattr(seeded(1), law)(given, n)
        assert drawn.dtype == dtype
        for shape in (n, (n, 1), (1, 1, n)):
            out = np.zeros(shape, dtype)
            assert getattr(seeded(1), law)(given, out=out) is out
            assert np.array_equal(out.ravel(), drawn)
        assert getattr(seeded(1), law)(given, n, out=drawn) is drawn


def test_mechanisms_cannot_fill_a_copy() -> None:
    """A view that reshape would copy must not be left without noise."""
    view = np.zeros((4, 4), np.int64)[:, :2]
    with pytest.raises(ValueError, match="contiguous"):
        cydp.Generator()._fill(cydp._samplers.read_discrete_laplace(100), view)


# A scale of each method, and the largest.
DRAWS: list[tuple[str, dict[str, Any]]] = [
    *(("laplace", {"scale": scale}) for scale in (1, "10", 10**6, 2**24)),
    *(("gaussian", {"sigma": sigma}) for sigma in (2, 100, 2**27)),
    ("gaussian", {"sigma2": 2**54}),
]


@pytest.mark.parametrize("n", [0, 1, 257, 5000, 600_001])
def test_int32_gets_the_same_values(
    seeded: Seeded, n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for law, given in DRAWS:
        out = np.zeros((n, 1), np.int32)
        monkeypatch.setattr(cydp._threads, "NUM_THREADS", 3)
        for fixed_work in (False, True):
            g = seeded(1, fixed_work=fixed_work)
            assert getattr(g, f"discrete_{law}")(**given, out=out) is out
            monkeypatch.setattr(cydp._threads, "NUM_THREADS", 1)
            wide = getattr(seeded(1), f"discrete_{law}")(**given, size=(n, 1))
            assert np.array_equal(out, wide)
        assert n < 1000 or np.any(np.abs(wide.astype(float)) > 1)


def test_a_scale_means_the_same_in_every_form() -> None:
    expected = SeededGenerator(2).discrete_laplace(1, 300)
    for scale in (1.0, "1", Fraction(1), Decimal(1), np.float32(1), "3/3"):
        assert np.array_equal(SeededGenerator(2).discrete_laplace(scale, 300), expected), scale


def test_sigma_and_its_square_mean_the_same() -> None:
    for given in ({"sigma": 3}, {"sigma2": 9}, {"sigma": "3.0"}, {"sigma2": Fraction(9)}):
        for size in (None, 5, 1000):
            drawn = SeededGenerator(2).discrete_gaussian(**given, size=size)
            assert np.array_equal(drawn, SeededGenerator(2).discrete_gaussian(3, size)), given
    values = SeededGenerator(2).discrete_gaussian(3, 1000)
    assert 6 < np.mean(values**2) < 12


def test_a_cached_number_is_not_taken_for_a_bool() -> None:
    """True == 1 == 1.0, and a cache must not know that."""
    for draw in (cydp.discrete_laplace, cydp.discrete_gaussian, cydp.random.bernoulli):
        assert draw(1) is not None
        assert draw(1.0) is not None  # lru_cache holds 1 itself, but takes 1.0 for True
        with pytest.raises(TypeError, match="bool"):
            draw(True)


FUNCTIONS = [cydp.discrete_laplace, cydp.discrete_gaussian, cydp.random.bernoulli]


def test_functions_pickle_and_copy() -> None:
    """They hold no stream, so a copy repeats nothing."""
    for draw in FUNCTIONS:
        for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
            assert pickle.loads(pickle.dumps(draw, protocol)) == draw
        assert copy.copy(draw) == draw
        assert copy.deepcopy(draw) == draw


def test_functions_are_the_methods_of_a_generator() -> None:
    for draw in FUNCTIONS:
        method = getattr(cydp.Generator(), draw.__name__)
        assert draw.__func__ is method.__func__
        assert inspect.signature(draw) == inspect.signature(method)
        assert draw.__name__ in inspect.getdoc(draw)
        with pytest.raises(TypeError, match=f"{draw.__name__}"):
            draw(1, 2, 3, 4)


def test_the_object_behind_the_functions_is_the_threads_generator() -> None:
    behind: Any = cydp.discrete_laplace.__self__  # type: ignore[attr-defined]
    assert behind._stream is cydp._default_generator.default_generator()._stream
    assert behind.lock is cydp._default_generator.default_generator().lock
    streams = []
    thread = threading.Thread(target=lambda: streams.append(behind._stream))
    thread.start()
    thread.join()
    assert streams[0] is not behind._stream
