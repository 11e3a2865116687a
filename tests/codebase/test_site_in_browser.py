"""The site as it is built: its search and its front page in a browser, and its notebooks."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import zipfile
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import quote

import pytest
from codebase.reader import ROOT, made_by

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(BROWSER is None, reason="without chromium"),
    pytest.mark.skipif(find_spec("sphinx") is None, reason="without the extra docs"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    folder = tmp_path_factory.mktemp("site")
    subprocess.run([sys.executable, ROOT / "docs" / "build.py", folder], check=True)
    return folder


def test_notebooks_have_outputs_and_their_data(site: Path) -> None:
    with zipfile.ZipFile(site / "course.zip") as together:
        names = set(together.namelist())
    assert {"course/examples/data/pums.csv", "course/noise.ipynb"} <= names
    solved = json.loads((site / "course" / "noise_solutions.ipynb").read_text())
    code = [cell for cell in solved["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] for cell in code)
    assert any("image/png" in out.get("data", {}) for cell in code for out in cell["outputs"])
    assert (site / "course" / "noise.ipynb").is_file()


def opened(address: str, *options: str) -> str:
    """What a page is once its scripts have run."""
    assert BROWSER is not None
    options += ("--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000")
    done = subprocess.run(
        [BROWSER, *options, "--dump-dom", address], capture_output=True, text=True, check=True
    )
    return done.stdout


SOUGHT = {  # what beginners type: the page that they look for
    "user": "howto/several_rows", "people": "howto/several_rows", "person": "howto/several_rows",
    "budget": "howto/daily_budget", "daily": "howto/daily_budget",
    "median": "reference/cydp.median", "mean": "howto/mean", "average": "howto/mean",
    "histogram": "reference/cydp.histogram", "count": "reference/cydp.count",
    "sum": "reference/cydp.releases.sum", "snapping": "mechanisms/snapping",
    "epsilon": "faq", "delta": "faq", "negative": "faq", "seed": "faq", "join": "faq",
    "null": "columns", "missing values": "columns", "pandas": "start", "spark": "cluster",
    "postgres": "accounting/ledger", "command line": "howto/command_line",
    "cli": "howto/command_line", "notebook": "howto/notebook", "jupyter": "howto/notebook",
    "explain": "reference/cydp.explain", "gdpr": "howto/officer",
    "data protection": "howto/officer", "C": "reference/c_header", "noise": "releases/choosing",
    "group by": "reference/cydp.group_by", "unknown keys": "howto/unknown_keys",
    "top k": "reference/cydp.top_k", "fork": "generator", "threads": "backend",
    "error": "reference/errors", "parquet": "howto/large_tables", "plot": "releases/output",
    "privacy unit": "releases/units", "synthetic data": "publishing", "install": "start",
}  # fmt: skip


@pytest.mark.parametrize("words", SOUGHT)
def test_search_shows_the_page_among_the_first_five(site: Path, words: str) -> None:
    found = opened(f"{(site / 'search.html').as_uri()}?q={quote(words)}")
    results = re.findall(r'<li[^>]*><a href="([^"?#]*)', found[found.index("search-results") :])
    assert f"{SOUGHT[words]}.html" in list(dict.fromkeys(results))[:5]


def test_words_of_the_search_have_their_pages(site: Path) -> None:
    words = made_by("search_words").WORDS
    assert [page for page in words if not (site / f"{page}.html").exists()] == []


def test_search_shows_pages_for_beginners_first(site: Path) -> None:
    """And not the methods that have the word in their names."""
    for word in ("budget", "pandas", "visitors", "negative"):
        found = opened(f"{(site / 'search.html').as_uri()}?q={word}")
        first = re.search(r'class="search">.*?<a href="([^"?#]*)', found, re.DOTALL)
        assert first is not None, word
        assert first[1].startswith(("howto/", "start.", "faq.")), (word, first[1])


def test_a_function_comes_before_methods_of_its_name(site: Path) -> None:
    found = opened(f"{(site / 'search.html').as_uri()}?q=median")
    first = re.search(r'class="search">.*?<a href="([^"?#]*)', found, re.DOTALL)
    assert first is not None
    assert first[1] == "reference/cydp.median.html"


def test_an_error_has_no_members_of_all_errors(site: Path) -> None:
    page = (site / "reference" / "cydp.BudgetExceededError.html").read_text()
    assert "with_traceback" not in page
    assert "sig-paren" not in page  # nobody calls it
    assert "from_float" not in (site / "reference/cydp.sensitivity.Sensitivity.html").read_text()


def test_a_heading_is_found_first_by_its_words(site: Path) -> None:
    found = opened(f"{(site / 'search.html').as_uri()}?q=Laplace+mechanism")
    results = re.findall(r'<li[^>]*><a href="([^"?#]*)', found[found.index("search-results") :])
    assert results[0] == "course/laplace.html"
    assert "mechanisms/unbounded.html" in results


def test_links_of_the_front_page_are_followed(site: Path) -> None:
    front = opened((site / "index.html").as_uri())
    links = set(re.findall(r'href="([a-z_]+[.]html)(?:#[^"]*)?"', front))
    assert {"start.html", "howto.html", "reference.html", "why.html", "faq.html"} <= links
    for link in links:
        assert re.search("<h1[ >]", opened((site / link).as_uri())), link


def test_a_page_is_dark_where_the_reader_wants_it(site: Path) -> None:
    address, dark = (site / "index.html").as_uri(), "--blink-settings=preferredColorScheme=0"
    assert 'data-theme="dark"' in opened(address, dark, "--force-dark-mode")
    assert 'data-theme="light"' in opened(address)


WIDTHS = """<!doctype html><pre></pre><iframe style="border: 0; width: 390px"></iframe><script>
const frame = document.querySelector("iframe");
const loaded = (page) => new Promise((done) => ((frame.onload = done), (frame.src = page)));
(async () => {
  for (const page of PAGES) {
    await loaded(page);
    const found = frame.contentDocument;
    const cut = found.querySelectorAll("html, .bd-article-container, .prev-next-area a");
    for (const each of cut)
      if (each.scrollWidth > each.clientWidth)
        document.querySelector("pre").append(`${page} is ${each.scrollWidth} wide; `);
  }
  document.querySelector("pre").append("all seen");
})();
</script>"""


def test_no_page_is_wider_than_a_phone(site: Path) -> None:
    """Of 390 pixels. Code, tables and displayed formulas may scroll; the page may not."""
    pages = [path.relative_to(site).as_posix() for path in site.rglob("*.html")]
    assert len(pages) > 300
    (site / "widths.html").write_text(WIDTHS.replace("PAGES", json.dumps(pages)))
    options = ("--allow-file-access-from-files", "--hide-scrollbars")
    seen = opened((site / "widths.html").as_uri(), *options)
    (site / "widths.html").unlink()
    assert re.findall("<pre>(.*?)</pre>", seen, re.DOTALL) == ["all seen"]


def test_formulas_are_drawn(site: Path) -> None:
    """A formula takes place on the page, and no source of one is left beside it."""
    page = opened((site / "releases/means.html").as_uri())
    assert page.count("<math") > 20
    text = re.sub("<pre>.*?</pre>", "", page, flags=re.DOTALL)
    assert not re.search(r"\\(?:frac|varepsilon|sum)|\$\$", text)


def test_each_part_prints_on_one_page(site: Path) -> None:
    for part in ("start", "howto", "reference", "why", "course", "faq"):
        assert f'href="print/{part}.html"' in (site / f"{part}.html").read_text(), part
        text = (site / "print" / f"{part}.html").read_text()
        assert text.count("<h1") == 1, part
        ids = re.findall(r' id="([^"]*)"', text)
        assert len(ids) == len(set(ids)), part
        inside = set(re.findall(r'href="#([^"]*)"', text))
        assert inside <= set(re.findall(r'<section id="([^"]*)"', text)), part
        linked = re.findall(r'(?:href|src)="(\.\./[^"#]*)"', text)
        assert [link for link in linked if not (site / "print" / link).exists()] == [], part


def test_no_file_has_a_path_of_the_machine_that_built_it(site: Path) -> None:
    paths = [str(place).encode() for place in (ROOT, site.parent)]
    files = [path for path in site.rglob("*") if path.is_file()]
    assert len(files) > 300
    assert [path for path in files if any(place in path.read_bytes() for place in paths)] == []


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    """The site is read without a network: no script, style or picture has another address."""
    outside = re.compile(r"""<(?:script|link|img)[^>]*(?:src|href)=["'](?:https?:)?//([^"'/]+)""")
    pages = list(site.rglob("*.html"))
    hosts = {host for page in pages for host in outside.findall(page.read_text())}
    assert hosts == set()
