"""The tool that looks for tests that cannot fail: which mistakes it makes, and where it makes none."""

import ast
import importlib
import sys

import pytest

from mutants.mutations import mutations_of
from mutants.plugin import exchange

SOURCE = '''"""Docstring with 1 number."""
from .compilation import inline

USED = 3.0
PLAIN: "int | None" = 4


@inline
def kernel(x):
    return x + USED if x > 0 else 2.0


def plain(a, b=2, *, c=True):
    """Docstring with 2 numbers."""
    if a < b and c:
        raise ValueError(f"{a + 1} is less than {b}")
    values = max(a, b), divmod(a,
        b)
    values[0].close()
    return values
'''


@pytest.fixture
def found(tmp_path):
    (tmp_path / "module.py").write_text(SOURCE)
    return {mutation.difference(SOURCE.encode())[1]: mutation for mutation in mutations_of(tmp_path)}


def test_each_kind_of_mistake_is_made_in_plain_code(found):
    expected = {
        'PLAIN: "int | None" = 5',
        "def plain(a, b=3, *, c=True):",
        "def plain(a, b=2, *, c=False):",
        "if (not (a < b and c)):",
        "if (a < b or c):",
        "if (c):",
        "if (a < b):",
        "if (a >= b) and c:",
        "pass",
        "values = max(a, b), (divmod(b, a))",
        "values[1].close()",
        "return None",
    }
    assert set(found) == expected
    assert {found["pass"].kind, found["return None"].kind} <= {"a statement left out", "an error not raised", "a result left out"}


def test_kernels_their_constants_docstrings_annotations_and_messages_stay(found):
    for mutation in found.values():
        text = mutation.applied(SOURCE.encode()).decode()
        tree = ast.parse(text)
        assert text.count("\n") == SOURCE.count("\n")  # all other lines stay where they are
        assert ast.get_docstring(tree) == "Docstring with 1 number."
        assert "return x + USED if x > 0 else 2.0" in text
        assert "USED = 3.0" in text


def test_a_key_does_not_depend_on_other_lines(found, tmp_path):
    (tmp_path / "module.py").write_text(SOURCE.replace("USED = 3.0", "USED = 3.0\nOTHER = 7"))
    assert {mutation.key for mutation in found.values()} < {mutation.key for mutation in mutations_of(tmp_path)}


def test_functions_get_the_code_of_another_text(tmp_path, monkeypatch):
    file = tmp_path / "exchanged_module.py"
    source = "def plain(a):\n    return [x for x in a if x > 1]\n\n\ndef other(a):\n    return a\n"
    file.write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    module = importlib.import_module("exchanged_module")
    monkeypatch.delitem(sys.modules, "exchanged_module")
    assert module.plain([1, 2]) == [2]
    exchange(file, source.replace("x > 1", "x <= 1"))
    assert module.plain([1, 2]) == [1]
    exchange(file, source.replace("[x for x in a if x > 1]", "None"))
    assert module.plain([1, 2]) is None
    with pytest.raises(LookupError):
        exchange(file, source)
