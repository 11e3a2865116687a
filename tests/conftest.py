"""How hypothesis chooses examples: the same ones in each run, however busy the machine is."""

from hypothesis import settings

settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")
