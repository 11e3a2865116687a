# SPDX-License-Identifier: MIT
"""What a release costs. Knows nothing of noise."""

from cydp.accounting.loss import PureDP

__all__ = ["PureDP"]
