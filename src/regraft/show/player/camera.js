// From where it is seen: a camera that turns about a place, comes nearer and goes aside, by mouse and by touch.

const TANGENT = Math.tan((14 * Math.PI) / 180); // of half of the angle that is seen, up and down
const MARGIN = 0.86; // of the picture is filled at first
const LOWER = 0.07; // of half of the picture: all is so far below its middle, so that captions have room

class Camera {
  constructor(told) {
    const u = told.room.upright;
    this.upright = [u.slice(0, 3), u.slice(3, 6), u.slice(6, 9)];
    this.told = told;
    this.reset();
  }

  reset() {
    this.azimuth = (this.told.azimuth * Math.PI) / 180;
    this.elevation = (this.told.elevation * Math.PI) / 180;
    this.zoom = 1;
    this.aside = [0, 0, 0];
  }

  /** A direction of upright axes in the world. */
  world(v) {
    const u = this.upright;
    return [0, 1, 2].map((k) => u[0][k] * v[0] + u[1][k] * v[1] + u[2][k] * v[2]);
  }

  /** To the right, up and towards the camera; as it is, or for angles in degrees. */
  axes(azimuth, elevation) {
    const [a, e] = azimuth === undefined ? [this.azimuth, this.elevation] : [azimuth, elevation].map((x) => (x * Math.PI) / 180);
    const right = this.world([Math.cos(a), Math.sin(a), 0]);
    const near = this.world([Math.sin(a) * Math.cos(e), -Math.cos(a) * Math.cos(e), Math.sin(e)]);
    return { right, near, up: cross(near, right) };
  }

  /** Goes so far away, and so far aside, that all points are seen from the first direction: points are from a place. */
  fit(points, aspect) {
    const { right, up, near } = this.axes(this.told.azimuth, this.told.elevation);
    const between = (direction, slope) => {
      let [high, low] = [-Infinity, Infinity];
      for (const point of points) {
        const [x, z] = [dot(point, direction), dot(point, near)];
        high = Math.max(high, x + slope * z);
        low = Math.min(low, x - slope * z);
      }
      return { away: (high - low) / (2 * slope), aside: (high + low) / 2 };
    };
    const [wide, tall] = [between(right, TANGENT * aspect * MARGIN), between(up, TANGENT * MARGIN)];
    this.base = Math.max(wide.away, tall.away, 1e-9);
    this.offset = add(scale(wide.aside, right), scale(tall.aside + LOWER * TANGENT * this.base, up));
  }

  /** What is seen about a place. */
  seen(place, size, aspect) {
    const { right, up, near } = this.axes();
    const target = add(add(place, this.offset), this.aside);
    const distance = Math.max(this.base * this.zoom, 1e-6 * size);
    const eye = add(target, scale(distance, near));
    const [close, far] = [Math.max(0.02 * distance, distance - 6 * size), distance + 60 * size];
    const matrix = product(perspective(TANGENT, aspect, close, far), looking(eye, right, up, near));
    this.distance = distance;
    return { seen: matrix, eye, target, distance };
  }

  turn(dx, dy) {
    this.azimuth -= dx * 0.008;
    this.elevation = clamp(this.elevation + dy * 0.008, -Math.PI / 2, Math.PI / 2);
  }

  move(dx, dy, high) {
    const { right, up } = this.axes();
    const each = (2 * TANGENT * this.distance) / high;
    this.aside = add(this.aside, add(scale(-dx * each, right), scale(dy * each, up)));
  }

  come(factor) {
    this.zoom = clamp(this.zoom * factor, 0.02, 20);
  }
}

/** Lets a camera be moved on a canvas; in a page within another one the wheel scrolls that page until the canvas was clicked. */
function handle(canvas, camera, changed) {
  const inside = window.self !== window.top;
  const fingers = new Map();
  let between = null;
  if (inside) canvas.classList.add("inside");
  const middle = () => {
    const [a, b] = [...fingers.values()];
    return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2, apart: Math.hypot(a.x - b.x, a.y - b.y) };
  };
  canvas.addEventListener("pointerdown", (event) => {
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    between = fingers.size === 2 ? middle() : null;
  });
  canvas.addEventListener("pointermove", (event) => {
    const last = fingers.get(event.pointerId);
    if (!last) return;
    const [dx, dy] = [event.clientX - last.x, event.clientY - last.y];
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) {
      const now = middle();
      if (between) {
        camera.move(now.x - between.x, now.y - between.y, canvas.clientHeight);
        camera.come(between.apart / (now.apart || 1));
      }
      between = now;
    } else if (event.buttons & 6 || event.shiftKey) camera.move(dx, dy, canvas.clientHeight);
    else camera.turn(dx, dy);
    changed();
  });
  for (const name of ["pointerup", "pointercancel"])
    canvas.addEventListener(name, (event) => {
      fingers.delete(event.pointerId);
      between = null;
    });
  canvas.addEventListener("wheel", (event) => {
    if (inside && document.activeElement !== canvas && !event.ctrlKey) return;
    event.preventDefault();
    camera.come(Math.exp(clamp(event.deltaY * (event.deltaMode ? 16 : 1), -120, 120) * 0.0016));
    changed();
  }, { passive: false });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => {
    camera.reset();
    changed();
  });
}
