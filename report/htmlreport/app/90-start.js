// Starts the page when all scripts are loaded.

document.addEventListener("themechange", () => {
  announce(byId("theme").getAttribute("aria-label"));
  applyTheme();
});

function startNavigation() {
  const pages = nodeAt.size + data.web.omitted.pages;
  const counts = { findings: findings.filter((f) => isFinding(f.word)).length, redirects: redirected.length || edits().length, pages, map: pages };
  for (const a of document.querySelectorAll("nav a[data-view]")) {
    const n = counts[a.dataset.view];
    if (n !== undefined) a.append(" ", el("span", { class: "n" }, count(n)));
    if (n) a.parentElement.hidden = false;
    a.addEventListener("click", (e) => {
      if (e.button !== 0 || e.ctrlKey || e.metaKey || e.shiftKey) return;
      e.preventDefault();
      go(a.dataset.view, {}, { fresh: true });
      byId(a.dataset.view + "-title").focus({ preventScroll: true });
    });
  }
  // Links in the summary and the codes lead to the filtered list of findings.
  for (const a of document.querySelectorAll("a[data-go]")) a.href = "#findings?" + a.dataset.go;
  for (const name of VIEWS) viewOf(name).hidden = false;
  addEventListener("hashchange", show);
  addEventListener("popstate", show);
}

startNavigation();
show();
document.documentElement.dataset.ready = "";
