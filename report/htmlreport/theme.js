// Runs before the page is shown, so that a chosen theme does not flash.
(() => {
  "use strict";
  document.documentElement.classList.add("script");
  try {
    const theme = localStorage.getItem("orbweaver-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // A browser may deny storage to files: use the theme of the system.
  }
})();
