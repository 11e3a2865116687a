"""Executors of Spark that die change no release, and are charged for once.

No speculative attempt was started on one machine in our trials of Spark 4.3, so none is tested.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .engines import write_tables

pytest.importorskip("pyspark", reason="without pyspark")
if "JAVA_HOME" not in os.environ and shutil.which("java") is None:
    pytest.skip("without Java", allow_module_level=True)
if not Path("/proc/self/cmdline").exists():
    pytest.skip("without /proc, where tasks find their executor", allow_module_level=True)
pytestmark = pytest.mark.hosts
SCRIPT = Path(__file__).with_name("failing_cluster.py")


def test_partitions_that_are_lost_are_counted_again_for_one_charge(tmp_path: Path) -> None:
    """While they are read, and when they were counted; for rows, and for users after a shuffle."""
    found = subprocess.run(
        [sys.executable, SCRIPT, write_tables(tmp_path), tmp_path],
        capture_output=True, text=True, cwd=tmp_path,
        env=os.environ | {"PYSPARK_PYTHON": sys.executable},
    )  # fmt: skip
    assert found.stdout.endswith("equal\n"), found.stdout + found.stderr[-2000:]
