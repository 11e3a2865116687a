"""What commands of a ledger refuse: each in one line, and nothing is made, charged or changed."""

from __future__ import annotations

from pathlib import Path

from cli.commands import PUMS, Run, Told, check_told

from cydp import BudgetLedger, PureDP

NEW = ["ledger", "create", "PATH", "--privacy-unit", "person"]
ONE = ["--rho", "1"]


def test_a_new_ledger(run: Run, tmp_path: Path, ledger: str) -> None:
    new = str(tmp_path / "new.db")
    names = {"LEDGER": ledger, "PATH": new, "PATH/x": new + "/x", "FOLDER": str(tmp_path)}
    refusals: list[Told] = [
        (["ledger"], 2, "required: COMMAND (`cydp ledger --help` lists them)"),
        (NEW, 2, "the budget must be given: --epsilon or --rho"),
        ([*NEW, "--delta", "0.1"], 2, "--epsilon or --rho, alone or with --delta"),
        ([*NEW, *ONE, "--epsilon", "1"], 2, "--epsilon or --rho, alone"),
        ([*NEW, "--epsilon", "-1"], 2, "error: --epsilon must be at least 0, not -1"),
        ([*NEW, "--epsilon", "nan"], 2, "--epsilon must be a number"),
        ([*NEW, "--epsilon", "9" * 10**6], 2, "at most 4096 bits"),
        ([*NEW, "--epsilon", "1", "--delta", "1"], 2, "--delta must be less than 1, not 1"),
        ([*NEW, *ONE, "--relation", "x"], 2, "error: --relation must be"),
        ([*NEW, *ONE, "--blocks", "mon"], 2, "unrecognized arguments: --blocks (did you"),
        ([*NEW[:-1], " ", *ONE], 2, "--privacy-unit must say"),
        (["ledger", "create", "LEDGER", *NEW[3:], *ONE], 2, "already: add --exist-ok"),
        (["ledger", "create", "FOLDER", *NEW[3:], *ONE], 2, "PATH must be that of a new file"),
        (["ledger", "create", "PATH/x", *NEW[3:], *ONE], 2, "no ledger can be made"),
    ]
    check_told(run, refusals, names, lambda: (Path(ledger).read_bytes(), Path(new).exists()))


def test_a_ledger_without_blocks(run: Run, tmp_path: Path, ledger: str) -> None:
    names = {"LEDGER": ledger, "PATH": str(tmp_path / "new.db"), "FOLDER": str(tmp_path)}
    add, charge = ["ledger", "add-block", "LEDGER"], ["ledger", "charge", "LEDGER"]
    label = ["--label", "x"]
    refusals: list[Told] = [
        (["ledger", "show", "PATH"], 2, "create a ledger there first by `cydp ledger create`"),
        (["ledger", "history", "FOLDER"], 2, "error: PATH must be the file of a ledger"),
        (["ledger", "verify", PUMS], 2, "ledger: `cydp ledger create` has not made"),
        (["ledger", "show", "x" * 10**4], 2, "cannot open"),
        (["ledger", "verify", "LEDGER", "--head", "7"], 2, "--head: must be SEQ:HASH"),
        (["ledger", "verify", "LEDGER", "--head", "7:" + 64 * "a"], 1, "older than --head"),
        (["ledger", "retire", "LEDGER", "mon"], 2, "ID must be in the ledger, which was made"),
        (["ledger", "blocks", "LEDGER"], 2, "the ledger must have blocks"),
        (["ledger", "retire-spent", "LEDGER"], 2, "the ledger must have blocks"),
        ([*add, "mon"], 2, "by `cydp ledger create --by-block`"),
        ([*add, "\udcff"], 2, "the terminal's encoding"),
        ([*add, "a", "--dim", "k"], 2, "--dim must be KEY=VALUE"),
        ([*add, "a", "--dim", "budget=1"], 2, "another key"),
        ([*add, "a", "--dim", "k=1", "--dim", "k=2"], 2, "key once"),
        ([*charge, *label], 2, "the cost must be given: --epsilon or --rho"),
        ([*charge, "--epsilon", "0.1"], 2, "required: --label"),
        ([*charge, *label, "--epsilon", "-1"], 2, "--epsilon must be at least 0"),
        ([*charge, *label, "--rho", "1", "--delta", "1"], 2, "--delta must be at least 0 and less"),
        ([*charge, *label, "--rho", "0.1"], 2, "cannot be paid from a budget of epsilon alone"),
        ([*charge, *label, "--epsilon", "1.1"], 1, "costs epsilon=1.1, and epsilon=1 is left in "),
        ([*charge, "--label", "", "--epsilon", "0"], 2, "--label must have 1 to 1,000 characters"),
        ([*charge, *label, "--epsilon", "0", "--charge-id", ""], 2, "--charge-id must have 1 to"),
    ]
    check_told(run, refusals, names, Path(ledger).read_bytes)


def test_a_ledger_of_blocks(run: Run, path: str) -> None:
    with BudgetLedger.create(path, PureDP(1), privacy_unit="person", by_block=True) as ledger:
        ledger.add_blocks(["a", "b"])
    add, charge = ["ledger", "add-block", path], ["ledger", "charge", path, "--label", "x"]
    refusals: list[Told] = [
        ([*add, "c", "b"], 2, "block 'b' is in the ledger already"),  # all are added or none
        ([*add, "c", "c"], 2, "must be given once"),
        ([*add, "c", ""], 2, "must not be empty"),
        ([*add, "c", "--epsilon", "2"], 2, "the ledger's, epsilon=1, not epsilon=2"),
        ([*add, "c", "--rho", "-1"], 2, "rho must be at least 0"),
        ([*add, "c", "--rho", "0.1"], 2, "error: the budget of a block must be given by --epsilon "
         "alone, as the ledger's was, not by --rho"),
        ([*charge, "--epsilon", "1"], 2, "--blocks must name the blocks that are read"),
        ([*charge, "--epsilon", "1", "--blocks", "c"], 1, "--blocks must be in the ledger"),
        ([*charge, "--epsilon", "2", "--blocks", "b"], 1, "left for block 'b' in"),
        (["ledger", "blocks", path, "--where", "sight=north"], 2, "no block has 'sight'"),
        (["ledger", "blocks", path, "--where", "site"], 2, "--where must be KEY=VALUE"),
        (["ledger", "blocks", path, *ONE], 2, "rho=1"),
        (["ledger", "retire-spent", path, *ONE], 2, "rho=1"),
    ]  # fmt: skip
    check_told(run, refusals, {}, Path(path).read_bytes)
