"""Runs beside smartnoise-sql: queries, and mechanisms alone."""

import importlib.metadata
import itertools
import warnings

import numpy as np
import pandas as pd
from smartnoise_sql_mechanisms import exact_mechanisms
from snsql.sql.privacy import Mechanism, Mechanisms, Privacy, Stat
from snsql.sql.private_reader import PrivateReader

from cydp.testing import SeededGenerator

TABLE = {
    "row_privacy": True, "censor_dims": False, "clamp_counts": False,
    "g": {"type": "int"}, "x": {"type": "int", "lower": 0, "upper": 100},
    "y": {"type": "float", "lower": -20.0, "upper": 10.5},
}  # fmt: skip


class NoNoise:
    """A generator with noise of 0: the released number is then the rounded value."""

    def discrete_laplace_iter(self, scale):
        return itertools.repeat(0)

    discrete_gaussian_iter = discrete_laplace_iter


def version():
    return lambda: importlib.metadata.version("smartnoise-sql")


def table_of(which, seed=None):
    if which == "before":
        return Mechanisms()
    return exact_mechanisms(None if seed is None else SeededGenerator(seed))


def reader(which, groups, rows, kind, *, seed=None, **options):
    """Return a reader of `groups` groups of as many rows, and the exact answers."""
    rng, n = np.random.default_rng(0), groups * rows
    people = pd.DataFrame({
        "g": np.repeat(np.arange(groups), rows), "x": rng.integers(0, 101, n),
        "y": rng.uniform(-20, 10.5, n), "id": np.arange(n),
    })  # fmt: skip
    mechanisms = table_of(which, seed)
    if kind == "gaussian":
        mechanisms.map = dict.fromkeys(Stat, Mechanism.gaussian)
    privacy = Privacy(epsilon=1.0, delta=1e-6, mechanisms=mechanisms)
    metadata = {"": {"t": {"t": {"rows": n, **TABLE, **options}}}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = PrivateReader.from_connection(people, privacy=privacy, metadata=metadata)
    return found, people


def query(which, groups, rows, kind, sql, seed=None, censor_dims=False):
    """Execute a query; its rows come back without their header."""
    host, _ = reader(which, groups, rows, kind, seed=seed, censor_dims=censor_dims)
    return lambda: host.execute(sql)[1:]


def exact(groups, rows):
    """Count and sum without noise."""
    _, people = reader("before", groups, rows, "laplace")
    sums = people.groupby("g")[["x", "y"]].sum()
    return lambda: (sums["x"].to_numpy(), sums["y"].to_numpy())


def cost(which, sql):
    host, _ = reader(which, 3, 3, "laplace")

    def spent():
        host.execute(sql)
        return host.get_privacy_cost(sql), host.odometer.spent

    return spent


def mechanism(which, kind, seed, parameters):
    """Make a mechanism as the host does for a count of keys, from its table."""
    generator = NoNoise() if seed is None else SeededGenerator(seed)
    table = Mechanisms() if which == "before" else exact_mechanisms(generator)
    made = table.classes[Mechanism[kind]](**parameters)
    made.delta = parameters["delta"]
    return made


def parameters(which, kind, given):
    """Tell what a mechanism made of its parameters."""
    made = mechanism(which, kind, 0, given)
    names = ("epsilon", "delta", "sensitivity", "max_contrib", "scale", "threshold")
    found = {name: getattr(made, name) for name in names}
    return lambda: found | {"step": getattr(made, "step", None), "accuracy": made.accuracy(0.05)}


def released(which, kind, seed, values, given):
    """Release cells one by one, as the host does."""
    made = mechanism(which, kind, seed, given)
    return lambda: np.array([made.release([value])[0] for value in values])


def error(which, kind, given):
    try:
        mechanism(which, kind, 0, given)
    except Exception as raised:
        name = type(raised).__name__
        return lambda: name
    return lambda: "nothing"
