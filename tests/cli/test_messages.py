"""cli/_messages.py: every refusal once, in the words of the command line; nothing is charged."""

from pathlib import Path

import duckdb
import pytest
from cli.commands import PUMS, WEEK, Run, head, refused

from cydp import BudgetLedger, LedgerError, PureDP
from cydp.cli import _payment

H = ["histogram", PUMS, "--column", "age", "--bins", "0:100:10"]
C = ["count", WEEK]
M = ["mean", PUMS, "--column", "age", "--bounds", "0:100"]
Q = ["quantile", PUMS, "--column", "age", "--bounds", "0:100", "--q", "0.5"]
G = ["group-by", WEEK, "--by", "Day", "--key-list", "1,2"]
E = ["--epsilon", "0.1"]
U = ["--user", "VisitorId"]


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        # the cost
        (H, 2, "--epsilon must be given, or --rho: it is what the release may cost"),
        ([*H, "--delta", "0.1"], 2, "--epsilon must be given with --delta, or --rho"),
        ([*H, *E, "--rho", "1"], 2, "--rho must be given alone"),
        ([*H, "--rho", "0"], 2, "--rho must be greater than 0"),
        ([*H, *E, "--delta", "1"], 2, "--delta must be less than 1"),
        ([*H, *E, "--delta", "0"], 2, "--delta must be greater than 0"),
        ([*H, "--epsilon", "many"], 2, "--epsilon must be a number such as '0.1'"),
        ([*H, "--epsilon", "1/0"], 2, "--epsilon must be a number, and its denominator is 0"),
        ([*H, "--eps", "1"], 2, "unrecognized arguments: --eps"),
        # an option that is given twice
        ([*H, *E, *E], 2, "error: --epsilon must be given once"),
        ([*H, "--rho", "1", "--rho=2"], 2, "error: --rho must be given once"),
        ([*H, *E, "--bins", "0:1:1"], 2, "error: --bins must be given once"),
        ([*H, *E, "--ledger", "a", "--ledger", "LEDGER"], 2, "--ledger must be given once"),
        ([*Q, *E, "--q", "0.5"], 2, "error: --q must be given once"),
        ([*G, *E, "--key-list", "1"], 2, "error: --key-list must be given once"),
        ([*G, *E, "--by", "Day"], 2, "error: --by must be given once"),
        ([*C, *E, "--unit", "a", "--unit", "b"], 2, "error: --unit must be given once"),
        (["ledger", "create", "x", *E, *E], 2, "error: --epsilon must be given once"),
        # the unit
        ([*C, *E, *U], 2, "--max-rows must be given with --user: it bounds what one VisitorId"),
        ([*G, *E, *U], 2, "--max-partitions must be given with --user"),
        ([*C, *E, "--max-rows", "1"], 2, "--max-rows bounds the rows of a user: give --user as"),
        ([*G, *E, "--max-partitions", "1"], 2, "--max-partitions bounds the rows of a user"),
        ([*G, *E, "--max-rows-per-partition", "1"], 2, "--max-rows-per-partition bounds the rows"),
        ([*C, *E, "--unit", "person"], 2, "--unit names what --user stands for: give --user"),
        ([*C, *E, *U, "--max-rows", "1", "--max-rows-per-unit", "1"], 2,
         "--max-rows-per-unit is a promise instead of --user: give one of them"),
        ([*C, *E, *U, "--max-rows", "0"], 2, "--max-rows: must be a whole number of at least 1"),
        ([*C, *E, *U, "--max-rows", "9" * 15], 2, "--max-rows must be from 1 to 2**40"),
        ([*C, *E, "--max-partitions", "1"], 2, "unrecognized arguments: --max-partitions"),
        ([*C, *E, "--user", "x", "--max-rows", "1"], 2, "no column 'x' in the first line of"),
        ([*G[:4], *E, "--delta", "1e-6", "--max-rows-per-unit", "2"], 2,
         "keys that are not public need --user: --max-rows-per-unit does not tell"),
        # what is released
        ([*M[:-1], "0:x", *E], 2, "HI of --bounds must be a number"),
        ([*M[:-1], "5", *E], 2, "--bounds must be LO:HI, such as 0:100"),
        ([*M[:-1], "5:1", *E], 2, "--bounds must have LO <= HI"),
        ([*M[:-1], "0:1e999", *E], 2, "finite as floats"),
        ([*M[:-1], "-1:nan", *E], 2, "HI of --bounds must be a number"),
        ([*M, *E, "--missing", "200"], 2, "--missing must be 'drop' or within the bounds"),
        ([*M, *E, "--missing", "x"], 2, "--missing must be a number"),
        ([*Q[:-1], "1.5", *E], 2, "Q of --q must be from 0 to 1"),
        ([*Q[:-1], "a", *E], 2, "Q of --q must be a number"),
        ([*Q[:-1], "", *E], 2, "Q of --q must be a number"),
        ([*G, *E, "--sum", "age"], 2, "--sum must be COLUMN:LO:HI, such as income:0:200000"),
        ([*G, *E, "--sum", ":0:1"], 2, "--sum must be COLUMN:LO:HI"),
        ([*G, *E, "--mean", "a:1:0"], 2, "--mean must have LO <= HI"),
        ([*G, *E, "--mean", "a:0:1", "--mean", "a:0:2"], 2, "--mean must name each column once"),
        ([*G, *E, "--quantile", "a:0:1"], 2, "--quantile must be COLUMN:Q:LO:HI"),
        ([*G, *E, "--quantile", "a:2:0:1"], 2, "Q of --quantile must be from 0 to 1"),
        ([*G, *E, "--no-count"], 2, "--no-count needs --sum, --mean or --quantile"),
        ([*G, *E, "--no-count", "--mean", "a:0:1", "--missing", "0"], 2,
         "--no-count and --missing"),
        ([*G, *E, "--no-count", "--sum", "a:0:1", "--total", "5"], 2, "leave --no-count out"),
        ([*G, *E, "--sum", "Day:0:7"], 2, "'Day' must be used either for numbers or for keys"),
        ([*G, *E, "--sum", "x:0:7"], 2, "no column 'x'"),
        ([*G, *E, "--rho", "1"], 2, "--rho must be given alone"),
        ([*G[:4], "--rho", "1"], 2, "--epsilon and --delta must be given for keys that are not"),
        ([*G[:3], "", *E], 2, "--by must not be empty"),
        ([*H, *E, "--total", "2.5"], 2, "--total: must be a whole number"),
        ([*H, *E, "--total", "1e18"], 2, "--total: must be a whole number"),
        ([*H, *E, "--total", "nan"], 2, "--total: must be a whole number"),
        ([*H, *E, "--total", "1e-3"], 2, "--total: must be a whole number"),
        ([*C, *E, "--nonnegative"], 2, "unrecognized arguments: --nonnegative"),
        # files
        ([*H, *E, "--delimiter", "ab"], 2, "--delimiter: must be one character"),
        ([*H, *E, "--delimiter", '"'], 2, "--delimiter: must be one character"),
        ([*H, *E, "--format", "parquet"], 2, "as Parquet"),
        ([*H, *E, "--format", "xml"], 2, "--format: invalid choice"),
        ([*H, *E, "--format", "parquet", "--delimiter", ";"], 2, "--delimiter is for CSV"),
        (["count", "t.parquet", *E, "--delimiter", ";"], 2, "--delimiter is for CSV"),
        (["count", "t.csv.gz", *E], 2, "no such file: 't.csv.gz'"),
        (["count", "BOOLS", "--column", "b", *E], 2, "would be counted alike: use `cydp sum`"),
        (["sum", "BOOLS", "--column", "s", "--bounds", "0:1", *E], 2, "must be numeric, not"),
        (["group-by", "BOOLS", "--by", "s", "--delta", "1e-6", *E], 2, "--by must hold labels"),
        (["count", "BOOLS", "--user", "s", "--max-rows", "1", *E], 2, "--user must hold labels"),
        # the ledger
        ([*C, *U, "--max-rows", "1", *E, "--ledger", "LEDGER"], 2,
         "the ledger protects 'person', and this release 'VisitorId': if that is the same, or "
         "contains it, say so by --unit person or --unit VisitorId person"),
        ([*C, *E, "--ledger", "LEDGER"], 2, "give --user, or promise with --max-rows-per-unit=k"),
        ([*M, "--rho", "0.1", "--max-rows-per-unit", "1", "--ledger", "LEDGER"], 2,
         "the cost rho=0.1 cannot be paid from a budget of epsilon alone: give --epsilon instead "
         "of --rho, or use a ledger with a budget of rho"),
        ([*M, "--epsilon", "4/3", "--max-rows-per-unit", "1", "--ledger", "LEDGER"], 1,
         "cydp: refused: the release costs epsilon=4/3, and epsilon=1 is left in "),
        ([*M, *E, "--max-rows-per-unit", "1", "--ledger", "LEDGER", "--label", ""], 2,
         "--label must have 1 to 1,000 characters"),
        ([*M, *E, "--max-rows-per-unit", "1", "--ledger", "LEDGER", "--unit", "dog"], 2,
         "this release 'dog'"),
        ([*M[:-1], "0:1e-320", *E], 2, "cydp: error: --bounds"),
        (["group-by", "BOOLS", "--by", "l", "--delta", "1e-6", *E], 2, "dates or times, not"),
        ([*M, *E, "--ledger", PUMS], 2, "`cydp ledger create` has not made this file"),
        ([*M, *E, "--label", "x"], 2, "--label needs --ledger"),
    ],
)  # fmt: skip
def test_refusals(
    run: Run, tmp_path: Path, ledger: str, arguments: list[str], code: int, message: str
) -> None:
    bools = f"{tmp_path}/bools.parquet"
    duckdb.execute(f"COPY (SELECT true AS b, {{'x': 1}} AS s, [1] AS l) TO '{bools}'")
    before = head(ledger)
    names = {"LEDGER": ledger, "BOOLS": bools}
    refused(run(*(names.get(word, word) for word in arguments)), code, message)
    assert head(ledger) == before


def test_measures_that_do_not_go_together(run: Run, tmp_path: Path) -> None:
    losses = {"e": ["--epsilon", "1"], "d": ["--epsilon", "1", "--delta", "0.1"],
              "r": ["--rho", "1"]}  # fmt: skip
    for name, loss in losses.items():
        path = f"{tmp_path}/{name}.db"
        assert run("ledger", "create", path, *loss, "--privacy-unit", "row")[0] == 0
        for other in losses.values():
            done = run(*M, *other, "--ledger", path)
            if done[0] and "is left in" not in done[2]:
                refused(done, 2, "cannot be paid from a budget of")


def test_json_and_text_are_in_the_words_of_options(run: Run, ledger: str) -> None:
    for more in ([], ["--dry-run"]):
        for form in ([], ["--json"]):
            shown = " ".join(run(*M, *E, *more, *form)[1].split())
            assert "pass their column as --user" in shown or not (more or form)
            assert "user=" not in shown
            paid = ["--max-rows-per-unit", "2", "--ledger", ledger]
            shown = " ".join(run(*M, *E, *more, *form, *paid)[1].split())
            assert "whether one person is in the table or not" in shown
            assert "that is your promise about the table" in shown or not (more or form)
            assert "caller" not in shown


def test_one_unit_can_contain_another(run: Run, ledger: str) -> None:
    paid = [*C, *U, "--max-rows", "1", *E, "--ledger", ledger]
    assert run(*paid, "--unit", "person")[0] == 0
    assert run(*paid, "--unit", "household", "person")[0] == 0


def test_a_ledger_that_is_busy_damaged_or_rolled_back(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sqlite3

    from cydp.accounting.ledger import _open_file

    paid = [*M, *E, "--max-rows-per-unit", "1", "--ledger", ledger]
    monkeypatch.setattr(_open_file, "BUSY_SECONDS", 0.1)
    other = sqlite3.connect(ledger, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    refused(run(*paid), 1, "another process has used the ledger for")
    other.execute("ROLLBACK")
    other.close()
    Path(ledger).write_bytes(Path(ledger).read_bytes()[:4096])
    refused(run(*paid), 1, "the ledger is damaged")


def test_what_is_left_is_rounded_down_and_a_cost_up(run: Run, ledger: str) -> None:
    with BudgetLedger.open(ledger) as opened:
        opened.charge(PureDP(1 - PureDP("1/3").epsilon / 10**12))
    done = run(*M, "--epsilon", "1/3", "--max-rows-per-unit", "1", "--ledger", ledger)
    refused(done, 1, "costs epsilon=1/3, and epsilon=")
    assert "left in" in done[2]


def test_a_ledger_that_is_lost_after_the_release(
    run: Run, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lost(*_: object) -> None:
        raise LedgerError("the disk is gone")

    monkeypatch.setattr(_payment, "head_of", lost)
    paid = [*M, *E, "--max-rows-per-unit", "1", "--ledger", ledger, "--charge-id", "a"]
    code, printed, message = run(*paid)
    assert (code, printed[:5]) == (2, "mean:") or (code, printed[:5]) == (2, "mean ")
    assert "the disk is gone; the ledger was charged all the same, and the release was" in message
