"""Several ways to one answer, measured in turn: the machine's clock drifts, the ratio does not."""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Any

import numpy as np


def measure(
    benchmark: Any, ways: Mapping[str, Callable[[], Any] | None], rounds: int = 31
) -> dict[str, Any]:
    """Call all ways in each round and return what each gave last.

    A way that is None is left out. The first is what pytest-benchmark's table shows. extra_info,
    which conftest.py prints, has the median and interquartile range of each in milliseconds, and
    the median and quartiles of the rounds' ratios: above 1, the first way is faster.
    """
    present = {name: way for name, way in ways.items() if way is not None}
    seconds: dict[str, list[float]] = {name: [] for name in present}
    answers: dict[str, Any] = {}
    first, *others = present

    def timed(name: str) -> None:
        start = perf_counter()
        answers[name] = present[name]()
        seconds[name].append(perf_counter() - start)

    def time_others() -> None:
        for name in others:
            timed(name)

    benchmark.pedantic(timed, (first,), setup=time_others, rounds=rounds, warmup_rounds=2)
    taken = {name: np.array(every[-rounds:]) * 1e3 for name, every in seconds.items()}
    for name, every in taken.items():
        low, median, high = np.percentile(every, [25, 50, 75])
        text = f"{median:.3g} ms ({high - low:.2g})"
        if name != first:
            low, median, high = np.percentile(every / taken[first], [25, 50, 75])
            text += f", x {median:.3g} ({low:.3g} to {high:.3g})"
        benchmark.extra_info[name] = text
    return answers
