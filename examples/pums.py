"""Private statistics of 1,000 people in the US census, paid from one budget.

python examples/pums.py
"""

import tempfile
from pathlib import Path

import numpy as np

import cydp

people = np.genfromtxt(
    Path(__file__).parent / "data" / "pums.csv", delimiter=",", names=True, dtype=None
)

# A budget is a file, which you keep as long as the data. This one is deleted at the end.
folder = tempfile.TemporaryDirectory()
ledger = cydp.BudgetLedger.create(
    Path(folder.name) / "pums.ledger", cydp.PureDP(4), privacy_unit="person"
)

# The budget protects persons. Each has one row in this table: that is our promise.
person = {"max_rows_per_unit": 1, "budget": ledger}

# Ages in bins of ten years. A person is in one bin, so all bins together cost epsilon once.
ages = cydp.histogram(people, 10, (0, 100), column="age", epsilon=1, **person)
print("Ages", ages, "", sep="\n")

# Incomes are clamped to bounds that we choose without a look at the data.
income = cydp.mean(people, (0, 200_000), column="income", epsilon=1, **person)
print("Mean income", income, "", sep="\n")

# The highest incomes do not move the median. Its error is a number of people, not of dollars.
median = cydp.median(people, (0, 200_000), column="income", epsilon=0.5, **person)
print("Median income", median, sep="\n")
people_off = np.ceil(median.rank_error(0.95))
print(f"at most {people_off:.0f} people from the middle, with 95 % confidence\n")

# How many people have each level of education. The levels, 1 to 16, are public.
levels = cydp.value_counts(people, range(1, 17), column="educ", epsilon=0.5, **person)
print(f"Levels of education, each within {levels.error_bound(0.95)} with 95 % confidence")
for level, count in zip(levels.keys, levels.counts, strict=True):
    print(f"{level:7} {count:5}")

# Ages by sex: a count for each pair. A person is in one pair.
cells = cydp.histogramdd(
    people, (5, 2), [(0, 100), (0, 2)], columns=["age", "sex"], epsilon=1, **person
)
print(f"\nAge by sex, each within {cells.error_bound(0.95)} with 95 % confidence")
for start, (sex0, sex1) in zip(range(0, 100, 20), cells.counts, strict=True):
    print(f"{start:3}-{start + 19:3} {sex0:5} {sex1:5}")

print("\nSpent:", ledger.spent, "left:", ledger.remaining)
ledger.close()
folder.cleanup()
