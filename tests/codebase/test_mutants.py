"""Every mutant stands once in the code that it changes: a change of the code takes it along."""

from mutants.run import last_first, listed


def test_every_mutant_applies() -> None:
    broken = []
    for mutant in listed():
        try:
            mutant.place()
            if mutant.file.endswith(".py"):  # a compiler sees the others
                compile(mutant.whole(), mutant.file, "exec")
        except (OSError, SyntaxError, ValueError) as error:
            broken.append(f"{mutant.name}: {error}")
    assert broken == []
    last_first(listed())  # no two in one text
