// The map of the site, by directory or by distance from the start. By distance, the ring of a page is its distance from the start in links.
// The list of pages below the picture gives the same information to readers who cannot
// see it.

const DIM = 0.2;
const MAX_INITIAL_CROSS_LINKS = 3000; // if there are more, links outside the tree are drawn only on request
const MAX_CROSS_LINKS = 60_000; // maximum number that is drawn
const MAX_NEIGHBORS = 15; // that are listed at once

let web = null; // state of the view

// neighbors returns the pages that a page links to, and those that link to it, if the
// file contains them.
let linked = null;
function neighbors(id) {
  if (!linked) {
    linked = { to: nodes.map(() => []), from: nodes.map(() => []) };
    const put = (a, b) => {
      linked.to[a].push(b);
      linked.from[b].push(a);
    };
    for (const k of nodes) if (k.parent >= 0 && nodes[k.parent].address >= 0) put(k.parent, k.id);
    eachCrossLink(put);
  }
  return { to: linked.to[id], from: linked.from[id] };
}

function eachCrossLink(visit) {
  for (let n = 0; n < crossLinks.length; n += 2) visit(crossLinks[n], crossLinks[n + 1]);
}

// drawnCrossLinks calls visit for the links outside the tree that are drawn. If there are
// too many, it omits links to the pages that the most pages link to: a link that is on
// every page says little.
function drawnCrossLinks(visit) {
  const count = [];
  eachCrossLink((_, b) => (count[nodes[b].in] = (count[nodes[b].in] ?? 0) + 1));
  let most = 0, sum = 0;
  while (most < count.length && sum + (count[most] ?? 0) <= MAX_CROSS_LINKS) sum += count[most++] ?? 0;
  eachCrossLink((a, b) => {
    if (nodes[b].in < most) visit(a, b);
  });
}

const brokenResults = new Map(); // node: results of its broken links
for (let i = 0; i < data.web.broken.length; i += 2) {
  const list = brokenResults.get(data.web.broken[i]);
  if (list) list.push(data.web.broken[i + 1]);
  else brokenResults.set(data.web.broken[i], [data.web.broken[i + 1]]);
}

// nodeSize returns the radius of a node, given its room in pixels.
const nodeSize = (room) => Math.max(1.1, Math.min(6, room * 0.3));

// createGraph passes nodes, links of the tree and broken links to the graph library.
function createGraph(pixels) {
  const graph = new OrbGraph.Graph({ multi: true, type: "directed" });
  const room = (pixels / (2 * outermost)) * 100; // pixels for each node
  const size = nodeSize(room);
  for (const k of nodes) {
    const bigger = k.radius === 0 ? 1.9 : k.broken ? 1.45 : k.children.length ? 1.2 : 1;
    graph.addNode(String(k.id), { ...at(k.radius, k.angle), size: size * bigger, base: size, label: clip(k.name, 60), kind: k.broken ? "broken" : k.doubtful ? "doubtful" : "page", k: k.id, zIndex: k.broken ? 2 : 1 });
    if (k.parent >= 0) graph.addEdge(String(k.parent), String(k.id), { type: "spoke", kind: "spoke", from: nodes[k.parent].radius / Math.max(1, k.radius), size: Math.min(1, size / 3), child: k.id });
  }
  for (const [id, list] of brokenResults) {
    const k = nodes[id], home = at(k.radius, k.angle);
    list.forEach((result, i) => {
      const spread = k.radius === 0 ? TURN / list.length : Math.min(TURN / 9, TURN / 3 / list.length);
      const offset = at(150 - 25 * (i % 2), k.angle + (i - (list.length - 1) / 2) * spread);
      const end = `t${id}.${result}`;
      graph.addNode(end, { x: home.x + offset.x, y: home.y + offset.y, size: Math.max(0.7, size * 0.5), label: clip(visible(results[result].url), 60), kind: "end", k: id, result, zIndex: 3 });
      graph.addEdge(String(id), end, { type: "broken-link", kind: "broken-link", size: Math.max(0.7, Math.min(1.6, size / 2)), child: id, zIndex: 2 });
    });
  }
  return graph;
}

function showCrossLinks(graph, on) {
  if (!on) {
    graph.filterEdges((_, e) => e.kind === "cross-link").forEach((e) => graph.dropEdge(e));
    return;
  }
  drawnCrossLinks((a, b) => graph.addEdge(String(a), String(b), { type: "link", kind: "cross-link", size: 0.4 }));
}

// highlight shows the selected node's path from the start and its links.
function highlight(id) {
  const w = web;
  w.graph?.filterEdges((_, e) => e.kind === "own").forEach((e) => w.graph.dropEdge(e));
  w.chosen = id;
  w.highlighted = null;
  w.arcs = null;
  if (id === undefined) return;
  const path = pathTo(id), { to, from } = neighbors(id);
  w.path = new Set(path);
  w.highlighted = new Set([...path, ...to, ...from]);
  w.arcs = pathArcs(path);
  if (!w.graph) return;
  for (const n of to) w.graph.addEdge(String(id), String(n), { type: "link", kind: "own", size: 1, zIndex: 1 });
  for (const n of from) if (!to.includes(n)) w.graph.addEdge(String(n), String(id), { type: "link", kind: "own", size: 0.6, zIndex: 1 });
}

const nodeColor = (kind, c) => ({ broken: c.broken, doubtful: c.unverified, end: c.broken, page: c.graph })[kind];

function nodeReducer(node, attributes) {
  const { chosen, highlighted, color, only } = web;
  const { kind, k } = attributes;
  let base = nodeColor(kind, color);
  if (kind === "page" && (k === chosen || (highlighted && web.path.has(k)))) base = color.accent;
  const out = { ...attributes, color: solid(base) };
  const dim = highlighted ? !(highlighted.has(k) && (kind !== "end" || k === chosen)) : only && kind !== "broken" && kind !== "end";
  if (dim) {
    out.color = thin(base, DIM);
    out.label = null;
    out.zIndex = 0;
  } else if (k === chosen && kind !== "end") {
    out.highlighted = true;
    out.size = Math.max(6, attributes.size * 1.6);
    out.zIndex = 4;
  } else if (highlighted && kind === "page") {
    out.size = Math.max(2.5, attributes.size);
  }
  if (kind === "end" && k !== chosen) out.label = null;
  return out;
}

function edgeReducer(edge, attributes) {
  const { chosen, highlighted, color, only } = web;
  const { kind, child } = attributes;
  const out = { ...attributes };
  switch (kind) {
    case "spoke":
      if (highlighted && web.path.has(child)) {
        out.color = solid(color.accent);
        out.size = 1.8;
        out.zIndex = 2;
      } else out.color = thin(color.graph, highlighted || only ? DIM : 0.75);
      break;
    case "broken-link":
      out.color = highlighted && child !== chosen ? thin(color.broken, DIM) : solid(color.broken);
      break;
    case "own":
      out.color = thin(color.accent, 0.75);
      break;
    default:
      out.color = thin(color.graph, highlighted || only ? 0.04 : 0.17);
  }
  return out;
}

// createMap creates what both forms of the map have in common.
let map = null;
function createMap() {
  const kinds = [["directory", "By directory"], ["distance", "By distance from the start"]].map(([value, name]) => {
    const radio = el("input", { type: "radio", name: "form", value });
    radio.addEventListener("change", () => go("map", { by: value === usualForm() ? null : value, node: null, dir: null, own: null }));
    return { radio, label: el("label", {}, radio, name) };
  });
  const find = el("input", { type: "search", id: "find", autocomplete: "off", spellcheck: "false" });
  const found = el("ul", { class: "list", id: "found-pages" });
  const search = () => {
    const words = find.value.toLowerCase().split(/\s+/).filter(Boolean);
    return words.length ? pageNodes.filter((k) => words.every((word) => k.url.toLowerCase().includes(word) || k.title.toLowerCase().includes(word))) : [];
  };
  find.addEventListener("input", () => {
    const all = search();
    found.replaceChildren(...all.slice(0, 12).map((k) => el("li", {}, nodeButton(k.id))));
    announce(find.value.trim() ? plural(all.length, "page") + " found" : "");
  });
  find.addEventListener("keydown", (e) => {
    if (e.key !== "Enter" || e.isComposing) return;
    e.preventDefault();
    const [first] = search();
    if (!first) return;
    found.replaceChildren();
    choose(first.id);
    map.side.querySelector("h3")?.focus();
  });
  const side = el("div", { class: "card web-side", id: "side" });
  const frame = el("div", { class: "web-frame" }, side);
  const pages = el("details", { class: "pages-list", id: "pages" }, el("summary", {}, "All pages as a list"), el("div", {}));
  const lead = el("p", { class: "lead", id: "stage-help" });
  viewOf("map").append(lead,
    el("div", { class: "tools" },
      el("fieldset", {}, el("legend", {}, "Map"), el("div", { class: "chips" }, kinds.map((k) => k.label))),
      el("div", { class: "field grow" }, el("label", { for: "find" }, "Find a page"), find)),
    found, frame, pages);
  pages.addEventListener("toggle", () => listNodes());
  map = { kinds, side, frame, lead, shown: "" };
}

const usualForm = () => (pageNodes.length >= MANY_PAGES ? "directory" : "distance");
const formOf = () => (["directory", "distance"].includes(parameter("by")) ? parameter("by") : usualForm());

// createTiles creates the map by directory.
function createTiles() {
  const stage = el("div", { class: "tiles-stage", id: "tiles", role: "group", "aria-label": "Directories of the site, by their numbers of pages" });
  map.frame.prepend(stage);
  map.tiles = stage;
  new ResizeObserver(() => {
    if (stage.offsetWidth && map.ratio !== (map.ratio = (stage.offsetHeight / stage.offsetWidth).toFixed(1))) drawDirectories(stage, directoryAt(parameter("dir")));
  }).observe(stage);
}

function createStage() {
  const canvas = el("canvas", { class: "behind", "aria-hidden": "true" });
  const stage = el("div", { class: "web-stage", id: "stage", tabindex: 0, role: "application", "aria-label": "Map of the site by distance from the start", "aria-describedby": "stage-help", "aria-keyshortcuts": "ArrowUp ArrowDown ArrowLeft ArrowRight T + - 0 Enter Escape" }, canvas);
  const side = map.side;
  const still = el("p", { class: "notice", hidden: true }, "This browser does not support WebGL, so the picture is static. The list of pages below has the same information.");
  map.frame.before(still);
  map.frame.prepend(stage);
  const w = { stage, canvas, side, color: colors(), chosen: undefined, highlighted: null, arcs: null, path: new Set(), only: false };
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
    byId("pages").open = true;
    drawAll();
  }
  stage.addEventListener("keydown", onKey);
  new ResizeObserver(() => {
    if (stage.offsetWidth) drawAll(true);
  }).observe(stage);
  if (byId("pages").open) listNodes();
}

function startSigma(w) {
  w.graph = createGraph(Math.min(w.stage.offsetWidth, w.stage.offsetHeight));
  w.crossLinks = 0;
  drawnCrossLinks(() => w.crossLinks++);
  w.across = w.crossLinks <= MAX_INITIAL_CROSS_LINKS;
  if (w.across) showCrossLinks(w.graph, true);
  w.sigma = new OrbGraph.Sigma(w.graph, w.stage, {
    allowInvalidContainer: true,
    defaultEdgeType: "link",
    edgeProgramClasses: edgePrograms(),
    nodeReducer,
    edgeReducer,
    zIndex: true,
    minEdgeThickness: 0.4,
    stagePadding: 8,
    labelFont: "system-ui, sans-serif",
    labelSize: 12,
    labelColor: { color: solid(w.color.ink) },
    labelDensity: 0.5,
    labelGridCellSize: 180,
    // When zoomed out, only the hub and the node under the pointer have labels.
    labelRenderedSizeThreshold: Math.max(4.5, 1.8 * w.graph.getNodeAttribute("0", "base")),
    hideEdgesOnMove: w.crossLinks > 20_000,
    minCameraRatio: 0.004,
    maxCameraRatio: 2.5,
    enableCameraRotation: false,
    defaultDrawNodeHover: drawHover(w.color),
    defaultDrawNodeLabel: drawLabel,
    inertiaDuration: reducedMotion.matches ? 0 : 200,
    zoomDuration: reducedMotion.matches ? 0 : 200,
  });
  w.sigma.setCustomBBox({ x: [-outermost, outermost], y: [-outermost, outermost] });
  w.sigma.on("afterRender", () => drawAll());
  w.sigma.on("clickNode", ({ node }) => {
    const n = w.graph.getNodeAttributes(node);
    if (n.kind === "end") openResult(n.result, nodes[n.k].url);
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
  w.stage.dataset.pages = w.graph.filterNodes((_, n) => n.kind !== "end").length;
}

// drawAll draws the background of the graph, or the complete static graph.
function drawAll(resized = false) {
  const { sigma, stage, canvas, color } = web;
  const ratio = devicePixelRatio || 1;
  const width = stage.offsetWidth, height = stage.offsetHeight;
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  if (!sigma) return drawStatic(context, width, height, color);
  if (resized) return void sigma.resize().refresh();
  const c = sigma.graphToViewport({ x: 0, y: 0 }), p = sigma.graphToViewport({ x: outermost, y: 0 });
  drawBehind(context, width, height, c, Math.hypot(p.x - c.x, p.y - c.y) / outermost, color, web.arcs);
  stage.dataset.drawn = "";
}

// applyTheme redraws the graph in the colors of the theme.
function applyTheme() {
  if (!web) return;
  web.color = colors();
  web.sigma?.setSettings({ labelColor: { color: solid(web.color.ink) }, defaultDrawNodeHover: drawHover(web.color) });
  web.sigma?.refresh({ skipIndexation: true });
  drawAll();
}

function zoom(how) {
  const camera = web.sigma?.getCamera();
  if (!camera) return;
  const duration = reducedMotion.matches ? 0 : 250;
  if (how === "in") camera.animatedZoom({ duration });
  else if (how === "out") camera.animatedUnzoom({ duration });
  else camera.animatedReset({ duration });
}

const choose = (id) => go("map", { node: id ?? null });

// openResult shows the finding for a result, at a page if it has one there.
function openResult(result, page) {
  const f = findings.find((f) => f.r.id === result);
  if (!f) return;
  let i = 0;
  while (i < f.r.listed && (strings[f.r.places[4 * i]] !== page || !concerns(f, i))) i++;
  go("map", { open: f.id + (i > 0 && i < f.r.listed ? "." + i : "") });
}

// onKey moves the selection from node to node.
function onKey(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target !== web.stage) return;
  const k = web.chosen === undefined ? undefined : nodes[web.chosen];
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
    t: () => to(nextBroken(k?.id ?? -1)),
    T: () => to(nextBroken(k?.id ?? -1)),
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
  if (!ringOf.has(ring)) ringOf.set(ring, nodes.filter((k) => k.ring === ring).sort((a, b) => a.angle - b.angle).map((k) => k.id));
  return ringOf.get(ring);
}

function nextBroken(id) {
  const broken = nodes.filter((k) => k.broken > 0).map((k) => k.id);
  return broken.find((t) => t > id) ?? broken[0];
}

// The panel beside the picture.

function sitePanel() {
  const { omitted, drawn } = data.web;
  const broken = nodes.filter((k) => k.broken).length;
  const loose = nodes.length - data.web.firstUnreached;
  const notes = [
    !drawn && "This report was saved without the links of the site. Pages are placed by their findings and URLs.",
    loose > 0 && `The outermost ring has ${plural(loose, "page")} that no link from the start leads to.`,
    data.web.siteWide > 0 && `${plural(data.web.siteWide, "broken target")} on very many pages, probably in a template, ${data.web.siteWide === 1 ? "is" : "are"} not drawn. The list of findings begins with ${data.web.siteWide === 1 ? "it" : "them"}.`,
    omitted.pages > 0 && `Not drawn: ${plural(omitted.pages, "page")} farthest from the start.`,
    web.sigma && crossLinks.length / 2 > web.crossLinks && `There are ${plural(crossLinks.length / 2, "link")} outside the tree, which are too many to draw. Links to the most frequently linked pages are omitted.`,
    omitted.crossLinks > 0 && `Not drawn: ${plural(omitted.crossLinks, "link")} to pages that very many pages link to.`,
    omitted.broken > 0 && `Not drawn: ${plural(omitted.broken, "more broken link")}. The list of findings has all of them.`,
  ].filter(Boolean);
  const color = (name) => el("span", { class: "dot " + name });
  return [
    el("h3", { tabindex: -1 }, plural(nodeAt.size + omitted.pages, "page") + " on " + plural(data.web.rings + 1, "ring")),
    broken > 0 && el("p", { class: "note" }, plural(broken, "page") + (broken === 1 ? " has" : " have") + (data.web.siteWide ? " other" : "") + " broken links."),
    ...notes.map((n) => el("p", { class: "note" }, n)),
    el("ul", { class: "legend" },
      el("li", {}, color("broken"), "page with broken links, or a broken link"),
      el("li", {}, color("unverified"), "page with warnings or unverified links"),
      el("li", {}, color("graph"), "page without findings"),
      el("li", {}, color("accent"), "path to the selected page, and its links")),
    web.sigma && el("div", { class: "chips" },
      toggle(`Links outside the tree (${count(web.crossLinks)})`, web.across, (on) => {
        web.across = on;
        showCrossLinks(web.graph, on);
      }),
      broken > 0 && toggle("Only broken links", web.only, (on) => {
        web.only = on;
        web.sigma.refresh({ skipIndexation: true });
      })),
    el("p", { class: "note" }, "Keys in the map: ↑ parent page, ↓ first child page, ← → along the ring, T next page with broken links, + − 0 zoom, Enter moves to this panel, Escape clears the selection."),
  ];
}

function toggle(name, on, change) {
  const box = el("input", { type: "checkbox" });
  box.checked = on;
  box.addEventListener("change", () => change(box.checked));
  return el("label", {}, box, name);
}

const nodeButton = (id) => button(nodes[id].name, () => choose(id), { class: "linklike", title: visible(nodes[id].url) });

// listOf returns a list of nodes that shows a few at a time.
function listOf(name, ids, total) {
  if (total === 0) return null;
  const list = el("ul", { class: "list" });
  const more = button("", () => add(), { class: "small" });
  const add = () => {
    const from = list.children.length, to = Math.min(ids.length, from + MAX_NEIGHBORS);
    for (const id of ids.slice(from, to)) list.append(el("li", {}, nodeButton(id)));
    more.hidden = to >= ids.length;
    more.textContent = `Show ${Math.min(MAX_NEIGHBORS, ids.length - to)} more`;
  };
  add();
  return el("section", {}, el("h3", {}, `${name} ${plural(total, "page")}`),
    list, more, total > ids.length && el("p", { class: "note" }, `${count(total - ids.length)} of them are not in this file.`));
}

function nodePanel(id) {
  const k = nodes[id];
  const { to, from } = neighbors(id);
  const path = pathTo(id).slice(0, -1).filter((w) => nodes[w].address >= 0);
  const broken = brokenResults.get(id) ?? [];
  const distance = id >= data.web.firstUnreached ? "not linked from the start" : k.ring === 0 ? "the start" : plural(k.ring, "link") + " from the start";
  return [
    el("h3", { tabindex: -1 }, k.name),
    k.url && el("p", {}, link(k.url)),
    el("p", { class: "note" }, distance),
    el("div", { class: "actions" },
      hasFindings(k.address) && button("Show findings", () => go("findings", { page: k.url }, { fresh: true })),
      k.url && button("Copy URL", () => copy(k.url, "the URL")),
      button("Clear selection", () => {
        choose(undefined);
        (formOf() === "distance" ? web.stage : map.side.querySelector("h3"))?.focus({ preventScroll: true });
      })),
    broken.length > 0 && el("section", {}, el("h3", {}, plural(k.broken, "broken link")),
      el("ul", { class: "list" }, broken.map((r) => el("li", {}, button(visible(results[r].url), () => openResult(r, k.url), { class: "linklike url" }), " ", el("code", {}, visible(results[r].code))))),
      k.broken > broken.length && el("p", { class: "note" }, count(k.broken - broken.length) + " more in the list of findings.")),
    path.length > 0 && el("section", {}, el("h3", {}, "Path from the start"), el("ol", { class: "list" }, path.map((w) => el("li", {}, nodeButton(w))))),
    listOf("Links to", to, k.out),
    listOf("Linked from", from, k.in),
  ];
}

// listNodes shows the graph as a table.
function listNodes(from = 0) {
  if (!byId("pages").open) return;
  const place = byId("pages").lastElementChild;
  const size = 100;
  const body = el("tbody", { role: "rowgroup" }, nodes.slice(from, from + size).filter((k) => k.address >= 0).map((k) =>
    row(cell(k.id >= data.web.firstUnreached ? "–" : count(k.ring), "number"), cell([nodeButton(k.id), k.title ? el("div", { class: "where url" }, visible(k.url)) : null], "wide"), cell(count(k.out), "number"), cell(count(k.in), "number"), cell(k.broken ? el("span", { class: "badge broken" }, count(k.broken) + " broken") : ""))));
  const columns = [{ name: "Ring", number: true }, { name: "Page" }, { name: "Links to", number: true }, { name: "Linked from", number: true }, { name: "Broken links" }];
  const move = (to, name) => button(name, () => listNodes(to), { disabled: to < 0 || to >= nodes.length });
  place.replaceChildren(table("Pages by distance from the start", columns, body, "", ""),
    nodes.length > size ? el("div", { class: "pager" }, move(from - size, "Previous"), el("span", {}, `${count(from + 1)}–${count(Math.min(nodes.length, from + size))} of ${count(nodes.length)}`), move(from + size, "Next")) : "");
}

renderers.set("map", () => {
  if (nodes.length === 0) {
    if (!viewOf("map").querySelector(".empty")) viewOf("map").append(el("p", { class: "empty card" }, "There are no pages to draw."));
    return;
  }
  if (!map) createMap();
  const form = formOf();
  for (const k of map.kinds) k.radio.checked = k.radio.value === form;
  const id = parameter("node") === "" ? undefined : Number(parameter("node"));
  const chosen = id !== undefined && nodes[id] ? id : undefined;
  const key = [form, chosen, parameter("dir"), parameter("own")].join("\n");
  if (map.shown === key) return;
  map.shown = key;
  const byDirectory = form === "directory";
  if (byDirectory && !map.tiles) createTiles();
  if (map.tiles) map.tiles.hidden = !byDirectory;
  const first = !byDirectory && !web;
  if (web) web.stage.hidden = byDirectory;
  if (byDirectory) return showDirectories(chosen);
  map.lead.textContent = "A page’s ring shows how many links it is from the start. Lines are links; a line with a gap is a broken link. Drag to move, scroll to zoom, and click a page or the end of a broken link for details.";
  if (first) createStage();
  highlight(chosen);
  web.side.replaceChildren(...(chosen === undefined ? sitePanel() : nodePanel(chosen)).filter(Boolean));
  web.side.scrollTop = 0;
  if (web.sigma && !(first && chosen === undefined)) {
    web.sigma.refresh({ skipIndexation: true });
    if (chosen !== undefined) bringIntoView(chosen);
  }
  const k = chosen === undefined ? null : nodes[chosen];
  if (k) announce(`${k.name}, ring ${k.ring}, links to ${plural(k.out, "page")}, linked from ${plural(k.in, "page")}` + (k.broken ? `, ${plural(k.broken, "broken link")}` : ""));
  web.stage.dataset.chosen = k ? k.url : "";
});

function showDirectories(chosen) {
  map.lead.textContent = "A rectangle is a directory; its area shows how many pages are below it, and its color whether pages have broken links. Select one to look into it.";
  const dir = directoryAt(parameter("dir"));
  drawDirectories(map.tiles, dir);
  map.side.replaceChildren(...(chosen === undefined ? directoryPanel(dir, parameter("own")) : nodePanel(chosen)).filter(Boolean));
  map.side.scrollTop = 0;
  announce(chosen === undefined ? visible(dir.path || dir.name) + ": " + partText(dir) : nodes[chosen].name);
}

// bringIntoView moves the camera if the selected node is not visible.
function bringIntoView(id) {
  const { sigma, stage } = web;
  const k = nodes[id], place = at(k.radius, k.angle);
  const p = sigma.graphToViewport(place);
  const margin = 40;
  if (p.x > margin && p.y > margin && p.x < stage.offsetWidth - margin && p.y < stage.offsetHeight - margin) return;
  const { x, y } = sigma.viewportToFramedGraph(p);
  sigma.getCamera().animate({ x, y }, { duration: reducedMotion.matches ? 0 : 300 });
}
