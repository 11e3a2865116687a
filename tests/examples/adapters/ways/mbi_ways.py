"""Runs beside mbi's release; a stand-in has the interface of what it lacks."""

import importlib.metadata
import itertools

import numpy as np
from mbi import Dataset, Domain, LinearMeasurement, estimation
from mbi_generator import IntegerNoise

from cydp.testing import SeededGenerator

SHAPE = (6, 5, 4)


class Mechanism:
    """The part of the base class of mbi's mechanisms that draws noise from its generator."""

    def __init__(self, prng=np.random):
        self.prng = prng

    def gaussian_noise(self, sigma, size):
        return self.prng.normal(0, sigma, size)

    def laplace_noise(self, b, size):
        return self.prng.laplace(0, b, size)

    def exponential_mechanism(self, qualities, epsilon, sensitivity=1.0):
        weights = np.exp(0.5 * epsilon / sensitivity * (qualities - qualities.max()))
        return self.prng.choice(len(qualities), p=weights / weights.sum())


def release():
    """Tell the version of the host, and its files."""
    files = [str(file) for file in importlib.metadata.files("mbi") or ()]
    return lambda: (importlib.metadata.version("mbi"), files)


def generator(which, seed=None):
    if which == "before":
        return np.random.default_rng(seed)
    return IntegerNoise(None if seed is None else SeededGenerator(seed))


def marginals(which, count, cells, scale):
    """Draw the noise of many marginals."""
    host = Mechanism(generator(which))
    return lambda: [len(host.gaussian_noise(scale, cells)) for _ in range(count)]


def noise(which, kind, seed, scale, size):
    host = Mechanism(generator(which, seed))
    return lambda: getattr(host, f"{kind}_noise")(scale, size)


def choices(seed, count):
    """Choose between qualities 0 and 2 at epsilon 1: the second with chance 1 / (1 + 1/e)."""
    host = Mechanism(generator("after", seed))
    return lambda: sum(host.exponential_mechanism(np.array([0, 2]), 1) for _ in range(count))


def estimate(which, seed, rows, sigma):
    """Measure all pairs of attributes, and let the host estimate the marginals from them.

    Returns the exact, the measured and the estimated marginals, and that of another pair.
    """
    rng, host = np.random.default_rng(0), Mechanism(generator(which, seed))
    first = rng.integers(0, SHAPE[0], rows)
    data = {"a": first, "b": (first + rng.integers(0, 2, rows)) % SHAPE[1],
            "c": rng.integers(0, SHAPE[2], rows)}  # fmt: skip
    table = Dataset(data, Domain(tuple(data), SHAPE))
    pairs = list(itertools.combinations(data, 2))

    def run():
        exact = [table.project(pair).datavector() for pair in pairs]
        measured = [x + host.gaussian_noise(sigma, x.size) for x in exact]
        given = [LinearMeasurement(y, pair, sigma) for y, pair in zip(measured, pairs, strict=True)]
        model = estimation.MirrorDescent().estimate(table.domain, given, iters=200)
        found = [np.asarray(model.project(pair).datavector()) for pair in pairs]
        return [np.asarray(x) for x in exact], [np.asarray(y) for y in measured], found

    return run


def calls(arguments):
    """Tell what each call of `normal` and of `laplace` returns or raises."""

    def outcome(draw, given):
        try:
            drawn = draw(**given)
        except Exception as error:
            return type(error).__name__
        return drawn.dtype.str, drawn.shape

    prng = generator("after", 1)
    return lambda: [outcome(f, given) for f in (prng.normal, prng.laplace) for given in arguments]
