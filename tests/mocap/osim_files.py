"""Small OpenSim models, written in the way of version 3 or of version 4 from the same description."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Part:
    """A body and the joint that it hangs on."""

    body: str
    parent: str
    kind: str = "PinJoint"
    joint: str = ""
    coordinates: tuple[str, ...] = ()
    axes: str = ""
    at: str = "0 0 0"
    turned: str = "0 0 0"
    own_at: str = "0 0 0"
    own_turned: str = "0 0 0"
    mass: float = 1.0
    com: str = "0 -0.5 0"
    inertia: str = "0.1 0.05 0.09 0 0 0"
    about: str = ""
    """What else is said of each coordinate."""

    def __post_init__(self):
        self.joint = self.joint or f"{self.body}_joint"


@dataclass
class Model:
    parts: list[Part]
    markers: list[tuple[str, str, str]] = field(default_factory=list)
    more: str = ""
    gravity: str = "0 -9.80665 0"

    def old(self) -> str:
        bodies = "".join(_old_body(part) for part in self.parts)
        markers = "".join(f'<Marker name="{n}"><body>{b}</body><location>{p}</location></Marker>' for n, b, p in self.markers)
        ground = (
            '<Body name="ground"><mass>0</mass><mass_center>0 0 0</mass_center>'
            "<inertia_xx>0</inertia_xx><inertia_yy>0</inertia_yy><inertia_zz>0</inertia_zz>"
            "<inertia_xy>0</inertia_xy><inertia_xz>0</inertia_xz><inertia_yz>0</inertia_yz><Joint/></Body>"
        )
        return self._document("30000", f"<BodySet><objects>{ground}{bodies}</objects></BodySet>", markers)

    def new(self) -> str:
        bodies = "".join(_new_body(part) for part in self.parts)
        joints = "".join(_new_joint(part) for part in self.parts)
        markers = "".join(
            f'<Marker name="{n}"><socket_parent_frame>{_path(b)}</socket_parent_frame><location>{p}</location></Marker>'
            for n, b, p in self.markers
        )
        sets = f"<BodySet><objects>{bodies}</objects></BodySet><JointSet><objects>{joints}</objects></JointSet>"
        return self._document("40000", f'<Ground name="ground"/>{sets}', markers)

    def _document(self, version: str, sets: str, markers: str) -> str:
        return (
            f'<?xml version="1.0" encoding="UTF-8"?>\n<OpenSimDocument Version="{version}">\n<Model name="small">'
            f"<gravity>{self.gravity}</gravity>{sets}"
            f"<MarkerSet><objects>{markers}</objects></MarkerSet>{self.more}</Model>\n</OpenSimDocument>\n"
        )


def axis(name: str, direction: str, coordinate: str = "", function: str = "<Constant><value>0</value></Constant>") -> str:
    """A <TransformAxis>, as both versions understand it."""
    return (
        f'<TransformAxis name="{name}"><coordinates>{coordinate}</coordinates><axis>{direction}</axis>'
        f"<function>{function}</function></TransformAxis>"
    )


def linear(slope: float = 1.0, offset: float = 0.0) -> str:
    return f"<LinearFunction><coefficients>{slope} {offset}</coefficients></LinearFunction>"


def constant(value: float) -> str:
    return f"<Constant><value>{value}</value></Constant>"


def spline(x: str, y: str, kind: str = "SimmSpline", more: str = "") -> str:
    return f"<{kind}>{more}<x>{x}</x><y>{y}</y></{kind}>"


def scaled(scale: float, function: str) -> str:
    return f"<MultiplierFunction><function>{function}</function><scale>{scale}</scale></MultiplierFunction>"


def _coordinates(part: Part) -> str:
    return "".join(f'<Coordinate name="{name}">{part.about}</Coordinate>' for name in part.coordinates)


def _transform(part: Part) -> str:
    return f"<SpatialTransform>{part.axes}</SpatialTransform>" if part.axes else ""


def _old_body(part: Part) -> str:
    names = ("xx", "yy", "zz", "xy", "xz", "yz")
    tensor = "".join(f"<inertia_{n}>{x}</inertia_{n}>" for n, x in zip(names, part.inertia.split(), strict=True))
    return (
        f'<Body name="{part.body}"><mass>{part.mass}</mass><mass_center>{part.com}</mass_center>{tensor}'
        f'<Joint><{part.kind} name="{part.joint}"><parent_body>{part.parent}</parent_body>'
        f"<location_in_parent>{part.at}</location_in_parent><orientation_in_parent>{part.turned}</orientation_in_parent>"
        f"<location>{part.own_at}</location><orientation>{part.own_turned}</orientation>"
        f"<CoordinateSet><objects>{_coordinates(part)}</objects></CoordinateSet>{_transform(part)}</{part.kind}></Joint></Body>"
    )


def _new_body(part: Part) -> str:
    return (
        f'<Body name="{part.body}"><mass>{part.mass}</mass><mass_center>{part.com}</mass_center>'
        f"<inertia>{part.inertia}</inertia></Body>"
    )


def _path(body: str) -> str:
    return "/ground" if body == "ground" else f"/bodyset/{body}"


def _frame(name: str, body: str, at: str, turned: str) -> str:
    return (
        f'<PhysicalOffsetFrame name="{name}"><socket_parent>{_path(body)}</socket_parent>'
        f"<translation>{at}</translation><orientation>{turned}</orientation></PhysicalOffsetFrame>"
    )


def _new_joint(part: Part) -> str:
    parent, child = f"{part.parent}_offset", f"{part.body}_offset"
    frames = _frame(parent, part.parent, part.at, part.turned) + _frame(child, part.body, part.own_at, part.own_turned)
    return (
        f'<{part.kind} name="{part.joint}"><socket_parent_frame>{parent}</socket_parent_frame>'
        f"<socket_child_frame>{child}</socket_child_frame><coordinates>{_coordinates(part)}</coordinates>"
        f"<frames>{frames}</frames>{_transform(part)}"
        f"</{part.kind}>"
    )
