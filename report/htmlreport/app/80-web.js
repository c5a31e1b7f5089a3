// The site as an orb web: rings are how many links a reader follows from the
// start, threads are links, torn threads are broken ones. The picture is one way
// to go about; the list of pages below it is another, for those who do not see it.

const DIM = 0.2;
const THREADS_AT_ONCE = 3000; // with more of them, those beside the tree are drawn when asked for
const THREADS_AT_MOST = 60_000; // that are drawn
const NEIGHBOURS = 15; // that are listed at a time

let web = null; // what is on the stage

// neighbours are the pages that a page links to, and those that link to it, as far
// as they are in the file.
let linked = null;
function neighbours(id) {
  if (!linked) {
    linked = { to: knots.map(() => []), from: knots.map(() => []) };
    const put = (a, b) => {
      linked.to[a].push(b);
      linked.from[b].push(a);
    };
    for (const k of knots) if (k.parent >= 0 && knots[k.parent].address >= 0) put(k.parent, k.id);
    eachThread(put);
  }
  return { to: linked.to[id], from: linked.from[id] };
}

function eachThread(visit) {
  for (let n = 0; n < threads.length; n += 2) visit(threads[n], threads[n + 1]);
}

// drawnThreads calls for the threads that are drawn: where there are too many, those
// to the pages that fewest link to, since a link that is on every page tells nothing.
function drawnThreads(visit) {
  const count = [];
  eachThread((_, b) => (count[knots[b].in] = (count[knots[b].in] ?? 0) + 1));
  let most = 0, sum = 0;
  while (most < count.length && sum + (count[most] ?? 0) <= THREADS_AT_MOST) sum += count[most++] ?? 0;
  eachThread((a, b) => {
    if (knots[b].in < most) visit(a, b);
  });
}

const tears = new Map(); // knot: results that it is torn from
for (let i = 0; i < data.web.torn.length; i += 2) {
  const list = tears.get(data.web.torn[i]);
  if (list) list.push(data.web.torn[i + 1]);
  else tears.set(data.web.torn[i], [data.web.torn[i + 1]]);
}

// knotSize is the radius of a knot that has so many pixels of room.
const knotSize = (room) => Math.max(1.1, Math.min(6, room * 0.3));

// makeGraph gives knots, spokes and torn threads to the graph library.
function makeGraph(pixels) {
  const graph = new OrbGraph.Graph({ multi: true, type: "directed" });
  const room = (pixels / (2 * outermost)) * 100; // pixels that a knot has
  const size = knotSize(room);
  for (const k of knots) {
    const bigger = k.radius === 0 ? 1.9 : k.broken ? 1.45 : k.children.length ? 1.2 : 1;
    graph.addNode(String(k.id), { ...at(k.radius, k.angle), size: size * bigger, base: size, label: clip(k.name, 60), kind: k.broken ? "broken" : k.doubtful ? "doubtful" : "page", k: k.id, zIndex: k.broken ? 2 : 1 });
    if (k.parent >= 0) graph.addEdge(String(k.parent), String(k.id), { type: "spoke", kind: "spoke", from: knots[k.parent].radius / Math.max(1, k.radius), size: Math.min(1, size / 3), child: k.id });
  }
  for (const [id, list] of tears) {
    const k = knots[id], home = at(k.radius, k.angle);
    list.forEach((result, i) => {
      const spread = k.radius === 0 ? TURN / list.length : Math.min(TURN / 9, TURN / 3 / list.length);
      const way = at(150 - 25 * (i % 2), k.angle + (i - (list.length - 1) / 2) * spread);
      const end = `t${id}.${result}`;
      graph.addNode(end, { x: home.x + way.x, y: home.y + way.y, size: Math.max(0.7, size * 0.5), label: clip(visible(results[result].url), 60), kind: "end", k: id, result, zIndex: 3 });
      graph.addEdge(String(id), end, { type: "torn", kind: "torn", size: Math.max(0.7, Math.min(1.6, size / 2)), child: id, zIndex: 2 });
    });
  }
  return graph;
}

function addThreads(graph, on) {
  if (!on) {
    graph.filterEdges((_, e) => e.kind === "thread").forEach((e) => graph.dropEdge(e));
    return;
  }
  drawnThreads((a, b) => graph.addEdge(String(a), String(b), { type: "thread", kind: "thread", size: 0.4 }));
}

// light shows what belongs to the chosen knot: the way to it and its own links.
function light(id) {
  const w = web;
  w.graph?.filterEdges((_, e) => e.kind === "own").forEach((e) => w.graph.dropEdge(e));
  w.chosen = id;
  w.lit = null;
  w.arcs = null;
  if (id === undefined) return;
  const way = wayTo(id), { to, from } = neighbours(id);
  w.way = new Set(way);
  w.lit = new Set([...way, ...to, ...from]);
  w.arcs = litArcs(way);
  if (!w.graph) return;
  for (const n of to) w.graph.addEdge(String(id), String(n), { type: "thread", kind: "own", size: 1, zIndex: 1 });
  for (const n of from) if (!to.includes(n)) w.graph.addEdge(String(n), String(id), { type: "thread", kind: "own", size: 0.6, zIndex: 1 });
}

const nodeColour = (kind, c) => ({ broken: c.broken, doubtful: c.unverified, end: c.broken, page: c.silk })[kind];

function nodeReducer(node, attributes) {
  const { chosen, lit, colour, only } = web;
  const { kind, k } = attributes;
  let base = nodeColour(kind, colour);
  if (kind === "page" && (k === chosen || (lit && web.way.has(k)))) base = colour.accent;
  const out = { ...attributes, color: solid(base) };
  const dim = lit ? !(lit.has(k) && (kind !== "end" || k === chosen)) : only && kind !== "broken" && kind !== "end";
  if (dim) {
    out.color = thin(base, DIM);
    out.label = null;
    out.zIndex = 0;
  } else if (k === chosen && kind !== "end") {
    out.highlighted = true;
    out.size = Math.max(6, attributes.size * 1.6);
    out.zIndex = 4;
  } else if (lit && kind === "page") {
    out.size = Math.max(2.5, attributes.size);
  }
  if (kind === "end" && k !== chosen) out.label = null;
  return out;
}

function edgeReducer(edge, attributes) {
  const { chosen, lit, colour, only } = web;
  const { kind, child } = attributes;
  const out = { ...attributes };
  switch (kind) {
    case "spoke":
      if (lit && web.way.has(child)) {
        out.color = solid(colour.accent);
        out.size = 1.8;
        out.zIndex = 2;
      } else out.color = thin(colour.silk, lit || only ? DIM : 0.75);
      break;
    case "torn":
      out.color = lit && child !== chosen ? thin(colour.broken, DIM) : solid(colour.broken);
      break;
    case "own":
      out.color = thin(colour.accent, 0.75);
      break;
    default:
      out.color = thin(colour.silk, lit || only ? 0.04 : 0.17);
  }
  return out;
}

function makeStage() {
  const canvas = el("canvas", { class: "behind", "aria-hidden": "true" });
  const stage = el("div", { class: "web-stage", id: "stage", tabindex: 0, role: "application", "aria-label": "The site as an orb web", "aria-describedby": "stage-help", "aria-keyshortcuts": "ArrowUp ArrowDown ArrowLeft ArrowRight T + - 0 Enter Escape" }, canvas);
  const side = el("div", { class: "card web-side", id: "side" });
  const still = el("p", { class: "notice", hidden: true }, "This browser offers no WebGL, so the picture stands still. The list of pages below tells the same.");
  viewOf("web").append(
    el("p", { class: "lead", id: "stage-help" }, "A ring is how many links a page is from the start, a thread is a link, a torn thread a broken one. Drag to move, scroll to zoom, click a page or the end of a torn thread."),
    still,
    el("div", { class: "web-frame" }, stage, side),
    el("details", { class: "knots", id: "knots" }, el("summary", {}, "All pages as a list"), el("div", {})));
  const w = { stage, canvas, side, colour: colours(), chosen: undefined, lit: null, arcs: null, way: new Set(), only: false };
  web = w;
  try {
    if (typeof OrbGraph === "undefined") throw new Error("no WebGL");
    const probe = document.createElement("canvas").getContext("webgl2") ?? document.createElement("canvas").getContext("webgl");
    if (!probe) throw new Error("no WebGL");
    probe.getExtension("WEBGL_lose_context")?.loseContext();
    startSigma(w);
  } catch (e) {
    w.sigma = null;
    w.graph = null;
    still.hidden = false;
    still.title = e.message;
    byId("knots").open = true;
    drawAll();
  }
  stage.addEventListener("keydown", onKey);
  new ResizeObserver(() => {
    if (stage.offsetWidth) drawAll(true);
  }).observe(stage);
  byId("knots").addEventListener("toggle", () => listKnots());
  if (byId("knots").open) listKnots();
}

function startSigma(w) {
  w.graph = makeGraph(Math.min(w.stage.offsetWidth, w.stage.offsetHeight));
  w.threads = 0;
  drawnThreads(() => w.threads++);
  w.across = w.threads <= THREADS_AT_ONCE;
  if (w.across) addThreads(w.graph, true);
  w.sigma = new OrbGraph.Sigma(w.graph, w.stage, {
    allowInvalidContainer: true,
    defaultEdgeType: "thread",
    edgeProgramClasses: threadPrograms(),
    nodeReducer,
    edgeReducer,
    zIndex: true,
    minEdgeThickness: 0.4,
    stagePadding: 8,
    labelFont: "system-ui, sans-serif",
    labelSize: 12,
    labelColor: { color: solid(w.colour.ink) },
    labelDensity: 0.5,
    labelGridCellSize: 180,
    // From afar only the hub is named, and what the reader points at.
    labelRenderedSizeThreshold: Math.max(4.5, 1.8 * w.graph.getNodeAttribute("0", "base")),
    hideEdgesOnMove: w.threads > 20_000,
    minCameraRatio: 0.004,
    maxCameraRatio: 2.5,
    enableCameraRotation: false,
    defaultDrawNodeHover: drawHover(w.colour),
    defaultDrawNodeLabel: drawLabel,
    inertiaDuration: calm.matches ? 0 : 200,
    zoomDuration: calm.matches ? 0 : 200,
  });
  w.sigma.setCustomBBox({ x: [-outermost, outermost], y: [-outermost, outermost] });
  w.sigma.on("afterRender", () => drawAll());
  w.sigma.on("clickNode", ({ node }) => {
    const n = w.graph.getNodeAttributes(node);
    if (n.kind === "end") openResult(n.result, knots[n.k].url);
    else choose(n.k);
  });
  w.sigma.on("clickStage", () => choose(undefined));
  w.sigma.on("enterNode", () => (w.stage.style.cursor = "pointer"));
  w.sigma.on("leaveNode", () => (w.stage.style.cursor = ""));
  w.stage.append(el("div", { class: "zoom" },
    button("+", () => zoom("in"), { "aria-label": "Zoom in" }),
    button("−", () => zoom("out"), { "aria-label": "Zoom out" }),
    button("⤢", () => zoom("all"), { "aria-label": "Show all", title: "Show all" })));
  w.sigma.refresh();
  w.stage.dataset.knots = w.graph.filterNodes((_, n) => n.kind !== "end").length;
}

// drawAll draws what lies behind the graph, or all of it where it stands alone.
function drawAll(resized = false) {
  const { sigma, stage, canvas, colour } = web;
  const ratio = devicePixelRatio || 1;
  const width = stage.offsetWidth, height = stage.offsetHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (!sigma) return drawStill(context, width, height, colour);
  if (resized) return void sigma.resize().refresh();
  const c = sigma.graphToViewport({ x: 0, y: 0 }), p = sigma.graphToViewport({ x: outermost, y: 0 });
  drawBehind(context, width, height, c, Math.hypot(p.x - c.x, p.y - c.y) / outermost, colour, web.arcs);
  stage.dataset.drawn = "";
}

// paintWeb follows a change of theme.
function paintWeb() {
  if (!web) return;
  web.colour = colours();
  web.sigma?.setSettings({ labelColor: { color: solid(web.colour.ink) }, defaultDrawNodeHover: drawHover(web.colour) });
  web.sigma?.refresh({ skipIndexation: true });
  drawAll();
}

function zoom(how) {
  const camera = web.sigma?.getCamera();
  if (!camera) return;
  const duration = calm.matches ? 0 : 250;
  if (how === "in") camera.animatedZoom({ duration });
  else if (how === "out") camera.animatedUnzoom({ duration });
  else camera.animatedReset({ duration });
}

const choose = (id) => go("web", { knot: id ?? null });

// openResult shows the finding about a result, at a page when it has one there.
function openResult(result, page) {
  const f = findings.find((f) => f.r.id === result);
  if (!f) return;
  let i = 0;
  while (i < f.r.listed && strings[f.r.places[4 * i]] !== page) i++;
  go("web", { open: f.id + (i > 0 && i < f.r.listed ? "." + i : "") });
}

// onKey goes from knot to knot.
function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target !== web.stage) return;
  const k = web.chosen === undefined ? undefined : knots[web.chosen];
  const to = (id) => {
    if (id !== undefined && id >= 0) choose(id);
    return true;
  };
  const along = (step) => {
    const ring = onRing(k.ring);
    return ring[(ring.indexOf(k.id) + step + ring.length) % ring.length];
  };
  const keys = {
    ArrowUp: () => to(k ? k.parent : 0),
    ArrowDown: () => to(k ? k.children[0] : 0),
    ArrowLeft: () => to(k ? along(-1) : 0),
    ArrowRight: () => to(k ? along(1) : 0),
    t: () => to(nextTorn(k?.id ?? -1)),
    T: () => to(nextTorn(k?.id ?? -1)),
    "+": () => zoom("in"),
    "=": () => zoom("in"),
    "-": () => zoom("out"),
    0: () => zoom("all"),
    Escape: () => choose(undefined),
    Enter: () => byId("side").querySelector("h3")?.focus(),
  };
  if (!Object.hasOwn(keys, e.key)) return;
  e.preventDefault();
  keys[e.key]();
}

const ringOf = new Map();
function onRing(ring) {
  if (!ringOf.has(ring)) ringOf.set(ring, knots.filter((k) => k.ring === ring).sort((a, b) => a.angle - b.angle).map((k) => k.id));
  return ringOf.get(ring);
}

function nextTorn(id) {
  const torn = knots.filter((k) => k.broken > 0).map((k) => k.id);
  return torn.find((t) => t > id) ?? torn[0];
}

// The text beside the picture.

function sideOfSite() {
  const { left, drawn } = data.web;
  const torn = knots.filter((k) => k.broken).length;
  const loose = knots.length - data.web.loose;
  const notes = [
    !drawn && "This report was saved without the site’s links: pages stand where their findings and addresses put them.",
    loose > 0 && `No link from the start leads to ${plural(loose, "page")}: the outermost ring.`,
    data.web.wide > 0 && `${plural(data.web.wide, "broken target")} on very many pages, probably by a template, ${data.web.wide === 1 ? "is" : "are"} not drawn: the list of findings begins with them.`,
    left.pages > 0 && `${plural(left.pages, "page")} farthest from the start are left out.`,
    web.sigma && threads.length / 2 > web.threads && `Of ${plural(threads.length / 2, "link")} across, those to the pages that fewest link to can be drawn.`,
    left.threads > 0 && `${plural(left.threads, "link")} to pages that very many link to are left out.`,
    left.torn > 0 && `${plural(left.torn, "broken link")} more are not drawn: the list of findings has them.`,
  ].filter(Boolean);
  const colour = (name) => el("span", { class: "dot " + name });
  const find = el("input", { type: "search", id: "find", autocomplete: "off", spellcheck: "false" });
  const found = el("ul", { class: "list", id: "found-knots" });
  find.addEventListener("input", () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    const all = words.length ? knots.filter((k) => words.every((word) => k.url.toLowerCase().includes(word) || k.title.toLowerCase().includes(word))) : [];
    found.replaceChildren(...all.slice(0, 12).map((k) => el("li", {}, knotButton(k.id))));
    announce(words.length ? plural(all.length, "page") + " found" : "");
  });
  return [
    el("h3", { tabindex: -1 }, plural(knotAt.size + left.pages, "page") + " on " + plural(data.web.rings + 1, "ring")),
    torn > 0 && el("p", { class: "note" }, plural(torn, "page") + (torn === 1 ? " has" : " have") + (data.web.wide ? " other" : "") + " broken links."),
    ...notes.map((n) => el("p", { class: "note" }, n)),
    el("div", { class: "field" }, el("label", { for: "find" }, "Find a page"), find), found,
    el("ul", { class: "legend" },
      el("li", {}, colour("broken"), "page with broken links, and torn threads"),
      el("li", {}, colour("unverified"), "page with warnings or what could not be told"),
      el("li", {}, colour("silk"), "page without findings"),
      el("li", {}, colour("accent"), "the way to the chosen page, and its links")),
    web.sigma && el("div", { class: "chips" },
      toggle(`Links across (${count(web.threads)})`, web.across, (on) => {
        web.across = on;
        addThreads(web.graph, on);
      }),
      torn > 0 && toggle("Torn only", web.only, (on) => {
        web.only = on;
        web.sigma.refresh({ skipIndexation: true });
      })),
    el("p", { class: "note" }, "By keyboard, on the web: ↑ the page before, ↓ the first page after, ← → along the ring, T the next page with torn threads, + − 0 zoom, Enter to the text here, Escape to let go."),
  ];
}

function toggle(name, on, change) {
  const box = el("input", { type: "checkbox" });
  box.checked = on;
  box.addEventListener("change", () => change(box.checked));
  return el("label", {}, box, name);
}

const knotButton = (id) => button(knots[id].name, () => choose(id), { class: "linklike", title: visible(knots[id].url) });

// listOf is a list of knots that shows a few at a time.
function listOf(name, ids, total) {
  if (total === 0) return null;
  const list = el("ul", { class: "list" });
  const more = button("", () => add(), { class: "small" });
  const add = () => {
    const from = list.children.length, to = Math.min(ids.length, from + NEIGHBOURS);
    for (const id of ids.slice(from, to)) list.append(el("li", {}, knotButton(id)));
    more.hidden = to >= ids.length;
    more.textContent = `Show ${Math.min(NEIGHBOURS, ids.length - to)} more`;
  };
  add();
  return el("section", {}, el("h3", {}, `${name} ${plural(total, "page")}`),
    list, more, total > ids.length && el("p", { class: "note" }, `${count(total - ids.length)} of them are not in this file.`));
}

function sideOfKnot(id) {
  const k = knots[id];
  const { to, from } = neighbours(id);
  const way = wayTo(id).slice(0, -1).filter((w) => knots[w].address >= 0);
  const broken = tears.get(id) ?? [];
  const distance = id >= data.web.loose ? "not linked to from the start" : k.ring === 0 ? "the start" : plural(k.ring, "link") + " from the start";
  return [
    el("h3", { tabindex: -1 }, k.name),
    k.url && el("p", {}, link(k.url)),
    el("p", { class: "note" }, distance),
    el("div", { class: "actions" },
      hasFindings(k.address) && button("Its findings", () => go("findings", { page: k.url }, { fresh: true })),
      k.url && button("Copy the address", () => copy(k.url, "the address")),
      button("Let go", () => {
        choose(undefined);
        web.stage.focus({ preventScroll: true });
      })),
    broken.length > 0 && el("section", {}, el("h3", {}, plural(k.broken, "torn thread")),
      el("ul", { class: "list" }, broken.map((r) => el("li", {}, button(visible(results[r].url), () => openResult(r, k.url), { class: "linklike url" }), " ", el("code", {}, visible(results[r].code))))),
      k.broken > broken.length && el("p", { class: "note" }, count(k.broken - broken.length) + " more in the list of findings.")),
    way.length > 0 && el("section", {}, el("h3", {}, "The way there"), el("ol", { class: "list" }, way.map((w) => el("li", {}, knotButton(w))))),
    listOf("Links to", to, k.out),
    listOf("Linked from", from, k.in),
  ];
}

// listKnots is the web as a table.
function listKnots(from = 0) {
  if (!byId("knots").open) return;
  const place = byId("knots").lastElementChild;
  const size = 100;
  const body = el("tbody", { role: "rowgroup" }, knots.slice(from, from + size).filter((k) => k.address >= 0).map((k) =>
    row(cell(k.id >= data.web.loose ? "–" : count(k.ring), "number"), cell([knotButton(k.id), k.title ? el("div", { class: "where url" }, visible(k.url)) : null], "wide"), cell(count(k.out), "number"), cell(count(k.in), "number"), cell(k.broken ? el("span", { class: "badge broken" }, count(k.broken) + " broken") : ""))));
  const columns = [{ name: "Ring", number: true }, { name: "Page" }, { name: "Links to", number: true }, { name: "Linked from", number: true }, { name: "Torn" }];
  const move = (to, name) => button(name, () => listKnots(to), { disabled: to < 0 || to >= knots.length });
  place.replaceChildren(table("Pages, from the start outward", columns, body, "", ""),
    knots.length > size ? el("div", { class: "pager" }, move(from - size, "Previous"), el("span", {}, `${count(from + 1)}–${count(Math.min(knots.length, from + size))} of ${count(knots.length)}`), move(from + size, "Next")) : "");
}

makers.set("web", () => {
  if (knots.length === 0) {
    if (!viewOf("web").querySelector(".empty")) viewOf("web").append(el("p", { class: "empty card" }, "No page to draw."));
    return;
  }
  const first = !web;
  if (first) makeStage();
  const id = parameter("knot") === "" ? undefined : Number(parameter("knot"));
  const chosen = id !== undefined && knots[id] ? id : undefined;
  if (!first && chosen === web.chosen) return;
  light(chosen);
  web.side.replaceChildren(...(chosen === undefined ? sideOfSite() : sideOfKnot(chosen)).filter(Boolean));
  web.side.scrollTop = 0;
  if (web.sigma && !(first && chosen === undefined)) {
    web.sigma.refresh({ skipIndexation: true });
    if (chosen !== undefined) bringIntoView(chosen);
  }
  const k = chosen === undefined ? null : knots[chosen];
  if (k) announce(`${k.name}, ring ${k.ring}, links to ${plural(k.out, "page")}, linked from ${plural(k.in, "page")}` + (k.broken ? `, ${plural(k.broken, "torn thread")}` : ""));
  web.stage.dataset.chosen = k ? k.url : "";
});

// bringIntoView moves the camera when the chosen knot is not on the stage.
function bringIntoView(id) {
  const { sigma, stage } = web;
  const k = knots[id], place = at(k.radius, k.angle);
  const p = sigma.graphToViewport(place);
  const margin = 40;
  if (p.x > margin && p.y > margin && p.x < stage.offsetWidth - margin && p.y < stage.offsetHeight - margin) return;
  const { x, y } = sigma.viewportToFramedGraph(p);
  sigma.getCamera().animate({ x, y }, { duration: calm.matches ? 0 : 300 });
}
