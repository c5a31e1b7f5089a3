// The choice of the theme, for the HTML report and the web interface. A page includes it in
// its head, so that a chosen theme does not flash. The button with the id "theme" changes it.
(() => {
  "use strict";
  const root = document.documentElement;
  const themes = ["", "light", "dark"];
  root.classList.add("script");
  try {
    const theme = localStorage.getItem("orbweaver-theme");
    if (themes.includes(theme) && theme) root.dataset.theme = theme;
  } catch {
    // A browser may deny storage to files: use the theme of the system.
  }
  const changed = () => document.dispatchEvent(new Event("themechange"));
  document.addEventListener("DOMContentLoaded", () => {
    const toggle = document.getElementById("theme");
    if (!toggle) return;
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
      changed();
    });
    name();
    toggle.hidden = false;
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", changed);
  });
})();
