"""Refuses to measure anything but an installed release build."""

import pytest

import cydp


def pytest_configure(config: pytest.Config) -> None:
    if not cydp.build_info()["release"]:
        raise pytest.UsageError("benchmarks need a release build of cydp")
