"""What MkDocs does with a page beside its plugins: see `hooks` in mkdocs.yml."""

import re
from typing import Any

_EMPTY = re.compile(r"–\s*<div class=\"doc-md-description\">\s*</div>")


def on_page_content(html: str, **_: Any) -> str:
    """Take away the dash after a result that is described by its type alone."""
    return _EMPTY.sub("", html)
