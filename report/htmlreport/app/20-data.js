// The data that format_html_data.go writes. All strings are in one table, and arrays
// contain indexes of this table.

const data = JSON.parse(byId("data").textContent);
byId("data").remove();

const strings = data.strings;
const VERDICTS = ["ok", "broken", "unverified", "skipped", "warning", "info"];
const WORDS = ["broken", "unverified", "warning", "info", "ok", "skipped"]; // most severe first
const isFinding = (word) => WORDS.indexOf(word) < WORDS.indexOf("info"); // the others are listed on request
const COMMAND_LINE = "command line";
const shown = new Set(data.show);
const codes = new Map(data.codes.map((c) => [c.code, c]));
const codeOf = (code) => codes.get(code) ?? { code, title: "", explanation: "", advice: "", severity: "warning", ofPage: false, group: "" };

// Result is one target, or one finding of a content check about a page. It keeps its array, since the search reads the string indexes.
class Result {
  constructor(id, a) {
    this.id = id;
    this.a = a;
    this.places = a[16];
  }
  get url() { return strings[this.a[0]]; }
  get verdict() { return VERDICTS[this.a[1]]; }
  get code() { return strings[this.a[2]]; }
  get message() { return strings[this.a[3]]; }
  get internal() { return this.a[4] === 1; }
  get host() { return strings[this.a[5]]; }
  get status() { return this.a[6]; }
  get attempts() { return this.a[7]; }
  get elapsed() { return this.a[8]; }
  get final() { return strings[this.a[9]]; }
  get type() { return strings[this.a[10]]; }
  get size() { return this.a[11]; }
  get redirects() { return this.a[12].map(([url, status]) => ({ url: strings[url], status })); }
  get warnings() { return this.a[13].map(([code, message, proposal, level]) => ({ code: strings[code], message: strings[message], proposal: strings[proposal], level: strings[level] })); }
  get suggestions() { return this.a[14].map(([url, why]) => ({ url: strings[url], why: strings[why] })); }
  // proposal is the URL that should replace the links to it, if that is certain.
  get proposal() { return this.a[17].length ? { url: strings[this.a[17][0]], why: strings[this.a[17][1]] } : null; }
  // count is the number of places. places may list fewer.
  get count() { return this.a[15]; }
  // page is the name of the target's page in references.
  get page() { return strings[this.a[20]]; }
  // content is true for a finding of a content check, which may have a rule.
  get content() { return this.a.length > 21; }
  get rule() { return this.content ? strings[this.a[21]] : ""; }
  get replacement() { return this.content ? strings[this.a[22]] : ""; }
  get listed() { return this.places.length / 4; }
  place(i) {
    const [page, line, column, shape] = this.places.slice(4 * i, 4 * i + 4);
    const [element, attribute, raw, text, held] = data.shapes[shape];
    return { page: strings[page], line, column, element: strings[element], attribute: strings[attribute], raw: strings[raw], text: strings[text], held: held === 1, source: this.source(i) };
  }
  // source is the place in the source that the page was generated from, if known.
  source(i) {
    const all = this.a[19];
    if (all.length === 0) return null;
    this.sources ??= new Map(Array.from({ length: all.length / 5 }, (_, n) => [all[5 * n], 5 * n]));
    const at = this.sources.get(i);
    return at === undefined ? null : { page: strings[all[at + 1]], line: all[at + 2], column: all[at + 3], raw: strings[all[at + 4]] };
  }
}

const results = data.results.map((a, id) => new Result(id, a));

// A finding is a row of the report: the verdict of a target, one of its warnings, or what a
// content check found on a page. Its
// hint is the same as in the text report. count and pages are the numbers of places that it
// concerns, and of their pages. A warning may concern only some of the target's places.
const findings = [];
for (const r of results) {
  const rest = r.a[18].values();
  const next = () => rest.next().value ?? 0;
  const add = (w, word, code) => findings.push({ id: findings.length, r, w, word, code, hint: next(), count: next(), pages: next() });
  if (shown.has(r.verdict)) add(-1, r.verdict, r.code);
  if (!shown.has("warning")) continue;
  r.warnings.forEach((w, i) => add(i, (w.level ?? codeOf(w.code).severity) === "info" ? "info" : "warning", w.code));
}

// TOPICS are the topics of findings: links, and the groups of content checks.
const TOPICS = [["links", "Links"], ["virus", "Viruses"], ["html", "HTML"], ["css", "CSS"], ["seo", "SEO"], ["images", "Images"], ["security", "Security"], ["i18n", "Languages"],
  ["duplicates", "Duplicates"], ["accessibility", "Accessibility"], ["content", "Content rules"], ["plugins", "Plugins"]];
const topicOf = (f) => codeOf(f.code).group || (f.r.content ? "plugins" : "links");

const hintOf = (f) => strings[f.hint].replace(/(^| {3})-> /, "$1→ ");

const messageOf = (f) => (f.w < 0 ? f.r.message : f.r.warnings[f.w].message);

// onPages reports whether a finding is listed at the pages that link to its target, and
// not at the target.
const onPages = (f) => f.r.places.length > 0 && !(f.w >= 0 && codeOf(f.code).ofPage);

// concerns reports whether a finding applies to the place with index i.
const concerns = (f, i) => f.w < 0 || !strings[data.shapes[f.r.places[4 * i + 3]][5]].split(" ").includes(f.code);

// placesOf returns the indexes of the listed places that a finding concerns.
const placesOf = (f) => Array.from({ length: f.r.listed }, (_, i) => i).filter((i) => concerns(f, i));

// shared has the findings of content checks that are the same fault on many pages, by their
// word, code and rule.
const shared = new Map();
for (const f of findings) {
  if (!f.r.content) continue;
  const key = [f.word, f.code, f.r.rule].join(" ");
  if (!shared.has(key)) shared.set(key, []);
  shared.get(key).push(f);
}
for (const all of shared.values()) {
  const group = { pages: new Set(all.map((f) => f.r.places[0])).size };
  if (group.pages > data.siteWide) for (const f of all) f.shared = group;
}

const siteWide = (f) => f.shared !== undefined || (onPages(f) && f.pages > data.siteWide);

// placeText returns a place in the form that editors open: in the source, if that is
// known.
const placeText = (p) => (p.source ? placeText(p.source) : p.line > 0 ? `${p.page}:${p.line}:${p.column}` : elementPlace(p) ? `${p.page} (${elementPlace(p)})` : p.page);

// pdfPage and elementPlace describe places without a line, as in the text report.
const pdfPage = (p) => Number(/^page (\d{1,9})$/.exec(p.element)?.[1] ?? 0);
const elementPlace = (p) => (!(p.line > 0) && (pdfPage(p) || p.element === "outline" || p.element === "header") ? p.element : "");

const hostKey = (host) => host || "local";
const hostName = (host) => host || "local documents";

// compareStrings orders strings by code units, which does not depend on the locale.
const compareStrings = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

// rows returns the findings at their places, sorted by page and place, in parallel arrays of
// numbers, since there may be hundreds of thousands. They are computed on first use.
let sortedRows = null;
function rows() {
  if (sortedRows) return sortedRows;
  const perPage = new Map();
  const put = (page, f, at) => {
    const list = perPage.get(page);
    if (list) list.push(f, at);
    else perPage.set(page, [f, at]);
  };
  for (const f of findings) {
    if (!onPages(f)) {
      put(f.r.a[20], f.id, -1);
      continue;
    }
    for (let i = 0; i < f.r.listed; i++) if (concerns(f, i)) put(f.r.places[4 * i], f.id, i);
  }
  const pages = [...perPage.keys()].sort((a, b) => compareStrings(strings[a], strings[b]));
  const total = pages.reduce((n, p) => n + perPage.get(p).length / 2, 0);
  sortedRows = { page: new Int32Array(total), finding: new Int32Array(total), at: new Int32Array(total), total };
  let n = 0;
  for (const p of pages) {
    const list = perPage.get(p);
    const order = Array.from({ length: list.length / 2 }, (_, i) => i);
    const line = (i) => (list[2 * i + 1] < 0 ? 0 : findings[list[2 * i]].r.places[4 * list[2 * i + 1] + 1]);
    const column = (i) => (list[2 * i + 1] < 0 ? 0 : findings[list[2 * i]].r.places[4 * list[2 * i + 1] + 2]);
    const sheet = (i) => (list[2 * i + 1] < 0 || line(i) > 0 ? 0 : pdfPage({ element: strings[data.shapes[findings[list[2 * i]].r.places[4 * list[2 * i + 1] + 3]][0]] }));
    order.sort((a, b) => line(a) - line(b) || column(a) - column(b) || sheet(a) - sheet(b) || a - b);
    for (const i of order) {
      sortedRows.page[n] = p;
      sortedRows.finding[n] = list[2 * i];
      sortedRows.at[n++] = list[2 * i + 1];
    }
  }
  return sortedRows;
}

// hasFindings reports whether a page has findings.
let pagesWithFindings = null;
function hasFindings(page) {
  if (!pagesWithFindings) {
    pagesWithFindings = new Set();
    for (const f of findings) {
      if (!onPages(f)) pagesWithFindings.add(f.r.a[20]);
      else for (let i = 0; i < f.r.listed; i++) if (concerns(f, i)) pagesWithFindings.add(f.r.places[4 * i]);
    }
  }
  return pagesWithFindings.has(page);
}

// PageNode is a page in the graph, or the hub that joins several start pages.
class PageNode {
  constructor(id, a) {
    this.id = id;
    [this.address, this.titleAt, this.ring, this.parent, this.angle, this.radius, this.in, this.out, this.broken, this.doubtful, this.linksIn, this.linksOut, this.status, this.elapsed, this.size] = a;
    this.children = [];
  }
  get url() { return this.address < 0 ? "" : strings[this.address]; }
  get title() { return strings[this.titleAt]; }
  get name() {
    if (this.address < 0) return "start pages";
    const title = oneLine(this.title);
    return (ending && title.endsWith(ending) ? title.slice(0, -ending.length) : title) || visible(this.url) || "(empty)";
  }
}

const nodes = data.web.nodes.map((a, id) => new PageNode(id, a));
for (const k of nodes) if (k.parent >= 0) nodes[k.parent].children.push(k.id);

// ending is the text that most titles end with, such as the name of the site, which does
// not help to tell pages apart. It is the longest one that more than half of the titles
// share.
const ending = (() => {
  const tally = new Map();
  for (const k of nodes) {
    const title = oneLine(k.title);
    let at = title.length;
    for (let n = 0; n < 12 && (at = title.lastIndexOf(" ", at - 1)) > 0; n++) tally.set(title.slice(at), (tally.get(title.slice(at)) ?? 0) + 1);
  }
  let longest = "";
  for (const [end, n] of tally) if (n > nodes.length / 2 && end.length > longest.length) longest = end;
  return longest;
})();
const nodeAt = new Map(nodes.filter((k) => k.address >= 0).map((k) => [k.address, k.id]));
const stringAt = new Map();
const nodeOf = (page) => {
  if (stringAt.size === 0) for (const at of nodeAt.keys()) stringAt.set(strings[at], at);
  return nodeAt.get(stringAt.get(page));
};

// crossLinks are the links that are not in the tree, as pairs of nodes.
const crossLinks = (() => {
  const packed = data.web.crossLinks;
  const value = new Int8Array(128);
  [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"].forEach((c, i) => (value[c.charCodeAt(0)] = i));
  let at = 0;
  const take = () => {
    for (let n = 0, shift = 0; ; shift += 5) {
      const bits = value[packed.charCodeAt(at++)];
      n |= (bits & 31) << shift;
      if (bits < 32) return n;
    }
  };
  const pairs = [];
  for (let from = 0; at < packed.length; ) {
    from += take();
    let to = 0;
    for (let n = take(); n > 0; n--) pairs.push(from, (to += take()));
  }
  return Int32Array.from(pairs);
})();

// pathTo returns the nodes on the path from the hub to a node.
function pathTo(id) {
  const path = [];
  for (let k = id; k >= 0; k = nodes[k].parent) path.unshift(k);
  return path;
}
