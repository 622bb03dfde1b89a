"""Where the viewer listens, who may connect, what it says where it cannot, and that nothing leaves this machine."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest
from visitor import Visitor, until

import regraft as rg
from regraft.viewer import opening
from regraft.viewer.server import free_port, is_loopback, may_connect
from regraft.viewer.visitors import WAITS, Visitors

PENDULUM = rg.models.pendulum()


@pytest.fixture
def viewer():
    with rg.view(PENDULUM, browser=False) as made:
        yield made


def test_it_listens_on_this_machine_alone(viewer):
    assert viewer.url == f"http://127.0.0.1:{viewer.port}"
    with socket.create_connection(("127.0.0.1", viewer.port), 5):
        pass
    with socket.socket() as other:
        other.bind(("127.0.0.2", viewer.port))  # free, so nobody listens on all addresses


def test_other_hosts_are_warned_of():
    with (
        pytest.warns(rg.RegraftWarning, match="everybody who can reach this machine"),
        rg.view(PENDULUM, host="0.0.0.0", browser=False) as viewer,
    ):
        assert viewer.url == f"http://127.0.0.1:{viewer.port}"


def test_a_port_that_is_taken_is_an_error_that_says_so(viewer):
    with pytest.raises(rg.RegraftError, match=rf"port {viewer.port} of 127.0.0.1 is in use"):
        rg.view(PENDULUM, port=viewer.port, browser=False)
    with rg.view(PENDULUM, browser=False) as second:  # without one, another is found
        assert second.port != viewer.port


@pytest.mark.parametrize(
    ("host", "port", "why"),
    [
        ("127.0.0.1", 70000, "from 0 to 65535"),
        ("203.0.113.7", 8123, "cannot listen on host"),
        ("no.such.host.", 1, "no.such.host"),
    ],
)
def test_what_cannot_be_listened_on_is_an_error(host, port, why):
    with pytest.raises(rg.RegraftError, match=why):
        free_port(host, port)


def test_a_port_is_free_again_when_the_viewer_is_closed(viewer):
    port = viewer.port
    viewer.close()
    viewer.close()
    assert "closed" in repr(viewer)
    with rg.view(PENDULUM, port=port, browser=False) as again:
        assert again.port == port


@pytest.mark.parametrize(
    ("origin", "host", "only_local", "may"),
    [
        (None, "127.0.0.1:8080", True, True),
        ("http://127.0.0.1:8080", "127.0.0.1:8080", True, True),
        ("http://localhost:8080", "localhost:8080", True, True),
        ("https://example.org", "127.0.0.1:8080", True, False),
        ("http://example.org:8080", "example.org:8080", True, False),  # a name that somebody has made to mean this machine
        ("http://example.org:8080", "example.org:8080", False, True),
        ("http://127.0.0.1:3000", "127.0.0.1:8080", True, False),
        ("null", "127.0.0.1:8080", True, False),
    ],
)
def test_which_pages_may_connect(origin, host, only_local, may):
    assert may_connect(origin, host, only_local) is may


def test_a_page_of_another_address_is_turned_away(viewer):
    with Visitor(viewer, origin=viewer.url) as own:
        own.element("Play")
    until(lambda: not viewer.pages)
    with Visitor(viewer, origin="https://example.org") as stranger:
        until(lambda: stranger.ended is not None)
        assert stranger.ended.code == 4403
        assert not stranger.gui
    assert not viewer.pages


def test_nobody_can_have_the_page_shared(viewer):
    with Visitor(viewer) as visitor:
        visitor.element("Play")
        visitor.send(type="ShareUrlRequest")
        visitor.put("Run", "Step")
        until(lambda: viewer.session.t > 0.0)
        assert viewer._server._share_tunnel is None


def test_loopback_addresses():
    assert all(map(is_loopback, ("127.0.0.1", "localhost", "::1", "127.9.9.9")))
    assert not any(map(is_loopback, ("0.0.0.0", "10.0.0.1", "example.org", "::")))


def test_a_notebook_shows_the_page(viewer):
    assert f'<iframe src="{viewer.url}"' in viewer._repr_html_()
    viewer.close()
    assert "closed" in viewer._repr_html_()


def test_wait_ends_when_it_is_closed_or_interrupted(viewer, monkeypatch):
    def interrupted(_seconds):
        raise KeyboardInterrupt

    monkeypatch.setattr(viewer._closed, "wait", interrupted)
    viewer.wait()
    assert viewer._closed.is_set()


def test_a_browser_is_opened_where_there_is_a_display(monkeypatch):
    opened = []
    monkeypatch.setattr(opening.webbrowser, "open", lambda url: opened.append(url) or True)
    monkeypatch.setenv("DISPLAY", ":0")
    with rg.view(PENDULUM) as viewer:
        assert opened == [viewer.url]
    with rg.view(PENDULUM, browser=False):
        assert len(opened) == 1
    if sys.platform == "linux":
        monkeypatch.delenv("DISPLAY")
        monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
        with rg.view(PENDULUM):
            assert len(opened) == 1
        assert opening.open_browser("http://127.0.0.1") is False


def test_without_viser_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "viser", None)
    with pytest.raises(rg.MissingPackageError, match=r"pip install 'regraft\[viewer\]'"):
        rg.view(PENDULUM)


def test_what_cannot_be_shown_says_what_can():
    mech, state = PENDULUM.start
    for what, why in ((state, r"view\(\(mech, state\)\)"), (3, "a int cannot be shown"), ((mech,), "tuple")):
        with pytest.raises(rg.ModelError, match=why):
            rg.view(what, browser=False)
    traj = rg.simulate(mech, state, 0.1)
    with pytest.raises(rg.ModelError, match="torque= is for mechanisms that run"):
        rg.view(traj, torque=None, browser=False)


def test_importing_regraft_does_not_import_the_viewer():
    code = (
        "import sys, regraft;"
        "assert not {'viser', 'regraft.viewer', 'regraft.show', 'websockets'} & set(sys.modules);"
        "assert callable(regraft.view) and 'viser' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_what_waits_for_a_visitor():
    now, made = [0.0], iter(range(1, 9))
    visitors = Visitors(lambda: next(made), 0, clock=lambda: now[0])
    assert visitors.all == (0,)
    now[0] = 10 * WAITS
    assert visitors.come(7) == 0  # the first waits as long as it takes
    assert visitors.come(8) == 1
    assert visitors.all == (0, 1)
    visitors.leave(7)
    visitors.leave(8)
    visitors.leave(9)
    assert visitors.all == (1,)
    now[0] += 0.5 * WAITS
    assert visitors.come(10) == 1
    visitors.leave(10)
    now[0] += 2 * WAITS
    assert visitors.come(11) == 2
