"""The complementarity problem of contact with friction, against its laws."""

from __future__ import annotations

import numpy as np
import pytest
from contact_problems import random_problem

from regraft.kernels.contacts.problem import SOLVED

LAW = 1e-9  # ten times what the solver takes for feasible


@pytest.mark.parametrize("planar", [False, True])
@pytest.mark.parametrize("n", [1, 2, 3, 5, 8, 12])
def test_random_problems_obey_the_laws(n, planar):
    rng = np.random.default_rng(100 * n + planar)
    for _ in range(60):
        problem = random_problem(rng, n, planar=planar, freedoms=int(rng.integers(3, 3 * n + 4))).solve()
        assert problem.status == SOLVED
        assert problem.violation() < LAW
