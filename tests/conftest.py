"""What all tests share: hypothesis's examples, both streams of a generator, and forked children."""

import gc
import os

from generator.streams import seeded, stream
from hypothesis import settings

__all__ = ["seeded", "stream"]

# The same examples in each run, however busy the machine is.

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")

# A child must not collect what an earlier test left in its parent: DuckDB's connections then wait
# for threads that the child does not have, for ever.
if hasattr(os, "fork"):
    os.register_at_fork(after_in_child=gc.freeze)
