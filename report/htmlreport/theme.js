// Runs before the page is shown, so that a chosen theme does not flash.
(() => {
  "use strict";
  document.documentElement.classList.add("script");
  try {
    const theme = localStorage.getItem("orbweaver-theme");
    if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  } catch {
    // Storage may be denied to files: the system's choice is followed.
  }
})();
