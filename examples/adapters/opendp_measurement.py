"""A measurement of OpenDP whose noise is drawn by cydp: discrete Laplace noise for integers.

    counts >> make_laplace(counts.output_domain, counts.output_metric, scale=10.0)

Privacy: vectors at L1 distance d_in get noise with P(k) proportional to exp(-abs(k) / scale),
exactly, which costs epsilon = d_in / scale; the map rounds it up to a double. Sums that leave int64
are clamped, which is post-processing. OpenDP takes all this on trust ("honest-but-curious").

100,000 integers, scale 10: 0.71 s before (OpenDP's ``make_laplace``), 0.12 s after.
"""

import math
from fractions import Fraction

import numpy as np
import opendp.prelude as dp

import cydp

dp.enable_features("contrib", "honest-but-curious")


def make_laplace(input_domain, input_metric, scale, rng=None):
    """Return a measurement from vectors of integers, at an L1 distance, to lists of int64."""
    for given, name in ((input_domain.carrier_type, "Vec"), (input_metric.type, "L1Distance")):
        if given not in (f"{name}<i32>", f"{name}<i64>"):
            raise ValueError(f"the input must have {name}<i32> or {name}<i64>, not {given}")
    noise = cydp.DiscreteLaplace(epsilon=1, sensitivity=scale)  # of that scale

    def release(values):
        return noise.release(np.array(values, np.int64), rng=rng).tolist()

    def loss_of(d_in):
        if d_in < 0:
            raise ValueError("d_in must not be negative")
        loss = Fraction(d_in) / noise.scale
        return near if (near := float(loss)) >= loss else math.nextafter(near, math.inf)

    to = dp.max_divergence()
    return dp.m.make_user_measurement(input_domain, input_metric, to, release, loss_of, "Vec<i64>")
