// Redirects, and the edits that make links lead directly to the final URL.

// redirected has the results, and the targets that are ok and redirected for now, which are no findings.
const redirected = [...results.filter((r) => r.a[12].length > 0),
  ...data.redirects.map(([url, final, places, ...passed]) => ({ url: strings[url], final: strings[final], count: places, redirects: passed.map((status) => ({ status })), proposal: null }))];

// edits returns the places to change, which are those that "orbweaver fix" changes.
let edited = null;
function edits() {
  if (edited) return edited;
  edited = [];
  for (const r of results) {
    const p = r.proposal;
    if (!p) continue;
    for (let i = 0; i < r.listed; i++) {
      if (strings[r.places[4 * i]] !== COMMAND_LINE && !r.place(i).held) edited.push({ r, i, url: p.url, why: p.why, page: strings[r.places[4 * i]], line: r.places[4 * i + 1], column: r.places[4 * i + 2] });
    }
  }
  edited.sort((a, b) => compareStrings(a.page, b.page) || a.line - b.line || a.column - b.column);
  return edited;
}

const statuses = (r) => r.redirects.map((h) => h.status).join(", ");

const REDIRECT_COLUMNS = [
  { name: "From", sort: "from", value: (r) => r.url },
  { name: "Status", sort: "answers", value: statuses },
  { name: "Leads to", sort: "to", value: (r) => r.final },
  { name: "Places", sort: "places", number: true, value: (r) => r.count },
  { name: "Details", unseen: true },
];

const EDIT_COLUMNS = [{ name: "Place" }, { name: "Current text" }, { name: "Replacement" }, { name: "Reason" }];

let redirectTools = null;
function createRedirectTools() {
  const kinds = [["redirects", `Redirects (${count(redirected.length)})`], ["edits", `Proposed edits (${count(edits().length)})`]].map(([value, name]) => {
    const radio = el("input", { type: "radio", name: "list", value });
    radio.addEventListener("change", () => go("redirects", { list: value === "redirects" ? null : value, sort: null, dir: null, at: null }));
    return { radio, label: el("label", {}, radio, name) };
  });
  const state = { lines: () => [], urls: () => [] };
  const view = el("div", {});
  viewOf("redirects").append(
    el("p", { class: "lead" }, "Links that lead to another URL. If a redirect is permanent (301, 308), a link to its final URL saves every visitor a request. Temporary redirects (302, 303, 307) are listed for completeness: they are no findings, and the links may stay."),
    el("div", { class: "tools" }, el("fieldset", {}, el("legend", {}, "List"), el("div", { class: "chips" }, kinds.map((k) => k.label))),
      copyMenu("copy-redirects", () => state.lines(), () => state.urls())),
    view);
  redirectTools = { kinds, view, state };
}

renderers.set("redirects", () => {
  if (!redirectTools) createRedirectTools();
  const list = parameter("list", redirected.length || !edits().length ? "redirects" : "edits");
  for (const k of redirectTools.kinds) k.radio.checked = k.radio.value === list;
  const state = redirectTools.state;
  let nodes;
  if (list === "edits") {
    const all = edits();
    const w = rowsShown(all.length);
    const body = el("tbody", { role: "rowgroup" }, all.slice(w.from, w.to).map((e) => {
      const p = e.r.place(e.i);
      const at = p.source ?? p;
      return row(cell([link(at.page), at.line > 0 ? `:${at.line}:${at.column}` : ""], "wide url"), cell(el("code", {}, clip(visible(at.raw), 300)), "wide"), cell(e.r.content ? el("code", {}, clip(visible(e.url), 300)) : link(e.url), "wide"), cell(el("span", { class: "note" }, visible(e.why))));
    }));
    state.lines = () => [["page", "line", "column", "now", "instead", "because"], ...all.map((e) => {
      const p = e.r.place(e.i), at = p.source ?? p;
      return [at.page, at.line, at.column, at.raw, e.url, e.why];
    })];
    state.urls = () => [...new Set(all.filter((e) => !e.r.content).map((e) => e.url))];
    nodes = [el("p", { class: "note" }, "“orbweaver fix REPORT.json” turns these edits into a patch for local files."), table("Proposed edits", EDIT_COLUMNS, body, "", ""), pager(w)];
    if (all.length === 0) nodes = [el("p", { class: "empty card" }, "No proposed edits.")];
    announce(plural(all.length, "proposed edit"));
  } else {
    const finding = new Map();
    for (const f of findings) if (!finding.has(f.r)) finding.set(f.r, f);
    const made = flatTable("Redirects", redirected, REDIRECT_COLUMNS, (r) => r.url, ["from", "asc"], (r) => {
      const p = r.proposal;
      return row(cell(link(r.url), "wide"), cell(statuses(r)),
        cell([link(r.final || "?"), p && p.url !== r.final && el("div", { class: "hint" }, "use ", link(p.url))], "wide"),
        cell(count(r.count), "number"), cell(finding.has(r) ? detailsButton(finding.get(r), 0, r.url) : null));
    });
    state.lines = () => [["from", "answers", "to", "instead", "places"], ...made.sorted.map((r) => [r.url, statuses(r), r.final, r.proposal?.url ?? "", r.count])];
    state.urls = () => made.sorted.map((r) => r.url);
    nodes = made.nodes;
    if (redirected.length === 0) nodes = [el("p", { class: "empty card" }, "No redirects in the listed results.")];
    announce(plural(redirected.length, "redirect"));
  }
  redirectTools.view.replaceChildren(...nodes.filter(Boolean));
});
