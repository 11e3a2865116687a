"""The recipes of CONTRIBUTING.md: what belongs to a sampler, a kernel, a mechanism, a release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from codebase import include_graph as graph
from codebase.rule import rule_of

import cydp
from cydp import mechanisms, releases

ROOT = Path(__file__).parents[2]
CORE = ROOT / "csrc"
SOURCE = ROOT / "src" / "cydp"
SAMPLER = re.compile(r"cydp_(\w+)_new\(const cydp_rational \*\w+,\s+cydp_sampler \*\*sampler\)")

# What each file of a sampler must say of it.
SAMPLER_FILES = {
    "csrc/include/cydp.h": r"\bcydp_{name}_new\(",
    "csrc/samplers/{name}.c": r"\bcydp_{name}_new\(",
    "src/cydp/__init__.pxd": r"\bcydp_{name}_new\(",
    "src/cydp/_core.pyx": r"\bcydp_{name}_new\b",
    "src/cydp/_samplers.py": r'"{name}"',
    "src/cydp/_generator.py": r"def {name}\(",
    "src/cydp/random.py": r'"{name}"',
    "tests/samplers/test_{name}.py": r"\b{name}\b",
    "docs/samplers/*.md": r"`csrc/samplers/{name}\.c`",
}


def texts(pattern: str) -> Iterator[str]:
    for file in ROOT.glob(pattern):
        yield file.read_text()


def missing_of_sampler(name: str) -> list[str]:
    """The files that should be about a distribution, and are not."""
    missing = [
        file
        for file, said in SAMPLER_FILES.items()
        if not any(
            re.search(said.format(name=name), text) for text in texts(file.format(name=name))
        )
    ]
    source = f"`csrc/samplers/{name}.c`"
    pages = [
        page for page in (ROOT / "docs" / "samplers").glob("*.md") if source in page.read_text()
    ]
    overview = (ROOT / "docs" / "samplers.md").read_text()
    if not any(f"samplers/{page.name}" in overview for page in pages):
        missing.append("docs/samplers.md")
    return missing


SAMPLERS = SAMPLER.findall((CORE / "include" / "cydp.h").read_text())


def test_the_samplers_are_found() -> None:
    assert {"discrete_laplace", "discrete_gaussian", "bernoulli"} <= set(SAMPLERS)


@rule_of(SAMPLERS)
def test_a_sampler_is_complete(name: str) -> None:
    assert missing_of_sampler(name) == []
    assert callable(getattr(cydp.random, name))
    assert callable(getattr(cydp.Generator, name))


def test_what_is_missing_of_a_sampler_is_named() -> None:
    assert missing_of_sampler("skellam") == [*SAMPLER_FILES, "docs/samplers.md"]
    assert len(SAMPLER_FILES) + 1 < 12


KERNELS = [
    (file.parent.name, name, versions)
    for file in sorted(CORE.glob("*/kernels.h"))
    for name, versions in graph.kernels(file.parent.name)
]


@rule_of(KERNELS)
def test_a_kernel_is_complete(kernel: tuple[str, str, dict[str, str]]) -> None:
    """Each version that a list names is defined in a file of that instruction set, or in each's."""
    folder, name, versions = kernel
    for isa in {"portable", *versions.values()}:
        own = [file.read_text() for file in (CORE / folder).glob(f"*_{isa}.c")]
        each = [
            file.read_text()
            for kind in ("each.c", "vector.h")
            for file in (CORE / folder).glob(f"*_{kind}")
        ]
        assert any(f"cydp_{name}_{isa}(" in text for text in own) or any(
            f"CYDP_KERNEL({name})(" in text for text in each
        ), isa
    assert set(versions.values()) <= set(graph.ISAS)


def test_the_kernels_are_found() -> None:
    assert {"portable", "avx2", "avx512", "neon"} <= set(graph.ISAS)
    assert len(KERNELS) > 15
    assert {folder for folder, *_ in KERNELS} == {"exact", "generator", "mechanisms", "samplers"}


def test_each_instruction_set_is_built_and_compared() -> None:
    build = (CORE / "CMakeLists.txt").read_text()
    for isa in graph.ISAS:
        assert re.search(rf"^set\(isas .*\b{isa}\b", build, re.MULTILINE), isa
        assert re.search(rf"^ *cydp_kernels\({isa}\b", build, re.MULTILINE), isa
        assert f'{{"{isa}", ' in (CORE / "base" / "isa.c").read_text(), isa
        assert f'"{isa}"' in (CORE / "tests" / "base" / "test_isa.c").read_text(), isa
        assert f'"{isa}"' in (SOURCE / "build.py").read_text(), isa


MECHANISMS = sorted(
    name for name in {*mechanisms.__all__} - {"Estimate", "ThresholdTests"} if not name.islower()
)
OF_THE_ROOM = {
    "PartitionSelection", "ProposeTestRelease", "Snapping", "SparseVector", "UniformChoice",
}  # fmt: skip
"""Mechanisms that are not among the names that everybody sees."""


@rule_of(MECHANISMS)
def test_a_mechanism_is_complete(name: str) -> None:
    assert (name in cydp.__all__) is (name not in OF_THE_ROOM)
    assert any(re.search(rf"\b{name}\b", text) for text in texts("tests/mechanisms/test_*.py"))
    pages = [*texts("docs/mechanisms.md"), *texts("docs/mechanisms/*.md")]
    assert any(f"`{name}`" in page for page in pages)
    assert name in (ROOT / "CHANGELOG.md").read_text()


WITH = {"median": "quantile"}  # releases that are cases of others, and share their files


@rule_of(filter(str.islower, releases.__all__))
def test_a_release_is_complete(name: str) -> None:
    assert name in dir(cydp)
    file = WITH.get(name, name)
    assert (SOURCE / "releases" / f"_{file}.py").is_file()
    assert any(re.search(rf"\b{name}\b", text) for text in texts("tests/releases/test_*.py"))
    shapes = (ROOT / "tests" / "releases" / "shapes.py").read_text()
    without_data = name in ("explain", "date_trunc", "where")  # which read none
    assert re.search(rf"\b{name}\b", shapes) or without_data
    assert any(name in page for page in texts("docs/releases.md"))
    assert name in (ROOT / "CHANGELOG.md").read_text()
