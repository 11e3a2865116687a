# SPDX-License-Identifier: MIT
"""What losses mean, as pictures: beliefs before and after, odds, and tests."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from cydp._call_errors import explain_arguments
from cydp._extras import EPSILON, ink_of, with_letters
from cydp._numbers.rational import float_of
from cydp.accounting import Plan, PureDP, loss_of
from cydp.teach._pictures import HATCHES, TIMES, draw_line, new_axes, set_numbers, set_words
from cydp.teach.meaning._curves import CostOrPlan, label_of, question_about, read_curve
from cydp.teach.meaning._trade_off import draw_trade_offs

__all__ = ["beliefs", "odds", "trade_offs"]

_MOST_LINES = len(HATCHES) - 1
_LARGEST = Fraction(10**300)  # factor of odds; beyond it the picture is the same
_USUAL = tuple(PureDP(epsilon, relation="add-remove") for epsilon in ("0.1", 1, 3))


@explain_arguments
def beliefs(*losses: CostOrPlan, ax: Any = None, about: str | None = None) -> Any:
    """Draw the least and the largest belief after a release, over the belief before it.

    Parameters
    ----------
    *losses : loss, mechanism, release or Plan
        Up to 5, of pure differential privacy: a delta above 0 bounds no single output. For groups
        and for several releases give ``cydp.group_privacy(loss, k)`` and
        ``cydp.accounting.sequential(...)``.
        Default: epsilon 0.1, 1 and 3.
    ax : matplotlib Axes, optional
        Default: axes of a new figure.
    about : {"presence", "value"}, optional
        As in `cydp.teach.expected_change`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> import cydp
    >>> from cydp.teach import figures
    >>> figures.beliefs(cydp.PureDP(1), cydp.group_privacy(cydp.PureDP(1), 3)).get_xlabel()
    'belief before the release (probability)'

    """
    chosen = _read(losses)
    factors = [_factor(loss, about) for loss in chosen]
    if None in factors:
        raise ValueError(
            "losses must be of pure differential privacy: with a delta above 0 one output may tell "
            "all; cydp.teach.figures.trade_offs draws what still holds"
        )
    ax = new_axes(ax, size=(5.6, 5.2))
    x = np.linspace(0, 1, 201)
    labels, question = _labels(chosen, about)
    for number, (label, factor) in enumerate(zip(labels, factors, strict=True)):
        assert factor is not None
        high, low = (
            x * each / (x * each + (1 - x)) for each in (float_of(factor), float_of(1 / factor))
        )
        draw_line(ax, x, high, label, number)
        draw_line(ax, x, low, f"_{label}", number)
    draw_line(ax, x, x, "nothing learned", 5, color=ink_of(ax), linestyle=":", linewidth=1)
    set_words(
        ax,
        "No output moves a belief beyond its lines"
        + (f". The question:\n{question}" if question else ""),
        "belief before the release (probability)",
        "belief after it (probability)",
    )
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1)
    ax.legend(
        loc="upper left", bbox_to_anchor=(0, -0.13), ncols=3 if question else 1, frameon=False
    )
    return ax


@explain_arguments
def trade_offs(*losses: CostOrPlan, ax: Any = None, about: str | None = None) -> Any:
    """Draw the most true positives of any test over its false positives, for several losses.

    Parameters
    ----------
    *losses : loss, mechanism, release or Plan
        Up to 5. Default: epsilon 0.1, 1 and 3.
    ax : matplotlib Axes, optional
        Default: axes of a new figure.
    about : {"presence", "value"}, optional
        As in `cydp.teach.expected_change`.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    ImportError
        Without matplotlib.
    TypeError, ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> import cydp
    >>> from cydp.teach import figures
    >>> figures.trade_offs(cydp.PureDP(1), cydp.ZCDP(0.5)).get_ylabel()
    'rate of true positives (probability)'

    """
    chosen = _read(losses)
    labels, question = _labels(chosen, about)
    curves = [read_curve(loss, None, about) for loss in chosen]
    return draw_trade_offs(list(zip(labels, curves, strict=True)), question, ax)


@explain_arguments
def odds(ax: Any = None) -> Any:
    """Draw the factor by which odds move over epsilon, for one person and for groups.

    Parameters
    ----------
    ax : matplotlib Axes, optional
        Default: axes of a new figure.

    Returns
    -------
    matplotlib Axes
        e**(k epsilon) for k = 1, 2 and 5: of a group of k people, and of k releases. 2 is also that
        of two values of one person under "add-remove". A line marks what a lecture says of
        epsilon 10: 22,026.

    Raises
    ------
    ImportError
        Without matplotlib.

    Examples
    --------
    >>> from cydp.teach import figures
    >>> figures.odds().get_ylabel()
    'factor of the odds'

    """
    ax = new_axes(ax)
    x = np.geomspace(0.01, 20, 200)
    for number, k in enumerate((1, 2, 5)):
        label = "one person, one release" if k == 1 else f"{k} people, or {k} releases"
        draw_line(ax, x, np.exp(k * x), label, number)
    for epsilon in (1, 10):
        factor = math.exp(epsilon)
        written = f"{factor:,.{2 if factor < 100 else 0}f}"
        ax.plot(epsilon, factor, "o", color="C0")
        ax.annotate(
            f"{EPSILON} = {epsilon}: {TIMES} {written}", (epsilon, factor),
            xytext=(8, -6), textcoords="offset points", va="top", color=ink_of(ax),
        )  # fmt: skip
    set_words(
        ax,
        f"By how much one output may move the odds:\nlittle for a small {EPSILON}, and soon by far "
        "too much",
        f"{EPSILON} of one release for one person (nats)",
        "factor of the odds",
    )
    ax.set_xscale("log")
    ax.set_yscale("log")
    set_numbers(ax.xaxis)
    ax.set_xlim(0.01, 300)
    ax.set_ylim(0.05, 1e9)
    ax.legend(loc="upper left")
    return ax


def _read(losses: tuple[CostOrPlan, ...]) -> tuple[CostOrPlan, ...]:
    if len(losses) > _MOST_LINES:
        raise ValueError(f"losses must be at most {_MOST_LINES}, not {len(losses)}")
    return losses or _USUAL


def _labels(losses: Sequence[CostOrPlan], about: str | None) -> tuple[list[str], str]:
    """Return a label for each loss, and the question of all; where they differ labels say it."""
    labels = [with_letters(label_of(loss)) for loss in losses]
    questions = [question_about(loss, about) for loss in losses]
    if len(set(questions)) == 1:
        return labels, questions[0]
    named = zip(labels, questions, strict=True)
    return [f"{label},\n{question}" for label, question in named], ""


def _factor(loss: CostOrPlan, about: str | None) -> Fraction | None:
    """Return the largest factor by which one output moves odds; None if nothing bounds it."""
    factor = read_curve(loss, None, about).factor
    if factor is None and not isinstance(loss, Plan) and isinstance(loss_of(loss), PureDP):
        factor = _LARGEST  # e**epsilon, for an epsilon too large to compute it
    return None if factor is None else min(factor, _LARGEST)
