"""The same models in OpenSim itself: `pip install opensim`."""

import importlib
from pathlib import Path

import numpy as np
import pytest

import regraft as rg
from mocap.osim_files import Model, Part, axis, constant, linear, scaled, spline
from mocap.test_opensim_motion import generalised, inverse_dynamics, pushes_of
from regraft.mocap.formats.osim import read_osim

pytestmark = pytest.mark.slow
BOUND = 1e-9  # of the largest number
STATES = 8
ROOT = Path(__file__).parents[2]

KNEE = (
    axis("rotation1", "0 0 1", "knee", linear())
    + axis("rotation2", "0 1 0", "knee", "<PolynomialFunction><coefficients>0.3 -0.1 0.02</coefficients></PolynomialFunction>")
    + axis("rotation3", "1 0 0", "", constant(0.1))
    + axis("translation1", "1 0 0", "knee", scaled(1.2, spline("-2 -1 -0.4 0.1 1", "-0.003 0.004 0.002 -0.005 0.001")))
    + axis(
        "translation2",
        "0 1 0",
        "knee",
        spline(
            "-2 -1 0 0.5 1 2",
            "-0.4 -0.39 -0.41 -0.38 -0.4 -0.41",
            "GCVSpline",
            "<half_order>3</half_order><error_variance>0</error_variance>",
        ),
    )
    + axis("translation3", "0 0 1", "", constant(0.02))
)
# A constant between two rotations is left out here: OpenSim's velocities then contradict its own poses.
MIXED = (
    axis("rotation1", "0 0 2", "a", linear(1.0, 0.3))
    + axis("rotation2", "0.1 1 0", "b", linear(-1.0))
    + axis("rotation3", "1 0 0", "", constant(0.4))
    + axis("translation1", "3 0 0", "c", linear(1.0, 0.1))
    + axis("translation2", "0 1 0", "a", spline("-2 -1 0 1", "0 0.1 0.3 0.1", "SimmSpline"))
    + axis("translation3", "0 0 1", "d", linear(0.5))
)
AT = {"at": "0.1 -0.9 0.05", "turned": "0.2 -0.3 0.4", "own_at": "0.02 0.1 -0.03", "own_turned": "-0.5 0.1 0.3"}
SMALL = {
    "pin and slider": Model(
        [Part("one", "ground", "PinJoint", coordinates=("a",), **AT), Part("two", "one", "SliderJoint", coordinates=("b",), **AT)]
    ),
    "gimbal and universal": Model(
        [
            Part("one", "ground", "GimbalJoint", coordinates=("a", "b", "c"), **AT),
            Part("two", "one", "UniversalJoint", coordinates=("d", "e"), **AT),
        ]
    ),
    "planar and weld": Model(
        [
            Part("one", "ground", "PlanarJoint", coordinates=("a", "b", "c"), **AT),
            Part("two", "one", "WeldJoint", **AT),
            Part("three", "two", "PinJoint", coordinates=("d",), **AT),
        ]
    ),
    "knee": Model(
        [
            Part("thigh", "ground", "GimbalJoint", coordinates=("a", "b", "c"), **AT),
            Part("shank", "thigh", "CustomJoint", coordinates=("knee",), axes=KNEE, **AT),
        ]
    ),
    "mixed": Model(
        [
            Part("one", "ground", "CustomJoint", coordinates=("a", "b", "c", "d"), axes=MIXED, **AT),
            Part("two", "one", "PinJoint", coordinates=("e",), **AT),
        ]
    ),
}


@pytest.fixture(scope="module")
def opensim():
    found = pytest.importorskip("opensim", reason="needs OpenSim: pip install opensim")
    found.Logger.removeFileSink()  # or it would leave opensim.log wherever one is
    found.Logger.setLevelString("error")
    return found


class Oracle:
    """A model in OpenSim without its muscles; numbers are in the order of the coordinates given."""

    def __init__(self, opensim, path, names):
        self.opensim, self.model = opensim, opensim.Model(str(path))
        self.model.updForceSet().clearAndDestroy()
        self.model.updControllerSet().clearAndDestroy()
        self.state = self.model.initSystem()
        self.coordinates = [self.model.getCoordinateSet().get(name) for name in names]
        for own in self.coordinates:
            own.setLocked(self.state, False)
        self.where = [self._index(own) for own in self.coordinates]

    def _index(self, own):
        own.setSpeedValue(self.state, 1.0)
        index = int(np.argmax(self.state.getU().to_numpy()))
        own.setSpeedValue(self.state, 0.0)
        return index

    def put(self, q, v):
        for own, x, rate in zip(self.coordinates, q, v, strict=True):
            own.setValue(self.state, float(x), False)
            own.setSpeedValue(self.state, float(rate))
        self.model.realizeDynamics(self.state)

    def inverse_dynamics(self, a):
        given = self.opensim.Vector(len(self.where), 0.0)
        for place, x in zip(self.where, a, strict=True):
            given[place] = float(x)
        solver = self.opensim.InverseDynamicsSolver(self.model)
        return solver.solve(self.state, given).to_numpy()[self.where]

    def position(self, body):
        return self.model.getBodySet().get(body).getPositionInGround(self.state).to_numpy()

    def marker(self, name):
        return self.model.getMarkerSet().get(name).getLocationInGround(self.state).to_numpy()

    def motions(self):
        return [{1: "rotation", 2: "translation", 3: "coupled"}[own.getMotionType()] for own in self.coordinates]


def compare(opensim, path, reach=0.8):
    model = read_osim(path)
    mech, names = model.mech, list(model.coordinates)
    oracle = Oracle(opensim, path, names)
    assert [own.motion for own in model.coordinates.values()] == oracle.motions()
    rng = np.random.default_rng(1)
    for _ in range(STATES):
        q, v, a = reach * rng.standard_normal((3, mech.nv))
        state = mech.state(q=q, v=v)
        oracle.put(q, v)
        poses = rg.body_poses(mech, state)
        for body in set(mech.bodies) & {
            oracle.model.getBodySet().get(i).getName() for i in range(oracle.model.getBodySet().getSize())
        }:
            assert poses[body].translation == pytest.approx(model.up.apply(oracle.position(body)), abs=1e-12)
        for marker, frame in model.markers.items():
            assert rg.frame_position(mech, state, frame) == pytest.approx(model.up.apply(oracle.marker(marker)), abs=1e-12)
        zero = np.zeros(mech.nv)
        bias = oracle.inverse_dynamics(zero)
        assert rg.bias_force(mech, state) == pytest.approx(bias, abs=BOUND * abs(bias).max())
        wanted = oracle.inverse_dynamics(a)
        assert rg.inverse_dynamics(mech, state, a) == pytest.approx(wanted, abs=BOUND * abs(wanted).max())
        matrix = np.array([oracle.inverse_dynamics(row) - bias for row in np.eye(mech.nv)])
        assert rg.mass_matrix(mech, state) == pytest.approx(matrix, abs=BOUND * max(abs(matrix).max(), abs(bias).max()))


@pytest.mark.parametrize("version", ["old", "new"])
@pytest.mark.parametrize("name", SMALL)
def test_small_models(opensim, tmp_path, name, version):
    path = tmp_path / "model.osim"
    path.write_text(getattr(SMALL[name], version)())
    compare(opensim, path)


@pytest.mark.parametrize("kind", ["BallJoint", "FreeJoint"])
def test_poses_of_joints_whose_speeds_are_no_rates(opensim, tmp_path, kind):
    names = tuple("abcdef"[: 3 if kind == "BallJoint" else 6])
    path = tmp_path / "model.osim"
    path.write_text(Model([Part("one", "ground", kind, coordinates=names, **AT)], markers=[("m", "one", "0.1 0.2 0.3")]).new())
    model = read_osim(path)
    oracle = Oracle(opensim, path, list(model.coordinates))
    q = np.random.default_rng(4).uniform(-1.0, 1.0, len(names))
    oracle.put(q, 0.0 * q)
    state = model.mech.state(q=q)
    assert rg.frame_position(model.mech, state, "m") == pytest.approx(model.up.apply(oracle.marker("m")), abs=1e-12)
    assert any("angular velocity" in note for note in model.notes)


@pytest.mark.parametrize("name", ["arm26/arm26.osim", "gait10dof18musc/subject01.osim", "gait2354/subject01_simbody.osim"])
def test_real_models(opensim, shared_data, name):
    compare(opensim, shared_data(f"mocap/{name}"))


@pytest.fixture
def tool(monkeypatch):
    """OpenSim's inverse dynamics tool, as the benchmark sets it up."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    return importlib.import_module("opensim_tool")


@pytest.mark.usefixtures("opensim")
def test_a_walk_in_three_dimensions(tool, shared_data, tmp_path):
    """gait2354 has no result of OpenSim beside it, so OpenSim computes one."""
    folder = "mocap/gait2354"
    files = [
        shared_data(f"{folder}/{name}")
        for name in ("subject01_simbody.osim", "subject01_walk1_ik.mot", "subject01_walk1_grf.xml")
    ]
    walk = rg.mocap.motion(files[0], files[1], cutoff=tool.CUTOFF)
    moving = [name for name, where in walk.mech.layout.v_slices.items() if where.stop > where.start]
    theirs, forces = tool.inverse_dynamics_tool(*files, tmp_path)
    assert theirs.run()
    t, wanted = generalised(forces, moving)
    assert t == pytest.approx(walk.t, abs=1e-4)
    external, _ = rg.mocap.read_external_loads(files[2])
    found = inverse_dynamics(walk.mech, walk.q, walk.v, walk.a, pushes_of(walk.mech, external, walk.t))
    errors = found - wanted
    print({name: f"rms {np.sqrt((e**2).mean()):.4f}, most {abs(e).max():.4f}" for name, e in zip(moving, errors.T, strict=True)})
    assert np.sqrt((errors**2).mean(axis=0)).max() < 0.05
