// What pages do with scripts: live progress, and keys. Everything else works without.

const byId = (id) => document.getElementById(id);
const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

// isolated returns a text of a site in an element of its own direction, with characters that act
// made visible, as the server does it in pages.
const acting = /[\p{Cc}\u00AD\u034F\u061C\u115F\u1160\u180E\u200B\u200E\u200F\u2028-\u202E\u2060-\u206F\u3164\uFEFF\uFFA0\uFFF9-\uFFFB\u{E0000}-\u{E007F}]/gu;
const visible = (s) => s.replace(acting, (c) => `\\u{${c.codePointAt(0).toString(16)}}`);
const isolated = (s) => Object.assign(document.createElement("bdi"), { textContent: visible(s) });

// follow shows the progress of a run, and its result when it has ended.
function follow(live) {
  const last = { announced: 0, ended: false };
  const seen = new Set();
  const source = new EventSource(new URL(live.dataset.events, document.baseURI));
  source.addEventListener("progress", (e) => {
    const p = JSON.parse(e.data);
    for (const [name, n] of Object.entries(p)) {
      const place = byId("n-" + name);
      if (place) place.textContent = count(n);
    }
    const bar = byId("bar");
    bar.max = Math.max(p.checked + p.queued, 1);
    bar.value = p.checked;
    if (Date.now() - last.announced > 5000) {
      last.announced = Date.now();
      byId("status").textContent = `${count(p.checked)} targets checked, ${count(p.broken)} broken`;
    }
  });
  source.addEventListener("finding", (e) => {
    const f = JSON.parse(e.data);
    if (f.verdict !== "broken" || seen.has(f.id) || seen.size >= 20) return;
    seen.add(f.id);
    const a = Object.assign(document.createElement("a"), { className: "url" });
    a.append(isolated(f.url));
    a.href = live.dataset.events.replace(/^api\/v1\//, "").replace(/events$/, "findings/") + encodeURIComponent(f.id);
    const li = document.createElement("li");
    const message = Object.assign(document.createElement("span"), { className: "note" });
    message.append(isolated(f.message));
    li.append(a, " ", message);
    byId("found").append(li);
    byId("found-title").hidden = false;
  });
  source.addEventListener("state", (e) => {
    const run = JSON.parse(e.data);
    const badge = live.querySelector("h2 .badge");
    badge.textContent = run.state;
    badge.className = "badge state-" + run.state;
    byId("live-state").textContent = run.state === "stopping" ? "Requests in flight are finished." : "";
    if (["done", "failed", "interrupted"].includes(run.state) && !last.ended) {
      last.ended = true;
      source.close();
      location.reload();
    }
  });
  addEventListener("pagehide", () => source.close());
}

const live = byId("live");
if (live) follow(live);

byId("keys").hidden = !document.querySelector("input[type=search], main tbody a, main ol.list > li > a");

// "/" moves to the search, j and k to the next and the previous row.
addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || e.target.closest("input, select, textarea")) return;
  if (e.key === "/") {
    const search = document.querySelector("input[type=search]");
    if (!search) return;
    e.preventDefault();
    search.focus();
  } else if (e.key === "j" || e.key === "k") {
    const rows = [...document.querySelectorAll("main tbody a:first-of-type, main ol.list > li > a:first-of-type")];
    const at = rows.indexOf(document.activeElement);
    rows[e.key === "j" ? Math.min(at + 1, rows.length - 1) : Math.max(at - 1, 0)]?.focus();
  }
});
