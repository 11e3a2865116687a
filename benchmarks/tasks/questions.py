"""The twelve tasks: what each is called, and how far a rival's answers may be off."""

from typing import NamedTuple


class Task(NamedTuple):
    title: str
    scale: float  # of the noise on an answer, or how far a chosen number may be off


TASKS = {
    "counts": Task("counts by key: visits in 20 countries", 20),
    "users": Task("distinct users", 1),
    "mean": Task("mean of euros, of users", 1e-3),
    "median": Task("median of euros, of users", 1),
    "top_ten": Task("top ten of places that nobody gave, by users", 40),
    "months": Task("histogram by month of a timestamp, in users", 12),
    "two_way": Task("two-way table, 20 countries by 1,000 places, in users", 20),
    "daily": Task("daily budget: 30 days, a count of visits each", 20),
    "unknown": Task("unknown keys: users of each place", 40),
    "bound": Task("choosing the bound: rows of 95 % of the users", 1),
    "export": Task("export of the counts to Parquet, with intervals", 20),
    "picture": Task("picture: histogram of euros, in users", 20),
}
