"""What an installed cydp is: its metadata, and the files that others rely on."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import PackagePath, distribution, entry_points
from pathlib import Path

import cydp

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
INSTALLED = distribution("cydp")
ABOUT = INSTALLED.metadata


def installed(name: str) -> PackagePath:
    """Return the one installed file with a path that ends with a name."""
    (found,) = (file for file in INSTALLED.files or () if f"/{file}".endswith(f"/{name}"))
    assert found.locate().is_file()
    return found


def test_what_is_installed_is_what_is_tested() -> None:
    assert not Path(cydp.__file__).is_relative_to(ROOT / "src")
    assert Path(str(installed("cydp/__init__.py").locate())).samefile(cydp.__file__)


def test_what_is_installed_with_it_is_numpy_and_nanoarrow() -> None:
    always = [line for line in INSTALLED.requires or () if "extra ==" not in line]
    assert [re.split("[>=]", name)[0] for name in always] == ["nanoarrow", "numpy"]


def test_the_metadata_are_those_of_the_project() -> None:
    assert INSTALLED.version == cydp.__version__
    assert ABOUT["Summary"] == PROJECT["description"]
    assert ABOUT["Author"] == "cydp developers"
    assert ABOUT["License-Expression"] == "MIT"
    assert ABOUT["Requires-Python"] == ">=3.11"
    assert ABOUT["Description-Content-Type"] == "text/markdown"
    assert ABOUT["Keywords"].split(",") == PROJECT["keywords"]
    assert ABOUT.get_all("Classifier") == PROJECT["classifiers"]
    urls = dict(line.split(", ") for line in ABOUT.get_all("Project-URL") or ())
    assert urls == PROJECT["urls"]
    assert set(urls) == {"Homepage", "Documentation", "Repository", "Changelog", "Issues"}
    assert set(ABOUT.get_all("Provides-Extra") or ()) == set(PROJECT["optional-dependencies"])
    (command,) = entry_points(group="console_scripts", name="cydp")
    assert command.value == "cydp.cli:main"


def test_the_licence_is_installed() -> None:
    assert ABOUT.get_all("License-File") == ["LICENSE"]
    assert installed("licenses/LICENSE").read_text() == (ROOT / "LICENSE").read_text()


def test_other_extensions_find_the_core() -> None:
    for name in ("cydp.h", "cydp_testing.h"):
        header = installed(f"include/{name}").locate()
        assert Path(str(header)).parent == Path(cydp.build.get_include())
    assert Path(str(installed("lib/libcydp.a").locate())).parent == Path(cydp.build.get_lib())
    installed("cydp/__init__.pxd")
    installed("cydp/py.typed")


def test_the_sbom_says_what_the_wheel_holds() -> None:
    """The required fields of CycloneDX 1.6; .ci/run validates all of it."""
    found = [file for file in INSTALLED.files or () if file.parent.name == "sboms"]
    assert found == [installed("sboms/cydp.cdx.json")]  # no tool has added a library
    sbom = json.loads(found[0].read_text())
    assert (sbom["bomFormat"], sbom["specVersion"]) == ("CycloneDX", "1.6")
    # GitHub's attestations refuse a list without a number.
    assert re.fullmatch(r"urn:uuid:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", sbom["serialNumber"])
    about = sbom["metadata"]["component"]
    assert (about["type"], about["name"], about["version"]) == ("library", "cydp", cydp.__version__)
    assert about["purl"] == f"pkg:pypi/cydp@{cydp.__version__}"
    assert about["licenses"] == [{"license": {"id": ABOUT["License-Expression"]}}]
    assert [part["name"] for part in sbom["components"]] == ["Cython"]
    made_by = [*sbom["components"], *sbom["formulation"][0]["components"]]
    for component in made_by:
        assert {"type", "name", "version"} <= component.keys()
        assert re.match(r"\d+\.\d+", component["version"]), component["name"]
    compiler = str(cydp.build.build_info()["compiler"])
    assert made_by[1]["version"] in compiler
    assert "timestamp" not in sbom["metadata"]  # a build can be repeated
