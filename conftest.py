"""How many processes run the tests."""

import pytest


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int | None:
    """For all tests, leave it to the number of cores; for a few, and for benchmarks, this one."""
    given = [config.invocation_params.dir / argument for argument in config.args]
    return None if given == [config.rootpath / "tests"] else 0
