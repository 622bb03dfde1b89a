"""What the tests of pages rely on: that pictures in space can be drawn, and that a request to elsewhere is seen."""

from __future__ import annotations

import pytest
from elsewhere import is_here
from pictures import changed, seen

DRAWS = """<canvas width="64" height="64"></canvas><script>
const gl = document.querySelector("canvas").getContext("webgl2", { preserveDrawingBuffer: true });
gl.clearColor(1, 0, 0, 1);
gl.clear(gl.COLOR_BUFFER_BIT);
</script>"""


def test_pictures_in_space_are_drawn(page):
    page.set_content("<canvas width='64' height='64'></canvas>")
    before = seen(page.locator("canvas"))
    page.set_content(DRAWS)
    after = seen(page.locator("canvas"))
    assert after[12, 12].tolist() == [255.0, 0.0, 0.0]
    assert changed(before, after) == 255.0


@pytest.mark.parametrize(
    ("url", "here"),
    [
        ("file:///walk.html", True),
        ("data:text/plain,a", True),
        ("blob:null/1", True),
        ("http://127.0.0.1:8080/a", True),
        ("ws://localhost:8080/", True),
        ("http://[::1]:9/", True),
        ("https://example.org/", False),
        ("http://10.0.0.1/", False),
        ("http://127.0.0.1.example.org/", False),
    ],
)
def test_what_leaves_this_machine_is_told_from_what_does_not(url, here):
    assert is_here(url) is here
