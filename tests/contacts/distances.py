"""Distances by brute force: the least of a function of parameters, by a grid and then by a search from its best points."""

from __future__ import annotations

from itertools import product

import numpy as np
from scipy.optimize import minimize

import regraft as rg


def least(function, bounds, grid=9):
    """The least value of a function of parameters within bounds."""
    if not bounds:
        return function(np.zeros(0))
    axes = [np.linspace(low, high, grid) for low, high in bounds]
    starts = sorted((np.array(at) for at in product(*axes)), key=function)[:4]
    found = [function(starts[0])]  # a search within bounds may end higher than it began
    for start in starts:
        at = start
        for _ in range(2):  # the second search goes on where rounding in differences ended the first
            at = minimize(function, at, method="Powell", bounds=bounds, options={"xtol": 1e-10, "ftol": 1e-15}).x
        found.append(function(at))
    return min(found)


def core(form):
    """(points(u), bounds of u, radius): a form as all that is within a radius of points."""
    if form is None:
        return (lambda _: np.zeros(3)), [], 0.0
    if isinstance(form, rg.Sphere):
        return (lambda _: np.zeros(3)), [], form.radius
    if isinstance(form, rg.Capsule):
        start, end = np.array(form.start), np.array(form.end)
        return (lambda u: start + u[0] * (end - start)), [(0.0, 1.0)], form.radius
    if isinstance(form, rg.Box):
        half = 0.5 * np.array(form.size)
        return (lambda u: half * u), [(-1.0, 1.0)] * 3, 0.0
    if isinstance(form, rg.Cylinder):
        return _cylinder(form), [(0.0, 1.0), (-np.pi, np.pi), (-1.0, 1.0)], 0.0
    if isinstance(form, rg.Ellipsoid):
        radii = np.array(form.radii)
        return (lambda u: radii * _ball(u)), [(0.0, np.pi), (-np.pi, np.pi)], 0.0
    if isinstance(form, rg.Surface):
        return (lambda u: np.array([u[0], u[1], form.function(u[0], u[1])[0]])), [(-3.0, 3.0)] * 2, 0.0
    raise AssertionError(form)


def _cylinder(form):
    return lambda u: np.array([u[0] * form.radius * np.cos(u[1]), u[0] * form.radius * np.sin(u[1]), 0.5 * form.length * u[2]])


def _ball(u):
    return np.array([np.sin(u[0]) * np.cos(u[1]), np.sin(u[0]) * np.sin(u[1]), np.cos(u[0])])


def height_over_plane(form, pose, plane):
    """How far the lowest point of a form is above the plane z = 0 of a pose."""
    points, bounds, radius = core(form)
    to_plane = plane.inverse() @ pose
    return least(lambda u: to_plane.apply(points(u))[2], bounds) - radius


def distance(form_a, pose_a, form_b, pose_b):
    """Between two forms that are apart."""
    (a, bounds_a, radius_a), (b, bounds_b, radius_b) = core(form_a), core(form_b)
    k = len(bounds_a)

    def apart(u):
        return float(np.linalg.norm(pose_a.apply(a(u[:k])) - pose_b.apply(b(u[k:]))))

    return least(apart, [*bounds_a, *bounds_b], 9 if k + len(bounds_b) <= 3 else 5) - radius_a - radius_b


def distance_to_profile(form, pose, corners, far=50.0):
    """Between a form above a profile (x, z), whose ends go on, and the profile; in its own frame."""
    points, bounds, radius = core(form)
    line = np.array(corners, float)
    first, last = line[0] - line[1], line[-1] - line[-2]
    line = np.vstack((line[0] + far * first / np.linalg.norm(first), line, line[-1] + far * last / np.linalg.norm(last)))

    def apart(u):
        c = pose.apply(points(u))[[0, 2]]
        starts, ways = line[:-1], np.diff(line, axis=0)
        s = np.clip(np.einsum("ij,ij->i", c - starts, ways) / np.einsum("ij,ij->i", ways, ways), 0.0, 1.0)
        return float(np.linalg.norm(c - starts - s[:, None] * ways, axis=1).min())

    return least(apart, bounds, 201) - radius
