// What is told beside the picture: events, captions, the structure, and what signs mean. All names are put in as text.

const MOST_LISTED = 3000; // events in the list
const CAPTIONS = 3; // at once, where there is room for them
const TALL = 420; // pixels: in a lower picture there is one

function element(tag, name = "", text = "") {
  const made = document.createElement(tag);
  if (name) made.className = name;
  if (text) made.textContent = text;
  return made;
}

/** A colour that is seen on the paper: signs that are black in the light are white in the dark. */
function inkFor(colour, dark = false) {
  if (colour !== INK) return colour;
  return dark ? THEMES.dark.ink : "var(--ink)";
}

class Words {
  constructor(film, seek) {
    this.film = film;
    this.rows = [];
    this.listEvents(seek);
    this.tree = document.getElementById("tree");
    this.captions = document.getElementById("captions");
    this.legend = document.getElementById("legend");
    this.tellNotes();
  }

  listEvents(seek) {
    const list = document.getElementById("events");
    const { events } = this.film.told;
    document.getElementById("events-part").hidden = !events.length;
    for (const [t, name, changes] of events.slice(0, MOST_LISTED)) {
      const button = element("button", changes ? "event changes" : "event");
      button.type = "button";
      button.append(element("span", "when", seconds(t)), element("span", "what", name));
      button.addEventListener("click", () => seek(t));
      const item = element("li");
      item.append(button);
      list.append(item);
      this.rows.push(button);
    }
    if (events.length > MOST_LISTED) list.append(element("li", "soft", `and ${events.length - MOST_LISTED} more`));
  }

  tellNotes() {
    const notes = document.getElementById("notes");
    for (const note of this.film.told.told) notes.append(element("li", "", note));
    document.getElementById("notes-part").hidden = !this.film.told.told.length;
  }

  /** What has just happened, for as long as a reader needs; the event that is past last is marked in the list. */
  show(t, frame, lasting) {
    const { events } = this.film.told;
    let last = -1;
    for (let k = 0; k < events.length && events[k][0] <= t + this.film.slack; k++) last = k;
    const shown = [];
    const most = this.captions.parentElement.clientHeight < TALL ? 1 : CAPTIONS;
    for (let k = last; k >= 0 && shown.length < most && t - events[k][0] <= lasting; k--) shown.unshift(k);
    const key = shown.join();
    if (key !== this.captioned) {
      this.captioned = key;
      this.captions.replaceChildren(...shown.map((k) => {
        const [when, name, changes] = events[k];
        const caption = element("div", changes ? "caption changes" : "caption");
        caption.append(element("span", "what", name), element("span", "when", seconds(when)));
        return caption;
      }));
    }
    if (last !== this.last) {
      this.rows[this.last]?.classList.remove("past");
      this.last = last;
      const row = this.rows[last];
      if (row) {
        row.classList.add("past");
        const list = row.closest("ol");
        const at = row.offsetTop - list.offsetTop;
        if (at < list.scrollTop || at > list.scrollTop + list.clientHeight - 28) list.scrollTop = at - list.clientHeight / 2;
      }
    }
    this.showTree(frame);
  }

  /** The tree of a structure; rows that are new since the structure before are marked. */
  showTree(frame) {
    const part = this.film.partOf[frame];
    if (part === this.part) return;
    this.part = part;
    const { parts, structures } = this.film.told;
    const words = (row) => row.slice(2).join(" ") + row[0];
    const before = part ? new Set(structures[parts[part - 1][0]].tree.map(words)) : null;
    const rows = [element("div", "row world", "world")];
    for (const row of structures[parts[part][0]].tree) {
      const [sort, drawn, joint, type, body] = row;
      const line = element("div", `row ${sort}${before && !before.has(words(row)) ? " new" : ""}`);
      const way = sort === "loop" ? "loop " : sort === "reversed" ? " ← " : " → ";
      if (drawn) line.append(element("span", "lines", `${drawn.replace(/(.)( |─)( |$)/g, "$1$3")} `));
      if (sort === "loop") line.append(element("span", "sign", way));
      line.append(element("span", "joint", joint));
      if (sort === "more") { rows.push(line); continue; }
      line.append(sort === "loop" ? ": " : element("span", "sign", way), element("span", "body", body));
      line.title = `${type}${sort === "root" ? ", which holds the root" : sort === "reversed" ? ", walked from its child to its parent" : ""}`;
      if (sort === "root") line.append(element("span", "tag", "root"));
      rows.push(line);
    }
    this.tree.replaceChildren(...rows);
  }

  /** What the signs mean that are shown. */
  showLegend(layers, cell, structures) {
    const sorts = new Set(structures.flatMap(({ tree }) => tree.map(([sort]) => sort)));
    const { colours, forces, place } = this.film.told;
    const rows = [];
    if (layers.has("joint")) {
      for (const [sort, word] of [["root", "root"], ["tree", "joint"], ["reversed", "joint, walked backwards"], ["loop", "joint that closes a loop"]])
        if (sorts.has(sort)) rows.push([colours[sort], word]);
    }
    if (structures.some(({ springs }) => springs.length)) rows.push([colours.spring, "spring"]);
    if (layers.has("force") && forces) rows.push([colours.force, "force of a contact"]);
    if (layers.has("mass") && place.mass) rows.push([colours.mass, "centre of mass"]);
    const made = rows.map(([colour, word]) => {
      const dot = element("i", "dot");
      dot.style.setProperty("--dot", inkFor(colour));
      const line = element("span", "sign");
      line.append(dot, word);
      return line;
    });
    if (cell) made.push(element("span", "soft", `grid ${lengthOf(cell)}`));
    this.legend.replaceChildren(...made);
  }
}

/** A length in the unit that has the fewest zeros. */
function lengthOf(metres) {
  const [size, unit] = [[1000, "km"], [1, "m"], [0.01, "cm"], [0.001, "mm"]].find(([size]) => metres >= 0.999 * size) ?? [1e-6, "µm"];
  return `${short(metres / size)} ${unit}`;
}
