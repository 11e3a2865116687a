"""The tasks from a relation of DuckDB."""

import duckdb  # noqa: F401  what is opened uses it

OPEN = 'duckdb.read_parquet("visits.parquet")'
