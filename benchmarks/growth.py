"""How the time of a work grows with the size of its input, the number of keys, or the scale."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from harness import in_turn


def measure(
    benchmark: Any, axis: str, unit: str, ways: Mapping[float, Callable[[], Any]], rounds: int = 11
) -> dict[float, Any]:
    """Measure the points of a curve in turn, and return their answers.

    The slope is that of a line through the logarithms of medians.
    """
    answers = in_turn.measure(benchmark, {str(x): way for x, way in ways.items()}, rounds)
    record = benchmark.extra_info.pop("record")  # points of a curve are no rivals
    points = [
        {"x": x, "seconds": list(way.seconds), "cpu": way.cpu, "peak": None}
        for x, way in ((x, record.ways[str(x)]) for x in ways)
    ]
    medians = [point["seconds"][1] for point in points]
    benchmark.extra_info["curve"] = {
        "work": benchmark.group,
        "axis": axis,
        "unit": unit,
        "points": points,
        "slope": float(np.polyfit(np.log([*ways]), np.log(medians), 1)[0]),
    }
    return {x: answers[str(x)] for x in ways}
