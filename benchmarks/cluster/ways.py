"""Ways to count visits by public keys and to add up their euros; `harness/worker.py` calls them.

Each is given a file, how many threads Spark may have, and how many keys there are. What it returns
runs once a call: the counts and sums of all keys, added up, by which answers are checked. Where
users are protected, one row of a user counts in each of three keys.
"""

import importlib.metadata
import os
import sys
from collections.abc import Callable
from typing import Any

import duckdb
import numpy as np

import cydp

HIGH, MOST = 50, 3
USERS = {"user": "user", "max_partitions": MOST, "max_rows_per_partition": 1}
Totals = Callable[[], tuple[float, float]]


def versions() -> Callable[[], dict[str, str]]:
    named = "pyspark", "pyarrow", "duckdb"
    return lambda: {name: importlib.metadata.version(name) for name in named}


def session(threads: int) -> Any:
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    built = SparkSession.builder.master(f"local[{threads}]").config("spark.ui.enabled", "false")
    built = built.config("spark.ui.showConsoleProgress", "false")
    built = built.config("spark.driver.memory", "4g").config("spark.sql.shuffle.partitions", "16")
    made = built.getOrCreate()
    made.sparkContext.setLogLevel("ERROR")
    return made


def released(table: Any, keys: int, **users: Any) -> Totals:
    public, bounds = np.arange(keys, dtype=np.int32), {"euros": (0, HIGH)}

    def totals() -> tuple[float, float]:
        made = cydp.group_by(table, "key", keys=public, sums=bounds, epsilon=1, **users)
        return float(made["n"].sum()), float(made["sum_euros"].sum())

    return totals


def ours(file: str, threads: int, keys: int) -> Totals:
    return released(session(threads).read.parquet(file), keys, **USERS)


def ours_of_rows(file: str, threads: int, keys: int) -> Totals:
    return released(session(threads).read.parquet(file), keys)


def alone(file: str, _: int, keys: int) -> Totals:
    return released(file, keys, **USERS)


def alone_of_rows(file: str, _: int, keys: int) -> Totals:
    return released(file, keys)


def spark_totals(kept: Callable[[], Any], keys: int) -> Totals:
    """Count and add up rows, which are asked for anew in each turn: Spark would keep a shuffle."""
    from pyspark.sql import functions as f

    def totals() -> tuple[float, float]:
        euros = f.sum(f.least(f.greatest("euros", f.lit(0)), f.lit(HIGH))).alias("euros")
        chosen = kept().where(f.col("key").between(0, keys - 1))
        found = chosen.groupBy("key").agg(f.count("*").alias("n"), euros).toArrow()
        return float(found["n"].to_numpy().sum()), float(found["euros"].to_numpy().sum())

    return totals


def plain(file: str, threads: int, keys: int) -> Totals:
    rows = session(threads).read.parquet(file)
    return spark_totals(lambda: rows, keys)


def first_keys(rows: Any) -> Any:
    """Return three rows of each user, whose keys differ."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    by_key = Window.partitionBy("user").orderBy(f.xxhash64(f.lit(7), "user", "key"))
    return rows.withColumn("place", f.row_number().over(by_key)).where(f"place <= {MOST}")


def windows(file: str, threads: int, keys: int) -> Totals:
    """By one shuffle, which both windows use."""
    from pyspark.sql import Window
    from pyspark.sql import functions as f

    rows = session(threads).read.parquet(file)
    of_key = Window.partitionBy("user", "key").orderBy(f.rand(7))

    def kept() -> Any:
        placed = rows.repartition("user").withColumn("row", f.row_number().over(of_key))
        return first_keys(placed.where("row = 1"))

    return spark_totals(kept, keys)


def grouped(file: str, threads: int, keys: int) -> Totals:
    """One row of each user and key by an aggregate, which Spark also makes before the shuffle."""
    from pyspark.sql import functions as f

    rows = session(threads).read.parquet(file)
    one = f.max_by("euros", f.xxhash64(f.lit(7), "euros")).alias("euros")
    return spark_totals(lambda: first_keys(rows.groupBy("user", "key").agg(one)), keys)


def duckdb_windows(file: str, _: int, keys: int) -> Totals:
    query = f"""
        with one as (
            select user, key, arg_max(euros, random()) as euros
            from '{file}' where key between 0 and {keys - 1} group by user, key
        ), placed as (
            select *, row_number() over (partition by user order by hash(7, user, key)) as place
            from one
        ), counted as (
            select key, count(*) as n, sum(least(greatest(euros, 0), {HIGH})) as euros
            from placed where place <= {MOST} group by key
        ) select sum(n), sum(euros) from counted"""

    return asked(query)


def duckdb_groups(file: str, _: int, keys: int) -> Totals:
    query = f"""
        with counted as (
            select key, count(*) as n, sum(least(greatest(euros, 0), {HIGH})) as euros
            from '{file}' where key between 0 and {keys - 1} group by key
        ) select sum(n), sum(euros) from counted"""

    return asked(query)


def asked(query: str) -> Totals:
    def totals() -> tuple[float, float]:
        n, euros = duckdb.connect().execute(query).fetchall()[0]
        return float(n), float(euros)

    return totals
