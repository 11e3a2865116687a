"""accounting/ledger/_ledger.py: durable, refused in time, and never less than was released."""

import copy
import datetime
import pickle
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accounting.ledger.ledger_processes import new

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    BudgetLedger,
    DiscreteGaussian,
    DiscreteLaplace,
    LedgerError,
    PureDP,
)
from cydp.accounting import (
    BlockRetiredError,
    ChargeConflictError,
    ChargeInDoubtError,
    MeasureMismatchError,
    RelationMismatchError,
    UnitMismatchError,
    UnknownBlockError,
    sequential,
)
from cydp.accounting.ledger import _serialize
from cydp.testing import SeededGenerator


def test_ten_charges_of_a_tenth_empty_a_budget_of_one(path: Path) -> None:
    ledger = new(path)
    for _ in range(10):
        ledger.charge(PureDP(0.1))
    for bad in (PureDP(1e-300), DiscreteLaplace(epsilon=1e-3, sensitivity=1)):
        assert ledger.would_exceed(bad)
        for call in (
            ledger.charge,
            lambda cost: ledger.charge_many([{"cost": PureDP(0)}, {"cost": cost}]),
        ):
            with pytest.raises(BudgetExceededError):
                call(bad)
    assert ledger.spent == PureDP(1)
    assert ledger.remaining == PureDP(0)
    assert BudgetLedger.open(path).spent == PureDP(1)
    ledger.verify()


def test_what_each_measure_pays(path: Path) -> None:
    zcdp = new(path, ZCDP(1), relation="change-one")
    zcdp.charge(PureDP(1), relation="change-one")
    zcdp.charge(DiscreteGaussian(rho=0.25, sensitivity=1))
    assert BudgetLedger.open(path).spent == ZCDP(PureDP(1).rho + Fraction(1, 4))
    approximate = new(path.with_name("other"), ApproxDP(1, 1e-6))
    approximate.charge(ApproxDP(0.5, 1e-6))
    approximate.charge(PureDP(0.5))
    for ledger, cost in ((zcdp, ApproxDP(1, 1e-6)), (approximate, ZCDP(0))):
        with pytest.raises(MeasureMismatchError):
            ledger.charge(cost)
    assert BudgetLedger.open(path.with_name("other")).remaining == ApproxDP(0, 0)


def test_repeated_ids(path: Path) -> None:
    ledger = new(path)
    first = ledger.charge(PureDP(0.5), charge_id="monday", label="ages")
    with pytest.raises(ChargeInDoubtError):
        ledger.charge(PureDP(0.5), charge_id="monday")
    ledger.record("monday", {"counts": [1, 2]})
    again = BudgetLedger.open(path).charge(PureDP(0.5), charge_id="monday")
    assert (again.result, again.seq) == ({"counts": [1, 2]}, first.seq)
    for other in (PureDP(0.4), DiscreteLaplace(epsilon=0.5, sensitivity=1)):
        with pytest.raises(ChargeConflictError):
            ledger.charge(other, charge_id="monday")
    for wrong in ("monday", "tuesday"):
        with pytest.raises(LedgerError, match=r"recorded before|nothing was charged"):
            ledger.record(wrong, 1)
    assert ledger.spent == PureDP(0.5)
    ledger.verify()


def test_many_charges_or_none(path: Path) -> None:
    ledger = new(path)
    receipts = ledger.charge_many([{"cost": PureDP(0.25), "count": 2}, {"cost": PureDP(0.25)}])
    assert [r.seq for r in receipts] == [3, 4]
    with pytest.raises(BudgetExceededError):
        ledger.charge_many([{"cost": PureDP(0.25)}, {"cost": PureDP(1e-9)}])
    assert ledger.spent == PureDP(0.75)


class Unreadable:
    dtype, shape, ndim = np.dtype(np.int64), (3,), 1

    def __array__(self, *args: Any, **kwargs: Any) -> Any:
        raise AssertionError("was read")


def test_a_ledger_that_is_there_is_taken_if_it_is_the_same(path: Path) -> None:
    given: Any = {"by_block": True, "block_column": "day"}
    for _ in range(2):
        with new(path, exist_ok=True, **given) as ledger:
            ledger.add_block("2024-01-01", exist_ok=True)
            ledger.add_blocks(["2024-01-01", "2024-01-02"], exist_ok=True, site="north")
            ledger.charge(PureDP("1/4"), blocks=["2024-01-01"])
    ledger.retire("2024-01-02")
    assert ledger.spent == {"2024-01-01": PureDP("1/2"), "2024-01-02": PureDP(0)}
    assert [block.dims for block in ledger.blocks()] == [{}, {"site": "north"}]
    head = ledger.head()
    others = {
        "budget must be PureDP(epsilon=1), as": {"budget": PureDP(2)},
        "not ZCDP(rho=1)": {"budget": ZCDP(1)},
        "block_column must be 'day'": {"block_column": None},
        "units_in_one_block must be False": {"units_in_one_block": True},
        "by_block must be True": {"by_block": False, "block_column": None},
    }
    for words, other in others.items():
        with pytest.raises(LedgerError, match=f"exists already.*{re.escape(words)}"):
            new(path, exist_ok=True, **given | other)
    with pytest.raises(LedgerError, match="privacy_unit must be 'person'"):
        BudgetLedger.create(path, PureDP(1), privacy_unit="row", exist_ok=True, **given)
    with pytest.raises(LedgerError, match="exists already: open"):
        new(path, **given)
    with pytest.raises(LedgerError, match="'2024-01-01' is in the ledger already, with another"):
        ledger.add_blocks(["2024-01-03", "2024-01-01"], PureDP("1/2"), exist_ok=True)
    with pytest.raises(TypeError, match="exist_ok must be True or False, not int"):
        ledger.add_block("2024-01-03", exist_ok=1)  # type: ignore[arg-type]
    assert ledger.add_blocks(["2024-01-02"], exist_ok=True) is None  # which stays retired
    assert ledger.head() == head


def test_releases_charge_before_they_read(path: Path) -> None:
    ledger = new(path, by_block=True)
    ledger.add_block("today")
    budget = ledger.scope(blocks=["today"], table_in_blocks=True)
    released = cydp.histogram([1, 2], 2, (0, 4), epsilon=0.25, max_rows_per_unit=1, budget=budget)
    assert released.counts.shape == (2,)
    with pytest.raises(AssertionError, match="was read"):
        DiscreteLaplace(epsilon=0.25, sensitivity=1).release(Unreadable(), budget=budget)  # type: ignore[call-overload]
    with pytest.raises(AssertionError, match="was read"):
        cydp.histogram(Unreadable(), 2, (0, 4), epsilon=0.25, max_rows_per_unit=1, budget=budget)  # type: ignore[arg-type]
    assert ledger.spent == {"today": PureDP(0.75)}
    with pytest.raises(BudgetExceededError, match="'today'"):
        cydp.histogram(Unreadable(), 2, (0, 4), epsilon=0.5, max_rows_per_unit=1, budget=budget)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="must not be seeded"):
        DiscreteLaplace(epsilon=0.1, sensitivity=1).release(
            1, budget=budget, rng=SeededGenerator(1)
        )
    with pytest.raises(RelationMismatchError):
        cydp.histogram(
            [1], 2, (0, 4), epsilon=0.1, max_rows_per_unit=1, budget=budget, relation="change-one"
        )
    with pytest.raises(UnknownBlockError):
        DiscreteLaplace(epsilon=0.1, sensitivity=1).release(1, budget=ledger)
    assert ledger.spent == {"today": PureDP(0.75)}
    names = [entry["mechanism"] for entry in ledger.history() if entry["kind"] == "charge"]
    assert names == ["DiscreteLaplace"] * 3


def test_a_mapping_gives_each_block_its_budget(path: Path) -> None:
    ledger = new(path, by_block=True)
    ledger.add_blocks({"d5": PureDP("0.2"), "d6": PureDP("0.3")}, week=3)
    assert ledger.remaining == {"d5": PureDP("0.2"), "d6": PureDP("0.3")}
    with pytest.raises(BudgetExceededError, match="'d5'"):
        ledger.charge(PureDP("0.25"), blocks=["d5", "d6"])
    assert [entry["dims"] for entry in ledger.history()[1:]] == [{"week": 3}] * 2
    ledger.add_block("a", day={"b": 1, "a": [2, None]})  # the facts as JSON has them
    assert ledger.history()[-1]["dims"] == {"day": {"a": [2, None], "b": 1}}
    ledger.verify()


@pytest.mark.parametrize("budget", [PureDP(1), ApproxDP(1, 1e-6), ZCDP(1)])
def test_nothing_is_left_of_a_retired_block(path: Path, budget: Any) -> None:
    ledger = new(path, budget, by_block=True)
    ledger.add_blocks(["a", "b"])
    ledger.charge(PureDP("0.5"), blocks=["a", "b"])
    before, spent = ledger.remaining, ledger.spent
    ledger.retire("a")
    nothing = ApproxDP(0, 0) if isinstance(budget, ApproxDP) else type(budget)(0)
    assert ledger.remaining == before | {"a": nothing}
    assert ledger.spent == spent
    lines = ledger.report().text.splitlines()
    assert lines[1] == f"  'a': spent {spent['a']}, retired"
    assert lines[2] == f"  'b': spent {spent['b']}, left {before['b']}"
    ledger.verify()


def test_blocks_with_a_label(path: Path) -> None:
    ledger = new(path, by_block=True)
    ledger.add_blocks(["mon", "tue"], PureDP(0.5), year=2026)
    budget = ledger.scope(blocks=["mon"], label="ages by\ndecade", table_in_blocks=True)
    assert not budget.would_exceed(PureDP(0.5))
    assert budget.would_exceed(PureDP(0.75))
    cydp.histogram([1, 2], 2, (0, 4), epsilon=0.5, max_rows_per_unit=1, budget=budget)
    assert ledger.spent == {"mon": PureDP(0.5), "tue": PureDP(0)}
    last = ledger.report().text.splitlines()[-1]
    assert "Z PureDP(epsilon=0.5) in 'mon': 'ages by\\ndecade': histogram, 2 bins from" in last
    ledger.retire("tue")
    for call in (ledger.retire, lambda block: ledger.would_exceed(PureDP(0.1), blocks=[block])):
        with pytest.raises(BlockRetiredError):
            call("tue")
    ledger.verify()


def test_a_cost_too_long_for_an_entry_is_rounded_up(path: Path) -> None:
    ledger = new(path)
    long = sequential(*(PureDP(Fraction(1, prime**900)) for prime in (3, 5, 7, 11, 13, 17, 19)))
    receipt: Any = ledger.charge(long)
    assert receipt.rounded
    assert long.epsilon <= receipt.cost.epsilon <= long.epsilon + Fraction(1, 2**4096)  # type: ignore[union-attr]
    ledger.verify()


def test_a_release_that_protects_another_unit_is_not_paid(path: Path) -> None:
    """A ledger of persons does not pay for what protects a row of each; nothing is charged."""
    data = {"visitor": [1, 2, 2], "day": [1, 1, 2]}
    table = cydp.group_by(
        data, "day", user="visitor", unit=("visitor", "household"), max_partitions=2,
        epsilon=1, delta="1e-6",
    )  # fmt: skip
    ledger = new(path, ApproxDP(9, 1e-3))
    head = ledger.head()
    for cost in (table, table.query):
        with pytest.raises(UnitMismatchError):
            ledger.charge(cost)
    assert ledger.head() == head


class Nameless:
    loss = PureDP(0.25)


def test_what_is_kept_of_a_cost(path: Path) -> None:
    """No address, by which a repeated charge would be another one; nothing that was released."""
    ledger = new(path, ApproxDP(10, 1e-3))
    ledger.charge(Nameless(), charge_id="a")
    ledger.record("a", 1)
    assert ledger.charge(Nameless(), charge_id="a").result == 1
    noise = "DiscreteLaplace(epsilon=0.5, sensitivity=Sensitivity(1, relation='add-remove'))"
    assert describe_charge(ledger, DiscreteLaplace(epsilon=0.5, sensitivity=1)) == (
        "DiscreteLaplace", "DiscreteLaplace(epsilon=0.5, sensitivity=1)"
    )  # fmt: skip
    counts = cydp.histogram([1, 2], 2, (0, 4), epsilon=0.5, max_rows_per_unit=1)
    assert describe_charge(ledger, counts.nonnegative()) == describe_charge(ledger, counts)
    assert describe_charge(ledger, counts) == describe_charge(ledger, counts.query) == (
        "DiscreteLaplace",
        "histogram(PureDP(epsilon=0.5, relation='add-remove'), cells=2, "
        f"mechanisms={{'counts': {noise}}}, unit='unit', max_rows_per_unit=1)",
    )  # fmt: skip
    visits = {"visitor": [1, 2] * 99, "day": [1, 2] * 99, "euros": [20, 30] * 99}
    table = cydp.group_by(
        visits, "day", sums={"euros": (0, 100)}, quantiles={"euros": (0.5, (0, 100))},
        user="visitor", unit=("visitor", "person"), max_partitions=2, split={"keys": "1/3"},
        missing=50, epsilon=3, delta="1e-6",
    )  # fmt: skip
    name, params = describe_charge(ledger, table)
    assert name == "PartitionSelection and DiscreteGaussian and QuantileMechanism"
    for part in (
        "unit=('visitor', 'person'), max_partitions=2, max_rows_per_partition=1",
        "sum('euros', grid=Grid(bounds=(0, 100), step=2**-22), filled=209715200)",
        "weights=(('keys', '1/3'), ('n', 1), ('sum_euros', 1), ('median_euros', 1))",
        "qs=0.5",
        "'keys': PartitionSelection(",
    ):
        assert part in params
    assert not re.search("0x|object at|array|np[.]", params)


def describe_charge(ledger: BudgetLedger, cost: Any) -> tuple[str, str]:
    """Return what the history says of a charge."""
    ledger.charge(cost)
    entry = list(ledger.history())[-1]
    return entry["mechanism"], entry["params"]


def test_reports_are_cut_and_quoted(path: Path) -> None:
    with BudgetLedger.create(path, PureDP(1), privacy_unit="person\nday") as ledger:
        ledger.charge_many([{"cost": PureDP("1e-3"), "label": f"<no> {i}"} for i in range(30)])
        lines = ledger.report().text.splitlines()
        assert r"for each 'person\nday'" in repr(ledger)
        assert r"for each 'person\nday'" in lines[0]
        assert (len(lines), lines[2]) == (23, "  10 charges, and then")
        assert lines[3].endswith("<no> 10")
        assert ledger._repr_html_() == ledger.report().to_html()
    with new(path.with_name("days"), by_block=True) as ledger:
        ledger.add_blocks([f"day {number:04}\n" for number in range(100)])
        ledger.charge(PureDP("0.5"), blocks=list(ledger.spent), label="ages")
        lines = ledger.report().text.splitlines()
        same = r"100 blocks from 'day 0000\n' to 'day 0099\n'"
        assert lines[1] == f"  {same}: spent PureDP(epsilon=0.5), left PureDP(epsilon=0.5)"
        assert lines[-1].endswith(r"'day 0003\n', 'day 0004\n' and 95 more: ages")
        ledger.charge(PureDP("0.5"), blocks=[*ledger.spent][::2])
        for report in (ledger.report().text, ledger.report().to_html()):
            assert "80 more blocks" in report


def test_a_ledger_is_not_copied_nor_changed(path: Path) -> None:
    ledger = new(path)
    for _ in range(2):
        for made in (ledger, ledger.scope()):
            with pytest.raises(TypeError, match="open it by its path"):
                pickle.dumps(made)
        for call in (copy.copy, copy.deepcopy):
            with pytest.raises(TypeError, match="open it by its path"):
                call(ledger)
        ledger.close()
    with pytest.raises(AttributeError, match="cannot be changed"):
        ledger.budget = PureDP(9)


def test_a_clock_may_go_backwards(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Clock(datetime.datetime):
        year_now = 2026

        @classmethod
        def now(cls, tz: Any = None) -> "Clock":
            return cls(cls.year_now, 1, 1, tzinfo=tz)

    monkeypatch.setattr(_serialize, "datetime", Clock)
    ledger = new(path)
    for Clock.year_now in (2026, 1999, 2030, 1970):
        ledger.charge(PureDP(0.125))
    ledger.verify()
    assert BudgetLedger.open(path).spent == PureDP(0.5)
    assert [entry["time"][:4] for entry in ledger.history()[2:]] == ["2026", "1999", "2030", "1970"]
