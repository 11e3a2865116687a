"""Private statistics of a week in a restaurant whose visitors come on several days.

python examples/restaurant_week.py
"""

import tempfile
from datetime import datetime
from pathlib import Path

import numpy as np

import cydp

visits = np.genfromtxt(
    Path(__file__).parent / "data" / "restaurant_week.csv",
    delimiter=",",
    skip_header=1,
    names=["visitor", "entered", "minutes", "euros", "day"],
    dtype=None,
    encoding="utf-8",
)
days = range(1, 8)

# A budget is a file, which you keep as long as the data. These are deleted at the end.
folder = tempfile.TemporaryDirectory()

# One budget for the week. It protects a visitor, with all visits of the week.
week = cydp.BudgetLedger.create(
    Path(folder.name) / "week.ledger", cydp.ApproxDP(4, 1e-6), privacy_unit="visitor"
)

# Visits and money by day. Two days of each visitor count, which are chosen at random. So the noise
# hides two visits, and not as many as the most faithful visitor makes.
by_day = cydp.group_by(
    visits,
    "day",
    keys=days,
    sums={"euros": (0, 50)},
    means={"euros": (0, 50)},
    user="visitor",
    max_partitions=2,
    epsilon=3,
    budget=week,
)
print(f"Protected is {by_day.unit}.", by_day, sep="\n")
for column in by_day.columns:
    error = np.max(by_day.error_bound(0.95, column=column))
    print(f"  {column} within {np.ceil(10 * error) / 10:.1f}, with 95 % confidence")

# Visits by hour, if nobody knows when the restaurant is open: the hours are selected privately,
# which takes a delta. An hour with few visitors stays unknown.
hours = [datetime.strptime(time, "%I:%M%p").hour for time in visits["entered"].tolist()]
by_hour = cydp.value_counts(
    hours,
    user=visits["visitor"],
    unit="visitor",
    max_partitions=2,
    epsilon=1,
    delta=1e-6,
    budget=week,
)
print("\nVisits by hour", by_hour, sep="\n")
print(f"  n within {by_hour.error_bound(0.95)}, with 95 % confidence")
print("Spent:", week.spent, "left:", week.remaining)

# Or a budget for each day. It protects one day of a visitor: somebody who comes on six days is
# protected less. In return each day pays for itself, whatever the other days have spent.
daily = cydp.BudgetLedger.create(
    Path(folder.name) / "days.ledger",
    cydp.PureDP(1),
    privacy_unit="visitor-day",
    by_block=True,
    units_in_one_block=True,
)
visitors = {}
print()
for day in days:
    daily.add_block(f"day {day}")
    visitors[day] = cydp.count(
        visits["visitor"][visits["day"] == day],
        user=visits["visitor"][visits["day"] == day],
        unit="visitor-day",
        max_rows=1,
        epsilon=0.5,
        budget=daily.scope(blocks=[f"day {day}"], label="visitors", table_in_blocks=True),
    )
    print(f"Visitors on day {day}", visitors[day])
print(daily.report())
week.close()
daily.close()
folder.cleanup()
