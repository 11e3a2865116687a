"""The layers of csrc and of src/cydp: each needs layers below it only, and nothing in a circle."""

import re

import pytest
from codebase import import_graph
from codebase import include_graph as graph
from codebase.layers import drawing, layers, page
from codebase.rule import rule_of

LAYERS = [  # the lowest first
    {"include"},
    {"base", "postprocessing"},
    {"generator"},
    {"columns", "samplers"},
    {"exact", "mechanisms"},
]


def test_every_file_is_seen() -> None:
    folders = {file.parent.relative_to(graph.CORE).as_posix() for file in graph.files()}
    assert folders == set().union(*LAYERS)
    assert len(graph.files()) > 100
    assert sum(len(below) for below in graph.units().values()) > 150


def test_no_arrow_goes_up() -> None:
    height = {folder: i for i, layer in enumerate(LAYERS) for folder in layer}
    for file in graph.files():
        for path in graph.includes(file):
            above, below = (f.relative_to(graph.CORE).parts[0] for f in (file, path))
            assert above == below or height[above] > height[below], f"{file} includes {path}"


def test_folders_include_from_layers_below_only() -> None:
    folders = graph.folders(graph.units())
    stack = layers(folders)
    assert stack == LAYERS, "\n" + drawing(stack)


def test_no_units_include_each_other() -> None:
    assert layers(graph.units())


def test_a_function_is_declared_in_the_header_of_its_file() -> None:
    """Otherwise a circle of calls would not show among the includes."""
    assert sum(len(graph.defined(file)) for file in graph.files()) > 150
    assert not list(graph.undeclared())


def test_the_library_includes_nothing_of_its_tests_and_tests_mirror_it() -> None:
    assert not any("tests" in path.relative_to(graph.CORE).parts
                   for file in graph.files() for path in graph.includes(file))  # fmt: skip
    tests = graph.CORE / "tests"
    assert {path.name for path in tests.iterdir() if path.is_dir()} < set().union(*LAYERS)
    for file in tests.rglob("*.c"):
        above = LAYERS[
            next((i for i, layer in enumerate(LAYERS) if file.parent.name in layer), -1) :
        ]
        folders = {path.relative_to(graph.CORE).parts[0] for path in graph.includes(file)}
        assert not folders & set().union(*above[1:]), file


def test_every_source_file_is_built_and_every_test_is_run() -> None:
    """CMake lists the folders' files itself, so a folder must not be forgotten."""
    library = (graph.CORE / "CMakeLists.txt").read_text()
    for folder in set().union(*LAYERS) - {"include"}:
        assert f" {folder}/*.c" in library
    assert {file.parent.parent for file in graph.files()} == {graph.CORE}
    tests = graph.CORE / "tests"
    assert "GLOB" in (tests / "CMakeLists.txt").read_text()
    found = {*tests.glob("test_*.c"), *tests.glob("*/test_*.c")}
    assert len(found) > 20
    assert found == {*tests.rglob("test_*.c")}


@rule_of([("generator", "columns"), ("samplers", "columns")])
def test_an_arrow_up_is_noticed(arrow: tuple[str, str]) -> None:
    lower, upper = arrow
    folders = graph.folders(graph.units())
    folders[lower] = folders[lower] | {upper}
    if lower in folders[upper]:
        with pytest.raises(ValueError, match="a circle among"):
            layers(folders)
    else:
        assert layers(folders) != LAYERS


def test_a_circle_of_units_is_noticed() -> None:
    units = graph.units()
    units["mechanisms/noisy_max_exact"].add("mechanisms/noisy_max_bounds")
    with pytest.raises(ValueError, match="noisy_max_bounds"):
        layers(units)


MODULES = import_graph.modules()
PACKAGES = import_graph.packages(MODULES)
INITS = {name: file for name, file in import_graph.files().items() if import_graph.is_init(file)}
ARCHITECTURE = graph.CORE.parent / "docs" / "architecture.md"


def test_every_module_is_seen() -> None:
    assert len(MODULES) > 90
    assert sum(map(len, MODULES.values())) > 350
    assert {"_core", "accounting/ledger", "exact", "mechanisms"} <= PACKAGES.keys()


def test_no_modules_import_each_other() -> None:
    assert layers(MODULES)


def test_packages_import_from_layers_below_only() -> None:
    assert layers(PACKAGES)


def test_a_module_imports_a_thing_from_where_it_is_defined() -> None:
    """Never from a package, which offers it to users: that would hide what needs what.

    `teach` is such a user.
    """
    for name, below in MODULES.items():
        if import_graph.package_of(name) != "teach":
            assert not below & INITS.keys(), name


def test_only_columns_ask_of_which_library_a_column_is() -> None:
    """Others open a source, or a table, and ask that."""
    asks = re.compile(r"\b(?:is_relation|is_series|is_frame|speaks_arrow|as_series)\b")
    found = {name for name, file in import_graph.files().items() if asks.search(file.read_text())}
    assert found
    assert {name for name in found if not name.startswith("_columns")} == set()


def test_a_package_offers_what_is_inside() -> None:
    """And users' columns, such as Keys, which `exact` offers, and what a sensitivity is.

    `teach` offers words for a loss, which are public in `accounting`.
    """
    for name, file in INITS.items():
        inside = {below.split(".")[0] for below in import_graph.imports(file)}
        package = name.split(".")[0]
        too = {"accounting"} if package == "teach" else {"_columns", "_sensitivity"}
        assert not name or inside <= {package, *too}, name


def test_the_page_shows_the_layers_as_they_are() -> None:
    figure = re.search(r"```text\n(.*?)```", ARCHITECTURE.read_text(), re.DOTALL)
    assert figure is not None
    drawn = [line.split("#")[0].rstrip() for line in figure[1].splitlines()]
    assert drawn == page().splitlines(), page()


def test_the_tests_mirror_the_packages() -> None:
    tests = graph.CORE.parent / "tests"
    folders = {
        file.parent.relative_to(tests).as_posix() for file in tests.rglob("test_*.py")
    }  # fmt: skip
    assert len(folders) > 10
    inner = {name.replace(".", "/") for name in INITS}  # packages inside of packages, too
    subjects = {name.strip("_") for name in {*PACKAGES, *inner, *graph.folders(graph.units())}}
    # Of folders, of the page that follows a course, and the rules of the code.
    others = {"benchmarks", "codebase", "course", "examples", "examples/adapters"}
    assert folders - subjects == others
