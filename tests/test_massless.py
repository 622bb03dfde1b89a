"""Inertias without mass: what is left of them is a place."""

import pytest

import regraft as rg


def test_two_inertias_without_mass_have_their_middle_in_either_order():
    a, b = rg.Inertia(0.0, (1, 2, 3)), rg.Inertia(0.0, (3, 0, 1))
    for found in (a + b, b + a):
        assert found.mass == 0.0
        assert found.com == pytest.approx([2.0, 1.0, 2.0], abs=0.0)
        assert not found.tensor.any()
