// The time below the picture: curves, marks where something happens, and a scrubber over them.

const EDGE = 9; // pixels from the side of the strip to the first and the last moment: half of the scrubber's thumb

class Timeline {
  constructor(film, seek) {
    this.film = film;
    this.curves = document.getElementById("curves");
    this.marks = document.getElementById("marks");
    this.scrubber = document.getElementById("scrubber");
    this.hint = document.getElementById("hint");
    this.seek = seek;
    this.still = document.createElement("canvas");
    this.values = this.makeValues();
    document.getElementById("plot").hidden = !film.curves.length;
    this.scrubber.addEventListener("input", () => seek(this.timeOf(Number(this.scrubber.value))));
    for (const part of [this.scrubber, this.curves]) {
      part.addEventListener("pointermove", (event) => this.tell(event));
      part.addEventListener("pointerleave", () => (this.hint.hidden = true));
    }
    const dragged = (event) => seek(this.timeAt(event));
    this.curves.addEventListener("pointerdown", (event) => {
      this.curves.setPointerCapture(event.pointerId);
      dragged(event);
    });
    this.curves.addEventListener("pointermove", (event) => event.buttons && dragged(event));
  }

  timeOf(share) {
    return this.film.start + share * (this.film.end - this.film.start);
  }

  shareOf(t) {
    return (t - this.film.start) / (this.film.end - this.film.start || 1);
  }

  timeAt(event) {
    const box = event.target.getBoundingClientRect();
    return this.timeOf(clamp((event.clientX - box.left - EDGE) / (box.width - 2 * EDGE), 0, 1));
  }

  makeValues() {
    const whole = document.getElementById("values");
    const unit = element("span", "unit", this.film.told.unit);
    whole.append(unit);
    return this.film.curves.map((curve) => {
      const dot = element("i", "dot");
      dot.style.setProperty("--dot", inkFor(curve.colour));
      const number = element("b", "number");
      const part = element("span", "value");
      part.append(dot, `${curve.name} `, number);
      whole.append(part);
      return number;
    });
  }

  /** The time below the pointer, and what happens near to it. */
  tell(event) {
    const box = event.target.getBoundingClientRect();
    const t = this.timeAt(event);
    const near = (6 / (box.width - 2 * EDGE)) * (this.film.end - this.film.start);
    const events = this.film.told.events.filter(([when]) => Math.abs(when - t) <= near);
    const shown = events.slice(0, 3).map(([when, name]) => `${seconds(when)}  ${name}`);
    if (events.length > 3) shown.push(`and ${events.length - 3} more`);
    this.hint.textContent = (shown.length ? shown : [seconds(t)]).join("\n");
    this.hint.hidden = false;
    const room = this.marks.getBoundingClientRect();
    const half = this.hint.offsetWidth / 2;
    this.hint.style.left = `${clamp(event.clientX - room.left, half, Math.max(half, room.width - half))}px`;
  }

  resize() {
    for (const canvas of [this.curves, this.marks]) {
      canvas.width = Math.round(canvas.clientWidth * devicePixelRatio);
      canvas.height = Math.round(canvas.clientHeight * devicePixelRatio);
    }
    this.still.width = this.curves.width;
    this.still.height = this.curves.height;
    const style = getComputedStyle(document.documentElement);
    this.colour = (name) => style.getPropertyValue(name).trim();
    this.drawMarks();
    if (this.film.curves.length && this.curves.width && this.curves.height) this.drawCurves();
  }

  across(canvas, t) {
    const edge = EDGE * devicePixelRatio;
    return edge + this.shareOf(t) * (canvas.width - 2 * edge);
  }

  drawMarks() {
    const pen = this.marks.getContext("2d");
    const [wide, high] = [this.marks.width, this.marks.height];
    const thin = devicePixelRatio;
    pen.clearRect(0, 0, wide, high);
    pen.fillStyle = this.colour("--track");
    pen.fillRect(this.across(this.marks, this.film.start), high / 2 - 2 * thin, wide - 2 * EDGE * thin, 4 * thin);
    for (const changing of [false, true]) {
      pen.fillStyle = this.colour(changing ? "--change" : "--soft");
      const tall = (changing ? 16 : 8) * thin;
      for (const [t, , changes] of this.film.told.events)
        if (changes === changing) pen.fillRect(this.across(this.marks, t) - thin * (changing ? 1.25 : 0.5), (high - tall) / 2, thin * (changing ? 2.5 : 1), tall);
    }
  }

  drawCurves() {
    const pen = this.still.getContext("2d");
    const [wide, high] = [this.still.width, this.still.height];
    const thin = devicePixelRatio;
    const all = this.film.curves.flatMap(({ start, values }) => [start, values.reduce((a, b) => Math.max(a, b), start)]);
    let [least, most] = [Math.min(...all), Math.max(...all)];
    const room = (most - least || Math.abs(most) || 1) * 0.06;
    [least, most] = [least - room, most + room];
    const up = (value) => high - ((value - least) / (most - least)) * high;
    pen.clearRect(0, 0, wide, high);
    pen.lineWidth = thin;
    pen.strokeStyle = pen.fillStyle = this.colour("--line");
    pen.font = `${10 * thin}px ${this.colour("--font") || "sans-serif"}`;
    for (const value of ticks(least, most, Math.max(2, high / thin / 26))) {
      pen.beginPath();
      pen.moveTo(EDGE * thin, up(value));
      pen.lineTo(wide - EDGE * thin, up(value));
      pen.stroke();
    }
    pen.strokeStyle = this.colour("--change");
    pen.setLineDash([3 * thin, 3 * thin]);
    for (const [t, , changes] of this.film.told.events) {
      if (!changes) continue;
      pen.beginPath();
      pen.moveTo(this.across(this.still, t), 0);
      pen.lineTo(this.across(this.still, t), high);
      pen.stroke();
    }
    pen.setLineDash([]);
    pen.lineJoin = "round";
    pen.lineWidth = 1.6 * thin;
    for (const { values, colour } of this.film.curves) {
      pen.strokeStyle = this.colour("--is-dark") ? inkFor(colour, true) : colour;
      pen.beginPath();
      for (let i = 0; i < values.length; i++) pen.lineTo(this.across(this.still, this.film.times[i]), up(values[i]));
      pen.stroke();
    }
    pen.fillStyle = this.colour("--soft");
    for (const value of ticks(least, most, Math.max(2, high / thin / 26)))
      if (up(value) > 12 * thin) pen.fillText(short(value), (EDGE + 2) * thin, up(value) - 2 * thin);
  }

  show(t, cursor) {
    this.scrubber.value = String(this.shareOf(t));
    this.scrubber.setAttribute("aria-valuetext", seconds(t));
    if (!this.film.curves.length) return;
    const pen = this.curves.getContext("2d");
    pen.clearRect(0, 0, this.curves.width, this.curves.height);
    if (!this.still.width || !this.still.height) return;
    pen.drawImage(this.still, 0, 0);
    pen.fillStyle = this.colour("--accent");
    pen.fillRect(this.across(this.curves, t) - 0.75 * devicePixelRatio, 0, 1.5 * devicePixelRatio, this.curves.height);
    this.film.curves.forEach((curve, k) => (this.values[k].textContent = short(this.film.curveAt(curve, cursor))));
  }
}

/** Round values between two. */
function ticks(least, most, count) {
  const rough = (most - least) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 5, 10].find((k) => k * power >= rough);
  const found = [];
  for (let k = Math.ceil(least / step); k * step <= most; k++) found.push(k * step);
  return found;
}

/** A number in a few digits. */
function short(value) {
  const size = Math.abs(value);
  if (size < 1e-12) return "0";
  if (size >= 1e5 || size < 1e-3) return value.toExponential(1);
  return String(Number(value.toPrecision(3)));
}

const seconds = (t) => `${t.toFixed(3)} s`;
