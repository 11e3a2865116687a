"""cli/_release.py: what a release would do, without a value and without a charge."""

import json
from pathlib import Path

import pytest
from cli.commands import PUMS, WEEK, Run, head, refused

import cydp
from cydp import BudgetLedger, PureDP
from cydp.cli._messages import json_in_options
from cydp.releases import _run

MEAN = ["mean", PUMS, "--column", "income", "--bounds", "0:200000", "--dry-run"]
PAID = ["--max-rows-per-unit", "1", "--ledger"]


@pytest.fixture(autouse=True)
def _nothing_is_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_run, "generator_or_default", lambda _: pytest.fail("a release was made"))


def test_it_prints_what_explain_says(run: Run) -> None:
    shown = cydp.explain(cydp.mean, (0, 200_000), epsilon="0.5", n=1000)
    code, printed, _ = run(*MEAN, "--epsilon", "0.5", "--rows", "1000")
    assert code == 0
    assert printed == str(shown).replace("as user=", "as --user") + "\n"
    assert "give --rows." in " ".join(run(*MEAN, "--epsilon", "1")[1].split())
    by_day = ["group-by", WEEK, "--by", "Day", "--key-list", "1,2", "--mean",
              "Money spent (euros):0:50", "--epsilon", "1", "--dry-run"]  # fmt: skip
    assert "over 300 rows" in run(*by_day, "--rows", "300", "--confidence", "0.9")[1]


def test_it_says_what_is_left_and_whether_it_fits(run: Run, ledger: str) -> None:
    before, content = head(ledger), Path(ledger).read_bytes()
    code, printed, _ = run(*MEAN, "--epsilon", "0.5", *PAID, ledger)
    assert code == 0
    assert printed.splitlines()[-2:] == [
        "left in the ledger for each person: epsilon=1",
        "the ledger would pay; nothing was charged and no value was read",
    ]
    code, printed, message = run(*MEAN, "--epsilon", "1.5", *PAID, ledger)
    assert (code, printed.splitlines()[-1]) == (1, "left in the ledger for each person: epsilon=1")
    assert message == (
        f"cydp: refused: the release costs epsilon=1.5, and epsilon=1 is left in {ledger}\n"
    )
    assert head(ledger) == before
    assert Path(ledger).read_bytes() == content


def test_json_says_the_same(run: Run, ledger: str) -> None:
    shown = cydp.explain(
        cydp.mean, (0, 200_000), epsilon="0.5", max_rows_per_unit=1, unit="person"
    ).metadata
    code, printed, _ = run(*MEAN, "--epsilon", "0.5", *PAID, ledger, "--json")
    facts = json.loads(printed)
    about = facts.pop("ledger")
    assert (code, facts) == (0, json_in_options(shown))
    assert (about["pays"], about["left"]) == (True, {"all": {"epsilon": "1"}})
    code, printed, _ = run(*MEAN, "--epsilon", "2", *PAID, ledger, "--json")
    assert (code, json.loads(printed)["ledger"]["pays"]) == (1, False)


def test_a_release_is_refused_in_the_same_words(run: Run, path: str) -> None:
    with BudgetLedger.create(path, PureDP(1), privacy_unit="person", by_block=True) as ledger:
        ledger.add_blocks(["mon", "tue"])
        ledger.charge(PureDP("0.75"), blocks=["tue"], label="x")
    paid = [*PAID, path, "--blocks", "mon", "tue", "--file-in-blocks"]
    dry = run(*MEAN, "--epsilon", "0.5", *paid)
    done = run(*(word for word in MEAN if word != "--dry-run"), "--epsilon", "0.5", *paid)
    refused(done, 1, "costs epsilon=0.5, and epsilon=0.25 is left for block 'tue' in ")
    assert dry[2] == done[2]


def test_a_charge_that_was_made_is_not_made_again(run: Run, ledger: str) -> None:
    with BudgetLedger.open(ledger) as opened:
        opened.charge(PureDP("0.2"), charge_id="by hand")
    release = [word for word in MEAN if word != "--dry-run"]
    once = [*PAID, ledger, "--epsilon", "0.6", "--charge-id"]
    code, printed, _ = run(*MEAN, *once, "monday")
    assert (code, printed.splitlines()[-1][:22]) == (0, "the ledger would pay; ")
    assert run(*release, *once, "monday")[0] == 0
    before = head(ledger)
    code, printed, _ = run(*MEAN, *once, "monday")  # though too little is left for another
    assert code == 0
    assert "the charge id was charged before" in printed
    code, printed, message = run(*MEAN, *once, "by hand")
    assert (code, "nothing would be charged" in printed) == (1, False)
    assert run(*release, *once, "by hand") == (1, "", message)
    assert head(ledger) == before
