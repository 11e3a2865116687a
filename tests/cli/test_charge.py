"""cli/_ledger.py: a ledger pays for a release that is made elsewhere."""

import json

from cli.commands import Run, head, refused

from cydp import BudgetLedger, PureDP

LABEL = ["--label", "made by hand"]


def test_it_is_charged_and_shown(run: Run, ledger: str) -> None:
    code, printed, _ = run("ledger", "charge", ledger, "--epsilon", "1/3", *LABEL)
    assert code == 0
    seq, digest = head(ledger)
    assert printed.splitlines() == [
        "left in the ledger for each person: epsilon=2/3", f"head: {seq}:{digest}"
    ]  # fmt: skip
    entry = json.loads(run("ledger", "history", ledger, "--json")[1].splitlines()[-1])
    assert (entry["kind"], entry["label"]) == ("charge", "made by hand")
    assert entry["cost"] == {"epsilon": "1/3"}
    refused(
        run("ledger", "charge", ledger, "--epsilon", "0.7", *LABEL),
        1,
        "refused: the charge costs epsilon=0.7, and epsilon=2/3 is left in ",
    )
    assert head(ledger) == (seq, digest)


def test_a_charge_with_an_id_may_be_repeated(run: Run, ledger: str) -> None:
    paid = ["ledger", "charge", ledger, "--epsilon", "0.6", *LABEL, "--charge-id", "monday"]
    first = run(*paid)
    assert first[0] == 0
    code, printed, _ = run(*paid)
    assert code == 3  # so that `charge && release` releases once
    told, *rest = printed.splitlines()
    assert told.startswith("repeated: --charge-id monday was charged before")
    assert rest == first[1].splitlines()
    with BudgetLedger.open(ledger) as opened:
        assert opened.spent == PureDP("0.6")
        opened.verify()
    paid[4] = "0.3"
    refused(run(*paid), 1, "--charge-id 'monday' belongs to a charge that differs in the cost: ")


def test_measures_and_blocks(run: Run, path: str) -> None:
    budget = ["--epsilon", "1", "--delta", "1e-6"]
    run("ledger", "create", path, *budget, "--privacy-unit", "person-day", "--by-block")
    run("ledger", "add-block", path, "mon", "tue")
    paid = ["ledger", "charge", path, *budget, *LABEL]
    assert run(*paid, "--blocks", "mon")[1].splitlines()[1] == "  'mon': epsilon=0, delta=0"
    refused(run(*paid), 2, "--blocks must name the blocks that are read")
    refused(run(*paid, "--blocks", "tue", "mon"), 1, "left for block 'mon' in")
    refused(run(*paid, "--blocks", "wed"), 1, "--blocks must be in the ledger, and 'wed' is not")
