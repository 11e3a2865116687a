# SPDX-License-Identifier: MIT
"""The functions that ask, without data, what a release would do, and what an accuracy costs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from decimal import MAX_EMAX, MIN_EMIN, ROUND_CEILING, Context, Decimal
from fractions import Fraction
from inspect import signature
from typing import Any, TypeAlias

from cydp._arguments import Integer, Number
from cydp._numbers.rational import Exact, format_number, read_exact, read_level, read_rows
from cydp.releases._answers import Answer
from cydp.releases._explanation import Explanation
from cydp.releases._query import Query
from cydp.releases._run import arguments_of, kind_of

__all__ = ["explain"]


Wanted: TypeAlias = Number | Mapping[str, Number]


_DIGITS = 4  # of the answer, so that it is above the least number by 0.1 % at most

_MOST_DOUBLINGS = 64

_UP = Context(prec=_DIGITS, rounding=ROUND_CEILING, Emax=MAX_EMAX, Emin=MIN_EMIN)


def explain(
    function: Callable[..., Any],
    *args: Any,
    error: Wanted | None = None,
    find: str = "epsilon",
    confidence: Number | None = None,
    n: Integer | None = None,
    n_per_key: Integer | None = None,
    **kwargs: Any,
) -> Explanation:
    """Say what a release would do and cost, without data: noise, errors, cost and its meaning.

    With `error` it is the inverse: the smallest cost at which the release is as accurate.

    Parameters
    ----------
    function : callable
        A release, such as `count`, `histogram` or `group_by`.
    *args : object
        Its arguments without the data, in its order.
    error : number >= 0, or dict of numbers, optional
        The error that each released number may have, in the unit of the data; for counts in rows,
        for quantiles in ranks. A dict has an error for some released numbers by their names, as in
        `Explanation.error`. Then epsilon and rho must not be given; delta may be.
    find : {"epsilon", "rho"}, default "epsilon"
        The cost to look for, with `error`.
    confidence : number between 0 and 1, optional
        The least probability with which an error is kept. Default: 0.95. If it is given, it
        is the `confidence` of `bounds` too.
    n : int >= 1, optional
        The public number of rows. Errors of means and variances depend on it.
    n_per_key : int >= 1, optional
        The number of rows of a key, for the errors of means by key. Default: n divided by the
        number of public keys.
    **kwargs : object
        Its arguments by name, without the data, `budget` and `rng`. Public keys, `keys` and
        `by_keys`, may be given as their number. `user` may be a name, or True.

    Returns
    -------
    Explanation
        It prints as text; with `error`, it is about the release at the cost that was found.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed; the errors that the release raises for its parameters; if no
        cost makes the release so accurate, or if every cost does.

    Notes
    -----
    The query is the one that the release runs. The cost that is found is a decimal of four digits,
    rounded up: the error is kept at it, and not at 1 % less.

    Examples
    --------
    >>> from cydp.releases import count, histogram
    >>> print(explain(histogram, 10, (0, 100), epsilon=1, user="visitor", max_partitions=2))
    histogram: epsilon=1, relation='add-remove'
    protects: whether one visitor is in the table or not, whatever rows they have: of each visitor
      at most 1 row in each of 2 partitions counts
    noise of counts: DiscreteLaplace, scale 2, standard deviation 2.79918
    error of counts: within 6 visitors, with 95 % confidence; all 10 together within 10
    means: The odds of one visitor being present against absent move by a factor of at most
      e**epsilon = 2.72.
    means: The odds of one value of one visitor against another move by a factor of at most e**(2
      epsilon) = 7.39.
    means: A fair bet on whether one visitor is present is won with a probability of at most 0.7311.
    note: what each visitor has beyond 1 row in each of 2 partitions is left out, and so are rows
      whose visitor is missing, so counts and sums may be too low. Errors and intervals are about
      the noise alone
    >>> explain(count, error=5).loss
    PureDP(epsilon=0.5382, relation='add-remove')

    """
    if confidence is not None:
        read_level(confidence)
    rows = None if n is None else read_rows(n, "n")
    rows_per_key = None if n_per_key is None else read_rows(n_per_key, "n_per_key")

    def explained(query: Query) -> Explanation:
        each = rows_per_key
        if each is None and rows is not None:
            each = query.rows_per_key(rows)
        return Explanation(query, rows, each, "0.95" if confidence is None else confidence)

    kind, own = kind_of(function), kwargs
    if confidence is not None and "confidence" in signature(function).parameters:
        own = {"confidence": confidence, **kwargs}
    if error is None:
        return explained(kind.of(arguments_of(function, args, own), None))
    if find not in ("epsilon", "rho"):
        raise ValueError(f"find must be 'epsilon' or 'rho', not {find!r}")
    for name in ("epsilon", "rho"):
        if kwargs.get(name) is not None:
            raise TypeError(f"{name} must not be given with error, for which it is found")
    given = arguments_of(function, args, own)

    def build(number: Fraction) -> Query:
        return kind.of(given | {find: number}, None)

    wanted: dict[str, Fraction] = {}

    def is_enough(query: Query) -> bool:
        shown = explained(query)
        answers = {answer.name: answer for answer in query.answers()}
        if not wanted:
            wanted.update(_read_wanted(error, answers, shown))
        return all(_keeps(answers[name], most, shown) for name, most in wanted.items())

    return explained(build(_least_privacy(build, is_enough, find)))


def _keeps(answer: Answer, most: Fraction, shown: Explanation) -> bool:
    rows = shown.rows_of(answer)
    assert rows is not None
    return answer.error(shown.confidence, 1, rows) <= most


def _read_wanted(
    error: Wanted, answers: Mapping[str, Answer], shown: Explanation
) -> dict[str, Fraction]:
    """Return the error that is wanted of released numbers, by their names."""
    if not isinstance(error, Mapping):
        if len({answer.unit for answer in answers.values()}) != 1:
            raise TypeError(
                "error must be a dict of the errors of some released numbers by name: "
                f"{', '.join(answers)}"
            )
        error = dict.fromkeys(answers, error)
    found: dict[str, Fraction] = {}
    for name, number in error.items():
        if name not in answers:
            raise ValueError(f"error must be of {', '.join(answers)}, not of {name!r}")
        most = read_exact(number, "error")
        if most < 0:
            raise ValueError(f"error must be at least 0, not {format_number(most)}")
        found[name] = most
        if shown.rows_of(answers[name]) is None:
            raise TypeError(
                f"{shown.query.rows_given} must be given: the error of {name} depends on the "
                "number of rows"
            )
    if not found:
        raise TypeError(f"error must be of some of {', '.join(answers)}")
    return found


def _least_privacy(
    build: Callable[[Fraction], Query], is_enough: Callable[[Query], bool], name: str
) -> Exact:
    """Return the least decimal of four digits at which a query is accurate enough.

    Parameters
    ----------
    build : callable
        Returns the query for a number: an epsilon or a rho.
    is_enough : callable
        Whether a query is accurate enough; if it is, so is the query of each larger number.
    name : str
        The name of the number, for the error.

    Raises
    ------
    ValueError
        If no number is enough, or if the least for which there is noise is more than enough; and
        the errors of `build` for 1, if it has one for every number.

    """

    def holds(number: Fraction) -> bool | None:
        try:
            query = build(number)
        except ValueError:  # the noise of this number is too small or too large to be drawn
            return None
        return is_enough(query)

    power = _first(lambda k: holds(Fraction(2) ** k) is not None)
    if power is None:
        build(Fraction(1))  # raises
        raise AssertionError
    most = _first(lambda k: holds(Fraction(2) ** (power + k)) is not False)
    if most is None or holds(Fraction(2) ** (power + most)) is None:
        raise ValueError(f"error must be larger: no {name} makes the release that accurate")
    above = Fraction(2) ** (power + most)
    down = _first(lambda k: holds(above / Fraction(2) ** (k + 1)) is not True)
    if down is None or holds(above / Fraction(2) ** (down + 1)) is None:
        raise ValueError(f"error must be smaller: every {name} makes the release that accurate")
    above /= Fraction(2) ** down
    below = above / 2
    while above > below * (1 + Fraction(1, 10**_DIGITS)):
        middle = (above + below) / 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    number = _UP.divide(Decimal(above.numerator), Decimal(above.denominator))
    while not holds(Fraction(number)):  # where the error does not fall with each step
        number = number.next_plus(_UP)
    return Exact(number)


def _first(is_found: Callable[[int], bool]) -> int | None:
    return next((k for k in range(_MOST_DOUBLINGS) if is_found(k)), None)
