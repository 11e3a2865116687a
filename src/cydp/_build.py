# SPDX-License-Identifier: MIT
"""What was built, and where other extensions find the C core."""

from __future__ import annotations

from pathlib import Path

from cydp import _core

__all__ = ["build_info", "get_include", "get_lib"]

_PACKAGE = Path(__file__).parent


def build_info() -> dict[str, str | bool]:
    """Return what was compiled, and which instructions are in use.

    Returns
    -------
    dict
        "isa", the kernels in use: "avx512", "avx2", "neon" or "portable"; "compiler" and "flags",
        of the C core; "release", whether it was built for speed.

    Examples
    --------
    >>> sorted(build_info())
    ['compiler', 'flags', 'isa', 'release']

    """
    return _core.build_info()


def get_include() -> str:
    """Return the folder of ``cydp.h``, the C API. Cython finds it as ``from cydp cimport ...``.

    >>> (Path(get_include()) / "cydp.h").is_file()
    True
    """
    return str(_PACKAGE / "include")


def get_lib() -> str:
    """Return the folder of ``libcydp.a``, static and position-independent.

    Link ``-lm -pthread`` behind it.

    >>> (Path(get_lib()) / "libcydp.a").is_file()
    True
    """
    return str(_PACKAGE / "lib")
