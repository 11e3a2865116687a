# SPDX-License-Identifier: MIT
"""How keys that are not public are selected: by a threshold on their counts, or before them.

docs/releases/key_selection.md says which way is taken, and why both are private.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

from cydp._numbers.rational import as_exact
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._loss import ZCDP, ApproxDP, Loss
from cydp.accounting._loss_numbers import epsilon_of_pure
from cydp.mechanisms._count_threshold import CountThreshold
from cydp.mechanisms._partition_selection import PartitionSelection
from cydp.releases._noise_split import Part
from cydp.releases._terms import Split, fitting, losses_by_noise
from cydp.releases._unit import Unit

__all__ = [
    "KEYS",
    "OPTIMAL",
    "THRESHOLD",
    "Selecting",
    "by_least_noise",
    "read_rules",
    "select_by_count",
    "select_first",
    "words_of_selection",
]

KEYS = "keys"  # the name of the weight for the selection of keys
THRESHOLD, OPTIMAL = "threshold", "optimal"


Parts: TypeAlias = Callable[[Loss], tuple[Mapping[str, Part], float]]
"""Returns the parts that cost a loss together, and the logarithm of their noise."""


class Selecting(NamedTuple):
    """A selection of keys, beside the parts that are released of those that are kept.

    Attributes
    ----------
    mechanism : PartitionSelection or CountThreshold
    privacy : loss
        What the parts may cost together.
    noise : float
        How far the release is from the exact answers: `log_noise` of the parts, and the logarithm
        of the square of the least count, in rows, of which half of the keys are kept.

    """

    mechanism: PartitionSelection | CountThreshold
    privacy: Loss
    noise: float


def read_rules(
    selection: Any, n_keys: int | None, has_count: bool, split: Split | None
) -> tuple[str, ...]:
    """Return the rules by which keys may be selected, of which the least noisy one is taken.

    Raises
    ------
    TypeError, ValueError
        If selection is none of the rules, or does not fit the other arguments.

    """
    if selection not in (None, THRESHOLD, OPTIMAL):
        raise ValueError(
            f"selection must be {THRESHOLD!r} or {OPTIMAL!r}, or left out, not {selection!r}"
        )
    if selection is not None and n_keys is not None:
        raise TypeError("selection is of keys that are not public: leave it or keys out")
    if selection == THRESHOLD and not has_count:
        raise TypeError("count must be True with selection='threshold', which is one of counts")
    if selection is not None:
        return (selection,)
    gives_weight = isinstance(split, Mapping) and KEYS in split
    if n_keys is not None or not has_count or gives_weight:
        return (OPTIMAL,)
    return THRESHOLD, OPTIMAL


def by_least_noise(build: Callable[[Any], Any], rules: Sequence[Any]) -> Any:
    """Return the query with the least `selection_noise`: one is built by each of the rules."""
    found = fitting(rules, build)  # a table of probabilities may be too long, or a scale too small
    return found[0] if len(found) == 1 else min(found, key=lambda query: query.selection_noise)


def select_first(
    privacy: ApproxDP | ApproxZCDP,
    unit: Unit,
    noise: str | None,
    share: Fraction,
    parts_of: Parts,
) -> Selecting:
    """Return the optimal selection, which takes a share of the privacy before the parts.

    It needs a delta, and takes all of it beside rho, or if the parts have less noise without one.
    """
    if unit.promised and unit.max_rows > 1:
        raise ValueError(
            "keys that are not public need user= for selection='optimal': max_rows_per_unit does "
            "not tell how many units there are in each key"
        )
    rest, relation = 1 - share, unit.relation
    # Unless under "add-remove", the mechanism itself takes twice as many.
    reached = unit.most_reached // (1 if relation == "add-remove" else 2)

    def select(option: tuple[float, Loss]) -> Selecting:
        noisy, loss = option
        of_parts = rest if isinstance(loss, ApproxDP) else 0  # of the delta
        mechanism = PartitionSelection(
            epsilon=_epsilon_of_share(privacy, share),
            delta=privacy.delta * (1 - of_parts),
            max_partitions=reached,
            relation=relation,
        )
        half = mechanism.half_kept * unit.max_rows
        return Selecting(mechanism, loss, noisy + 2 * math.log(half))

    if not rest:
        return select((0.0, privacy))
    losses = _losses_of_parts(privacy, rest, privacy.delta * rest, noise)
    found = fitting(losses, lambda loss: (parts_of(loss)[1], loss))
    least, *others = sorted(found, key=lambda option: option[0])
    try:
        return select(least)
    except ValueError:  # with all of delta, or a part of it, a table of probabilities may fit
        if not others:
            raise
        return select(*others)


def _epsilon_of_share(privacy: ApproxDP | ApproxZCDP, share: Fraction) -> Fraction:
    """Return the epsilon of a selection that has a share of epsilon or rho."""
    if isinstance(privacy, ApproxZCDP):
        return epsilon_of_pure(privacy.rho * share)
    return privacy.epsilon * share


def _losses_of_parts(
    privacy: ApproxDP | ApproxZCDP, share: Fraction, delta: Fraction, noise: str | None
) -> tuple[Loss, ...]:
    """Return the losses that parts may have, by their noise: a share of epsilon, or of rho.

    Beside epsilon Gaussian noise takes a delta, too.
    """
    relation = privacy.relation
    if isinstance(privacy, ApproxZCDP):
        return losses_by_noise(ZCDP(as_exact(privacy.rho * share), relation=relation), noise)
    both = ApproxDP(as_exact(privacy.epsilon * share), as_exact(delta), relation=relation)
    return losses_by_noise(both, noise)


def select_by_count(
    privacy: ApproxDP | ApproxZCDP,
    unit: Unit,
    noise: str | None,
    counts: str,
    parts_of: Parts,
) -> Selecting:
    """Return a threshold on noisy counts, which are one of the parts and take no share.

    Gaussian noise needs a half of delta, unless it costs rho.
    """
    half = as_exact(privacy.delta / 2)

    def select(loss: Loss) -> Selecting:
        delta = half if isinstance(loss, ApproxDP) else privacy.delta
        parts, noisy = parts_of(loss)
        mechanism = CountThreshold(parts[counts].noise, delta, unit.max_partitions, unit.max_rows)
        return Selecting(mechanism, loss, noisy + 2 * math.log(mechanism.threshold))

    losses = _losses_of_parts(privacy, Fraction(1), half, noise)
    return min(fitting(losses, select), key=lambda each: each.noise)


def words_of_selection(mechanism: PartitionSelection | CountThreshold) -> str:
    """Return what a release says of how its keys were selected."""
    if isinstance(mechanism, CountThreshold):
        return f"keys with a noisy count of {mechanism.threshold:,} or more"
    return f"{type(mechanism).__name__} of keys"
