"""Accounts: parts of a ledger's budget that are set aside for pipelines, and what they leave."""

import threading
from fractions import Fraction
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from accounting.ledger.ledger_processes import ended, forked, new

import cydp
from cydp import ZCDP, ApproxDP, BudgetExceededError, BudgetLedger, PureDP
from cydp.accounting import (
    BlockRetiredError,
    ChargeConflictError,
    ChargeInDoubtError,
    LedgerError,
    Loss,
    UnknownAccountError,
    UnknownBlockError,
)


def tenths(number: int) -> PureDP:
    return PureDP(Fraction(number, 10))


def test_what_is_set_aside_is_the_account_s_alone(path: Path) -> None:
    ledger = new(path)
    ledger.open_account("nightly", tenths(4))
    assert (ledger.spent, ledger.remaining) == (PureDP(0), tenths(6))
    with pytest.raises(BudgetExceededError, match=r"0\.4.* set aside for accounts") as refused:
        ledger.charge(tenths(7))
    assert refused.value.remaining == tenths(6)
    assert refused.value.set_aside == tenths(4)
    nightly = ledger.scope(account="nightly")
    with pytest.raises(BudgetExceededError, match="of account 'nightly' has") as refused:
        nightly.charge(tenths(5))  # though the ledger has 0.6 left beside
    ledger.charge(tenths(6))
    assert (refused.value.account, refused.value.budget) == ("nightly", tenths(4))
    nightly.charge(tenths(4))
    assert (nightly.budget, nightly.spent, nightly.remaining) == (tenths(4), tenths(4), PureDP(0))
    assert (ledger.spent, ledger.remaining) == (PureDP(1), PureDP(0))
    assert ledger.guarantee() == PureDP(1, relation="add-remove")
    ledger.verify()


def test_closing_sets_free_what_was_not_spent_and_nothing_else(path: Path) -> None:
    ledger = new(path)
    ledger.open_account("nightly", tenths(4))
    ledger.charge(tenths(1), account="nightly", charge_id="in doubt")
    assert ledger.close_account("nightly") == tenths(3)
    assert (ledger.spent, ledger.remaining) == (tenths(1), tenths(9))
    assert ledger.totals("account") == {"nightly": tenths(1)}
    with pytest.raises(UnknownAccountError, match="has no account"):
        ledger.charge(tenths(1), account="nightly")
    with pytest.raises(UnknownAccountError, match="must be open in the ledger"):
        ledger.close_account("nightly")
    with pytest.raises(ChargeInDoubtError):  # its charge stays
        ledger.charge(tenths(1), account="nightly", charge_id="in doubt")
    ledger.verify()
    assert BudgetLedger.open(path).remaining == tenths(9)


def test_it_is_opened_only_with_what_is_left(path: Path) -> None:
    ledger = new(path)
    ledger.charge(tenths(3))
    ledger.open_account("nightly", tenths(5))
    with pytest.raises(BudgetExceededError):
        ledger.open_account("weekly", tenths(3))
    with pytest.raises(LedgerError, match="open already"):
        ledger.open_account("nightly", tenths(1))
    with pytest.raises(LedgerError, match="with another budget"):
        ledger.open_account("nightly", tenths(1), exist_ok=True)
    ledger.open_account("nightly", tenths(5), exist_ok=True)
    ledger.open_account("weekly", tenths(2))
    assert [(each.name, each.budget) for each in ledger.accounts()] == [
        ("nightly", tenths(5)), ("weekly", tenths(2)),
    ]  # fmt: skip
    assert ledger.remaining == PureDP(0)
    ledger.verify()


@pytest.mark.parametrize(
    ("name", "budget"),
    [
        (1, PureDP(1)), ("", PureDP(1)), ("x" * 1001, PureDP(1)), ("a", ZCDP(1)),
        ("a", PureDP(2)), ("a", 1),
    ],
)  # fmt: skip
def test_bad_arguments_change_nothing(path: Path, name: str, budget: Loss) -> None:
    ledger = new(path)
    head = ledger.head()
    with pytest.raises((TypeError, ValueError)):
        ledger.open_account(name, budget)
    with pytest.raises(UnknownBlockError):
        ledger.open_account("a", tenths(1), blocks=["mon"])
    assert ledger.head() == head


def test_blocks(path: Path) -> None:
    ledger = new(path, by_block=True)
    ledger.add_blocks(["mon", "tue", "wed"])
    with pytest.raises(UnknownBlockError):
        ledger.open_account("nightly", tenths(2))
    ledger.retire("wed")
    with pytest.raises(BlockRetiredError):
        ledger.open_account("nightly", tenths(2), blocks=["mon", "wed"])
    assert not ledger.accounts()
    ledger.open_account("nightly", tenths(2), blocks=["mon"])
    ledger.open_account("nightly", tenths(3), blocks=["tue"])
    nightly = ledger.scope(account="nightly", blocks=["mon", "tue"])
    nightly.charge(tenths(2))
    assert nightly.remaining == {"mon": PureDP(0), "tue": tenths(1)}
    with pytest.raises(BudgetExceededError) as refused:
        nightly.charge(tenths(1))
    assert refused.value.block == "mon"
    mon, tue, _ = ledger.blocks()
    assert (mon.spent, mon.remaining, mon.set_aside) == (tenths(2), tenths(8), PureDP(0))
    assert (tue.spent, tue.remaining, tue.set_aside) == (tenths(2), tenths(7), tenths(1))
    assert ledger.find_blocks(at_least=tenths(8)) == ["mon"]
    ledger.charge(tenths(7), blocks=["tue"])
    # A block that has something set aside stays open: to retire it would take that away.
    assert ledger.retire_spent(below=tenths(9)) == ["mon"]
    assert ledger.close_account("nightly") == {"mon": PureDP(0), "tue": tenths(1)}
    assert ledger.retire_spent(below=tenths(9)) == ["tue"]
    ledger.verify()


def test_what_find_blocks_finds_is_not_set_aside(path: Path) -> None:
    ledger = new(path, by_block=True)
    ledger.add_blocks(["mon", "tue"])
    ledger.open_account("nightly", tenths(4), blocks=["mon"])
    assert ledger.find_blocks(at_least=tenths(6)) == ["mon", "tue"]
    assert ledger.find_blocks(at_least=tenths(7)) == ["tue"]


def test_a_release_is_paid_and_repeated(path: Path) -> None:
    ledger = BudgetLedger.create(path, PureDP(1), privacy_unit="row")
    ledger.open_account("nightly", tenths(4))
    table = {"sex": ["f", "m", "f"]}

    def release(**scope: str) -> Any:
        budget = ledger.scope(charge_id="sexes", data_version="1", **scope)  # type: ignore[arg-type]
        return cydp.value_counts(table, ["f", "m"], column="sex", epsilon="0.3", budget=budget)

    first = release(account="nightly")
    assert (first.counts == release(account="nightly").counts).all()
    assert ledger.spent == tenths(3)
    for scope in ({}, {"account": "weekly"}):
        with pytest.raises(ChargeConflictError, match="differs in account"):
            release(**scope)
    session = cydp.Session(table, ledger.scope(account="nightly"))
    with pytest.raises(BudgetExceededError, match="account 'nightly'"):
        session.count(epsilon="0.2")
    session.count(epsilon="0.1")
    assert ledger.scope(account="nightly").remaining == PureDP(0)
    assert [each["account"] for each in ledger.history(kind="charge")] == ["nightly"] * 2
    assert "account nightly" in str(ledger.report())


def test_what_is_said_of_accounts(path: Path) -> None:
    ledger = new(path)
    ledger.open_account("nightly", tenths(4))
    ledger.charge(tenths(1), account="nightly", label="ages")
    report = ledger.report()
    assert "left PureDP(epsilon=0.6), set aside for accounts PureDP(epsilon=0.3)" in report.text
    assert report.to_dict()["blocks"]["all"]["set_aside"] == {"epsilon": "0.3"}
    assert "set aside for accounts" in report.to_html()
    lines = [line.split(" ", 2)[2] for line in str(ledger.history()).splitlines()]
    assert lines[2:] == [
        "open account epsilon=0.4 account nightly",
        "charge epsilon=0.1 account nightly: ages",
    ]


def test_reports_have_the_accounts_by_name(path: Path) -> None:
    ledger = new(path)
    ledger.open_account("nightly", tenths(4))
    ledger.charge(tenths(1), account="nightly")
    report = ledger.report()
    assert "  account nightly: left epsilon=0.3 of epsilon=0.4" in report.text
    assert "nightly: left epsilon=0.3 of epsilon=0.4" in report.to_html()
    assert report.to_dict()["accounts"] == [
        {"account": "nightly", "block": None, "budget": {"epsilon": "0.4"},
         "spent": {"epsilon": "0.1"}, "left": {"epsilon": "0.3"}},
    ]  # fmt: skip


def test_a_retired_block_has_nothing_left_for_an_account(path: Path) -> None:
    ledger = new(path, by_block=True)
    ledger.add_block("mon")
    ledger.open_account("nightly", tenths(5), blocks=["mon"])
    ledger.charge(tenths(1), blocks=["mon"], account="nightly")
    ledger.retire("mon")
    (state,) = ledger.accounts()
    (block,) = ledger.blocks()
    scope = ledger.scope(account="nightly", blocks=["mon"])
    assert state.remaining == scope.remaining == block.set_aside == PureDP(0)
    assert ledger.close_account("nightly") == {"mon": PureDP(0)}
    ledger.verify()


def test_a_session_says_what_its_account_has_left(path: Path) -> None:
    ledger = BudgetLedger.create(path, PureDP(1), privacy_unit="row")
    ledger.open_account("nightly", tenths(4))
    session = cydp.Session({"x": [1, 2]}, ledger.scope(account="nightly"))
    session.count(epsilon="0.1")
    assert "paid by account 'nightly'" in session.report()
    assert "left epsilon=0.3" in session.report().replace("PureDP(", "").replace(")", "")
    ledger.close_account("nightly")
    assert "paid by account 'nightly'" in repr(session)


def test_charges_of_one_call_ask_each_for_their_own_account(path: Path) -> None:
    ledger = new(path)
    ledger.open_account("nightly", tenths(4))
    mine = [{"cost": tenths(3)}, {"cost": tenths(2), "account": "nightly"}]
    for more, asked, account in (({}, 7, None), ({"account": "nightly"}, 6, "nightly")):
        with pytest.raises(BudgetExceededError) as refused:
            ledger.charge_many([*mine, {"cost": tenths(4), **more}])
        assert (refused.value.requested, refused.value.charges) == (tenths(asked), 2)
        assert refused.value.account == account
    assert ledger.spent == PureDP(0)


def test_none_of_two_users_gets_what_the_other_has(path: Path) -> None:
    """Threads charge the account and the rest at once, and each gets its part exactly."""
    ledger = new(path)
    ledger.open_account("nightly", tenths(4))
    granted = {"nightly": 0, None: 0}

    def work(account: str | None) -> None:
        for _ in count():
            try:
                ledger.charge(PureDP("0.05"), account=account)
            except BudgetExceededError:
                return
            granted[account] += 1

    threads = [threading.Thread(target=work, args=(each,)) for each in granted]
    for thread in threads:
        thread.start()
    assert ended(forked(lambda: work("nightly"))) == 0
    for thread in threads:
        thread.join()
    history = ledger.history(kind="charge")
    assert sum(each.get("account") == "nightly" for each in history) == 8
    assert granted[None] == 12
    ledger.verify()


def test_two_numbers(path: Path) -> None:
    """Neither delta nor epsilon may be overdrawn, in the account or beside it."""
    ledger = new(path, ApproxDP(1, "1e-6"))
    ledger.open_account("nightly", ApproxDP("0.5", "6e-7"))
    for account in (None, "nightly"):
        with pytest.raises(BudgetExceededError):
            ledger.charge(ApproxDP("0.1", "7e-7"), account=account)
    ledger.charge(ApproxDP("0.5", "4e-7"))
    ledger.charge(ApproxDP("0.5", "6e-7"), account="nightly")
    assert ledger.remaining == ApproxDP(0, 0)
    ledger.verify()


def test_costs_too_long_for_an_entry_never_exceed_the_ledger(path: Path) -> None:
    """Sums are rounded up where they would be long: in the account, and in the ledger."""
    ledger = new(path)
    third = PureDP(Fraction(1, 3**2500))
    ledger.charge(PureDP(Fraction(1, 7**1400)))
    ledger.open_account("nightly", PureDP("0.5"))
    ledger.charge(PureDP(Fraction(1, 5**1700)), account="nightly")
    for _ in range(3):
        ledger.charge(third, account="nightly")
    assert ledger.spent.epsilon.denominator.bit_length() <= 8192
    assert ledger.spent.epsilon >= Fraction(1, 7**1400) + 3 * Fraction(1, 3**2500)
    assert ledger.remaining.epsilon < Fraction(1, 2)
    ledger.charge(PureDP("0.499"))
    ledger.charge(PureDP("0.499"), account="nightly")
    assert 0.998 < ledger.spent.epsilon <= 1
    ledger.verify()


def test_a_sum_that_is_rounded_up_beside_an_account_is_no_damage(path: Path) -> None:
    """The ledger's sum is longer than the account's, and only it is rounded: nothing is left."""
    ledger = new(path)
    long = PureDP(Fraction(1, 7**1400))
    ledger.charge(long)
    ledger.open_account("nightly", PureDP(1 - long.epsilon))
    for cost in (Fraction(1, 5**1700), Fraction(1, 3**2500)):
        ledger.charge(PureDP(cost), account="nightly")
    kept = ledger.scope(account="nightly").remaining.epsilon
    assert ledger.spent.epsilon + kept > 1
    assert ledger.remaining == PureDP(0)
    ledger.verify()


def test_copies_have_accounts_and_a_retired_backup_has_none(path: Path, tmp_path: Path) -> None:
    ledger = new(path)
    ledger.open_account("nightly", tenths(4))
    ledger.charge(tenths(1), account="nightly")
    backup, there = path.with_name("backup"), tmp_path / "there"
    head = ledger.backup(backup)
    assert ledger.move(there) == head
    moved = BudgetLedger.open(there)
    assert [each.remaining for each in moved.accounts()] == [tenths(3)]
    moved.charge(tenths(3), account="nightly")
    retired = BudgetLedger.restore(backup, path.with_name("retired"), retire=True)
    assert (retired.spent, retired.remaining) == (PureDP(1), PureDP(0))
    assert not retired.accounts()
    for each in (moved, retired):
        each.verify()


def test_a_name_and_a_note(path: Path) -> None:
    ledger = new(path)
    assert (ledger.name, ledger.note) == (None, None)
    ledger.describe(name="Visits", note="ask <Ada>")
    ledger.describe(note="ask Grace & Ada")
    assert (ledger.name, ledger.note) == ("Visits", "ask Grace & Ada")
    assert BudgetLedger.open(path).name == "Visits"
    report = ledger.report()
    assert report.text.startswith("name: Visits\nnote: ask Grace & Ada\nbudget ")
    assert "ask Grace &amp; Ada" in report.to_html()
    assert report.to_dict()["name"] == "Visits"
    assert (
        str(ledger.history(kind="about"))
        .splitlines()[0]
        .endswith("about name=Visits note=ask <Ada>")
    )
    for wrong in ({}, {"name": ""}, {"note": 1}):
        with pytest.raises((TypeError, ValueError)):
            ledger.describe(**wrong)  # type: ignore[arg-type]
    ledger.verify()
