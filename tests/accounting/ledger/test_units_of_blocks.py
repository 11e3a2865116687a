"""accounting/ledger/_guarantee.py and releases/_unit.py: whom a ledger by blocks protects."""

from __future__ import annotations

import itertools
import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from accounting.ledger.ledger_processes import new
from releases.exact_answers import answers, without_noise

import cydp
import cydp.workloads
from cydp import ZCDP, ApproxDP, BudgetLedger, Plan, PureDP
from cydp.accounting import UnitMismatchError
from cydp.publishing import contingency_tables
from cydp.sampling import Sampled
from cydp.teach import publish_share

IN_ONE = "person in one block"
BOTH = ("person", IN_ONE)


@pytest.fixture
def month(path: Path) -> Iterator[BudgetLedger]:
    """Thirty days; the same person was charged for each."""
    with new(path, PureDP(1), by_block=True) as ledger:
        days = [str(day) for day in range(30)]
        ledger.add_blocks(days)
        for day in days:
            ledger.charge(PureDP(1), blocks=[day])
        yield ledger


def test_the_unit_of_blocks_is_named(month: BudgetLedger, path: Path) -> None:
    assert month.privacy_unit == IN_ONE
    assert f"for each {IN_ONE}," in month.report().text
    assert f"for each {IN_ONE}," in repr(month)
    assert month.history()[0]["privacy_unit"] == IN_ONE
    assert month.guarantee() == month.guarantee(unit=IN_ONE) == PureDP(1, relation="add-remove")
    with BudgetLedger.open(path, read_only=True) as again:
        assert again.privacy_unit == IN_ONE
        assert again.guarantee(unit="person") == PureDP(30, relation="add-remove")


def test_a_unit_that_lies_in_one_block_is_named_if_the_ledger_was_made_so(path: Path) -> None:
    for name, given in (("people", {"units_in_one_block": True}), ("plain", {"by_block": False})):
        with new(path.with_name(name), **{"by_block": True} | given) as ledger:
            assert ledger.privacy_unit == "person"
            assert (
                ledger.guarantee()
                == ledger.guarantee(unit="person")
                == PureDP(0, relation="add-remove")
            )
    with BudgetLedger.create(path, PureDP(1), privacy_unit="row", by_block=True) as rows:
        assert rows.privacy_unit == "row"
        rows.add_blocks(["a", "b"])
        cydp.count([1, 2], epsilon=1, budget=rows.scope(blocks=["a", "b"], table_in_blocks=True))


def test_a_person_in_several_blocks_loses_the_sum(month: BudgetLedger) -> None:
    for blocks in (1, 2, 30, 31):
        lost = month.guarantee(unit="person", max_blocks=blocks)
        assert lost == PureDP(min(blocks, 30), relation="add-remove")
    wrong: list[tuple[dict[str, Any], type[Exception], str]] = [
        ({"unit": "household"}, ValueError, "unit must be 'person in one block', or 'person'"),
        ({"max_blocks": 2}, ValueError, "max_blocks must be left out for 'person in one block'"),
        ({"unit": "person", "max_blocks": 0}, ValueError, "max_blocks must be at least 1, not 0"),
        ({"unit": "person", "max_blocks": True}, TypeError, "max_blocks"),
        ({"unit": 3}, TypeError, "unit must be text"),
        ({"adaptive": 1}, TypeError, "adaptive must be True or False"),
    ]
    for given, kind, words in wrong:
        with pytest.raises(kind, match=words):
            month.guarantee(**given)


def lost_by_groups(charges: list[tuple[Any, tuple[str, ...]]], chosen: Any) -> list[Fraction]:
    """Return the sum of what a group of the chosen blocks loses by each charge."""
    total = [Fraction(0), Fraction(0)]
    for loss, blocks in charges:
        m = len(set(blocks) & set(chosen))
        if m:
            each = cydp.group_privacy(loss, m)
            numbers = (
                [each.rho] if isinstance(each, ZCDP) else [each.epsilon, getattr(each, "delta", 0)]
            )
            total = [a + b for a, b in zip(total, [*numbers, 0], strict=False)]
    return total


@pytest.mark.parametrize("kind", ["pure", "approximate", "zcdp"])
def test_no_choice_of_blocks_loses_more_than_is_guaranteed(path: Path, kind: str) -> None:
    """All choices of k of five blocks; for one block, all blocks and single blocks it is exact."""
    chance, ids = random.Random(7), "abcde"
    losses: dict[str, Any] = {
        "pure": lambda x: PureDP(x),
        "approximate": lambda x: ApproxDP(x, x / 10**6),
        "zcdp": lambda x: ZCDP(x),
    }
    make, budget = losses[kind], losses[kind](Fraction(2))
    for case in range(12):
        with new(path.with_name(str(case)), budget, by_block=True) as ledger:
            ledger.add_blocks(list(ids))
            charges = []
            for _ in range(6):
                read = tuple(chance.sample(ids, 1 if case % 2 else chance.randint(1, 5)))
                charges.append((make(Fraction(chance.randint(1, 8), 32)), read))
                ledger.charge(charges[-1][0], blocks=list(read))
            for k in range(1, 6):
                lost = [lost_by_groups(charges, each) for each in itertools.combinations(ids, k)]
                most = [max(numbers) for numbers in zip(*lost, strict=True)]
                for adaptive in (True, False):
                    held = ledger.guarantee(unit="person", max_blocks=k, adaptive=adaptive)
                    stated = (
                        [held.rho] if kind == "zcdp" else [held.epsilon, getattr(held, "delta", 0)]
                    )
                    slack = 1 + Fraction(1, 10**5)  # a delta is rounded up to six digits
                    assert all(s * slack >= m for s, m in zip(stated, most, strict=False))
                    if not adaptive and (k in (1, 5) or case % 2):
                        assert stated[0] == most[0]
                        assert all(s <= m * slack for s, m in zip(stated, most, strict=False))


def test_budgets_bound_what_answers_have_decided(path: Path) -> None:
    """Whatever is charged next, in the order and to the blocks that lose most."""
    with new(path, ZCDP(2), by_block=True) as ledger:
        ledger.add_blocks({"a": ZCDP(2), "b": ZCDP(1), "c": ZCDP(1)})
        assert ledger.guarantee(unit="person").rho == 0
        ledger.charge(ZCDP("0.5"), blocks=["a"])
        held = ledger.guarantee(unit="person", max_blocks=2)
        ledger.charge(ZCDP(1), blocks=["a", "b"])
        ledger.charge(ZCDP("0.5"), blocks=["a"])
        assert held == ledger.guarantee(unit="person", max_blocks=2)
        assert held.rho == 4 * 1 + 1 * 1
        assert ledger.guarantee(unit="person", max_blocks=2, adaptive=False).rho == 5
    with new(path.with_name("delta"), ApproxDP(1, 1e-6), by_block=True) as ledger:
        ledger.add_blocks([str(day) for day in range(40)])
        ledger.charge(PureDP(1), blocks=["1"])
        assert ledger.guarantee(unit="person") == ApproxDP(1, 0, relation="add-remove")
        ledger.charge(ApproxDP(1, 1e-6), blocks=["2"])
        two = cydp.group_privacy(ApproxDP(1, 1e-6), 2)
        assert ledger.guarantee(unit="person", max_blocks=2) == ApproxDP(
            2, two.delta, relation="add-remove"
        )
        with pytest.raises(ValueError, match="max_blocks must be less than 40"):
            ledger.guarantee(unit="person")
        fixed = ledger.guarantee(unit="person", adaptive=False)
        assert fixed == ApproxDP(2, 1e-6, relation="add-remove")


# A release of several blocks


def reaches(unit: Any) -> float:
    """Return how far apart tables are with and without what user 1 has on the first day.

    User 1 has the key A on the first day and B on the second, and one of the two counts.
    """
    day = {"person": np.array([1, 1, 2]), "key": np.array(["A", "B", "A"])}
    apart = []
    with without_noise() as recorder:
        for secret in range(20):
            each = [
                answers(
                    recorder, secret,
                    lambda rows=rows: cydp.value_counts(
                        {name: column[rows] for name, column in day.items()}, ["A", "B"],
                        column="key", user="person", unit=unit, max_partitions=1, epsilon=1,
                    ),
                ).exact["n"]
                for rows in ([0, 1, 2], [1, 2])
            ]  # fmt: skip
            apart.append(np.abs(each[0] - each[1]).sum())
    return float(max(apart))


def released(unit: Any, budget: Any) -> Any:
    return cydp.value_counts(
        {"person": [1, 1, 2], "key": ["A", "B", "A"]}, ["A", "B"], column="key", user="person",
        unit=unit, max_partitions=1, epsilon=1, budget=budget,
    )  # fmt: skip


def test_a_release_of_several_blocks_does_not_understate(path: Path) -> None:
    with new(path, PureDP(4), by_block=True) as ledger:
        ledger.add_blocks(["d1", "d2"])
        several = ledger.scope(blocks=["d1", "d2"], table_in_blocks=True)
        single = ledger.scope(blocks=["d1"], table_in_blocks=True)
        one = released("person", single)
        assert one.query.parts["n"].change.l1 == 1
        assert reaches("person") == reaches(BOTH) == 2
        with pytest.raises(UnitMismatchError, match="reads 2 blocks together") as refused:
            released("person", several)
        assert str(BOTH) in str(refused.value)
        with pytest.raises(UnitMismatchError, match="reads 2 blocks together"):
            ledger.charge(one, blocks=["d1", "d2"])
        assert ledger.spent == {"d1": PureDP(1), "d2": PureDP(0)}
        release = released(BOTH, several)
        assert release.query.parts["n"].change.l1 == 2
        released(("household", "person"), several)  # its norms are the norms of the units in it
        cydp.count([1, 2], max_rows_per_unit=1, unit="person", epsilon=1, budget=several)


def test_releases_and_certificates_name_the_unit(path: Path) -> None:
    with new(path, PureDP(3), by_block=True) as ledger:
        ledger.add_blocks(["d1", "d2"])
        release = released("person", ledger.scope(blocks=["d1"], table_in_blocks=True))
        assert release.payment.privacy_unit == IN_ONE
        assert f"the ledger that has paid protects: one {IN_ONE}" in repr(release)
        assert "is the caller's promise" in " ".join(repr(release).split())
        assert json.loads(json.dumps(release.certificate()))["ledger"]["privacy_unit"] == IN_ONE


# What is made of a release


def made_of_releases() -> dict[str, Any]:
    rows = cydp.value_counts(["a", "b"], ["a", "b"], epsilon=1)
    table = {"x": ["a", "b"] * 20, "y": ["c", "d"] * 20}
    tables = contingency_tables(table, {"x": ["a", "b"], "y": ["c", "d"]}, [("x", "y")], epsilon=1)
    sample = cydp.sampling.on_sample(cydp.count, [1, 2], share="1/2", epsilon=1)
    return {
        "a release": rows,
        "a query": rows.query,
        "an explanation": cydp.explain(cydp.count, epsilon=1),
        "counts without negative ones": rows.nonnegative(),
        "shares": rows.normalized(),
        "counts with a total": rows.nonnegative().with_total(2),
        "published tables": tables,
        "one of them": tables["x", "y"],
        "synthetic rows": tables.sample(3),
        "a share of the rows": publish_share([1, 2], "1/2", exposes_rows=True),
        "a release of a sample": sample,
        "a release on a sample": Sampled(rows, "1/2"),
        "a plan": Plan([(rows.normalized(), 3)]).as_loss("0.1"),
        "a plan of plans": Plan([(Plan([(rows, 1)]).as_loss("0.1"), 2)]).as_loss("0.2"),
        "running counts": cydp.workloads.RunningCounts(4, epsilon=1),
    }


def test_what_is_made_of_a_release_protects_what_the_release_does(path: Path) -> None:
    made = made_of_releases()
    wrong = []
    with (
        new(path, ApproxDP(9, "0.9")) as people,
        BudgetLedger.create(
            path.with_name("rows"), ApproxDP(99, "0.9999"), privacy_unit="row"
        ) as rows,
        new(path.with_name("blocks"), ApproxDP(9, "0.9"), by_block=True) as blocks,
    ):
        blocks.add_block("mon")
        uses = {
            "charge": lambda cost: people.charge(cost),
            "charge_many": lambda cost: people.charge_many([{"cost": cost}]),
            "once": lambda cost: people.once("id", cost, lambda: 1, function="f"),
            "a scope": lambda cost: people.scope().charge(cost),
            "would_exceed": lambda cost: people.would_exceed(cost),
            "find_blocks": lambda cost: blocks.find_blocks(at_least=cost),
            "retire_spent": lambda cost: blocks.retire_spent(below=cost),
        }
        for (name, cost), (use, call) in itertools.product(made.items(), uses.items()):
            try:
                call(cost)
                wrong.append((name, use))
            except UnitMismatchError:
                pass
        for name, cost in made.items():
            rows.charge(cost, label=name)
        assert people.spent == ApproxDP(0, 0)
    assert wrong == []


def test_a_sample_of_rows_amplifies_no_plan_of_users() -> None:
    by_user = cydp.count([1, 2], user=["a", "b"], max_rows=1, epsilon=1)
    with pytest.raises(ValueError, match="mechanism must protect one row"):
        Sampled(Plan([(by_user, 3)]).as_loss("0.1"), "1/2")
