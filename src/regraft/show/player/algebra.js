// Vectors as arrays of three; 4 × 4 matrices by columns, as WebGL has them; places of bodies as 12 numbers, three rows of four.

const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
const subtract = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const scale = (k, a) => [k * a[0], k * a[1], k * a[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const length = (a) => Math.hypot(a[0], a[1], a[2]);
const unit = (a) => scale(1 / (length(a) || 1), a);
const mix = (a, b, share) => add(scale(1 - share, a), scale(share, b));
const clamp = (x, low, high) => Math.min(Math.max(x, low), high);

/** a b. */
function product(a, b) {
  const found = new Float32Array(16);
  for (let c = 0; c < 4; c++)
    for (let r = 0; r < 4; r++)
      for (let k = 0; k < 4; k++) found[4 * c + r] += a[4 * k + r] * b[4 * c + k];
  return found;
}

/** What is seen along −near from an eye, with these directions to the right and up. */
function looking(eye, right, up, near) {
  return new Float32Array([
    right[0], up[0], near[0], 0, right[1], up[1], near[1], 0, right[2], up[2], near[2], 0,
    -dot(right, eye), -dot(up, eye), -dot(near, eye), 1,
  ]);
}

function perspective(tangent, aspect, near, far) {
  const found = new Float32Array(16);
  found[0] = 1 / (tangent * aspect);
  found[5] = 1 / tangent;
  found[10] = (far + near) / (near - far);
  found[11] = -1;
  found[14] = (2 * far * near) / (near - far);
  return found;
}

/** A box about the eye, half so wide and so deep. */
function parallel(half, deep) {
  const found = new Float32Array(16);
  found[0] = found[5] = 1 / half;
  found[10] = -1 / deep;
  found[15] = 1;
  return found;
}

/** Two directions that make a right-handed frame with a third. */
function beside(z) {
  const x = unit(cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [0, 1, 0], z));
  return [x, cross(z, x)];
}

/** A place whose z axis points along a direction, stretched by a factor across and another along. */
function placedAlong(at, direction, across, along) {
  const z = unit(direction);
  const [x, y] = beside(z);
  const found = new Float32Array(12);
  for (let i = 0; i < 3; i++) found.set([across * x[i], across * y[i], along * z[i], at[i]], 4 * i);
  return found;
}

/** Where a point of a body is in the world. */
function applied(places, slot, point) {
  const at = 12 * slot;
  return [0, 4, 8].map((r) => {
    const row = at + r;
    return places[row] * point[0] + places[row + 1] * point[1] + places[row + 2] * point[2] + places[row + 3];
  });
}

/** "#RRGGBB" as numbers from 0 to 1. */
const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16) / 255);
