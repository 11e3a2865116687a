"""Why cydp has more error in a task than the best, in words: for each task above the goal."""

REASONS: dict[str, str] = {}
