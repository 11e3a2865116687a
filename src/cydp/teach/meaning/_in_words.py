# SPDX-License-Identifier: MIT
"""A loss in words: the sentences of `explain`, for any loss."""

from __future__ import annotations

from cydp._arguments import Integer
from cydp._call_errors import explain_arguments
from cydp.accounting._cost import Cost, loss_of
from cydp.releases._explanation import meaning_of, notes_on, read_rows
from cydp.releases._unit import Unit
from cydp.teach.meaning._question import unit_of

__all__ = ["in_words"]


@explain_arguments
def in_words(loss: Cost, *, unit: str | None = None, n: Integer | None = None) -> str:
    """Return what a loss promises, in sentences: odds, bets, tests, and what to be wary of.

    Parameters
    ----------
    loss : loss, mechanism or release
        One that states no relation is read as of "add-remove". For a plan give
        ``plan.as_loss(delta)``; for several releases their sum, `cydp.sequential`; for groups
        `cydp.group_privacy`.
    unit : str, optional
        What the loss protects one of. Default: what a release protects, such as "row"; else
        "person".
    n : int >= 1, optional
        The public number of records, which is compared with delta.

    Returns
    -------
    str
        One sentence a line, as in `cydp.explain`.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Examples
    --------
    >>> import cydp
    >>> print(in_words(cydp.ApproxDP(12, "0.001"), n=1000).splitlines()[-1])
    delta is 1/n or more, for n = 1,000: delta = 1/n allows publishing one row at random.

    """
    found = loss_of(loss, "loss")
    if unit is not None and (not isinstance(unit, str) or not unit):
        raise TypeError("unit must be text, such as 'person'")
    rows = None if n is None else read_rows(n, "n")
    protected = Unit(found.relation or "add-remove", unit_of(loss) if unit is None else unit)
    return "\n".join([*meaning_of(found, protected), *notes_on(found, rows)])
