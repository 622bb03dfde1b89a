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
_SHOWING = {"gallery": "*.html", "maps": "*.png"}
"""Pages that show what their own code writes."""


def on_files(files: Files, config: MkDocsConfig, **_: Any) -> Files:
    """Run the code of pages that show what it writes; these are files of the site, beside the page."""
    for page, shown in _SHOWING.items():
        text = Path(config.docs_dir, f"{page}.md").read_text(encoding="utf-8")
        here = Path.cwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                exec("\n".join(_PYTHON.findall(text)), {"__name__": page})
            finally:
                os.chdir(here)
            for file in sorted(Path(folder).glob(shown)):
                files.append(File.generated(config, f"{page}/{file.name}", content=file.read_bytes()))
    return files


def on_page_content(html: str, **_: Any) -> str:
    """Take away the dash after a result that is described by its type alone."""
    return _EMPTY.sub("", html)
