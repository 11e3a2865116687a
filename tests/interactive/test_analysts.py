"""Many analysts at one budget: exactly the budget, and one answer for each question."""

from __future__ import annotations

import json
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accounting.ledger import ledger_processes
from accounting.ledger.ledger_processes import die, ended

from cydp import (
    BudgetExceededError,
    BudgetLedger,
    PrivacyError,
    PrivacyFilter,
    PureDP,
    Session,
)
from cydp.accounting import ChargeInDoubtError
from cydp.accounting.ledger import _open_file

NEEDS_FORK = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
ANALYSTS = 10
TABLE = {"x": [1.0, 2.0, 3.0] * 10}
COST = Fraction(1, 10)
LONG = 600  # seconds to wait for others, on a busy machine or one with a slow disk


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let processes wait long for each other's transactions."""
    monkeypatch.setattr(_open_file, "BUSY_SECONDS", LONG)


def forked(work: Callable[[], object]) -> int:
    """Run in a child, which an alarm stops late."""
    return ledger_processes.forked(work, seconds=LONG)


def questions(analyst: int, shared: int, own: int) -> list[int]:
    """The numbers of questions that an analyst asks: some that all ask, and some of their own."""
    mine = [*range(shared), *range(shared + own * analyst, shared + own * (analyst + 1))]
    random.Random(analyst).shuffle(mine)
    return mine


def ask(session: Session, question: int) -> int:
    """A question of cost 1/10. With scale 10 noise, two answers rarely agree by chance."""
    return int(session.count(epsilon=COST, again=question).value)


def check(answers: list[tuple[int, int]], spent: PureDP, budget: PureDP) -> None:
    """All of the budget is spent, by as many questions as it pays, each with one answer."""
    by_question: dict[int, set[int]] = {}
    for question, answer in answers:
        by_question.setdefault(question, set()).add(answer)
    assert all(len(each) == 1 for each in by_question.values()), "two answers to one question"
    assert spent == budget, "not all of the budget, or more"
    assert len(by_question) * COST == budget.epsilon, "an answer that nobody has paid"


def in_processes(work: Callable[[int], dict[str, Any]]) -> list[dict[str, Any]]:
    """Do the work of each analyst in a process of its own; return what they return."""
    read, write = os.pipe()

    def report(analyst: int) -> None:
        os.write(write, json.dumps(work(analyst)).encode() + b"\n")  # one write, of one line

    children = [forked(lambda i=i: report(i)) for i in range(ANALYSTS)]
    os.close(write)
    with open(read, "rb") as lines:
        reports = [json.loads(line) for line in lines]
    assert [ended(child) for child in children] == [0] * ANALYSTS
    return reports


@pytest.mark.parametrize(
    ("shared", "own", "affordable"),
    [(5, 4, 30), pytest.param(20, 12, 100, marks=pytest.mark.long)],
)
def test_ten_analysts_in_processes(tmp_path: Path, shared: int, own: int, affordable: int) -> None:
    path, budget = tmp_path / "ledger", PureDP(COST * affordable)
    BudgetLedger.create(path, budget, privacy_unit="row").close()

    def work(analyst: int) -> dict[str, Any]:
        """Ask until everything is refused; then ask all again: some answers are stored."""
        with BudgetLedger.open(path) as ledger:
            session = Session(
                TABLE, ledger, version="2026", analyst=f"analyst {analyst}", wait=LONG
            )
            answers, refused = [], 0
            for question in 2 * questions(analyst, shared, own):
                try:
                    answers.append((question, ask(session, question)))
                except BudgetExceededError:
                    refused += 1
            entries = session.history()
            assert all(entry.answered and entry.seq for entry in entries)
            assert len(entries) == len(answers)
            paid = sum(not entry.repeated for entry in entries)
            cost = str(sum((entry.cost.epsilon for entry in entries), Fraction(0)))
        return {"answers": answers, "refused": refused, "paid": paid, "cost": cost}

    assert shared + own * ANALYSTS > affordable  # not all can be answered
    reports = in_processes(work)
    answers = [tuple(each) for report in reports for each in report["answers"]]
    with BudgetLedger.open(path) as ledger:
        check(answers, ledger.spent, budget)
        ledger.verify()
        charges = [entry for entry in ledger.history() if entry["kind"] == "charge"]
        by_analyst = Session(TABLE, ledger).spent_by_analyst()
    assert sum(report["paid"] for report in reports) == affordable == len(charges)
    assert sum(Fraction(report["cost"]) for report in reports) == budget.epsilon
    assert sum(report["refused"] for report in reports) > 0
    assert max(Counter(question for question, _ in set(answers)).values()) == 1
    assert len(answers) > affordable  # questions were repeated, in other processes too
    assert sum((each.epsilon for each in by_analyst.values()), Fraction(0)) == budget.epsilon
    assert None not in by_analyst


@pytest.mark.parametrize("durable", [False, True])
def test_ten_analysts_in_threads(tmp_path: Path, durable: bool) -> None:
    budget = PureDP(COST * 30)
    payer: Any = PrivacyFilter(budget)
    if durable:
        payer = BudgetLedger.create(tmp_path / "ledger", budget, privacy_unit="row")
    session = Session(TABLE, payer, version="2026" if durable else None, wait=LONG)
    answers: list[tuple[int, int]] = []
    refused: list[int] = []
    failed: list[BaseException] = []
    barrier = threading.Barrier(ANALYSTS)

    def work(analyst: int) -> None:
        try:
            barrier.wait()
            for question in questions(analyst, 5, 4):
                try:
                    answers.append((question, ask(session, question)))
                except BudgetExceededError:
                    refused.append(question)
        except BaseException as error:
            failed.append(error)
            raise

    threads = [threading.Thread(target=work, args=(i,)) for i in range(ANALYSTS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    check(answers, session.spent, budget)
    history = session.history()
    assert sum((entry.cost.epsilon for entry in history), Fraction(0)) == budget.epsilon
    assert len(history) == len(answers)
    assert len(answers) + len(refused) == ANALYSTS * 9
    if durable:
        payer.close()


class Column:
    """Numbers that are asked for after the charge, when something happens first."""

    dtype, shape, ndim = np.dtype(float), (3,), 1

    def __init__(self, happens: Callable[[], object]) -> None:
        self.happens = happens

    def __len__(self) -> int:
        return 3

    def __array__(self, *args: Any, **kwargs: Any) -> np.ndarray[Any, Any]:
        self.happens()
        return np.array([1.0, 2.0, 3.0])


def test_a_thread_waits_for_another_that_asks_the_same() -> None:
    inside, go_on = threading.Event(), threading.Event()

    def happens() -> None:
        inside.set()
        assert go_on.wait(LONG)

    session = Session(Column(happens), PrivacyFilter(PureDP(1)))
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda: answers.append(session.count(epsilon=1))) for _ in range(2)
    ]
    threads[0].start()
    assert inside.wait(LONG)
    threads[1].start()
    go_on.set()
    for thread in threads:
        thread.join()
    assert answers[0] is answers[1]
    assert [entry.repeated for entry in session.history()] == [False, True]


def test_a_question_inside_of_itself_is_refused() -> None:
    """As a signal handler may ask it: there is one answer to a question."""
    errors: list[str] = []

    def happens() -> None:
        with pytest.raises(PrivacyError, match="very question") as error:
            session.count(epsilon=1)
        errors.append(str(error.value))

    session = Session(Column(happens), PrivacyFilter(PureDP(1)))
    session.count(epsilon=1)
    assert len(errors) == 1
    assert session.remaining == PureDP(0)


def test_a_process_waits_for_the_answer_of_another(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    ledger = BudgetLedger.create(path, PureDP(1), privacy_unit="row")
    read, write = os.pipe()

    def work() -> None:
        def happens() -> None:
            os.write(write, b"x")
            time.sleep(0.2)  # the parent asks meanwhile, if it is quick

        Session(Column(happens), ledger, version="2026").count(epsilon=1)

    child = forked(work)
    os.read(read, 1)
    session = Session(TABLE, ledger, version="2026", wait=LONG)
    session.count(epsilon=1)
    assert ended(child) == 0
    assert [entry.repeated for entry in session.history()] == [True]
    assert ledger.spent == PureDP(1)
    ledger.close()


def test_a_process_that_was_stopped_leaves_a_question_in_doubt(tmp_path: Path) -> None:
    """The error says how to go on, and `again` pays anew."""
    path = tmp_path / "ledger"
    ledger = BudgetLedger.create(path, PureDP(1), privacy_unit="row")
    stopped = forked(lambda: Session(Column(die), ledger, version="1").count(epsilon=COST))
    assert ended(stopped) < 0
    session = Session(TABLE, ledger, version="1", wait="0.01")
    assert session.spent == PureDP(COST)
    with pytest.raises(ChargeInDoubtError, match="again=1"):
        session.count(epsilon=COST)
    assert session.history() == []
    answer = session.count(epsilon=COST, again=1)
    assert session.spent == PureDP(2 * COST)
    assert Session(TABLE, ledger, version="1").count(epsilon=COST, again=1) == answer
    Session(TABLE, ledger, version="2").count(epsilon=COST)
    assert session.spent == PureDP(3 * COST)
    ledger.close()


def test_a_forked_child_has_the_answers_and_no_budget() -> None:
    session = Session(TABLE, PrivacyFilter(PureDP(1)))
    first = session.count(epsilon=COST)

    def work() -> None:
        assert session.count(epsilon=COST) == first
        assert [entry.repeated for entry in session.history()] == [True]
        with pytest.raises(PrivacyError, match="cannot be used in a forked process"):
            session.count(epsilon=COST, again=1)

    assert ended(forked(work)) == 0
    assert len(session.history()) == 1


for test in (
    test_ten_analysts_in_processes,
    test_a_process_waits_for_the_answer_of_another,
    test_a_forked_child_has_the_answers_and_no_budget,
    test_a_process_that_was_stopped_leaves_a_question_in_doubt,
):
    for mark in NEEDS_FORK:
        mark(test)
