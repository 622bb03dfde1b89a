"""Margins of contact forces: their sign tells whether modes can go on, and their zero where they end."""

from __future__ import annotations

import numpy as np
import pytest
from contact_entries import margins_of_modes
from contact_problems import Problem, box_on_ground, random_problem

from regraft.kernels.contacts.problem import BOX, CONE, OPEN, SLIDE, STICK


def margins(problem, modes):
    problem.modes = np.asarray(modes, np.int64)
    out = np.empty(len(problem.kinds))
    least, residual, free = margins_of_modes(
        problem.A, problem.b, problem.kinds, problem.mu_s, problem.mu_k, problem.modes, problem.directions, problem.lam, out,
        problem.scratch,
    )  # fmt: skip
    return least, out, residual, free


@pytest.mark.parametrize("beyond", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_box_leaves_rest_where_its_load_crosses_its_edge(beyond):
    inside, _, _, free = margins(box_on_ground(load=(0.5 - beyond, 0.29)), [STICK] * 4)
    outside, _, _, _ = margins(box_on_ground(load=(0.5 + beyond, 0.29)), [STICK] * 4)
    assert free == 6
    assert inside > 0.0 > outside
    # the margin is that of two corners that share what the edge leaves them: 10 N · beyond / 1 m, half each
    np.testing.assert_allclose([inside, -outside], 5.0 * beyond * 0.7 / np.hypot(1, 0.7), rtol=1e-3 + 1e-12 / beyond)


@pytest.mark.parametrize("beyond", [1e-3, 1e-6, 1e-9, 1e-11])
def test_a_box_begins_to_slip_where_the_push_crosses_friction(beyond):
    assert margins(box_on_ground(push=7.0 - beyond), [STICK] * 4)[0] > 0.0
    assert margins(box_on_ground(push=7.0 + beyond), [STICK] * 4)[0] < 0.0


def test_forces_with_the_largest_margin_still_hold():
    problem = box_on_ground(load=(0.35, 0.25))
    least, each, residual, _ = margins(problem, [STICK] * 4)
    assert residual < 1e-13
    assert np.abs(problem.w).max() < 1e-12
    assert each.min() == least > 0.0


def test_the_margin_agrees_with_the_search_for_rest():
    rng = np.random.default_rng(7)
    signs = set()
    for _ in range(150):
        problem = random_problem(rng, 4, freedoms=int(rng.integers(3, 12)))
        least, _, _, _ = margins(problem, [STICK] * 4)
        problem.modes[:] = OPEN
        problem.solve()
        if abs(least) > 1e-8:
            assert (least > 0.0) == (problem.modes == STICK).all()
            signs.add(least > 0.0)
    assert signs == {True, False}


def test_margins_of_single_items():
    A = np.eye(8)
    b = [-3.0, 1.0, 0.0, -2.0, 0.4, 0.0, 0.7, 5.0]
    problem = Problem(A, b, [CONE, CONE, BOX, BOX], [0.5, 0.3, 1.0, 1.0], [0.5, 0.3, 1.0, 1.0])
    least, each, _, free = margins(problem, [STICK, SLIDE, STICK, SLIDE])
    np.testing.assert_allclose(each, [(1.5 - 1.0) / np.hypot(1, 0.5), 2.0, 0.3, np.inf], rtol=1e-14)
    assert least == each.min()
    assert free == 0
