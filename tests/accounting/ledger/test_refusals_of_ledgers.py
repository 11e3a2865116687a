"""What a ledger says to wrong blocks, ids, results and facts; nothing is written then."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accounting.ledger.ledger_processes import new
from accounting.ledger.world import World, release
from refusals import Refusal, check_refusals

from cydp import ZCDP, BudgetExceededError, DiscreteLaplace, LedgerError, Plan, PureDP
from cydp.accounting import (
    BlockRetiredError,
    ChargeInDoubtError,
    MeasureMismatchError,
    RelationMismatchError,
    UnknownBlockError,
)

TENTH = PureDP("0.1")
JSON = "must be what JSON can hold"


@pytest.fixture
def world(path: Path) -> World:
    return World(path)


def test_blocks_that_are_named_wrongly(world: World) -> None:
    days: Any = world.days
    before = world.state()
    charge: Callable[..., Any] = partial(days.charge, TENTH)
    wrong: dict[str, tuple[Any, type[Exception], tuple[str, ...]]] = {
        "text": ("mon", TypeError, ("list of block ids, not str", 'blocks=["mon"]')),
        "a dict": ({"mon": 1}, TypeError, ("blocks must be a list", "not dict")),
        "a number": (5, TypeError, ("blocks must be a list",)),
        "a number in a list": (["mon", 5], TypeError, ("text or days, and one is int", '["mon"]')),
        "nothing": ([], ValueError, ("blocks must name at least one block",)),
        "one twice": (["mon", "mon"], ValueError, ("blocks must name each of them once",)),
        "a lone surrogate": (["\ud800"], ValueError, ("UTF-8",)),
    }  # fmt: skip
    refusals: dict[str, Refusal] = {}
    for what, call in {
        "charged": lambda blocks: charge(blocks=blocks),
        "looked at": lambda blocks: days.would_exceed(TENTH, blocks=blocks),
        "of a scope": lambda blocks: days.scope(blocks=blocks),
        "added": days.add_blocks,
    }.items():
        for name, (blocks, error, words) in wrong.items():
            if what != "added" or not isinstance(blocks, dict):
                refusals[f"{name}, {what}"] = partial(call, blocks), error, words
    missing = "blocks must be in the ledger, and 'sun' is not"
    unnamed = "blocks must name the blocks that are read", "has 'mon', 'tue'"
    refusals |= {
        "blocks by position": (lambda: days.scope("mon"), TypeError, ("positional",)),
        "a missing block": (partial(charge, blocks=["sun"]), UnknownBlockError,
                            (missing, "it has 'mon', 'tue'; name one of", "add")),
        "a missing block of a scope": (lambda: days.scope(blocks=["mon", "sun"]).spent,
                                       UnknownBlockError, (missing,)),
        "blocks that are not named": (charge, UnknownBlockError, unnamed),
        "a scope of none": (lambda: days.scope().charge(TENTH), UnknownBlockError, unnamed),
        "all blocks of a ledger with several": (partial(charge, blocks=["all"]), UnknownBlockError,
                                                unnamed),
        "a release without blocks": (
            lambda: release(days), UnknownBlockError,
            ("must be ledger.scope(blocks=[...]), not the ledger itself", "has 'mon', 'tue'")),
        "a retired block": (partial(charge, blocks=["old"]), BlockRetiredError,
                            ("block 'old' was retired", "nothing can be charged to it any more")),
        "a retired block that is looked at": (lambda: days.would_exceed(TENTH, blocks=["old"]),
                                              BlockRetiredError, ("'old'",)),
        "a missing block to retire": (lambda: days.retire("sun"), UnknownBlockError,
                                      ("block must be in the ledger, and 'sun' is not",)),
        "a block to retire again": (lambda: days.retire("old"), BlockRetiredError, ("'old'",)),
    }  # fmt: skip
    plain: Any = world.ledger
    for what, call in {
        "mon": lambda: plain.charge(TENTH, blocks=["mon"]),
        "all": lambda: plain.charge(TENTH, blocks=["all"]),
        "all, among several charges": lambda: plain.charge_many(
            [{"cost": TENTH, "blocks": ["all"]}]
        ),
        "all, looked at": lambda: plain.would_exceed(TENTH, blocks=["all"]),
        "all, in a scope": lambda: plain.scope(blocks=["all"]),
    }.items():
        words = "blocks must be left out", "made without blocks"
        refusals[f"blocks of a ledger without any: {what}"] = call, UnknownBlockError, words
    refusals["all, retired in a ledger without blocks"] = (
        lambda: plain.retire("all"), UnknownBlockError,
        ("block must be in the ledger, which was made without", "not 'all'"),
    )  # fmt: skip
    for call in (plain.blocks, plain.find_blocks, plain.retire_spent):
        words = "made without blocks", "by_block=True"
        refusals[f"{call.__name__} of a ledger without blocks"] = call, LedgerError, words
    check_refusals(refusals)
    assert world.state() == before


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def test_blocks_that_are_not_added(world: World) -> None:
    days: Any = world.days
    before = world.state()
    add: Callable[..., Any] = days.add_blocks
    at_most = "budget must be at most the ledger's, PureDP(epsilon=1), not PureDP(epsilon=2)"
    other = "budget must be PureDP, as the ledger's budget is, not ZCDP"
    left_out = "budget must be left out if blocks is a dict"
    refusals: dict[str, Refusal] = {
        "a block that is there": (lambda: days.add_block("mon"), LedgerError,
                                  ("block 'mon' is in the ledger already",)),
        "the block of all": (lambda: days.add_block("all"), ValueError,
                             ("block must not be 'all'", "another id")),
        "a number for a block": (lambda: days.add_block(5), TypeError,
                                 ("block must be text, not int",)),
        "a budget of a rho": (lambda: days.add_block("wed", ZCDP(1)), TypeError, (other,)),
        "a budget beyond the ledger's": (lambda: days.add_block("wed", PureDP(2)), ValueError,
                                         (at_most,)),
        "a budget for all beyond it": (lambda: add(["wed"], PureDP(2)), ValueError, (at_most,)),
        "a budget in a dict beyond it": (lambda: add({"wed": PureDP(2)}), ValueError, (at_most,)),
        "a measure in a dict": (lambda: add({"wed": ZCDP(1)}), TypeError, (other,)),
        "None in a dict": (lambda: add({"wed": None}), TypeError, ("budget must be",)),
        "budgets twice": (lambda: add({"wed": TENTH}, TENTH), TypeError, (left_out,)),
        "one of a dict": (lambda: add({"wed": TENTH, "mon": TENTH}), LedgerError, ("mon",)),
        "all in a dict": (lambda: add({"wed": TENTH, "all": TENTH}), ValueError, ("'all'",)),
        "all in a list": (lambda: add(["wed", "all"]), ValueError, ("'all'",)),
        "one of a list is there": (lambda: add(["wed", "mon"]), LedgerError, ("'mon'",)),
        "a number in a dict": (lambda: add({5: TENTH}), TypeError, ("which are text",)),
        "nothing in a dict": (lambda: add({}), ValueError, ("at least one",)),
        "a block to a ledger without any": (lambda: world.ledger.add_block("mon"), LedgerError,
                                            ("no block can be added", "by_block=True")),
        "facts named as a cost": (lambda: days.add_block("wed", at_least=1), TypeError,
                                  ("at_least",)),
        "facts without an end": (lambda: days.add_block("wed", day=nested(10**5)), ValueError,
                                 ("day must not be nested so deeply",)),
    }  # fmt: skip
    # Keys of two types cannot be sorted, and JSON would make one of 1 and "1".
    bad: list[Any] = [object(), {1}, 1j, {1: 1, "1": 2}, [{"a": {None: 1, "b": 2}}], {(1, 2): 1}]
    for place, value in enumerate(bad):
        call = partial(days.add_block, "wed", site=value)
        refusals[f"fact {place}"] = call, TypeError, (f"site {JSON}", "keys are all text")
    for value in (float("nan"), np.float32("inf")):
        call = partial(days.add_block, "wed", site=value)
        refusals[f"a fact of {value}"] = call, ValueError, (f"site {JSON}",)
    check_refusals(refusals)
    assert world.state() == before


def test_what_blocks_are_not_found_by(world: World) -> None:
    days: Any = world.days
    days.add_block("wed", day=40, site="north")
    before = world.state()
    refusals: dict[str, Refusal] = {
        "an unknown fact": (lambda: days.find_blocks(sight=1), ValueError,
                            ("no block has 'sight': there is day, site",)),
        "a fact of a month": (lambda: days.find_blocks(day=np.datetime64("2026-01")), ValueError,
                              ("day must be a day",)),
        "a fact of a set": (lambda: days.find_blocks(day={40}), TypeError, (f"day {JSON}",)),
    }  # fmt: skip
    for name, ask in (
        ("at_least", lambda cost: days.find_blocks(at_least=cost)), ("below", days.retire_spent),
    ):  # fmt: skip
        for cost in (0.5, "1", True, PureDP, Plan([(PureDP(1), 1)])):
            refusals[f"{name} {cost}"] = partial(ask, cost), TypeError, (f"{name} must",)
        refusals[f"{name} a rho"] = partial(ask, ZCDP(1)), MeasureMismatchError, ("PureDP",)
        stated = PureDP(1, relation="change-one")
        refusals[f"{name} of a survey"] = partial(ask, stated), RelationMismatchError, ("change",)
    check_refusals(refusals)
    assert world.state() == before


def test_calls_that_methods_do_not_take(world: World) -> None:
    ledger = world.ledger
    many, text = "too many positional arguments", "(it returns text: pathlib.Path('name')"
    refusals: dict[str, Refusal] = {
        "a block": (lambda: ledger.find_blocks("a"), TypeError, (f"{many}: call find_blocks(*, ",)),
        "an entry": (
            lambda: ledger.history(1), TypeError,
            (f"{many}: call history(*, after=0, most=None, **fields)",),
        ),
        "a path": (lambda: ledger.report().to_html("r.html"), TypeError, (f"{many} {text}",)),
        "no id": (lambda: ledger.result(), TypeError, ("'charge_id': call result(charge_id)",)),
    }  # fmt: skip
    check_refusals(
        refusals, never=("LedgerBlocks", "LedgerResults", "BudgetLedger.", "LedgerReport.")
    )


def test_ids_labels_and_results(world: World) -> None:
    ledger: Any = world.ledger
    ledger.charge(PureDP(0), charge_id="paid")
    before = world.state()
    once: Callable[..., Any] = partial(ledger.once, "a", TENTH)
    unnamed = "function must be given if release is a lambda", "function='...'"
    refusals: dict[str, Refusal] = {
        "a version without an id": (lambda: ledger.scope(data_version="1"), ValueError,
                                    ("charge_id must be given with data_version",)),
        "a record without an id": (lambda: ledger.scope().once(TENTH, dict), ValueError,
                                   ("charge_id must be given to the scope", ".scope(charge_id=")),
        "a result of nothing": (lambda: ledger.result("x"), LedgerError,
                                ("charge_id 'x' is not in the ledger", "nothing was charged")),
        "a result that was not recorded": (lambda: ledger.result("paid"), ChargeInDoubtError,
                                           ("no recorded result",)),
        "a result of a number": (lambda: ledger.result(5), TypeError, ("charge_id",)),
        "a record for a number": (lambda: ledger.record(5, 1), TypeError, ("charge_id",)),
        "a record of None": (lambda: ledger.record("paid", None), TypeError, ("not be None",)),
        "a record of a set": (lambda: ledger.record("paid", {1}), TypeError, ("set",)),
        "a record of bytes": (lambda: ledger.record("paid", b"x"), TypeError, ("bytes",)),
        "an unknown argument": (
            lambda: ledger.charge_many([{"cost": TENTH}, {"cost": TENTH, "block": "mon"}]),
            TypeError, ("dicts of the arguments of charge (cost, count,", "'block'")),
        "a charge without a cost": (lambda: ledger.charge_many([{"cost": TENTH}, {"count": 1}]),
                                    TypeError, ("charges must be", "without 'cost'")),
        "a loss among charges": (lambda: ledger.charge_many([{"cost": TENTH}, TENTH]), TypeError,
                                 ("charges must be", "PureDP")),
        "a lambda without a name": (lambda: once(lambda: 1), TypeError, unnamed),
        "a partial without a name": (lambda: once(partial(dict, a=1)), TypeError, unnamed),
        "a number for a release": (lambda: once(5), TypeError, ("callable",)),
        "a number for a function": (lambda: once(dict, function=5), TypeError, ("function",)),
        "fewer bytes than none": (lambda: once(dict, nbytes=-5), ValueError, ("nbytes",)),
        "more bytes than are kept": (lambda: once(dict, nbytes=2**26 + 1), ValueError,
                                     ("up to 67,108,864 bytes", "67,108,865")),
        "a release of more bytes": (
            lambda: DiscreteLaplace(epsilon="0.1", sensitivity=1).release(
                np.broadcast_to(np.int64(1), 2**23 + 1), budget=ledger.scope(charge_id="huge")
            ), ValueError, ("67,108,864 bytes, and this one has 67,108,872",)),
        "arguments without an end": (lambda: once(dict, arguments=nested(10**5)), ValueError,
                                     ("arguments must not be nested so deeply",)),
        "arguments in a set": (lambda: once(dict, arguments={1}), TypeError, (JSON,)),
        "a version of nothing": (lambda: once(dict, data_version=""), ValueError, ("version",)),
        "more than the budget": (lambda: ledger.once("a", PureDP(2), dict), BudgetExceededError,
                                 ("does not fit",)),
        "a number for an id": (lambda: ledger.once(5, TENTH, dict), TypeError, ("charge_id",)),
        "no name": (lambda: ledger.once("", TENTH, dict), ValueError, ("charge_id",)),
    }  # fmt: skip
    for name in ("label", "charge_id"):
        for call in (partial(ledger.charge, TENTH), ledger.scope):
            for bad, error in ((5, TypeError), ("", ValueError), ("\ud800", ValueError)):
                key = f"{name} {bad!r} of {call}"
                refusals[key] = partial(call, **{name: bad}), error, (f"{name} must",)
    check_refusals(refusals)
    assert world.state() == before


def test_a_result_that_cannot_be_recorded_is_not_returned(path: Path) -> None:
    """It comes to light after the charge; the error says that the charge was made."""
    ledger = new(path)
    bad: list[Any] = [
        None, {1}, 1j, object(), {1: 2}, {"$array": 1}, np.array([object()]),
        np.ma.array([1], mask=[True]),
    ]  # fmt: skip
    for place, result in enumerate(bad):
        call = partial(
            ledger.once, f"{place}", PureDP("0.1"), lambda result=result: result, function="f"
        )
        with pytest.raises((TypeError, ValueError)) as refused:
            call()
        assert refused.value.__notes__ == [
            f"PureDP(epsilon=0.1) was charged as entry {place + 3} of the ledger, by the id "
            f"'{place}'; nothing was released"
        ]
        with pytest.raises(ChargeInDoubtError):
            call()
    assert ledger.spent == PureDP("0.8")
