"""Tables of 1,000 people for publication, and synthetic people, at one epsilon.

python examples/publish.py
"""

from pathlib import Path

import numpy as np

import cydp

people = np.genfromtxt(
    Path(__file__).parent / "data" / "pums.csv", delimiter=",", names=True, dtype=None
)

# What values there may be is public: labels, or bins. It is never taken from the data.
domains = {
    "sex": [0, 1],
    "age": ([0, 18, 30, 45, 65, 120], None),
    "educ": range(1, 17),
    "married": [0, 1],
    "race": range(1, 7),
}

# One release of four tables and the total. What they share is equal, to the last person.
published = cydp.publishing.contingency_tables(
    people,
    domains,
    [("sex", "age"), ("age", "married"), ("married", "educ"), ("race",)],
    epsilon=1,
)
print(published["sex", "age"])
by_sex, by_marriage = published["sex", "age"].counts, published["age", "married"].counts
print("\nAges by either table:", by_sex.sum(axis=0), by_marriage.sum(axis=1))

# Synthetic people with exactly these tables. Whatever is done with them costs nothing more.
synthetic = published.sample()
print(f"\n{synthetic}")

# As a census: races in regions, here levels of education, and the whole; children sum to parents.
schools = {"school": range(1, 13), "college": range(13, 17)}
kind = np.where(people["educ"] < 13, "school", "college")
census = cydp.publishing.hierarchy(
    {"kind": kind, "educ": people["educ"], "race": people["race"]},
    ["kind", "educ"],
    schools,
    cells={"race": domains["race"]},
    epsilon=1,
)
print("", census["kind"], sep="\n")
