// What is shown stands in the address behind "#", so that a view can be kept as a
// bookmark and sent to others: #findings?by=target&code=http-404

const VIEWS = ["summary", "findings", "redirects", "web", "codes"];

// The sections lose their names, or the browser would scroll to them by itself.
for (const name of VIEWS) byId(name).id = "view-" + name;
const viewOf = (name) => byId("view-" + name);

let address = { view: "summary", query: new URLSearchParams() };

function readAddress() {
  const hash = location.hash.slice(1);
  const cut = hash.indexOf("?");
  const view = cut < 0 ? hash : hash.slice(0, cut);
  if (view.startsWith("code-")) return { view: "codes", query: new URLSearchParams(), entry: view };
  if (hash === "main") return { ...address, entry: "main" };
  return {
    view: VIEWS.includes(view) ? view : "summary",
    query: new URLSearchParams(cut < 0 ? "" : hash.slice(cut + 1)),
  };
}

const hashOf = (view, query) => {
  const text = query.toString();
  return "#" + view + (text ? "?" + text : "");
};

// go shows a view. Changes are put over what is in the address; null takes a value
// out. A change made while typing replaces the entry in the history.
function go(view, changes, { fresh = false, replace = false } = {}) {
  const query = fresh || view !== address.view ? new URLSearchParams() : new URLSearchParams(address.query);
  for (const [name, value] of Object.entries(changes ?? {})) {
    if (value === null || value === "") query.delete(name);
    else query.set(name, value);
  }
  const hash = hashOf(view, query);
  if (hash === location.hash) return show();
  history[replace ? "replaceState" : "pushState"](null, "", hash);
  show();
}

const parameter = (name, otherwise = "") => address.query.get(name) ?? otherwise;

const makers = new Map(); // view: what fills it when it is shown

// show brings the page in line with the address.
function show() {
  const before = address;
  address = readAddress();
  for (const name of VIEWS) viewOf(name).classList.toggle("shown", name === address.view);
  for (const a of document.querySelectorAll("nav a")) {
    if (a.dataset.view === address.view) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  makers.get(address.view)?.();
  showDetails();
  if (address.entry) byId(address.entry)?.scrollIntoView();
  else if (before.view !== address.view) scrollTo({ top: 0, behavior: "instant" });
}
