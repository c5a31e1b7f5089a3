// Starts the page when all scripts are loaded.

function startTheme() {
  const root = document.documentElement;
  const toggle = byId("theme");
  const themes = ["", "light", "dark"];
  const name = () => {
    const theme = root.dataset.theme || "system";
    toggle.textContent = "◐ " + theme;
    toggle.setAttribute("aria-label", "Theme: " + theme);
  };
  toggle.addEventListener("click", () => {
    const next = themes[(themes.indexOf(root.dataset.theme ?? "") + 1) % themes.length];
    if (next) root.dataset.theme = next;
    else delete root.dataset.theme;
    try {
      localStorage.setItem("orbweaver-theme", next);
    } catch {
      // Without storage, the choice is lost when the page is closed.
    }
    name();
    announce(toggle.getAttribute("aria-label"));
    applyTheme();
  });
  name();
  toggle.hidden = false;
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => applyTheme());
}

function startNavigation() {
  const counts = { findings: findings.length, redirects: redirected.length || edits().length, web: data.web.nodes.length };
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

startTheme();
startNavigation();
show();
document.documentElement.dataset.ready = "";
