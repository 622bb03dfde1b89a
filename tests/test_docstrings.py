"""Every public name says what it takes, what it gives and how it is called: NumPy-style docstrings that fit their signatures."""

import importlib
import inspect
import re
from pathlib import Path

import pytest

import regraft as rg
from regraft import maximal

DOCS = Path(__file__).parents[1] / "docs"

SECTION = re.compile(
    r"^(Parameters|Attributes|Returns|Raises|Examples)\n-+\n(.*?)(?=^\w[^\n]*\n-{3,}$|\Z)", re.MULTILINE | re.DOTALL
)
ENTRY = re.compile(r"^([*\w][\w*, ]*?)(?: : .*)?$", re.MULTILINE)
BLOCK = re.compile(r"^::: (regraft[\w.]+)\n((?:    .*\n)*)", re.MULTILINE)
MEMBERS = re.compile(r"members: \[([^\]]*)\]")


def at(path):
    """What a dotted path leads to; a module goes before what its package calls by the same name."""
    found, parts = rg, path.split(".")[1:]
    for k, part in enumerate(parts, 1):
        try:
            found = importlib.import_module(".".join(("regraft", *parts[:k])))
        except ModuleNotFoundError:
            found = getattr(found, part)
    return found


def shown():
    """What the pages show, by its path, with the members of classes that they name."""
    for page in sorted(DOCS.glob("*.md")):
        for path, options in BLOCK.findall(page.read_text(encoding="utf-8")):
            members = MEMBERS.search(options)
            yield path, [name.strip() for name in members[1].split(",")] if members else []


def public():
    """Every public function and class under its name, with the methods of classes that the pages show."""
    for home in (rg, rg.models, rg.gait, rg.mocap, maximal):
        for name in home.__all__:
            thing = getattr(home, name)
            if callable(thing) and name != "FreeBodies":  # which simulate uses
                yield name, thing
    for path, members in shown():
        for name in members:
            member = inspect.getattr_static(at(path), name)
            if not isinstance(member, property) and callable(getattr(at(path), name)):
                yield f"{path.rsplit('.')[-1]}.{name}", getattr(at(path), name)


PUBLIC = dict(public())
FUNCTIONS = [name for name, thing in PUBLIC.items() if not inspect.isclass(thing)]
CLASSES = [name for name, thing in PUBLIC.items() if inspect.isclass(thing)]


def sections(thing):
    return dict(SECTION.findall(inspect.getdoc(thing) or ""))


def listed(section):
    return [name.strip().lstrip("*") for names in ENTRY.findall(section) for name in names.split(",")]


def parameters(thing):
    return [name for name in inspect.signature(thing).parameters if name != "self" and not name.startswith("_")]


def fields(kind):
    return {*parameters(kind), *(name for base in kind.__mro__ for name in getattr(base, "__annotations__", ()))}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_lists_its_parameters_and_what_it_returns(name):
    function = PUBLIC[name]
    found = sections(function)
    assert sorted(listed(found.get("Parameters", ""))) == sorted(parameters(function))
    assert ("Returns" in found) == (inspect.signature(function).return_annotation not in (None, "None"))


@pytest.mark.parametrize("name", [name for name in FUNCTIONS if getattr(rg, name, None) is PUBLIC[name]])
def test_a_public_function_has_an_example(name):
    assert ">>>" in sections(PUBLIC[name]).get("Examples", "")


@pytest.mark.parametrize("name", CLASSES)
def test_a_class_lists_its_parameters_or_what_it_holds(name):
    kind = PUBLIC[name]
    found = sections(kind)
    if "Attributes" in found:
        assert all(hasattr(kind, field) or field in fields(kind) for field in listed(found["Attributes"]))
    elif not issubclass(kind, Exception):
        assert sorted(listed(found.get("Parameters", ""))) == sorted(parameters(kind))


def test_the_pages_show_functions_and_classes_not_modules():
    for path, members in shown():
        thing = at(path)
        assert not inspect.ismodule(thing) or members or path == "regraft.STOP", path
        assert all(hasattr(thing, name) for name in members), path


@pytest.mark.parametrize("name", CLASSES)
def test_a_method_that_says_what_it_takes_or_gives_is_on_a_page(name):
    kind = PUBLIC[name]
    own = {method: inspect.cleandoc(thing.__doc__ or "") for method, thing in vars(kind).items() if not method.startswith("_")}
    told = {method for method, text in own.items() if SECTION.search(text)}
    on_pages = {member for path, members in shown() if at(path) is kind for member in members}
    assert told <= on_pages
