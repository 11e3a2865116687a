"""The recipes of CONTRIBUTING.md: what belongs to a sampler, a kernel, a mechanism, a release."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import cydp
from cydp import mechanisms, releases

ROOT = Path(__file__).parents[2]
CORE = ROOT / "csrc"
SOURCE = ROOT / "src" / "cydp"
KERNEL = re.compile(r"^ +KERNEL\((\w+), (\w+), (\w+), (\w+)\)", re.MULTILINE)
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
    "src/cydp/__init__.py": r'"{name}"',
    "tests/samplers/test_{name}.py": r"\b{name}\b",
    "docs/samplers/*.md": r"`csrc/samplers/{name}\.c`",
    "CHANGELOG.md": r"\b{name}\b",
}


def texts(pattern: str) -> Iterator[str]:
    for file in ROOT.glob(pattern):
        yield file.read_text()


def missing_of_sampler(name: str) -> list[str]:
    """The files that should be about a distribution, and are not."""
    return [
        file
        for file, said in SAMPLER_FILES.items()
        if not any(
            re.search(said.format(name=name), text) for text in texts(file.format(name=name))
        )
    ]


SAMPLERS = SAMPLER.findall((CORE / "include" / "cydp.h").read_text())


def test_the_samplers_are_found() -> None:
    assert SAMPLERS == ["discrete_laplace", "discrete_gaussian", "bernoulli"]


@pytest.mark.parametrize("name", SAMPLERS)
def test_a_sampler_is_complete(name: str) -> None:
    assert missing_of_sampler(name) == []
    assert callable(getattr(cydp, name))
    assert callable(getattr(cydp.Generator, name))


def test_what_is_missing_of_a_sampler_is_named() -> None:
    assert missing_of_sampler("skellam") == list(SAMPLER_FILES)
    assert len(SAMPLER_FILES) < 12


KERNELS = [
    (file.parent.name, *row)
    for file in sorted(CORE.glob("*/kernels.h"))
    for row in KERNEL.findall(file.read_text())
]


@pytest.mark.parametrize(("folder", "name", "avx512", "avx2", "neon"), KERNELS)
def test_a_kernel_is_complete(folder: str, name: str, avx512: str, avx2: str, neon: str) -> None:
    """Each version that a list names is defined in a file of that instruction set, or in each's."""
    versions = {"avx512": avx512, "avx2": avx2, "neon": neon}
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
    for isa, version in versions.items():
        assert version in (isa, "portable")


def test_the_kernels_are_found() -> None:
    assert len(KERNELS) > 15
    assert {folder for folder, *_ in KERNELS} == {"exact", "generator", "mechanisms", "samplers"}


MECHANISMS = sorted(set(mechanisms.__all__) - {"Estimate"})


@pytest.mark.parametrize("name", MECHANISMS)
def test_a_mechanism_is_complete(name: str) -> None:
    assert name in cydp.__all__
    assert any(re.search(rf"\b{name}\b", text) for text in texts("tests/mechanisms/test_*.py"))
    pages = [*texts("docs/mechanisms.md"), *texts("docs/mechanisms/*.md")]
    assert any(f"`{name}`" in page for page in pages)
    assert name in (ROOT / "CHANGELOG.md").read_text()


@pytest.mark.parametrize("name", [name for name in releases.__all__ if name.islower()])
def test_a_release_is_complete(name: str) -> None:
    assert name in cydp.__all__
    assert (SOURCE / "releases" / f"_{name}.py").is_file()
    assert (ROOT / "tests" / "releases" / f"test_{name}.py").is_file()
    assert any(name in page for page in texts("docs/releases.md"))
    assert name in (ROOT / "CHANGELOG.md").read_text()
