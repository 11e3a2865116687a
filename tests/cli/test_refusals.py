"""What releases are refused: each in one line, in the words of options, before any charge."""

from __future__ import annotations

import os
from pathlib import Path

import duckdb
import pytest
from cli.commands import DATA, PUMS, SECRET, WEEK, Run, Told, check_told, parquet

from cydp import BudgetLedger, PureDP
from cydp.releases import _run
from cydp.releases._cells import CellRows

H = ["histogram", PUMS, "--column", "age", "--bins", "10", "--range", "0:100"]
C = ["count", WEEK]
M = ["mean", PUMS, "--column", "age", "--bounds", "0:100"]
Q = ["quantile", PUMS, "--column", "age", "--bounds", "0:100", "--q", "0.5"]
D = ["histogramdd", PUMS, "--column", "age", "--column", "income"]
B = ["contribution-bound", WEEK]
T = ["top-k", WEEK, "--column", "Day"]
V = ["value-counts", WEEK, "--column", "Day"]
G = ["group-by", WEEK, "--by", "Day", "--key-list", "1,2"]
E = ["--epsilon", "0.1"]
U = ["--user", "VisitorId"]
PAID = ["--max-rows-per-unit", "1", "--ledger", "LEDGER"]


@pytest.fixture(autouse=True)
def _nothing_is_read_or_released(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(CellRows, "count", lambda *_: pytest.fail("the file was read"))
    monkeypatch.setattr(_run, "generator_or_default", lambda _: pytest.fail("a release was made"))


def test_the_cost(run: Run, ledger: str) -> None:
    refusals: list[Told] = [
        (H, 2, "--epsilon must be given, or --rho"),
        ([*H, "--delta", "0.1"], 2, "--epsilon must be given with --delta, or --rho"),
        ([*H, *E, "--rho", "1"], 2, "--rho must be given alone"),
        ([*H, "--rho", "0"], 2, "--rho must be greater than 0"),
        ([*H, *E, "--delta", "1"], 2, "--delta must be less than 1"),
        ([*H, *E, "--delta", "0"], 2, "--delta must be greater than 0"),
        *(([*H, "--epsilon", given], 2, words) for given, words in {
            "0": "--epsilon must be greater than 0", "-1": "--epsilon must be greater than 0",
            "nan": "--epsilon must be a number", "": "--epsilon must be a number",
            "many": "--epsilon must be a number such as '0.1'",
            "1/0": "--epsilon must be a number, and its denominator is 0",
            "1e-300": "--epsilon must give a scale", "1e400000": "--epsilon must have",
        }.items()),
        ([*H, "--epsilon", "0", "--column", "x"], 2, "--column must be given once"),
        (["histogram", "missing.csv", *H[2:], "--epsilon", "0"], 2, "--epsilon must be greater"),
        # words that no command knows, or that are given twice
        ([*H, "--eps", "1"], 2, "unrecognized arguments: --eps (did you mean --epsilon?)"),
        ([*C, *E, "--left-outt", "1"], 2, "--left-outt (did you mean --left-out?)"),
        (["mean", PUMS, *E, "--left-out", "1"], 2, "--left-out (count, value-counts and group-by"),
        ([*C, "-e", "1"], 2, "unrecognized arguments: -e (did you mean --epsilon?)"),
        (["mean", PUMS, "--col=age", *E], 2, "unrecognized arguments: --col (did you mean --col"),
        ([*Q[:6], "--quantiles", "0.5", *E], 2, "--quantiles (did you mean --q?)"),
        ([*T, "-k", "1", *E], 2, "unrecognized arguments: -k (did you mean --k?)"),
        (["ledger", "create", "x", "--unit", "user"], 2, "--unit (did you mean --privacy-unit?)"),
        (["top-k", WEEK, "--column", "Day", "--k", "1", *E, *U, "--max-rows", "1"], 2,
         "--max-rows (did you mean --max-partitions?)"),
        ([*H, *E, "--seed", "1"], 2, "unrecognized arguments: --seed"),
        ([*C, *E, "--max-partitions", "1"], 2, "--max-partitions (did you mean --max-rows?)"),
        ([*C, *E, "--nonnegative"], 2, "unrecognized arguments: --nonnegative"),
        ([*T, *E, "--k", "1", "--nonnegative"], 2, "unrecognized arguments: --nonnegative"),
        (["histogramm"], 2, "no command 'histogramm': did you mean histogram?"),
        (["coutn", PUMS, *E], 2, "no command 'coutn': did you mean count?"),
        ([*C, *E, "--quiet"], 2, "unrecognized arguments: --quiet"),
        ([], 2, "required: COMMAND (`cydp --help` lists them)"),
        (["count", "--unit", "user", PUMS, *E], 2,
         "required: FILE (before --unit and --blocks, which take all words after them)"),
        (["ledger", "charge", "--blocks", "mon", "a.db", *E, "--label", "a"], 2,
         "required: PATH (before --blocks, which take all words after them)"),
        (["mean", PUMS, "--column", "age", "--bounds", "0", "200", *E], 2,
         "unrecognized arguments: 200 (--bounds takes one word: --bounds LO:HI)"),
        ([*Q[:6], "--q", "0.25", "0.5", *E], 2,
         "unrecognized arguments: 0.5 (--q takes one word: --q Q[,Q...])"),
        ([*C, *E, "--file-in-blocks", "x"], 2, "unrecognized arguments: x"),
        ([*H, *E, *E], 2, "error: --epsilon must be given once"),
        ([*H, "--rho", "1", "--rho=2"], 2, "error: --rho must be given once"),
        ([*H, *E, "--ledger", "a", "--ledger", "LEDGER"], 2, "--ledger must be given once"),
        ([*G, *E, "--key-list", "1"], 2, "--key-list must be given once for each column of keys, "
         "Day, and is given 2 times"),
        ([*C, *E, "--unit", "a", "--unit", "b"], 2, "error: --unit must be given once"),
        (["ledger", "create", "x", *E, *E], 2, "error: --epsilon must be given once"),
    ]  # fmt: skip
    check_told(run, refusals, {"LEDGER": ledger}, Path(ledger).read_bytes)


def test_the_unit(run: Run, ledger: str) -> None:
    refusals: list[Told] = [
        ([*C, *E, *U], 2, "--max-rows must be given with --user: it bounds what one VisitorId"),
        ([*G, *E, *U], 2, "--max-partitions or --max-rows must be given with --user"),
        ([*C, *E, "--max-rows", "1"], 2, "--max-rows bounds the rows of a user: give --user as"),
        ([*G, *E, "--max-partitions", "1"], 2, "--max-partitions bounds the rows of a user"),
        ([*G, *E, "--max-rows-per-partition", "1"], 2, "--max-rows-per-partition bounds the rows"),
        ([*C, *E, "--unit", "person"], 2, "--unit names what --user stands for: give --user"),
        ([*C, *E, *U, "--max-rows", "1", "--max-rows-per-unit", "1"], 2,
         "--max-rows-per-unit is a promise instead of --user: give one of them"),
        ([*C, *E, *U, "--max-rows", "0"], 2, "--max-rows: must be a whole number of at least 1"),
        ([*C, *E, *U, "--max-rows", "9" * 15], 2, "--max-rows must be from 1 to 2**40"),
        ([*C, *E, "--user", "x", "--max-rows", "1"], 2, "no column 'x' in the first line of"),
        ([*G[:4], *E, "--delta", "1e-6", "--max-rows-per-unit", "2", "--selection", "optimal"], 2,
         "--max-rows-per-unit does not tell how many units there are"),
        ([*C, *U, "--max-rows", "1", *E, "--ledger", "LEDGER"], 2,
         "say so by --unit person or --unit VisitorId person"),
        ([*C, *E, "--ledger", "LEDGER"], 2, "give --user, or promise with --max-rows-per-unit=k"),
        ([*H, *E, "--relation", "neighbours"], 2, "--relation must be"),
        *(([*H, *E, "--max-rows-per-unit", given, "--ledger", "LEDGER"], 2,
           "--max-rows-per-unit: must be a whole number of at least 1") for given in ("0", "x")),
    ]  # fmt: skip
    check_told(run, refusals, {"LEDGER": ledger}, Path(ledger).read_bytes)


def test_what_is_released(run: Run, ledger: str) -> None:
    refusals: list[Told] = [
        *(([*H[:4], "--bins", bins, *E], 2, words) for bins, words in {
            "0:100:10": "write --bins 10 --range 0:100, not '0:100:10'",
            "-1:1:0.5": "write --bins 4 --range -1:1, not", "0:100": "write --bins N --range 0:100",
            "0:100:7": "write --bins N --range 0:100", "0:100:0": "write --bins N --range 0:100",
            "a:b:c": "write --bins N --range LO:HI", ":": "--bins must be a num",
            "10": "--range must be given", "0": "--bins must be a number of bins from 1 to 1000000",
            "2.5": "--bins must be a number of bins from 1", "1e7": "from 1 to 1000000, edges",
            "x": "--bins must be a number", "": "--bins must be a number", "0,1,": "--bins must be",
            "0,2,1": "--bins must have edges that never decrease",
            "0,1e999": "--bins must have edges that are finite",
        }.items()),
        *(([*H[:6], "--range", ends, *E], 2, words) for ends, words in {
            "100:0": "--range must have LO <= HI", "5": "--range must be LO:HI, such as",
            "0:x": "HI of --range must be a number",
            "01.01.2024:31.12.2024": "--range must be numbers, or dates or times such as",
            "0:1:2": "--range must be LO:HI", "0:1e999": "finite as floats",
        }.items()),
        *(([*H[:4], "--bins", bins, *more, *E], 2, words) for bins, more, words in (
            ("1d", [], "--range must be given unless --bins has the edges"),
            ("1d", ["--range", "0:100"], "--range must be two dates or times, such as"),
            ("1x", ["--range", "2024-01-01:2024-02-01"], "--bins must"),
            *((word, ["--range", "2024-01-01:2024-02-01"], f"'1d' or '1mo', not '{word}'")
              for word in ("day", "D", "1M", "1 day", "ten")),
            ("10", ["--range", "2024-02-01:2024-01-01"], "--range of times must have lo before hi"),
            ("10", ["--range", "2024-01-01:5"], "LO of --range must be a number"),
            ("10", ["--range", "2024-01-01:2024-13-01"], "HI of --range must be a date of the"),
            ("10", ["--range", "2024-01-01 08:00:2024-02-01 08:00"], "or LO..HI for times with"),
            ("2024-01-01,5", [], "--bins must be a number"),
            ("2024-02-01,2024-01-01", [], "--bins must have edges that increase"),
        )),
        ([*M[:-1], "2024-01-01:2024-02-01", *E], 2, "LO of --bounds must be a number"),
        (["group-by", WEEK, "--by", "Day", *E, "--sum", "x:2024-01-01:2024-02-01"], 2,
         "LO of --sum must be a number"),
        ([*C, *E, "--left-out", "3"], 2, "--left-out is about rows of users: give --user as well"),
        ([*C, *E, "--split", "count"], 2, "--split must be KEY=VALUE"),
        ([*M, *E, "--split", "n=1"], 2, "--split must have weights of sum, count, not of 'n'"),
        *(([*B, *more, *E], 2, words) for more, words in (
            (["--max", "0"], "--max: must be a whole number of at least 1"),
            ([], "required: --max"), (["--max", "5"], "--user must be given"),
            (["--max", "5", *U, "--share", "1.5"], "--share must be from 0 to 1"),
            (["--max", "5", *U, "--of", "rows"], "--of: invalid choice"),
            (["--max", "5", *U, "--max-rows", "2"], "unrecognized arguments: --max-rows"),
        )),
        ([*H[:4], "--bins", "0,1", "--range", "0:1", *E], 2, "--range must be left out"),
        ([*H, *E, "--by", "sex"], 2, "--by must be given with --keys or --key-list"),
        ([*H, *E, "--key-list", "1"], 2, "--keys and --key-list need --by"),
        *(([*D, *more, *E], 2, words) for more, words in (
            (["--bins", "2"], "--range must be given"),
            (["--bins", "2", "--bins", "3", "--bins", "4"], "--bins must be given once, or once "
             "for each of the 2 columns, not 3 times"),
            (["--bins", "2", "--range", "0:1", "--range", "0:2", "--range", "0:3"],
             "once for each of the 2 columns whose --bins has no edges, not 3 times"),
            (["--bins", "2", "--bins", "0,1", "--range", "0:1", "--range", "0:2"],
             "once for each of the 1 columns"),
            (["--bins", "0,1", "--range", "0:1"], "--range must be left out"),
            (["--bins", "0:1:1", "--range", "0:1"], "write --bins 1 --range 0:1"),
            (["--bins", "2", "--range", "0:1", "--column", "age"], "--column must name each"),
            (["--bins", "1000000", "--range", "0:1"], "--bins must give at most 2**30 bins"),
        )),
        *(([*T, *more, *E], 2, words) for more, words in (
            (["--k", "0", "--key-list", "1"], "--k: must be a whole number of at least 1"),
            (["--k", "3", "--key-list", "1,2"], "--k must be from 1 to the number of keys, 2"),
            (["--key-list", "1,2"], "required: --k"),
        )),
        ([*V, *E], 2, "--epsilon and --delta must be given for keys that are not public"),
        (["median", *M[1:-1], "1:0", *E], 2, "--bounds must have LO <= HI"),
        (["variance", *M[1:], *E, "--missing", "-1"], 2, "--missing must be 'drop' or within"),
        *(([*M[:-1], bounds, *E], 2, words) for bounds, words in {
            "0:x": "HI of --bounds must be a number", "5": "--bounds must be LO:HI, such as",
            "5:1": "--bounds must have LO <= HI", "0:1e999": "finite as floats",
            "-1:nan": "HI of --bounds must be a number", "0:1e-320": "cydp: error: --bounds",
        }.items()),
        ([*M, *E, "--missing", "200"], 2, "--missing must be 'drop' or within the bounds"),
        ([*M, *E, "--missing", "x"], 2, "--missing must be 'drop' or a number"),
        ([*Q[:-1], "1.5", *E], 2, "Q of --q must be from 0 to 1"),
        ([*Q[:-1], "a", *E], 2, "Q of --q must be a number"),
        ([*Q[:-1], "", *E], 2, "Q of --q must be a number"),
        *(([*G, *E, option, given], 2, words) for option, given, words in (
            ("--sum", "age", "--sum must be COLUMN:LO:HI, such as income:0:200000"),
            ("--sum", ":0:1", "--sum must be COLUMN:LO:HI"),
            ("--mean", "a:1:0", "--mean must have LO <= HI"),
            ("--quantile", "a:0:1", "--quantile must be COLUMN:Q:LO:HI"),
            ("--quantile", "a:2:0:1", "Q of --quantile must be from 0 to 1"),
            ("--sum", "Day:0:7", "'Day' must be used either for numbers or for keys"),
            ("--sum", "x:0:7", "no column 'x'"),
        )),
        ([*G, *E, "--mean", "a:0:1", "--mean", "a:0:2"], 2, "--mean must name each column once"),
        ([*G, *E, "--no-count"], 2, "--no-count needs --sum, --mean or --quantile"),
        ([*G, *E, "--no-count", "--mean", "a:0:1", "--missing", "0"], 2, "--no-count and --mis"),
        ([*G, *E, "--no-count", "--sum", "a:0:1", "--total", "5"], 2, "leave --no-count out"),
        *(([*H, *E, "--total", total], 2, "--total: must be a whole number of at least 0")
          for total in ("-1", "2.5", "1e18", "nan", "1e-3")),
        *(([*H, *E, "--confidence", given], 2, "--confidence must be") for given in "12x"),
        ([*H, *E, "--rows", "5"], 2, "--rows needs --dry-run"),
    ]  # fmt: skip
    check_told(run, refusals, {}, Path(ledger).read_bytes)


def test_files_and_their_columns(run: Run, tmp_path: Path, ledger: str) -> None:
    odd = f"{tmp_path}/odd.parquet"
    duckdb.execute(f"COPY (SELECT true AS b, {{'x': 1}} AS s, [1] AS l, 'x' AS age) TO '{odd}'")
    refusals: list[Told] = [
        ([*H[:3], "salary", *H[4:], *E, *PAID], 2, "no column 'salary' in"),
        (["histogram", "missing.csv", *H[2:], *E, *PAID], 2, "no such file: 'missing.csv'"),
        (["histogram", str(DATA), *H[2:], *E], 2, "is a directory: name its files"),
        (["histogram", "x" * 300, *H[2:], *E], 2, "cannot open"),
        (["histogram", "ODD", *H[2:], *E, *PAID], 2, "must be numeric"),
        ([*H, *E, "--delimiter", "ab"], 2, "--delimiter: must be one character"),
        ([*H, *E, "--delimiter", '"'], 2, "--delimiter: must be one character"),
        ([*H, *E, "--format", "parquet"], 2, "as Parquet"),
        ([*H, *E, "--format", "xml"], 2, "--format: invalid choice"),
        ([*H, *E, "--format", "parquet", "--delimiter", ";"], 2, "--delimiter is for CSV"),
        (["count", "t.parquet", *E, "--delimiter", ";"], 2, "--delimiter is for CSV"),
        (["count", "ODD", "--column", "b", *E], 2, "would be counted alike: use `cydp sum`"),
        (["sum", "ODD", "--column", "s", "--bounds", "0:1", *E], 2, "must be numeric, not"),
        (["group-by", "ODD", "--by", "s", "--delta", "1e-6", *E], 2, "--by must hold labels"),
        (["group-by", "ODD", "--by", "l", "--delta", "1e-6", *E], 2, "dates or times, not"),
        (["count", "ODD", "--user", "s", "--max-rows", "1", *E], 2, "--user must hold labels"),
    ]
    check_told(run, refusals, {"LEDGER": ledger, "ODD": odd}, Path(ledger).read_bytes)


def test_what_a_ledger_refuses(run: Run, tmp_path: Path, ledger: str) -> None:
    """A dry run, of every third one, refuses it in the same words."""
    names = {"LEDGER": ledger, "NONE": f"{tmp_path}/none.db", "FOLDER": str(tmp_path)}
    refusals: list[Told] = [
        ([*M, "--rho", "0.1", *PAID], 2, "rho=0.1 cannot be paid from a budget of epsilon alone: "
         "give --epsilon instead of --rho, or use a ledger with a budget of rho"),
        ([*M, *E, *PAID, "--label", ""], 2, "--label must have 1 to 1,000 characters"),
        ([*M, *E, *PAID, "--unit", "dog"], 2, "this release 'dog'"),
        ([*M, *E, *PAID[:-1], PUMS], 2, "`cydp ledger create` has not made this file"),
        ([*M, *E, *PAID[:-1], "NONE"], 2, "there is no ledger"),
        ([*M, *E, *PAID[:-1], "FOLDER"], 2, "error: --ledger must be the file of a ledger"),
        ([*M, *E, *PAID, "--blocks", "all"], 2, "error: --blocks must be left out"),
        ([*M, *E, *PAID, "--blocks", "mon", "--blocks", "mon"], 2, "--blocks must be left out"),
        ([*M, *E, *PAID, "--data-version", "a"], 2, "--data-version needs --charge-id"),
        ([*M, *E, *PAID, "--charge-id", ""], 2, "--charge-id must have 1 to 1,000 characters"),
        ([*M, *E, *PAID, "--relation", "change-one"], 2, "is kept under 'add-remove'"),
        *(([*M, *E, option, "a"], 2, f"{option} needs --ledger")
          for option in ("--blocks", "--charge-id", "--data-version", "--label")),
    ]  # fmt: skip
    dry: list[Told] = [
        ([*arguments, "--dry-run"], 2, words) for arguments, _, words in refusals[::3]
    ]
    more: list[Told] = [
        ([*M, "--epsilon", "4/3", *PAID], 1,
         "cydp: refused: the release costs epsilon=4/3, and epsilon=1 is left in "),
        ([*M, *E, *PAID, "--rows", "0", "--dry-run"], 2, "--rows: must be a whole number of"),
    ]  # fmt: skip
    check_told(run, [*refusals, *dry, *more], names, Path(ledger).read_bytes)


def test_keys(run: Run, tmp_path: Path) -> None:
    """What a file of keys holds is not shown."""
    path = str(tmp_path / "week.db")
    BudgetLedger.create(path, PureDP(1), privacy_unit="VisitorId").close()
    names = {"DATA": parquet(tmp_path, WEEK), "LEDGER": path}
    release = ["group-by", "DATA", *E, *U, "--max-partitions", "1", "--ledger", "LEDGER", "--by"]
    refusals: list[Told] = [
        ([*release, "Day", "--key-list", "1,1"], 2, "--key-list must be distinct"),
        ([*release, "Day", "--key-list", "1,x"], 2, "--key-list must have keys of the types"),
        ([*release, "Day", "--key-list", ""], 2, "--key-list must"),
        ([*release, "Day", "--key-list", "1", "--keys", "k"], 2, "not allowed with argument"),
        (
            [*release, "Day", "--keys", "a,b"],
            2,
            "'a,b': --keys takes a file, and --key-list a list",
        ),
        (
            [*release, "Day,VisitorId", "--key-list", "1"],
            2,
            "once for each column of keys, Day, VisitorId, and is given once: --keys FILE takes",
        ),
        ([*release, "Day,Day"], 2, "--by must name each column once"),
        ([*release, "Day", "--by", "Day"], 2, "--by must name each column once"),
        (
            [*release, "Day", "--by", "VisitorId", "--key-list", "1,2", "--key-list", "3,x"],
            2,
            "BIGINT for 'VisitorId', and none missing",
        ),
        ([*release, ""], 2, "--by must not be empty"),
        ([*release, "Days", "--key-list", "1"], 2, "no column 'Days' in"),
        *(
            ([*release, by, "--key-list", "1"], 2, words)
            for by, words in {
                "date_trunc(month, ts)": "--by must be written date_trunc('month', COLUMN)",
                "date_trunc('decade', ts)": "part must be one of second, minute",
                "Day,date_trunc('month', ts)": "repeat --by for other columns",
                "date_trunc('month', ts)": "no column 'ts' in",
            }.items()
        ),
        ([*release, "Day"], 2, "--epsilon and --delta must be given for keys that are not public"),
    ]
    for i, (text, words) in enumerate({
        f"{SECRET}\n7\n": "--keys must have keys of the types of the data",
        f"Day\n{SECRET}\n": "BIGINT for 'Day', and none missing",
        "Day\n7.5\n": "BIGINT for 'Day'",
        'Day\n7\n""\n8\n': "none missing",
        "Day\n7\n7\n": "--keys must be distinct: some are given more than once",
        "Day\n": "--keys must be 1 to 2**32 - 4 keys, not 0",
        "": "is empty: the first line of CSV has the names",
        f"{SECRET},b,c\n": "no header: ",
        f'Day\n"7" {SECRET}\n1,2,{SECRET}\n': "is no well-formed CSV",
        "Day\n7\n\udcff\n1\n": "is no text in UTF-8",
    }.items()):  # fmt: skip
        (tmp_path / f"{i}.csv").write_bytes(text.encode(errors="surrogateescape"))
        refusals.append(([*release, "Day", "--keys", f"{tmp_path}/{i}.csv"], 2, words))
    decimals = f"{tmp_path}/t.parquet"
    duckdb.execute(f"COPY (SELECT (-1.5)::DECIMAL(10, 2) AS d) TO '{decimals}'")
    refusals += [
        (["group-by", decimals, "--by", "d", f"--key-list={key},1", *E], 2, "DECIMAL(10,2)")
        for key in ("7.001", "", "123456789.00")  # none is rounded
    ]
    check_told(run, refusals, names, Path(path).read_bytes)


def test_what_cannot_be_written(
    run: Run, tmp_path: Path, ledger: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    data = tmp_path / "data.csv"
    for file in (tmp_path / "there.csv", tmp_path / "there.png", data):
        file.write_text("age\n1\n")
    (tmp_path / "folder.csv").mkdir()
    os.symlink(ledger, tmp_path / "budget.csv")
    release = [*H, *E, *PAID]
    refusals: list[Told] = [
        (["count", "data.csv", *E, "--output", "data.csv", "--force"], 2, "than those that are re"),
        *(([*release, *more], 2, words) for more, words in (
            (["--output", "there.csv"], "'there.csv' exists already: choose another name, or add"),
            (["--output", "new.txt"], "--output must be named *.csv, *.parquet or *.json"),
            (["--output", "new"], "--output must be named"),
            (["--output", "no/new.csv"], "cannot write 'no/new.csv': No such file or directory"),
            (["--output", "folder.csv"], "--output must be a file, and 'folder.csv' is a folder"),
            (["--output", "a.csv", "--output", "./a.csv"], "'./a.csv' is named twice"),
            (["--output", "a.json", "--certificate", "a.json"], "'a.json' is named twice"),
            (["--output", "budget.csv", "--force"], "another file than those that are read"),
            (["--output", "x" * 300 + ".csv"], "cannot write"),
            (["--plot", "ages.gif"], "--plot must be named *.png, *.svg or *.pdf"),
            (["--plot", "there.png"], "exists already"),
            (["--force"], "--force needs --output, --plot or --certificate"),
            (["--certificate", "c", "--total", "3"], "--certificate is of the release itself"),
        )),
        ([*H, "--epsilon", "2", *PAID, "--output", "new.csv"], 1, "is left in"),
    ]  # fmt: skip

    def kept() -> object:
        names = sorted(file.name for file in tmp_path.iterdir())
        return names, data.read_text(), Path("there.csv").read_text(), Path(ledger).read_bytes()

    check_told(run, refusals, {"LEDGER": ledger}, kept)
    monkeypatch.setitem(__import__("sys").modules, "matplotlib", None)
    missing: list[Told] = [([*release, "--plot", "a.png"], 2, "pip install 'cydp[plot]'")]
    check_told(run, missing, {"LEDGER": ledger}, kept)
