"""XML files as trees: document types in any encoding, lines, and elements as they are written."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import regraft as rg
from regraft.errors import FileError
from regraft.files.formats.inertias import _impossible, _surely_possible
from regraft.xml_tree import NodeError, _plain_spans, _spans, parse_tree, text_in
from robots.example_robots import FILES, label
from robots.small_robots import ARM, written

BOMB = '<!DOCTYPE r [<!ENTITY a "aa">]><robot name="r">&a;</robot>'
KEPT = """<robot name="r">
  <!-- <gazebo>not this one</gazebo> -->
  <link name="a"><gazebo note="in a link"/></link>
  <gazebo><a x="1>2"/><!-- </gazebo> --><![CDATA[</gazebo>]]>é</gazebo>
  <gazebo a='">"'/>
  <gazebo><gazebo>inner</gazebo></gazebo >
  <gazebo-like>b</gazebo-like>
</robot>"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_a_document_type_is_refused_in_any_encoding(encoding):
    """Without a mark at its beginning too, by which UTF-16 is known otherwise."""
    with pytest.raises(FileError, match="DOCTYPE"):
        parse_tree(BOMB.encode(encoding), "r.urdf", "a robot")


def test_elements_are_as_they_are_written():
    tree = parse_tree(KEPT.encode(), "r.urdf", "a robot")
    kept = [child for child in tree.root if child.tag != "link"]
    assert tree.sources(kept) == [
        '<gazebo><a x="1>2"/><!-- </gazebo> --><![CDATA[</gazebo>]]>é</gazebo>',
        '<gazebo a="&quot;&gt;&quot;"/>',
        "<gazebo><gazebo>inner</gazebo></gazebo >",
        "<gazebo-like>b</gazebo-like>",
    ]
    assert [tree.line(child) for child in tree.root] == [3, 4, 5, 6, 7]
    assert text_in(kept[0]) == "</gazebo>é"


@pytest.mark.parametrize("file", FILES, ids=label)
def test_both_ways_to_find_elements_as_they_are_written_agree(file):
    tree = parse_tree(file.read_bytes(), str(file), "a robot")
    for tag in {child.tag for child in tree.root}:
        plain = _plain_spans(tree.data, tree.root, tag)
        if plain is not None:
            found = _spans(tree.data, tree.root, {tag})
            assert plain == {node: span for node, span in found.items() if node in plain}
            assert all(found_too in plain for found_too in found)


@pytest.mark.parametrize("inner", ["", "<!-- <a> -->", "<!-- </a> -->", "<b/>", "<a/>", "text", "<![CDATA[</a>]]>", "<?a </a>?>"])
@pytest.mark.parametrize("more", ["", "<a/>", "<ab>c</ab>", "<!-- <a></a> -->", "<b><a>d</a></b>", "<a x='/>'/>", "<a ></a >"])
def test_elements_are_found_whatever_is_in_them_and_beside(inner, more):
    for text in (f"<r>{more}<a x='1'>{inner}</a>{more}<a>e</a></r>", f"<r><a>e</a><a x='1'>{inner}</a></r>"):
        tree = parse_tree(text.encode(), "r.urdf", "a robot")
        nodes = [child for child in tree.root if child.tag == "a"]
        which = next(index for index, node in enumerate(nodes) if node.get("x") == "1")
        assert tree.sources(nodes)[which] == f"<a x='1'>{inner}</a>"
        assert "<a>e</a>" in tree.sources(nodes)


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
def test_lines_are_told_whatever_ends_them(ends):
    tree = parse_tree(ends.join(["<robot>", "<a/>", "<b/>", "</robot>"]).encode(), "r.urdf", "a robot")
    with pytest.raises(FileError, match=r"r\.urdf, line 3: wrong"), tree.telling_lines():
        raise NodeError(tree.root[1], "wrong")


def test_what_is_not_known_in_a_link_keeps_its_text(tmp_path):
    file = tmp_path / "r.urdf"
    file.write_text('<robot name="r"><link name="a"><note>kept &amp; told</note></link></robot>')
    assert rg.read(file).mech.extras["urdf"]["links"] == {"a": ["<note>kept &amp; told</note>"]}


def test_reading_leaves_nothing_for_the_garbage_collector(tmp_path):
    """Elements that refer to one another would stay until it comes, and it would come for them again and again."""
    file = written(tmp_path, ARM)
    rg.read(file)
    gc.collect()
    was = gc.isenabled()
    gc.disable()
    try:
        rg.read(file)
        assert gc.collect() == 0
    finally:
        if was:
            gc.enable()


def test_inertias_that_are_surely_possible_are_so():
    """Random tensors near the bounds: what is accepted without its principal moments is accepted by them."""
    rng = np.random.default_rng(0)
    turns = np.linalg.qr(rng.normal(size=(20_000, 3, 3)))[0]
    spread = rng.uniform(-0.05, 1.0, (20_000, 3)) * 10.0 ** rng.uniform(-8, 4, (20_000, 1))
    moments = spread.sum(axis=1, keepdims=True) - spread
    tensors = turns * moments[:, None, :] @ turns.transpose(0, 2, 1)
    tensors = 0.5 * (tensors + tensors.transpose(0, 2, 1))
    masses = np.where(rng.random(20_000) < 0.1, 0.0, 1.0)
    sure, impossible = _surely_possible(masses, tensors), _impossible(masses, tensors, np.linalg.eigvalsh(tensors))
    assert not (sure & impossible).any()
    assert 0.5 < sure.mean() < 0.95
    assert impossible.any()


@pytest.mark.parametrize("file", FILES[:3], ids=label)
def test_the_lines_of_robots_are_those_of_their_links(file):
    tree = parse_tree(file.read_bytes(), str(file), "a robot")
    lines = file.read_text().splitlines()
    for link in tree.root.iter("link"):
        assert "<link" in lines[tree.line(link) - 1]
