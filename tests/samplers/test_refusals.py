"""What draws and iterators of noise say of a mistake: the argument, what is allowed, the given."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from refusals import Refusal, check_refusals

import cydp
from cydp import testing
from cydp.testing import SeededGenerator

# Of the library's inside; no message shows them.
NEVER = ("zip()", "attribute", "Buffer", "buffer", "index out of range", "a parameter is outside")
G, TWIN = SeededGenerator(1), SeededGenerator(1)
READ_ONLY = np.zeros(4, np.int64)
READ_ONLY.flags.writeable = False
Draw = Callable[..., object]


def check_that_nothing_is_drawn(refusals: dict[str, Refusal]) -> None:
    check_refusals(refusals, never=NEVER)
    assert G.bytes(16) == TWIN.bytes(16)


# The same of functions and methods, of blocks and of arrays drawn ahead.
DRAWS: dict[str, dict[str, Draw]] = {
    "scale": {
        "function": cydp.discrete_laplace,
        "method": G.discrete_laplace,
        "block": lambda scale: G.discrete_laplace_iter(scale),
        "prefetch": lambda scale: G.discrete_laplace_prefetch(scale, 3),
    },
    "sigma": {
        "function": cydp.discrete_gaussian,
        "method": G.discrete_gaussian,
        "block": lambda sigma: G.discrete_gaussian_iter(sigma),
        "prefetch": lambda sigma: G.discrete_gaussian_prefetch(sigma, 3),
    },
    "sigma2": {
        "function": lambda square: cydp.discrete_gaussian(sigma2=square),
        "block": lambda square: G.discrete_gaussian_iter(sigma2=square),
        "prefetch": lambda square: G.discrete_gaussian_prefetch(sigma2=square, size=3),
    },
    "p": {
        "function": cydp.random.bernoulli,
        "method": G.bernoulli,
        "block": lambda p: G.bernoulli_iter(p),
        "prefetch": lambda p: G.bernoulli_prefetch(p, 3),
    },
}
NO_NUMBERS: list[tuple[Any, str]] = [
    (True, "bool"), (None, "None"), ([1], "list"), (np.array([1.0]), "ndarray"), (1j, "complex"),
]  # fmt: skip
NOT_FINITE = [float("nan"), float("inf"), Decimal("Infinity"), Decimal("sNaN")]
OUTSIDE: dict[str, dict[str, list[Any]]] = {
    "scale": {
        "greater than 0, not": [0, -1],
        "between 1e-6 and 2**56, not":
            ["0.99e-6", 1e-9, 2**57, Fraction(2**56) + Fraction(1, 2**4000), 1e308],
        "": ["1e-400", "1e400000", 5e-324, "x", ""],
    },
    "sigma": {
        "greater than 0, not": [0, -1],
        "between 1e-3 and 2**56, not": ["0.99e-3", 2**56 + 1],
        "": ["x"],
    },
    "sigma2": {
        "greater than 0, not": [0, -1],
        "between 1e-6 and 2**112, not": ["0.99e-6", 2**112 + 1],
    },
    "p": {
        "between 0 and 1, not": [-1, -0.1, 1.1, "2/1", Fraction(10**30 + 1, 10**30)],
        "": ["half", ""],
    },
}  # fmt: skip


def parameters() -> dict[str, Refusal]:
    found: dict[str, Refusal] = {}
    for name, draws in DRAWS.items():
        wrong = [(value, ValueError, ("finite",)) for value in NOT_FINITE]
        wrong += [
            (value, ValueError, (allowed,) if allowed else ())
            for allowed, values in OUTSIDE[name].items()
            for value in values
        ]
        wrong += [
            (value, TypeError, (kind,))
            for value, kind in NO_NUMBERS
            if not (name.startswith("sigma") and value is None)  # then it was not given
        ]
        for way, draw in draws.items():
            for value, error, words in wrong:
                several = name != "p" and way in ("function", "method")
                if several and isinstance(value, list | np.ndarray):
                    value, words = [1, *value, None], ("None",)
                found[f"{name} of {way}: {str(value)[:20]!r} {type(value).__name__}"] = (
                    lambda draw=draw, value=value: draw(value), error, (f"{name} must", *words),
                )  # fmt: skip
    return found


def test_parameters() -> None:
    refusals = parameters()
    assert len(refusals) > 200
    check_that_nothing_is_drawn(refusals)


def test_exactly_one_of_sigma_and_its_square() -> None:
    one, block = (TypeError, ("exactly one of sigma and sigma2",)), G.discrete_gaussian_iter
    ahead = G.discrete_gaussian_prefetch
    check_that_nothing_is_drawn({
        "neither": (lambda: G.discrete_gaussian(), *one),
        "neither, of a block": (lambda: block(), *one),
        "neither, ahead": (lambda: ahead(size=3), *one),
        "both": (lambda: G.discrete_gaussian(1, sigma2=1), *one),
        "both, of a block": (lambda: block(1, sigma2=1), *one),
        "both, ahead": (lambda: ahead(1, 3, sigma2=1), *one),
    })  # fmt: skip


INT64 = "int64 or int32 in native byte order"
CONTIGUOUS = "C-contiguous, aligned and writable"
OUTS: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
    **{
        f"{out.dtype}": (out, TypeError, (INT64,))
        for out in (np.zeros(4), np.zeros(4, np.int16), np.zeros(4, np.uint32),
                    np.zeros(4, np.uint64), np.zeros(4, np.bool_))
    },
    "int32 of the other byte order": (np.zeros(4, ">i4"), TypeError, (INT64,)),
    "int64 of the other byte order": (np.zeros(4, ">i8"), TypeError, (INT64, "the other")),
    "a list": ([0, 0], TypeError, ("a numpy array of int64 or int32", "list")),
    "masked": (np.ma.zeros(4, np.int64), TypeError, ()),
    "masked int32": (np.ma.zeros(4, np.int32), TypeError, ()),
    "every second of int32": (np.zeros(8, np.int32)[::2], ValueError, (CONTIGUOUS,)),
    "every second": (np.zeros(8, np.int64)[::2], ValueError, (CONTIGUOUS,)),
    "transposed": (np.zeros((4, 4), np.int64).T[:2], ValueError, (CONTIGUOUS,)),
    "read-only": (READ_ONLY, ValueError, (CONTIGUOUS,)),
    "not aligned": (np.zeros(33, np.uint8)[1:].view(np.int64), ValueError, (CONTIGUOUS,)),
}  # fmt: skip


def test_outs() -> None:
    refusals: dict[str, Refusal] = {
        name: (lambda out=out: G.discrete_laplace(1, out=out), error, ("out must", *words))
        for name, (out, error, words) in OUTS.items()
    }
    for dtype in (np.int64, np.uint8, np.float64):
        out = np.zeros(4, dtype)
        refusals[f"coins as {out.dtype}"] = (
            lambda out=out: G.bernoulli(0.5, out=out), TypeError, ("out must have dtype bool",),
        )  # fmt: skip
    refusals["int16, each of its own scale"] = (
        lambda: G.discrete_laplace([1, 2], out=np.zeros(2, np.int16)), TypeError, (INT64,),
    )  # fmt: skip
    refusals["of another shape than size"] = (
        lambda: cydp.discrete_laplace(1, 2, out=np.zeros(3, np.int64)),
        ValueError, ("size must equal the shape of out", "(3,)", "(2,)"),
    )  # fmt: skip
    check_that_nothing_is_drawn(refusals)


NOT_BELOW = "from 0 to 2**60 - 1, not"
SIZES: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
    "negative": (-1, ValueError, (NOT_BELOW, "-1")),
    "huge": (2**62, ValueError, ("from 0 to 2**60 - 1",)),
    "a float": (1.5, TypeError, ("an integer or a tuple of integers", "float")),
    "a text": ("3", TypeError, ("an integer or a tuple of integers", "str")),
    "a bool": (True, TypeError, ("bool",)),
    "a negative entry": ((2, -1), ValueError, ("each entry", NOT_BELOW, "-1")),
    "an entry of float": ((2, 1.5), TypeError, ("each entry", "an integer", "float")),
    "an entry of bool": ((1, True), TypeError, ("each entry", "bool")),
    "of more than memory": ((2**40, 2**40), ValueError, ("memory",)),
}
BOTH = ("int64, not int32", "a scale above 2**24 or a sigma above 2**27")


def test_sizes_and_dtypes() -> None:
    refusals: dict[str, Refusal] = {}
    for name, (size, error, words) in SIZES.items():
        for way, draw in {
            "laplace": lambda size: cydp.discrete_laplace(1, size),
            "gaussian": lambda size: cydp.discrete_gaussian(1, size),
            "coins": lambda size: cydp.random.bernoulli(1, size),
            "ahead": lambda size: G.discrete_laplace_prefetch(1, size),
        }.items():
            refusals[f"{way}: {name}"] = (
                lambda draw=draw, size=size: draw(size), error, ("size", "must be", *words),
            )  # fmt: skip
    for dtype in (None, "float64", np.uint8, bool, "no dtype", ">i8"):
        refusals[f"ahead as {dtype}"] = (
            lambda dtype=dtype: G.discrete_gaussian_prefetch(1, 3, dtype=dtype),
            TypeError, ("dtype must be int64 or int32",),
        )  # fmt: skip
    refusals |= {
        "no size": (lambda: G.discrete_laplace_prefetch(1, None), TypeError, ("size must be",)),
        "scale of int32": (
            lambda: G.discrete_laplace_prefetch(2**25, 3, dtype=np.int32),
            ValueError, ("dtype must be", *BOTH),
        ),
        "an array that memory does not hold": (
            lambda: G.discrete_laplace_prefetch(1, 2**58), MemoryError, (),
        ),
    }  # fmt: skip
    for law, given in (
        ("laplace", {"scale": 2**24 + Fraction(1, 2**40)}), ("laplace", {"scale": 2**40}),
        ("gaussian", {"sigma": 2**27 + 1}), ("gaussian", {"sigma2": 2**54 + Fraction(1, 2**9)}),
    ):  # fmt: skip
        draw = getattr(G, f"discrete_{law}")
        refusals[f"{law} of {given} as int32"] = (
            lambda draw=draw, given=given: draw(**given, out=np.zeros(5, np.int32)),
            ValueError, ("out must have dtype", *BOTH),
        )  # fmt: skip
    check_that_nothing_is_drawn(refusals)


def sampler(*args: Any) -> Any:
    return testing.discrete_laplace_sampler(*(args or (1,)))


PLANES, SIGNS = "planes must be a list of 1", "signs must be given, one for each"
OF_16 = "planes must hold words of 16 bits"
OFFSETS = testing.category_offset_sampler
BITS: dict[str, Refusal] = {
    "prefix of 99": (lambda: sampler(1, 99), ValueError, ("prefix_bits", "8 to 31", "99")),
    "prefix of text": (lambda: sampler(1, "x"), TypeError, ("prefix_bits", "integer", "str")),
    "a weight too large": (lambda: OFFSETS("0.9", 3), ValueError, ("p must", "1 / n_cat")),
    "one category": (lambda: OFFSETS("1/3", 1), ValueError, ("n_categories", "2 to 2**31", "1")),
    "text": (lambda: OFFSETS("1/3", "x"), TypeError, ("n_categories must be an integer",)),
    "no sampler": (lambda: testing.map_bits(5, []), TypeError, ("must be a Sampler", "int")),
    "no plane": (lambda: testing.map_bits(sampler(), []), ValueError, (PLANES,)),
    "two planes": (lambda: testing.map_bits(sampler(), [[1]] * 2), ValueError, (PLANES,)),
    "no signs": (lambda: testing.map_bits(sampler(), [[1]]), ValueError, (SIGNS,)),
    "two signs": (lambda: testing.map_bits(sampler(), [[1]], [0, 1]), ValueError, (SIGNS,)),
    "a word of 17": (lambda: testing.map_bits(sampler(), [[1 << 16]], [0]), ValueError, (OF_16,)),
    "a fraction": (lambda: testing.map_bits(sampler(), [[1.5]], [0]), ValueError, (OF_16,)),
    "extensions of 3 words": (
        lambda: testing.map_bits(sampler(), [[1]], [0], np.zeros((2, 1, 3), np.uint64)),
        ValueError, ("extensions must be of shape (2, 1, 8 m)", "(2, 1, 3)"),
    ),
}  # fmt: skip


def test_given_bits() -> None:
    check_refusals(BITS, never=NEVER)
