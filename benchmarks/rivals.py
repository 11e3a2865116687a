"""The table of rivals: what each is, where it runs, and why one is missing; and their ways.

A way is called once a round by `harness/in_turn.py`; None stands for one that cannot run here.
Libraries whose requirements clash with others' run in an environment and a process of their own,
which the harness makes (`harness/environments.py`); their ways are in `foreign/`.
"""

import importlib
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from harness.environments import ForeignWay, UnavailableError, started


@dataclass(frozen=True)
class Rival:
    """A library that gives the same answer, or one that is less private, or not at all."""

    what: str
    private: str  # whether its noise protects; "in doubles": as far as doubles are real numbers
    requirements: tuple[str, ...]
    module: str  # what is imported here, or the file of foreign/
    own_environment: bool = False


RIVALS = {
    "numpy": Rival("arrays, and noise in doubles from PCG64", "no", ("numpy",), "numpy"),
    "jax_privacy": Rival(  # its sample_discrete_gaussian is in its repository and not in its wheel
        "its vectorised discrete Gaussian in doubles: the method written anew from its "
        "description, not installed", "no from PCG64; in doubles from secure bits", ("numpy",),
        "numpy_reference",
    ),
    "OpenDP": Rival(
        "exact noise of OpenSSL's bits; tables in Polars, and vectors",
        "yes", ("opendp[polars]>=0.16", "numpy"), "opendp_ways.py", own_environment=True,
    ),
    "diffprivlib": Rival(
        "noise in doubles from the system's generator, Laplace noise from four uniforms against "
        "attacks on low bits; tools on numpy arrays",
        "in doubles", ("diffprivlib>=0.6", "scikit-learn<1.7"), "diffprivlib_ways.py",
        own_environment=True,
    ),
    "python-dp": Rival(
        "Google's C++ library: noise on a grid of a power of two, from BoringSSL's generator",
        "yes", ("python-dp>=1.1", "numpy"), "pydp_ways.py", own_environment=True,
    ),
    "boost-histogram": Rival(
        "histograms in C++", "no", ("boost-histogram",), "boost_histogram"
    ),
    "fast-histogram": Rival(
        "histograms of equal bins in C, of doubles", "no", ("fast-histogram",), "fast_histogram"
    ),
    "polars": Rival("tables in Rust", "no", ("polars",), "polars"),
    "DuckDB": Rival("tables in SQL", "no", ("duckdb",), "duckdb"),
    "cryptography": Rival("OpenSSL's ciphers", "bits only", ("cryptography",), "cryptography"),
    "dp-accounting": Rival(
        "Google's accountant: privacy loss distributions on a grid", "budgets only",
        ("dp-accounting",), "dp_accounting",
    ),
}  # fmt: skip
PROCESSES: dict[str, Callable[..., ForeignWay]] = {}  # what prepares ways, of those that started
SKIPPED: dict[str, str] = {}  # the reason of each rival that was asked for and is not here


def here(name: str) -> Any:
    """Return the module of a rival that runs in this process, or None and a reason in SKIPPED."""
    try:
        return importlib.import_module(RIVALS[name].module)
    except ImportError as error:
        SKIPPED[name] = str(error)
        return None


def way(name: str, function: str, *arguments: Any) -> ForeignWay | None:
    """Prepare a way of a rival with an environment of its own, by a function of its file.

    The first way makes the environment, if it is new, and starts the process.
    """
    if name in SKIPPED:
        return None
    if name not in PROCESSES:
        rival = RIVALS[name]
        try:
            PROCESSES[name] = started(rival.requirements, rival.module)
        except UnavailableError as error:
            SKIPPED[name] = str(error)
            return None
    return PROCESSES[name](function, *arguments)


def versions() -> dict[str, str]:
    """Return the version of each rival that was used or is installed here, or why it is not."""
    found = {}
    for name, rival in RIVALS.items():
        if name in SKIPPED:
            found[name] = f"skipped: {SKIPPED[name]}"
        elif name in PROCESSES:
            found[name] = PROCESSES[name]("version")()
        elif rival.own_environment:
            found[name] = "not used"
        elif name == "jax_privacy":
            found[name] = "written anew, not installed"
        else:
            try:
                found[name] = importlib.metadata.version(name.lower())
            except importlib.metadata.PackageNotFoundError:
                found[name] = "not installed"
    return found


def boost_histogram(x: Any, bins: int, lo: float, hi: float) -> Callable[[], Any] | None:
    """Counts in equal bins. The last one is open there: for data below hi."""
    boost = here("boost-histogram")
    if boost is None:
        return None
    axis = boost.axis.Regular(bins, lo, hi)

    def fill() -> Any:
        return boost.Histogram(axis, storage=boost.storage.Int64()).fill(x).view()

    return fill


def fast_histogram(x: Any, bins: int, lo: float, hi: float) -> Callable[[], Any] | None:
    """Counts in equal bins, in doubles. Data at hi are left out there: for data below hi."""
    fast = here("fast-histogram")
    return fast and (lambda: fast.histogram1d(x, bins, (lo, hi)))


def openssl(stream: str, n: int) -> Callable[[], bytes] | None:
    """Keystream of OpenSSL's ChaCha20 or AES-256-CTR, as new bytes."""
    if here("cryptography") is None:
        return None
    from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

    if stream == "aes":
        cipher = Cipher(algorithms.AES(bytes(32)), modes.CTR(bytes(16)))
    else:
        cipher = Cipher(algorithms.ChaCha20(bytes(32), bytes(16)), mode=None)
    encryptor, zeros = cipher.encryptor(), bytes(n)
    return lambda: encryptor.update(zeros)
