# SPDX-License-Identifier: MIT
"""The way of every release: check, pay, read, draw. docs/releases.md, "One way".

The public parameters were checked by the caller. The budget pays durably, the data is read, noise
is drawn, and the result is written to the caller's array, if there is one. If the data is not what
was checked and paid for, there is an error before any noise.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from cydp._columns.canonical import digest_argument
from cydp._default_generator import generator_or_default
from cydp._generator import Generator
from cydp._outputs import prepare_output
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._budget import Asked, Paid
from cydp.accounting._cost import Cost
from cydp.accounting._errors import BudgetExceededError
from cydp.accounting._filter import PrivacyFilter
from cydp.accounting._loss import ZCDP, ApproxDP, PureDP
from cydp.accounting._odometer import PrivacyOdometer
from cydp.accounting._words import describe_argument
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._scope import LedgerScope

__all__ = [
    "Budget",
    "apart_from",
    "check_budget_type",
    "check_generator",
    "check_output",
    "draw_array",
    "fill_output",
    "pay_and_draw",
]

Budget: TypeAlias = PrivacyFilter | BudgetLedger | LedgerScope

_INSTEAD_OF_A_BUDGET = (  # what is passed by mistake, and what to do
    (str | os.PathLike, "open a ledger by its path with BudgetLedger.open"),
    (
        PureDP | ApproxDP | ZCDP | ApproxZCDP,
        "make one PrivacyFilter of the loss, and pass it to every release",
    ),
    (PrivacyOdometer, "it cannot refuse, so call its charge beside the release"),
)

_Array = TypeVar("_Array", bound=NDArray[Any])


def pay_and_draw(
    asked: Asked,
    draw: Callable[[Generator], Any],
    budget: Any,
    rng: Generator | None,
) -> tuple[Any, Paid | None]:
    """Return what `draw` returns, once a budget has paid, and what the budget has answered.

    If the budget had paid for the same call before, the recorded result is returned.

    Parameters
    ----------
    asked : Asked
        The call, and what it costs.
    draw : callable
        A function of a generator. It reads the data, and returns what may be published.
    budget, rng
        Arguments of the release. They are checked here, all other arguments by the caller. An
        object that wraps a budget has its `_pay`.

    Raises
    ------
    TypeError
        If `budget` is not a budget, if `rng` is not a Generator, or if it is seeded and there is a
        budget.
    PrivacyError
        If the budget refuses, or is kept under another relation. Then nothing is charged.

    """
    generator = generator_or_default(rng)
    if budget is None:  # most often, and the quickest way
        return draw(generator), None
    check_budget_type(budget)
    check_generator(generator)
    try:
        paid: Paid = budget._pay(asked)
        return (paid.keep(draw(generator)) if paid.fresh else paid.result), paid
    except BaseException as error:
        for answer in asked.answers:
            answer.note(error)
        if isinstance(error, BudgetExceededError):  # it says all; a ledger has 14 calls below
            raise error.with_traceback(None) from None
        raise


def draw_array(
    cost: Cost,
    draw: Callable[[Generator], NDArray[Any]],
    array: tuple[tuple[int, ...], np.dtype[Any]],
    budget: Budget | None,
    rng: Generator | None,
    *,
    count: int = 1,
    arguments: Any = None,
) -> NDArray[Any]:
    """Return the array that a mechanism draws, once a budget has paid.

    Parameters
    ----------
    cost : mechanism
    draw, budget, rng
        As in `pay_and_draw`.
    array : (shape, dtype)
        Of the array.
    count : int, default 1
        The number of times that the loss is charged.
    arguments : object, optional
        Public arguments that the mechanism does not hold, for `digest_argument`.

    Raises
    ------
    TypeError, PrivacyError
        As `pay_and_draw` does.

    """
    if budget is None:  # most often, and the quickest way
        return draw(generator_or_default(rng))
    shape, dtype = array
    asked = Asked(
        cost,
        type(cost).__name__,
        count,
        lambda: digest_argument({"shape": shape, "dtype": dtype.str, "other": arguments}),
        math.prod(shape) * dtype.itemsize,
    )
    released: NDArray[Any]
    released, _ = pay_and_draw(asked, draw, budget, rng)
    return released


def check_budget_type(budget: object) -> None:
    """Raise a TypeError for what is no budget that can pay, and say what to pass instead."""
    if isinstance(budget, type) or not hasattr(budget, "_pay"):
        raise TypeError(
            "budget must be a PrivacyFilter, a BudgetLedger or a ledger.scope(...), not "
            f"{describe_argument(budget, *_INSTEAD_OF_A_BUDGET)}"
        )


def check_generator(generator: Generator) -> None:
    """Raise a TypeError for a seeded generator, which may draw nothing that a budget pays for."""
    if generator._reproducible:
        raise TypeError("rng must not be seeded where a budget pays: its noise is known")


def check_output(
    out: Any, dtype: np.dtype[Any], shape: tuple[int, ...], value: object, name: str = "value"
) -> None:
    """Raise a TypeError or ValueError unless out takes a result of this dtype and shape.

    It may be the value itself, but may not overlap it otherwise. No entry is read: only the dtype,
    the shape, the flags and the addresses matter. None is no output.
    """
    if out is None:
        return
    prepare_output(None, out, dtype)
    if out.shape != shape:
        raise ValueError(f"out must have the shape of {name}, {shape}, not {out.shape}")
    if isinstance(value, np.ndarray) and value is not out and np.may_share_memory(value, out):
        raise ValueError(f"out must be {name} itself, or memory apart from it")


def apart_from(out: NDArray[Any] | None, values: _Array) -> _Array:
    """Return values, or a copy of them if writing to out could change them."""
    if out is None or not np.may_share_memory(values, out):
        return values
    return values.copy()


def fill_output(out: _Array, result: NDArray[Any]) -> _Array:
    """Return out with a result, which a ledger may have kept from an earlier call."""
    if result is not out:
        np.copyto(out, result)
    return out
