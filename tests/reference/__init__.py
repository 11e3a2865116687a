"""Slow, exact oracles, independent of the code under test: integers and fractions only."""
