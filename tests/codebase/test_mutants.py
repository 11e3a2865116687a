"""Every mutant stands once in the code that it changes: a change of the code takes it along."""

from mutants.run import last_first, listed


def test_every_mutant_applies() -> None:
    broken = []
    for mutant in listed():
        try:
            mutant.place()
        except (OSError, ValueError) as error:
            broken.append(str(error))
    assert broken == []
    last_first(listed())  # no two in one text
