// How the web is drawn: colours, threads, and what lies behind them.

// Places of knots, as the drawing wants them: the hub in the middle, angle 0 above it.
const TURN = 1e6;
const radians = (angle) => (2 * Math.PI * angle) / TURN;
const at = (radius, angle) => ({ x: radius * Math.sin(radians(angle)), y: radius * Math.cos(radians(angle)) });

// colours reads the colours of the theme from the style sheet.
function colours() {
  const probe = el("span", { hidden: true });
  document.body.append(probe);
  const read = {};
  for (const name of ["ink", "muted", "panel", "raised", "line", "accent", "broken", "unverified", "silk", "ring", "bg"]) {
    probe.style.color = `var(--${name})`;
    read[name] = getComputedStyle(probe).color.match(/[\d.]+/g).slice(0, 3).map(Number);
  }
  probe.remove();
  return read;
}

const solid = ([r, g, b]) => `rgb(${r}, ${g}, ${b})`;
const faint = ([r, g, b], a) => `rgba(${r}, ${g}, ${b}, ${a})`;
// thin is faint for WebGL, which wants the colours multiplied already.
const thin = ([r, g, b], a) => `rgba(${Math.round(r * a)}, ${Math.round(g * a)}, ${Math.round(b * a)}, ${a})`;

// threadPrograms are what WebGL draws threads by. A spoke does not come from the
// page before but from that page's ring, where an arc leads to it; a torn thread has
// a gap. They are made when they are first used, for there may be no WebGL.
function threadPrograms() {
  const { EdgeRectangleProgram } = OrbGraph;
  class Spoke extends EdgeRectangleProgram {
    processVisibleItem(index, start, source, target, edge) {
      const from = { x: 0.5 + (target.x - 0.5) * edge.from, y: 0.5 + (target.y - 0.5) * edge.from };
      super.processVisibleItem(index, start, from, target, edge);
    }
  }
  class Torn extends EdgeRectangleProgram {
    getDefinition() {
      const d = super.getDefinition();
      const put = (source, main, line) => {
        if (!source.includes(main)) throw new Error("the graph library's shader is another than this was written for");
        return source.replace(main, `varying float v_along;\n\n${main}\n${line}`);
      };
      return {
        ...d,
        VERTEX_SHADER_SOURCE: put(d.VERTEX_SHADER_SOURCE, "void main() {", "  v_along = a_positionCoef;"),
        FRAGMENT_SHADER_SOURCE: put(d.FRAGMENT_SHADER_SOURCE, "void main(void) {", "  if (v_along > 0.45 && v_along < 0.7) discard;"),
      };
    }
  }
  return { spoke: Spoke, thread: EdgeRectangleProgram, torn: Torn };
}

// rings are the radius at which each ring begins.
const rings = [];
for (const k of knots) rings[k.ring] = Math.min(rings[k.ring] ?? Infinity, k.radius);
const outermost = knots.reduce((most, k) => Math.max(most, k.radius), 0) + 250;

// arcs lead along a ring from a page to where the spokes of its children begin.
const arcs = knots.filter((k) => k.radius > 0 && k.children.length > 0).map((k) => {
  const angles = k.children.map((c) => knots[c].angle);
  return { radius: k.radius, from: angles.reduce((a, b) => Math.min(a, b), k.angle), to: angles.reduce((a, b) => Math.max(a, b), k.angle) };
});

// drawBehind draws the rings and the arcs on a canvas, for a camera that shows the
// hub at c and is so many pixels a unit.
function drawBehind(context, width, height, c, scale, colour, lit) {
  context.clearRect(0, 0, width, height);
  const far = Math.hypot(Math.max(c.x, width - c.x), Math.max(c.y, height - c.y));
  const circle = (radius) => radius * scale < far * 1.5 && radius * scale > 2;
  context.lineWidth = 1;
  context.strokeStyle = faint(colour.ring, 0.9);
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
  strokeArcs(arcs, faint(colour.silk, lit ? 0.25 : 0.7), 1);
  if (lit) strokeArcs(lit, solid(colour.accent), 2);
  context.fillStyle = solid(colour.muted);
  context.font = "11px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  rings.forEach((radius, n) => {
    if (n === 0 || !circle(radius) || ((radius - (rings[n - 1] ?? 0)) * scale < 26 && n % 5 !== 0)) return;
    const loose = data.web.loose < knots.length && n === data.web.rings;
    const text = loose ? "not linked to" : String(n);
    const y = c.y - radius * scale + 13;
    context.clearRect(c.x - context.measureText(text).width / 2 - 3, y - 7, context.measureText(text).width + 6, 14);
    context.fillText(text, c.x, y);
  });
}

// litArcs are the parts of arcs on the way to a knot.
function litArcs(way) {
  const list = [];
  for (let i = 1; i < way.length; i++) {
    const up = knots[way[i - 1]], k = knots[way[i]];
    if (up.radius > 0) list.push({ radius: up.radius, from: Math.min(up.angle, k.angle), to: Math.max(up.angle, k.angle) });
  }
  return list;
}

// drawStill draws the whole web on the canvas behind, where there is no WebGL.
function drawStill(context, width, height, colour) {
  const c = { x: width / 2, y: height / 2 };
  const scale = (Math.min(width, height) / 2 - 12) / outermost;
  drawBehind(context, width, height, c, scale, colour, null);
  const point = (radius, angle) => {
    const p = at(radius, angle);
    return [c.x + p.x * scale, c.y - p.y * scale];
  };
  context.strokeStyle = faint(colour.silk, 0.6);
  context.beginPath();
  for (const k of knots) {
    if (k.parent < 0) continue;
    context.moveTo(...point(knots[k.parent].radius, k.angle));
    context.lineTo(...point(k.radius, k.angle));
  }
  context.stroke();
  const size = Math.max(1.2, Math.min(5, 40 * scale));
  for (const k of [...knots].sort((a, b) => a.broken - b.broken)) {
    context.fillStyle = solid(k.broken ? colour.broken : k.doubtful ? colour.unverified : colour.silk);
    context.beginPath();
    context.arc(...point(k.radius, k.angle), k.broken ? size * 1.4 : size, 0, 2 * Math.PI);
    context.fill();
  }
}

// drawLabel draws the name of a knot beside it, unless drawHover does.
function drawLabel(context, node, settings) {
  if (!node.label || node.highlighted) return;
  context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
  context.fillStyle = settings.labelColor.color;
  context.fillText(node.label, node.x + node.size + 3, node.y + settings.labelSize / 3);
}

// drawHover draws the name of a knot over everything else.
function drawHover(colour) {
  return (context, node, settings) => {
    const text = node.label ?? "";
    context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`;
    const width = context.measureText(text).width;
    const right = node.x + node.size + width + 20 < web.stage.offsetWidth;
    const x = right ? node.x + node.size + 4 : node.x - node.size - width - 16, y = node.y;
    context.beginPath();
    context.arc(node.x, node.y, node.size + 3, 0, 2 * Math.PI);
    context.lineWidth = 2;
    context.strokeStyle = solid(colour.accent);
    context.stroke();
    if (!text) return;
    context.beginPath();
    context.roundRect(x, y - 11, width + 12, 22, 5);
    context.fillStyle = solid(colour.raised);
    context.fill();
    context.lineWidth = 1;
    context.strokeStyle = solid(colour.line);
    context.stroke();
    context.fillStyle = solid(colour.ink);
    context.fillText(text, x + 6, y + settings.labelSize / 3);
  };
}
