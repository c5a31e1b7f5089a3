// Copying and saving. Strings from pages are made safe for spreadsheets and Markdown, as
// in the reports in these formats.

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Without permission, or in an old browser: copy a selection.
    const area = el("textarea", { readonly: true, class: "visually-hidden" });
    area.value = text;
    const dialog = byId("details");
    (dialog.open ? dialog : document.body).append(area);
    const before = document.activeElement;
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    before?.focus();
    if (!done) return announce("Copying failed.");
  }
  announce("Copied " + what + ".");
  toast("Copied " + what);
}

let toasted = 0;
function toast(text) {
  document.querySelector(".toast")?.remove();
  clearTimeout(toasted);
  const t = el("div", { class: "toast", "aria-hidden": "true" }, text);
  const dialog = byId("details");
  (dialog.open ? dialog : document.body).append(t);
  toasted = setTimeout(() => t.remove(), 2500);
}

function save(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  el("a", { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// csvCell makes formulas harmless, and quotes the cell if necessary (RFC 4180).
function csvCell(value) {
  let s = String(value).replace(/[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/g, visible);
  if (s !== "-" && /^[=+\-@\t\r\n＝＋－＠]/.test(s)) s = "'" + s;
  return /[",\r\n]|^[ ]|[ ]$/.test(s) ? '"' + s.replaceAll('"', '""') + '"' : s;
}

const csv = (lines) => lines.map((cells) => cells.map(csvCell).join(",") + "\n").join("");

// markdownCode returns a code span, in which nothing is a link, a mention or HTML.
const markdownCode = (value) => {
  const s = oneLine(String(value));
  if (!s) return "";
  const longest = Math.max(0, ...(s.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = s.startsWith("`") || s.endsWith("`") ? " " : "";
  return fence + pad + s.replaceAll("|", "\\|") + pad + fence;
};

// markdown makes a table of lines. The first line is the heading.
const markdown = (lines) =>
  lines.map((cells, i) => "| " + (i === 0 ? cells : cells.map(markdownCode)).join(" | ") + " |\n" + (i === 0 ? "|" + "---|".repeat(cells.length) + "\n" : "")).join("");

// copyMenu returns a menu that copies or saves a table. lines and urls are called on use.
function copyMenu(name, lines, urls) {
  const open = button("Copy", () => toggle(), { "aria-expanded": "false", "aria-controls": name + "-menu" });
  const entry = (text, what, make) =>
    el("li", {}, button(text, () => {
      toggle(false);
      copy(make(), what);
    }));
  const menu = el("ul", { id: name + "-menu", hidden: true },
    entry("URLs, one per line", "the URLs", () => urls().map((u) => u + "\n").join("")),
    entry("Table as CSV", "the table as CSV", () => csv(lines())),
    entry("Table as Markdown", "the table as Markdown", () => markdown(lines())),
    el("li", {}, button("Save table as a CSV file", () => {
      toggle(false);
      save("links.csv", "text/csv", csv(lines()));
    })));
  const toggle = (on = menu.hidden) => {
    menu.hidden = !on;
    // The menu opens to the left if there is no room on the right.
    menu.classList.toggle("back", on && open.getBoundingClientRect().left + menu.offsetWidth > innerWidth);
    open.setAttribute("aria-expanded", String(on));
  };
  const whole = el("div", {
    class: "menu",
    on: {
      keydown: (e) => {
        if (e.key === "Escape" && !menu.hidden) {
          toggle(false);
          open.focus();
          e.stopPropagation();
        }
      },
      focusout: (e) => {
        if (e.relatedTarget && !whole.contains(e.relatedTarget)) toggle(false);
      },
    },
  }, open, menu);
  document.addEventListener("pointerdown", (e) => {
    if (!whole.contains(e.target)) toggle(false);
  });
  return whole;
}
