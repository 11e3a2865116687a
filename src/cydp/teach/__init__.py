# SPDX-License-Identifier: MIT
"""Lessons: what a privacy loss is and means, attacks beside defences, errors, and figures."""

from __future__ import annotations

from cydp.teach import attacks
from cydp.teach.loss._compare_losses import compare_losses
from cydp.teach.loss._privacy_loss import PrivacyLoss, privacy_loss

__all__ = ["PrivacyLoss", "attacks", "compare_losses", "privacy_loss"]


def __dir__() -> list[str]:
    return __all__
