"""What MkDocs does with a page beside its plugins: see `hooks` in mkdocs.yml."""

import os
import re
import tempfile
from pathlib import Path
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

_EMPTY = re.compile(r"–\s*<div class=\"doc-md-description\">\s*</div>")
_PYTHON = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_GALLERY = "gallery"


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Run the code of the gallery; the scenes that it writes are files of the site, beside the page that shows them."""
    page = Path(config.docs_dir, f"{_GALLERY}.md").read_text(encoding="utf-8")
    here = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            exec("\n".join(_PYTHON.findall(page)), {"__name__": _GALLERY})
        finally:
            os.chdir(here)
        for scene in sorted(Path(folder).glob("*.html")):
            files.append(File.generated(config, f"{_GALLERY}/{scene.name}", content=scene.read_bytes()))
    return files


def on_page_content(html: str, **_: Any) -> str:
    """Take away the dash after a result that is described by its type alone."""
    return _EMPTY.sub("", html)
