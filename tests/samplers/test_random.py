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
    assert type(g.discrete_laplace(1)) is int
    for size, shape in [
        (5, (5,)), (0, (0,)), ((2, 3), (2, 3)), ([4], (4,)), ((), ()), (np.int8(2), (2,)),
        ((3, 0), (3, 0)), (1000, (1000,)), (range(2, 4), (2, 3)), (np.array([2]), (2,)),
    ]:  # fmt: skip
        drawn = g.discrete_laplace(1, size)
        assert (type(drawn), drawn.dtype, drawn.shape) == (np.ndarray, np.dtype("int64"), shape)


def test_the_module_function_draws_from_a_generator_of_this_thread() -> None:
    assert type(cydp.discrete_laplace(1)) is int
    assert cydp.discrete_laplace(1, 10**6).dtype == np.int64
    out = np.zeros(7, np.int64)
    assert cydp.discrete_laplace(1000, out=out) is out
    assert out.any()


@pytest.mark.parametrize("n", [1, 3, 256, 257, 1024, 5000])
def test_out_is_filled_with_what_size_would_give(seeded: Seeded, n: int) -> None:
    out = np.zeros(n, np.int64)
    same = seeded(1).discrete_laplace(10, out=out)
    assert same is out
    assert np.array_equal(out, seeded(1).discrete_laplace(10, n))
    assert seeded(1).discrete_laplace(10, n, out=out) is out


def test_mechanisms_cannot_fill_a_copy() -> None:
    """A view that reshape would copy must not be left without noise."""
    view = np.zeros((4, 4), np.int64)[:, :2]
    with pytest.raises(ValueError, match="contiguous"):
        cydp.Generator()._fill(cydp._samplers.read_discrete_laplace(100), view)


def test_out_of_any_shape(seeded: Seeded) -> None:
    out = np.zeros((3, 4, 5), np.int64)
    seeded(1).discrete_laplace(10, (3, 4, 5), out=out)
    assert np.array_equal(out.reshape(-1), seeded(1).discrete_laplace(10, 60))
    out = np.zeros((), np.int64)
    assert seeded(1).discrete_laplace(10, out=out) is out


READ_ONLY = np.zeros(4, np.int64)
READ_ONLY.flags.writeable = False


@pytest.mark.parametrize(
    ("out", "error"),
    [
        (np.zeros(4), TypeError),
        (np.zeros(4, np.int16), TypeError),
        (np.zeros(4, np.uint32), TypeError),
        (np.zeros(4, ">i4"), TypeError),
        (np.ma.zeros(4, np.int32), TypeError),
        (np.zeros(8, np.int32)[::2], ValueError),
        (np.zeros(4, np.uint64), TypeError),
        (np.zeros(4, ">i8"), TypeError),
        ([0, 0], TypeError),
        (np.ma.zeros(4, np.int64), TypeError),
        (np.zeros(8, np.int64)[::2], ValueError),
        (np.zeros((4, 4), np.int64).T[:2], ValueError),
        (READ_ONLY, ValueError),
        (np.zeros(33, np.uint8)[1:].view(np.int64), ValueError),
    ],
)
def test_bad_out(out: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="out must"):
        cydp.discrete_laplace(1, out=out)


DRAWS: dict[str, dict[str, Any]] = {
    "laplace": {f"{scale}": {"scale": scale} for scale in (1, "10", 10**6, 2**24)},
    "gaussian": {
        **{f"{sigma}": {"sigma": sigma} for sigma in (2, 100, 2**27)},
        "square": {"sigma2": 2**54},
    },
}


@pytest.mark.parametrize("n", [0, 1, 256, 257, 1024, 5000, 600_001])
@pytest.mark.parametrize(
    ("law", "given"), [(law, given) for law in DRAWS for given in DRAWS[law].values()]
)
def test_int32_gets_the_same_values(
    seeded: Seeded, law: str, given: dict[str, Any], n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = np.zeros((n, 1), np.int32)
    monkeypatch.setattr(cydp._threads, "NUM_THREADS", 3)
    for fixed_work in (False, True):
        g = seeded(1, fixed_work=fixed_work)
        assert getattr(g, f"discrete_{law}")(**given, out=out) is out
        monkeypatch.setattr(cydp._threads, "NUM_THREADS", 1)
        wide = getattr(seeded(1), f"discrete_{law}")(**given, size=(n, 1))
        assert np.array_equal(out, wide)
    assert n < 1000 or np.any(np.abs(wide.astype(float)) > 1)


@pytest.mark.parametrize(
    ("law", "given"),
    [("laplace", {"scale": 2**24 + Fraction(1, 2**40)}), ("laplace", {"scale": 2**40}),
     ("gaussian", {"sigma": 2**27 + 1}), ("gaussian", {"sigma2": 2**54 + Fraction(1, 2**9)})],
)  # fmt: skip
def test_a_scale_that_int32_is_too_small_for(
    seeded: Seeded, law: str, given: dict[str, Any]
) -> None:
    g, out = seeded(1), np.zeros(5, np.int32)
    limits = (
        r"^out must have dtype int64, not int32, for a scale above 2\*\*24 or a sigma above 2\*"
    )
    with pytest.raises(ValueError, match=limits):
        getattr(g, f"discrete_{law}")(**given, out=out)
    assert not out.any()
    assert g.bytes(16) == seeded(1).bytes(16)


def test_size_beside_out_must_be_its_shape() -> None:
    with pytest.raises(ValueError, match="size must equal"):
        cydp.discrete_laplace(1, 5, out=np.zeros(4, np.int64))


@pytest.mark.parametrize(
    ("size", "error"),
    [(-1, ValueError), ((2, -1), ValueError), (1.5, TypeError), ("3", TypeError),
     (True, TypeError), ((1, True), TypeError), (2**62, ValueError), ((2**40, 2**40), ValueError)],
)  # fmt: skip
def test_bad_size(size: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="size"):
        cydp.discrete_laplace(1, size)


@pytest.mark.parametrize("scale", [1, 1.0, "1", Fraction(1), Decimal(1), np.float32(1), "3/3"])
def test_a_scale_means_the_same_in_every_form(scale: Any) -> None:
    assert np.array_equal(
        SeededGenerator(2).discrete_laplace(scale, 300), SeededGenerator(2).discrete_laplace(1, 300)
    )


@pytest.mark.parametrize(
    "scale",
    [0, -1, float("nan"), float("inf"), "0.99e-6", Fraction(2**56) + Fraction(1, 2**4000), 2**57,
     1e-400, 5e-324, "1e400", "1e400000", 1e308],
)  # fmt: skip
def test_bad_scales(scale: Any) -> None:
    with pytest.raises(ValueError, match="scale must"):
        cydp.discrete_laplace(scale, 5)


@pytest.mark.parametrize("scale", [True, None, [1], np.array([1.0]), 1j])
def test_bad_types_of_scale(scale: Any) -> None:
    with pytest.raises(TypeError, match="scale must"):
        cydp.discrete_laplace(scale, 5)


def test_a_refused_call_draws_nothing(seeded: Seeded) -> None:
    one, two = seeded(3), seeded(3)
    for bad in [{"scale": -1}, {"scale": 1, "size": -1}, {"scale": 1, "out": [0]}]:
        with pytest.raises((TypeError, ValueError)):
            one.discrete_laplace(**bad)  # type: ignore[call-overload]
    assert one.bytes(16) == two.bytes(16)


@pytest.mark.parametrize("scale", ["1e-6", 2**56])
def test_the_ends_of_the_scales(scale: Any) -> None:
    drawn = cydp.discrete_laplace(scale, 100)
    assert not drawn.any() if scale == "1e-6" else (np.abs(drawn) > 2**40).all()


GAUSSIAN = [{"sigma": 3}, {"sigma2": 9}, {"sigma": "3.0"}, {"sigma2": Fraction(9)}]


@pytest.mark.parametrize("given", GAUSSIAN)
@pytest.mark.parametrize("size", [None, 5, 1000])
def test_sigma_and_its_square_mean_the_same(given: dict[str, Any], size: Any) -> None:
    drawn = SeededGenerator(2).discrete_gaussian(**given, size=size)
    assert np.array_equal(drawn, SeededGenerator(2).discrete_gaussian(3, size))


def test_gaussian_and_bernoulli_results(seeded: Seeded) -> None:
    assert type(cydp.discrete_gaussian(3)) is int
    assert type(cydp.bernoulli("1/2")) is bool
    assert cydp.discrete_gaussian(3, (2, 3)).dtype == np.int64
    assert cydp.bernoulli("1/2", (2, 3)).dtype == np.bool_
    gaussians, coins = np.zeros((3, 500), np.int64), np.zeros((3, 500), np.bool_)
    assert seeded(1).discrete_gaussian(100, out=gaussians) is gaussians
    assert seeded(1).bernoulli(0.3, out=coins) is coins
    flat = seeded(1).discrete_gaussian(100, 1500)
    assert np.array_equal(gaussians.reshape(-1), flat)
    assert np.array_equal(coins.reshape(-1), seeded(1).bernoulli(0.3, 1500))


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({}, TypeError),
        ({"sigma": 1, "sigma2": 1}, TypeError),
        ({"sigma": True}, TypeError),
        ({"sigma": [1]}, TypeError),
        ({"sigma2": np.array([1.0])}, TypeError),
        ({"sigma": 0}, ValueError),
        ({"sigma": -1}, ValueError),
        ({"sigma": "0.99e-3"}, ValueError),
        ({"sigma": 2**56 + 1}, ValueError),
        ({"sigma2": "0.99e-6"}, ValueError),
        ({"sigma2": 2**112 + 1}, ValueError),
        ({"sigma": float("nan")}, ValueError),
        ({"sigma2": Decimal("Infinity")}, ValueError),
        ({"sigma": Decimal("sNaN")}, ValueError),
    ],
)
def test_bad_sigmas(given: dict[str, Any], error: type[Exception]) -> None:
    with pytest.raises(error, match="sigma"):
        cydp.discrete_gaussian(**given, size=3)


@pytest.mark.parametrize("out", [np.zeros(4, np.int64), np.zeros(4, np.uint8), np.zeros(4)])
def test_coins_are_booleans(out: Any) -> None:
    with pytest.raises(TypeError, match="out must have dtype bool"):
        cydp.bernoulli(0.5, out=out)


@pytest.mark.parametrize(
    ("p", "error"),
    [(-0.1, ValueError), (1.1, ValueError), (float("nan"), ValueError), ("2/1", ValueError),
     (True, TypeError), ([0.5], TypeError), (None, TypeError)],
)  # fmt: skip
def test_bad_probabilities(p: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="p must"):
        cydp.bernoulli(p)


def test_a_cached_number_is_not_taken_for_a_bool() -> None:
    """True == 1 == 1.0, and a cache must not know that."""
    for draw in (cydp.discrete_laplace, cydp.discrete_gaussian, cydp.bernoulli):
        draw(1)
        with pytest.raises(TypeError, match="bool"):
            draw(True)


FUNCTIONS = [cydp.discrete_laplace, cydp.discrete_gaussian, cydp.bernoulli]


@pytest.mark.parametrize("draw", FUNCTIONS)
@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_functions_pickle_and_copy(draw: Any, protocol: int) -> None:
    """They hold no stream, so a copy repeats nothing."""
    assert pickle.loads(pickle.dumps(draw, protocol)) == draw
    assert copy.copy(draw) == draw
    assert copy.deepcopy(draw) == draw


@pytest.mark.parametrize("draw", FUNCTIONS)
def test_functions_are_the_methods_of_a_generator(draw: Any) -> None:
    method = getattr(cydp.Generator(), draw.__name__)
    assert draw.__func__ is method.__func__
    assert inspect.signature(draw) == inspect.signature(method)
    assert draw.__name__ in inspect.getdoc(draw)
    with pytest.raises(TypeError, match=f"{draw.__name__}\\(\\)"):
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
