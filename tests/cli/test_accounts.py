"""cli/_ledger_accounts.py: accounts, and a ledger's name and note, as a user runs them."""

import json

from cli.commands import PUMS, Run, refused

HISTOGRAM = [
    "histogram", PUMS, "--column", "age", "--bins", "10", "--range", "0:100",
    "--max-rows-per-unit", "1",
]  # fmt: skip


def test_an_account_pays_and_is_closed(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person")
    code, said, _ = run("ledger", "open-account", path, "nightly", "--epsilon", "0.4")
    assert (code, said[:8]) == (0, "head: 3:")
    paid = ["--ledger", path, "--account", "nightly"]
    code, planned, _ = run(*HISTOGRAM, "--epsilon", "0.3", *paid, "--dry-run")
    assert code == 0
    assert "left in the account nightly for each person: epsilon=0.4" in planned
    _, printed, _ = run(*HISTOGRAM, "--epsilon", "0.3", *paid)
    assert printed.splitlines()[-1] == "left in the account nightly for each person: epsilon=0.1"
    refused(
        run(*HISTOGRAM, "--epsilon", "0.3", *paid), 1,
        f"the release costs epsilon=0.3, and epsilon=0.1 is left of account nightly in {path}",
    )  # fmt: skip
    refused(
        run(*HISTOGRAM, "--epsilon", "0.7", "--ledger", path), 1,
        "the release costs epsilon=0.7, and epsilon=0.6 is left, besides epsilon=0.1 set aside for "
        f"accounts, in {path}",
    )  # fmt: skip
    charge = ["ledger", "charge", path, "--epsilon", "0.05", "--label", "by hand"]
    _, printed, _ = run(*charge, "--account", "nightly")
    assert printed.startswith("left in the account nightly for each person: epsilon=0.05\n")
    _, listed, _ = run("ledger", "accounts", path)
    assert listed == "nightly: left epsilon=0.05; spent epsilon=0.35 of epsilon=0.4\n"
    shown = run("ledger", "show", path)[1].splitlines()[-1]
    assert shown == (
        "left epsilon=0.6, set aside for accounts epsilon=0.05; spent epsilon=0.35 of epsilon=1; "
        "open"
    )
    _, closed, _ = run("ledger", "close-account", path, "nightly")
    assert closed.startswith("not spent epsilon=0.05\nhead: ")
    assert run("ledger", "accounts", path, "--json") == (0, "", "")
    _, totals, _ = run("ledger", "totals", path, "--by", "account")
    assert totals == "nightly: epsilon=0.35\n"
    of_account = run("ledger", "history", path, "--account", "nightly", "--kind", "charge")[1]
    assert len(of_account.splitlines()) == 2
    missing = run(*charge, "--account", "nightly")
    refused(missing, 1, "it has no account; open it by `cydp ledger open-account`")


def test_a_repetition_after_its_account_was_closed(run: Run, path: str) -> None:
    """It is a repetition still, and no refusal, which would say that nothing was charged."""
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person")
    run("ledger", "open-account", path, "nightly", "--epsilon", "0.4")
    paid = ["--account", "nightly", "--charge-id", "monday"]
    charge = ["ledger", "charge", path, "--epsilon", "0.1", "--label", "by hand", *paid]
    release = [*HISTOGRAM, "--epsilon", "0.1", "--ledger", path, *paid[:3], "tuesday"]
    first = run(*release)[1].splitlines()
    run(*charge)
    run("ledger", "close-account", path, "nightly")
    code, said, _ = run(*charge)
    assert code == 3
    assert "the account nightly was closed" in said
    code, again, _ = run(*release)
    assert code == 0
    assert again.splitlines()[:12] == first[:12]
    assert run(*release, "--dry-run")[0] == 0


def test_accounts_of_blocks(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person-day", "--by-block")
    run("ledger", "add-block", path, "mon", "tue")
    opened = ["ledger", "open-account", path, "nightly", "--epsilon", "0.4"]
    refused(run(*opened), 2, "--blocks must name the blocks")
    run(*opened, "--blocks", "mon", "tue")
    assert run(*opened, "--blocks", "mon", "--exist-ok")[0] == 0
    _, listed, _ = run("ledger", "accounts", path, "--json")
    assert [json.loads(line) for line in listed.splitlines()] == [
        {"account": "nightly", "block": block, "budget": {"epsilon": "0.4"},
         "spent": {"epsilon": "0"}, "left": {"epsilon": "0.4"}}
        for block in ("mon", "tue")
    ]  # fmt: skip
    _, closed, _ = run("ledger", "close-account", path, "nightly", "--blocks", "tue")
    assert closed.startswith("'tue': not spent epsilon=0.4\nhead: ")


def test_a_name_and_a_note(run: Run, path: str) -> None:
    run("ledger", "create", path, "--epsilon", "1", "--privacy-unit", "person")
    refused(run("ledger", "describe", path), 2, "--name or --note must be given")
    run("ledger", "describe", path, "--name", "Ages of 2026", "--note", "ask Ada")
    shown = run("ledger", "show", path)[1].splitlines()
    assert shown[:2] == ["name: Ages of 2026", "note: ask Ada"]
    assert json.loads(run("ledger", "show", path, "--json")[1])["note"] == "ask Ada"
    assert run("ledger", "report", path)[1].startswith("name: Ages of 2026\nnote: ask Ada\n")
