"""The twelve tasks on the command line. COUNTRIES and PLACES are text files: AT,BE,CH..."""

_BOUNDED = "--user user --max-partitions"
_COUNTRIES = """\
cydp value-counts visits.parquet --column country --key-list "$(< countries.txt)" \\
    --user user --max-rows 20 --epsilon 1"""

COMMANDS = {
    "counts": _COUNTRIES,
    "users": "cydp count visits.parquet --user user --max-rows 1 --epsilon 1",
    "mean": (
        "cydp mean visits.parquet --column euros --bounds 0:100 --user user --max-rows 20 "
        "--epsilon 1"
    ),
    "median": (
        "cydp median visits.parquet --column euros --bounds 0:100 --user user --max-rows 20 "
        "--epsilon 1"
    ),
    "top_ten": (
        "cydp top-k visits.parquet --column place --k 10 \\\n"
        f"    {_BOUNDED} 20 --epsilon 1 --delta 1e-6"
    ),
    "months": (
        "cydp histogram visits.parquet --column ts --bins 1mo --range 2024-01-01:2025-01-01 \\\n"
        f"    {_BOUNDED} 12 --epsilon 1"
    ),
    "two_way": (
        "cydp group-by visits.parquet --by country,place \\\n"
        '    --key-list "$(< countries.txt)" --key-list "$(< places.txt)" \\\n'
        f"    {_BOUNDED} 20 --epsilon 1"
    ),
    "daily": """\
cydp ledger create days.db --epsilon 1 --privacy-unit user --block-column ts
cydp ledger add-block days.db 2024-01-{01..30}
for day in 2024-01-{01..30}; do
    cydp count visits.parquet --user user --max-rows 20 --epsilon 1 --ledger days.db --blocks $day
done""",
    "unknown": (
        f"cydp value-counts visits.parquet --column place {_BOUNDED} 20 \\\n"
        "    --epsilon 1 --delta 1e-6"
    ),
    "bound": "cydp contribution-bound visits.parquet --user user --max 100 --epsilon 1",
    "export": f"{_COUNTRIES} \\\n    --output countries.parquet --confidence 0.95",
    "picture": (
        "cydp histogram visits.parquet --column euros --bins 20 --range 0:100 \\\n"
        f"    {_BOUNDED} 20 --epsilon 1 --plot euros.png"
    ),
}
