"""The classical method of Runge and Kutta. Fourth order, four evaluations a step."""

from .contract import Integrator

RK4 = Integrator(
    "rk4",
    order=4,
    stages=((), (1 / 2,), (0.0, 1 / 2), (0.0, 0.0, 1.0), (1 / 6, 1 / 3, 1 / 3, 1 / 6)),
    times=(0.0, 1 / 2, 1 / 2, 1.0, 1.0),
)
