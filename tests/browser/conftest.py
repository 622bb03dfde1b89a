"""A page in Debian's Chromium, without a screen and without a network; what a page requests elsewhere fails its test."""

from __future__ import annotations

import shutil

import pytest
from elsewhere import is_here

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
PATIENCE = 60_000  # ms: a slow machine draws a first picture after seconds
ARGUMENTS = (
    "--no-sandbox",  # in a container there is none
    "--use-gl=angle",
    "--use-angle=swiftshader",  # pictures in space are drawn by the processor
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE ::1",
)


def pytest_collection_modifyitems(items):
    """Every test of this folder has the mark `browser`."""
    here = str(__file__).rpartition("conftest.py")[0]
    for item in items:
        if str(item.path).startswith(here):
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="module")
def browser():
    """Chromium, for all tests of a file; no longer, because Playwright keeps an event loop in this thread meanwhile."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed: `make test-browser` brings it")
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is None:
        pytest.skip("Chromium is not installed: `make test-browser` brings it")
    with playwright.sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=found, headless=True, args=list(ARGUMENTS))
        yield chromium
        chromium.close()


@pytest.fixture
def new_page(browser):
    """Opens pages, each with visitors' storage of its own; at the end no page may have asked elsewhere or failed."""
    opened, elsewhere, failed = [], [], []

    def new(**options):
        context = browser.new_context(viewport={"width": 960, "height": 640}, **options)
        context.set_default_timeout(PATIENCE)
        opened.append(context)

        def request(route):
            if is_here(route.request.url):
                route.continue_()
            else:
                elsewhere.append(route.request.url)
                route.abort()

        context.route("**/*", request)
        page = context.new_page()
        page.on("websocket", lambda socket: None if is_here(socket.url) else elsewhere.append(socket.url))
        page.on("pageerror", lambda problem: failed.append(str(problem)))
        return page

    yield new
    for context in opened:
        context.close()
    assert elsewhere == []
    assert failed == []


@pytest.fixture
def page(new_page):
    """A page, empty at first."""
    return new_page()
