"""Makes pages from benchmarks/results; says which have changed, and what nobody explains."""

from pathlib import Path

from report.aims import AIMS
from report.load import load_all
from report.pages import write
from report.reasons import reason
from report.roofline import shares
from report.tables import losses
from report.verdicts import verdicts

ROOT = Path(__file__).parents[1]


def main() -> None:
    for page in write(ROOT):
        print(f"written: {page.relative_to(ROOT)}")
    for results in load_all(ROOT):
        for work, rival, x in losses(results):
            if not reason(work, rival, results.kernels):
                print(f"no reason is known: {results.name}: {work}, {rival}, x {x:.3g}")
        for verdict in verdicts(results, AIMS, shares(results.raw)):
            work, rival = verdict.aim.work, verdict.aim.rival
            if verdict.word == "**gap**" and not reason(work, rival, results.kernels):
                print(f"no reason is known: {results.name}: {work}, a gap")


if __name__ == "__main__":
    main()
