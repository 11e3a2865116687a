"""releases/_certificate.py: what others can check of a release."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cydp
from cydp import ApproxDP, BudgetLedger, PureDP
from cydp.releases._certificate import (
    read_certificate,
    wrong_in_certificate,
    wrong_in_ledger,
    wrong_in_release,
)
from cydp.releases._release import Release

X = [1.0, 2.0, 3.0]
TABLE = {"key": ["a", "b", "a"], "x": X, "who": [1, 2, 2]}
USER: dict[str, Any] = {"user": "who", "max_partitions": 2, "max_rows_per_partition": 3}
PURE: dict[str, Any] = {"epsilon": "1/3"}
RHO: dict[str, Any] = {"rho": "0.1"}
BOTH: dict[str, Any] = {"epsilon": 1, "delta": 1e-6}
COSTS = {"pure": PURE, "zcdp": RHO, "approximate": BOTH}


def by_key(**more: Any) -> Release:
    return cydp.group_by(
        TABLE, "key", keys=["a", "b"], sums={"x": (0, 5)}, means={"x": (0, 5)},
        quantiles={"x": ([0.1, 0.5], (0, 5))}, split={"n": 3}, **USER, **more,
    )  # fmt: skip


MADE: dict[str, Callable[..., Release]] = {
    "count": lambda **more: cydp.count(X, max_rows_per_unit=3, **more),
    "sum": lambda **more: cydp.sum(X, (0, "0.3"), relation="change-one", missing=0, **more),
    "sum of zeros": lambda **more: cydp.sum(X, (0, 0), **more),
    "mean": lambda **more: cydp.mean(X, (0, 5), split={"sum": 2}, **more),
    "variance": lambda **more: cydp.variance(X, (0, 5), **more),
    "quantile": lambda **more: cydp.quantile(X, [0.1, 0.5], (0, 5), **more),
    "histogram": lambda **more: cydp.histogram(X, 4, (0, 5), **more),
    "histogram of users": lambda **more: cydp.histogram(
        TABLE, 4, (0, 5), column="x", by="key", by_keys=["a"], **USER, **more
    ),
    "value_counts": lambda **more: cydp.value_counts([1, 2], [2, 1], relation="change-one", **more),
    "group_by": by_key,
    "top_k": lambda **more: cydp.top_k(["a", "b"], 1, ["a", "b"], **more),
    "bounds": lambda **more: cydp.bounds(X, fallback=(0, 1), **more),
    "mean that may change": lambda **more: cydp.mean(X, (0, 5), relation="change-one", **more),
}


def through_json(certificate: dict[str, Any]) -> dict[str, Any]:
    return read_certificate(json.dumps(certificate))


# Every release once, and each with a cost of its own.
PAIRS = [(name, [*COSTS][place % 3]) for place, name in enumerate(MADE)]


@pytest.mark.parametrize(("name", "cost"), PAIRS)
def test_a_certificate_holds(name: str, cost: str) -> None:
    release = MADE[name](**COSTS[cost])
    certificate = through_json(release.certificate())
    assert wrong_in_certificate(certificate) == []
    assert wrong_in_release(certificate, release.to_json()) == []
    assert wrong_in_release(certificate, release.to_json() + "\n") == []
    assert certificate["released"]["sha256"] == sha256(release.to_json().encode()).hexdigest()
    assert certificate["ledger"] is None
    assert certificate["build"] == cydp.build.build_info()
    assert {key: certificate[key] for key in release.metadata} == release.metadata
    other = MADE[name](**COSTS[cost] | {"rng": cydp.testing.SeededGenerator(1)})
    assert other == release or wrong_in_release(certificate, other.to_json()) != []
    assert wrong_in_release(certificate, release.to_json() + "7") != []


def test_unknown_keys() -> None:
    for selection, *other in (("optimal", "0.5", "0.4"), ("threshold", "15", "14")):
        release = cydp.value_counts(["a"] * 1000, epsilon=1, delta=1e-6, selection=selection)
        certificate = through_json(release.certificate())
        assert wrong_in_certificate(certificate) == []
        certificate["selection"] = certificate["selection"].replace(*other)
        (wrong,) = wrong_in_certificate(certificate)
        assert wrong.startswith("selection is stated as")


def test_promises_are_said() -> None:
    assert cydp.count(X, epsilon=1).certificate()["promises"] == []
    promised = cydp.count(X, epsilon=1, max_rows_per_unit=3, unit="person").certificate()
    assert promised["promises"] == ["no person has more than 3 rows in the table"]


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict | list):
        items = value.items() if isinstance(value, dict) else enumerate(value)
        for key, inner in items:
            yield from leaves(inner, (*path, key))
    else:
        yield path


def changed(certificate: dict[str, Any], path: tuple[Any, ...]) -> dict[str, Any]:
    """Return the certificate with another leaf."""
    found: Any = copy.deepcopy(certificate)
    inner = found
    for key in path[:-1]:
        inner = inner[key]
    value = inner[path[-1]]
    others = {bool: lambda: not value, int: lambda: value + 1, type(None): lambda: 5}
    inner[path[-1]] = others.get(type(value), lambda: f"{value}7")()
    return dict(found)


STATED = ("function", "loss", "relation", "unit", "parts", "promises", "selection")


@pytest.mark.parametrize(
    ("name", "cost"),
    [("count", "pure"), ("bounds", "zcdp"), ("mean", "approximate"), ("group_by", "pure"),
     ("group_by", "zcdp")],
)  # fmt: skip
def test_no_stated_number_or_text_can_be_changed(name: str, cost: str) -> None:
    certificate = through_json(MADE[name](**COSTS[cost]).certificate())
    paths = [path for path in leaves(certificate) if path[0] in STATED]
    assert len(paths) > 12
    for path in paths:
        assert wrong_in_certificate(changed(certificate, path)) != [], path


@pytest.mark.parametrize(("name", "cost"), [("sum", "pure"), ("group_by", "approximate")])
def test_no_parameter_can_be_changed(name: str, cost: str) -> None:
    """What follows from it is stated too; some parameters change no noise, but the release."""
    release = MADE[name](**COSTS[cost])
    certificate, released = through_json(release.certificate()), release.to_json()
    for path in [path for path in leaves(certificate) if path[0] == "query"]:
        other = changed(certificate, path)
        assert wrong_in_release(other, released) != [], path
        if {"epsilon", "rho", "relation", "max_rows", "q", "weights", "exponent"} & {*path}:
            assert wrong_in_certificate(other) != [], path


def test_a_scale_that_does_not_cover_the_sensitivity_is_rejected() -> None:
    """Even if parts were recomputed wrongly, the sum of their costs is not what is stated."""
    certificate = through_json(by_key(**PURE).certificate())
    certificate["parts"][0]["scale"] = "1"
    wrong = wrong_in_certificate(certificate)
    assert any("the parts cost epsilon=" in each for each in wrong)
    gaussian = through_json(by_key(**RHO).certificate())
    gaussian["parts"][0]["sigma2"] = "1"
    assert any("the parts cost rho=" in each for each in wrong_in_certificate(gaussian))


DAMAGED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "no query": lambda c: c.pop("query"),
    "another class": lambda c: c.update(query={"$fraction": "1/2"}),
    "an unknown class": lambda c: c.update(query={"$object": ["Evil", {}]}),
    "a class without its fields": lambda c: c.update(query={"$object": ["CountQuery", {}]}),
    "nested": lambda c: c.update(query={"$object": ["CountQuery", {"privacy": 1, "unit": 2}]}),
    "no parts": lambda c: c.pop("parts"),
    "fewer parts": lambda c: c["parts"].pop(),
    "a part is text": lambda c: c.update(parts=["x"] * len(c["parts"])),
    "a scale of 0": lambda c: c["parts"][0].update(scale="0"),
    "a share without a number": lambda c: c["parts"][0].update(share="x"),
    "another relation of the privacy": lambda c: c["query"]["$object"][1]["privacy"]["$object"][
        1
    ].__setitem__(2, "change-one"),
}


def test_a_damaged_certificate_does_not_hold() -> None:
    whole = through_json(by_key(**PURE).certificate())
    held = []
    for name, damage in DAMAGED.items():
        certificate = copy.deepcopy(whole)
        damage(certificate)
        held += [] if wrong_in_certificate(certificate) else [name]
    assert held == []


def test_labels_of_any_kind_have_a_digest() -> None:
    days = np.array(["2026-01-01", "2026-01-02"], "datetime64[D]")
    for keys in (days, ["a", "ü"], [b"x"], [True, False], [(1, 2), (3, 4)]):
        release = cydp.value_counts(keys, keys, epsilon=1)
        assert wrong_in_release(release.certificate(), release.to_json()) == []
        assert len(json.loads(release.to_json())["exact"]["steps"]["n"]) == len(keys)


# Ledgers


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[BudgetLedger]:
    path = tmp_path / "ledger"
    with BudgetLedger.create(path, PureDP(100), privacy_unit="row") as made:
        yield made


@pytest.mark.parametrize(
    ("name", "charge_id"),
    [("count", None), ("mean", "once"), ("histogram", "once"), ("group_by", None),
     ("top_k", "once"), ("bounds", None)],
)  # fmt: skip
def test_a_release_knows_the_entry_that_has_paid(
    ledger: BudgetLedger, name: str, charge_id: str | None
) -> None:
    more: dict[str, Any] = {"unit": ("who", "row")} if name == "group_by" else {}
    release: Any = MADE[name](budget=ledger.scope(charge_id=charge_id), **PURE, **more)
    entry = next(each for each in ledger.history() if each["kind"] == "charge")
    payment = release.payment
    assert (payment.seq, payment.hash) == (entry["seq"], entry["hash"])
    assert payment.charge_id == entry["charge_id"]
    assert payment.charge_id == charge_id or charge_id is None
    assert payment.ledger == ledger.uuid == ledger.history()[0]["uuid"]
    certificate = through_json(release.certificate())
    assert wrong_in_ledger(certificate, ledger) == []
    later = through_json(release.certificate(ledger=ledger))
    assert tuple(later["ledger"]["head"].values()) == ledger.head()
    assert wrong_in_ledger(later, ledger) == []


def test_the_relation_of_a_release_implies_that_of_its_ledger(tmp_path: Path) -> None:
    relations = ("add-remove", "change-one", "add-remove-or-change")
    for kept in relations:
        path = tmp_path / kept
        with BudgetLedger.create(path, PureDP(9), relation=kept, privacy_unit="row") as ledger:
            for stated in {kept, "add-remove-or-change"}:
                release = cydp.count(X, budget=ledger, relation=stated, **PURE)
                certificate = through_json(release.certificate())
                assert wrong_in_certificate(certificate) == []
                assert wrong_in_ledger(certificate, ledger) == []
                for other in relations:
                    wrong = wrong_in_ledger(certificate | {"relation": other}, ledger)
                    assert (wrong == []) == (other in (kept, "add-remove-or-change"))


def test_a_repetition_has_the_same_payment(ledger: BudgetLedger) -> None:
    first, again = (
        cydp.histogram(X, 4, (0, 5), budget=ledger.scope(charge_id="a"), **PURE) for _ in range(2)
    )
    assert first == again
    assert first.payment == again.payment


def test_a_payment_is_kept_and_not_compared(ledger: BudgetLedger) -> None:
    release = cydp.count(X, budget=ledger, **PURE)
    again = pickle.loads(pickle.dumps(release))
    assert again.payment == release.payment is not None
    free = type(release)(query=release.query, steps=release.steps)
    assert free == release
    assert hash(free) == hash(release)
    assert free.payment is None
    assert cydp.count(X, budget=cydp.PrivacyFilter(PureDP(1)), **PURE).payment is None
    recorded = ledger.once("record", PureDP(1), lambda: release, function="count")
    assert recorded == release


def test_blocks_and_rounded_measures(tmp_path: Path) -> None:
    path = tmp_path / "blocks"
    with BudgetLedger.create(path, ApproxDP(9, "0.1"), privacy_unit="row", by_block=True) as blocks:
        blocks.add_blocks(["mon", "tue"])
        scope = blocks.scope(blocks=["mon", "tue"], table_in_blocks=True)
        for cost in (PURE, BOTH):
            certificate = through_json(cydp.count(X, budget=scope, **cost).certificate())
            assert certificate["ledger"]["blocks"] == ["mon", "tue"]
            assert wrong_in_ledger(certificate, blocks) == []
        certificate["ledger"]["blocks"] = ["mon"]
        assert "other blocks" in wrong_in_ledger(certificate, blocks)[0]


def test_no_number_or_text_of_the_payment_can_be_changed(ledger: BudgetLedger) -> None:
    certificate = through_json(cydp.count(X, budget=ledger, **PURE).certificate())
    paths = [path for path in leaves(certificate) if path[0] == "ledger"]
    assert len(paths) == 7
    for path in paths:
        assert wrong_in_ledger(changed(certificate, path), ledger) != [], path
    certificate["ledger"]["entry"] = None
    assert wrong_in_ledger(certificate, ledger) == [
        "the ledger of the certificate is not what was written"
    ]


def test_a_release_that_costs_more_than_was_paid_is_rejected(ledger: BudgetLedger) -> None:
    cheap = through_json(cydp.count(X, budget=ledger, epsilon="0.1").certificate())
    dear = through_json(cydp.count(X, epsilon=1).certificate())
    forged = dear | {"ledger": cheap["ledger"]}
    assert wrong_in_certificate(forged) == []
    assert wrong_in_ledger(forged, ledger) == [
        "the entry of the ledger paid less than the release costs"
    ]
    gaussian = through_json(cydp.count(X, rho=1).certificate()) | {"ledger": cheap["ledger"]}
    assert "paid less" in wrong_in_ledger(gaussian, ledger)[0]


def test_an_older_copy_and_another_ledger_are_noticed(tmp_path: Path, ledger: BudgetLedger) -> None:
    release = cydp.count(X, budget=ledger, **PURE)
    later = release.certificate(ledger=ledger)
    later["ledger"]["head"]["seq"] += 1
    assert "older copy" in wrong_in_ledger(later, ledger)[0]
    with BudgetLedger.create(tmp_path / "b", PureDP(1), privacy_unit="row") as other:
        assert "another one" in wrong_in_ledger(release.certificate(), other)[0]
        with pytest.raises(ValueError, match="ledger must be the one that has paid"):
            release.certificate(ledger=other)
        with pytest.raises(ValueError, match="ledger must be the one that has paid"):
            cydp.count(X, **PURE).certificate(ledger=other)
    with pytest.raises(TypeError, match="ledger must be a BudgetLedger"):
        release.certificate(ledger="path")  # type: ignore[arg-type]
