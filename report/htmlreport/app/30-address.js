// The fragment of the page's URL describes what is shown, so that a view can be
// bookmarked and shared: #findings?by=target&code=http-404

const VIEWS = ["summary", "findings", "pages", "redirects", "map", "codes"];

// The sections get other ids, since the browser would scroll to them.
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

// go shows a view. It merges changes into the parameters of the address; null removes a
// parameter. With replace, it replaces the history entry, as when the user is typing.
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

const renderers = new Map(); // view name: function that fills the view when it is shown

// show updates the page from the address.
function show() {
  const before = address;
  address = readAddress();
  for (const name of VIEWS) viewOf(name).classList.toggle("shown", name === address.view);
  for (const a of document.querySelectorAll("nav a")) {
    if (a.dataset.view === address.view) a.setAttribute("aria-current", "page");
    else a.removeAttribute("aria-current");
  }
  renderers.get(address.view)?.();
  showDetails();
  if (address.entry) byId(address.entry)?.scrollIntoView();
  else if (before.view !== address.view) scrollTo({ top: 0, behavior: "instant" });
}
