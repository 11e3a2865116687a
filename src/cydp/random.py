# SPDX-License-Identifier: MIT
"""Exact noise from a cryptographic generator.

The functions are methods of the calling thread's own `Generator`.
"""

from __future__ import annotations

from cydp._default_generator import default, generator_or_default
from cydp._generator import Generator
from cydp._prefetch import Prefetch

__all__ = [
    "Generator",
    "Prefetch",
    "bernoulli",
    "discrete_gaussian",
    "discrete_laplace",
    "generator_or_default",
]


def __dir__() -> list[str]:
    return __all__


discrete_laplace = default.discrete_laplace
discrete_gaussian = default.discrete_gaussian
bernoulli = default.bernoulli
