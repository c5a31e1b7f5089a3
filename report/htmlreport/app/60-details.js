// The details of one finding: what happened, the path to it, and what to do.

const PLACES = 25; // places of a target that are shown at once

let opener = null; // element that gets the focus when the details are closed

function showDetails() {
  const dialog = byId("details");
  const open = parameter("open");
  const [id, at] = open.split(".").map(Number);
  const f = open ? findings[id] : undefined;
  if (!f) {
    if (dialog.open) dialog.close();
    return;
  }
  if (dialog.dataset.open === open && dialog.open) return;
  dialog.dataset.open = open;
  dialog.replaceChildren(...detailsOf(f, at));
  dialog.scrollTop = 0;
  if (!dialog.open) {
    opener = document.activeElement;
    dialog.showModal();
  }
  byId("details-title").focus();
}

// The dialog is closed by Escape, by its button, or by going back.
byId("details").addEventListener("close", () => {
  const dialog = byId("details");
  const open = dialog.dataset.open;
  delete dialog.dataset.open;
  dialog.replaceChildren();
  if (parameter("open")) go(address.view, { open: null }, { replace: true });
  const back = document.querySelector(`[data-open="${CSS.escape(open ?? "")}"]`) ?? opener;
  back?.focus();
});

byId("details").addEventListener("click", (e) => {
  if (e.target === byId("details")) byId("details").close();
});

// detailsOf describes a finding at the place with index at, or else at its first place.
function detailsOf(f, at) {
  const r = f.r;
  const c = codeOf(f.code);
  const places = onPages(f) ? placesOf(f) : [];
  if (!places.includes(at)) at = places[0];
  const place = at === undefined ? null : r.place(at);
  const node = nodeOf(place ? place.page : r.page);
  const http = hrefOf(r.url);
  return [
    el("div", { class: "detail-top" },
      el("h2", { id: "details-title", tabindex: -1 }, badge(f.word), " ", el("code", {}, visible(f.code)), " ", c.title),
      button("Close", () => byId("details").close(), { class: "small" })),
    el("div", { class: "detail" },
      el("div", {},
        el("p", { class: "what-happened" }, link(r.url)),
        messageOf(f) && el("p", { class: r.content ? "" : "note" }, r.rule && [el("code", {}, visible(r.rule)), ": "], visible(messageOf(f)))),
      el("div", { class: "actions" },
        http && el("a", { class: "button", href: http, target: "_blank", rel: "noopener noreferrer" }, "Open URL"),
        button("Copy URL", () => copy(r.url, "the URL")),
        place && button("Copy place", () => copy(placeText(place), "the place")),
        node !== undefined && button("Show on map", () => go("map", { node, open: null }, { fresh: true })),
        r.content && button("All findings on this page", () => go("findings", { page: place.page }, { fresh: true })),
        button("All findings with this code", () => go("findings", { by: "target", code: f.code }, { fresh: true }))),
      instead(f),
      (place || node !== undefined) && pathSection(f, place),
      place && f.count > 1 && placesSection(f, places, at),
      chainOf(r),
      others(f),
      factsOf(r),
      (c.explanation || c.advice) && el("section", {}, el("h3", {}, "What it means"), c.explanation && el("p", {}, c.explanation), c.advice && el("p", {}, el("strong", {}, "What to do: "), c.advice))),
    el("div", { id: "details-status", class: "visually-hidden", role: "status" }),
  ];
}

// instead lists URLs that can replace the link.
function instead(f) {
  if (f.r.content) {
    if (!f.r.replacement) return null;
    return el("section", {}, el("h3", {}, "Use instead"), el("code", { class: "source" }, clip(visible(f.r.replacement), 600)));
  }
  const offers = f.w >= 0
    ? [{ url: f.r.warnings[f.w].proposal, why: "current URL" }]
    : f.r.suggestions;
  const good = offers.filter((o) => o.url);
  if (good.length === 0) return null;
  return el("section", {}, el("h3", {}, f.w >= 0 ? "Use instead" : "Did you mean"),
    el("ul", { class: "list" }, good.map((o) => el("li", {}, link(o.url), " ", el("span", { class: "note" }, visible(o.why)), " ",
      button("Copy", () => copy(o.url, "the URL"), { class: "small", "aria-label": "Copy " + clip(visible(o.url), 80) })))));
}

// pathSection shows the path of a reader: from the start from page to page, to the line
// and text of the link, and to its target. A finding about a page itself has no place, so
// the path ends at the page.
function pathSection(f, place) {
  const page = place ? place.page : f.r.page;
  const node = nodeOf(page);
  const steps = [];
  if (node !== undefined && data.web.drawn) {
    const path = pathTo(node).filter((k) => nodes[k].address >= 0 && k !== node);
    const most = 8;
    const left = path.length > most ? path.splice(most / 2, path.length - most).length : 0;
    path.forEach((k, i) => {
      if (left && i === most / 2) steps.push(el("li", {}, el("span", { class: "note" }, plural(left, "page") + " in between")));
      steps.push(el("li", {}, el("strong", {}, clip(nodes[k].name, 90)), el("div", { class: "where" }, link(nodes[k].url))));
    });
  }
  const title = node !== undefined && nodes[node].title && el("strong", {}, clip(nodes[node].name, 90));
  if (!place) {
    steps.push(el("li", { class: "end " + f.word }, title, el("div", { class: "where" }, link(page))));
  } else {
    const element = place.element && `, in <${visible(place.element)}${place.attribute ? " " + visible(place.attribute) : ""}>`;
    steps.push(el("li", { class: f.r.content ? "end " + f.word : f.word === "broken" ? "broken-link" : "" },
      title,
      el("div", { class: "where" }, link(place.page)),
      place.line > 0 && el("div", { class: "where" }, `line ${count(place.line)}, column ${count(place.column)}${element || ""}`),
      elementPlace(place) && el("div", { class: "where" }, visible(elementPlace(place))),
      place.source && el("div", { class: "where" }, "source: ", el("span", { class: "url" }, visible(placeText(place.source)))),
      place.text && el("div", {}, el("q", { class: "text" }, "“" + clip(oneLine(place.text), 300) + "”")),
      place.raw && el("code", { class: "source" }, clip(visible(place.raw), 600))));
    if (!f.r.content) steps.push(el("li", { class: "end " + f.word }, link(f.r.url)));
  }
  return el("section", {}, el("h3", {}, "Path from the start"), el("ol", { class: "way" }, steps));
}

// placesSection lists all places that a finding concerns, a few at a time.
function placesSection(f, places, at) {
  const r = f.r;
  const list = el("ol", { class: "list", id: "places" });
  const more = button("", () => {
    const from = list.children.length;
    add();
    list.children[from]?.querySelector("button")?.focus();
  });
  const add = () => {
    const from = list.children.length, to = Math.min(places.length, from + PLACES);
    for (const i of places.slice(from, to)) {
      const p = r.place(i);
      list.append(el("li", {}, button(visible(placeText(p)), () => go(address.view, { open: f.id + "." + i }, { replace: true }), { class: "linklike url", "aria-current": i === at ? "true" : false }),
        " ", p.text && el("q", { class: "text" }, "“" + clip(oneLine(p.text), 60) + "”")));
    }
    more.hidden = to >= places.length;
    more.textContent = `Show ${Math.min(PLACES, places.length - to)} more`;
  };
  add();
  return el("section", {},
    el("h3", {}, plural(f.count, "place") + " on " + plural(f.pages, "page")),
    f.count > places.length && el("p", { class: "note" }, `The first ${count(places.length)} places are listed here. The JSON report lists all of them.`),
    el("div", { class: "actions" }, button("Copy all places", () => copy(places.map((i) => placeText(r.place(i)) + "\n").join(""), plural(places.length, "place")), { class: "small" })),
    list, more);
}

function chainOf(r) {
  const hops = r.redirects;
  if (hops.length === 0) return null;
  const steps = hops.map((h) => el("li", {}, link(h.url), el("div", { class: "where" }, "status " + h.status)));
  if (r.final) steps.push(el("li", { class: "end " + (r.verdict === "broken" ? "broken" : "ok") }, link(r.final), r.status > 0 && el("div", { class: "where" }, "status " + r.status)));
  return el("section", {}, el("h3", {}, "Redirects"), el("ol", { class: "way" }, steps));
}

// others lists the other findings of the same target.
function others(f) {
  const rest = findings.filter((g) => g.r === f.r && g !== f);
  if (rest.length === 0) return null;
  return el("section", {}, el("h3", {}, "Other findings for this target"),
    el("ul", { class: "list" }, rest.map((g) => el("li", {}, badge(g.word), " ",
      button(visible(g.code), () => go(address.view, { open: String(g.id) }, { replace: true }), { class: "linklike" }), " ", el("span", { class: "note" }, visible(messageOf(g) || codeOf(g.code).title))))));
}

function bytes(n) {
  if (n < 1000) return plural(n, "byte");
  const unit = Math.min(3, Math.floor(Math.log10(n) / 3));
  return (n / 1000 ** unit).toPrecision(3) + " " + ["", "kB", "MB", "GB"][unit];
}

function factsOf(r) {
  const facts = [
    ["Scope", r.internal ? "internal" : "external"],
    r.status > 0 && ["Status", r.status],
    r.attempts > 0 && ["Requests", r.attempts],
    r.elapsed > 0 && ["Duration", count(r.elapsed) + " ms"],
    r.type && ["Content type", visible(r.type)],
    r.size >= 0 && ["Size", bytes(r.size)],
    r.final && r.final !== r.url.split("#", 1)[0] && ["Final URL", link(r.final)],
  ].filter(Boolean);
  return el("section", {}, el("h3", {}, "Facts"), el("dl", { class: "facts" }, facts.flatMap(([name, value]) => [el("dt", {}, name), el("dd", {}, value)])));
}
