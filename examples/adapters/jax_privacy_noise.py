"""jax_privacy's ``sample_discrete_gaussian`` with exact noise, for int64 and int32 alone.

    from jax_privacy.experimental import discrete_gaussian
    discrete_gaussian.sample_discrete_gaussian = sample_discrete_gaussian

The function is in jax_privacy's repository, not in its release 2.0.0. So it is tested against a
stand-in: a function with the same signature and method, written anew.

Privacy: for integer sums of L2 sensitivity D, rho = D**2 / (2 sigma**2) in zCDP. The host's
probabilities are doubles, whose errors it adds to delta; here they are exact.

5 steps of 200,001 parameters: 0.31 s before (the stand-in on RDRAND), 1.9 ms after.
"""

import numpy as np

import cydp


def sample_discrete_gaussian(rng, sigma, size, oversample=None, dtype=np.int64):
    """Return integers with P(k) proportional to exp(-k**2 / (2 sigma**2)), of shape (size,).

    `rng` is used if it is a `cydp.Generator`, or ``np.random.Generator(cydp.Generator())``, which
    can draw the host's batches as well. Any other is left alone: the noise then comes from this
    thread's own generator, keyed by the operating system. `oversample` is only checked.
    """
    if np.dtype(dtype) not in (np.int64, np.int32):  # narrower noise would wrap, and then not hide
        raise ValueError(f"dtype must be int64 or int32, got {dtype}.")
    if size <= 0:
        raise ValueError("size must be positive.")
    if sigma < 0:
        raise ValueError("sigma must not be negative.")
    if sigma == 0:
        return np.zeros(size, dtype)
    if oversample is not None and oversample <= 0:
        raise ValueError("oversample must be positive.")
    source = getattr(rng, "bit_generator", rng)
    source = source if isinstance(source, cydp.Generator) else cydp  # which draws as one does
    return source.discrete_gaussian(float(sigma), out=np.empty(size, dtype))
