# SPDX-License-Identifier: MIT
"""Where other extensions find the C core."""

from pathlib import Path

_PACKAGE = Path(__file__).parent


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
