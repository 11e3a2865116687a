"""Each attack succeeds without its defence, and fails with it: the figures on the lessons' data."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from matplotlib import pyplot as plt
from teach.attacks.pums import ATTACKS, INCOMES, MARRIED, PUMS, REGISTER, run
from teach.looks import check

import cydp
from cydp import PureDP, sensitivity
from cydp.teach import attacks

FIGURES = {  # chance, undefended, defended, limit
    "averaging": (0.5, 0.9998, 0.5463, 0.7311),
    "repeated_array": (0.5, 1.0, 0.5001, 0.7311),
    "differencing": (0.5, 1.0, 0.5649, 0.7311),
    "linkage": (0.204, 0.8482, 0.2793, 0.4106),
    "reconstruction": (0.5, 0.9444, 0.5814, 0.7311),
}
each = pytest.mark.parametrize("name", ATTACKS)


def test_the_figures_are_these() -> None:
    for name, figures in FIGURES.items():
        found = run(name)
        defended = found.defended
        assert figures == tuple(
            round(p, 4)
            for p in (found.chance, found.undefended.success, defended.success, defended.limit)
        )
        assert found.undefended.success > 0.84
        assert found.chance < defended.success < defended.limit
        assert found.undefended.success <= found.undefended.limit
        assert defended.success - found.chance < 0.1
        assert type(defended.success) is type(found.undefended.success) is float


def test_what_each_run_of_the_fixed_key_finds() -> None:
    averaging = run("averaging")
    assert averaging.exact_count == PUMS["married"].sum() == 549
    undefended, defended = averaging.undefended.observed, averaging.defended.observed
    assert len(undefended["answers"]) == 10_000
    assert len(defended["answers"]) == 10
    assert round(undefended["mean"]) == 549
    assert undefended["counted"]
    assert abs(defended["mean"] - 549) > 1
    array = run("repeated_array")
    assert round(array.undefended.observed["mean"], 1) == 549
    assert abs(array.defended.observed["mean"] - 549) > 100
    differencing = run("differencing")
    assert differencing.undefended.observed == {"counts": (549, 548), "has": True}
    unique = {"people": 1000, "unique": 674, "right": 869}
    linkage = run("linkage")
    assert linkage.undefended.observed == unique
    assert 220 < linkage.defended.observed["right"] < 340  # 279 on average
    block = run("reconstruction")
    undefended = block.undefended.observed
    assert (undefended["agree"], undefended["right"], undefended["people"]) == (1, 9, 9)
    assert undefended["counts"] == [5, 4, 1, 5, 0, 1, 1, 2]
    assert block.defended.observed["counts"] != undefended["counts"]


@each
def test_every_run_has_new_noise_and_the_same_probabilities(name: str) -> None:
    one, other = ATTACKS[name](), ATTACKS[name]()
    for trial in ("undefended", "defended"):
        assert getattr(one, trial).success == getattr(other, trial).success
    assert str(one.defended.observed) != str(other.defended.observed)


def test_the_loss_is_what_the_releases_cost() -> None:
    """Against the sensitivity of each release, stated anew, and the budget that paid."""
    one, changed = sensitivity.count(), sensitivity.histogram(relation="change-one")
    averaging = run("averaging", epsilon="0.3", total=1, count=5)
    assert averaging.undefended.loss == PureDP("1.5", relation="add-remove")
    assert averaging.defended.loss == PureDP("0.9", relation="add-remove")
    assert len(averaging.defended.observed["answers"]) == 3
    enough = run("averaging", epsilon="0.5", total=1, count=2)
    assert enough.defended.release == "2 answers"
    assert enough.defended.loss.epsilon == 1
    array = run("repeated_array", count=1000)
    assert array.undefended.loss.epsilon == 1000
    assert array.defended.loss.epsilon == 1
    assert sensitivity.queries(*[one] * 1000) == 1000 * one
    for name in ("differencing", "reconstruction"):
        assert run(name, epsilon="1/3").defended.loss == PureDP("1/3", relation="add-remove")
    assert run("linkage").defended.loss == PureDP(1, relation=changed.relation)


def test_a_session_gives_a_repeated_question_its_stored_answer() -> None:
    session = cydp.Session({"married": [1, 1, 1]}, cydp.PrivacyFilter(PureDP(1)))
    answers = {int(session.count(column="married", epsilon="0.1").value) for _ in range(50)}
    assert len(answers) == 1
    assert session.spent == PureDP("0.1")


@each
def test_less_privacy_helps_the_attacker_up_to_the_undefended(name: str) -> None:
    some, much = run(name), run(name, **{"total" if name == "averaging" else "epsilon": 8})
    assert some.defended.success < much.defended.success <= much.defended.limit
    assert some.defended.limit < much.defended.limit < 1


@pytest.mark.parametrize("name", ["differencing", "linkage"])
def test_any_library_may_hold_the_table(name: str) -> None:
    duckdb, pandas = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    frame = pandas.DataFrame(PUMS)
    expected = run(name)
    for table in (frame, duckdb.from_df(frame), {name: list(x) for name, x in PUMS.items()}):
        found = run(name, table=table)
        assert (found.undefended.success, found.defended.success) == (
            expected.undefended.success, expected.defended.success
        )  # fmt: skip
        assert str(found.undefended.observed) == str(expected.undefended.observed)


BAD: list[tuple[Any, str]] = [
    (lambda: attacks.averaging(PUMS, MARRIED, epsilon=2), "total must be at least epsilon, 2, not"),
    (lambda: attacks.averaging(PUMS, MARRIED, count=0), "count must be between 1 and 10,000,000"),
    (lambda: attacks.averaging(PUMS, {"age": 200}), "where must hold for a record of the table"),
    (lambda: attacks.averaging(PUMS, 1), "where must be a dict by column of a label"),
    (lambda: attacks.averaging(PUMS, {}), "where must be a dict by column of a label"),
    (lambda: attacks.averaging(PUMS, {"height": 1}), "where must be a column of table, which has"),
    (lambda: attacks.averaging(5, MARRIED), "table must be a frame of pandas"),
    (lambda: attacks.repeated_array(PUMS, MARRIED, epsilon=0), "epsilon must be"),
    (lambda: attacks.differencing(PUMS, MARRIED, {"age": 200}), "who must describe one record"),
    (lambda: attacks.differencing(PUMS, MARRIED, {"sex": 1}), "who must describe one record"),
    (lambda: attacks.linkage(PUMS, INCOMES, "pid"), "secret must be one of several columns"),
    (lambda: attacks.linkage(PUMS, {"sex": [0, 1]}, "sex"), "secret must be one of several"),
    (
        lambda: attacks.linkage(PUMS, INCOMES | {"pid": (1000, (1, 1000))}, "sex"),
        "domains must have at most 2**22 cells together, not",
    ),
    (lambda: attacks.linkage(PUMS, INCOMES | {"age": [200]}, "sex"), "table must have a row whose"),
    (
        lambda: attacks.reconstruction(PUMS, REGISTER, MARRIED, block={"sex": 1}),
        "block must have 1 to 12 people",
    ),
    (
        lambda: attacks.reconstruction(PUMS, REGISTER, MARRIED, block={"age": 73}, smallest=0),
        "smallest must be at least 1, not 0",
    ),
    (
        lambda: attacks.reconstruction(PUMS, REGISTER, MARRIED, block={"age": 73}, smallest=10),
        "smallest must be at most the number of people",
    ),
    (
        lambda: attacks.reconstruction(
            PUMS, REGISTER | {"income": (2, (0, 10**6))} | {"pid": (2, (1, 1000))}, MARRIED,
            block={"age": (1, (73, 74))},
        ),
        "block must have ",
    ),
]  # fmt: skip


def test_bad_arguments_are_named() -> None:
    for call, words in BAD:
        with pytest.raises((TypeError, ValueError)) as raised:
            call()
        assert str(raised.value).startswith(words), raised.value


def test_errors_do_not_tell_what_a_record_holds() -> None:
    """With nobody, and with two, who are as described: one message, which names no value."""
    none = {"name": ["ada", "bob"], "ill": [1, 0]}
    messages = set()
    for table in (none, {"name": ["eve", "eve"], "ill": [1, 0]}, none | {"ill": [None, None]}):
        with pytest.raises(ValueError, match="who must") as raised:
            attacks.differencing(table, {"ill": 1}, {"name": "eve"})
        messages.add(str(raised.value))
    assert messages == {"who must describe one record of the table, not none and not several"}


def test_a_missing_value_is_no_value() -> None:
    table = {"name": ["ada", "bob", None], "ill": [1.0, np.nan, 1.0]}
    found = attacks.differencing(table, {"ill": 1}, {"name": "bob"})
    assert found.undefended.observed == {"counts": (2, 2), "has": False}


def test_its_text_says_all() -> None:
    assert repr(run("differencing")) == (
        "Differencing: does a person have a property, by two counts?\n"
        "  without a release: right with probability 0.5\n"
        "  undefended: two exact counts; not differentially private: right with probability 1\n"
        "  defended: two noisy counts of one budget; PureDP(epsilon=1, relation='add-remove'): "
        "right with probability 0.5649; no attacker more than 0.7311"
    )


def test_a_limit_is_rounded_up() -> None:
    words = repr(run("differencing", epsilon="1e-6"))
    assert words.endswith("right with probability 0.5; no attacker more than 0.5001")


def test_an_attack_is_equal_to_itself_alone() -> None:
    """Its trials hold arrays, which have no equality that is True or False."""
    one, other = run("averaging"), run("averaging")
    assert one == one != other
    assert one.defended == one.defended != other.defended
    assert len({one, other, one.defended}) == 3


@each
def test_its_picture_can_be_read(name: str) -> None:
    check(run(name).plot)


def test_a_column_with_dollar_signs_is_no_formula() -> None:
    name = r"$\bar$"
    table = {name: [1, 2, 1, 2], "sex": [0, 0, 1, 1]}
    ax = attacks.linkage(table, {name: [1, 2], "sex": [0, 1]}, name).plot()
    ax.figure.canvas.draw()
    plt.close(ax.figure)


def test_one_count_is_said_as_one() -> None:
    table = {"sex": [0, 1], "ill": [0, 1]}
    attack = attacks.reconstruction(
        table, {"sex": [0, 1]}, {"ill": 1}, block={"ill": [0, 1]}, smallest=2
    )
    assert attack.undefended.release == "1 exact count"
    assert attack.defended.release == "1 noisy count of one budget"


def test_the_picture_of_means_can_be_read() -> None:
    attack = run("averaging")
    check(attack.plot_means)
    check(run("averaging", epsilon="1e-7").plot_means)  # whose numbers are wide
    ax = attack.plot_means()
    lines = {line.get_label(): line for line in ax.lines}
    answers = attack.undefended.observed["answers"]
    assert lines["undefended: 10,000 answers"].get_ydata()[-1] == answers.mean()
    assert Fraction(lines["exact count without"].get_ydata()[0]) == 548
    one = run("averaging", epsilon=1).plot_means()
    assert "defended: 1 answer" in [line.get_label() for line in one.lines]
