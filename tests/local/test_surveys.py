"""Surveys of cydp.local: what clients send, what servers make of it, and what is refused."""

import json
import math
import pickle
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import cydp
from cydp import BudgetLedger, PrivacyFilter, PureDP, RandomizedResponse
from cydp.accounting import BudgetExceededError, ChargeConflictError, RelationMismatchError
from cydp.local import CategorySurvey, NumberSurvey, UnaryEncoding, compare
from cydp.testing import SeededGenerator

LABELS = ["yes", "no", "perhaps"]
SURE = 100  # an epsilon at which each report is the truth
RESPONSE = CategorySurvey(LABELS, epsilon=SURE)
UNARY = CategorySurvey(range(40), epsilon=1)
LAPLACE = NumberSurvey((0, 100), epsilon=1)
ONE_BIT = NumberSurvey((0, 100), epsilon=1, method="one-bit")
SURVEYS = [RESPONSE, UNARY, LAPLACE, ONE_BIT]
ANYTHING = [
    None, float("nan"), "3", "x", "", b"x", 10**400, -(10**400), math.inf, Decimal("sNaN"), pd.NA,
    Decimal("1e500000"), Fraction(1, 3), Fraction(10**400), [1], {}, np.array([3.0]), True, 1j,
    np.float32(2), np.datetime64("NaT"), np.timedelta64(3), np.ma.masked, pd.NaT, object(), "1e999",
]  # fmt: skip


@pytest.mark.parametrize("survey", SURVEYS, ids=repr)
def test_whatever_is_answered_there_is_a_report_that_json_holds(survey: Any) -> None:
    kinds = {type(survey.report(answer)) for answer in [*ANYTHING, "yes", 7, 2.5]}
    assert len(kinds) == 1
    sent = json.loads(json.dumps([survey.report(answer) for answer in ANYTHING]))
    assert survey.estimate(sent).people == len(ANYTHING)


def test_the_server_reads_what_clients_send() -> None:
    assert [RESPONSE.report(label) for label in LABELS] == LABELS
    assert RESPONSE.estimate(LABELS * 5).counts.round(6).tolist() == [5, 5, 5]
    codes = np.arange(40).repeat(30)
    packed = UNARY.reports(codes, rng=SeededGenerator(1))
    bits = np.unpackbits(packed, axis=1, count=40).astype(bool)
    text = [bytes(row).hex() for row in packed]
    for reports in (packed, bits, text, pd.Series(text), pl.Series(text), pa.array(text)):
        assert UNARY.tally(reports).totals == tuple(bits.sum(axis=0))
    parts = [UNARY.tally(packed[:500]), UNARY.tally(text[500:]), UNARY.tally([])]
    total = pickle.loads(pickle.dumps(parts[0])) + parts[1] + parts[2]
    assert total == UNARY.tally(packed) == sum(parts)
    found, other = UNARY.estimate(total), UNARY.mechanism.estimate(packed)
    assert np.array_equal(found.counts, other.counts)
    assert np.array_equal(found.interval(), other.interval())


def test_columns_of_any_library() -> None:
    labels = ["no", "yes", "no", "perhaps"]
    categories = pd.Series(pd.Categorical(labels))
    for column in (
        labels,
        *(f(labels) for f in (np.array, pd.Series, pl.Series, pa.array)),
        categories,
    ):
        assert RESPONSE.reports(column).tolist() == labels


def test_what_is_none_of_the_labels() -> None:
    n = 30_000
    for method, each in (("randomized-response", n / 3), ("unary-encoding", 0)):
        survey = CategorySurvey(LABELS, epsilon=1, method=method)
        found = survey.estimate(survey.reports([None, "x"] * (n // 2), rng=SeededGenerator(2)))
        assert (abs(found.counts - each) < 4 * np.sqrt(found.variance)).all()
    survey = CategorySurvey(LABELS, epsilon=SURE, missing="no")
    assert survey.reports([None, "x", "yes", float("nan")]).tolist() == ["no", "no", "yes", "no"]
    assert CategorySurvey.from_json(survey.to_json()) == survey != RESPONSE


def test_the_better_method_is_taken() -> None:
    for epsilon in ("0.1", "1", "2.5"):
        last = math.ceil(3 * math.exp(float(epsilon)) + 2) - 1
        for k, method in ((last, "randomized-response"), (last + 1, "unary-encoding")):
            survey = CategorySurvey(range(k), epsilon=epsilon)
            assert survey.method == method
            w, v = survey.mechanism._odds.p_other, 4 * math.exp(float(epsilon))
            mine = float(w * (1 - w)) * survey.mechanism._odds.slope**2
            unary = v / math.expm1(float(epsilon)) ** 2  # for a label that nobody has
            assert mine == pytest.approx(unary) if method == "unary-encoding" else mine < unary
    for epsilon, method in (("2.2", "one-bit"), ("2.4", "laplace")):
        survey, others = (
            NumberSurvey((0, 1), epsilon=epsilon, method="auto"),
            ("laplace", "one-bit"),
        )
        variances = {m: NumberSurvey((0, 1), epsilon=epsilon, method=m).variance for m in others}
        assert survey.method == method == min(others, key=variances.__getitem__)


def test_numbers_are_clamped_and_rounded() -> None:
    survey = NumberSurvey((-10, 30), epsilon=10**5, step=0.5)
    given = [5, 5.2, -99, 10**400, math.nan, None, math.inf, "x", "7.5", True]
    expected = [5, 5, -10, 30, 10, 10, 30, 10, 7.5, 1]
    assert [survey.report(x) for x in given] == expected
    column = [x for x in given if not isinstance(x, str)]
    assert survey.reports(column).tolist() == [5, 5, -10, 30, 10, 10, 30, 1]
    for each in (
        pd.Series([1.5, np.nan]),
        pl.Series([1.5, None]),
        np.ma.array([1.5, 2], mask=[0, 1]),
    ):
        assert survey.reports(each).tolist() == [1.5, 10]
    assert NumberSurvey((0, 9), epsilon=10**5, step=1, missing=2).report(None) == 2
    estimate = survey.estimate(survey.reports(column))
    assert (estimate.sum, estimate.mean) == (81, 81 / 8)


def test_noise_is_for_the_whole_width_of_the_bounds() -> None:
    for lower, upper in ((0, 100), (-10, 30), (-30, 10), (5, 7)):
        for epsilon in ("0.1", "3"):
            survey = NumberSurvey((lower, upper), epsilon=epsilon, step=1)
            assert survey.mechanism.scale == (upper - lower) / Fraction(epsilon)  # type: ignore[union-attr]
            odds = NumberSurvey((lower, upper), epsilon=epsilon, method="one-bit").mechanism._odds  # type: ignore[union-attr]
            assert float(odds.p_true / odds.p_other) <= math.exp(float(epsilon)) * (1 + 1e-12)


def test_one_bit_tells_the_number_on_average() -> None:
    sure = NumberSurvey((0, 8), epsilon=SURE, step=1, method="one-bit")
    for x in (0, 1, 5, 8):
        share = sure.reports(np.full(40_000, x), rng=SeededGenerator(3)).mean()
        assert abs(share - x / 8) < 5 * math.sqrt(x * (8 - x) / 64 / 40_000) + 1e-12
    found = ONE_BIT.estimate(ONE_BIT.reports([20.0] * 40_000, rng=SeededGenerator(4)))
    low, high = found.interval()
    assert low < 20 < high < low + 5


def test_neighbours_differ_in_nothing_but_the_reports() -> None:
    for survey, columns in (
        (RESPONSE, [["yes", "no"], ["yes", None], ["yes", 3], ["yes", []]]),
        (UNARY, [[1, 2], [1, None], [1, "x"], [1, 10**30]]),
        (LAPLACE, [[1, 2.0], [1, None], [1, math.nan], [1, 1e300], [1, 10**400]]),
        (ONE_BIT, [[1, 2.0], [1, None], [1, math.nan], [1, 1e300], [1, 10**400]]),
    ):
        reports = [survey.reports(column) for column in columns]  # type: ignore[attr-defined]
        assert len({(each.dtype, each.shape) for each in reports}) == 1


@pytest.mark.parametrize("survey", SURVEYS, ids=repr)
def test_budgets_pay_once_and_before_data_is_read(survey: Any, tmp_path: Any) -> None:
    class Column:
        dtype, shape, ndim, read = np.dtype(np.int64), (2,), 1, 0

        def __len__(self) -> int:
            return 2

        def __array__(self, *_: Any, **__: Any) -> Any:
            type(self).read += 1
            return np.array([1, 2])

    once = PrivacyFilter(survey.loss, relation="change-one")
    answers = ["yes", "no"] if survey is RESPONSE else [1, 2]
    assert len(survey.reports(answers, budget=once)) == 2
    assert once.spent.epsilon == survey.epsilon
    for spend in (
        lambda: survey.report(answers[0], budget=once),
        lambda: survey.reports(answers, budget=once),
    ):
        with pytest.raises(BudgetExceededError):
            spend()
    if survey is not RESPONSE:
        with pytest.raises(BudgetExceededError):
            survey.reports(Column(), budget=once)
        assert Column.read == 0
        survey.reports(Column())
        assert Column.read == 1
    with pytest.raises(RelationMismatchError):
        survey.report(answers[0], budget=PrivacyFilter(PureDP(10**6)))
    with pytest.raises(TypeError, match="rng must not be seeded"):
        survey.report(answers[0], budget=once, rng=SeededGenerator(1))
    with BudgetLedger.create(
        tmp_path / "ledger", PureDP(survey.epsilon), privacy_unit="person", relation="change-one"
    ) as ledger:
        again = [survey.reports(answers, budget=ledger.scope(charge_id="wave 1")) for _ in range(2)]
        assert np.array_equal(*again)
        assert ledger.spent.epsilon == survey.epsilon


def test_a_recorded_report_is_that_of_one_survey(tmp_path: Path) -> None:
    surveys = [CategorySurvey(LABELS, epsilon=1, missing=label) for label in (None, "no", "yes")]
    with BudgetLedger.create(
        tmp_path / "ledger", PureDP(3), privacy_unit="person", relation="change-one"
    ) as ledger:
        scope = ledger.scope(charge_id="wave 1")
        surveys[0].reports(["yes", None], budget=scope)
        for other in surveys[1:]:
            with pytest.raises(ChargeConflictError, match="arguments"):
                other.reports(["yes", None], budget=scope)


def test_what_is_told_of_an_estimate() -> None:
    estimate = RESPONSE.estimate(["yes"] * 3 + ["no"])
    assert estimate.labels == tuple(LABELS)
    assert (estimate.people, estimate.shares.round(6).tolist()) == (4, [0.75, 0.25, 0])
    noisy = CategorySurvey(LABELS, epsilon=1).estimate(["yes"] * 30 + ["no"] * 20)
    low, high = noisy.interval(simultaneous=True)  # by the union bound
    assert np.array_equal((low, high), noisy.interval("59/60"))
    assert (low < noisy.interval()[0]).all()
    assert (high > noisy.interval()[1]).all()
    frame = estimate.to_pandas(confidence=0.9)
    assert list(frame)[:3] == ["label", "count", "count_lower"]
    told = json.loads(estimate.to_json())
    assert (told["people"], told["method"], told["exact"]) == (
        4,
        "randomized-response",
        {"epsilon": "100"},
    )
    assert "3 labels; epsilon=100 a report, relation='change-one'" in repr(estimate)
    numbers = LAPLACE.estimate(LAPLACE.reports([50] * 100))
    assert json.loads(numbers.to_json())["columns"]["mean"]["error"]["each"] > 20
    assert "error of mean: within" in repr(numbers)
    assert math.isnan(RESPONSE.estimate([]).shares[0])
    json.loads(RESPONSE.estimate([]).to_json())


def test_the_central_side_is_that_of_releases() -> None:
    told = {"epsilon": 1, "relation": "change-one"}
    total = cydp.sum([1, 2], (0, 100), **told)  # type: ignore[arg-type]
    assert compare(LAPLACE, reports=10).central == total.error_bound()
    for n in (100, 10_000):  # the local side grows as sqrt(n)
        grown = compare(LAPLACE, reports=100 * n).local / compare(LAPLACE, reports=n).local
        assert grown == pytest.approx(10, rel=2e-3)
    counts = cydp.value_counts(["yes"], LABELS, **told)  # type: ignore[arg-type]
    assert compare(CategorySurvey(LABELS, epsilon=1), reports=10).central == counts.error_bound()


@pytest.mark.parametrize("survey", SURVEYS, ids=repr)
def test_a_survey_is_a_value(survey: Any) -> None:
    again = type(survey).from_json(survey.to_json())
    assert again == survey == pickle.loads(pickle.dumps(survey))
    assert len({again, survey}) == 1
    assert again.to_json() == survey.to_json()


def test_a_column_that_can_hold_no_label() -> None:
    budget = PrivacyFilter(RESPONSE.loss, relation="change-one")
    with pytest.raises(TypeError, match="labels"):
        RESPONSE.reports(np.array([1, 2]), budget=budget)
    assert budget.spent.epsilon == 0


def test_labels_of_numpy_are_those_of_python() -> None:
    survey = CategorySurvey([np.str_("a"), np.int64(3)], epsilon=SURE)
    assert [type(label) for label in survey.labels] == [str, int]
    assert type(survey.report(np.str_("a"))) is str
    assert survey.to_json() == CategorySurvey(["a", 3], epsilon=SURE).to_json()
    assert survey.reports(["a", 3, np.str_("a")]).tolist() == ["a", 3, "a"]


@pytest.mark.parametrize("method", ["laplace", "one-bit"])
def test_float64_holds_all_that_is_told(method: Any) -> None:
    for bounds in ((-(2.0**329), 2.0**329), (0, 2.0**-271)):
        survey = NumberSurvey(bounds, epsilon=1, method=method)
        found = survey.estimate([survey.report(bounds[1]) for _ in range(9)])
        told = [survey.variance, survey.error_bound(reports=2**62 - 1), *found.interval()]
        assert np.isfinite(told).all()
        assert min(told[:2]) > 0
    if method == "one-bit":  # which has no scale
        assert math.isfinite(NumberSurvey((0, 2.0**329), epsilon="1e-30", method=method).variance)
        assert NumberSurvey((0, 1), epsilon="1e-30", method="auto").method == method


def test_sums_of_reports_are_exact() -> None:
    big = NumberSurvey((0, 2**51), epsilon="1", step=1)
    reports = [2.0**61, -(2.0**61), 3.0, 2.0**60]
    assert big.tally(reports * 1000).totals == (1000 * (3 + 2**60),)


def test_two_answers_alone_cost_as_much_as_stated() -> None:
    """Few categories have no more noise than they need, and two points of a grid neither."""
    for epsilon in (0.5, 3):
        response = RandomizedResponse(epsilon=epsilon, n_categories=2).probabilities(0)
        unary = UnaryEncoding(epsilon=epsilon, n_categories=2).probabilities(0)
        odds = unary / (1 - unary)
        laplace: Any = NumberSurvey((0, 1), epsilon=epsilon, step=1).mechanism
        one_bit: Any = NumberSurvey((0, 1), epsilon=epsilon, step=1, method="one-bit").mechanism
        chances = one_bit.probabilities(0)
        for ratio in (
            response[0] / response[1], odds[0] / odds[1], laplace.pmf(0) / laplace.pmf(1),
            chances[0] / chances[1],
        ):  # fmt: skip
            assert float(ratio) == pytest.approx(math.exp(epsilon))
