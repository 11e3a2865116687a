"""Random mixed plans: our epsilon beside the two ends of dp-accounting."""

import json
import random
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from accountants import ways
from accountants.cases import Item

INTERVAL = 5e-4  # of dp-accounting's grid: its default, 1e-4, takes five times as long
PROCESSES = 2
SIX_DIGITS = 1e-5  # to which `Plan.epsilon` rounds up, relative
ROUNDING = 1e-9  # relative, of its floats
TAILS = 1e-12  # of delta, which its compositions leave out


class Ends(NamedTuple):
    """The epsilon of a plan by cydp, and dp-accounting's lower and upper end."""

    seed: int
    ours: float
    lower: float
    upper: float


class BelowError(Exception):
    """An epsilon is below the least that the plan can have."""


def plan_of(seed: int) -> tuple[list[Item], float]:
    """Return a plan of up to four kinds of releases, and its delta."""
    rng = random.Random(seed)
    kinds = rng.sample(
        ["gaussian", "discrete gaussian", "laplace", "discrete laplace", "response"],
        rng.randint(1, 4),
    )
    may_sample = "response" not in kinds  # which another relation of neighbours is for
    items = []
    for kind in kinds:
        number = 10 ** (rng.uniform(-0.1, 1.5) if "gaussian" in kind else rng.uniform(-2, 0.3))
        sampled = may_sample and kind != "discrete laplace" and rng.random() < 0.4
        items.append(
            Item(
                kind,
                float(f"{number:.3g}"),
                round(10 ** rng.uniform(0, 1.5)),
                rng.choice(["1/1000", "1/100", "1/10", "1/2"]) if sampled else "1",
                rng.choice([2, 3, 10, 100]) if kind == "response" else 2,
            )
        )
    return items, float(f"{10 ** rng.uniform(-10, -3):.3g}")


def compared(seed: int) -> Ends:
    items, delta = plan_of(seed)
    lower, upper = (
        ways.pld(items, at, pessimistic=pessimistic, interval=INTERVAL)()
        for pessimistic, at in ((False, delta + TAILS), (True, delta))
    )
    return Ends(seed, ways.cydp(items, delta)(), lower, upper)


def all_of(count: int, kept: Path) -> list[Ends]:
    """Compare plans with the seeds below `count`; those in the file `kept` were compared before."""
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.touch()
    found = [Ends(*json.loads(line)) for line in kept.read_text().splitlines()]
    known = {each.seed for each in found}
    missing = [seed for seed in range(count) if seed not in known]
    with kept.open("a") as file, ProcessPoolExecutor(PROCESSES) as processes:
        for ends in processes.map(compared, missing, chunksize=10):
            file.write(json.dumps(ends) + "\n")
            file.flush()
            found.append(ends)
    return sorted(ends for ends in found if ends.seed < count)


def summary(found: Iterable[Ends]) -> dict[str, Any]:
    """Return extremes and quantiles of the ratios to the upper end.

    Raises
    ------
    BelowError
        For an epsilon below the lower end.

    """
    found = list(found)
    for each in found:
        if each.ours < each.lower * (1 - ROUNDING):
            raise BelowError(f"plan {each.seed}: {each.ours} is below {each.lower}")
    ratios = {each.seed: each.ours / each.upper for each in found if each.upper > 0}
    ordered = sorted(ratios.values())
    largest = max(ratios, key=lambda seed: ratios[seed])
    return {
        "plans": len(found), "interval": INTERVAL, "seed of the largest": largest,
        "largest": ratios[largest], "median": ordered[len(ordered) // 2],
        "low": ordered[len(ordered) // 100],
        "above the upper end": sum(ratio > 1 + SIX_DIGITS for ratio in ordered),
        "above by a thousandth": sum(ratio > 1.001 for ratio in ordered),
        "least over the lower end": min(each.ours / each.lower for each in found if each.lower > 0),
    }  # fmt: skip
