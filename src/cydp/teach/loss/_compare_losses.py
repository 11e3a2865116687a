# SPDX-License-Identifier: MIT
"""The picture of lectures: the losses of several mechanisms side by side."""

from __future__ import annotations

from typing import Any

from cydp._arguments import Number
from cydp.teach._pictures import new_axes
from cydp.teach.loss._plots import check_losses, plot_loss
from cydp.teach.loss._privacy_loss import PrivacyLoss

__all__ = ["compare_losses"]


def compare_losses(*losses: PrivacyLoss, epsilon: Number = 1) -> Any:
    """Draw the losses of several mechanisms side by side, at one epsilon (extra ``plot``).

    The picture of lectures: Laplace noise has a loss within epsilon, Gaussian noise has a loss
    beyond it with a small probability.

    Parameters
    ----------
    *losses : PrivacyLoss
        Two to four.
    epsilon : number >= 0, default 1
        In nats.

    Returns
    -------
    ndarray of matplotlib Axes

    Raises
    ------
    TypeError, ValueError
        If losses are no PrivacyLoss, or fewer or more; for another epsilon.
    ImportError
        Without matplotlib.

    Examples
    --------
    >>> from cydp import Gaussian, Laplace
    >>> from cydp.teach import compare_losses, privacy_loss
    >>> noises = Laplace(epsilon=1, sensitivity=1), Gaussian(rho="1/2", sensitivity=1)
    >>> panels = compare_losses(*map(privacy_loss, noises), epsilon=1)  # doctest: +SKIP

    """
    check_losses(losses)
    if not 2 <= len(losses) <= 4:
        raise ValueError(f"losses must be from 2 to 4, not {len(losses)}")
    at = losses[0]._read_epsilon(epsilon)
    panels = new_axes(None, len(losses), sharey=True)
    limits = []
    for loss, ax in zip(losses, panels, strict=True):
        plot_loss(loss, at, ax, narrow=True)
        limits.append(ax.get_ylim())
    panels[0].set_ylim(min(low for low, _ in limits), max(high for _, high in limits))
    for ax in panels[1:]:
        ax.set_ylabel("")
    return panels
