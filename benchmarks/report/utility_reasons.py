"""Why cydp has more error in a task than the best, in words: for each task above the goal."""

TREE = (
    "Its tree has equal noise on every node; the best has rows of weights that an optimiser has "
    "found, which are no integers."
)
MANY = (
    "It chooses each quantile among all points, for numbers of any kind. The best counts in 1,000 "
    "cells and interpolates, which suits numbers as smooth as these; `range_counts` is such a tree."
)
JOINT = (
    "It adds noise to each table. The best adds it to the cells of all columns together, of which "
    "there are but 384 here; with more columns that has more noise."
)
ROWS = "It bounds how many rows of a user count, and each may be as large as the bounds allow."
REASONS = {
    "many uniform": MANY,
    "many heavy": MANY,
    "unknown zipf": "It selects keys with half of epsilon, and counts them with the other half.",
    "unknown visits": "It selects keys with half of epsilon, and counts them with the other half.",
    "top one": "It selects by the exponential mechanism.",
    "top ten": "It selects one key after the other, each with a tenth of epsilon.",
    "ranges": TREE,
    "prefixes": TREE,
    "marginals": JOINT,
    "marginals pure": JOINT,
    "users sum": ROWS,
    "users sum heavy": ROWS,
    "users mean": (
        "It keeps random rows of a user; the best lets all rows count, with weights that add up "
        "to as much. Which rows are kept is random, too, and adds error."
    ),
}
