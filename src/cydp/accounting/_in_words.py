# SPDX-License-Identifier: MIT
"""A loss in words, what its delta allows in a table of n rows, and the unit that a cost protects.

docs/teach/meaning.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from decimal import ROUND_CEILING
from fractions import Fraction

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.intervals import exp_bounds, ln_bounds
from cydp._numbers.rational import Exact, as_exact, format_number, read_rows
from cydp._numbers.rounding import decimal_below, delta_float_above, float_above
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._cost import Cost, loss_of, units_of
from cydp.accounting._loss import ZCDP, ApproxDP
from cydp.accounting._loss_numbers import read_delta
from cydp.accounting._meaning import Protected, meaning_of, notes_on, notes_on_delta
from cydp.accounting._plan import Plan

__all__ = ["DeltaMeaning", "delta_meaning", "in_words", "protected_unit"]


_RARE = 100  # releases: at most one of them may publish a row, in the worst case
_CERTAIN = 1000  # rows on average: none is published with a probability below e**-1000


def protected_unit(cost: Cost | Plan) -> str | None:
    """Return the name of the privacy unit that a cost protects.

    Parameters
    ----------
    cost : loss, mechanism, release or Plan

    Returns
    -------
    str or None
        Such as "row" or "person". "unit" if several releases protect different units, and so none
        of them together. None where nothing is said: of a loss, or of a mechanism by itself.

    Raises
    ------
    TypeError
        For anything else.

    Notes
    -----
    Privacy cost: none by itself.

    Examples
    --------
    >>> import cydp
    >>> protected_unit(cydp.count([1, 2, 3], epsilon=1)), protected_unit(cydp.PureDP(1))
    ('row', None)

    """
    if not isinstance(cost, Plan):
        loss_of(cost)
    said = {str(unit.name) for unit in units_of(cost)}
    return said.pop() if len(said) == 1 else "unit" if said else None


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class DeltaMeaning:
    """What a delta allows in a table of n rows. `delta_meaning` makes it.

    Attributes
    ----------
    delta : Fraction
    n : int
        The public number of rows.

    """

    delta: Exact
    n: int
    _of_rho: bool = False
    _unit: str = "row"

    @property
    def expected_rows(self) -> float:
        """How many rows are published on average, in the worst case: n delta, rounded up."""
        return float_above(self.n * self.delta)

    @property
    def any_row(self) -> float:
        """The probability that at least one row is published: 1 - (1 - delta)**n, rounded up."""
        expected = self.n * self.delta
        if not expected or expected > _CERTAIN:
            return 1.0 if expected else 0.0
        none = exp_bounds(self.n * ln_bounds(1 - self.delta)[0])[0]
        return delta_float_above(min(expected, 1 - none))

    @property
    def advised(self) -> Exact:
        """1 / (100 n), at which a row is published in at most one of 100 releases."""
        return as_exact(Fraction(1, _RARE * self.n))

    @property
    def is_small(self) -> bool:
        """Whether delta is at most `advised`."""
        return self.delta <= self.advised

    def __repr__(self) -> str:
        if not self.delta:
            return f"<delta = 0: no output reveals everything about a {self._unit}>"
        each = self._unit
        found = [
            f"delta = {format_number(self.delta, ROUND_CEILING)} in a table of {self.n:,} {each}s "
            f"allows publishing each {each} with this probability: {self.expected_rows:,.6g} "
            f"{each}s on average, and some {each} with probability {self.any_row:.6g}",
            *(f"{note}." for note in notes_on_delta(self.delta, self.n, each)),
        ]
        if self._of_rho:
            found.append(f"a rho allows less: no output that publishes a {each}")
        if not self.is_small:
            found.append(f"choose at most 1/(100 n) = {float(decimal_below(self.advised)):.6g}")
        return f"<{'; '.join(note.rstrip('.') for note in found)}>"


@explain_arguments
def delta_meaning(loss: Cost, n: Integer, *, delta: Number | None = None) -> DeltaMeaning:
    """Return what the delta of a loss allows in a table of n rows.

    Parameters
    ----------
    loss : loss, mechanism or release
        Its delta counts; PureDP has 0. For a plan give ``plan.as_loss(delta)``.
    n : int >= 1
        The public number of rows, or of users if the loss protects users: each of them has the
        rows that are published together.
    delta : number in [0, 1), optional
        The delta at which a rho is stated as an epsilon. It must be given for a ZCDP loss, and for
        no other.

    Returns
    -------
    DeltaMeaning
        It prints as text.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    A release that publishes each row with probability delta, and nothing else, is (0,
    delta)-differentially private: epsilon does not say that it is harmless. Good mechanisms do
    better than this worst case. A ZCDP loss has no such event, however it is converted.

    Examples
    --------
    >>> import cydp
    >>> meant = delta_meaning(cydp.ApproxDP(1, 1e-3), 1000)
    >>> meant.expected_rows, round(meant.any_row, 3), meant.is_small
    (1.0, 0.632, False)

    """
    found, rows = loss_of(loss, "loss"), read_rows(n, "n")
    if isinstance(found, ZCDP) != (delta is not None):
        raise TypeError(
            "delta must be given for a ZCDP loss, which has none, and for no other: "
            f"{type(found).__name__}"
        )
    own = found.delta if isinstance(found, ApproxDP | ApproxZCDP) else Fraction(0)
    stated = as_exact(own) if delta is None else read_delta(delta)
    unit = protected_unit(loss) or "row"
    return DeltaMeaning(delta=stated, n=rows, _of_rho=isinstance(found, ZCDP), _unit=unit)


@explain_arguments
def in_words(loss: Cost, *, unit: str | None = None, n: Integer | None = None) -> str:
    """Return what a loss promises, in sentences: odds, bets, tests, and warnings.

    Parameters
    ----------
    loss : loss, mechanism or release
        One that states no relation is read as of "add-remove". For a plan give
        ``plan.as_loss(delta)``; for several releases their sum,
        `cydp.accounting.sequential`; for groups
        `cydp.group_privacy`.
    unit : str, optional
        The unit that the loss protects. Default: the unit of a release, such as "row"; else
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
    protected = Protected(found.relation or "add-remove", unit or protected_unit(loss) or "person")
    notes = (f"{note}." for note in notes_on(found, protected, rows))
    return "\n".join([*meaning_of(found, protected), *notes])
