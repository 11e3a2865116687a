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
    folder = folder.resolve()
    # Beside the site, which is published: what Sphinx has read has paths of this machine.
    read = folder.with_name(f".{folder.name}.doctrees")
    options = ["-b", "html", "-j", "auto", "-W", "--keep-going", "-q"]
    return build_main([*options, "-d", str(read), str(HERE), str(folder)])


if __name__ == "__main__":
    sys.exit(build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / "_build"))
