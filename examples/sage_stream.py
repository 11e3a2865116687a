"""A model from a stream, as Sage trains it: adaptively, and within one budget for all data.

python examples/sage_stream.py

The rides are made by a formula, since the course of a stream needs more rows than our tables have.
"""

import tempfile
from pathlib import Path

import numpy as np

import cydp
from cydp.models import linear_regression, validated_error


def rides_of_a_day(day: int) -> np.ndarray:
    """Return columns: distance (km), rush hour (0 or 1), minutes, tip (euros)."""
    random = np.random.default_rng(day)
    distance, rush = random.gamma(2, 2.5, 20_000), random.random(20_000) < 0.3
    minutes = 4 + 2.2 * distance * (1 + 0.2 * rush) + 6 * rush + random.normal(0, 4, 20_000)
    return np.stack([distance, rush, minutes, random.exponential(2, 20_000)], axis=1)


# The stream is kept in blocks, a day each. No ride pays more than epsilon = 0.5, whatever we train.
folder = tempfile.TemporaryDirectory()
ledger = cydp.BudgetLedger.create(
    Path(folder.name) / "rides.ledger",
    cydp.PureDP(0.5),
    privacy_unit="ride",
    by_block=True,
    units_in_one_block=True,
)
stream: dict[str, np.ndarray] = {}

# What is predicted, from distance and rush hour, and the mean squared error that is good enough.
features = {0: (0, 20), 1: (0, 1)}
pipelines = {
    "minutes": {"target": {2: (0, 60)}, "goal": 35, "days": 1, "epsilon": 0.05},
    "tip": {"target": {3: (0, 10)}, "goal": 1, "days": 1, "epsilon": 0.05},
}


def attempt(name: str, target: dict, goal: float, days: int, epsilon: float) -> str:
    """Train on some days, validate on a later one, and return the verdict."""
    able = ledger.find_blocks(at_least=cydp.PureDP(epsilon))
    if len(able) <= days:
        return "wait"
    *train, test = able[-days - 1 :]
    cost = {"epsilon": epsilon, "max_rows_per_unit": 1}  # our promise: a ride is one row
    rows = np.concatenate([stream[block] for block in train])
    paid = ledger.scope(blocks=train, table_in_blocks=True, label=f"{name}: train")
    model = linear_regression(rows, features, target, **cost, budget=paid)
    paid = ledger.scope(blocks=[test], table_in_blocks=True, label=f"{name}: validate")
    error = validated_error(model, stream[test], **cost, budget=paid)
    verdict = error.verdict(goal, trained=model)
    print(
        f"{test}, {name}: {days} days, epsilon={epsilon:g}: "
        f"error at most {np.ceil(10 * error.upper_limit()) / 10:.1f}, {goal} wanted: {verdict}"
    )
    return verdict


for day in range(1, 13):
    block = f"day {day:02}"
    stream[block] = rides_of_a_day(day)
    ledger.add_block(block, weekend=day % 7 in (6, 0))
    for name, plan in list(pipelines.items()):
        verdict = attempt(name, **plan)
        if verdict in ("accept", "reject"):
            del pipelines[name]
        elif verdict == "retry":  # more data first, then more budget
            more = "days" if plan["days"] < 4 else "epsilon"
            plan[more] = min(2 * plan[more], {"days": 4, "epsilon": 0.4}[more])
    # A block that cannot pay for the least attempt is never read again: delete its rows.
    for spent in ledger.retire_spent(below=cydp.PureDP(0.05)):
        print(f"{spent} is retired")
        del stream[spent]

final, guarantee = ledger.blocks(), ledger.guarantee()
print("\n", final, sep="")
print("\nAll rides, of all days, so far:", guarantee)
print("and whatever comes:", ledger.budget)
ledger.close()
folder.cleanup()
