"""What all tests share: streams, forked children, and how many examples hypothesis tries."""

import gc
import os

from generator.streams import seeded, stream
from hypothesis import settings

__all__ = ["seeded", "stream"]

# The same examples in each run, however busy the machine is. .ci/long takes the profile `long`.
settings.register_profile("fixed", derandomize=True, deadline=None, max_examples=50)
settings.register_profile("long", derandomize=True, deadline=None, max_examples=1000)
settings.load_profile("fixed")

# A child must not collect what an earlier test left in its parent: DuckDB's connections then wait
# for threads that the child does not have, for ever.
if hasattr(os, "fork"):
    os.register_at_fork(after_in_child=gc.freeze)
