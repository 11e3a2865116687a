"""The tasks from the path of a Parquet file."""

import duckdb  # noqa: F401  cydp would import it as it reads

OPEN = '"visits.parquet"'
