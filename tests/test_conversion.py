"""accounting/conversion.py: there and back; test_accounting_rows.py has the reference."""

from fractions import Fraction

import pytest

from cydp.accounting.conversion import delta_of, epsilon_of, rho_of


@pytest.mark.parametrize("epsilon", ["1e-6", "0.01", "1", "50", "1e6"])
@pytest.mark.parametrize("delta", ["0.9", "1e-3", "1e-12", "1e-400"])
def test_there_and_back(epsilon: str, delta: str) -> None:
    """What rho_of grants costs no more than was asked for, and hardly less."""
    limit, rest = Fraction(epsilon), Fraction(delta)
    rho = rho_of(limit, rest)
    assert epsilon_of(rho * (1 + Fraction(1, 10**6)), rest) >= limit * (1 - Fraction(1, 10**4))
    assert epsilon_of(rho, rest) <= limit * (1 + Fraction(1, 10**7))
    if rest > Fraction(1, 10**300):
        assert delta_of(rho, limit) <= rest * (1 + Fraction(1, 10**5))


def test_ends() -> None:
    assert epsilon_of(Fraction(0), Fraction(1, 2)) == delta_of(Fraction(0), Fraction(1)) == 0
    assert delta_of(Fraction(100), Fraction(1, 100)) == 1
    for call in (
        lambda: epsilon_of(Fraction(10) ** 300, Fraction(1, 2)),
        lambda: rho_of(Fraction(1, 10**300), Fraction(1, 2)),
    ):
        with pytest.raises(ValueError, match="between 1e-290 and 1e290"):
            call()
