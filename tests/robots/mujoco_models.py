"""MuJoCo's own answers about an MJCF file, in Regraft's conventions, and where such files are."""

from __future__ import annotations

import importlib.util
import warnings
from pathlib import Path

import mujoco
import numpy as np

import regraft as rg

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "robots"
MENAGERIE = SHARED / "menagerie"


def folder_of(package: str) -> Path | None:
    """Where a package is installed, without importing it."""
    found = importlib.util.find_spec(package)
    return Path(found.origin).parent if found and found.origin else None


def package_files(package: str, *patterns: str) -> list[Path]:
    """The MJCF files of a package that are whole models; none where it is not installed."""
    folder = folder_of(package)
    found = [] if folder is None else [file for pattern in patterns for file in sorted(folder.glob(pattern))]
    return [file for file in found if file.name not in PARTS]


PARTS = ("materials.xml", "skybox.xml", "visual.xml", "schema.xml")
"""Files that are only ever included by others."""
DM_CONTROL = package_files(
    "dm_control", "suite/*.xml", "locomotion/**/*.xml", "third_party/**/*.xml", "mujoco/testing/assets/*.xml"
)
GYMNASIUM = package_files("gymnasium", "envs/mujoco/assets/*.xml")
MENAGERIE_FILES = sorted(MENAGERIE.glob("*/*.xml"))
FILES = [*MENAGERIE_FILES, *DM_CONTROL, *GYMNASIUM]
UNREADABLE = {
    "dog_v2/scene": "names a texture twice",
    "assets/model_with_assets": "includes a file that is not there",
}
"""Files that MuJoCo itself refuses."""
MESHES_ARE_ELSEWHERE = ("build_fruitfly/floor", "build_fruitfly/fruitfly", "assets/drosophila")
"""Files whose bodies get their mass from meshes that their package does not have."""


def plain(mech: rg.Mechanism, *settings: str, loops: bool = True, couplings: bool = True) -> rg.Mechanism:
    """A mechanism without some settings of its joints, and without loops or couplings where they are not wanted."""
    data = mech.to_dict()
    for joint in data["joints"]:
        for setting in settings:
            joint["joint"].pop(setting, None)
    if not loops:
        data["joints"] = [joint for joint in data["joints"] if joint["name"] not in mech.loop_joints]
    if not (loops and couplings):
        data["couplings"] = []
    return rg.Mechanism.from_dict(data)


class Peer:
    """A file compiled by MuJoCo alone, and what it answers where contacts, limits and dry friction are off.

    Meshes that are not there are small tetrahedra, with all of their mass gone: what the reader says that it does too.
    """

    def __init__(self, file: Path, *, passive: bool = True, equalities: bool = False) -> None:
        spec = mujoco.MjSpec.from_file(str(file))
        for mesh in spec.meshes:
            if mesh.file and not (file.parent / spec.meshdir / mesh.file).is_file():
                mesh.name = mesh.name or Path(mesh.file).stem
                mesh.file = ""
                mesh.uservert = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]
                mesh.userface = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3]
                for geom in spec.geoms:
                    if geom.meshname == mesh.name:
                        geom.mass = 0.0
        for texture in spec.textures:
            texture.file, texture.builtin, texture.width, texture.height = "", mujoco.mjtBuiltin.mjBUILTIN_FLAT, 1, 6
            texture.cubefiles = [""] * len(texture.cubefiles)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of attributes that MuJoCo is about to give up
            self.model = model = spec.compile()
        off = mujoco.mjtDisableBit
        flags = [off.mjDSBL_CONTACT, off.mjDSBL_LIMIT, off.mjDSBL_FRICTIONLOSS, off.mjDSBL_ACTUATION]
        flags += [] if equalities else [off.mjDSBL_EQUALITY]
        for flag in flags:
            model.opt.disableflags |= int(flag)
        model.opt.density = model.opt.viscosity = 0.0  # fluids are findings
        model.body_gravcomp[:] = 0.0
        self._straight()
        if not passive:
            model.jnt_stiffness[:] = 0.0
            model.dof_armature[:] = 0.0
        self.data = mujoco.MjData(model)
        mujoco.mj_setConst(model, self.data)  # what MuJoCo computes in advance from the numbers that were changed

    def _straight(self) -> None:
        """Leave out what the reader reports as left out: tendons' forces, and what is not linear."""
        model = self.model
        for table in ("stiffness", "damping", "armature", "stiffnesspoly", "dampingpoly"):
            if hasattr(model, f"tendon_{table}"):
                getattr(model, f"tendon_{table}")[:] = 0.0
        for table in ("jnt_stiffnesspoly", "dof_dampingpoly"):
            if hasattr(model, table):
                getattr(model, table)[:] = 0.0

    def random(self, seed: int) -> tuple[np.ndarray, np.ndarray]:
        """A position and a velocity."""
        rng, model = np.random.default_rng(seed), self.model
        qpos, qvel = np.array(model.qpos0), rng.normal(size=model.nv)
        mujoco.mj_integratePos(model, qpos, rng.normal(size=model.nv), 0.5)
        return qpos, qvel

    def set(self, qpos: np.ndarray, qvel: np.ndarray, tau: np.ndarray | None = None) -> None:
        self.data.qpos[:], self.data.qvel[:] = qpos, qvel
        self.data.qfrc_applied[:] = 0.0 if tau is None else tau
        mujoco.mj_forward(self.model, self.data)

    def free_joints(self) -> list[tuple[int, int]]:
        """(first of qpos, first of qvel) of each free joint."""
        kinds = self.model.jnt_type
        return [(self.model.jnt_qposadr[j], self.model.jnt_dofadr[j]) for j in range(self.model.njnt) if kinds[j] == 0]

    def turns(self, qpos: np.ndarray) -> np.ndarray:
        """T with v_mujoco = T v: the linear velocity of a free joint is in the world's axes there, in the body's here."""
        T = np.eye(self.model.nv)
        for q, v in self.free_joints():
            turn = np.zeros(9)
            mujoco.mju_quat2Mat(turn, qpos[q + 3 : q + 7])
            T[v : v + 3, v : v + 3] = turn.reshape(3, 3)
        return T

    def drift(self, qpos: np.ndarray, qvel: np.ndarray) -> np.ndarray:
        """Ṫ v: d/dt (R u) = R (u̇ + ω × u)."""
        found, T = np.zeros(self.model.nv), self.turns(qpos)
        v_here = T.T @ qvel
        for _, v in self.free_joints():
            found[v : v + 3] = T[v : v + 3, v : v + 3] @ np.cross(v_here[v + 3 : v + 6], v_here[v : v + 3])
        return found

    def state(self, mech: rg.Mechanism, qpos: np.ndarray, qvel: np.ndarray) -> rg.State:
        """The same numbers as a state: q is qpos."""
        return mech.state(qpos, self.turns(qpos).T @ qvel)

    def mass_matrix(self) -> np.ndarray:
        """In Regraft's velocities."""
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        T = self.turns(self.data.qpos)
        return T.T @ M @ T

    def raw_mass_matrix(self) -> np.ndarray:
        M = np.zeros((self.model.nv, self.model.nv))
        mujoco.mj_fullM(self.model, self.data, M)
        return M

    def bias_force(self) -> np.ndarray:
        """Tᵀ (c + M Ṫ v), where c has what springs and dampers do against the motion."""
        T = self.turns(self.data.qpos)
        c = self.data.qfrc_bias - self.data.qfrc_passive
        return T.T @ (c + self.raw_mass_matrix() @ self.drift(self.data.qpos, self.data.qvel))

    def acceleration(self) -> np.ndarray:
        """v̇ in Regraft's velocities."""
        T = self.turns(self.data.qpos)
        return T.T @ (self.data.qacc - self.drift(self.data.qpos, self.data.qvel))
