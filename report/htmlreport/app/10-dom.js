// Functions that create elements. Strings enter the page only as text nodes and attributes.

const byId = (id) => document.getElementById(id);

// el creates an element. The property "on" has event listeners, "class" the class names;
// true sets an attribute and false omits it.
function el(tag, properties = {}, ...children) {
  const e = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) e.addEventListener(event, listener);
    } else if (name === "class") {
      e.className = value;
    } else if (value === true) {
      e.setAttribute(name, "");
    } else if (value !== false && value !== undefined && value !== null) {
      e.setAttribute(name, String(value));
    }
  }
  e.append(...children.flat().filter((c) => c !== null && c !== undefined && c !== false));
  return e;
}

const button = (text, click, properties = {}) => el("button", { type: "button", on: { click }, ...properties }, text);

// UNSEEN matches characters that act instead of being visible: they change the text
// direction, or have no width, so that two strings look alike.
const UNSEEN =
  /[\0-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]|(?<![^\0-\x7f\u200c\u200d])[\u200c\u200d]|[\u200c\u200d](?![^\0-\x7f\u200c\u200d])/gu;

// visible escapes unseen characters, as in \u202e: those that are invisible, and joiners
// that are next to ASCII.
function visible(s) {
  return s.replace(UNSEEN, (c) => {
    const n = c.codePointAt(0);
    return n > 0xffff ? "\\U" + n.toString(16).padStart(8, "0") : "\\u" + n.toString(16).padStart(4, "0");
  });
}

// readable shows the letters that are percent-encoded in a URL. Everything that could have a meaning
// in a URL, or be unseen, stays as it is. Copies have the URL itself.
function readable(url) {
  if (!url.includes("%")) return url;
  return url.replace(/(?:%[89a-f][0-9a-f])+/gi, (encoded) => {
    try {
      const s = decodeURIComponent(encoded);
      return /^[\p{L}\p{N}\p{So}][\p{L}\p{M}\p{N}\p{So}\u200c\u200d]*$/u.test(s) && visible(s) === s ? s : encoded;
    } catch {
      return encoded;
    }
  });
}

// A selection of a whole URL copies the URL itself.
document.addEventListener("copy", (e) => {
  const selected = getSelection();
  const at = selected.anchorNode;
  const shown = (at instanceof Element ? at : at?.parentElement)?.closest("[data-raw]");
  if (!shown || selected.toString().trim() !== shown.textContent) return;
  e.clipboardData.setData("text/plain", shown.dataset.raw);
  e.preventDefault();
});

// oneLine returns the text of a link on one line. Marks of the direction of writing, which texts in
// Arabic and Hebrew have, are left out: each text is isolated from what surrounds it.
const oneLine = (s) => visible(s.replace(/[\u200e\u200f\u061c]/g, "").replace(/[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+/g, " ").trim());

const clip = (s, n) => (s.length <= n ? s : s.slice(0, n - 1) + "…");

// hrefOf returns a URL that may be the target of a link: only http and https URLs.
function hrefOf(url) {
  UNSEEN.lastIndex = 0;
  return /^https?:\/\//i.test(url) && !UNSEEN.test(url) ? url : "";
}

// link shows a URL. It is clickable if it is an http or https URL.
function link(url, text = readable(url)) {
  const href = hrefOf(url);
  const raw = text === url || text.endsWith("…") ? null : url;
  if (!href) return el("span", { class: "url", "data-raw": raw }, visible(text) || "(empty)");
  return el("a", { class: "url", href, "data-raw": raw, target: "_blank", rel: "noopener noreferrer" }, visible(text));
}

const badge = (word) => el("span", { class: "badge " + word }, word);

const count = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, ",");

const plural = (n, noun) => count(n) + " " + (n === 1 ? noun : noun + "s");

// announce tells screen readers what changed. While the details are open, the rest of the
// page is silent, so the details have a status element of their own.
let announced = 0;
function announce(text) {
  clearTimeout(announced);
  announced = setTimeout(() => {
    (byId("details-status") ?? byId("status")).textContent = text;
  }, 150);
}

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
