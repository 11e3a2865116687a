"""What all tests share: how hypothesis chooses examples, and both streams of a generator."""

from generator.streams import seeded, stream
from hypothesis import settings

__all__ = ["seeded", "stream"]

# The same examples in each run, however busy the machine is.

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
