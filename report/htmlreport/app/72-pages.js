// The table of the pages that were read.

const SLOW = 1000; // milliseconds
const LARGE = 1 << 20; // bytes

// bytes and duration format numbers for people.
function bytes(n) {
  if (n < 0) return "–";
  if (n < 1000) return n + " B";
  if (n < 999_500) return (n / 1000).toPrecision(3) + " kB";
  return (n / 1e6).toPrecision(3) + " MB";
}
const duration = (ms) => (ms < 1000 ? ms + " ms" : (ms / 1000).toFixed(1) + " s");

// findingsOn counts the findings of each page, as they are listed there: a map from the index of
// its name to {all, worst}.
let countedFindings = null;
function findingsOn(page) {
  if (!countedFindings) {
    countedFindings = new Map();
    const all = rows();
    for (let n = 0; n < all.total; n++) {
      const f = findings[all.finding[n]];
      const severity = SEVERITY.get(f.word);
      if (severity > SEVERITY.get("warning")) continue;
      const c = countedFindings.get(all.page[n]);
      if (c) {
        c.all++;
        c.worst = Math.min(c.worst, severity);
      } else countedFindings.set(all.page[n], { all: 1, worst: severity });
    }
  }
  return countedFindings.get(page) ?? { all: 0, worst: WORDS.length };
}

const unreached = (k) => k.id >= data.web.firstUnreached;
const pageNodes = nodes.filter((k) => k.address >= 0);

const PAGE_FILTERS = [
  ["", "all pages", () => true],
  ["findings", "with findings", (k) => findingsOn(k.address).all > 0],
  ["slow", "slow: 1 s or more", (k) => k.elapsed >= SLOW],
  ["large", "large: 1 MiB or more", (k) => k.size >= LARGE],
  ["unlinked", "not linked from the start", unreached],
];

const PAGE_COLUMNS = [
  { name: "Page", sort: "url", value: (k) => k.url },
  { name: "Title", sort: "title", value: (k) => k.title },
  { name: "Status", sort: "status", number: true, value: (k) => k.status },
  { name: "Depth", sort: "depth", number: true, first: "asc", value: (k) => k.ring },
  { name: "Links in", sort: "in", number: true, value: (k) => k.linksIn },
  { name: "Links out", sort: "out", number: true, value: (k) => k.linksOut },
  { name: "Time", sort: "time", number: true, value: (k) => k.elapsed },
  { name: "Size", sort: "size", number: true, value: (k) => k.size },
  { name: "Findings", sort: "findings", number: true, value: (k) => findingsOn(k.address).all },
];

let pageTools = null;
function createPageTools() {
  const search = el("input", { type: "search", id: "find-pages", autocomplete: "off", spellcheck: "false", placeholder: "URL or title …" });
  let typing = 0;
  search.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(() => go("pages", { q: search.value.trim(), at: null }, { replace: true }), 180);
  });
  const select = el("select", { id: "which-pages" }, PAGE_FILTERS.map(([value, name, test]) => [value, name, pageNodes.filter(test).length])
    .filter(([value, , n]) => !value || n > 0).map(([value, name, n]) => el("option", { value }, `${name} (${count(n)})`)));
  select.addEventListener("change", () => go("pages", { which: select.value, at: null }));
  const state = { list: [] };
  const view = el("div", { id: "page-list" });
  viewOf("pages").append(
    data.web.drawn ? "" : el("p", { class: "notice" }, "This report was saved without the pages of the site. Only pages with listed links are known, and not their titles, times and sizes."),
    data.web.omitted.pages ? el("p", { class: "notice" }, `This file lists ${count(pageNodes.length)} of ${count(pageNodes.length + data.web.omitted.pages)} pages, the nearest to the start. A sqlite report lists all of them.`) : "",
    el("div", { class: "tools", role: "search", "aria-label": "Filter pages" },
      el("div", { class: "field grow" }, el("label", { for: "find-pages" }, "Search"), search),
      el("div", { class: "field" }, el("label", { for: "which-pages" }, "Show"), select),
      copyMenu("copy-pages", () => [["url", "title", "status", "depth", "links_in", "links_out", "elapsed_ms", "size", "findings"],
        ...state.list.map((k) => [k.url, k.title, k.status, unreached(k) ? "" : k.ring, k.linksIn, k.linksOut, k.elapsed, k.size, findingsOn(k.address).all])], () => state.list.map((k) => k.url))),
    view);
  pageTools = { search, select, view, state };
}

renderers.set("pages", () => {
  if (!pageTools) createPageTools();
  const { search, select, view, state } = pageTools;
  if (document.activeElement !== search) search.value = parameter("q");
  select.value = parameter("which");
  const words = parameter("q").toLowerCase().split(/\s+/).filter(Boolean);
  const test = (PAGE_FILTERS.find(([value]) => value === parameter("which")) ?? PAGE_FILTERS[0])[2];
  const list = pageNodes.filter((k) => test(k) && words.every((w) => k.url.toLowerCase().includes(w) || k.title.toLowerCase().includes(w)));
  const made = flatTable(plural(list.length, "page"), list, PAGE_COLUMNS, (k) => k.url, ["findings", "desc"], (k) => {
    const found = findingsOn(k.address);
    return row(
      cell(link(k.url, clip(readable(k.url), 300)), "wide"),
      cell(button(clip(oneLine(k.title), 120) || "(no title)", () => go("map", { node: k.id }, { fresh: true }), { class: "linklike", title: "Show on the map" }), "title"),
      cell(k.status || "–", "number"), cell(unreached(k) ? "–" : count(k.ring), "number"), cell(count(k.linksIn), "number"), cell(count(k.linksOut), "number"),
      cell(data.web.drawn ? duration(k.elapsed) : "–", "number"), cell(data.web.drawn ? bytes(k.size) : "–", "number"),
      cell(found.all ? button(count(found.all), () => go("findings", { page: k.url }, { fresh: true }), { class: "small " + WORDS[found.worst], "aria-label": plural(found.all, "finding") + " on " + clip(visible(k.url), 80) }) : "0", "number"));
  }, "pages");
  state.list = made.sorted;
  view.replaceChildren(...(list.length ? made.nodes.filter(Boolean) : [el("p", { class: "empty card" }, "No pages match.")]));
  announce(plural(list.length, "page"));
});
