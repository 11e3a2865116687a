# SPDX-License-Identifier: MIT
"""The certificate of a release. docs/releases/certificate.md."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from cydp._build import build_info
from cydp.accounting.ledger._fields import sha256_of
from cydp.accounting.ledger._ledger import BudgetLedger
from cydp.accounting.ledger._serialize import serialize
from cydp.releases._payment import Payment
from cydp.releases._query import Query
from cydp.releases._unit import Unit

__all__ = ["FORMAT", "json_of_query", "make_certificate", "promises_of"]

FORMAT = 1


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
        What was released, as JSON.
    payment : Payment or None
    ledger : BudgetLedger or None
        As in `Release.certificate`.

    """
    return {
        "certificate": FORMAT,
        **described,
        "promises": promises_of(query.unit),
        "query": json_of_query(query),
        "released": {"sha256": sha256_of(released)},
        "build": build_info(),
        "ledger": _describe_payment(payment, ledger),
    }


def promises_of(unit: Unit) -> list[str]:
    """Return what the caller has promised about the table, and the guarantee rests on."""
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
