"""Maps whose bifurcations are known in closed form, as families of fixed points and as motions with events."""

import numpy as np

import regraft as rg
from regraft.gait.curves import Control, Image, Measure, Pace, first_point
from regraft.gait.following import Track, follow

STEP = 1e-30


class Maps:
    """x → f(x, p) on ℝⁿ, differentiated by complex steps."""

    def __init__(self, f):
        self.f, self.evaluations = f, 0

    def image(self, x, p, pace):  # noqa: ARG002
        self.evaluations += 1
        return Image(x, p, self.f(x, p) - x, Pace(1.0, 1.0), None)

    def derivatives(self, image):
        columns = [np.imag(self.f(image.x + 1j * STEP * unit, image.p)) / STEP for unit in np.eye(len(image.x))]
        return np.array(columns).T, np.imag(self.f(image.x.astype(complex), image.p + 1j * STEP)) / STEP

    def check(self, image):
        pass

    def moved(self, x, step):
        return x + step

    def apart(self, end, start):
        return end - start


def control(span, first=0.02, largest=0.1, least=1e-6):
    return Control(Measure(1.0, span), first, largest, least, 1e-10)


def track_of(f, x, p, bounds, towards=1.0, most=200, steps=None):
    """The curve of fixed points through x, as a track, and its bifurcations as pairs."""
    family = Maps(f)
    settings = control(bounds[1] - bounds[0]) if steps is None else steps
    x = np.array(x, float)
    for _ in range(50):
        image = family.image(x, p, None)
        x = x + np.linalg.solve(np.eye(len(x)) - family.derivatives(image)[0], image.change)
    track = Track(settings.first)
    track.add(first_point(family, family.image(x, p, None), settings, towards))
    follow(family, track, bounds, settings, most, lambda track: None)  # noqa: ARG005
    return track


def bifurcations(track):
    return [(kind, point.p) for kind, point in zip(track.kinds, track.points, strict=True) if kind]


def henon(x, a, b=0.3):
    """Fold at a = −(1 − b)²/4, flip at 3 (1 − b)²/4."""
    return np.array([1.0 - a * x[0] ** 2 + x[1], b * x[0]])


def delayed_logistic(x, a):
    """Neimark–Sacker at a = 2, with the multipliers exp(±iπ/3)."""
    return np.array([a * x[0] * (1.0 - x[1]), x[0]])


def sampled_pd(x, k, d):
    """A unit mass under sampled proportional and derivative control: flip at k = 4 − 2 d, Neimark–Sacker at d = 0."""
    v = x[1] - k * x[0] - d * x[1]
    return np.array([x[0] + v, v])


def as_motion(f, x):
    """A function that builds, for a parameter, carts that roll freely and whose velocities a map changes once in a second.

    Another cart, with the speed 1, tells the time.
    """

    def model_of(p):
        mech = rg.Mechanism((0.0, 0.0, 0.0))
        for name in ("clock", *(f"cart {k}" for k in range(len(x)))):
            mech.add_body(name, rg.Inertia.sphere(1.0, 0.1))
            mech.add_joint(f"rail of {name}", rg.Prismatic((1, 0, 0)), "world", name)

        def change(mech, state):
            return mech, mech.state(v=[1.0, *f(state.v[1:], p)])

        return mech, mech.state(v=[1.0, *x]), rg.when_joint("rail of clock", 1.0, change, direction=1)

    return model_of
