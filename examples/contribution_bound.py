"""Choose how many days of a visitor count: bias and noise over the bound, for the restaurant table.

The table is public here, so that the exact errors can be drawn: of private data nobody could. It
prints the choice of `contribution_bound`, and a release that takes it. With a file name, as in

    python examples/contribution_bound.py bound.svg

it draws the picture of docs/releases/contribution_bound.md.
"""

from __future__ import annotations

import sys
from pathlib import Path

import duckdb
import matplotlib.pyplot as plt
import numpy as np

import cydp

DAYS = range(1, 8)
EPSILON = 1

visits = duckdb.read_csv(str(Path(__file__).parent / "data" / "restaurant_week.csv"))
rows = visits.df()
true = np.bincount(rows["Day"], minlength=8)[1:]

chosen = cydp.contribution_bound(visits, user="VisitorId", by="Day", max=7, epsilon="0.2")
print(chosen)
by_day = cydp.group_by(
    visits, "Day", keys=DAYS, user="VisitorId", max_partitions=chosen, left_out=5,
    split={"n": 9}, epsilon=EPSILON,
)  # fmt: skip
print(by_day)

# What each bound would do: the exact bias, in the mean over samples, and the exact noise.
bounds = np.arange(1, 8)
days_of_each = rows.groupby("VisitorId")["Day"].nunique().to_numpy()
kept = np.array([np.minimum(days_of_each, bound).sum() for bound in bounds])
bias = (true.sum() - kept) / len(DAYS)  # of a day, on average
noise = [
    cydp.explain(
        cydp.group_by, "Day", keys=7, user="VisitorId", max_partitions=int(bound), epsilon=EPSILON
    ).query.parts["n"].variance ** 0.5
    for bound in bounds
]  # fmt: skip
error = np.hypot(bias, noise)
best = int(bounds[error.argmin()])
print(f"least error with {best} days; chosen: {chosen.value}")

if len(sys.argv) > 1:
    # The same file in each run, with text as text.
    plt.rcParams |= {"svg.hashsalt": "cydp", "svg.fonttype": "none"}
    figure, ax = plt.subplots(figsize=(6.4, 3.6), layout="constrained")
    ax.plot(bounds, bias, "o--", label="bias: visits left out")
    ax.plot(bounds, noise, "s:", label="noise: standard deviation")
    ax.plot(bounds, error, "k-", label="both together")
    ax.set(
        xlabel="max_partitions: days of a visitor that count", ylabel="visits a day",
        title=f"Restaurant, {len(days_of_each):,} visitors, ε = {EPSILON}",
    )  # fmt: skip
    ax.set_ylim(0)
    ax.legend(frameon=False)
    figure.savefig(sys.argv[1], metadata={"Date": None})
