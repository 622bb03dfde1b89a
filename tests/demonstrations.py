"""What is true of every demonstration that runs from the shell."""

import json
import re

from PIL import Image
from typer.testing import CliRunner

from regraft.cli import app


def demonstrate(name, folder, *options):
    """Run a demonstration into a folder; what it said."""
    found = CliRunner().invoke(app, ["demo", name, "--out", str(folder), *options])
    assert found.exit_code == 0, found.output
    return found.stdout


def check_files(folder, said, names):
    """It has written what it says, and nothing else."""
    assert sorted(path.name for path in folder.iterdir()) == sorted(names)
    for name in names:
        assert f"wrote {folder / name}" in said


def check_pictures(folder, names):
    """They can be opened, show something on white, and are small."""
    for name in names:
        assert (folder / name).stat().st_size < 200_000
        with Image.open(folder / name) as picture:
            picture.load()
            assert min(picture.size) > 300
            assert len(picture.convert("RGB").getcolors(1_000_000)) > 20
            assert picture.convert("RGB").getpixel((1, 1)) == (255, 255, 255)


def check_motions(folder, names):
    """They are small, and have frames, events and energies or forces."""
    for name in names:
        text = (folder / name).read_text(encoding="utf-8")
        assert len(text) < 600_000
        header = json.loads(re.search(r'id="film">(.*?)</script>', text, re.DOTALL)[1])
        assert header["tables"]["times"]["rows"] > 20
        assert header["curves"]


def check_report(path, pictures, motions=1):
    """It has its pictures and motions inside and needs nothing else; its text."""
    text = path.read_text(encoding="utf-8")
    sources = re.findall(r'(?:src|href)\s*=\s*"([^"]*)"', text)
    assert len(sources) == pictures
    assert all(source.startswith("data:image/") for source in sources)
    assert text.count("<iframe") == text.count("srcdoc=") == motions
    assert not re.search(r"url\(|@import|<script|<link|https?://", text)
    assert "prefers-color-scheme: dark" in text
    return text


def refusal(name, folder, *options):
    """The one line with which a demonstration refuses."""
    found = CliRunner().invoke(app, ["demo", name, "--out", str(folder), *options])
    assert found.exit_code == 1
    assert "Traceback" not in found.output
    return found.stderr.splitlines()[-1]
