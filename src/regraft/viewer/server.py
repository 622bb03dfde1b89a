"""The server behind a viewer: where it listens, who may connect, and a page for each visitor."""

from __future__ import annotations

import atexit
import contextlib
import errno
import html
import io
import ipaddress
import socket
import threading
import warnings
from collections.abc import Callable
from typing import Any, Protocol
from urllib.parse import urlsplit

from ..errors import RegraftError, warn
from ..extras import require
from ..show.room import Room
from .stage import camera_for
from .visitors import Visitors
from .words import told
from .worker import logger

LOOPBACK = "127.0.0.1"
FIRST_PORT, _PORTS = 8080, 100
_EVERYWHERE = ("0.0.0.0", "::", "")


class Page(Protocol):
    """What a visitor sees."""

    def close(self) -> None:
        """The visitor has gone."""


class Viewer:
    """A viewer that is served in the background; made by `view`.

    It is closed by `close`, at the end of a ``with`` block, or with Python. In a notebook it shows itself.

    Attributes
    ----------
    url : str
        The address of the page.
    session : Session or Playback
        What the visitor who came first has, or the one who left last; before anybody has come, what the first one will have.
    sessions : tuple of these
        One for each visitor who is there.
    """

    def __init__(
        self, visitors: Visitors[Any], make_page: Callable[[Any, Any], Page], room: Room, host: str, port: int | None
    ) -> None:
        viser = require("viser", "the viewer")
        if not is_loopback(host):
            warn(
                f"the viewer listens on {host!r}: everybody who can reach this machine there can look at the page, and work "
                "with a session of their own. Leave host out to let only this machine in."
            )
        warnings.filterwarnings("ignore", "Queued a .* on a closed connection")  # of a page that has just vanished
        wanted = free_port(host, port)
        with contextlib.redirect_stdout(io.StringIO()):  # its own words, in place of which Regraft says where the page is
            self._server = viser.ViserServer(host=host, port=wanted, label="Regraft", verbose=False)
        self.host, self.port = host, int(self._server.get_port())
        self._visitors, self._make_page = visitors, make_page
        self._pages: dict[int, Page] = {}
        self._refused: set[int] = set()
        self._lock, self._closed = threading.Lock(), threading.Event()
        if port and self.port != port:
            self.close()
            raise _taken(host, port)
        self._configure(room)
        self._server.on_client_connect(self._come)
        self._server.on_client_disconnect(self._leave)
        atexit.register(self.close)

    def _configure(self, room: Room) -> None:
        server = self._server
        server.request_share_url = lambda *_given, **_named: None  # nothing leaves this machine, whoever asks for it
        server._websock_server.on_client_connect(self._check_origin)
        server.gui.configure_theme(show_logo=False, show_share_button=False, control_width="large")
        server.gui.main_panel.dock_right()
        server.gui.main_panel.set_width(_PANEL)
        server.scene.set_up_direction(tuple(room.up))
        server.scene.world_axes.visible = False
        place, middle = camera_for(room)
        camera = server.initial_camera
        camera.position, camera.look_at, camera.up = tuple(place.translation), tuple(middle), tuple(room.up)
        camera.near, camera.far = 0.002 * room.size, 200.0 * room.size
        camera.fov = 0.9

    async def _check_origin(self, connection: Any) -> None:
        """Turn pages of other addresses away: a browser lets any page of the web talk to a server on its reader's machine."""
        websocket = self._server._websock_server._live_connections[connection.client_id]
        headers = websocket.request.headers
        if not may_connect(headers.get("Origin"), headers.get("Host"), is_loopback(self.host)):
            self._refused.add(connection.client_id)
            await websocket.close(_REFUSED, "a page of another address")

    # --- visitors ------------------------------------------------------------------------------------------------------

    def _come(self, client: Any) -> None:
        with self._lock:
            gone = self._closed.is_set() or client.client_id not in self._server.get_clients()
            if gone or client.client_id in self._refused:
                return
            try:
                self._pages[client.client_id] = self._make_page(client, self._visitors.come(client.client_id))
            except Exception as problem:  # the visitor would wait for a page that never comes
                logger.exception("a page cannot be made")
                client.add_notification("The page cannot be shown", told(problem), color="red")

    def _leave(self, client: Any) -> None:
        with self._lock:
            page = self._pages.pop(client.client_id, None)
            if page is not None:
                page.close()
            self._visitors.leave(client.client_id)
            self._refused.discard(client.client_id)

    @property
    def pages(self) -> tuple[Page, ...]:
        """The pages of all visitors who are there."""
        with self._lock:
            return tuple(self._pages.values())

    @property
    def session(self) -> Any:
        """What the first visitor who is there has; without one, what waits for the next."""
        return self._visitors.all[0]

    @property
    def sessions(self) -> tuple[Any, ...]:
        """What all visitors have who are there; without one, what waits for the next."""
        return self._visitors.all

    # --- the server ----------------------------------------------------------------------------------------------------

    @property
    def url(self) -> str:
        """The address of the page."""
        host = LOOPBACK if self.host in _EVERYWHERE else self.host
        return f"http://[{host}]:{self.port}" if ":" in host else f"http://{host}:{self.port}"

    def wait(self) -> None:
        """Return when the viewer is closed, or with Ctrl-C, which closes it."""
        try:
            while not self._closed.wait(1.0):
                pass
        except KeyboardInterrupt:
            self.close()

    def close(self) -> None:
        """End the pages and the server."""
        if self._closed.is_set():
            return
        self._closed.set()
        atexit.unregister(self.close)
        with self._lock:
            pages, self._pages = list(self._pages.values()), {}
        for page in pages:
            page.close()
        with contextlib.redirect_stdout(io.StringIO()):
            self._server.stop()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_problem: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Viewer: {self.url}" + (", closed" if self._closed.is_set() else "")

    def _repr_html_(self) -> str:
        if self._closed.is_set():
            return "<p>A viewer that is closed.</p>"
        return f'<iframe src="{html.escape(self.url)}" width="100%" height="600" style="border: 1px solid #ccc"></iframe>'


_PANEL = 360  # px
_REFUSED = 4403  # the code with which a connection is closed


def may_connect(origin: str | None, host: str | None, only_local: bool) -> bool:
    """Whether a page of an origin may talk to the server; what is no browser does not say its origin."""
    if origin is None:
        return True
    parts = urlsplit(origin)
    if parts.netloc != host:
        return False
    return not only_local or is_loopback(parts.hostname or "")


def is_loopback(host: str) -> bool:
    """Whether an address is that of this machine, and cannot be reached from others."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def free_port(host: str, port: int | None) -> int:
    """The port, if it is free; without one the first that is, from 8080 on."""
    if port is not None and not 0 <= port < 1 << 16:
        raise RegraftError(f"port must be from 0 to 65535, not {port}.")
    for candidate in (port,) if port is not None else range(FIRST_PORT, FIRST_PORT + _PORTS):
        try:
            _try(host, candidate)
        except PermissionError as problem:
            raise RegraftError(
                f"port {candidate} needs more rights than you have ({problem}); take one from 1024 on."
            ) from problem
        except OSError as problem:
            if _is_taken(problem):
                continue
            raise RegraftError(
                f"cannot listen on host {host!r}: {problem}. Leave host out to listen on this machine."
            ) from problem
        return candidate
    if port is None:
        raise RegraftError(f"no port from {FIRST_PORT} to {FIRST_PORT + _PORTS - 1} is free; give one with port=.")
    raise _taken(host, port)


def _try(host: str, port: int) -> None:
    family, kind, protocol, _, address = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
        0
    ]
    with socket.socket(family, kind, protocol) as tried:
        tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        tried.bind(address)


def _is_taken(problem: OSError) -> bool:
    return problem.errno == errno.EADDRINUSE


def _taken(host: str, port: int) -> RegraftError:
    return RegraftError(
        f"port {port} of {host} is in use, perhaps by another viewer; give another port, or none to have a free one found."
    )
