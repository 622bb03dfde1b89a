// Numbers of a film, as packing.py has written them.

const TURN_STEP = Math.SQRT1_2 / 32767;
const OTHERS = [[1, 2, 3], [0, 2, 3], [0, 1, 3], [0, 1, 2]];

/** The bytes of a text in base 64 that was deflated. */
async function inflated(text) {
  const raw = atob(text.trim());
  const bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/** A table of whole numbers, row by row. Its bytes are by planes and columns, signs in the lowest bit, as differences. */
function tableOf(bytes, { at, rows, columns, order, planes }) {
  const count = rows * columns;
  const found = new Int32Array(count);
  for (let c = 0; c < columns; c++) {
    let sum = 0;
    let change = 0;
    for (let r = 0; r < rows; r++) {
      const place = at + c * rows + r;
      let folded = 0;
      for (let k = planes - 1; k >= 0; k--) folded = folded * 256 + bytes[place + k * count];
      let value = folded % 2 ? -(folded + 1) / 2 : folded / 2;
      if (order === 2) value = change += value;
      if (order >= 1) value = sum += value;
      found[r * columns + c] = value;
    }
  }
  return found;
}

/** The quaternion (w, x, y, z) of three small numbers and the place of the one that was left out. */
function unpackTurn(small, at, largest, out, to) {
  const others = OTHERS[largest];
  let rest = 1;
  for (let k = 0; k < 3; k++) {
    const value = small[at + k] * TURN_STEP;
    out[to + others[k]] = value;
    rest -= value * value;
  }
  out[to + largest] = Math.sqrt(Math.max(0, rest));
}

/** A unit vector of its place on an octahedron that is folded flat. */
function unpackDirection(a, b, out, to) {
  let x = a / 127;
  let y = b / 127;
  const z = 1 - Math.abs(x) - Math.abs(y);
  if (z < 0) [x, y] = [(1 - Math.abs(y)) * (x < 0 ? -1 : 1), (1 - Math.abs(x)) * (y < 0 ? -1 : 1)];
  const size = Math.hypot(x, y, z);
  out[to] = x / size;
  out[to + 1] = y / size;
  out[to + 2] = z / size;
}
