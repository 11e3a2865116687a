# SPDX-License-Identifier: MIT
"""How the C core was built, and where other extensions find it."""

from __future__ import annotations

from pathlib import Path

from cydp import _core

__all__ = ["build_info", "get_include", "get_lib"]

_PACKAGE = Path(__file__).parent


def build_info() -> dict[str, str | bool]:
    """Return how the C core was compiled, and what it uses on this machine.

    Returns
    -------
    dict
        "isa": the instruction set of the kernels in use, "avx512", "avx2", "neon" or "portable".
        "stream": the cipher that expands the key of a `Generator` by default, "aes" or "chacha20".
        "aes": the version of AES in use, "vaes512", "vaes", "aesni" or "armv8", or "none".
        "compiler" and "flags": what the C core was compiled with. "release": whether it was built
        for speed.

    Examples
    --------
    >>> sorted(build_info())
    ['aes', 'compiler', 'flags', 'isa', 'release', 'stream']

    """
    return _core.build_info()


def get_include() -> str:
    """Return the folder of ``cydp.h``, the C API. Cython finds it as ``from cydp cimport ...``.

    Returns
    -------
    str
        An absolute path, for the option ``-I`` of a C compiler. The folder is also that of
        ``cydp_testing.h``, which is for tests alone.

    Examples
    --------
    >>> (Path(get_include()) / "cydp.h").is_file()
    True

    """
    return str(_PACKAGE / "include")


def get_lib() -> str:
    """Return the folder of ``libcydp.a``, the C core as a static, position-independent library.

    Returns
    -------
    str
        An absolute path, for the option ``-L``. After ``-lcydp`` write ``-lm -pthread``, and on
        Linux ``-Wl,-z,now``.

    Examples
    --------
    >>> (Path(get_lib()) / "libcydp.a").is_file()
    True

    """
    return str(_PACKAGE / "lib")


def __dir__() -> list[str]:
    return __all__
