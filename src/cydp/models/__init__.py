# SPDX-License-Identifier: MIT
"""Private models: linear regression by noisy sufficient statistics, and its private error."""

from __future__ import annotations

from cydp.models._linear_regression import LinearRegression, linear_regression
from cydp.models._validated_error import ErrorRelease, validated_error

__all__ = ["ErrorRelease", "LinearRegression", "linear_regression", "validated_error"]


def __dir__() -> list[str]:
    return __all__
