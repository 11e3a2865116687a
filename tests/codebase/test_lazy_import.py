"""src/cydp/__init__.py: what draws noise alone imports no ledger and no release."""

import subprocess
import sys

import pytest

import cydp

CODE = """
import sys, cydp
assert {use}
found = {{name.split(".")[1] for name in sys.modules if name.startswith("cydp.")}}
print(*sorted(name for name in found - {{"build"}} if name[0] != "_"), "sqlite3" in sys.modules)
"""


@pytest.mark.parametrize(
    ("use", "imported"),
    [
        ("cydp.__version__", "False"),
        ("cydp.discrete_laplace(1, 3).size == 3", "random False"),
        ("cydp.PureDP(1) == cydp.accounting.PureDP(1)", "accounting True"),
    ],
)
def test_a_name_imports_its_package_and_what_is_below(use: str, imported: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", CODE.format(use=use)], capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == imported.split()


def test_every_public_name_is_reached_once_and_stays() -> None:
    for name in dir(cydp):
        assert getattr(cydp, name) is vars(cydp)[name] is getattr(cydp, name)
    with pytest.raises(AttributeError, match="module 'cydp' has no attribute 'nothing'"):
        _ = cydp.nothing  # type: ignore[attr-defined]
