"""What is public in the twelve tasks: names of countries and places. No table is needed for it."""

COUNTRIES = [
    "AT", "BE", "CH", "CZ", "DE", "DK", "ES", "FI", "FR", "GB",
    "GR", "HU", "IE", "IT", "NL", "NO", "PL", "PT", "RO", "SE",
]  # fmt: skip
PLACES = [f"place {number}" for number in range(1, 1001)]
