"""cli/_main.py, as a user runs it."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cli.commands import AGES, DATA, PUMS, parquet

import cydp
from cydp.cli import main

HISTOGRAM = ["histogram", PUMS, "--column", "age", "--bins", "0:100:10", "--epsilon", "1"]


def counts_of(printed: dict[str, Any]) -> Any:
    return np.array(printed["columns"]["count"]["values"])


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*HISTOGRAM, "--json", "--confidence", "0.999"]) == 0
    printed = json.loads(capsys.readouterr().out)
    counts, edges = np.histogram(AGES, 10, (0, 100))
    assert printed["axes"] == [{"name": "age", "edges": edges.tolist()}]
    assert (printed["epsilon"], printed["relation"]) == (1, "add-remove")
    bound = cydp.DiscreteLaplace(epsilon=1, sensitivity=1).error_bound(0.999, count=10)
    error = printed["columns"]["count"]["error"]
    assert (error["confidence"], error["together"]) == (0.999, bound)
    # 4 times as wide: wrong once in 10^12 runs.
    assert (np.abs(counts_of(printed) - counts) <= 4 * bound).all()
    assert any("pure noise" in note for note in printed["notes"])


def test_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*HISTOGRAM, "--relation", "change-one"]) == 0
    release = cydp.histogram(
        {"age": AGES}, 10, (0, 100), column="age", epsilon=1, relation="change-one"
    )
    lines = capsys.readouterr().out.splitlines()
    shown = release.to_text().splitlines()
    assert len(lines) == len(shown) + 1
    assert lines[-1].startswith("note: a value that is no number counts as missing")
    for line, own in zip(lines, shown, strict=False):
        assert line == own or own.lstrip().startswith("[")


def test_bins_below_zero_and_decimal_steps(capsys: pytest.CaptureFixture[str]) -> None:
    for spec, edges in [("-10:10:5", [-10, -5, 0, 5, 10]), ("0.1:0.4:0.1", [0.1, 0.2, 0.3, 0.4])]:
        assert main([*HISTOGRAM[:4], "--bins", spec, "--epsilon", "1/3", "--json"]) == 0
        printed = json.loads(capsys.readouterr().out)
        assert printed["axes"][0]["edges"] == edges
        assert printed["exact"]["epsilon"] == "1/3"


def test_parquet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [HISTOGRAM[0], parquet(tmp_path), *HISTOGRAM[2:-1], "1000", "--json"]
    assert main(arguments) == 0
    counts, _ = np.histogram(AGES, 10, (0, 100))
    printed = json.loads(capsys.readouterr().out)
    assert counts_of(printed).tolist() == counts.tolist()
    assert printed["notes"] == []


def changed(option: str, value: str) -> list[str]:
    arguments = list(HISTOGRAM)
    arguments[arguments.index(option) + 1] = value
    return arguments


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (changed("--column", "salary"), "no column 'salary' in"),
        (changed("histogram", "missing.csv"), "no such file: 'missing.csv'"),
        (changed("histogram", str(DATA)), "not a regular file"),
        (changed("histogram", "x" * 300), "cannot open"),
        (changed("--epsilon", "0"), "epsilon must be greater than 0"),
        (changed("--epsilon", "-1"), "epsilon must be greater than 0"),
        (changed("--epsilon", "nan"), "epsilon must be a number"),
        (changed("--epsilon", ""), "epsilon must be a number"),
        (changed("--epsilon", "1e-300"), "epsilon must give a scale"),
        (changed("--epsilon", "1e400000"), "epsilon must have"),
        (changed("--bins", "100:0:10"), "--bins must have LO < HI"),
        (changed("--bins", "0:100:-10"), "--bins must have LO < HI"),
        (changed("--bins", "0:100:0"), "--bins must have LO < HI"),
        (changed("--bins", "0:100:7"), "must divide"),
        (changed("--bins", "0:100"), "--bins must be LO:HI:STEP"),
        (changed("--bins", "a:b:c"), "LO of --bins must be a number"),
        (changed("--bins", "0:1:1e-9"), "at most 1000000 bins"),
        (changed("--bins", "0:1e400:1e399"), "distinct edges"),
        (changed("--bins", "1e16:1.0000000000000004e16:1"), "distinct edges"),
        ([*HISTOGRAM, "--relation", "neighbours"], "relation must be"),
        ([*HISTOGRAM, "--seed", "1"], "unrecognized arguments"),
        (HISTOGRAM[:-2], "--epsilon must be given, or --rho"),
        (["histogramm"], "invalid choice"),
        ([], "required: COMMAND"),
    ],
)
def test_mistakes_are_told_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(arguments)
    out, err = capsys.readouterr()
    assert exit_.value.code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_bad_parameters_are_refused_before_the_file_is_read(
    capsys: pytest.CaptureFixture[str],
) -> None:
    arguments = changed("--epsilon", "0")
    arguments[1] = "missing.csv"
    with pytest.raises(SystemExit):
        main(arguments)
    assert "epsilon" in capsys.readouterr().err


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", "from cydp.cli import main; raise SystemExit(main())"]
    return subprocess.run([*command, *arguments], capture_output=True, text=True, check=False)


def test_the_process() -> None:
    done = run(*HISTOGRAM)
    assert (done.returncode, done.stderr) == (0, "")
    failed = run(*changed("--epsilon", "nan"))
    assert (failed.returncode, failed.stdout) == (2, "")
    assert "Traceback" not in failed.stderr


def test_the_package_is_a_program() -> None:
    done = subprocess.run([sys.executable, "-m", "cydp", *HISTOGRAM], capture_output=True,
                          text=True, check=False)  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("histogram: 10 bins")


def test_a_reader_that_has_seen_enough() -> None:
    command = [sys.executable, "-c", "from cydp.cli import main; raise SystemExit(main())"]
    wide = [*HISTOGRAM[:4], "--bins", "0:100:0.001", "--epsilon", "1", "--json"]
    with subprocess.Popen([*command, *wide], stdout=subprocess.PIPE, stderr=subprocess.PIPE) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.read(1)
        run.stdout.close()
        assert run.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_an_output_that_is_full() -> None:
    command = [sys.executable, "-c", "from cydp.cli import main; raise SystemExit(main())"]
    with open("/dev/full", "w") as full:
        done = subprocess.run([*command, *HISTOGRAM], stdout=full, stderr=subprocess.PIPE,
                              text=True, check=False)  # fmt: skip
    assert done.returncode == 2
    assert done.stderr == "cydp: error: cannot write: No space left on device\n"


def test_version_and_selftest() -> None:
    assert run("--version").stdout == f"cydp {cydp.__version__}\n"
    done = run("selftest")
    assert done.returncode == 0
    assert done.stdout.startswith(f"cydp {cydp.__version__}, {cydp.build_info()['isa']} kernels")
    assert "FAILED" not in done.stdout
