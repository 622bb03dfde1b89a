// Draws one moment of a film in space: shadows first, then floor, bodies, what can be seen through, and signs over all of it.

const SLOW = drawsSlowly();
const CONTEXT = { antialias: !SLOW, alpha: false };
const SHADOW_SIZE = SLOW ? 1024 : 2048;
const SIGNS = ["joint", "tree", "frame", "gravity"];
const THEMES = {
  light: { above: "#E9EEF4", below: "#FCFCFB", floor: "#F1EFEA", line: "#B4AFA5", ink: "#222222", shade: 0.34, dark: 0 },
  dark: { above: "#12161B", below: "#20262D", floor: "#262C33", line: "#5A636E", ink: "#DDE3EA", shade: 0.85, dark: 1 },
};
const INK = "#222222"; // of signs in the light; what is of this colour is of another one in the dark

/** Whether pictures are drawn by the processor, as in machines without graphics; then edges are rougher, and it stays fluent. */
function drawsSlowly() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const told = gl?.getExtension("WEBGL_debug_renderer_info");
  const name = told ? String(gl.getParameter(told.UNMASKED_RENDERER_WEBGL)) : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

class Painter {
  constructor(canvas, film) {
    const gl = canvas.getContext("webgl2", CONTEXT);
    Object.assign(this, { gl, canvas, film });
    this.surface = this.program(SURFACE_VERTEX, SURFACE_FRAGMENT);
    this.shadow = this.program(SURFACE_VERTEX, SHADOW_FRAGMENT);
    this.pick = this.program(SURFACE_VERTEX, PICK_FRAGMENT);
    this.floor = this.program(FLOOR_VERTEX, FLOOR_FRAGMENT);
    this.sky = this.program(SKY_VERTEX, SKY_FRAGMENT);
    this.bodies = this.upload(film.geometry);
    this.nothing = gl.createVertexArray();
    this.poses = this.texture(3, film.bodies + 1);
    this.pieces = this.texture(2, film.told.pieces.length);
    this.looks = new Float32Array(8 * WIDE * this.pieces.rows);
    this.positions = new Float32Array(12 * WIDE * this.poses.rows);
    this.makeShadow();
    this.ranges = new Map();
    this.setTheme("light");
  }

  program(vertex, fragment) {
    const gl = this.gl;
    const made = gl.createProgram();
    for (const [sort, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(sort);
      gl.shaderSource(shader, text.replace("\n", `\n#define SOFT ${SLOW ? 0 : 2}\n`));
      gl.compileShader(shader);
      gl.attachShader(made, shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) throw new Error(gl.getShaderInfoLog(shader));
    }
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
    const at = {};
    const count = gl.getProgramParameter(made, gl.ACTIVE_UNIFORMS) || 0;
    for (let i = 0; i < count; i++) {
      const { name } = gl.getActiveUniform(made, i);
      at[name] = gl.getUniformLocation(made, name);
    }
    return { made, at };
  }

  upload({ corners, normals, owners, faces }) {
    const gl = this.gl;
    const all = gl.createVertexArray();
    gl.bindVertexArray(all);
    const buffer = (target, data) => {
      gl.bindBuffer(target, gl.createBuffer());
      gl.bufferData(target, data, gl.STATIC_DRAW);
    };
    buffer(gl.ARRAY_BUFFER, corners);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    buffer(gl.ARRAY_BUFFER, normals);
    gl.vertexAttribPointer(1, 3, gl.BYTE, true, 4, 0);
    buffer(gl.ARRAY_BUFFER, owners);
    gl.vertexAttribIPointer(2, 1, gl.UNSIGNED_INT, 0, 0);
    for (const k of [0, 1, 2]) gl.enableVertexAttribArray(k);
    buffer(gl.ELEMENT_ARRAY_BUFFER, faces);
    gl.bindVertexArray(null);
    return all;
  }

  /** A texture of so many texels for each of so many things. */
  texture(each, count) {
    const gl = this.gl;
    const rows = Math.max(1, Math.ceil(count / WIDE));
    const made = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, made);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, each * WIDE, rows);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    return { made, rows, wide: each * WIDE };
  }

  fill(texture, numbers) {
    const gl = this.gl;
    gl.bindTexture(gl.TEXTURE_2D, texture.made);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, texture.wide, texture.rows, gl.RGBA, gl.FLOAT, numbers);
  }

  makeShadow() {
    const gl = this.gl;
    this.depth = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.depth);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.DEPTH_COMPONENT24, SHADOW_SIZE, SHADOW_SIZE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_COMPARE_MODE, gl.COMPARE_REF_TO_TEXTURE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.LINEAR);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.LINEAR);
    this.cast = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.cast);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.depth, 0);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  setTheme(name) {
    this.theme = THEMES[name];
    this.film.told.pieces.forEach(([slot, , colour, opacity, layer], k) => {
      const shown = colour === INK && layer !== "body" && layer !== "ground" ? this.theme.ink : colour;
      this.looks.set([...rgb(shown), opacity, slot, 0, 0, 0], 8 * k);
    });
  }

  /** Ranges of triangles of a structure's pieces that pass a test, as few as there can be. */
  rangesOf(structure, name, test) {
    const key = `${this.film.told.structures.indexOf(structure)} ${name}`;
    if (!this.ranges.has(key)) {
      const found = [];
      for (const piece of [...structure.pieces].sort((a, b) => a - b)) {
        if (!test(this.film.told.pieces[piece])) continue;
        const [first, count] = this.film.geometry.ranges[piece];
        const last = found[found.length - 1];
        if (last && last[0] + last[1] === first) last[1] += count;
        else found.push([first, count]);
      }
      this.ranges.set(key, found);
    }
    return this.ranges.get(key);
  }

  drawRanges(ranges) {
    const gl = this.gl;
    for (const [first, count] of ranges) gl.drawElements(gl.TRIANGLES, count, gl.UNSIGNED_INT, 4 * first);
  }

  /** Draws a piece that is in stock at places of its own. */
  drawStock(program, items) {
    const gl = this.gl;
    gl.uniform1i(program.at.u_own, 1);
    for (const { name, place, colour } of items) {
      gl.uniformMatrix3x4fv(program.at.u_place, false, place);
      if (program.at.u_colour) gl.uniform4f(program.at.u_colour, ...colour, 1);
      this.drawRanges([this.film.geometry.ranges[this.film.told.stock[name]]]);
    }
    gl.uniform1i(program.at.u_own, 0);
  }

  use(program, seen) {
    const gl = this.gl;
    gl.useProgram(program.made);
    const at = program.at;
    if (at.u_seen) gl.uniformMatrix4fv(at.u_seen, false, seen);
    const textures = [[at.u_poses, this.poses.made], [at.u_pieces, this.pieces.made], [at.u_shadow, this.depth]];
    textures.forEach(([where, made], k) => {
      if (!where) return;
      gl.activeTexture(gl.TEXTURE0 + k);
      gl.bindTexture(gl.TEXTURE_2D, made);
      gl.uniform1i(where, k);
    });
    gl.activeTexture(gl.TEXTURE0);
    if (at.u_own) gl.uniform1i(at.u_own, 0);
    return at;
  }

  /** One moment: where bodies are, from where they are seen, and what else there is. */
  draw(scene) {
    const gl = this.gl;
    this.scene = scene;
    this.positions.set(scene.places);
    this.fill(this.poses, this.positions);
    const looks = this.looks.slice();
    for (const [piece, glow] of scene.glow) looks[8 * piece + 5] = glow;
    this.fill(this.pieces, looks);
    this.drawShadow(scene);
    gl.viewport(0, 0, this.canvas.width, this.canvas.height);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawSky();
    this.drawFloor(scene);
    this.drawBodies(scene);
    this.drawSigns(scene);
  }

  drawShadow({ light, structure, solid }) {
    const gl = this.gl;
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.cast);
    gl.viewport(0, 0, SHADOW_SIZE, SHADOW_SIZE);
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.depthFunc(gl.LESS);
    gl.disable(gl.BLEND);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1.5, 3);
    this.use(this.shadow, light.seen);
    gl.bindVertexArray(this.bodies);
    this.drawRanges(this.rangesOf(structure, "casts", ([, , , opacity, layer]) => layer === "body" && opacity >= 0.5));
    this.drawStock(this.shadow, solid);
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  drawSky() {
    const gl = this.gl;
    gl.disable(gl.DEPTH_TEST);
    const at = this.use(this.sky);
    gl.uniform3f(at.u_above, ...rgb(this.theme.above));
    gl.uniform3f(at.u_below, ...rgb(this.theme.below));
    gl.bindVertexArray(this.nothing);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.enable(gl.DEPTH_TEST);
  }

  lit(at, light) {
    const gl = this.gl;
    gl.uniformMatrix4fv(at.u_lit, false, light.seen);
    gl.uniform1f(at.u_texel, (3 * light.radius) / SHADOW_SIZE);
  }

  drawFloor({ seen, light, floor }) {
    if (!floor) return;
    const gl = this.gl;
    const at = this.use(this.floor, seen);
    this.lit(at, light);
    gl.uniformMatrix3x4fv(at.u_floor, false, floor.place);
    gl.uniform2f(at.u_middle, ...floor.middle);
    gl.uniform1f(at.u_reach, floor.reach);
    gl.uniform1f(at.u_cell, floor.cell);
    gl.uniform3f(at.u_normal, ...floor.normal);
    gl.uniform3f(at.u_paint, ...rgb(this.theme.floor));
    gl.uniform3f(at.u_line, ...rgb(this.theme.line));
    gl.uniform1f(at.u_shade, this.theme.shade);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(floor.above);
    gl.bindVertexArray(this.nothing);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  surfaces({ seen, light, eye, up, sun, level }) {
    const gl = this.gl;
    const at = this.use(this.surface, seen);
    this.lit(at, light);
    gl.uniform3f(at.u_eye, ...eye);
    gl.uniform3f(at.u_up, ...up);
    gl.uniform3f(at.u_sun, ...sun);
    gl.uniform2f(at.u_floor, ...level);
    gl.uniform1f(at.u_dark, this.theme.dark);
    gl.uniform1f(at.u_alpha, 1);
    gl.uniform1f(at.u_flat, 0);
    gl.uniform1f(at.u_swell, 0);
    gl.bindVertexArray(this.bodies);
    return at;
  }

  drawBodies(scene) {
    const gl = this.gl;
    this.surfaces(scene);
    const there = (layer) => layer === "body" || layer === "ground";
    this.drawRanges(this.rangesOf(scene.structure, "solid", ([, , , opacity, layer]) => there(layer) && opacity >= 1));
    this.drawStock(this.surface, scene.solid);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    this.drawRanges(this.rangesOf(scene.structure, "glass", ([, , , opacity, layer]) => there(layer) && opacity < 1));
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  /** Signs are seen through what is before them, more faintly. */
  drawSigns(scene) {
    const gl = this.gl;
    const at = this.surfaces(scene);
    gl.uniform1f(at.u_swell, scene.swell);
    gl.uniform1f(at.u_flat, 0.35);
    const shown = SIGNS.filter((layer) => scene.layers.has(layer));
    const ranges = shown.flatMap((layer) => this.rangesOf(scene.structure, layer, (piece) => piece[4] === layer));
    const once = () => {
      this.drawRanges(ranges);
      this.drawStock(this.surface, scene.signs);
    };
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.depthMask(false);
    gl.depthFunc(gl.GREATER);
    gl.uniform1f(at.u_alpha, 0.5);
    once();
    gl.depthFunc(gl.LESS);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
    gl.uniform1f(at.u_alpha, 1);
    once();
  }

  /** The number of the piece at a place of the canvas, in its pixels from the lower left corner; −1 where there is none. */
  pieceAt(x, y) {
    const gl = this.gl;
    const scene = this.scene;
    if (!scene) return -1;
    if (!this.picked) this.picked = this.makePicked();
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.picked);
    gl.viewport(-x, -y, this.canvas.width, this.canvas.height); // the one pixel of interest is the only one that there is
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    const at = this.use(this.pick, scene.seen);
    if (at.u_swell) gl.uniform1f(at.u_swell, 0);
    gl.bindVertexArray(this.bodies);
    const test = ([, , , , layer]) => layer === "body" || (scene.layers.has(layer) && layer !== "gravity");
    this.drawRanges(this.rangesOf(scene.structure, `pick ${[...scene.layers].join()}`, test));
    const pixel = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, pixel);
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    return pixel[3] ? pixel[0] + 256 * pixel[1] + 65536 * pixel[2] : -1;
  }

  makePicked() {
    const gl = this.gl;
    const made = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, made);
    for (const [place, format] of [[gl.COLOR_ATTACHMENT0, gl.RGBA8], [gl.DEPTH_ATTACHMENT, gl.DEPTH_COMPONENT24]]) {
      const store = gl.createRenderbuffer();
      gl.bindRenderbuffer(gl.RENDERBUFFER, store);
      gl.renderbufferStorage(gl.RENDERBUFFER, format, 1, 1);
      gl.framebufferRenderbuffer(gl.FRAMEBUFFER, place, gl.RENDERBUFFER, store);
    }
    return made;
  }
}
