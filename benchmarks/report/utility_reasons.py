"""Why cydp has more error in a task than the best, in words: for each task above the goal."""

TREE = (
    "Its tree has equal noise on every node; the best has rows of weights that an optimiser has "
    "found, which are no integers."
)
MANY = (
    "It chooses each quantile among all points, so its error has a bound for any column. The best "
    "counts in 256 cells between 15 quantiles and interpolates, which suits numbers as smooth as "
    "these; where prices are in steps of 5, its error is 163 ranks, and that of cydp is 32."
)
JOINT = (
    "It adds noise to each table. The best adds it to the cells of all columns together, of which "
    "there are but 384 here; with more columns that has more noise."
)
REASONS = {
    "many uniform": MANY,
    "many heavy": MANY,
    "ranges": TREE,
    "prefixes": TREE,
    "marginals": JOINT,
    "marginals pure": JOINT,
    "users mean": (
        "It keeps random rows of a user; the best lets all rows count, with weights that add up "
        "to as much. Which rows are kept is random, too, and adds error."
    ),
}
