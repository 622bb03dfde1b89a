"""Pages that play motions, read back: what is told in them, and the numbers of their frames."""

from __future__ import annotations

import json
import re

import numpy as np

import regraft as rg
from regraft.show.packing import turned, unpacked

FILM = re.compile(r'<script type="application/json" id="film">(.*?)</script>', re.DOTALL)
NUMBERS = re.compile(r'<script type="text/plain" id="numbers">(.*?)</script>', re.DOTALL)


def read_back(text):
    """The header of a page, and its tables."""
    header = json.loads(FILM.search(text)[1])
    return header, unpacked(header["tables"], NUMBERS.search(text)[1])


def frames_of(header, tables):
    """Times (n,), places (n, bodies, 3) and quaternions (n, bodies, 4) of a page's frames."""
    count, bodies = len(tables["times"]), len(header["bodies"])
    times = header["time"]["start"] + tables["times"][:, 0] * header["time"]["step"]
    places = header["place"]["start"] + tables["places"].reshape(count, -1, 3) * header["place"]["step"]
    return times, places[:, :bodies], turned(tables["turns"].reshape(count, bodies, 3), tables["largest"])


def let_go():
    """Two rods on a hinge, the lower of which is let go after half a second: two structures."""
    mech = rg.Mechanism()
    for name in ("upper", "lower"):
        mech.add_body(name, rg.Inertia.cylinder(1.0, 0.04, (0, 0, 0), (0, 0, -0.5)))
    mech.add_joint("shoulder", rg.Revolute((0, 1, 0)), "world", "upper", rg.Pose(translation=(0, 0, 2)))
    mech.add_joint("elbow", rg.Revolute((0, 1, 0)), "upper", "lower", rg.Pose(translation=(0, 0, -0.5)))
    mech.add_spring("rope", "upper", (0, 0, -0.5), "world", (0.5, 0, 2.5), stiffness=5.0)
    cut = rg.at_time(0.5, lambda mech, state: rg.cut(mech, state, "elbow"), name="elbow lets go")
    return rg.simulate(mech, mech.state(q={"shoulder": 1.0}), 1.0, events=[cut, rg.at_time(0.8, name="later")])


def balls(count, **settings):
    """So many balls that fly and spin, each on its own."""
    mech = rg.Mechanism(**settings)
    for k in range(count):
        mech.add_body(f"ball {k}", rg.Inertia.box(1.0, (0.1, 0.2, 0.3)))
        mech.add_joint(f"free {k}", rg.Free(), "world", f"ball {k}", rg.Pose(translation=(0.5 * (k % 20), 0.5 * (k // 20), 1)))
    spins = np.random.default_rng(3).normal(size=(count, 6))
    return mech, mech.state(v={f"free {k}": spin for k, spin in enumerate(spins)})
