# SPDX-License-Identifier: MIT
"""Charges the budget of a release, then draws its noise.

The order of every release is: the public parameters are checked, the budget is charged durably,
the data is read, noise is drawn. If the data is not what was checked and charged, there is an error
before any noise.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._columns.digests import digest_labels
from cydp._columns.pandas import is_series
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp.accounting._amounts import loss_of_amount, repeat_amount
from cydp.accounting._budget import Spendable
from cydp.accounting._cost import Cost, loss_of
from cydp.accounting._describe_argument import describe_argument
from cydp.accounting._errors import UnknownBlockError
from cydp.accounting._filter import PrivacyFilter
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._odometer import PrivacyOdometer
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._receipt import Receipt, note_charge
from cydp.accounting.ledger._scope import LedgerScope

__all__ = ["Budget", "charge_and_draw", "charge_and_run", "check_budget_type"]

Budget: TypeAlias = PrivacyFilter | BudgetLedger | LedgerScope

_INSTEAD_OF_A_BUDGET = (  # what is passed by mistake, and what to do
    (str | os.PathLike, "open a ledger by its path with BudgetLedger.open"),
    (PureDP | ApproxDP | ZCDP, "make one PrivacyFilter of the loss, and pass it to every release"),
    (PrivacyOdometer, "it cannot refuse, so call its charge beside the release"),
)


def charge_and_draw(
    cost: Cost,
    draw: Callable[[Generator], NDArray[Any]],
    shape: tuple[int, ...],
    dtype: np.dtype[Any],
    budget: Budget | None,
    rng: Generator | None,
    *,
    count: int = 1,
    arguments: Any = None,
) -> NDArray[Any]:
    """Charge a budget, if there is one, and return the array that `draw` returns.

    Parameters
    ----------
    cost : mechanism
        The mechanism whose loss is charged.
    draw, budget, rng, count, arguments
        As in `charge_and_run`.
    shape, dtype
        The shape and dtype of the array.

    Raises
    ------
    TypeError, PrivacyError
        As `charge_and_run` does.

    """
    if budget is None:  # most often, and the quickest way
        return draw(generator_or_default(rng))
    described = {"shape": shape, "dtype": dtype.str, "other": arguments}
    nbytes = math.prod(shape) * dtype.itemsize
    released: NDArray[Any]
    released, _ = charge_and_run(
        cost, draw, budget, rng, count=count, function=type(cost).__name__, arguments=described,
        nbytes=nbytes,
    )  # fmt: skip
    return released


def charge_and_run(
    cost: Cost,
    draw: Callable[[Generator], Any],
    budget: Budget | None,
    rng: Generator | None,
    *,
    count: int = 1,
    function: str,
    arguments: Any = None,
    nbytes: int = 0,
) -> tuple[Any, Receipt | None]:
    """Charge a budget, if there is one; return what `draw` returns, and the receipt of a ledger.

    If the budget is a scope of a ledger with a charge id that was charged before, the recorded
    result is returned.

    Parameters
    ----------
    cost : mechanism or query
        What is charged is its loss.
    draw : callable
        A function of a generator. It reads the data, and returns what may be published.
    budget, rng
        Arguments of the release. They are checked here, all other arguments by the caller.
    count : int, default 1
        The number of times that the loss is charged.
    function : str
        The name of what releases.
    arguments : object, optional
        The public arguments that are not part of `cost`: an array, a Series with a public index,
        or what JSON can hold; or a dict of these; or a function that returns one of them. A charge
        with an id compares them.
    nbytes : int, default 0
        How many bytes the arrays of the result have, if that is known.

    Raises
    ------
    TypeError
        If `budget` is not a budget, if `rng` is not a Generator, or if it is seeded and there is a
        budget.
    PrivacyError
        If the budget refuses, or is kept under another relation. Then nothing is charged.

    """
    generator = generator_or_default(rng)
    if budget is None:
        return draw(generator), None
    check_budget_type(budget)
    if generator._reproducible:
        raise TypeError("rng must not be seeded where a budget pays: its noise is known")
    if isinstance(budget, LedgerScope) and budget.charge_id is not None:
        receipts: list[Receipt] = []
        drawn = budget._once(
            cost, lambda: draw(generator), count, None, function, _digest(arguments), nbytes,
            receipts,
        )  # fmt: skip
        return drawn, receipts[0]
    try:
        receipt = budget.charge(cost, count)
    except UnknownBlockError as error:
        raise _scope_error(error) if isinstance(budget, BudgetLedger) else error from None
    try:
        return draw(generator), receipt
    except BaseException as error:
        note_charge(
            error, _charged_loss(budget, cost, count) if receipt is None else receipt.cost, receipt
        )
        raise


def check_budget_type(budget: object) -> None:
    """Raise a TypeError for what is no budget that can pay, and say what to pass instead."""
    if not isinstance(budget, PrivacyFilter | BudgetLedger | LedgerScope):
        raise TypeError(
            "budget must be a PrivacyFilter, a BudgetLedger or a ledger.scope(...), not "
            f"{describe_argument(budget, *_INSTEAD_OF_A_BUDGET)}"
        )


def _scope_error(error: UnknownBlockError) -> UnknownBlockError:
    """Return the error for a ledger with blocks that was passed without a scope."""
    return UnknownBlockError(
        f"budget must be ledger.scope(blocks=[...]), not the ledger itself: {error}"
    )


def _charged_loss(budget: Spendable, cost: Cost, count: int) -> Loss:
    """Return what a filter was charged, in its own measure."""
    kind = budget.budget
    return loss_of_amount(type(kind), repeat_amount(loss_of(cost), count, kind))


def _digest(arguments: Any) -> Any:
    """Return a digest of an array or of a Series' index, and other arguments as they are."""
    if callable(arguments):
        return _digest(arguments())
    if isinstance(arguments, dict):
        return {name: _digest(argument) for name, argument in arguments.items()}
    if is_series(arguments):
        labels = [arguments.name, *arguments.index.tolist()]
        return ["index", str(arguments.index.dtype), digest_labels(labels, "labels of rows")]
    if not isinstance(arguments, np.ndarray):
        return arguments
    return [arguments.dtype.str, sha256(arguments.tobytes()).hexdigest()]
