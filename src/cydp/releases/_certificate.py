# SPDX-License-Identifier: MIT
"""The certificate of a release, and how it is checked. docs/releases/certificate.md."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

from cydp._numbers.rational import format_number
from cydp._relations import implies
from cydp._version import __version__
from cydp.accounting._amounts import amount_of
from cydp.accounting._errors import MeasureMismatchError
from cydp.accounting._loss import ZCDP, Loss, PureDP
from cydp.accounting._words import numbers_of
from cydp.accounting.ledger._blocks import ALL
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._paid import Payment
from cydp.accounting.ledger._serialize import amount_from, deserialize, serialize, sha256_of
from cydp.build import build_info
from cydp.mechanisms._laplace import DiscreteLaplace
from cydp.mechanisms._quantile import QuantileMechanism
from cydp.releases._noise_split import Part
from cydp.releases._query import Query
from cydp.releases._unit import Unit

__all__ = [
    "describe",
    "describe_loss",
    "json_of_query",
    "make_certificate",
    "read_certificate",
    "wrong_in_certificate",
    "wrong_in_ledger",
    "wrong_in_release",
]


_FORMAT = 1


_DAMAGED = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError)


def make_certificate(
    query: Query,
    described: Mapping[str, Any],
    released: str,
    payment: Payment | None,
    ledger: BudgetLedger | None,
) -> dict[str, Any]:
    """Return the certificate of a release.

    Parameters
    ----------
    query : Query
    described : mapping
        The query, as JSON can hold it.
    released : str
        The release, as JSON.
    payment : Payment or None
    ledger : BudgetLedger or None
        As in `Release.certificate`.

    """
    return {
        "certificate": _FORMAT,
        **described,
        "promises": _promises_of(query.unit),
        "query": json_of_query(query),
        "released": {"sha256": sha256_of(released)},
        "build": build_info(),
        "ledger": _describe_payment(payment, ledger),
    }


def _promises_of(unit: Unit) -> list[str]:
    """Return what the caller has promised about the table: the guarantee rests on it."""
    if not unit.promised:
        return []
    return [f"no {unit.name} has more than {unit.max_rows:,} rows in the table"]


def json_of_query(query: Query) -> Any:
    """Return the public parameters of a query, from which it can be built again."""
    return json.loads(serialize(query))


def _describe_payment(payment: Payment | None, ledger: BudgetLedger | None) -> Any:
    if ledger is not None:
        if not isinstance(ledger, BudgetLedger):
            raise TypeError(f"ledger must be a BudgetLedger, not {type(ledger).__name__}")
        if payment is None or payment.ledger != ledger.uuid:
            raise ValueError("ledger must be the one that has paid for the release")
    if payment is None:
        return None
    head = (payment.seq, payment.hash) if ledger is None else ledger.head()
    return {
        "uuid": payment.ledger,
        "privacy_unit": payment.privacy_unit,
        "blocks": list(payment.blocks),
        "entry": {"seq": payment.seq, "charge_id": payment.charge_id, "hash": payment.hash},
        "head": {"seq": head[0], "hash": head[1]},
    }


def describe(query: Query) -> dict[str, Any]:
    """Return a query as JSON can hold it."""
    unit = query.unit
    return {
        "function": query.function,
        "loss": describe_loss(query.loss),
        "relation": query.relation,
        "unit": {
            "name": unit.name,
            "contains": list(unit.contains),
            "max_partitions": unit.max_partitions,
            "max_rows": unit.max_rows,
            "promised": unit.promised,
            "protects": query.protects,
        },
        "selection": repr(query.selection) if hasattr(query, "selection") else None,
        "parts": [_describe_part(part) for part in query.parts.values()],
        "joint": {name: str(each) for name, each in query.joint._asdict().items()},
        **query.further,
        **({} if query.reads.where is None else {"where": query.reads.where}),
        "version": __version__,
    }


def describe_loss(loss: Loss) -> dict[str, str]:
    """Return a loss as JSON can hold it."""
    return {name: str(number) for name, number in numbers_of(loss).items()}


def _describe_part(part: Part) -> dict[str, Any]:
    described = {
        "name": part.name,
        "mechanism": type(part.mechanism).__name__,
        "share": str(part.share),
        "step": str(part.step),
        "l1": str(part.change.l1),
        "l2": str(part.change.l2),
        **({"level": part.level} if part.level else {}),
    }
    if isinstance(part.mechanism, DiscreteLaplace):
        return described | {"scale": str(part.mechanism.scale)}
    if isinstance(part.mechanism, QuantileMechanism):
        return described | {"q": str(part.mechanism.q), "scale": str(part.mechanism.scale)}
    return described | {"sigma2": str(part.mechanism.sigma2)}


def read_certificate(text: str) -> dict[str, Any]:
    """Return a certificate from its text.

    Raises
    ------
    ValueError
        If the text is no certificate, or one of another format.

    Examples
    --------
    >>> read_certificate("[]")
    Traceback (most recent call last):
    ValueError: the file is no certificate of a release

    """
    try:
        certificate = json.loads(text)
    except (ValueError, RecursionError):
        certificate = None
    if not isinstance(certificate, dict) or "certificate" not in certificate:
        raise ValueError("the file is no certificate of a release")
    if certificate["certificate"] != _FORMAT:
        raise ValueError(f"the certificate is of another format than {_FORMAT}")
    return certificate


def wrong_in_certificate(certificate: Mapping[str, Any]) -> list[str]:
    """Return what is wrong in a certificate by itself, in sentences.

    The query is built again from its public parameters: sensitivities, scales and loss follow from
    them, and are compared with the stated ones.
    """
    try:
        query = deserialize(json.dumps(certificate["query"]))
    except (*_DAMAGED, RecursionError):
        return ["the query cannot be built from its parameters"]
    if not isinstance(query, Query):
        return ["the query is none of this library"]
    expected = json.loads(json.dumps(describe(query) | {"promises": _promises_of(query.unit)}))
    wrong = [
        f"{name} is stated as {_shown(certificate.get(name))}, and follows as {_shown(value)}"
        for name, value in expected.items()
        if name not in ("version", "parts") and certificate.get(name) != value
    ]
    stated = certificate.get("parts")
    if not isinstance(stated, list) or len(stated) != len(expected["parts"]):
        return [*wrong, "the parts are others than those of the query"]
    for part, found in zip(stated, expected["parts"], strict=True):
        if part != found:
            wrong.append(f"the part {found['name']} is not as it follows from the query")
    if query.privacy.relation != query.relation:
        wrong.append("the privacy is stated under another relation than the unit")
    try:
        return wrong + _wrong_sum(query, stated)
    except _DAMAGED:
        return [*wrong, "the parts are not what was written"]


def _wrong_sum(query: Query, parts: list[dict[str, Any]]) -> list[str]:
    """Add the costs of the stated parts up, by sensitivity and scale alone.

    Together they cost a share of the sum that follows from the query: `Query.joint`. Parts of one
    level cost what one of them costs.
    """

    def add(costs: Iterable[Fraction]) -> Fraction:
        by_level: dict[str, Fraction] = {}
        for part, cost in zip(parts, costs, strict=True):
            level = part.get("level") or part["name"]
            by_level[level] = max(cost, by_level.get(level, cost))
        return sum(by_level.values(), Fraction(0))

    if not parts or add(Fraction(part["share"]) for part in parts) != 1:
        return ["the shares do not add up to 1"] if parts else []
    given = query.privacy_of_parts
    if isinstance(given, PureDP):
        # The exponential mechanism may change numerator and denominator.
        spent = add(
            (Fraction(part["l1"]) or 1) / Fraction(part["scale"]) * (2 if "q" in part else 1)
            for part in parts
        )
        spent *= query.joint.epsilon
        return [] if spent == given.epsilon else [_sum_message(spent, "epsilon", given.epsilon)]
    if isinstance(given, ZCDP):
        spent = add(map(_rho_of, parts)) * query.joint.rho
        # A sensitivity of sqrt(n) is rounded up in its sixth digit.
        return [] if spent <= given.rho else [_sum_message(spent, "rho", given.rho)]
    return []  # the calibration for epsilon with delta was computed again


def _rho_of(part: Mapping[str, Any]) -> Fraction:
    norm = Fraction(part["l2"]) or Fraction(1)
    variance = Fraction(part["scale"]) ** 2 if "q" in part else Fraction(part["sigma2"])
    return norm**2 / (2 * variance)


def _sum_message(spent: Fraction | int, name: str, given: Fraction) -> str:
    return (
        f"the parts cost {name}={format_number(Fraction(spent))} together, and not "
        f"{format_number(given)}"
    )


def wrong_in_release(certificate: Mapping[str, Any], released: str) -> list[str]:
    """Return where a certificate and the text of `Release.to_json` disagree, in sentences."""
    stated = certificate.get("released")
    if not isinstance(stated, dict) or stated.get("sha256") != sha256_of(released.strip()):
        return ["the SHA-256 of the release is another one than that of the certificate"]
    try:
        query = json.loads(released)["query"]
    except (*_DAMAGED, RecursionError):
        query = None
    if query != certificate.get("query"):
        return ["the release was made with other parameters than the certificate says"]
    return []


def wrong_in_ledger(certificate: Mapping[str, Any], ledger: BudgetLedger) -> list[str]:
    """Return where a certificate and the ledger that it names disagree, in sentences.

    Raises
    ------
    LedgerCorruptError
        If the ledger itself does not hold what was written.

    """
    stated = certificate.get("ledger")
    if not isinstance(stated, dict):
        return ["the certificate names no ledger"]
    ledger.verify()
    entries = ledger.history()
    try:
        return _wrong_in_entries(certificate, stated, ledger, entries)
    except _DAMAGED:
        return ["the ledger of the certificate is not what was written"]


def _wrong_in_entries(
    certificate: Mapping[str, Any],
    stated: Mapping[str, Any],
    ledger: BudgetLedger,
    entries: list[dict[str, Any]],
) -> list[str]:
    if stated["uuid"] != ledger.uuid:
        return ["the ledger is another one than that of the certificate"]
    by_seq = {entry["seq"]: entry for entry in entries}
    entry, head = by_seq.get(stated["entry"]["seq"]), by_seq.get(stated["head"]["seq"])
    if (
        entry is None
        or entry["kind"] != "charge"
        or entry["hash"] != stated["entry"]["hash"]
        or entry["charge_id"] != stated["entry"]["charge_id"]
    ):
        return ["the entry of the certificate is not in the ledger"]
    wrong = []
    if head is None or head["hash"] != stated["head"]["hash"]:
        wrong.append("the head of the certificate is not in the ledger: it may be an older copy")
    if (stated["blocks"] or [ALL]) != entry["blocks"]:
        wrong.append("other blocks have paid than the certificate says")
    if stated["privacy_unit"] != ledger.privacy_unit:
        wrong.append("the ledger protects another unit than the certificate says")
    if not implies(str(certificate["relation"]), ledger.relation):
        wrong.append("the ledger is kept under another relation than the release")
    query = deserialize(json.dumps(certificate["query"]))
    try:
        cost = amount_of(query.loss, ledger.budget)
    except MeasureMismatchError:
        cost = ()
    paid = amount_from(entry["cost"])
    if len(paid) != len(cost) or any(p < c for p, c in zip(paid, cost, strict=True)):
        wrong.append("the entry of the ledger paid less than the release costs")
    return wrong


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else f"{text[:200]} ..."
