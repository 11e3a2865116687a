"""What generators and keystreams say of a mistake: the argument, what is allowed, the given."""

import copy
import pickle
from typing import Any

import numpy as np
from generator.streams import needs_aes
from refusals import Refusal, check_refusals

import cydp
from cydp.testing import SeededGenerator, aes256_words, chacha20_words

KEY, NONCE = np.zeros(8, np.uint32), np.zeros(3, np.uint32)
G: Any = cydp.Generator()
SEEDS: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
    "negative": (-1, ValueError, ("[0, 2**256)",)),
    "too large": (2**256, ValueError, ("[0, 2**256)",)),
    **{
        f"{seed!r}": (seed, TypeError, ("an integer", type(seed).__name__))
        for seed in (1.0, "x", True, np.True_, None)
    },
}
LENGTHS: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
    "-1 bytes": (-1, ValueError, ("from 0 to 2**60 - 1", "-1")),
    "2**63 bytes": (2**63, ValueError, ("from 0 to 2**60 - 1",)),
    **{
        f"{n} bytes": (n, TypeError, ("an integer", kind))
        for n, kind in ((1.5, "float"), (True, "bool"), (None, "None"))
    },
}


def test_generators() -> None:
    refusals: dict[str, Refusal] = {
        f"a seed that is {name}": (
            lambda seed=seed: SeededGenerator(seed), error, ("seed must be", *words),
        )
        for name, (seed, error, words) in SEEDS.items()
    }  # fmt: skip
    refusals |= {
        name: (lambda n=n: G.bytes(n), error, ("n must be", *words))
        for name, (n, error, words) in LENGTHS.items()
    }
    for wrong in (1, None, "yes", np.True_):
        refusals[f"fixed_work={wrong!r}"] = (
            lambda wrong=wrong: cydp.Generator(fixed_work=wrong),
            TypeError, ("fixed_work must be True or False",),
        )  # fmt: skip
    refusals |= {
        "another stream": (
            lambda: cydp.Generator(stream=np.str_("rc4")),  # type: ignore[arg-type]
            ValueError, ("stream must be 'aes' or 'chacha20'", "'rc4'"),
        ),
        "no stream": (
            lambda: SeededGenerator(1, stream=None),  # type: ignore[arg-type]
            TypeError, ("stream must be a string", "NoneType"),
        ),
    }  # fmt: skip
    check_refusals(refusals)


def test_copies() -> None:
    """They would give the same noise."""
    made: dict[str, Any] = {
        "generator": G,
        "seeded": SeededGenerator(1),
        "stream": G._stream,
        "numpy's": np.random.Generator(G),
        "block": G.discrete_laplace_iter(1),
        "prefetch": G.discrete_laplace_prefetch(1, 3),
    }
    check_refusals({
        f"{copied.__name__} of a {name}": (
            lambda thing=thing, copied=copied: copied(thing), TypeError, ("noise would repeat",),
        )
        for name, thing in made.items()
        for copied in (pickle.dumps, copy.copy, copy.deepcopy)
        if name != "numpy's" or copied is pickle.dumps
    })  # fmt: skip


def test_what_is_no_generator() -> None:
    given: dict[str, Any] = {
        "numpy's Generator": np.random.default_rng(), "int": 42, "type": cydp.Generator,
    }  # fmt: skip
    check_refusals({
        kind: (
            lambda rng=rng: cydp.histogram([1], 2, (0, 1), epsilon=1, rng=rng),
            TypeError, ("rng must be a cydp.Generator or None", kind),
        )
        for kind, rng in given.items()
    })  # fmt: skip


def test_keystreams() -> None:
    check_refusals({
        "no key": (lambda: chacha20_words(1, NONCE, 0), TypeError, ("key must", "8 uint32")),
        "a nonce of 8": (lambda: chacha20_words(KEY, KEY, 0), TypeError, ("nonce must", "3 ")),
        "before 0": (lambda: chacha20_words(KEY, NONCE, -1), ValueError, ("counter must", "0 to")),
        "no group": (lambda: chacha20_words(KEY, NONCE, 0, -1), ValueError, ("groups", "least 0")),
        "beyond 2**32": (
            lambda: chacha20_words(KEY, NONCE, 2**32 - 47, groups=3), RuntimeError, ("2**32",),
        ),
    })  # fmt: skip


@needs_aes
def test_keystreams_of_aes() -> None:
    check_refusals({
        "a key of 3": (lambda: aes256_words(NONCE, NONCE, 0), TypeError, ("key must", "8 uint32")),
        "beyond 2**32": (lambda: aes256_words(KEY, NONCE, 2**32 - 63), ValueError, ("counter",)),
        "no group": (lambda: aes256_words(KEY, NONCE, 0, -1), ValueError, ("groups", "at least 0")),
    })  # fmt: skip
