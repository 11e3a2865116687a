# SPDX-License-Identifier: MIT
"""What generators and cydp.testing say of a mistake: the argument, and what is allowed."""

import copy
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import testing
from cydp.testing import SeededGenerator

G = cydp.Generator()
WORDS, NONCE = np.zeros(8, np.uint32), np.zeros(3, np.uint32)
NOT_SHOWN = (
    "zip()",
    "attribute",
    "Buffer",
    "buffer",
    "index out of range",
    "a parameter is outside",
)
SCALE = "scale must be an int, float, str, Fraction or Decimal, not"
INTEGERS = "size must be an integer or a tuple of integers, not"
OUT = "out must have dtype int64 in native byte order, not"
ONE = "exactly one of sigma and sigma2 must be given"
COPY = "a Generator cannot be pickled or copied: noise would repeat"


def sampler(*args: Any) -> Any:
    return testing.discrete_laplace_sampler(*(args or (1,)))


MISTAKES: list[tuple[Callable[[], Any], type[Exception], str]] = [
    (lambda: G.discrete_laplace(0), ValueError, "scale must be greater than 0, not 0"),
    (lambda: G.discrete_laplace(-1), ValueError, "scale must be greater than 0, not -1"),
    (lambda: G.discrete_laplace("x"), ValueError, "scale must be a number such as '0.1'"),
    (lambda: G.discrete_laplace([1, 2]), TypeError, f"{SCALE} list"),
    (lambda: G.discrete_laplace(None), TypeError, f"{SCALE} None"),
    (lambda: G.discrete_laplace(1e-9), ValueError, "scale must be between 1e-6 and 2**56, not"),
    (lambda: G.discrete_laplace(1, -1), ValueError, "size must be from 0 to 2**60 - 1, not -1"),
    (lambda: G.discrete_laplace(1, 2.5), TypeError, f"{INTEGERS} float"),
    (lambda: G.discrete_laplace(1, "3"), TypeError, f"{INTEGERS} str"),
    (lambda: G.discrete_laplace(1, (2, -1)), ValueError, "each entry of size must be from 0 to"),
    (lambda: G.discrete_laplace(1, (2, 1.5)), TypeError, "each entry of size must be an integer"),
    (
        lambda: G.discrete_laplace(1, (2**40, 2**40)),
        ValueError,
        "size must be that of an array that memory",
    ),
    (lambda: G.discrete_laplace(1, out=np.zeros(3)), TypeError, f"{OUT} float64"),
    (lambda: G.discrete_laplace(1, out=np.zeros(3, ">i8")), TypeError, f"{OUT} int64 in the other"),
    (lambda: G.discrete_laplace(1, out=[0]), TypeError, "out must be a numpy array of int64, not"),
    (
        lambda: G.discrete_laplace(1, 2, out=np.zeros(3, np.int64)),
        ValueError,
        "size must equal the shape of out, (3,), not (2,)",
    ),
    (
        lambda: G.discrete_laplace(1, out=np.zeros(6, np.int64)[::2]),
        ValueError,
        "out must be C-contiguous, aligned and writable",
    ),
    (lambda: G.bernoulli(2), ValueError, "p must be between 0 and 1, not 2"),
    (lambda: G.bernoulli(-0.1), ValueError, "p must be between 0 and 1, not -0.1"),
    (lambda: G.bernoulli(float("nan")), ValueError, "p must be finite, not nan"),
    (lambda: G.bernoulli(0.5, out=np.zeros(2, int)), TypeError, "out must have dtype bool"),
    (lambda: G.discrete_gaussian(1, sigma2=1), TypeError, ONE),
    (lambda: G.discrete_gaussian(), TypeError, ONE),
    (lambda: G.discrete_gaussian(0), ValueError, "sigma must be greater than 0, not 0"),
    (lambda: G.discrete_gaussian(sigma2=-1), ValueError, "sigma2 must be greater than 0, not -1"),
    (lambda: G.bytes(-1), ValueError, "n must be from 0 to 2**60 - 1, not -1"),
    (lambda: G.bytes(1.5), TypeError, "n must be an integer, not float"),
    (lambda: cydp.Generator(fixed_work=1), TypeError, "fixed_work must be True or False, not int"),
    (lambda: pickle.dumps(G), TypeError, COPY),
    (lambda: copy.copy(G), TypeError, COPY),
    (lambda: SeededGenerator("x"), TypeError, "seed must be an integer, not str"),
    (lambda: SeededGenerator(-1), ValueError, "seed must be in [0, 2**256)"),
    (lambda: sampler(1, 99), ValueError, "prefix_bits must be 0, or from 8 to 31, not 99"),
    (lambda: sampler(1, "x"), TypeError, "prefix_bits must be an integer, not str"),
    (
        lambda: testing.category_offset_sampler("0.9", 3),
        ValueError,
        "p must be from 2**-900 to 1 / n_cat",
    ),
    (
        lambda: testing.category_offset_sampler("1/3", 1),
        ValueError,
        "n_categories must be from 2 to 2**31",
    ),
    (
        lambda: testing.category_offset_sampler("1/3", "x"),
        TypeError,
        "n_categories must be an integer",
    ),
    (lambda: testing.map_bits(5, []), TypeError, "sampler must be a Sampler, not int"),
    (lambda: testing.map_bits(sampler(), []), ValueError, "planes must be a list of 1, as"),
    (lambda: testing.map_bits(sampler(), [[1]] * 2), ValueError, "planes must be a list of 1, as"),
    (lambda: testing.map_bits(sampler(), [[1]]), ValueError, "signs must be given, one for each"),
    (lambda: testing.map_bits(sampler(), [[1]], [0, 1]), ValueError, "signs must be given, one"),
    (
        lambda: testing.map_bits(sampler(), [[1 << 16]], [0]),
        ValueError,
        "planes must hold words of",
    ),
    (lambda: testing.map_bits(sampler(), [[1.5]], [0]), ValueError, "planes must hold words of 16"),
    (
        lambda: testing.map_bits(sampler(), [[1]], [0], np.zeros((2, 1, 3), np.uint64)),
        ValueError,
        "extensions must be of shape (2, 1, 8 m), not (2, 1, 3)",
    ),
    (lambda: testing.chacha20_words(1, NONCE, 0), TypeError, "key must be an array of 8 uint32"),
    (lambda: testing.chacha20_words(WORDS, WORDS, 0), TypeError, "nonce must be an array of 3"),
    (lambda: testing.chacha20_words(WORDS, NONCE, -1), ValueError, "counter must be from 0 to"),
    (lambda: testing.chacha20_words(WORDS, NONCE, 0, -1), ValueError, "groups must be at least 0"),
]


@pytest.mark.parametrize(("call", "error", "says"), MISTAKES)
def test_a_mistake_is_named(call: Callable[[], Any], error: type[Exception], says: str) -> None:
    with pytest.raises(error) as info:
        call()
    said = str(info.value)
    assert type(info.value) is error
    assert said.startswith(says), said
    assert "\n" not in said
    assert len(said) <= 160
    assert not any(word in said for word in NOT_SHOWN), said


@pytest.mark.parametrize("draw", [cydp.discrete_laplace, cydp.discrete_gaussian, cydp.bernoulli])
def test_the_functions_of_the_module_say_the_same(draw: Callable[..., Any]) -> None:
    for method in (draw, getattr(G, draw.__name__)):
        with pytest.raises(ValueError, match=r"^size must be from 0 to 2\*\*60 - 1, not -1$"):
            method(1, -1)
        with pytest.raises(
            TypeError, match=r"^out must be a numpy array of (int64|bool), not list$"
        ):
            method(1, out=[0])


RNG: dict[str, tuple[Any, str]] = {
    "numpy": (np.random.default_rng(), "numpy's Generator"),
    "a seed": (42, "int"),
    "a class": (cydp.Generator, "type"),
}


@pytest.mark.parametrize("mistake", RNG)
def test_what_is_no_generator(mistake: str) -> None:
    given, shown = RNG[mistake]
    with pytest.raises(TypeError, match=f"^rng must be a cydp.Generator or None, not {shown}$"):
        cydp.histogram([1], 2, (0, 1), epsilon=1, rng=given)


def test_what_a_generator_shows() -> None:
    """What mechanisms draw by is no name of its own; numpy asks for capsule and lock."""
    shown = [name for name in dir(G) if not name.startswith("_")]
    draws = [
        *("bernoulli", "bernoulli_iter", "bernoulli_prefetch", "bytes", "capsule"),
        *("discrete_gaussian", "discrete_gaussian_iter", "discrete_gaussian_prefetch"),
        *("discrete_laplace", "discrete_laplace_iter", "discrete_laplace_prefetch"),
        *("lock", "stream"),
    ]
    assert shown == draws
    assert [name for name in dir(SeededGenerator(1)) if not name.startswith("_")] == draws
    for name in ("capsule", "lock"):
        assert "numpy's BitGenerator protocol" in getattr(cydp.Generator, name).__doc__
