# SPDX-License-Identifier: MIT
"""Who draws the noise of a release, and who pays for it.

The order of every release: what is public is checked, the budget is charged durably, the data is
read, noise is drawn. What was checked and charged is what is read, or an error before any noise.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.pandas import is_series
from cydp._generator import Generator, generator_or_default
from cydp.accounting._amounts import loss_of_amount, repeat_amount
from cydp.accounting._budget import Spendable
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._describe_argument import describe_argument
from cydp.accounting._errors import UnknownBlockError
from cydp.accounting._filter import PrivacyFilter
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._odometer import PrivacyOdometer
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._receipt import note_charge
from cydp.accounting.ledger._scope import LedgerScope

__all__ = ["Budget", "paid"]

Budget: TypeAlias = PrivacyFilter | BudgetLedger | LedgerScope

_INSTEAD_OF_A_BUDGET = (  # what is passed by mistake, and what to do
    (str | os.PathLike, "open a ledger by its path with BudgetLedger.open"),
    (PureDP | ApproxDP | ZCDP, "make one PrivacyFilter of the loss, and pass it to every release"),
    (PrivacyOdometer, "it cannot refuse, so call its charge beside the release"),
)


def paid(
    cost: Cost,
    draw: Callable[[Generator], NDArray[Any]],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    budget: Budget | None,
    rng: Generator | None,
    *,
    count: int = 1,
    function: str | None = None,
    arguments: Any = None,
    relation: str | None = None,
) -> NDArray[Any]:
    """Charge a budget, if there is one, and return what is drawn.

    For blocks of a ledger with a charge id, return what was recorded if it was paid before.

    Parameters
    ----------
    cost : mechanism
        What the release costs, `count` times.
    draw : callable
        Reads the data and returns an array of that shape and dtype, with noise from a generator.
    shape, dtype
    budget, rng
        Of the release, not checked yet; everything else is.
    function : str, optional
        What releases; default: the mechanism.
    arguments : object, optional
        What is public, and no part of `cost`: an array, a Series whose index is, or what JSON can
        hold.
    relation : str, optional
        What the cost is stated under, if that is known.

    Raises
    ------
    TypeError
        If `rng` is no Generator, or a seeded one while a budget is given, or for a bad `budget`.
    PrivacyError
        If the budget refuses, or is kept under another relation; then nothing was charged.

    """
    generator = generator_or_default(rng)
    if budget is None:
        return draw(generator)
    if not isinstance(budget, PrivacyFilter | BudgetLedger | LedgerScope):
        raise TypeError(
            "budget must be a PrivacyFilter, a BudgetLedger or a ledger.scope(...), not "
            f"{describe_argument(budget, *_INSTEAD_OF_A_BUDGET)}"
        )
    if generator._reproducible:
        raise TypeError("rng must not be seeded where a budget pays: its noise is known")
    if isinstance(budget, LedgerScope) and budget.charge_id is not None:
        result: NDArray[Any] = budget.once(
            cost,
            lambda: draw(generator),
            count,
            relation=relation,
            function=function or type(cost).__name__,
            arguments={"shape": shape, "dtype": dtype.str, "other": _short(arguments)},
            nbytes=math.prod(shape) * dtype.itemsize,
        )
        return result
    try:
        receipt = budget.charge(cost, count, relation=relation)
    except UnknownBlockError as error:
        raise _without_blocks(error) if isinstance(budget, BudgetLedger) else error from None
    try:
        return draw(generator)
    except BaseException as error:
        note_charge(
            error, _charged(budget, cost, count) if receipt is None else receipt.cost, receipt
        )
        raise


def _without_blocks(error: UnknownBlockError) -> UnknownBlockError:
    """Return what is raised for a ledger with blocks, which was passed without them."""
    return UnknownBlockError(
        f"budget must be ledger.scope(blocks=[...]), not the ledger itself: {error}"
    )


def _charged(budget: Spendable, cost: Cost, count: int) -> Loss:
    """Return what a filter was charged, in its own measure."""
    kind = budget.budget
    return loss_of_amount(type(kind), repeat_amount(loss_of(cost), count, kind))


def _short(arguments: Any) -> Any:
    """Return a digest of an array or of a Series' index, and anything else as it is."""
    if is_series(arguments):
        labels = repr((arguments.name, arguments.index.tolist()))
        return ["index", sha256(labels.encode(errors="replace")).hexdigest()]
    if not isinstance(arguments, np.ndarray):
        return arguments
    return [arguments.dtype.str, sha256(arguments.tobytes()).hexdigest()]
