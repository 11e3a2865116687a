"""The page of errors."""

BEFORE, NOW = "utility/before.json", "utility/now.json"
