"""What all tests share: examples, streams, forked children, and which of many cases are long."""

import gc
import os
from collections import defaultdict
from pathlib import Path
from zlib import crc32

import pytest
from generator.streams import seeded, stream
from hypothesis import settings
from long_runs import examples, set_long

__all__ = ["seeded", "stream"]


def pytest_configure(config: pytest.Config) -> None:
    """Let hypothesis try the same examples in each run, however busy the machine is."""
    set_long("not long" not in config.option.markexpr)
    settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=examples(100))
    settings.load_profile("fixed")


# A child must not collect what an earlier test left in its parent: DuckDB's connections then wait
# for threads that the child does not have, for ever.
if hasattr(os, "fork"):
    os.register_at_fork(after_in_child=gc.freeze)

SHARE = 5
RULES = Path(__file__).parent / "codebase"  # of the house: quick, and each of its cases is another


@pytest.hookimpl(tryfirst=True)  # before -m chooses
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """Let a test's first case and a fifth of the others run by default; the others are long."""
    cases = defaultdict(list)
    for item in items:
        usual = all(item.get_closest_marker(name) is None for name in ("long", "slow", "hosts"))
        if usual and RULES not in item.path.parents:
            cases[item.path, item.cls, item.originalname].append(item)
    for of_one_test in cases.values():
        for item in of_one_test[1:]:
            if crc32(item.name.encode()) % SHARE:
                item.add_marker(pytest.mark.long)
