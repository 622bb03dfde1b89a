// All frames of a film, and where bodies are at any moment.

class Film {
  constructor(told, bytes) {
    this.told = told;
    const table = (name) => tableOf(bytes, told.tables[name]);
    this.bodies = told.bodies.length;
    this.count = told.tables.times.rows;
    this.times = Float64Array.from(table("times"), (n) => told.time.start + n * told.time.step);
    this.start = this.times[0];
    this.end = this.times[this.count - 1];
    this.moves = this.end > this.start;
    this.slack = told.time.step; // to which times of frames are rounded
    this.tracks = this.bodies + (told.place.mass ? 1 : 0);
    this.points = this.unpackPlaces(table("places"));
    this.turns = this.unpackTurns(table("turns"), table("largest"));
    this.curves = told.curves.map((curve, k) => ({
      ...curve,
      values: Float64Array.from(table(`curve${k}`), (n) => curve.start + n * curve.step),
    }));
    this.unpackForces(table);
    this.partOf = new Uint32Array(this.count);
    told.parts.forEach(([, first, count], part) => this.partOf.fill(part, first, first + count));
    this.geometry = this.unpackGeometry(table);
    this.places = new Float32Array(12 * (this.bodies + 1));
    this.places.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0], 12 * this.bodies);
  }

  unpackPlaces(whole) {
    const { start, step } = this.told.place;
    const found = new Float32Array(whole.length);
    for (let i = 0; i < whole.length; i++) found[i] = start[i % 3] + whole[i] * step;
    return found;
  }

  unpackTurns(small, largest) {
    const found = new Float32Array(4 * largest.length);
    for (let i = 0; i < largest.length; i++) unpackTurn(small, 3 * i, largest[i], found, 4 * i);
    return found;
  }

  unpackForces(table) {
    this.forceStarts = new Uint32Array(this.count + 1);
    if (!this.told.forces) return;
    const counts = table("force_counts");
    for (let i = 0; i < this.count; i++) this.forceStarts[i + 1] = this.forceStarts[i] + counts[i];
    this.forceRows = table("force_rows");
  }

  /** Corners, normals and the number of its piece for each corner, and triangles of all pieces one after the other. */
  unpackGeometry(table) {
    const { pieces, tables } = this.told;
    const corners = table("corners");
    const normals = table("normals");
    const faces = table("faces");
    const count = tables.corners.rows;
    const found = {
      corners: new Float32Array(3 * count),
      normals: new Int8Array(4 * count),
      owners: new Uint32Array(count),
      faces: new Uint32Array(faces.length),
      ranges: [],
    };
    const direction = [0, 0, 0];
    let corner = 0;
    let face = 0;
    pieces.forEach(([, , , , , cornersHere, facesHere, low, step], piece) => {
      for (let i = corner; i < corner + cornersHere; i++) {
        for (let k = 0; k < 3; k++) found.corners[3 * i + k] = low[k] + corners[3 * i + k] * step;
        unpackDirection(normals[2 * i], normals[2 * i + 1], direction, 0);
        for (let k = 0; k < 3; k++) found.normals[4 * i + k] = Math.round(127 * direction[k]);
        found.owners[i] = piece;
      }
      for (let i = 3 * face; i < 3 * (face + facesHere); i++) found.faces[i] = faces[i] + corner;
      found.ranges.push([3 * face, 3 * facesHere]);
      corner += cornersHere;
      face += facesHere;
    });
    return found;
  }

  /** The frame at or before a time, the last one where there are two, and the share of the way to the next one. */
  cursorAt(t) {
    let low = 0;
    let high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.times[middle] <= t + this.slack) low = middle;
      else high = middle - 1;
    }
    const next = low + 1;
    if (next >= this.count || this.partOf[next] !== this.partOf[low]) return { frame: low, share: 0 };
    return { frame: low, share: clamp((t - this.times[low]) / (this.times[next] - this.times[low] || 1), 0, 1) };
  }

  structureAt(frame) {
    return this.told.structures[this.told.parts[this.partOf[frame]][0]];
  }

  /** Puts all bodies where they are at a moment; places are 12 numbers for each, the world's the last. */
  moveTo({ frame, share }) {
    const next = Math.min(frame + 1, this.count - 1);
    for (let body = 0; body < this.bodies; body++) this.moveBody(body, frame, next, share);
    return this.places;
  }

  moveBody(body, frame, next, share) {
    const a = 4 * (frame * this.bodies + body);
    const b = 4 * (next * this.bodies + body);
    const q = this.turns;
    const same = q[a] * q[b] + q[a + 1] * q[b + 1] + q[a + 2] * q[b + 2] + q[a + 3] * q[b + 3];
    const back = same < 0 ? -share : share;
    let w = (1 - share) * q[a] + back * q[b];
    let x = (1 - share) * q[a + 1] + back * q[b + 1];
    let y = (1 - share) * q[a + 2] + back * q[b + 2];
    let z = (1 - share) * q[a + 3] + back * q[b + 3];
    const size = 1 / (Math.hypot(w, x, y, z) || 1);
    w *= size; x *= size; y *= size; z *= size;
    const [px, py, pz] = this.trackAt(body, frame, next, share);
    const out = this.places;
    const at = 12 * body;
    out[at] = 1 - 2 * (y * y + z * z); out[at + 1] = 2 * (x * y - w * z); out[at + 2] = 2 * (x * z + w * y); out[at + 3] = px;
    out[at + 4] = 2 * (x * y + w * z); out[at + 5] = 1 - 2 * (x * x + z * z); out[at + 6] = 2 * (y * z - w * x); out[at + 7] = py;
    out[at + 8] = 2 * (x * z - w * y); out[at + 9] = 2 * (y * z + w * x); out[at + 10] = 1 - 2 * (x * x + y * y); out[at + 11] = pz;
  }

  trackAt(track, frame, next, share) {
    const a = 3 * (frame * this.tracks + track);
    const b = 3 * (next * this.tracks + track);
    const p = this.points;
    return [0, 1, 2].map((k) => (1 - share) * p[a + k] + share * p[b + k]);
  }

  /** The centre of mass; null where nothing has a mass. */
  massAt({ frame, share }) {
    if (!this.told.place.mass) return null;
    return this.trackAt(this.bodies, frame, Math.min(frame + 1, this.count - 1), share);
  }

  /** Forces that act at a moment, with their places; one that acts in the next frame too goes there on a straight line. */
  forcesAt({ frame, share }) {
    const found = [];
    if (!this.told.forces) return found;
    const { start, step } = this.told.place;
    const fine = this.told.forces.step;
    const rows = this.forceRows;
    const read = (row) => ({
      which: rows[7 * row],
      at: [0, 1, 2].map((k) => start[k] + rows[7 * row + 1 + k] * step),
      vector: [4, 5, 6].map((k) => rows[7 * row + k] * fine),
    });
    const next = Math.min(frame + 1, this.count - 1);
    let other = this.forceStarts[next];
    for (let row = this.forceStarts[frame]; row < this.forceStarts[frame + 1]; row++) {
      const force = read(row);
      while (other < this.forceStarts[next + 1] && rows[7 * other] < force.which) other++;
      if (share > 0 && other < this.forceStarts[next + 1] && rows[7 * other] === force.which) {
        const later = read(other);
        force.at = mix(force.at, later.at, share);
        force.vector = mix(force.vector, later.vector, share);
      }
      found.push(force);
    }
    return found;
  }

  curveAt(curve, { frame, share }) {
    const next = Math.min(frame + 1, this.count - 1);
    return (1 - share) * curve.values[frame] + share * curve.values[next];
  }
}
