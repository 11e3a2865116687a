# SPDX-License-Identifier: MIT
"""A loss in words, and what its delta allows in a table of n rows."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction

from cydp._arguments import Integer, Number
from cydp._call_errors import explain_arguments
from cydp._numbers.intervals import exp_bounds, ln_bounds
from cydp._numbers.rational import Exact, as_exact, format_number, read_exact
from cydp._numbers.rounding import decimal_below, delta_float_above, float_above
from cydp.accounting._approx_zcdp import ApproxZCDP
from cydp.accounting._conversion import convert
from cydp.accounting._cost import Cost, loss_of, units_of
from cydp.accounting._dominating_pairs import pairs_of
from cydp.accounting._loss import ZCDP, ApproxDP, Loss, PureDP
from cydp.accounting._loss_numbers import read_delta
from cydp.accounting._plan import Plan
from cydp.accounting._trade_off import EpsilonDelta, RocBound, curve_of, profile_points
from cydp.accounting._words import numbers_of
from cydp.releases._explanation import read_rows
from cydp.releases._meaning import meaning_of, notes_on, notes_on_delta
from cydp.releases._unit import Unit
from cydp.sampling._amplified import Sampled

__all__ = [
    "CostOrPlan",
    "DeltaMeaning",
    "below",
    "delta_meaning",
    "in_words",
    "label_of",
    "question_about",
    "read_curve",
    "read_share",
]


CostOrPlan = Cost | Plan
_UP = Context(prec=3, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)
_NOT_SAID = "person"


def read_curve(cost: CostOrPlan, delta: Number | None, about: str | None) -> RocBound:
    """Return what a cost lets a test find out; TypeError or ValueError for bad arguments."""
    pairs = [
        pair
        for loss in _losses_of(cost, None if delta is None else read_delta(delta))
        for pair in _curve_about(loss, about).pairs
    ]
    return RocBound(tuple(dict.fromkeys(pairs)))


def _losses_of(cost: CostOrPlan, delta: Fraction | None) -> list[Loss]:
    """Return losses that all hold: the one that is given, or a plan's at one or several deltas."""
    if isinstance(cost, Plan):
        if delta is not None:
            return [_at_one_delta(cost.as_loss(delta))]
        return [ApproxDP(*point, relation=cost.relation) for point in profile_points(cost)]
    if pairs_of(cost) is not None:  # a plan knows more of a mechanism than one loss can say
        return [*_losses_of(loss_of(cost), delta), *_losses_of(Plan([(cost, 1)]), delta)]
    loss = loss_of(cost, "loss")
    if delta is None or (delta == 0 and isinstance(loss, PureDP)):
        return [loss]
    return [_at_one_delta(convert(loss, delta=delta))]


def _at_one_delta(loss: ApproxDP) -> ApproxDP:
    """Return a loss without its rho, which implies other pairs."""
    return ApproxDP(loss.epsilon, loss.delta, relation=loss.relation)


def _curve_about(loss: Loss, about: str | None) -> RocBound:
    relation = loss.relation
    if about not in (None, "presence", "value"):
        raise ValueError(f"about must be 'presence', 'value' or None, not {str(about)[:40]!r}")
    if about == "presence" and relation == "change-one":
        raise ValueError(
            "about must be 'value' under 'change-one', where the number of records is public: it "
            "says nothing of whether one is present"
        )
    if about is not None and relation is None:
        raise ValueError(
            "about must be None for a loss that states no relation, such as PureDP(1); state one: "
            "PureDP(1, relation='add-remove')"
        )
    if about != "value" or relation != "add-remove":
        return curve_of(loss)
    if isinstance(loss, ApproxZCDP):  # each (epsilon, delta) that it implies has a group of two
        twice = (
            EpsilonDelta(each.factor**2, each.delta * (1 + each.factor))
            for each in curve_of(loss).pairs
        )
        return RocBound(tuple(twice))
    try:
        return curve_of(loss.group(2))
    except ValueError:  # delta would reach 1
        return RocBound(())


def label_of(cost: CostOrPlan) -> str:
    """Return a cost in short: "epsilon = 1, delta = 1e-06"."""
    if isinstance(cost, Plan):
        count = sum(count for _, count in cost.items)
        return f"a plan of {count:,} release{'' if count == 1 else 's'}"
    if isinstance(cost, Sampled):
        return f"{label_of(cost.mechanism)}, on a sample of {_short(cost.share)}"
    loss = loss_of(cost, "losses")
    return ", ".join(f"{name} = {_short(each)}" for name, each in numbers_of(loss).items())


def _short(number: Fraction) -> str:
    """Return a number of a loss, which is rounded up to three digits if it is long."""
    written = format_number(number)
    if len(written) <= 8:
        return written
    return f"{float(_UP.divide(Decimal(number.numerator), Decimal(number.denominator))):.3g}"


def read_share(value: Number, name: str) -> Exact:
    """Read a probability from 0 to 1."""
    number = read_exact(value, name)
    if not 0 <= number <= 1:
        raise ValueError(f"{name} must be between 0 and 1, not {format_number(number)}")
    return number


def below(number: Fraction) -> float:
    """Return the float of the largest decimal of six digits at most a number >= 0."""
    return float(decimal_below(number))


def _unit_of(cost: CostOrPlan) -> str:
    """Return the unit that a release protects, such as "row"; "person" where nothing is said.

    A plan of releases that protect different units protects neither: "unit".
    """
    said = {str(unit.name) for unit in units_of(cost)}
    return said.pop() if len(said) == 1 else "unit" if said else _NOT_SAID


def question_about(cost: CostOrPlan, about: str | None) -> str:
    """Return what changes between two tables, as words: "one row taking part or not"."""
    relation = cost.relation if isinstance(cost, Plan) else loss_of(cost, "loss").relation
    one = f"one {_unit_of(cost)}"
    if about == "value" or (about is None and relation == "change-one"):
        return f"{one}'s record being this or another"
    if about == "presence" or relation == "add-remove":
        return f"{one} taking part or not"
    if relation is None:
        return "one of two neighbouring tables or the other"
    return f"{one} taking part or not, or their record being this or another"


_RARE = 100  # releases: at most one of them may publish a row, in the worst case
_CERTAIN = 1000  # rows on average: none is published with a probability below e**-1000


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
        """The probability that some row is published, then: 1 - (1 - delta)**n, rounded up."""
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
            return f"<delta = 0: no output tells all of a {self._unit}>"
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
            found.append(f"choose at most 1/(100 n) = {below(self.advised):.6g}")
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
    said = _unit_of(loss)
    unit = "row" if said == "person" else said
    return DeltaMeaning(delta=stated, n=rows, _of_rho=isinstance(found, ZCDP), _unit=unit)


@explain_arguments
def in_words(loss: Cost, *, unit: str | None = None, n: Integer | None = None) -> str:
    """Return what a loss promises, in sentences: odds, bets, tests, and what to be wary of.

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
    protected = Unit(found.relation or "add-remove", _unit_of(loss) if unit is None else unit)
    notes = (f"{note}." for note in notes_on(found, protected, rows))
    return "\n".join([*meaning_of(found, protected), *notes])
