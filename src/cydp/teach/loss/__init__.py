# SPDX-License-Identifier: MIT
"""The privacy loss as a random variable: its distribution, its delta, and their pictures."""

from __future__ import annotations

from cydp.teach.loss._compare_losses import compare_losses
from cydp.teach.loss._privacy_loss import PrivacyLoss, privacy_loss

__all__ = ["PrivacyLoss", "compare_losses", "privacy_loss"]


def __dir__() -> list[str]:
    return __all__
