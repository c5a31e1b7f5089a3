package crawlertest

import (
	"os"
	"strings"
)

// Accessible tests the page with axe-core: it must have no finding, of the criteria of WCAG 2.2
// at the levels A and AA or of good practice. AXE_JS names the file axe.min.js; without it the
// test is skipped, or fails if CI is "true".
func (t *Tab) Accessible() {
	t.Helper()
	file := os.Getenv("AXE_JS")
	if file == "" {
		missing(t, "AXE_JS does not name axe.min.js")
	}
	if !Eval[bool](t, `"axe" in globalThis`) { // it stays until the page is left
		script, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		Eval[bool](t, string(script)+"\n;true")
	}
	Eval[bool](t, `Promise.allSettled(document.getAnimations().map((a) => a.finished)).then(() => true)`)
	// Without resultTypes, axe-core describes each element that passes a rule, too.
	found := Eval[[]string](t, `axe.run(document, {resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}).then((r) =>
		r.violations.flatMap((v) => v.nodes.map((n) => v.id + " (" + v.help + "): " + n.target.join(" ") + " " + n.html.slice(0, 200) + " " + [...n.any, ...n.all, ...n.none].map((c) => c.message).join("; "))))`)
	if len(found) > 0 {
		t.Errorf("%s, %s: axe-core found\n%s", Eval[string](t, `location.href`), Eval[string](t, `getComputedStyle(document.documentElement).colorScheme`), strings.Join(found, "\n"))
	}
}
