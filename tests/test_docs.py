"""The documentation is true: its code runs, its links lead somewhere, its names and version are the package's."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import regraft as rg
from regraft import maximal
from regraft.kernels.tables import JOINT, POLARITY

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
OTHERS = [ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
NEW_JOINT = ROOT / "docs" / "joints.md"

FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)")


def blocks(page, language="python"):
    return [code for name, code in FENCE.findall(page.read_text(encoding="utf-8")) if name == language]


def page_name(page):
    return page.name


PRINTED = ("mechanisms.md", "recordings.md", "gait_analysis.md", "robots.md")
"""Pages that show what their code prints."""

COARSER = {
    "maps.md": {
        "np.linspace(4.3, 5.2, 91)": "np.array([4.3, 4.6, 4.98])",
        "np.linspace(0.0145, 0.019, 73)": "np.linspace(0.0145, 0.019, 4)",
        "np.linspace(1.5, 0.7, 70) * stance": "np.linspace(1.5, 0.7, 18) * stance",
        "np.linspace(-3.0, 1.5, 70)": "np.linspace(-3.0, 1.5, 18)",
        "np.linspace(-0.24, -0.11, 110)": "np.linspace(-0.24, -0.11, 28)",
        "np.linspace(0.1, 0.25, 110)": "np.linspace(0.1, 0.25, 28)",
    },
    "gallery.md": {"rg.simulate(*swing.start, 3.0,": "rg.simulate(*swing.start, 1.2,"},
}
"""What pages compute for their pictures, and less of it that shows the same; the long sweeps run them as they are."""


def run_page(page, changes):
    namespace = {"__name__": page.stem}
    for number, code in enumerate(blocks(page), 1):
        exec(compile(replaced(code, changes), f"{page.name}, block {number}", "exec"), namespace)


def replaced(text, changes):
    for part, other in changes.items():
        text = text.replace(part, other)
    return text


@pytest.mark.parametrize("page", [page for page in PAGES if page != NEW_JOINT and blocks(page)], ids=page_name)
def test_the_code_on_a_page_runs_from_top_to_bottom(page, tmp_path, monkeypatch, capsys):
    """And prints what the page shows."""
    monkeypatch.chdir(tmp_path)  # pages write files
    changes = COARSER.get(page.name, {})
    assert [text for text in changes if page.read_text(encoding="utf-8").count(text) != 1] == []
    run_page(page, changes)
    printed = capsys.readouterr().out
    for shown in blocks(page, "text") if page.name in PRINTED else []:
        assert shown in printed


@pytest.mark.slow
@pytest.mark.parametrize("name", COARSER)
def test_pages_with_large_pictures_run_as_they_are(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page(ROOT / "docs" / name, {})


def test_the_joint_type_of_the_page_works_once_it_is_registered(tmp_path):
    file, use = blocks(NEW_JOINT)
    assert file.startswith("# src/regraft/joints/rack.py\n")
    joints = tmp_path / "regraft" / "joints"
    shutil.copytree(ROOT / "src" / "regraft", joints.parent, ignore=shutil.ignore_patterns("__pycache__"))
    (joints / "rack.py").write_text(file, encoding="utf-8")
    registry = (joints / "registry.py").read_text(encoding="utf-8")
    import_line = "from .prismatic import Prismatic\n"
    assert registry.count(import_line) == registry.count("    Guided,\n)\n") == 1
    registry = registry.replace(import_line, import_line + "from .rack import Rack\n")
    (joints / "registry.py").write_text(registry.replace("    Guided,\n)\n", "    Guided,\n    Rack,\n)\n"), encoding="utf-8")
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "REGRAFT_CACHE_DIR": str(tmp_path / "cache")}
    found = subprocess.run(
        [sys.executable, "-c", use], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr


@pytest.mark.parametrize("page", PAGES + OTHERS, ids=page_name)
def test_links_to_files_lead_somewhere(page):
    text = re.sub(FENCE, "", page.read_text(encoding="utf-8"))
    for link in LINK.findall(text):
        file, _, _anchor = link.partition("#")
        if file and "://" not in file:
            assert (page.parent / file).exists(), link


def test_every_page_is_in_the_navigation():
    listed = re.findall(r"([\w.]+\.md)$", (ROOT / "mkdocs.yml").read_text(encoding="utf-8"), re.MULTILINE)
    assert sorted(listed) == sorted(page.name for page in PAGES[1:])


SOURCE = re.compile(r"\bS[123]\b")


@pytest.mark.parametrize("page", [page for page in PAGES if SOURCE.search(page.read_text(encoding="utf-8"))], ids=page_name)
def test_a_page_says_what_s1_to_s3_are_where_it_first_uses_them(page):
    text = page.read_text(encoding="utf-8")
    explained = text.find("#the-papers-behind-it")
    if explained < 0:
        explained = text.index("## The papers behind it")
    assert SOURCE.search(text).start() > explained - 300


def test_every_public_name_is_documented_on_a_page():
    text = "\n".join(page.read_text(encoding="utf-8") for page in sorted((ROOT / "docs").glob("*.md")))
    documented = set(re.findall(r"^::: regraft\.(?:[\w.]+\.)?(\w+)$", text, re.MULTILINE))
    assert set(rg.__all__) - {"__version__", "gait", "mocap", "models"} <= documented
    assert {*rg.gait.__all__, *rg.mocap.__all__, *rg.models.__all__, *maximal.__all__} - {"FreeBodies"} <= documented


def test_the_architecture_page_names_every_file():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "regraft"
    files = [path for path in package.rglob("*.py") if path.name not in ("__init__.py", "_version.py")]
    missing = [str(path.relative_to(package)) for path in files if not re.search(rf"\b{path.name}\b", page)]
    assert missing == []
    listed = set(re.findall(r"\b(\w+\.py)\b", page))
    assert listed - {path.name for path in package.rglob("*.py")} == set()


def test_the_notation_page_names_every_column_of_the_tables():
    source = (ROOT / "src" / "regraft" / "kernels" / "tables.py").read_text(encoding="utf-8")
    widths = {
        "JOINTS",
        "GEOMETRY",
        "SPRING",
        "LIMIT_ROW",
        "LIMIT",
        "SETTINGS",
        "COIL_ROW",
        "COIL",
        "EXTERNAL",
        "BODY_WORK",
        "DOF_WORK",
    }
    columns = set(re.findall(r"^([A-Z_]+) = \d+", source, re.MULTILINE)) - widths
    page = (ROOT / "docs" / "notation.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(\w+)`", page))
    assert columns - named == set()


def test_the_citation_and_the_changelog_name_this_version():
    assert f"version: {rg.__version__}" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"## [{rg.__version__}]" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")


def example(name):
    spec = importlib.util.spec_from_file_location(name, ROOT / "examples" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


def test_the_picture_of_rerooting_shows_the_walk():
    picture = example("rerooting_picture")
    before, after = picture.walkers()
    for walker in (before, after):
        shown = [(step.joint.name, step.polarity) for step in walker.walk]
        structure = walker.mech.structure
        assert shown == [(structure.joint_names[j], s) for j, s in structure.walk[:, [JOINT, POLARITY]].tolist()]
        poses = rg.body_poses(walker.mech, walker.state)
        assert all(np.allclose(pose.apply(np.eye(3)), poses[body].apply(np.eye(3))) for body, pose in before.poses.items())
    turned = {step.joint.name for step in after.walk if step.polarity < 0}
    assert turned == {"left hip", "left knee", "left ankle"}
    assert before.chain == {"pelvis", "left thigh", "left shank", "left foot"}


def test_the_showcase_keeps_the_energy():
    showcase = example("showcase")
    mech = showcase.build()
    state, method = showcase.lifted(mech), showcase.RungeKutta(mech)
    before = rg.energy(mech, state)
    for _ in range(400):
        state = method.step(state, showcase.STEP)
    after = rg.energy(mech, state)
    assert after.kinetic > 10.0
    assert np.isclose(after.total, before.total, rtol=0, atol=1e-8 * after.kinetic)
