# SPDX-License-Identifier: MIT
"""A survey of labels, which people randomize before they send them."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from cydp._arguments import Column, Integer, Number
from cydp._call_errors import explain_arguments
from cydp._columns.declared import Labels
from cydp._columns.keys import Keys, digest_keys
from cydp._generator import Generator
from cydp._numbers.rational import literal_of, read_positive
from cydp.exact._histogram import bincount
from cydp.exact._lookup import match_labels
from cydp.local._survey import Survey, Tally
from cydp.local._survey_estimates import CategoryEstimate
from cydp.local._unary_encoding import UnaryEncoding, sum_bits
from cydp.mechanisms._frequency_oracle import likelihood_ratio
from cydp.mechanisms._parameters import set_fields
from cydp.mechanisms._randomized_response import RandomizedResponse
from cydp.mechanisms._run import Budget

__all__ = ["CategorySurvey"]

CategoryMethod: TypeAlias = Literal["auto", "randomized-response", "unary-encoding"]

_RESPONSE, _UNARY = "randomized-response", "unary-encoding"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class CategorySurvey(Survey):
    """A question with a public list of answers, which each person randomizes on their own device.

    The server sees reports only (local DP), and estimates how many people have each label.

    Parameters
    ----------
    labels : list of str, int or bool
        The public labels, at least two.
    epsilon : number > 0
        Privacy cost of one report in pure DP, in nats, for the person who reports.
    method : {"auto", "randomized-response", "unary-encoding"}, default "auto"
        By "randomized-response" a report is a label; by "unary-encoding" it has a bit for each.
        "auto" takes the one that estimates rare labels with the smaller variance: the first
        for fewer than 3 exp(epsilon) + 2 labels. The attribute `method` is what was taken.
    missing : label, optional
        What a missing answer counts as, and an answer that is none of the labels. Default: no
        label. The report is then uniform, or has no bit of its own.

    Raises
    ------
    TypeError, ValueError
        If a parameter is not allowed.

    Notes
    -----
    That a person reports is not hidden, and a person who reports twice pays twice.

    References
    ----------
    .. [1] Warner, "Randomized response: a survey technique for eliminating evasive answer bias",
       1965.
    .. [2] Wang, Blocki, Li, Jha, "Locally differentially private protocols for frequency
       estimation", 2017.

    Examples
    --------
    >>> survey = CategorySurvey(["yes", "no"], epsilon=1)
    >>> survey.report("yes") in ["yes", "no"]
    True
    >>> estimate = survey.estimate(survey.reports(["yes"] * 300 + ["no"] * 700))
    >>> estimate.labels, round(estimate.counts.sum())
    (('yes', 'no'), 1000)

    """

    _kind = "categories"
    _names = ("labels", "epsilon", "method", "missing")

    labels: tuple[Any, ...]
    epsilon: Fraction
    method: str
    missing: Any
    _keys: Keys = field(compare=False)
    _mechanism: RandomizedResponse | UnaryEncoding = field(compare=False)

    @explain_arguments
    def __init__(
        self,
        labels: Any,
        *,
        epsilon: Number,
        method: CategoryMethod = "auto",
        missing: Any = None,
    ) -> None:
        keys, own = _read_labels(labels)
        rate = read_positive(epsilon, "epsilon")
        if method not in ("auto", _RESPONSE, _UNARY):
            raise ValueError(f"method must be 'auto', {_RESPONSE!r} or {_UNARY!r}, not {method!r}")
        chosen = _best_method(rate, len(own)) if method == "auto" else method
        if missing is not None:
            (code,) = match_labels([Labels([missing])], keys).tolist()
            if code == len(own):
                raise ValueError("missing must be one of the labels")
            missing = own[code]
        set_fields(self, labels=own, epsilon=rate, method=str(chosen), missing=missing, _keys=keys)
        kind = RandomizedResponse if chosen == _RESPONSE else UnaryEncoding
        set_fields(self, _mechanism=kind(epsilon=rate, n_categories=len(own)))

    @property
    def mechanism(self) -> RandomizedResponse | UnaryEncoding:
        """What randomizes the codes of labels: their places in the list."""
        return self._mechanism

    @property
    def variance(self) -> float:
        """The largest variance that one report can add to an estimated count."""
        return self.mechanism.variance

    def report(
        self, label: Any, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> Any:
        """Return what a person sends instead of their label. It runs on their own device.

        Parameters
        ----------
        label : label
            The true answer. None, and what is none of the labels, counts as `missing` says; there
            is no error, because an error would reveal it.
        budget : PrivacyFilter, BudgetLedger or LedgerScope of relation "change-one", optional
            What the person is willing to spend. It is charged before the label is read.
        rng : Generator, optional
            The source of randomness. Default: the calling thread's own generator.

        Returns
        -------
        str, int or bool
            What JSON can hold: a label, or the packed bits as hexadecimal text.

        Raises
        ------
        TypeError
            If budget or rng is not allowed. Then nothing is charged.
        PrivacyError
            If the budget refuses. Then nothing is charged.

        Examples
        --------
        >>> survey = CategorySurvey(range(100), epsilon=1)
        >>> survey.method, len(survey.report(7))
        ('unary-encoding', 26)

        """
        (drawn,) = self._draw(Labels([label], "label"), budget, rng)
        if self.method == _UNARY:
            return drawn.tobytes().hex()
        return self.labels[drawn]

    def reports(
        self, labels: Column, *, budget: Budget | None = None, rng: Generator | None = None
    ) -> NDArray[Any]:
        """Return a report for each label of a column; each label belongs to a different person.

        It is for simulation, for teaching, and for a collector whom all people trust.

        Parameters
        ----------
        labels : array_like of labels, shape (n,), or column
            The true answers, of pandas, polars, pyarrow or DuckDB, a list or an array.
        budget, rng
            As in `report`. The budget pays once, since each person has one report.

        Returns
        -------
        ndarray
            By "randomized-response" of labels, shape (n,); by "unary-encoding" of uint8, packed
            bits, shape (n, ceil(k / 8)) for k labels.

        Raises
        ------
        TypeError, ValueError
            If labels are of a type that can hold none of the survey's; if budget or rng is not
            allowed. Then nothing is charged and no label is read.
        PrivacyError
            If the budget refuses. Then nothing is charged and no label is read.

        """
        column = Labels(labels, "labels")
        try:
            self._keys.check([column])
        except TypeError:
            raise TypeError(
                f"labels must be of the type of a label of the survey, such as {self.labels[0]!r}"
            ) from None
        drawn = self._draw(column, budget, rng)
        return drawn if self.method == _UNARY else self._keys.arrays[0][drawn]

    def _describe(self) -> Any:
        place = None if self.missing is None else self.labels.index(self.missing)
        return {"keys": digest_keys(self._keys), "missing": place}

    def _randomize(self, answers: Labels, generator: Generator) -> NDArray[Any]:
        k, mechanism = len(self.labels), self.mechanism
        codes = match_labels([answers], self._keys)
        if self.missing is not None:
            counts_as = np.append(np.arange(k), self.labels.index(self.missing)).astype(np.uint32)
            codes = counts_as[codes]
        if isinstance(mechanism, UnaryEncoding):
            return mechanism.release(codes, packed=True, rng=generator)
        return mechanism.release(codes, rng=generator)

    def tally(self, reports: Any) -> Tally:
        """Return reports, added up: a server that adds tallies keeps no report.

        Parameters
        ----------
        reports : column
            What `report` or `reports` returned: labels, or bits as hexadecimal text, as packed
            uint8 or as bool.

        Returns
        -------
        Tally
            How many reports there are, and how many for each label.

        Raises
        ------
        TypeError, ValueError
            If a report is none of this survey. Unlike labels, reports are not secret.

        Examples
        --------
        >>> survey = CategorySurvey(["yes", "no"], epsilon=1)
        >>> (survey.tally(["yes", "no"]) + survey.tally(["no"])).totals
        (1, 2)

        """
        k = len(self.labels)
        if self.method == _UNARY:
            sums, people = sum_bits(_read_bits(reports, -(-k // 8)), k)
        else:
            codes = match_labels([Labels(reports, "reports")], self._keys)
            if wrong := int((codes == k).sum()):
                raise ValueError(
                    f"reports must be labels of the survey: {wrong} of {len(codes)} are not, the "
                    f"first at {int(np.argmax(codes == k))}"
                )
            sums, people = bincount(codes, k), len(codes)
        return Tally(self, people, tuple(sums.tolist()))

    def estimate(self, reports: Any) -> CategoryEstimate:
        """Return how many people have each label, estimated from reports, with intervals.

        Parameters
        ----------
        reports : column or Tally
            As in `tally`, or what that returned.

        Returns
        -------
        CategoryEstimate

        Raises
        ------
        TypeError, ValueError
            If a report is none of this survey.

        Notes
        -----
        It has no privacy cost.

        Examples
        --------
        >>> survey = CategorySurvey(["yes", "no"], epsilon=2)
        >>> survey.estimate(["yes"] * 30 + ["no"] * 70).counts.round(1)
        array([23.7, 76.3])

        """
        return CategoryEstimate(self._read_tally(reports))

    def error_bound(self, confidence: Number = 0.95, *, reports: Integer) -> float:
        """Return the approximate distance of an estimated count from the true count, beforehand.

        Parameters
        ----------
        confidence : number between 0 and 1, default 0.95
            The approximate probability that this holds for one label, at the true count at which
            the estimate has the largest variance.
        reports : int >= 1
            The number of people who report.

        Returns
        -------
        float
            In people.

        Raises
        ------
        TypeError, ValueError
            If confidence or reports is outside its range.

        Examples
        --------
        >>> round(CategorySurvey(["yes", "no"], epsilon=1).error_bound(reports=1000), 1)
        60.6

        """
        return self.mechanism.error_bound(confidence, reports=reports)

    def hoeffding_bound(self, confidence: Number = 0.95, *, reports: Integer) -> float:
        """Return what `error_bound` does, with proof, and wider; parameters as in `error_bound`.

        >>> round(CategorySurvey(["yes", "no"], epsilon=1).hoeffding_bound(reports=1000), 1)
        92.9
        """
        return self.mechanism.hoeffding_bound(confidence, reports=reports)

    def __reduce__(self) -> tuple[Any, ...]:
        return self.from_json, (self.to_json(),)  # key tables are made anew

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self.labels[:3])) + (", ..." if len(self.labels) > 3 else "")
        extra = "" if self.missing is None else f", missing={self.missing!r}"
        return (
            f"CategorySurvey([{shown}], epsilon={literal_of(self.epsilon)}, "
            f"method={self.method!r}{extra})"
        )


def _read_labels(labels: Any) -> tuple[Keys, tuple[Any, ...]]:
    if isinstance(labels, str | bytes):
        raise TypeError("labels must be a list of labels, not one text")
    try:
        keys = Keys(list(labels) if isinstance(labels, range) else labels)
    except (TypeError, ValueError) as error:  # it is about public labels
        raise type(error)(str(error).replace("keys", "labels")) from None
    own = tuple(keys.arrays[0].tolist())
    if any(isinstance(label, np.generic) for label in own):  # in a list, as a str of numpy
        own = tuple(label.item() if isinstance(label, np.generic) else label for label in own)
        keys = Keys(list(own))
    if not {type(label) for label in own} <= {str, int, bool}:
        raise TypeError("labels must be str, int or bool, which JSON can hold")
    if len(own) < 2:
        raise ValueError("labels must be two labels or more")
    return keys, own


def _best_method(epsilon: Fraction, k: int) -> str:
    """Return the method with the smaller variance for a label that nobody has."""
    return _RESPONSE if k < 3 * likelihood_ratio(epsilon) + 2 else _UNARY


def _read_bits(reports: Any, width: int) -> NDArray[Any]:
    """Return packed reports of bits, which may be hexadecimal text; anything else as it is."""
    given = np.asarray(reports)
    if given.ndim == 0:
        raise TypeError(f"reports must be a list or a column, not {type(reports).__name__}")
    if given.dtype.kind not in "UOT" and given.size:
        return given
    try:
        held = [bytes.fromhex(each) for each in given.tolist()]
    except (TypeError, ValueError):
        raise ValueError("reports must be hexadecimal text, as report returns it") from None
    if any(len(each) != width for each in held):
        raise ValueError(f"reports must be hexadecimal text of {2 * width} digits")
    return np.frombuffer(b"".join(held), np.uint8).reshape(len(held), width)
