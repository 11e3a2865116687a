"""Runs beside jax_privacy's release; a stand-in has the signature of what it lacks."""

import importlib.metadata
import math

import jax_privacy_noise
import numpy as np
import randomgen

from cydp.testing import SeededGenerator


def stand_in(rng, sigma, size, oversample=None, dtype=np.int64):
    """Draw discrete Gaussian noise by rejection, in doubles (Canonne, Kamath, Steinke 2020)."""
    if not np.issubdtype(dtype, np.integer):
        raise ValueError("dtype must be of integers")
    if size <= 0 or sigma < 0:
        raise ValueError("size must be positive, sigma not negative")
    if sigma == 0:
        return np.zeros(size, dtype)
    if oversample is not None and oversample <= 0:
        raise ValueError("oversample must be positive")
    t = math.floor(sigma) + 1
    accepted = np.empty(0, np.int64)
    while len(accepted) < size:
        n = oversample or int((size - len(accepted)) * 1.4) + 100
        x = rng.geometric(-math.expm1(-1 / t), n) - rng.geometric(-math.expm1(-1 / t), n)
        chance = np.exp(-((np.abs(x) - sigma**2 / t) ** 2) / (2 * sigma**2))
        accepted = np.append(accepted, x[rng.random(n) < chance])
    return accepted[:size].astype(dtype)


FUNCTIONS = {"before": stand_in, "after": jax_privacy_noise.sample_discrete_gaussian}


def release():
    """Tell the version of the host, and its files."""
    files = [str(file) for file in importlib.metadata.files("jax-privacy") or ()]
    return lambda: (importlib.metadata.version("jax-privacy"), files)


def steps(which, sigma, size, count):
    """Draw the noise of training steps from what the host's secure example draws from: RDRAND."""
    function, rng = FUNCTIONS[which], np.random.Generator(randomgen.RDRAND())
    return lambda: [len(function(rng, sigma, size)) for _ in range(count)]


def noise(which, seed, sigma, size, wrapped=False, **keywords):
    """Draw from a seeded generator."""
    rng = SeededGenerator(seed) if which == "after" else np.random.default_rng(seed)
    rng = np.random.Generator(rng) if wrapped else rng
    return lambda: FUNCTIONS[which](rng, sigma, size, **keywords)


def calls(which, arguments):
    """Tell what each call returns or raises: a dtype and a shape, or the name of an error."""

    def outcome(keywords):
        try:
            drawn = FUNCTIONS[which](np.random.default_rng(0), **keywords)
        except Exception as error:
            return type(error).__name__
        return drawn.dtype.str, drawn.shape, bool(drawn.any())

    return lambda: [outcome(keywords) for keywords in arguments]


def others():
    """Draw twice with two equal generators that are not cydp's: the noise must differ."""
    draw = jax_privacy_noise.sample_discrete_gaussian
    return lambda: [draw(np.random.default_rng(0), 1e6, 100) for _ in range(2)]
