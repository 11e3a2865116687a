"""Build the site: python docs/build.py [FOLDER], by default docs/_build.

Every warning is an error. Needs the extra docs: pip install ".[docs]".
"""

from __future__ import annotations

import sys
from pathlib import Path

from sphinx.cmd.build import build_main

HERE = Path(__file__).parent


def build(folder: Path) -> int:
    """Build the pages into a folder, and return 0 unless something is wrong."""
    options = ["-b", "html", "-j", "auto", "-W", "--keep-going", "-q"]
    return build_main([*options, "-d", str(folder / ".doctrees"), str(HERE), str(folder)])


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "_build"))
