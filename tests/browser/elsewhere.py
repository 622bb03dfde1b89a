"""Which requests leave this machine."""

from __future__ import annotations

import ipaddress
from urllib.parse import urlsplit


def is_here(url):
    """Whether a request stays on this machine."""
    parts = urlsplit(url)
    if parts.scheme in ("file", "data", "blob", "about"):
        return True
    host = parts.hostname or ""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
