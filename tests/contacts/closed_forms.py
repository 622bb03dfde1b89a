"""What is known of bodies that touch: closed forms, each from first principles, and integrals where there is no closed form."""

from __future__ import annotations

import math

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.optimize import brentq
from scipy.special import ellipk

G = 9.81

# --- a bouncing ball --------------------------------------------------------------------------------------------------


def first_touch(drop):
    return math.sqrt(2 * drop / G)


def end_of_bouncing(drop, e):
    """t₁ + 2 t₁ (e + e² + …)"""
    return first_touch(drop) * (1 + e) / (1 - e)


def bouncing(drop, e, t):
    """(bounces, height, velocity) at a time before the end: flight n takes 2 t₁ eⁿ."""
    t1 = first_touch(drop)
    if t < t1:
        return 0, drop - G * t**2 / 2, -G * t
    bounces, since, up = 1, t - t1, G * t1 * e
    while since > 2 * up / G:
        bounces, since, up = bounces + 1, since - 2 * up / G, up * e
    return bounces, up * since - G * since**2 / 2, up - G * since


# --- sliding ----------------------------------------------------------------------------------------------------------


def uphill(angle, mu, speed):
    """(t, distance) where a block that slides uphill comes to a halt."""
    slows = G * (math.sin(angle) + mu * math.cos(angle))
    return speed / slows, speed**2 / (2 * slows)


def downhill(angle, mu, distance):
    """(t, speed) of a block that slides downhill from rest."""
    pull = G * (math.sin(angle) - mu * math.cos(angle))
    return math.sqrt(2 * distance / pull), math.sqrt(2 * distance * pull)


def rubbing_stop(x, v, friction=1.0):
    """(x, t) where a mass with m = k = 1 and dry friction stops for good: half circles about ∓friction in the phase plane."""
    centre = -math.copysign(friction, v)
    t = math.atan2(v * math.copysign(1, x - centre), abs(x - centre))
    x = centre + math.copysign(math.hypot(x - centre, v), x - centre)
    while abs(x) > friction:
        x, t = 2 * math.copysign(friction, x) - x, t + math.pi
    return x, t


def stick_slip_cycle(k=10.0, belt=0.2, static=0.5, kinetic=0.3):
    """(period, slip time, least x, greatest x) of 1 kg on a spring and a belt.

    In the phase plane (x − centre, v/ω) it leaves the belt's line at (d, b/ω) and turns clockwise about the centre until it meets
    that line again, at (−d, b/ω): all of the circle but the arc above the line.
    """
    omega, centre = math.sqrt(k), kinetic * G / k
    d, b = static * G / k - centre, belt / omega
    slip = (2 * math.pi - 2 * math.atan2(d, b)) / omega
    radius = math.hypot(d, b)
    return 2 * d / belt + slip, slip, centre - radius, centre + radius


# --- rolling ----------------------------------------------------------------------------------------------------------


def rolls_from(slip, mu, inertia=0.4):
    """When a ball that slips at this speed begins to roll: friction changes the slip by µg (1 + 1/k), k = I/(m r²)."""
    return slip / (mu * G * (1 + 1 / inertia))


def ball_after_touch(drop, spin, mu, radius):
    """(velocity, spin) of a spinning ball after a plastic impact in which it slips all the while."""
    impulse = mu * math.sqrt(2 * G * drop)
    return impulse, spin - 2.5 * impulse / radius


def on_turntable(rate, start, velocity, t):
    """Where a ball is that rolls on a turntable: its velocity turns at 2/7 of the rate."""
    turn = 2 * rate / 7
    z, w = complex(*start), complex(*velocity)
    found = z + w * (np.exp(1j * turn * t) - 1) / (1j * turn)
    return float(found.real), float(found.imag)


def bowl_period(inner, radius, amplitude):
    """Of a ball that rolls in a hollow sphere: a pendulum of the length 7 (R − r) / 5."""
    return 4 * math.sqrt(7 * (inner - radius) / (5 * G)) * float(ellipk(math.sin(amplitude / 2) ** 2))


def disc_lean(lean, spin, radius, t):
    """The lean of an upright disc that rolls straight ahead at first: 5/4 δ̈ + 3 ω² (δ − δ₀) − (g/r) δ = 0, for small δ."""
    stiff, square = 3 * spin**2, (12 * spin**2 - 4 * G / radius) / 5
    mean = stiff * lean / (stiff - G / radius)
    rate = np.sqrt(complex(square))
    return float((mean + (lean - mean) * np.cos(rate * t)).real)


def rolling_disc(tilt, tilt_rate, precession, spin, radius, t):
    """(tilt, precession rate, spin) later, by Euler's equations of a thin disc that rolls (m r² = 1: A = 1/4, C = 1/2).

    Axes: e₁ level along the disc, e₂ up in its plane, e₃ its axis; the tilt is the angle between e₃ and the vertical.
    """

    def rates(_t, y):
        th, dth, p, w = y[:4]  # p = φ̇ sin th
        turn = p / math.sin(th)
        force = 0.25 * p * turn * math.cos(th) - 1.5 * w * p - G / radius * math.cos(th)
        return [dth, force / 1.25, 2 * w * dth - turn * math.cos(th) * dth, p * dth / 1.5]

    start = [tilt, tilt_rate, precession * math.sin(tilt), spin]
    y = solve_ivp(rates, (0, t), start, rtol=1e-12, atol=1e-14, method="DOP853").y[:, -1]
    return y[0], y[2] / math.sin(y[0]), y[3]


# --- rods -------------------------------------------------------------------------------------------------------------


def pencil_rate(tilt, length=1.0):
    """How fast a rod falls that was upright and stands on its fixed tip."""
    return math.sqrt(3 * G * (1 - math.cos(tilt)) / length)


def pencil_forces(tilt):
    """(friction along x, normal force) on the tip of such a rod of 1 kg, which leans towards +x."""
    c, s = math.cos(tilt), math.sin(tilt)
    return 0.75 * G * s * (3 * c - 2), 0.25 * G * (3 * c - 1) ** 2


MOST_NEEDED = 15 * math.sqrt(10) / 128, math.acos(9 / 11)
"""The largest ratio of friction to normal force before it turns, and the tilt where it is."""


def pencil_slips_at(mu):
    """The tilt at which a pencil slips: backwards below `MOST_NEEDED`, forwards from there on."""
    ratio = lambda tilt: np.divide(*pencil_forces(tilt))  # noqa: E731
    if mu < MOST_NEEDED[0]:
        return brentq(lambda tilt: ratio(tilt) - mu, 1e-6, MOST_NEEDED[1], xtol=1e-15)
    return brentq(lambda tilt: ratio(tilt) + mu, math.acos(2 / 3), math.acos(1 / 3) - 1e-9, xtol=1e-15)


def painleve_friction(angle):
    """From which µ on a sliding rod at this angle from the ground may have no acceleration, or several."""
    return (1 + 3 * math.cos(angle) ** 2) / (3 * math.sin(angle) * math.cos(angle))


def painleve_angles(mu):
    """Between which angles that is so: 3µ tan θ = 4 + tan² θ, as 1/cos² = 1 + tan²."""
    root = math.sqrt(9 * mu**2 - 16)
    return math.atan((3 * mu - root) / 2), math.atan((3 * mu + root) / 2)


# --- wheels and blocks ------------------------------------------------------------------------------------------------


def wheel_kept(spokes=8, inertia=0.0):
    """The part of its rate that a rimless wheel keeps when a spoke lands."""
    return (inertia + math.cos(2 * math.pi / spokes)) / (inertia + 1)


def wheel_rate(slope=0.08, spokes=8, inertia=0.0):
    """The rate after each landing of the steady motion: ω² = η² (ω² + 4 g sin α sin γ / (1 + I))."""
    kept, gain = wheel_kept(spokes, inertia), 4 * G * math.sin(math.pi / spokes) * math.sin(slope) / (1 + inertia)
    return kept * math.sqrt(gain / (1 - kept**2))


def wheel_period(slope=0.08, spokes=8, inertia=0.0):
    """How long a spoke stands: from α − γ before the vertical to α + γ after it."""
    alpha, start, pull = math.pi / spokes, wheel_rate(slope, spokes, inertia), 2 * G / (1 + inertia)
    first = math.cos(alpha - slope)
    rate = lambda angle: math.sqrt(start**2 + pull * (first - math.cos(angle)))  # noqa: E731
    return quad(lambda angle: 1 / rate(angle), slope - alpha, slope + alpha, epsabs=1e-14, epsrel=1e-13)[0]


def least_slope(spokes=8, inertia=0.0):
    """On which the steady motion just gets over the top."""
    alpha = math.pi / spokes
    spare = lambda slope: wheel_rate(slope, spokes, inertia) ** 2 - 2 * G / (1 + inertia) * (1 - math.cos(alpha - slope))  # noqa: E731
    return brentq(spare, 1e-3, 0.3, xtol=1e-16)


def rocking(angle, width, height, impacts):
    """Times of the first impacts of a rocking block that starts at rest at an angle, and how far it rises after each.

    Housner: (4/3) R² θ̈ = −g R sin(α − θ), and an impact keeps 1 − (3/2) sin² α of the rate.
    """
    R, alpha = math.hypot(width, height) / 2, math.atan2(width, height)
    kept, p2 = 1 - 1.5 * math.sin(alpha) ** 2, 3 * G / (4 * R)
    times, rises, t = [], [], 0.0
    for n in range(impacts):
        quarter = fall_time(angle, alpha, p2)
        t += quarter if n == 0 else 2 * quarter
        times.append(t)
        angle = _risen(kept**2 * _rise(angle, alpha), alpha)
        rises.append(angle)
    return np.array(times), np.array(rises)


def _rise(angle, alpha):
    """cos(α − θ) − cos α, as a product that keeps its digits: so much higher, in units of R, is the middle of the block."""
    return 2 * math.sin(alpha - angle / 2) * math.sin(angle / 2)


def _risen(rise, alpha):
    """The angle at which it is so much higher, by Newton's method."""
    angle = rise / math.sin(alpha)
    for _ in range(50):
        angle -= (_rise(angle, alpha) - rise) / math.sin(alpha - angle)
    return angle


def fall_time(angle, alpha, p2):
    """From rest at an angle to flat; with θ = angle (1 − u²) the integrand has no pole."""

    def integrand(u):
        theta = angle * (1 - u * u)
        # cos(α − θ) − cos(α − angle), likewise
        lost = 2 * math.sin((2 * alpha - theta - angle) / 2) * math.sin((angle - theta) / 2)
        return (
            2 * angle * u / math.sqrt(abs(2 * p2 * lost))
            if u
            else 2 * angle / math.sqrt(2 * p2 * angle * math.sin(alpha - angle))
        )

    return quad(integrand, 0, 1, epsabs=1e-15, epsrel=1e-13)[0]
