"""Runs beside OpenDP: its measurement and ours, alone and behind its transformations."""

import importlib.metadata

import opendp.prelude as dp
from opendp_measurement import make_laplace

from cydp.testing import SeededGenerator

VECTOR = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
OTHERS = {
    "floats": (dp.vector_domain(dp.atom_domain(T="f64", nan=False)), dp.l1_distance(T="f64")),
    "one number": (dp.atom_domain(T="i64"), dp.absolute_distance(T="i64")),
    "L2": (dp.vector_domain(dp.atom_domain(T="i64")), dp.l2_distance(T="f64")),
}
COLOURS = ["red", "green", "blue"]


def version():
    return lambda: importlib.metadata.version("opendp")


def measurement(which, scale, space=VECTOR, seed=None):
    if which == "before":
        return dp.m.make_laplace(*space, scale)
    return make_laplace(*space, scale, rng=None if seed is None else SeededGenerator(seed))


def release(which, scale, values, seed=None):
    made = measurement(which, scale, seed=seed)
    return lambda: made(values)


def losses(which, scale, distances):
    """Tell the epsilon of each distance."""
    made = measurement(which, scale)
    return lambda: [made.map(distance) for distance in distances]


def counts(which, scale, words, distance, seed=None):
    """Count words by category, add noise, and clamp: OpenDP's before and behind ours."""
    space = dp.vector_domain(dp.atom_domain(T=str)), dp.symmetric_distance()
    counted = space >> dp.t.then_count_by_categories(COLOURS, null_category=False, TOA="i64")
    made = measurement(which, scale, (counted.output_domain, counted.output_metric), seed)
    chain = counted >> made >> (lambda noisy: [max(count, 0) for count in noisy])
    return lambda: (chain(words), chain.map(distance), chain.check(distance, distance / scale))


def errors(which, calls):
    """Tell what is raised: by a scale, a space, an input, a distance."""

    def outcome(call):
        space = OTHERS.get(call.get("space"), VECTOR)
        try:
            made = measurement(which, call.get("scale", 2.0), space)
            made.map(call.get("distance", 1))
            made(call.get("values", [1]))
        except Exception as error:
            return type(error).__name__, str(error)
        return "nothing", ""

    return lambda: [outcome(call) for call in calls]
