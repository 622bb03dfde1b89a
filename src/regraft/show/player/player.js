// The player: what is shown at which time, and what buttons and keys do.

const SPEEDS = [0.05, 0.1, 0.2, 0.25, 0.5, 1, 2, 4];
const CAPTION_TIME = 1.2; // s, by the reader's clock
const LAYERS = [
  ["joint", "Joints", true], ["tree", "Tree", false], ["force", "Forces", true], ["mass", "Mass", false], ["frame", "Frames", false],
  ["gravity", "Gravity", false], ["floor", "Floor", true],
];
const byId = (id) => document.getElementById(id);

class Player {
  constructor(film) {
    this.film = film;
    this.told = film.told;
    this.canvas = byId("space");
    this.camera = new Camera(this.told);
    this.painter = new Painter(this.canvas, film);
    this.cursor = { frame: 0, share: 0 };
    this.t = film.start;
    this.playing = false;
    this.speed = 1 / this.told.slower;
    this.follows = this.told.follow;
    this.loops = this.told.loop;
    this.layers = new Set(LAYERS.filter(([name, , on]) => on && this.has(name)).map(([name]) => name));
    const { low, high } = this.told.room;
    this.middle = scale(0.5, add(low, high));
    this.half = scale(0.5, subtract(high, low));
    this.fromMiddle = this.told.room.seen.map((point) => subtract(point, this.middle));
    this.sun = this.sunFor((this.told.azimuth * Math.PI) / 180);
    this.up = this.camera.world([0, 0, 1]);
    this.changesAt = this.findChanges();
    this.timeline = new Timeline(film, (t) => this.seek(t));
    this.words = new Words(film, (t) => this.seek(t));
    byId("title").textContent = this.told.title;
    document.body.classList.toggle("still", !film.moves);
    this.bindButtons();
    this.bindKeys();
    this.bindPointing();
    handle(this.canvas, this.camera, () => this.ask());
    this.bindTheme();
    new ResizeObserver(() => this.resize()).observe(byId("stage"));
    new ResizeObserver(() => this.resize()).observe(byId("bottom"));
    this.resize();
    if (this.told.autoplay && film.moves && !matchMedia("(prefers-reduced-motion: reduce)").matches) this.play(true);
  }

  /** Whether there is anything of a layer. */
  has(layer) {
    if (layer === "force") return Boolean(this.told.forces);
    if (layer === "mass") return this.told.place.mass;
    if (layer === "floor") return Boolean(this.told.room.floor);
    return this.told.pieces.some((piece) => piece[4] === layer);
  }

  /** By part: the pieces of joints that are new in it. */
  findChanges() {
    const { parts, structures, pieces } = this.told;
    return parts.map(([structure], k) => {
      if (!k) return [];
      const before = new Set(structures[parts[k - 1][0]].pieces);
      return structures[structure].pieces.filter((piece) => !before.has(piece) && SIGNS.includes(pieces[piece][4]));
    });
  }

  /** Where light comes from: over the left shoulder of who looks at it at first. */
  sunFor(azimuth) {
    const [x, y, c, s] = [-0.42, -0.55, Math.cos(azimuth), Math.sin(azimuth)];
    return unit(this.camera.world([c * x - s * y, s * x + c * y, 0.9]));
  }

  // --- time ----------------------------------------------------------------------------------------------------------------

  seek(t) {
    this.cursor = this.film.cursorAt(clamp(t, this.film.start, this.film.end));
    this.t = clamp(t, this.film.start, this.film.end);
    const frame = this.film.times[this.cursor.frame];
    if (Math.abs(frame - t) <= this.film.slack) {
      this.t = frame;
      this.cursor.share = 0;
    }
    this.ask();
  }

  step(count) {
    this.play(false);
    const { frame, share } = this.cursor;
    const to = clamp(count < 0 && share > 0 ? frame : frame + count, 0, this.film.count - 1);
    this.cursor = { frame: to, share: 0 };
    this.t = this.film.times[to];
    this.ask();
  }

  /** To the event before or after. */
  leap(way) {
    const times = this.told.events.map(([t]) => t);
    const near = Math.max(1e-6, this.film.slack);
    const found = way > 0 ? times.find((t) => t > this.t + near) : times.filter((t) => t < this.t - near).pop();
    this.play(false);
    this.seek(found ?? (way > 0 ? this.film.end : this.film.start));
  }

  play(on) {
    if (on && this.t >= this.film.end) this.seek(this.film.start);
    this.playing = on && this.film.moves;
    this.before = null;
    const button = byId("play");
    button.classList.toggle("playing", this.playing);
    button.title = this.playing ? "Pause (space)" : "Play (space)";
    button.setAttribute("aria-label", this.playing ? "Pause" : "Play");
    this.ask();
  }

  ask() {
    if (!this.asked) this.asked = requestAnimationFrame((now) => this.frame(now));
  }

  frame(now) {
    this.asked = 0;
    if (this.playing) {
      const passed = this.before === null ? 0 : Math.min(now - this.before, 250) / 1000;
      this.before = now;
      let t = this.t + passed * this.speed;
      if (t >= this.film.end) {
        if (this.loops) t = this.film.start;
        else {
          t = this.film.end;
          this.play(false);
        }
      }
      this.seek(t);
    }
    this.draw();
  }

  // --- the picture ---------------------------------------------------------------------------------------------------------

  draw() {
    if (!this.canvas.width || this.lost) return;
    const { cursor, film, told } = this;
    const structure = film.structureAt(cursor.frame);
    const places = film.moveTo(cursor);
    const mass = film.massAt(cursor);
    const following = this.follows && mass && told.room.around.length;
    const place = following ? mass : this.middle;
    const aspect = this.canvas.width / this.canvas.height;
    this.camera.fit(following ? told.room.around : this.fromMiddle, aspect);
    const size = following ? told.extent : Math.max(2 * length(this.half), told.extent);
    const view = this.camera.seen(place, size, aspect);
    const radius = following ? 1.1 * told.extent : Math.max(1.05 * length(this.half), 0.5 * told.extent);
    const floor = this.floorAt(view);
    const level = told.room.floor ? dot(floorPoint(told.room.floor), this.up) : -1e9;
    this.painter.draw({
      ...view, places, structure, floor, sun: this.sun, up: this.up, level: [level, 0.35 * told.extent], layers: this.layers,
      light: this.lightAt(place, radius), solid: this.springs(structure, places), signs: this.signs(cursor, mass),
      glow: this.glow(cursor), swell: 0.35 * told.glyph,
    });
    this.cell = floor ? floor.cell : 0;
    const legend = `${[...this.layers].join()} ${this.cell} ${film.partOf[cursor.frame]}`;
    if (legend !== this.legend) this.words.showLegend(this.layers, this.cell, [structure]);
    this.legend = legend;
    if (film.moves) this.tellTime();
    else this.words.showTree(0);
  }

  tellTime() {
    this.timeline.show(this.t, this.cursor);
    this.words.show(this.t, this.cursor.frame, CAPTION_TIME * this.speed);
    byId("now").textContent = this.t.toFixed(3);
    byId("end").textContent = ` / ${this.film.end.toFixed(3)}`;
    const twin = this.film.times[this.cursor.frame - 1] === this.t || this.film.times[this.cursor.frame + 1] === this.t;
    const first = this.film.times[this.cursor.frame + 1] === this.t;
    byId("time").dataset.side = twin && !this.cursor.share ? (first ? "before" : "after") : "";
  }

  lightAt(middle, radius) {
    const near = this.sun;
    const [right, up] = beside(near);
    return { radius, seen: product(parallel(radius, 2.5 * radius), looking(middle, right, up, near)) };
  }

  floorAt({ target, eye, distance }) {
    const row = this.told.room.floor;
    if (!row || !this.layers.has("floor")) return null;
    const place = new Float32Array([0, 1, 2].flatMap((i) => [row[3 * i], row[3 * i + 1], row[3 * i + 2], row[9 + i]]));
    const from = subtract(target, floorPoint(row));
    const axis = (k) => [row[k], row[3 + k], row[6 + k]];
    const normal = axis(2);
    const rough = 0.1 * this.told.extent;
    const power = 10 ** Math.floor(Math.log10(rough));
    const cell = power * [1, 2, 5, 10].find((k) => k * power >= rough);
    const reach = Math.max(1.5 * length(this.half), 2.2 * this.told.extent, 0.9 * distance);
    const above = dot(subtract(eye, floorPoint(row)), normal) > 0;
    return { place, normal, cell, reach, above, middle: [dot(from, axis(0)), dot(from, axis(1))] };
  }

  springs({ springs }, places) {
    const colour = rgb(this.told.colours.spring);
    return springs.map(([, a, pointA, b, pointB]) => {
      const [from, to] = [applied(places, a, pointA), applied(places, b, pointB)];
      const along = subtract(to, from);
      return { name: "coil", colour, place: placedAlong(from, along, 1, length(along)) };
    });
  }

  /** Arrows of forces, and the centre of mass. */
  signs(cursor, mass) {
    const found = [];
    if (this.layers.has("mass") && mass)
      found.push({ name: "mass", colour: rgb(this.told.colours.mass), place: placedAlong(mass, [0, 0, 1], 1, 1) });
    if (!this.layers.has("force") || !this.told.forces) return found;
    const colour = rgb(this.told.colours.force);
    const thick = 0.006 * this.told.extent;
    for (const { at, vector } of this.film.forcesAt(cursor)) {
      const long = length(vector) * this.told.forces.length;
      if (long < 1e-3 * this.told.extent) continue;
      const head = Math.min(7 * thick, 0.5 * long);
      const way = unit(vector);
      found.push({ name: "shaft", colour, place: placedAlong(at, way, Math.min(thick, 0.15 * long), long - 0.9 * head) });
      found.push({ name: "head", colour, place: placedAlong(add(at, scale(long - head, way)), way, head, head) });
    }
    return found;
  }

  /** Joints that have just come: they shine, and fade. */
  glow({ frame }) {
    const part = this.film.partOf[frame];
    const since = this.t - this.film.times[this.told.parts[part][1]];
    const shine = 1 - since / (CAPTION_TIME * this.speed);
    return shine > 0 && part ? this.changesAt[part].map((piece) => [piece, shine]) : [];
  }

  resize() {
    const stage = byId("stage");
    const fine = SLOW ? 1 : Math.min(devicePixelRatio || 1, 2);
    const [wide, high] = [Math.round(stage.clientWidth * fine), Math.round(stage.clientHeight * fine)];
    if (this.canvas.width !== wide || this.canvas.height !== high) [this.canvas.width, this.canvas.height] = [wide, high];
    if (this.film.moves) this.timeline.resize();
    this.draw();
  }

  // --- buttons, keys, pointing ---------------------------------------------------------------------------------------------

  bindButtons() {
    const layers = byId("layers");
    for (const [name, word] of LAYERS) {
      if (!this.has(name)) continue;
      const button = this.toggle(element("button", "word", word), this.layers.has(name), (on) => {
        if (on) this.layers.add(name);
        else this.layers.delete(name);
      });
      button.type = "button";
      button.dataset.layer = name;
      layers.append(button);
    }
    byId("play").addEventListener("click", () => this.play(!this.playing));
    byId("start").addEventListener("click", () => this.seek(this.film.start));
    byId("back").addEventListener("click", (event) => (event.shiftKey ? this.leap(-1) : this.step(-1)));
    byId("forward").addEventListener("click", (event) => (event.shiftKey ? this.leap(1) : this.step(1)));
    byId("whole").addEventListener("click", () => {
      this.camera.reset();
      this.ask();
    });
    this.toggle(byId("loop"), this.loops, (on) => (this.loops = on));
    this.toggle(byId("follow"), this.follows, (on) => (this.follows = on));
    byId("follow").hidden = !this.told.place.mass;
    this.toggle(byId("panel"), innerWidth > 720, (on) => document.body.classList.toggle("no-side", !on));
    document.body.classList.toggle("no-side", innerWidth <= 720);
    const choice = byId("speed");
    for (const speed of [...new Set([...SPEEDS, this.speed])].sort((a, b) => a - b)) {
      const option = element("option", "", `${short(speed)}×`);
      option.value = String(speed);
      option.selected = speed === this.speed;
      choice.append(option);
    }
    choice.addEventListener("change", () => (this.speed = Number(choice.value)));
  }

  toggle(button, on, changed) {
    button.setAttribute("aria-pressed", String(on));
    button.addEventListener("click", () => {
      const now = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(now));
      changed(now);
      this.ask();
    });
    return button;
  }

  bindKeys() {
    const keys = {
      " ": () => this.play(!this.playing),
      ArrowLeft: (event) => (event.shiftKey ? this.leap(-1) : this.step(-1)),
      ArrowRight: (event) => (event.shiftKey ? this.leap(1) : this.step(1)),
      Home: () => this.seek(this.film.start),
      End: () => this.seek(this.film.end),
    };
    document.addEventListener("keydown", (event) => {
      const pressed = event.target.closest?.("button, select");
      if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey || !this.film.moves) return;
      if (pressed && (event.key === " " || pressed.tagName === "SELECT")) return; // which these use themselves
      event.preventDefault();
      keys[event.key](event);
    });
  }

  bindPointing() {
    const pointed = byId("pointed");
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons || event.pointerType === "touch" || this.playing) {
        pointed.hidden = true;
        return;
      }
      const box = this.canvas.getBoundingClientRect();
      const fine = this.canvas.width / box.width;
      const piece = this.painter.pieceAt(Math.floor((event.clientX - box.left) * fine), Math.floor((box.bottom - event.clientY) * fine));
      pointed.hidden = piece < 0;
      if (piece < 0) return;
      const [slot, name, , , layer] = this.told.pieces[piece];
      const body = this.told.bodies[slot] ?? "world";
      pointed.textContent = layer === "body" || layer === "tree" ? body : `${layer} ${name}`;
      pointed.style.left = `${clamp(event.clientX - box.left + 12, 0, Math.max(0, box.width - pointed.offsetWidth - 4))}px`;
      pointed.style.top = `${event.clientY - box.top + 14}px`;
    });
    this.canvas.addEventListener("pointerleave", () => (pointed.hidden = true));
    this.canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.lost = true;
    });
    this.canvas.addEventListener("webglcontextrestored", () => {
      this.painter = new Painter(this.canvas, this.film);
      this.lost = false;
      this.applyTheme();
    });
  }

  bindTheme() {
    const root = document.documentElement;
    const system = matchMedia("(prefers-color-scheme: dark)");
    this.applyTheme = () => {
      const dark = root.dataset.theme === "dark" || (root.dataset.theme !== "light" && system.matches);
      this.painter.setTheme(dark ? "dark" : "light");
      this.dark = dark;
      this.resize();
    };
    system.addEventListener("change", this.applyTheme);
    byId("theme").addEventListener("click", () => {
      root.dataset.theme = this.dark ? "light" : "dark";
      this.applyTheme();
    });
    this.applyTheme();
  }
}

const floorPoint = (row) => row.slice(9, 12);

/** Says on the page what is wrong. */
function say(text) {
  const trouble = byId("trouble");
  trouble.textContent = text;
  trouble.hidden = false;
  document.body.classList.add("in-trouble");
}

async function begin() {
  if (typeof DecompressionStream === "undefined") {
    say("This browser cannot unpack the motion in this page (DecompressionStream). A browser of 2023 or newer can.");
    return;
  }
  if (!byId("space").getContext("webgl2", CONTEXT)) {
    say("This page draws by WebGL 2, which this browser does not have or which is switched off. In another browser it will play.");
    return;
  }
  const told = JSON.parse(byId("film").textContent);
  const bytes = await inflated(byId("numbers").textContent);
  window.player = new Player(new Film(told, bytes));
  document.body.classList.add("ready");
}

begin().catch((problem) => {
  say(`This page could not be shown: ${problem.message}`);
  throw problem;
});
