// The list of findings, with tabs for their topics, four groupings, filters, search and sorting.

const GROUPS = [["page", "Page"], ["target", "Target"], ["host", "Host"], ["code", "Code"]];
const SEVERITY = new Map(WORDS.map((word, i) => [word, i]));
const SIZE = 100; // rows per page of a list

// filtered returns the findings and the row conditions that match the filters.
function filtered() {
  const words = new Set(parameter("verdict").split(",").filter(Boolean));
  const code = parameter("code"), host = parameter("host"), target = parameter("target"), document = parameter("document"), page = parameter("page"), scope = parameter("scope");
  const search = searchFor(parameter("q")), topic = parameter("topic");
  const list = findings.filter((f) =>
    (words.size === 0 || words.has(f.word)) &&
    (!topic || topicOf(f) === topic) &&
    (!code || f.code === code) &&
    (!host || hostKey(f.r.host) === host) &&
    (!target || f.r.url === target) &&
    (!document || f.r.url.split("#", 1)[0] === document) &&
    (!scope || f.r.internal === (scope === "internal")));
  const onPage = (f, i) => !page || (i < 0 ? f.r.page === page && !onPages(f) : onPages(f) && concerns(f, i) && strings[f.r.places[4 * i]] === page);
  return { list, search, page, onPage, narrowed: Boolean(page || search.terms) };
}

// searchFor finds words, each anywhere in the strings of a finding. It examines each
// string of the report once, however many findings share it.
function searchFor(text) {
  const terms = text.toLowerCase().split(/\s+/).filter(Boolean);
  const hits = terms.map((term) => Uint8Array.from(strings, (s) => (s.toLowerCase().includes(term) || (s.includes("%") && readable(s).toLowerCase().includes(term)) ? 1 : 0)));
  const shapes = hits.map((hit) => Uint8Array.from(data.shapes, (s) => (s.slice(0, 4).some((at) => hit[at]) ? 1 : 0)));
  const ofResult = new Map();
  const inResult = (r) => {
    let found = ofResult.get(r.id);
    if (!found) {
      const a = r.a;
      found = hits.map((hit) =>
        [a[0], a[2], a[3], a[9], a[21], a[22]].some((at) => hit[at]) || a[12].some((h) => hit[h[0]]) ||
        a[13].some((w) => w.some((at) => hit[at])) || a[14].some((s) => hit[s[0]]));
      ofResult.set(r.id, found);
    }
    return found;
  };
  return {
    terms: terms.length,
    row(f, i) {
      const found = inResult(f.r);
      const places = f.r.places;
      const source = i >= 0 && f.r.a[19].length ? f.r.source(i) : null;
      return terms.every((term, t) => found[t] || hits[t][f.hint] || (i >= 0 && (hits[t][places[4 * i]] || shapes[t][places[4 * i + 3]])) ||
        (source && source.page.toLowerCase().includes(term)));
    },
    // whole reports whether the target or any of its places matches.
    whole(f) {
      if (this.row(f, -1)) return true;
      return placesOf(f).some((i) => this.row(f, i));
    },
  };
}

// filterByPlaces filters findings by their places.
function filterByPlaces({ list, search, page, onPage }) {
  if (search.terms) list = list.filter((f) => search.whole(f));
  if (page) {
    list = list.filter((f) => {
      if (onPage(f, -1)) return true;
      for (let i = 0; i < f.r.listed; i++) if (onPage(f, i)) return true;
      return false;
    });
  }
  return list;
}

// wideRows returns one row for each finding on many pages, and one for the findings of
// content checks that are the same fault.
function wideRows(list) {
  const made = new Map();
  for (const f of list) {
    const key = f.shared ?? f;
    if (!made.has(key)) made.set(key, { f, pages: key.pages, all: [] });
    made.get(key).all.push(f);
  }
  return [...made.values()].sort((a, b) => SEVERITY.get(a.f.word) - SEVERITY.get(b.f.word) || b.pages - a.pages || a.f.id - b.f.id);
}

// byPage groups rows by page.
function byPage(choice) {
  const pass = new Uint8Array(findings.length);
  for (const f of choice.list) pass[f.id] = 1;
  const wide = choice.page ? [] : wideRows(filterByPlaces(choice).filter(siteWide));
  const all = rows();
  const groups = [];
  let total = 0;
  for (let n = 0; n < all.total; n++) {
    const f = findings[all.finding[n]];
    if (!pass[f.id] || (!choice.page && siteWide(f))) continue;
    if (choice.page && !choice.onPage(f, all.at[n])) continue;
    if (choice.search.terms && !choice.search.row(f, all.at[n])) continue;
    if (groups.at(-1)?.page !== all.page[n]) groups.push({ page: all.page[n], rows: [] });
    groups.at(-1).rows.push([f, all.at[n]]);
  }
  for (const g of groups) {
    g.rows.sort(([a], [b]) => SEVERITY.get(a.word) - SEVERITY.get(b.word));
    g.worst = SEVERITY.get(g.rows[0][0].word);
    g.lines = parameter("document") ? g.rows : folded(g.rows);
    total += g.lines.length;
  }
  const most = parameter("sort") === "most";
  groups.sort((a, b) => a.worst - b.worst || (most ? b.rows.length - a.rows.length : 0));
  const onMany = wide.reduce((n, w) => n + w.all.length, 0);
  const places = groups.reduce((n, g) => n + g.rows.length, 0) + wide.reduce((n, w) => n + w.all.reduce((k, f) => k + f.count, 0), 0);
  const distinct = new Set(groups.flatMap((g) => g.rows.map(([f]) => f)));
  for (const w of wide) for (const f of w.all) distinct.add(f);
  return { wide, groups, total: total + wide.length, onMany, distinct, places };
}

// folded replaces most of the fragments that a page names of one document by a line that counts them.
function folded(rows) {
  const keyOf = ([f]) => (f.code.startsWith("fragment-") ? f.word + " " + f.code + " " + f.r.url.split("#", 1)[0] : "");
  const counts = new Map();
  for (const r of rows) counts.set(keyOf(r), (counts.get(keyOf(r)) ?? 0) + 1);
  const met = new Map(), lines = [];
  for (const r of rows) {
    const key = keyOf(r), n = counts.get(key);
    if (!key || n <= data.foldFrom) {
      lines.push(r);
      continue;
    }
    met.set(key, (met.get(key) ?? 0) + 1);
    if (met.get(key) <= data.foldTo) lines.push(r);
    if (met.get(key) === data.foldTo + 1) lines.push([r[0], r[1], n - data.foldTo]);
  }
  return lines;
}

// rowsText counts rows: the findings, and what is listed besides on request.
const faultless = (list) => list.filter((f) => !isFinding(f.word)).length;
const rowsText = (n, without) => plural(n - without, "finding") + (without ? ` and ${count(without)} without fault` : "");
// placesText counts a set of findings, and their places if these are more.
const placesText = (distinct, places) => rowsText(distinct.size, faultless([...distinct])) + (places > distinct.size ? ` at ${plural(places, "place")}` : "");

// table creates a table whose headings sort it. A column is {name, sort, number}.
function table(caption, columns, body, sort, dir, name = "") {
  const heading = (c) => {
    const attributes = { scope: "col", role: "columnheader", class: c.number ? "number" : "" };
    if (!c.sort) return el("th", attributes, c.unseen ? el("span", { class: "visually-hidden" }, c.name) : c.name);
    const now = sort === c.sort;
    if (now) attributes["aria-sort"] = dir === "desc" ? "descending" : "ascending";
    const first = c.first ?? (c.number ? "desc" : "asc");
    const next = now ? (dir === "desc" ? "asc" : "desc") : first;
    return el("th", attributes, button(c.name, () => {
      go(address.view, { sort: c.sort, dir: next, at: null });
      document.querySelector(`[data-sort="${c.sort}"]`)?.focus();
    }, { "data-sort": c.sort }));
  };
  return el("div", { class: "scroll", tabindex: 0, role: "group", "aria-label": caption },
    el("table", { role: "table", class: name },
      el("caption", {}, caption),
      el("thead", { role: "rowgroup" }, el("tr", { role: "row" }, columns.map(heading))),
      body));
}

const cell = (content, name = "") => el("td", { class: name, role: "cell" }, content);
const row = (...cells) => el("tr", { role: "row" }, ...cells);

const detailsButton = (f, i, label) =>
  button("Details", () => go(address.view, { open: f.id + (i > 0 ? "." + i : "") }), { class: "small", "aria-label": "Details of " + clip(visible(label), 80), "data-open": f.id + (i > 0 ? "." + i : "") });

// target describes a finding: the URL of the target, or what a content check found. named
// is true if the page of that is to be named, too.
function target(f, text, source, named = true) {
  if (f.r.content) {
    const place = f.r.place(0);
    return [named && el("div", {}, link(f.r.url, clip(readable(f.r.url), 300)), place.line > 0 && el("span", { class: "url" }, `:${place.line}:${place.column}`)),
      el("span", {}, visible(hintOf(f)) || codeOf(f.code).title), text && " ", text && el("q", { class: "text" }, "“" + clip(oneLine(text), 80) + "”")];
  }
  const parts = [link(f.r.url, clip(readable(f.r.url), 300))]; // the details show all of it
  if (source) parts.push(" ", el("span", { class: "hint" }, "source: ", el("span", { class: "url" }, visible(placeText(source)))));
  if (text) parts.push(" ", el("q", { class: "text" }, "“" + clip(oneLine(text), 80) + "”"));
  const hint = hintOf(f);
  if (hint) parts.push(" ", el("span", { class: "hint" }, visible(hint)));
  return parts;
}

// rowsShown returns the range of rows on the current page of a list.
function rowsShown(total) {
  const pages = Math.max(1, Math.ceil(total / SIZE));
  const at = Math.min(pages, Math.max(1, Number.parseInt(parameter("at", "1"), 10) || 1));
  return { from: (at - 1) * SIZE, to: Math.min(total, at * SIZE), at, pages, total };
}

function pager(w) {
  if (w.pages < 2) return null;
  const to = (at, name) => button(name, () => {
    go(address.view, { at: at === 1 ? null : at });
    viewOf(address.view).scrollIntoView();
    byId(address.view + "-title").focus({ preventScroll: true });
  }, { disabled: at < 1 || at > w.pages || at === w.at });
  return el("nav", { class: "pager", "aria-label": "Pages of this list" },
    to(w.at === 1 ? 0 : 1, "First"), to(w.at - 1, "Previous"),
    el("span", {}, `${count(w.from + 1)}–${count(w.to)} of ${count(w.total)}`),
    to(w.at + 1, "Next"), to(w.at === w.pages ? w.pages + 1 : w.pages, "Last"));
}

function pageTable(lists, what) {
  const w = rowsShown(lists.total);
  const columns = [{ name: "Place" }, { name: "Verdict" }, { name: "Code" }, { name: ofLinks() ? "Target" : "Finding" }, { name: "Details", unseen: true }];
  const bodies = [];
  let n = 0;
  const heading = (...content) => row(el("th", { class: "group", scope: "rowgroup", colspan: columns.length, role: "rowheader" }, el("div", { class: "row" }, ...content)));
  const part = (size, head, line) => {
    const from = Math.max(0, w.from - n), to = Math.min(size, w.to - n);
    n += size;
    if (from >= to) return;
    const body = el("tbody", { role: "rowgroup" }, head(from > 0));
    for (let i = from; i < to; i++) body.append(line(i));
    bodies.push(body);
  };
  if (lists.wide.length) {
    part(lists.wide.length, () => heading(el("span", { class: "page" }, `On more than ${data.siteWide} pages`), el("span", { class: "note" }, "probably in a template")), (i) => {
      const { f, pages, all } = lists.wide[i];
      const [first] = placesOf(f);
      const what = f.shared
        ? [el("span", {}, visible(f.r.rule) || codeOf(f.code).title), " ", button("All places", () => go("findings", { by: "target", code: f.code, verdict: f.word, q: f.r.rule, sort: null, dir: null, at: null }), { class: "linklike" }),
          el("div", { class: "hint" }, "first at ", all.slice(0, 3).flatMap((g, i) => [i > 0 && ", ", el("span", { class: "url" }, clip(visible(placeText(g.r.place(0))), 200))]))]
        : target(f, first === undefined ? "" : f.r.place(first).text);
      return row(cell(plural(pages, "page"), "place"), cell(badge(f.word)), cell(el("code", {}, visible(f.code))), cell(what, "wide"), cell(detailsButton(f, 0, f.r.url)));
    });
  }
  for (const g of lists.groups) {
    if (n >= w.to) break;
    const page = strings[g.page];
    part(g.lines.length, (continued) => heading(
      el("span", { class: "page" }, link(page)),
      el("span", { class: "note" }, placesText(new Set(g.rows.map(([f]) => f)), g.rows.length) + (continued ? ", continued" : "")),
      button("Copy", () => copy(page, "the URL of the page"), { class: "small", "aria-label": "Copy the URL " + clip(visible(page), 80) }),
      nodeOf(page) !== undefined && button("Show on map", () => go("map", { node: nodeOf(page) }, { fresh: true }), { class: "small", "aria-label": "Show on map: " + clip(visible(page), 80) }),
    ), (i) => {
      const [f, at, more] = g.lines[i];
      if (more) {
        const document = f.r.url.split("#", 1)[0];
        return row(cell("", "place"), cell(badge(f.word)), cell(el("code", {}, visible(f.code))), cell([`and ${count(more)} more of `, link(document, clip(readable(document), 300)), " ",
          button("Show all", () => go("findings", { page, document, code: f.code, by: null, at: null }), { class: "linklike", "aria-label": `Show all ${count(more + data.foldTo)} of ${clip(visible(document), 80)}` })], "wide"), cell(null));
      }
      const p = at < 0 ? null : f.r.place(at);
      return row(cell(p && p.line > 0 ? `${p.line}:${p.column}` : (p && elementPlace(p)) || "–", "place"), cell(badge(f.word)), cell(el("code", {}, visible(f.code))), cell(target(f, p?.text, p?.source, false), "wide"), cell(detailsButton(f, at, f.r.url)));
    });
  }
  return [table(what + ", the most severe first", columns, bodies, "", "", "stack"), pager(w)];
}

// ordered sorts by the value of a column, and then by name. Findings come in the order of
// their severity before that, whatever the column.
function ordered(list, columns, name, otherwise) {
  const key = parameter("sort", otherwise[0]);
  const column = columns.find((c) => c.sort === key) ?? columns.find((c) => c.sort === otherwise[0]);
  const dir = parameter("dir", column.sort === otherwise[0] && !parameter("sort") ? otherwise[1] : column.first ?? (column.number ? "desc" : "asc"));
  const sign = dir === "desc" ? -1 : 1;
  const value = column.value;
  const sorted = [...list].sort((a, b) => {
    const x = value(a), y = value(b);
    if (a.word !== b.word && column.sort !== "verdict") return SEVERITY.get(a.word) - SEVERITY.get(b.word);
    return sign * (typeof x === "number" ? x - y : compareStrings(x, y)) || compareStrings(name(a), name(b));
  });
  return { sorted, sort: column.sort, dir };
}

function flatTable(caption, list, columns, name, otherwise, line, look = "") {
  const { sorted, sort, dir } = ordered(list, columns, name, otherwise);
  const w = rowsShown(sorted.length);
  const body = el("tbody", { role: "rowgroup" }, sorted.slice(w.from, w.to).map(line));
  return { nodes: [table(caption, columns, body, sort, dir, look), pager(w)], sorted };
}

const TARGET_COLUMNS = [
  { name: "Verdict", sort: "verdict", value: (f) => WORDS.indexOf(f.word) },
  { name: "Code", sort: "code", value: (f) => f.code },
  { name: "Target", sort: "target", value: (f) => f.r.url },
  { name: "Places", sort: "places", number: true, value: (f) => f.count },
  { name: "Details", unseen: true },
];

// ofLinks reports whether the list has links.
const ofLinks = () => ["", "links"].includes(parameter("topic"));

const targetTable = (list) => flatTable(rowsText(list.length, faultless(list)), list, TARGET_COLUMNS, (f) => f.r.url, ["target", "asc"], (f) =>
  row(cell(badge(f.word)), cell(el("code", {}, visible(f.code))), cell(target(f, f.r.content ? f.r.place(0).text : ""), "wide"), cell(count(f.count), "number"), cell(detailsButton(f, 0, f.r.url))), "stack");

// countPlaces returns the number of places that findings of one target concern. Places that
// the report does not list count only for the finding with the most places.
function countPlaces(found) {
  const most = Math.max(...found.map((f) => f.count));
  return found.length === 1 || most >= found[0].r.count ? most : Math.max(most, new Set(found.flatMap(placesOf)).size);
}

// tally counts findings by a name.
function tally(list, nameOf) {
  const by = new Map();
  for (const f of list) {
    const name = nameOf(f);
    let t = by.get(name);
    if (!t) by.set(name, (t = { name, words: {}, targets: new Map(), places: 0, worst: WORDS.length }));
    t.words[f.word] = (t.words[f.word] ?? 0) + 1;
    t.worst = Math.min(t.worst, WORDS.indexOf(f.word));
    const found = t.targets.get(f.r.id);
    if (found) found.push(f);
    else t.targets.set(f.r.id, [f]);
  }
  for (const t of by.values()) for (const found of t.targets.values()) t.places += countPlaces(found);
  return [...by.values()];
}

const wordColumn = (word, name) => ({ name, sort: word, number: true, value: (t) => t.words[word] ?? 0 });
const TALLY_COLUMNS = [
  { name: "Targets", sort: "targets", number: true, value: (t) => t.targets.size },
  { name: "Places", sort: "places", number: true, value: (t) => t.places },
];
const HOST_COLUMNS = [
  { name: "Host", sort: "host", value: (t) => t.name },
  wordColumn("broken", "Broken"), wordColumn("unverified", "Unverified"), wordColumn("warning", "Warnings"),
  ...(shown.has("ok") ? [wordColumn("ok", "OK")] : []), ...(shown.has("skipped") ? [wordColumn("skipped", "Skipped")] : []),
  ...TALLY_COLUMNS,
];
const CODE_COLUMNS = [
  { name: "Code", sort: "code", value: (t) => t.name },
  { name: "Meaning" },
  { name: "Verdict", sort: "verdict", value: (t) => t.worst },
  ...TALLY_COLUMNS,
];

const hostTable = (list) => flatTable("Findings by host of the target", tally(list, (f) => f.r.host), HOST_COLUMNS, (t) => t.name, ["broken", "desc"], (t) =>
  row(cell(button(visible(hostName(t.name)), () => go("findings", { by: "target", host: hostKey(t.name), sort: null, dir: null, at: null }), { class: "linklike" }), "wide"),
    ...HOST_COLUMNS.slice(1).map((c) => cell(count(c.value(t)), "number"))));

const codeTable = (list) => flatTable("Findings by code", tally(list, (f) => f.code), CODE_COLUMNS, (t) => t.name, ["verdict", "asc"], (t) => {
  const c = codeOf(t.name);
  return row(cell(button(visible(t.name), () => go("findings", { by: "target", code: t.name, sort: null, dir: null, at: null }), { class: "linklike url code" })),
    cell([el("strong", {}, c.title), " ", el("span", { class: "note" }, c.advice)], "wide"),
    cell(badge(WORDS[t.worst])), ...CODE_COLUMNS.slice(3).map((k) => cell(count(k.value(t)), "number")));
});

// PLACE_HEAD has the columns of the CSV report.
const PLACE_HEAD = ["url", "verdict", "code", "status", "page", "line", "column", "element", "attribute", "raw", "text", "final_url", "message"];

function placeLine(f, at) {
  const p = at < 0 ? { page: "", line: 0, column: 0, element: "", attribute: "", raw: "", text: "" } : f.r.place(at);
  return [f.r.url, f.word, f.code, f.r.status, p.page, p.line || "", p.line ? p.column : "", p.element, p.attribute, p.raw, p.text, f.r.final, f.r.rule ? visible(f.r.rule) + ": " + messageOf(f) : messageOf(f)];
}

// linesOf returns the complete table that is shown, for copying.
function linesOf(by, shownList) {
  switch (by) {
    case "page": {
      const lines = [PLACE_HEAD];
      for (const f of shownList.wide.flatMap((w) => w.all)) for (const i of placesOf(f)) lines.push(placeLine(f, i));
      for (const g of shownList.groups) for (const [f, at] of g.rows) lines.push(placeLine(f, at));
      return lines;
    }
    case "target":
      return [["url", "verdict", "code", "status", "places", "message"], ...shownList.map((f) => [f.r.url, f.word, f.code, f.r.status, f.count, messageOf(f)])];
    default:
      return [[by, ...WORDS, "targets", "places"], ...shownList.map((t) => [by === "host" ? hostName(t.name) : t.name, ...WORDS.map((w) => t.words[w] ?? 0), t.targets.size, t.places])];
  }
}

function urlsOf(by, shownList) {
  const all = by === "page" ? [...shownList.wide.flatMap((w) => w.all), ...shownList.groups.flatMap((g) => g.rows.map(([f]) => f))] : by === "target" ? shownList : filterByPlaces(filtered());
  return [...new Set(all.map((f) => f.r.url))];
}

// The tools above the list are created once and updated from the address.
let tools = null;
function createTools() {
  const search = el("input", { type: "search", id: "search", autocomplete: "off", spellcheck: "false", placeholder: "URL, page, text, code …" });
  let typing = 0;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => go("findings", { q: search.value.trim(), at: null }, { replace: true }), 180);
  });
  const chips = WORDS.filter((w) => findings.some((f) => f.word === w)).map((w) => {
    const box = el("input", { type: "checkbox", value: w });
    const n = el("span", { class: "n" });
    return { box, n, label: el("label", {}, box, el("span", { class: "dot " + w }), w, n) };
  });
  for (const c of chips) {
    c.box.addEventListener("change", () => go("findings", { verdict: chips.filter((c) => c.box.checked).map((c) => c.box.value).join(","), at: null }));
  }
  const by = GROUPS.map(([value, name]) => {
    const radio = el("input", { type: "radio", name: "by", value });
    radio.addEventListener("change", () => go("findings", { by: value === "page" ? null : value, sort: null, dir: null, at: null }));
    return { radio, label: el("label", {}, radio, name) };
  });
  const choice = (id, name, options) => {
    const select = el("select", { id }, options.map(([value, text]) => el("option", { value }, text)));
    return { select, field: el("div", { class: "field" }, el("label", { for: id }, name), select) };
  };
  const code = choice("code", "Code", []);
  code.select.addEventListener("change", () => go("findings", { code: code.select.value, at: null }));
  const scope = choice("scope", "Scope", [["", "internal and external"], ["internal", "internal"], ["external", "external"]]);
  scope.select.addEventListener("change", () => go("findings", { scope: scope.select.value, at: null }));
  const order = choice("order", "Pages", [["", "by URL"], ["most", "most findings first"]]);
  order.select.addEventListener("change", () => go("findings", { sort: order.select.value, at: null }));
  const state = { list: null, by: "page" };
  const menu = copyMenu("copy", () => linesOf(state.by, state.list), () => urlsOf(state.by, state.list));
  const active = el("div", { class: "active" });
  const view = el("div", { id: "list" });
  const tabs = createTabs();
  const fold = button("Filters", () => {
    const open = viewOf("findings").classList.toggle("unfolded");
    fold.setAttribute("aria-expanded", String(open));
  }, { class: "fold", "aria-expanded": "false" });
  byId("plain").replaceWith(
    fold,
    ...(tabs.length > 0 ? [el("nav", { class: "tabs", "aria-label": "Topics" }, el("ul", {}, tabs.map((t) => el("li", {}, t.link))))] : []),
    el("div", { class: "tools", role: "search", "aria-label": "Filter findings" },
      el("div", { class: "field grow" }, el("label", { for: "search" }, "Search"), search),
      el("fieldset", {}, el("legend", {}, "Group by"), el("div", { class: "chips" }, by.map((b) => b.label))),
      el("fieldset", {}, el("legend", {}, "Verdict"), el("div", { class: "chips" }, chips.map((c) => c.label))),
      code.field, scope.field, order.field, menu),
    active, view);
  tools = { fold, search, tabs, chips, by, code, scope, order, active, view, state };
}

// createTabs creates the tabs of the topics that have findings. There are none if all
// findings are about links.
function createTabs() {
  const counts = new Map();
  for (const f of findings) {
    const topic = topicOf(f);
    const t = counts.get(topic) ?? { n: 0, worst: WORDS.length };
    counts.set(topic, { n: t.n + (isFinding(f.word) ? 1 : 0), worst: Math.min(t.worst, SEVERITY.get(f.word)) });
  }
  if ([...counts.keys()].every((topic) => topic === "links")) return [];
  const all = { n: findings.length - faultless(findings), worst: WORDS.length };
  return [["", "All"], ...TOPICS].filter(([topic]) => !topic || counts.has(topic)).map(([topic, name]) => {
    const { n, worst } = topic ? counts.get(topic) : all;
    const open = (e) => {
      if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      go("findings", { topic, code: null, at: null });
    };
    return { topic, link: el("a", { href: hashOf("findings", new URLSearchParams(topic ? { topic } : {})), on: { click: open } },
      worst < WORDS.indexOf("info") && el("span", { class: "dot " + WORDS[worst] }), name, " ", el("span", { class: "n" }, count(n))) };
  });
}

// updateChoices counts the verdicts and the codes of a topic.
function updateChoices(topic) {
  const words = new Map(), perCode = new Map();
  for (const f of findings) {
    if (topic && topicOf(f) !== topic) continue;
    words.set(f.word, (words.get(f.word) ?? 0) + 1);
    perCode.set(f.code, (perCode.get(f.code) ?? 0) + 1);
  }
  for (const c of tools.chips) c.n.textContent = count(words.get(c.box.value) ?? 0);
  tools.code.select.replaceChildren(el("option", { value: "" }, "all codes"), ...[...perCode].sort(([a], [b]) => compareStrings(a, b)).map(([c, n]) => el("option", { value: c }, `${visible(c)} (${count(n)})`)));
  tools.topic = topic;
}

// updateTools sets the tools from the address.
function updateTools(by) {
  if (document.activeElement !== tools.search) tools.search.value = parameter("q");
  if (tools.topic !== parameter("topic")) updateChoices(parameter("topic"));
  for (const t of tools.tabs) {
    if (t.topic === parameter("topic")) t.link.setAttribute("aria-current", "true");
    else t.link.removeAttribute("aria-current");
  }
  const words = parameter("verdict").split(",");
  for (const c of tools.chips) {
    c.box.checked = words.includes(c.box.value);
    c.label.hidden = c.n.textContent === "0" && !c.box.checked;
  }
  for (const b of tools.by) b.radio.checked = b.radio.value === by;
  tools.code.select.value = parameter("code");
  tools.scope.select.value = parameter("scope");
  tools.order.field.hidden = by !== "page";
  tools.order.select.value = parameter("sort") === "most" ? "most" : "";
  const filters = ["topic", "verdict", "code", "scope", "by", "q", "sort"].filter((name) => parameter(name)).length;
  tools.fold.textContent = filters ? `Filters (${filters})` : "Filters";
  const only = (name, text) => parameter(name) && button(`${text} ${visible(parameter(name))} ✕`, () => {
    go("findings", { [name]: null, at: null });
    byId("search").focus();
  }, { "aria-label": `Remove filter: ${text} ${visible(parameter(name))}` });
  tools.active.replaceChildren(...[only("page", "on page"), only("host", "host"), only("target", "target"), only("document", "document")].filter(Boolean));
}

renderers.set("findings", () => {
  if (!tools) createTools();
  const by = GROUPS.some(([g]) => g === parameter("by")) ? parameter("by") : "page";
  const key = new URLSearchParams(address.query);
  key.delete("open");
  updateTools(by);
  if (tools.state.key === key.toString()) return;
  tools.state.key = key.toString();
  const choice = filtered();
  let nodes, n, what;
  if (by === "page") {
    const lists = byPage(choice);
    tools.state.list = lists;
    n = lists.distinct.size;
    const wide = lists.onMany;
    what = placesText(lists.distinct, lists.places) + " on " + (wide && wide === n ? `more than ${data.siteWide} pages each` : plural(lists.groups.length, "page") + (wide ? `, ${count(wide)} of them on more than ${data.siteWide} pages` : ""));
    nodes = pageTable(lists, what);
  } else {
    const made = { target: targetTable, host: hostTable, code: codeTable }[by](filterByPlaces(choice));
    tools.state.list = made.sorted;
    nodes = made.nodes;
    n = made.sorted.length;
    what = by === "target" ? rowsText(n, faultless(made.sorted)) : plural(n, by);
  }
  tools.state.by = by;
  if (n === 0) nodes = [el("p", { class: "empty card" }, findings.length ? "No findings match these filters." : "No findings. Everything that was checked is ok.")];
  tools.view.replaceChildren(...nodes.filter(Boolean));
  announce(what);
});
