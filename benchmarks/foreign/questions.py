"""What is public in the questions that all libraries answer: bounds, quantiles and keys."""

BOUNDS, QS = (0, 200_000), [0.25, 0.5, 0.75]
LEVELS, DAYS = range(1, 17), range(1, 8)
