"""PipelineDP's way for run_cluster.py, on RDDs of Spark: see cluster/ways.py."""

import importlib.metadata
import os
import sys
from collections.abc import Callable

import pipeline_dp
from pyspark.sql import SparkSession


def versions() -> Callable[[], dict[str, str]]:
    named = "pipeline-dp", "python-dp", "pyspark"
    return lambda: {name: importlib.metadata.version(name) for name in named}


def users(file: str, threads: int, keys: int) -> Callable[[], tuple[float, float]]:
    os.environ["PYSPARK_PYTHON"] = sys.executable
    built = SparkSession.builder.master(f"local[{threads}]").config("spark.ui.enabled", "false")
    built = built.config("spark.ui.showConsoleProgress", "false")
    session = built.config("spark.driver.memory", "4g").getOrCreate()
    session.sparkContext.setLogLevel("ERROR")
    rows = session.read.parquet(file).select("user", "key", "euros").rdd.map(tuple)
    params = pipeline_dp.AggregateParams(
        noise_kind=pipeline_dp.NoiseKind.LAPLACE,
        metrics=[pipeline_dp.Metrics.COUNT, pipeline_dp.Metrics.SUM],
        max_partitions_contributed=3, max_contributions_per_partition=1, min_value=0, max_value=50,
    )  # fmt: skip
    extractors = pipeline_dp.DataExtractors(
        privacy_id_extractor=lambda row: row[0],
        partition_extractor=lambda row: row[1],
        value_extractor=lambda row: row[2],
    )

    def totals() -> tuple[float, float]:
        budget = pipeline_dp.NaiveBudgetAccountant(total_epsilon=1, total_delta=1e-6)
        engine = pipeline_dp.DPEngine(budget, pipeline_dp.SparkRDDBackend(session.sparkContext))
        made = engine.aggregate(rows, params, extractors, public_partitions=list(range(keys)))
        budget.compute_budgets()
        found = made.values().collect()
        return sum(each.count for each in found), sum(each.sum for each in found)

    return totals
