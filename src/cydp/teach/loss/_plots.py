# SPDX-License-Identifier: MIT
"""Pictures of a privacy loss (extra ``plot``). docs/teach/loss.md, "Pictures"."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from cydp._extras import DELTA, EPSILON, ink_of, with_letters
from cydp.teach._pictures import draw_fill, draw_line, draw_lollipops, new_axes, set_words

if TYPE_CHECKING:
    from cydp.teach.loss._privacy_loss import PrivacyLoss

__all__ = ["check_losses", "plot_area", "plot_curve", "plot_delta", "plot_loss"]

_MOST_CURVES = 6
_LIMIT = 400.0  # nats: no loss is drawn beyond it, and each epsilon that is drawn is below
_SHOWN = 0.999  # of the outputs, in a picture of both distributions
_APART = 0.07  # of two stems
_FEW = 40  # outputs, which are drawn as points
_RARE = 0.002  # share of the outputs at each end that do not stretch an axis
_NARROW = 7.0  # nats: a shorter axis has ticks at 1, 2, 5
_FLAT = 1.5  # nats: a still shorter one would have too few of these
_BINS = 400
_FEW_BINS = 60  # of losses of several releases, which may be close together
_CURVE_POINTS = 161
_MATH = "\\varepsilon"  # in formulas, as the letter of words
_LEAST = 1e-10  # delta that is drawn
_FACE_ALPHA = 0.85


def plot_loss(loss: PrivacyLoss, epsilon: float, ax: Any, *, narrow: bool = False) -> Any:
    """Draw e**L over the probability under P, from the largest loss on."""
    ax = new_axes(ax)
    above, losses = _ordered(loss)
    share, delta = loss.sf(epsilon), loss.delta(epsilon)
    draw_line(ax, above, np.exp(losses), f"$e^{{L}}$ of the outputs{_kind(loss)}", 0)
    ax.axhline(
        math.exp(epsilon),
        color=ink_of(ax),
        linewidth=1.4,
        linestyle="--",
        label=f"$e^{{{_MATH}}}$, {EPSILON} = {epsilon:.4g}",
    )
    if share > 0:
        x, y = _until(above, losses, share)
        words = f"P(L > {EPSILON}) = {share:.4g}"
        if loss.distinguishing:
            words += f"\n(L is infinite: {loss.distinguishing:.4g})"
        draw_fill(ax, x, math.exp(epsilon), np.exp(y), words, 1)
    ends = np.searchsorted(above, _RARE), np.searchsorted(above, 1 - _RARE, "right") - 1
    usual = losses[min(ends) : max(ends) + 1]
    usual = usual[np.abs(usual) < _LIMIT]
    low, high = min(usual.min(initial=0), -epsilon), max(usual.max(initial=0), epsilon)
    room = 0.12 * (high - low) or 0.1
    ax.set_yscale("log")
    ax.set_ylim(math.exp(low - room), math.exp(high + (3 if loss.distinguishing else 1) * room))
    if high - low < _NARROW:
        _set_plain_ticks(ax, high - low < _FLAT)
    ax.set_xlim(0, 1)
    lesson = (
        f"the loss stays within {EPSILON} = {epsilon:.4g};"
        if share == 0
        else f"the loss is beyond {EPSILON} = {epsilon:.4g} with probability {share:.4g};"
    )
    between = "\n" if narrow else " "
    set_words(
        ax,
        f"{_short(loss, 44 if narrow else 70)}:\n{lesson}{between}{DELTA} = {delta:.4g}",
        f"outputs by loss,{between}each as wide as its probability under P",
        "likelihood ratio P/Q (factor)",
    )
    ax.legend(framealpha=_FACE_ALPHA)
    return ax


def plot_area(loss: PrivacyLoss, epsilon: float, ax: Any) -> Any:
    """Draw 1 - e**(epsilon - L) over the probability under P: the area is delta."""
    ax = new_axes(ax)
    above, losses = _ordered(loss)
    share, delta = loss.sf(epsilon), loss.delta(epsilon)
    heights = np.maximum(-np.expm1(epsilon - losses), 0)
    draw_line(ax, above, heights, f"$\\max(1 - e^{{{_MATH} - L}}, 0)$", 0)
    draw_fill(ax, above, 0, heights, f"area: {DELTA} = {delta:.4g}", 1)
    ax.plot(
        [0, share, share], [1, 1, 0], color=ink_of(ax), linestyle=":", linewidth=1.2,
        label=f"rectangle: P(L > {EPSILON}) = {share:.4g}",
    )  # fmt: skip
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.45)
    ax.set_yticks(np.linspace(0, 1, 6))
    set_words(
        ax,
        f"{_short(loss)}:\n{DELTA} at {EPSILON} = {epsilon:.4g} is {delta:.4g}, an area within "
        f"P(L > {EPSILON})",
        "outputs by loss, each as wide as its probability under P",
        "part that counts (of probability)",
    )
    ax.legend(loc="upper right", framealpha=_FACE_ALPHA)
    return ax


def plot_delta(loss: PrivacyLoss, epsilon: float, ax: Any) -> Any:
    """Draw p and e**epsilon q over outputs."""
    ax = new_axes(ax)
    delta, factor = loss.delta(epsilon), math.exp(epsilon)
    x, p, q, names, unit = _outputs(loss)
    scaled = f"$e^{{{_MATH}}}$ Q, {EPSILON} = {epsilon:.4g}"
    is_few = len(x) <= _FEW and not loss.is_continuous
    if is_few:
        width = float(np.diff(x).min(initial=1.0))
        draw_lollipops(ax, x - _APART * width, p, f"P{_kind(loss)}", 0)
        draw_lollipops(ax, x + _APART * width, factor * q, scaled, 2)
        ax.set_xlim(x[0] - 0.6 * width, x[-1] + 0.6 * width)
    else:
        style = "default" if loss.is_continuous else "steps-mid"
        draw_line(ax, x, p, f"P{_kind(loss)}", 0, drawstyle=style)
        draw_line(ax, x, factor * q, scaled, 2, drawstyle=style)
    fill = {
        "label": f"area where P is above: {DELTA} = {delta:.4g}",
        "facecolor": ("C1", 0.35),
        "edgecolor": "C1",
        "hatch": "////",
    }
    more = p > factor * q * (1 + 1e-12)
    if is_few and more.any():
        ax.bar(x[more], (p - factor * q)[more], width, (factor * q)[more], zorder=0, **fill)
    elif not is_few:
        step = None if loss.is_continuous else "mid"
        ax.fill_between(x, factor * q, p, where=more, step=step, linewidth=0, **fill)
    if names is not None:
        ax.set_xticks(x, names)
    elif is_few and x.dtype.kind == "i":
        ax.set_xticks(x[:: -(-len(x) // 12)])
    ax.set_ylim(0, 1.4 * max(float(p.max()), min(factor * float(q.max()), 3 * float(p.max()))))
    set_words(
        ax,
        f"{_short(loss)}:\nwhere P is above $e^{{{_MATH}}}$ Q, the area between them is "
        f"{DELTA} = {delta:.4g}",
        loss._named.unit,
        unit,
    )
    ax.legend(framealpha=_FACE_ALPHA)
    return ax


def plot_curve(losses: Sequence[Any], ax: Any) -> Any:
    """Draw delta over epsilon on a logarithmic axis, with what is stated."""
    check_losses(losses)
    ax = new_axes(ax, size=(6.4, 4 + 0.25 * len(losses)))
    most = max(_reach(loss) for loss in losses)
    tops = [loss.supremum for loss in losses if math.isfinite(loss.supremum)]
    near = [top * (1 - np.logspace(-11, -1, 31)) for top in tops]  # where delta falls to 0
    epsilons = np.unique(np.concatenate([np.linspace(0, most, _CURVE_POINTS), *near]))
    for number, loss in enumerate(losses):
        deltas = loss.delta(epsilons)
        shown = np.where(deltas > 0, deltas, np.nan)
        draw_line(ax, epsilons, shown, _short(loss, 46), number)
        stated = loss.stated
        epsilon = getattr(stated, "epsilon", None)
        if epsilon is None:
            continue
        delta = float(getattr(stated, "delta", 0))
        ax.plot(
            [float(epsilon)], [max(delta, _LEAST)], "osD^vX"[number], color=f"C{number}",
            clip_on=False, zorder=3, markersize=7,
        )  # fmt: skip
    ax.set_yscale("log")
    ax.set_ylim(_LEAST, 1.5)
    ax.set_xlim(0, most)
    lesson = f"{DELTA} falls as {EPSILON} grows. Markers: stated (at the lower edge: {DELTA} = 0)"
    if len({_kind(loss) for loss in losses}) > 1:
        lesson += f"\nDiscrete: corners where {EPSILON} passes the loss of an output"
    set_words(ax, lesson, f"{EPSILON} (nats)", f"{DELTA} (probability)")
    ax.legend(loc="upper left", bbox_to_anchor=(0, -0.15), frameon=False)
    return ax


def check_losses(losses: Sequence[Any]) -> None:
    """Raise a TypeError or a ValueError for what is no PrivacyLoss, or for too many."""
    if len(losses) > _MOST_CURVES:
        raise ValueError(f"others must be at most {_MOST_CURVES - 1}, not {len(losses) - 1}")
    for loss in losses:
        if not hasattr(loss, "loss_of"):
            raise TypeError(
                "losses must be PrivacyLoss, as privacy_loss(mechanism) is, not "
                f"{type(loss).__name__}"
            )


def _ordered(loss: PrivacyLoss) -> tuple[Any, Any]:
    """Return the curve of losses, with no more points than can be seen."""
    above, losses = loss._pair.ordered()
    if len(above) > 2 * _BINS:
        wanted = np.linspace(0, 1, 2 * _BINS)
        at = np.unique(np.minimum(np.searchsorted(above, wanted), len(above) - 1))
        above, losses = above[at], losses[at]
    return above, np.clip(losses, -_LIMIT, _LIMIT)


def _until(above: Any, losses: Any, share: float) -> tuple[Any, Any]:
    """Return the part of a curve up to a probability."""
    inside = above <= share * (1 + 1e-12)
    x, y = above[inside], losses[inside]
    return np.append(x, share), np.append(y, y[-1])


def _set_plain_ticks(ax: Any, is_flat: bool) -> None:
    """Set ticks of a logarithmic axis at 1, 2, 5, 10 and so on, or where it is flat, evenly."""
    from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter

    ax.yaxis.set_major_locator(MaxNLocator(6) if is_flat else LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:.10g}"))
    ax.yaxis.set_minor_formatter(NullFormatter())


def _outputs(loss: PrivacyLoss) -> tuple[Any, Any, Any, list[str] | None, str]:
    """Return where outputs are drawn, p and q there, words for outputs, and the unit of p."""
    outputs, p, q = loss.outputs, loss.p, loss.q
    unit = "probability of an output"
    if isinstance(outputs, list):
        return np.arange(len(outputs)), p, q, outputs, unit
    finite = np.isfinite(outputs)
    order = np.argsort(outputs[finite])
    outputs, p, q = (each[finite][order] for each in (outputs, p, q))
    left = (1 - _SHOWN) / 2
    sums = [np.cumsum(each) / (each.sum() or 1.0) for each in (p, q)]
    low = min(int(np.searchsorted(each, left)) for each in sums)
    high = max(int(np.searchsorted(each, 1 - left)) for each in sums)
    inside = slice(max(low - 1, 0), high + 2)
    outputs, p, q = outputs[inside], p[inside], q[inside]
    if loss.is_continuous:
        return outputs, p, q, None, "density (per unit of the output)"
    is_sum = outputs.dtype.kind == "f"
    if len(outputs) <= (_FEW_BINS if is_sum else _BINS):
        return outputs, p, q, None, unit
    if is_sum:
        edges = np.linspace(outputs[0], outputs[-1], _FEW_BINS + 1)
        bins = np.clip(np.searchsorted(edges, outputs, "right") - 1, 0, _FEW_BINS - 1)
        middles, unit = (edges[1:] + edges[:-1]) / 2, f"probability (of {_FEW_BINS} equal bins)"
        scale = 1
    else:
        each = -(-len(outputs) // _BINS)
        kept = len(outputs) // each * each
        outputs, p, q = outputs[:kept], p[:kept], q[:kept]
        bins = np.arange(kept) // each
        middles, scale = outputs[::each] + (each - 1) / 2, each
        unit = f"probability of an output (mean of {each})"
    p, q = (np.bincount(bins, masses) / scale for masses in (p, q))
    return middles, p, q, None, unit


def _reach(loss: PrivacyLoss) -> float:
    """Return an epsilon up to which a curve is worth drawing."""
    if math.isfinite(loss.supremum):
        return 1.1 * loss.supremum + 0.1
    deltas = (1e-8, 1e-4, 2 * loss.distinguishing, 0.5)
    found = [loss.epsilon(each) for each in deltas if loss.distinguishing < each < 1]
    finite = [each for each in found if math.isfinite(each)]
    return max(finite[0] if finite else 1.0, 1.0)


def _kind(loss: PrivacyLoss) -> str:
    """Return words for a law that is not continuous, beside which a continuous one may stand."""
    if loss.is_continuous:
        return ""
    return " (on a grid)" if loss.rounding else " (discrete)"


def _short(loss: PrivacyLoss, width: int = 70) -> str:
    name = loss.name.split(":")[0] if len(loss.name) > width else loss.name
    return with_letters(name if len(name) <= width else name[: width - 3] + "...")
