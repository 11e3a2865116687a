"""The pages that are made from results: a page a machine, and the marked parts of others.

Nothing but the files of results and the names of pictures in the repository goes into them, so a
test can compare (tests/codebase/test_benchmark_pages.py). `python benchmarks/make_pages.py` writes.
"""

from pathlib import Path

from report import accountants_page, cluster_page, ledger_page, tables, tasks_page, utility_page
from report.aims import AIMS
from report.documents import filled, marked
from report.load import Results, load_all
from report.pictures import PICTURES
from report.roofline import shares
from report.speed import speed_table
from report.verdicts import verdicts

MAIN = "epyc-zen4-avx512"  # the machine whose figures stand in the project's pages
MARKED = ("README.md", "benchmarks/README.md")


def machine_page(results: Results, pictures: list[str]) -> str:
    """All that one run found."""
    limits = shares(results.raw)
    sections = {
        "The machine": tables.machine_table(results),
        "Pictures": "\n".join(f"![{name_of(picture)}]({picture})\n" for picture in pictures),
        "Aims": tables.aims_table(results, limits) + left_out(results),
        "Where another library is faster": tables.losses_table(results),
        "All works": tables.works_tables(results),
        "How cost grows": tables.growth_table(results),
        "Shares of the limit": tables.roofline_table(limits),
        "Errors and lines of code": tables.accuracy_table(results),
        "Other figures": tables.notes_list(results),
        "Other libraries": tables.rivals_table(results),
    }
    head = (
        f"# Benchmarks: {results.name}\n\n{tables.warnings(results)}\n"
        "Made from `results.json` in this folder by `benchmarks/make_pages.py`. "
        "[How to read the tables](../../README.md#how-to-read-the-tables).\n"
    )
    return head + "".join(f"\n## {name}\n\n{text}" for name, text in sections.items() if text)


def left_out(results: Results) -> str:
    """Say that a run of chosen kernels has measured a part."""
    wanted = [aim for aim in AIMS if results.kernels in aim.asked]
    missing = len(wanted) - len(verdicts(results, wanted, shares(results.raw)))
    return f"\nThis run measured only a part: {missing} aims are left out.\n" if missing else ""


def name_of(picture: str) -> str:
    return picture.rpartition(".")[0].replace("_", " ").replace("-", " ")


def parts(found: list[Results]) -> dict[str, str]:
    """The marked parts of other pages, from the results of the main machine."""
    main = next(results for results in found if results.name == MAIN)
    aims = [tables.warnings(main), tables.aims_table(main, shares(main.raw))]
    return {
        "speed": speed_table(main),
        "machines": machines_list(found),
        "aims": "\n".join(text for text in aims if text),
        "losses": tables.losses_table(main),
    }


def machines_list(found: list[Results]) -> str:
    lines = []
    for results in found:
        warned = f" **Warning: {'; '.join(results.warnings)}.**" if results.warnings else ""
        chosen = ", chosen by hand" if results.forced else ""
        lines.append(
            f"- [{results.name}](results/{results.name}/README.md): {results.machine['cpu']}, "
            f"{results.kernels} kernels{chosen}, {results.machine['date']}.{warned}\n"
        )
    return "".join(lines)


def made(root: Path) -> dict[Path, str]:
    """Return the text of each page that results make; of no page, if there are none."""
    found, pages = load_all(root), tasks_page.pages(root) | utility_page.pages(root)
    pages |= cluster_page.pages(root) | accountants_page.pages(root) | ledger_page.pages(root)
    for results in found:
        folder = root / "benchmarks" / "results" / results.name
        pictures = [name for name in PICTURES if (folder / name).exists()]
        pages[folder / "README.md"] = machine_page(results, pictures)
    texts = {root / name: (root / name).read_text() for name in MARKED}
    for text in texts.values():
        marked(text)
    if any(results.name == MAIN for results in found):
        made_parts = parts(found)
        pages |= {page: filled(text, made_parts) for page, text in texts.items()}
    return pages


def check(root: Path) -> list[Path]:
    """Return the pages that are not what results make."""
    return [
        page for page, text in made(root).items() if not page.exists() or page.read_text() != text
    ]


def write(root: Path) -> list[Path]:
    """Write the pages that differ, and return them."""
    pages, changed = made(root), check(root)
    for page in changed:
        page.write_text(pages[page])
    return changed
