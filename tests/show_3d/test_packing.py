"""Numbers of pages: what is written is read back, to the step that is stated."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from regraft.show.packing import TURN_STEP, Table, directions, packed, quaternions, rounded, turned, turns, unpacked

DRAWN = np.random.default_rng(1)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_tables_come_back_whatever_their_numbers_are(order):
    tables = {
        "small": Table(DRAWN.integers(-3, 4, (50, 7)), order),
        "large": Table(DRAWN.integers(-(2**30) + 1, 2**30, (20, 3)), 0),
        "smooth": Table(rounded(np.sin(np.linspace(0, 9, 400))[:, None] * 1e6, 1.0), order),
        "none": Table(np.zeros((0, 4), np.int64), order),
        "one": Table(np.array([[-1]]), order),
    }
    found = unpacked(*packed(tables))
    assert found.keys() == tables.keys()
    for name, table in tables.items():
        assert np.array_equal(found[name], table.values), name


def test_what_does_not_fit_is_an_error():
    with pytest.raises(ValueError, match="do not fit in 31 bits"):
        packed({"a": Table(np.array([[2**30]]))})


def test_smooth_numbers_take_little_room():
    smooth = rounded(np.sin(np.linspace(0, 9, 4000))[:, None], 1e-5)
    _, text = packed({"a": Table(smooth, 2)})
    assert len(text) < 2.0 * len(smooth)


def test_turns_come_back_to_a_ten_thousandth_of_a_radian():
    """Also half turns, and those with two numbers that are equally large."""
    special = [np.eye(3), *(Rotation.from_rotvec(np.pi * axis).as_matrix() for axis in np.eye(3))]
    special += [Rotation.from_quat(q).as_matrix() for q in ((1, 1, 0, 0), (0, 1, -1, 0), (1, 1, 1, 1), (1, -1, 1, -1))]
    rotations = np.concatenate([special, Rotation.random(5000, random_state=2).as_matrix()])
    small, largest = turns(rotations)
    assert np.abs(small).max() <= 32767
    found = Rotation.from_quat(turned(small, largest)[:, [1, 2, 3, 0]])
    angles = (found.inv() * Rotation.from_matrix(rotations)).magnitude()
    assert 0.2 * TURN_STEP < angles.max() < 1e-4
    assert np.linalg.norm(quaternions(rotations), axis=1) == pytest.approx(np.ones(len(rotations)))


def test_directions_are_right_to_a_degree():
    normals = np.concatenate([np.eye(3), -np.eye(3), DRAWN.normal(size=(2000, 3))])
    normals /= np.linalg.norm(normals, axis=1, keepdims=True)
    flat = directions(normals) / 127.0
    x, y = flat.T
    z = 1.0 - np.abs(x) - np.abs(y)
    below = z < 0.0
    x, y = (
        np.where(below, (1 - np.abs(y)) * np.where(x < 0, -1, 1), x),
        np.where(below, (1 - np.abs(x)) * np.where(y < 0, -1, 1), y),
    )
    found = np.stack((x, y, z), axis=1) / np.linalg.norm((x, y, z), axis=0)[:, None]
    assert np.einsum("ij,ij->i", found, normals).min() > np.cos(np.radians(1.0))
