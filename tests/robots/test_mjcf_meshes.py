"""Meshes in written MJCF files: MuJoCo opens every file that is written, also where packages named the meshes."""

import struct
import warnings

import mujoco
import numpy as np
import pytest

import regraft as rg

TETRAHEDRON = np.array([(0, 0, 0), (0.1, 0, 0), (0, 0.1, 0), (0, 0, 0.1)], float)
FACES = ((0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3))


def binary_stl(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    triangles = b"".join(struct.pack("<12fH", 0, 0, 0, *TETRAHEDRON[list(face)].ravel(), 0) for face in FACES)
    path.write_bytes(b"made by hand".ljust(80) + struct.pack("<I", len(FACES)) + triangles)
    return path


def text_stl(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    corners = ("".join(f"vertex {x} {y} {z}\n" for x, y, z in TETRAHEDRON[list(face)]) for face in FACES)
    facets = "".join(f"facet normal 0 0 0\nouter loop\n{three}endloop\nendfacet\n" for three in corners)
    path.write_text(f"solid hand\n{facets}endsolid hand\n")
    return path


def urdf(path, mesh):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        f"""<robot name="r"><link name="base"><inertial><mass value="1"/>
        <inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
        <visual name="hull"><geometry><mesh filename="{mesh}"/></geometry></visual></link></robot>"""
    )
    return path


def opened(path):
    model = mujoco.MjModel.from_xml_path(str(path))
    return model, [model.geom(number).name for number in range(model.ngeom)]


def test_a_mesh_of_a_package_is_written_with_its_path(tmp_path):
    mesh = binary_stl(tmp_path / "share" / "arm" / "hand.stl")
    read = rg.read(urdf(tmp_path / "robot.urdf", "package://arm/hand.stl"), packages=[tmp_path / "share"])
    assert read.mech.shapes["hull"].form.file == str(mesh)
    (tmp_path / "elsewhere").mkdir()
    read.mech.save(tmp_path / "elsewhere" / "robot.xml")
    model, geoms = opened(tmp_path / "elsewhere" / "robot.xml")
    assert geoms == ["hull"]
    assert model.nmeshvert == 4


def test_a_mesh_beside_the_file_keeps_its_name_there_and_only_there(tmp_path):
    binary_stl(tmp_path / "meshes" / "hand.stl")
    mech = rg.read(urdf(tmp_path / "robot.urdf", "meshes/hand.stl")).mech
    (tmp_path / "elsewhere").mkdir()
    for place, name in ((tmp_path, "meshes/hand.stl"), (tmp_path / "elsewhere", str(tmp_path / "meshes" / "hand.stl"))):
        mech.save(place / "robot.xml")
        assert f'file="{name}"' in (place / "robot.xml").read_text()
        assert opened(place / "robot.xml")[1] == ["hull"]


@pytest.mark.parametrize("name", ["package://arm/gone.stl", "package://arm/hand.dae", "package://arm/text.stl", "hand.dae"])
def test_a_mesh_that_mujoco_cannot_open_is_left_out_and_named(tmp_path, name):
    (text_stl(tmp_path / "arm" / "text.stl").parent / "hand.dae").write_text("<COLLADA/>")
    mech = rg.read(urdf(tmp_path / "robot.urdf", name)).mech
    with pytest.warns(rg.RegraftWarning, match=f"1 shapes whose meshes MuJoCo cannot open .{name.rsplit('/')[-1]}"):
        mech.save(tmp_path / "robot.xml")
    assert opened(tmp_path / "robot.xml")[1] == []


def test_a_mesh_that_is_not_there_keeps_its_name_and_is_told(tmp_path):
    mech = rg.read(urdf(tmp_path / "robot.urdf", "meshes/gone.stl")).mech
    with pytest.warns(rg.RegraftWarning, match=r"names 1 meshes that are not there.*meshes/gone\.stl"):
        mech.save(tmp_path / "robot.xml")
    assert 'file="meshes/gone.stl"' in (tmp_path / "robot.xml").read_text()


def test_a_surface_that_is_not_closed_is_taken_too(tmp_path):
    mesh = binary_stl(tmp_path / "hand.stl")
    mesh.write_bytes(mesh.read_bytes()[:80] + struct.pack("<I", 2) + mesh.read_bytes()[84:184])
    mech = rg.read(urdf(tmp_path / "robot.urdf", "hand.stl")).mech
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mech.save(tmp_path / "robot.xml")
    assert opened(tmp_path / "robot.xml")[1] == ["hull"]


def test_where_a_mesh_was_found_is_neither_compared_nor_written():
    one, other = rg.Mesh("hand.stl", file="/a/hand.stl"), rg.Mesh("hand.stl")
    assert one == other
    assert hash(one) == hash(other)
    mech = rg.Mechanism()
    mech.add_body("palm", rg.Inertia.point(1.0))
    mech.add_joint("base", rg.Fixed(), "world", "palm")
    mech.add_shape("palm", one)
    assert "/a/" not in str(mech.to_dict())
    with pytest.raises(rg.ModelError, match="file must be a text"):
        rg.Mesh("hand.stl", file=3)
