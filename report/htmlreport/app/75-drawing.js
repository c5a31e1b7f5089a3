// Drawing of the graph: colors, links and the background.

// Coordinates of nodes: the hub is at the center, and angle 0 is above it.
const TURN = 1e6;
const radians = (angle) => (2 * Math.PI * angle) / TURN;
const at = (radius, angle) => ({ x: radius * Math.sin(radians(angle)), y: radius * Math.cos(radians(angle)) });

// colors returns the colors of the current theme from the style sheet.
function colors() {
  const probe = el("span", { hidden: true });
  document.body.append(probe);
  const read = {};
  for (const name of ["ink", "muted", "panel", "raised", "line", "accent", "broken", "unverified", "graph", "ring", "bg"]) {
    probe.style.color = `var(--${name})`;
    read[name] = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  }
  probe.remove();
  return read;
}

const solid = ([r, g, b]) => `rgb(${r}, ${g}, ${b})`;
const faint = ([r, g, b], a) => `rgba(${r}, ${g}, ${b}, ${a})`;
// thin is faint for WebGL, which expects premultiplied colors.
const thin = ([r, g, b], a) => `rgba(${Math.round(r * a)}, ${Math.round(g * a)}, ${Math.round(b * a)}, ${a})`;

// edgePrograms returns the WebGL programs that draw links. A link of the tree begins at
// the ring of the parent, at an arc from the parent; a broken link has a gap. The classes
// are created on first use, since WebGL may be missing.
function edgePrograms() {
  const { EdgeRectangleProgram } = OrbGraph;
  class Spoke extends EdgeRectangleProgram {
    processVisibleItem(index, start, source, target, edge) {
      const from = { x: 0.5 + (target.x - 0.5) * edge.from, y: 0.5 + (target.y - 0.5) * edge.from };
      super.processVisibleItem(index, start, from, target, edge);
    }
  }
  class BrokenLink extends EdgeRectangleProgram {
    getDefinition() {
      const d = super.getDefinition();
      const put = (source, main, line) => {
        if (!source.includes(main)) throw new Error("the shader of the graph library is not the expected one");
        return source.replace(main, `varying float v_along;\n\n${main}\n${line}`);
      };
      return {
        ...d,
        VERTEX_SHADER_SOURCE: put(d.VERTEX_SHADER_SOURCE, "void main() {", "  v_along = a_positionCoef;"),
        FRAGMENT_SHADER_SOURCE: put(d.FRAGMENT_SHADER_SOURCE, "void main(void) {", "  if (v_along > 0.45 && v_along < 0.7) discard;"),
      };
    }
  }
  return { spoke: Spoke, link: EdgeRectangleProgram, "broken-link": BrokenLink };
}

// rings has the radius at which each ring begins.
const rings = [];
for (const k of nodes) rings[k.ring] = Math.min(rings[k.ring] ?? Infinity, k.radius);
const outermost = nodes.reduce((most, k) => Math.max(most, k.radius), 0) + 250;

// arcs lead along a ring from a page to the beginnings of the links to its children.
const arcs = nodes.filter((k) => k.radius > 0 && k.children.length > 0).map((k) => {
  const angles = k.children.map((c) => nodes[c].angle);
  return { radius: k.radius, from: angles.reduce((a, b) => Math.min(a, b), k.angle), to: angles.reduce((a, b) => Math.max(a, b), k.angle) };
});

// drawBehind draws the rings and arcs on a canvas. c is the position of the hub and scale
// is the number of pixels per unit.
function drawBehind(context, width, height, c, scale, color, highlighted) {
  context.clearRect(0, 0, width, height);
  const far = Math.hypot(Math.max(c.x, width - c.x), Math.max(c.y, height - c.y));
  const circle = (radius) => radius * scale < far * 1.5 && radius * scale > 2;
  context.lineWidth = 1;
  context.strokeStyle = faint(color.ring, 0.9);
  context.setLineDash([2, 4]);
  rings.forEach((radius, n) => {
    if (n === 0 || !circle(radius)) return;
    context.beginPath();
    context.arc(c.x, c.y, radius * scale, 0, 2 * Math.PI);
    context.stroke();
  });
  context.setLineDash([]);
  const up = (angle) => radians(angle) - Math.PI / 2;
  const strokeArcs = (list, style, lineWidth) => {
    context.strokeStyle = style;
    context.lineWidth = lineWidth;
    context.beginPath();
    for (const a of list) {
      if (!circle(a.radius) || a.from === a.to) continue;
      const r = a.radius * scale;
      context.moveTo(c.x + r * Math.cos(up(a.from)), c.y + r * Math.sin(up(a.from)));
      context.arc(c.x, c.y, r, up(a.from), up(a.to));
    }
    context.stroke();
  };
  strokeArcs(arcs, faint(color.graph, highlighted ? 0.25 : 0.7), 1);
  if (highlighted) strokeArcs(highlighted, solid(color.accent), 2);
  context.fillStyle = solid(color.muted);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  rings.forEach((radius, n) => {
    if (n === 0 || !circle(radius) || ((radius - (rings[n - 1] ?? 0)) * scale < 26 && n % 5 !== 0)) return;
    const loose = data.web.firstUnreached < nodes.length && n === data.web.rings;
    const text = loose ? "not linked from the start" : String(n);
    const y = c.y - radius * scale + 13;
    context.clearRect(c.x - context.measureText(text).width / 2 - 3, y - 7, context.measureText(text).width + 6, 14);
    context.fillText(text, c.x, y);
  });
}

// pathArcs returns the parts of arcs on the path to a node.
function pathArcs(path) {
  const list = [];
  for (let i = 1; i < path.length; i++) {
    const up = nodes[path[i - 1]], k = nodes[path[i]];
    if (up.radius > 0) list.push({ radius: up.radius, from: Math.min(up.angle, k.angle), to: Math.max(up.angle, k.angle) });
  }
  return list;
}

// drawStatic draws the complete graph on the canvas if WebGL is missing.
function drawStatic(context, width, height, color) {
  const c = { x: width / 2, y: height / 2 };
  const scale = (Math.min(width, height) / 2 - 12) / outermost;
  drawBehind(context, width, height, c, scale, color, null);
  const point = (radius, angle) => {
    const p = at(radius, angle);
    return [c.x + p.x * scale, c.y - p.y * scale];
  };
  context.strokeStyle = faint(color.graph, 0.6);
  context.beginPath();
  for (const k of nodes) {
    if (k.parent < 0) continue;
    context.moveTo(...point(nodes[k.parent].radius, k.angle));
    context.lineTo(...point(k.radius, k.angle));
  }
  context.stroke();
  const size = Math.max(1.2, Math.min(5, 40 * scale));
  for (const k of [...nodes].sort((a, b) => a.broken - b.broken)) {
    context.fillStyle = solid(k.broken ? color.broken : k.doubtful ? color.unverified : color.graph);
    context.beginPath();
    context.arc(...point(k.radius, k.angle), k.broken ? size * 1.4 : size, 0, 2 * Math.PI);
    context.fill();
  }
}

// drawLabel draws the name of a node beside it, unless drawHover does.
function drawLabel(context, node, settings) {
  if (!node.label || node.highlighted) return;
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  context.fillStyle = settings.labelColor.color;
  context.fillText(node.label, node.x + node.size + 3, node.y + settings.labelSize / 3);
}

// drawHover draws the name of a node above everything else.
function drawHover(color) {
  return (context, node, settings) => {
    const text = node.label ?? "";
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(text).width;
    const right = node.x + node.size + width + 20 < web.stage.offsetWidth;
    const x = right ? node.x + node.size + 4 : node.x - node.size - width - 16, y = node.y;
    context.beginPath();
    context.arc(node.x, node.y, node.size + 3, 0, 2 * Math.PI);
    context.lineWidth = 2;
    context.strokeStyle = solid(color.accent);
    context.stroke();
    if (!text) return;
    context.beginPath();
    context.roundRect(x, y - 11, width + 12, 22, 5);
    context.fillStyle = solid(color.raised);
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = solid(color.line);
    context.stroke();
    context.fillStyle = solid(color.ink);
    context.fillText(text, x + 6, y + settings.labelSize / 3);
  };
}
