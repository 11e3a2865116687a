"""Makes pages from benchmarks/results; says which have changed, and what nobody explains."""

from pathlib import Path

from report.load import load_all
from report.pages import write
from report.reasons import reason
from report.tables import losses

ROOT = Path(__file__).parents[1]


def main() -> None:
    for page in write(ROOT):
        print(f"written: {page.relative_to(ROOT)}")
    for results in load_all(ROOT):
        for work, rival, x in losses(results):
            if not reason(work, rival, results.kernels):
                print(f"no reason is known: {results.name}: {work}, {rival}, x {x:.3g}")


if __name__ == "__main__":
    main()
