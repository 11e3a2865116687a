# SPDX-License-Identifier: MIT
"""Releases of a secret random share of the rows, what they cost, and shares that are published."""

from __future__ import annotations

from cydp.sampling._amplified import Sampled, amplified, loss_on_sample
from cydp.sampling._on_sample import on_sample
from cydp.sampling._sample_release import SampleRelease, WholeEstimate

__all__ = [
    "SampleRelease",
    "Sampled",
    "WholeEstimate",
    "amplified",
    "loss_on_sample",
    "on_sample",
]


def __dir__() -> list[str]:
    return __all__
