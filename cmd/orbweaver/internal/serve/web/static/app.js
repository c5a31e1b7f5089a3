// What pages do with scripts: live progress, and keys. Everything else works without.

const byId = (id) => document.getElementById(id);
const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

// current returns this page as the server shows it now, null if it does not.
async function current() {
  const answer = await fetch(location.href, { cache: "no-store" });
  return answer.ok ? new DOMParser().parseFromString(await answer.text(), "text/html") : null;
}

// duration formats a time as the server does it.
const duration = (ms) => {
  if (ms < 1000) return `${ms} ms`;
  if (ms < 60000) return `${(ms / 1000).toFixed(1)} s`;
  const minutes = Math.floor(ms / 60000);
  return minutes < 60 ? `${minutes} min ${Math.floor(ms / 1000) % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
};

// stream reads the events of an address that ends in the id of the last event that the page knows.
// handlers are functions by the type of events. While the stream is away, the page says so. ended
// is called if the server sends no more.
function stream(address, handlers, ended) {
  const url = new URL(address, document.baseURI);
  let last = Number(url.searchParams.get("after"));
  let source, timer, away;
  const here = () => {
    clearTimeout(timer);
    timer = away = undefined;
    byId("connection").hidden = true;
    delete document.documentElement.dataset.away;
  };
  const gone = () => {
    away ??= new Date();
    timer ??= setTimeout(() => {
      byId("connection").textContent = `No connection to the server since ${away.toLocaleTimeString()}. The numbers are from then.`;
      byId("connection").hidden = false;
      document.documentElement.dataset.away = "";
    }, 5000);
  };
  const open = () => {
    url.searchParams.set("after", last);
    source = new EventSource(url);
    source.addEventListener("open", here);
    source.addEventListener("error", () => {
      gone();
      if (source.readyState !== EventSource.CLOSED) return; // the browser connects again
      if (ended) fetch(ended.address, { cache: "no-store" }).then((r) => ended.check(r)).then((over) => over || setTimeout(open, 3000), () => setTimeout(open, 3000));
      else setTimeout(open, 3000);
    });
    for (const [kind, handle] of Object.entries(handlers)) {
      source.addEventListener(kind, (e) => {
        here();
        const id = Number(e.lastEventId);
        if (id <= last && kind !== "run") return; // it is replayed
        last = Math.max(last, id);
        handle(JSON.parse(e.data));
      });
    }
  };
  open();
  addEventListener("pagehide", () => source.close());
  return () => source.close();
}

// follow shows the progress of a run, and its result when it has ended.
function follow(live) {
  let announced = 0;
  const run = `api/v1/runs/${live.dataset.run}`;
  let renewing;
  const renew = async () => {
    renewing = undefined;
    const now = (await current())?.getElementById("found");
    if (!now?.children.length) return; // the run has ended
    byId("found").replaceWith(now);
    byId("found-title").hidden = false;
  };
  const over = (state) => ["done", "failed", "interrupted"].includes(state);
  const text = { elapsed_ms: duration, rate: (n) => n.toFixed(1), remaining_ms: (n) => (n === null ? "–" : `about ${duration(n)}`) };
  const close = stream(live.dataset.events, {
    progress(p) {
      for (const [name, n] of Object.entries(p)) {
        const place = byId("n-" + name);
        if (place) place.textContent = (text[name] ?? count)(n);
      }
      const bar = byId("bar");
      bar.max = Math.max(p.checked + p.queued, 1);
      bar.value = p.checked;
      if (Date.now() - announced > 5000) {
        announced = Date.now();
        byId("status").textContent = `${count(p.checked)} targets checked, ${count(p.broken)} broken`;
      }
    },
    finding(f) {
      if (f.verdict === "broken" && byId("found").children.length < 20) renewing ??= setTimeout(() => renew().catch(() => {}), 300);
    },
    state({ state }) {
      const badge = live.querySelector("h2 .badge");
      badge.textContent = state;
      badge.className = "badge state-" + state;
      byId("live-state").textContent = state === "stopping" ? "Requests in flight are finished." : "";
      if (over(state)) {
        close();
        location.reload();
      }
    },
  }, {
    address: new URL(run, document.baseURI),
    async check(answer) { // nothing follows, or the server does not answer as it should
      const gone = [401, 403, 404].includes(answer.status);
      if (!gone && !(answer.ok && over((await answer.json()).state))) return false;
      location.reload();
      return true;
    },
  });
}

// followAll keeps the projects of the first page up to date.
function followAll(list) {
  const card = (project) => list.querySelector(`[data-project="${CSS.escape(project)}"]`);
  const stale = new Set();
  let timer;
  const renew = async () => {
    timer = undefined;
    const projects = [...stale];
    stale.clear();
    const page = await current();
    if (!page) return;
    for (const project of projects) {
      const old = card(project);
      const now = page.querySelector(`[data-project="${CSS.escape(project)}"]`);
      if (!old || !now) continue;
      old.querySelector(".result").replaceWith(now.querySelector(".result"));
      const spark = now.querySelector(".spark");
      if (spark) old.querySelector(".spark")?.replaceWith(spark);
      const button = old.querySelector("button");
      if (button) button.disabled = now.querySelector("button")?.disabled;
    }
  };
  stream(list.dataset.events, {
    run({ project }) {
      stale.add(project);
      timer ??= setTimeout(() => renew().catch(() => {}), 300);
    },
    progress({ project, progress: p }) {
      const place = card(project)?.querySelector("[data-progress]");
      if (place) place.textContent = `${count(p.checked)} targets checked, ${count(p.broken)} broken`;
    },
  });
}

const live = byId("live");
if (live) follow(live);
const all = byId("all");
if (all) followAll(all);

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
