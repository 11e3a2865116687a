"""accounting/ledger/_blocks.py: which blocks can pay, which are spent, what holds for all."""

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accounting.ledger.ledger_processes import child, new
from accounting.ledger.postgres_server import tamper

import cydp
from cydp import (
    ZCDP,
    ApproxDP,
    BudgetExceededError,
    BudgetLedger,
    DiscreteLaplace,
    LedgerError,
    PureDP,
)
from cydp.accounting import (
    BlockState,
    LedgerCorruptError,
)


@pytest.fixture
def week(path: Path) -> Any:
    """A ledger with blocks that were not added in the order of their ids."""
    with new(path, by_block=True) as ledger:
        ledger.add_blocks(["wed", "mon"], site="north", day=40)
        ledger.add_block("tue", PureDP("0.5"), site="south", tags=["a", {"b": None}], day=41)
        ledger.add_block("bare")
        ledger.charge(PureDP("0.75"), blocks=["mon"])
        yield ledger
        ledger.verify()


def test_blocks_are_as_they_were_added(week: BudgetLedger) -> None:
    week.retire("tue")
    blocks = week.blocks()
    assert [block.id for block in blocks] == ["wed", "mon", "tue", "bare"]
    assert blocks[1] == BlockState(
        "mon", PureDP(1), PureDP(0.75), PureDP(0.25), PureDP(0), False, {"site": "north", "day": 40}
    )
    assert (blocks[2].retired, blocks[2].remaining) == (True, PureDP(0))
    assert blocks[2].budget == PureDP(0.5)
    assert blocks[2].dims == {"site": "south", "tags": ["a", {"b": None}], "day": 41}
    lines = repr(blocks).splitlines()
    assert lines[0].split() == ["block", "state", "budget", "spent", "left", "dims"]
    assert lines[2].startswith("mon    open     epsilon=1    epsilon=0.75")
    assert "<pre>block" in blocks._repr_html_()
    week.add_blocks([f"day {i}\n" for i in range(100)])
    assert repr(week.blocks()).splitlines()[0] == "44 blocks, and then"
    assert len(repr(week.blocks()).splitlines()) == 62


def test_find_what_can_pay(week: BudgetLedger) -> None:
    find = week.find_blocks
    assert find() == ["wed", "mon", "tue", "bare"]
    assert find(at_least=PureDP("0.25")) == ["wed", "mon", "tue", "bare"]
    assert find(at_least=PureDP(Fraction(1, 4) + Fraction(1, 2**200))) == ["wed", "tue", "bare"]
    assert find(at_least=DiscreteLaplace(epsilon=0.5, sensitivity=1)) == ["wed", "tue", "bare"]
    release = cydp.count([1], max_rows_per_unit=1, unit="person", epsilon=1)
    assert find(at_least=release) == ["wed", "bare"]
    assert find(at_least=PureDP(2)) == []
    week.retire("wed")
    assert find(at_least=PureDP(0)) == ["mon", "tue", "bare"]


@pytest.mark.parametrize(
    ("budget", "asked"),
    [
        pytest.param(PureDP(1), Fraction(1, 3), id="exactly what is left"),
        pytest.param(PureDP(1), "1e-1200", id="next to nothing"),
        pytest.param(ZCDP("0.5"), Fraction(2, 3), id="in another measure"),
        pytest.param(ZCDP("0.5"), 1, id="all of it"),
        pytest.param(ApproxDP(1, 1e-6), Fraction(2, 3), id="without a delta"),
    ],
)
def test_found_is_what_a_charge_accepts(path: Path, budget: Any, asked: Any) -> None:
    with new(path, budget, by_block=True) as ledger:
        ledger.add_blocks([str(i) for i in range(4)])
        for i in range(1, 4):
            ledger.charge(PureDP(Fraction(i, 3)), blocks=[str(i)])
        found = ledger.find_blocks(at_least=PureDP(asked))
        for block in "0123":
            if block in found:
                ledger.charge(PureDP(asked), blocks=[block])
            else:
                with pytest.raises(BudgetExceededError):
                    ledger.charge(PureDP(asked), blocks=[block])
        assert found


def test_find_by_dims(week: BudgetLedger) -> None:
    find = week.find_blocks
    assert find(site="north") == ["wed", "mon"]
    assert find(site="north", day=40) == ["wed", "mon"]
    assert find(site="north", day=41) == []
    assert find(day=lambda day: day > 40) == ["tue"]
    assert find(tags=("a", {"b": None})) == ["tue"]
    assert find(day=True) == find(day="40") == find(day=None) == []
    assert find(site="north", at_least=PureDP("0.5")) == ["wed"]
    week.retire("tue")
    assert find(day=41) == []
    assert find(day=np.int64(40)) == ["wed", "mon"]  # as a column of days gives it
    assert find(day=np.float32(40)) == []
    week.add_block("fri", site="south", day=np.int64(43), tags=[np.bool_(True)])
    assert find(day=43) == find(tags=[True]) == ["fri"]


def test_find_among_no_blocks(path: Path) -> None:
    with new(path, by_block=True) as ledger:
        assert ledger.find_blocks(site="north") == []
        assert ledger.retire_spent() == []
        assert ledger.guarantee() == PureDP(0, relation="add-remove")
        assert len(ledger.blocks()) == 0


def test_retire_spent(week: BudgetLedger, path: Path) -> None:
    assert week.retire_spent() == []
    with BudgetLedger.open(path, read_only=True) as reader:
        assert reader.blocks() == week.blocks()
        with pytest.raises(LedgerError):
            reader.retire_spent(PureDP(1))
    week.charge(PureDP("0.5"), blocks=["tue", "wed"])
    assert week.retire_spent() == ["tue"]
    assert week.retire_spent() == []
    assert week.retire_spent(PureDP("0.5")) == ["mon"]
    assert week.find_blocks() == ["wed", "bare"]
    assert [block.spent for block in week.blocks()][:3] == [PureDP(0.5), PureDP(0.75), PureDP(0.5)]


def test_approximate_blocks_are_spent_by_epsilon(path: Path) -> None:
    """Without a delta, a block can still pay for pure releases."""
    with new(path, ApproxDP(1, 1e-6), by_block=True) as ledger:
        ledger.add_blocks(["a", "b", "c"])
        ledger.charge(ApproxDP(0.5, 1e-6), blocks=["a"])
        ledger.charge(PureDP(1), blocks=["b"])
        assert ledger.find_blocks(at_least=PureDP(0.5)) == ["a", "c"]
        assert ledger.find_blocks(at_least=ApproxDP(0.1, 1e-9)) == ["c"]
        assert ledger.retire_spent() == ["b"]
        assert ledger.retire_spent(below=ApproxDP(0.1, 1e-9)) == ["a"]


@pytest.mark.long
def test_processes_retire_each_block_once(path: Path) -> None:
    with new(path, by_block=True) as ledger:
        ledger.add_blocks([str(i) for i in range(40)])
        ledger.charge(PureDP(1), blocks=[str(i) for i in range(30)])
    code = "print(','.join(BudgetLedger.open(sys.argv[1]).retire_spent()))"
    running = [child(code, str(path)) for _ in range(2)]
    printed = [one.communicate()[0].decode().strip() for one in running]
    assert sorted(printed) == ["", ",".join(str(i) for i in range(30))]
    with BudgetLedger.open(path) as ledger:
        assert len(ledger.find_blocks()) == 10
        ledger.verify()


def test_tampered_dims_and_blocks(path: Path) -> None:
    with new(path, by_block=True) as ledger:
        ledger.add_block("mon", site='a "kind": "block" of "text"')
        ledger.charge(PureDP("0.5"), blocks=["mon"], label='"kind": "block"')
        assert ledger.find_blocks(site='a "kind": "block" of "text"') == ["mon"]
    tamper(path, "UPDATE entry SET body = replace(body, 'of', 'no') WHERE seq = 2")
    with pytest.raises(LedgerCorruptError), BudgetLedger.open(path) as ledger:
        ledger.verify()
    tamper(path, "UPDATE entry SET body = replace(body, 'mon', 'sun') WHERE seq = 2")
    with BudgetLedger.open(path) as ledger:
        for call in (ledger.blocks, ledger.find_blocks, ledger.retire_spent):
            with pytest.raises(LedgerCorruptError):
                call()


def test_guarantee_by_measure(path: Path) -> None:
    with new(path, by_block=True) as pure:
        pure.add_blocks(["a", "b"])
        pure.charge(PureDP("0.25"), blocks=["a", "b"])
        pure.charge(PureDP("0.5"), blocks=["b"])
        assert pure.guarantee() == PureDP(0.75, relation="add-remove")
        pure.retire("b")
        assert pure.guarantee() == PureDP(0.75, relation="add-remove")
        assert (
            "together cost each person in one block epsilon=0.75, and each person with records in "
            "all blocks epsilon=1"
        ) in pure.report().text
    with new(path.with_name("approximate"), ApproxDP(1, 1e-5), by_block=True) as ledger:
        ledger.add_blocks({"a": ApproxDP(1, 1e-6), "b": ApproxDP(1, 1e-5), "c": ApproxDP(1, 1e-5)})
        ledger.charge(PureDP("0.5"), blocks=["b"])
        assert ledger.guarantee() == ApproxDP(0.5, 0, relation="add-remove")
        ledger.charge(ApproxDP("0.25", 1e-9), blocks=["a"])
        assert ledger.guarantee() == ApproxDP(0.5, 1e-6, relation="add-remove")
    with new(path.with_name("no promise"), ApproxDP(9, 0.5), by_block=True) as ledger:
        ledger.add_blocks(["a", "b"])
        ledger.charge(ApproxDP(5, 0.4), blocks=["a", "b"])
        report = ledger.report()
        assert "each person with records in all blocks any amount" in report.text
        assert "Nothing is promised to a person with records in all blocks" in report.to_html()
    with new(path.with_name("zcdp"), ZCDP(2), by_block=True) as ledger:
        ledger.add_blocks({"a": ZCDP(1), "b": ZCDP(2)})
        assert ledger.guarantee() == ZCDP(0, relation="add-remove")
        ledger.charge(ZCDP("0.25"), blocks=["a"])
        assert ledger.guarantee() == ZCDP(1, relation="add-remove")
    with new(path.with_name("plain"), relation="change-one") as ledger:
        ledger.charge(PureDP("0.25"))
        assert ledger.guarantee() == PureDP(0.25, relation="change-one")
        assert "together cost" not in ledger.report().text


def transcripts(present: bool) -> dict[tuple[Any, ...], tuple[float, dict[str, float]]]:
    """Outcomes of an adaptive analysis of two blocks: probability, and epsilon by block.

    Each answer is a bit by randomized response, of whether the unit is in the block; it can be
    in block "a". What was said so far decides which block is asked next, at which epsilon.
    """
    found = {}
    for bits in itertools.product([0, 1], repeat=3):
        probability, spent = 1.0, {"a": 0.0, "b": 0.0}
        said: list[Any] = []
        for bit in bits:
            block = "a" if sum(said) % 2 == 0 else "b"
            epsilon = [0.25, 0.5, 1.0][sum(said)]
            if spent[block] > 0.4 and said[-1:] == [0]:
                break  # a stop that the data have decided
            truth = present and block == "a"
            right = 1 / (1 + math.exp(-epsilon))
            probability *= right if bit == truth else 1 - right
            spent[block] += epsilon
            said.append(bit)
        found[tuple(said)] = probability, spent
    return found


def test_what_was_spent_bounds_the_outcome_that_came(path: Path) -> None:
    """In pure DP, however the answers have decided what was asked, and where it ended."""
    mutants: list[Any] = [max, min, lambda values: max(values) / 2]
    there, not_there = transcripts(True), transcripts(False)
    assert math.isclose(sum(probability for probability, _ in there.values()), 1)
    holds = [True] * len(mutants)
    with new(path, PureDP(3), by_block=True) as ledger:
        for said, (probability, spent) in there.items():
            names = {block: f"{block} {said}" for block in spent}
            ledger.add_blocks(names.values())
            for block, epsilon in spent.items():
                ledger.charge(PureDP(epsilon), blocks=[names[block]])
            ratio = abs(math.log(probability / not_there[said][0]))
            for place, claimed in enumerate(mutants):
                holds[place] &= ratio <= claimed(spent.values()) + 1e-9
        assert ledger.guarantee().epsilon == max(max(spent.values()) for _, spent in there.values())
    assert holds == [True, False, False]


def test_what_was_spent_is_no_guarantee_in_zcdp() -> None:
    """Who stops when the answers look bad has, too often, a loss above the spent rho's."""
    epsilon, delta, most = 0.1, 0.05, 2000
    up = 1 / (1 + math.exp(-epsilon))
    walk = np.zeros(2 * most + 1)
    walk[most] = 1  # probability of each sum of +1 and -1, without those that have stopped
    sums = np.arange(-most, most + 1) * epsilon
    stopped = 0.0
    for n in range(1, most + 1):
        walk = up * np.roll(walk, 1) + (1 - up) * np.roll(walk, -1)
        rho = n * PureDP(epsilon).rho
        bad = sums > float(rho) + 2 * math.sqrt(rho * math.log(1 / delta))
        stopped += walk[bad].sum()
        walk[bad] = 0
    fixed = np.zeros(2 * most + 1)
    fixed[most] = 1
    for _ in range(most):
        fixed = up * np.roll(fixed, 1) + (1 - up) * np.roll(fixed, -1)
    at_the_end = fixed[bad].sum()
    assert at_the_end < delta < stopped
