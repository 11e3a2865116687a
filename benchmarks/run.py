"""Measures this machine: one command for all benchmarks, tables and pictures.

    pip install ".[bench]" && python benchmarks/run.py

It takes under 20 minutes on two cores, and is best left alone with the machine. Results go to
`benchmarks/results/<name>/`; the name says the processor and its kernels unless `--name` does.
"""

import argparse
import os
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))


def main() -> int:
    """Run what the command line asks for, and return pytest's exit code."""
    parser = argparse.ArgumentParser(
        description="Run all benchmarks, and write results, tables and pictures.",
        epilog="Example: python benchmarks/run.py --isa avx2 --only samplers sums",
    )
    parser.add_argument("--name", help="the folder of benchmarks/results that is written")
    parser.add_argument("--isa", help="measure these kernels: avx512, avx2, neon, portable")
    parser.add_argument("--stream", help="measure this stream: aes, vaes, aesni, chacha20 ...")
    parser.add_argument(
        "--only", nargs="+", metavar="TOPIC", help="run bench_TOPIC.py alone: samplers, sums ..."
    )
    asked = parser.parse_args()
    # Before cydp is imported, which reads them.
    for variable, value in (("CYDP_FORCE_ISA", asked.isa), ("CYDP_STREAM", asked.stream)):
        if value:
            os.environ[variable] = value
    files = [HERE / f"bench_{topic}.py" for topic in asked.only or []]
    missing = [file.name for file in files if not file.is_file()]
    if missing:
        parser.error(f"there is no {', '.join(missing)} in benchmarks")
    name = asked.name or name_of_machine()
    if not re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", name):
        parser.error(f"--name is small letters, digits and hyphens, not {name!r}")
    results = HERE / "results" / name / "results.json"
    if files and results.exists():
        parser.error(f"--only would replace all of results/{name}: choose another --name")
    part = results.with_name("part.json")
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        load_all()
    except (OSError, ValueError) as error:
        parser.error(str(error))
    ended = measure(files or [HERE], part)
    if part.stat().st_size:
        part.replace(results)
        write(results.parent)
    else:
        part.unlink()
        print("Nothing was measured to the end, and no results were written.")
    return ended


def measure(files: list[Path], results: Path) -> int:
    """Run pytest until it ends, which an interruption lets it do, and return its exit code."""
    command = [sys.executable, "-m", "pytest", *files, "-n", "0", "-q", "-p", "no:cacheprovider"]
    command += ["--benchmark-columns=median,iqr", "--results", results]
    command += ["-m", ""]  # long ones too: a rival takes two minutes
    process = subprocess.Popen(command, cwd=HERE.parent)
    while True:
        try:
            return process.wait()
        except KeyboardInterrupt:
            continue  # pytest was interrupted, too


def load_all() -> None:
    """Read all results, of which pages are made: better now than when all is measured."""
    from report import load

    load.load_all(HERE.parent)


def name_of_machine() -> str:
    """Name the processor, and the kernels and the stream in use."""
    from harness.machine import processor

    import cydp

    build = cydp.build.build_info()
    stream = build["aes"] if build["stream"] == "aes" else build["stream"]
    return re.sub(r"[^a-z0-9]+", "-", f"{processor()} {build['isa']} {stream}".lower()).strip("-")


def write(folder: Path) -> None:
    """Draw the pictures of a folder's results, and write all tables."""
    from report import load, pages, pictures

    for picture in pictures.draw(load.read(folder), folder):
        print(f"written: {picture.relative_to(HERE.parent)}")
    for page in pages.write(HERE.parent):
        print(f"written: {page.relative_to(HERE.parent)}")


if __name__ == "__main__":
    sys.exit(main())
