"""Tests that cannot fail, found by single changes to the sources: ``python tests/mutants`` (or ``make mutants``).

Each *mutant* is the library with one small mistake in plain Python code: a comparison turned round, a statement left out, a
number changed. The tests that run the changed line must fail; a mutant that they let live shows what no test looks at.
"""
