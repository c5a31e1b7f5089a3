// The map by directory: nested rectangles whose areas are the numbers of pages. It shows the
// structure of sites with thousands of pages, where rings of pages are only texture.

const MANY_PAGES = 1500; // from here on, the map by directory comes first
const MAX_TILES = 60; // of a directory; the rest is one tile

// A directory has its path, its pages and its subdirectories, and counts all pages below it.
class Directory {
  constructor(path, name, up) {
    Object.assign(this, { path, name, up, all: 0, broken: 0, doubtful: 0 });
    this.pages = [];
    this.dirs = new Map();
  }
  get color() { return this.broken ? "broken" : this.doubtful ? "unverified" : "graph"; }
}

// directories returns the directory of all pages. A directory that has only one other
// directory in it is shown as that one.
let allDirectories = null;
function directories() {
  if (allDirectories) return allDirectories;
  const top = new Directory("", "All pages", null);
  for (const k of pageNodes) {
    const [, origin, path] = /^([a-z][a-z0-9+.-]*:\/\/[^/]*\/)?([^?#]*)/i.exec(k.url);
    let dir = top;
    const steps = (origin ? [origin] : []).concat(path.split("/").slice(0, -1).map((s) => s + "/"));
    for (const step of steps) {
      if (!dir.dirs.has(step)) dir.dirs.set(step, new Directory(dir.path + step, step, dir));
      dir = dir.dirs.get(step);
    }
    dir.pages.push(k.id);
    for (let d = dir; d; d = d.up) {
      d.all++;
      if (k.broken) d.broken++;
      else if (k.doubtful) d.doubtful++;
    }
  }
  const skip = (dir) => {
    while (dir.pages.length === 0 && dir.dirs.size === 1) {
      const [only] = dir.dirs.values();
      only.name = dir.up ? dir.name + only.name : only.path;
      only.up = dir.up;
      dir = only;
    }
    dir.dirs = new Map([...dir.dirs].map(([step, d]) => [step, Object.assign(skip(d), { up: dir })]));
    return dir;
  };
  return (allDirectories = skip(top));
}

function directoryAt(path) {
  for (let dir = directories(); dir; dir = [...dir.dirs.values()].find((d) => path.startsWith(d.path))) if (dir.path === path) return dir;
  return directories();
}

// tilesOf returns the parts of a directory, the largest first: its directories, and the pages
// that are directly in it.
function tilesOf(dir) {
  const parts = [...dir.dirs.values()].sort((a, b) => b.all - a.all || compareStrings(a.name, b.name));
  const own = dir.pages.map((id) => nodes[id]);
  if (own.length) {
    const broken = own.filter((k) => k.broken).length, doubtful = own.filter((k) => !k.broken && k.doubtful).length;
    parts.push({ name: dir.dirs.size ? "pages in it" : "pages", own: true, dir, all: own.length, broken, doubtful, color: broken ? "broken" : doubtful ? "unverified" : "graph" });
  }
  parts.sort((a, b) => b.all - a.all);
  if (parts.length <= MAX_TILES) return parts;
  const rest = parts.slice(MAX_TILES - 1);
  const sum = (what) => rest.reduce((n, p) => n + p[what], 0);
  const more = { name: plural(rest.length, "smaller part"), rest, all: sum("all"), broken: sum("broken"), doubtful: sum("doubtful") };
  more.color = more.broken ? "broken" : more.doubtful ? "unverified" : "graph";
  return [...parts.slice(0, MAX_TILES - 1), more];
}

// squarify divides a rectangle among weights, which descend, so that the parts are nearly
// squares (Bruls, Huizing, van Wijk: Squarified Treemaps).
function squarify(weights, x, y, w, h) {
  const total = weights.reduce((a, b) => a + b, 0);
  const areas = weights.map((n) => (n / total) * w * h);
  const out = [];
  for (let at = 0; at < areas.length; ) {
    const side = Math.min(w, h);
    let sum = 0, worst = Infinity, end = at;
    for (; end < areas.length; end++) {
      const s = sum + areas[end];
      const ratio = Math.max((side * side * areas[at]) / (s * s), (s * s) / (side * side * areas[end]));
      if (ratio > worst) break;
      worst = ratio;
      sum = s;
    }
    const thick = sum / side;
    let along = 0;
    for (; at < end; at++) {
      const long = areas[at] / thick;
      out.push(w >= h ? [x, y + along, thick, long] : [x + along, y, long, thick]);
      along += long;
    }
    if (w >= h) [x, w] = [x + thick, w - thick];
    else [y, h] = [y + thick, h - thick];
  }
  return out;
}

const partText = (p) => plural(p.all, "page") + (p.broken ? `, ${count(p.broken)} with broken links` : p.doubtful ? `, ${count(p.doubtful)} with warnings or unverified links` : "");

// placePart places an element at a part of a rectangle.
function placePart(e, [x, y, w, h], all) {
  e.style.left = (100 * x) / all[0] + "%";
  e.style.top = (100 * y) / all[1] + "%";
  e.style.width = (100 * w) / all[0] + "%";
  e.style.height = (100 * h) / all[1] + "%";
}

// partsInside draws the parts of a directory in its rectangle, if there is room. Those with
// room have their name, and their own parts inside.
function partsInside(dir, w, h) {
  const inside = el("span", { class: "inner", "aria-hidden": "true" });
  if (!dir.dirs?.size || w < 12 || h < 10) return inside;
  const within = tilesOf(dir);
  squarify(within.map((q) => q.all), 0, 0, w, h).forEach((box, n) => {
    const part = within[n];
    const e = el("span", { class: part.color });
    if (box[2] > 9 && box[3] > 6) e.append(el("span", { class: "name" }, clip(visible(part.name), 60)), partsInside(part, box[2], box[3]));
    placePart(e, box, [w, h]);
    inside.append(e);
  });
  return inside;
}

// drawDirectories shows the parts of a directory as rectangles.
function drawDirectories(stage, dir) {
  const width = 100, ratio = stage.offsetHeight / Math.max(1, stage.offsetWidth), height = width * ratio;
  const parts = tilesOf(dir);
  const boxes = squarify(parts.map((p) => Math.max(p.all, dir.all / 150)), 0, 0, width, height);
  stage.replaceChildren(...parts.map((p, i) => {
    const [, , w, h] = boxes[i];
    const inside = partsInside(p, w, h);
    const e = button("", () => openPart(p), { class: "tile " + p.color, title: visible(p.name) + "\n" + partText(p) });
    e.append(el("span", { class: "label" }, el("strong", {}, clip(visible(p.name), 60)), " ", el("span", { class: "n" }, count(p.all), el("span", { class: "visually-hidden" }, p.all === 1 ? " page" : " pages"), p.broken > 0 && ` · ${count(p.broken)} broken`)), inside);
    placePart(e, boxes[i], [width, height]);
    return e;
  }));
  stage.dataset.directory = dir.path;
}

function openPart(p) {
  if (p.dirs) return go("map", { dir: p.path, own: null, node: null });
  go("map", { dir: p.dir?.path ?? parameter("dir"), own: p.own ? "pages" : "rest", node: null });
}

// directoryPanel tells about a directory and lists its pages, those with broken links first.
function directoryPanel(dir, own) {
  const up = [];
  for (let d = dir; d; d = d.up) up.unshift(d);
  const rest = own === "rest" ? tilesOf(dir).find((p) => p.rest)?.rest ?? [] : [];
  const ids = [...dir.pages].sort((a, b) => nodes[b].broken - nodes[a].broken || nodes[b].doubtful - nodes[a].doubtful || a - b);
  const list = el("ul", { class: "list" });
  const more = button("", () => add(), { class: "small" });
  const add = () => {
    const from = list.children.length, to = Math.min(ids.length, from + 25);
    for (const id of ids.slice(from, to)) {
      const k = nodes[id];
      list.append(el("li", {}, el("span", { class: "dot " + (k.broken ? "broken" : k.doubtful ? "unverified" : "graph") }), " ", nodeButton(id), k.broken ? el("span", { class: "note" }, " " + count(k.broken) + " broken") : ""));
    }
    more.hidden = to >= ids.length;
    more.textContent = `Show ${Math.min(25, ids.length - to)} more`;
  };
  add();
  return [
    el("h3", { tabindex: -1 }, visible(dir.path || dir.name)),
    el("p", { class: "note" }, partText(dir)),
    !dir.up && data.web.omitted.pages > 0 && el("p", { class: "note" }, `Not drawn: ${plural(data.web.omitted.pages, "page")} farthest from the start.`),
    up.length > 1 && el("nav", { "aria-label": "Directories above" }, el("ul", { class: "crumbs" }, up.slice(0, -1).map((d) => el("li", {}, button(visible(d.name), () => go("map", { dir: d.path, own: null, node: null }), { class: "linklike" }))))),
    el("div", { class: "actions" }, button("List its pages", () => go("pages", { q: dir.path }, { fresh: true })), button("List its findings", () => go("findings", { q: dir.path }, { fresh: true }))),
    rest.length > 0 && el("section", {}, el("h3", {}, "Smaller parts"), el("ul", { class: "list" }, rest.map((p) => el("li", {}, p.own ? visible(p.name) : button(visible(p.name), () => openPart(p), { class: "linklike" }), el("span", { class: "note" }, " " + partText(p)))))),
    ids.length > 0 && el("section", {}, el("h3", {}, plural(ids.length, "page") + " in this directory"), list, more),
  ];
}
