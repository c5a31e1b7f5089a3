package webtest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// tab is a page of the server in the browser.
type tab struct {
	*crawlertest.Tab
	base   string
	looked int // pages until now
}

func openTab(t *testing.T, s *server, address string, before ...chromedp.Action[chromedp.Void]) *tab {
	t.Helper()
	return &tab{Tab: crawlertest.OpenTab(t, browser, address, before...), base: s.base}
}

// screenshot writes a picture of the whole page, width pixels wide, to a PNG file.
func (p *tab) screenshot(width int, file string) {
	p.Helper()
	p.Do(crawlertest.TabSize(width, 900))
	height := min(crawlertest.Eval[int](p.Tab, `document.documentElement.scrollHeight`), 4000)
	p.Do(crawlertest.TabSize(width, max(height, 600)))
	crawlertest.Eval[bool](p.Tab, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	ctx, cancel := context.WithTimeout(p.Ctx, 5*time.Minute)
	defer cancel()
	shot, err := chromedp.Call(ctx, page.CaptureScreenshot, page.CaptureScreenshotParams{})
	if err != nil {
		p.Fatal(err)
	}
	if err := os.WriteFile(file, shot.Data, 0o666); err != nil {
		p.Fatal(err)
	}
}

// visit opens a path of the server.
func (p *tab) visit(path string) {
	p.Helper()
	p.Do(chromedp.Navigate(p.base + path))
}

// fill writes into a field as a person does.
func (p *tab) fill(selector, text string) {
	p.Helper()
	p.Until(fmt.Sprintf(`document.querySelector(%q)?.checkVisibility()`, selector))
	crawlertest.Eval[bool](p.Tab, fmt.Sprintf(`(() => { const e = document.querySelector(%q); e.value = %q; e.dispatchEvent(new Event("input", {bubbles: true})); return true; })()`, selector, text))
}

// submit clicks a button, and waits for the page after that.
func (p *tab) submit(selector, text string) {
	p.Helper()
	crawlertest.Eval[bool](p.Tab, `document.documentElement.dataset.before = "yes"`+` === "yes"`)
	p.ClickText(selector, text)
	p.Until(`document.readyState === "complete" && !("before" in document.documentElement.dataset)`)
}

// view is how a page is looked at.
type view struct {
	theme string
	width int
}

// views are those that each page must be fit for.
var views = []view{{"light", 1920}, {"dark", 390}, {"dark", 1920}, {"light", 390}, {"light", 768}}

// look tests that a page fits into the width of each view, and that axe-core has no finding in one
// of them, which differs from that of the page before, or in the long form in all. It may keep
// pictures of it.
func (p *tab) look(name string) {
	p.Helper()
	if strings.HasSuffix(p.base, "/links/") { // the pages are the same there
		return
	}
	p.looked++
	p.Until(`document.readyState === "complete"`)
	crawlertest.Eval[bool](p.Tab, `(() => { for (const d of document.querySelectorAll("main details:not([open])")) { d.open = true; d.dataset.folded = ""; } return true; })()`)
	for i, view := range views {
		p.Do(crawlertest.Media("prefers-color-scheme", view.theme), crawlertest.TabSize(view.width, 900))
		if crawlertest.Long() || i == p.looked%len(views) {
			p.Accessible()
		}
		if wide := crawlertest.Eval[int](p.Tab, `document.documentElement.scrollWidth`); wide > view.width {
			p.Errorf("%s is %d pixels wide, more than %d", name, wide, view.width)
		}
		if dir := os.Getenv("SHOTS"); dir != "" {
			p.screenshot(view.width, filepath.Join(dir, fmt.Sprintf("%s-%s-%d.png", name, view.theme, view.width)))
		}
	}
	p.Do(crawlertest.Media("prefers-color-scheme", "light"))
	p.Do(crawlertest.TabSize(1280, 900))
	crawlertest.Eval[bool](p.Tab, `(() => { for (const d of document.querySelectorAll("[data-folded]")) { d.open = false; delete d.dataset.folded; } return true; })()`)
}

// lookAtPages looks at every page. first and last are runs of a project, and failing is one
// that asked only what had failed; shared and status are the addresses of pages for people without accounts.
func (p *tab) lookAtPages(project, first, last, failing, shared, status string) {
	p.Helper()
	if strings.HasSuffix(p.base, "/links/") {
		return
	}
	ids := func(list string) string {
		return crawlertest.Eval[string](p.Tab, `fetch(new URL("api/v1/`+first+`/`+list+`", document.baseURI)).then((r) => r.json()).then((list) => list.items[0].id)`)
	}
	page := crawlertest.Eval[string](p.Tab, `fetch(new URL("api/v1/`+first+`/pages?sort=broken", document.baseURI)).then((r) => r.json()).then((list) => encodeURIComponent(list.items[0].url))`)
	for _, row := range []struct{ name, path string }{
		{"dashboard", ""}, {"new", "projects/new"}, {"project", project}, {"project-settings", project + "/settings"},
		{"run", first}, {"run-failing", failing}, {"findings", first + "/findings"}, {"findings-links", first + "/findings?view=links"}, {"findings-by-page", first + "/findings?view=pages"},
		{"findings-failing", failing + "/findings?by=issue"}, {"finding", first + "/findings/" + ids("findings")}, {"issue", first + "/issues/" + ids("issues")},
		{"pages", first + "/pages"}, {"page", first + "/pages/view?url=" + page}, {"compare", last + "/compare"}, {"map", first + "/map"},
		{"profile", "profile"}, {"settings", "settings"}, {"audit", "settings/audit"}, {"login", "login"},
		{"share", strings.TrimPrefix(shared, p.base)}, {"status", strings.TrimPrefix(status, p.base)}, {"not-found", "nothing"},
	} {
		p.visit(row.path)
		p.look(row.name)
	}
}

// testFlow goes through everything that an administrator does.
func testFlow(t *testing.T, s *server) {
	site := newSite(t)
	p := openTab(t, s, s.setup)
	p.Expect("the server responded with a status of 4") // that the test provokes
	p.look("setup")
	p.fill("[name=name]", "ada")
	p.fill("[name=password]", "short")
	crawlertest.Eval[bool](p.Tab, `(() => { document.querySelector("form").noValidate = true; return true; })()`)
	p.submit("button", "Create the account")
	p.Want(`document.querySelector("[role=alert]").innerText.length > 5`, "true")
	p.Want(`document.querySelector("[name=name]").value`, "ada")
	p.fill("[name=password]", "correct horse")
	p.submit("button", "Create the account")
	p.Want(`document.querySelector("h1").innerText`, "Welcome")
	p.look("dashboard-empty")

	// A target that is wrong: the message is beside the field, and the values are kept.
	p.fill("[name=targets]", "gopher://example.com/")
	p.fill("[name=schedule]", "tomorrow")
	p.submit("button", "Add")
	p.Want(`document.querySelector("#fault-targets").innerText.length > 5 && document.querySelector("#fault-schedule").innerText.length > 5`, "true")
	p.Want(`document.querySelector("[name=targets]").value + " " + document.querySelector("[name=schedule]").value`, "gopher://example.com/ tomorrow")
	p.look("new-faults")

	// The run is live.
	p.fill("[name=targets]", site.URL+"/")
	p.fill("[name=schedule]", "")
	p.submit("button", "Add and check now")
	p.Until(`document.querySelector("#live")`)
	p.Until(`+document.querySelector("#n-pages").innerText >= 3`)
	p.Until(`document.querySelector("#n-broken").innerText === "1"`)
	p.look("run-live")
	site.release()
	p.Until(`document.querySelector(".result-tiles")`)
	p.Want(`document.querySelector("h1").innerText`, "2 issues, 2 broken links")
	runPath := strings.TrimPrefix(crawlertest.Eval[string](p.Tab, `location.href`), s.base)
	firstRun := runPath

	// The first broken link.
	p.submit(".first a", site.URL+"/gone")
	p.Want(`document.querySelectorAll("[aria-labelledby=places-title] tbody tr").length`, "3")
	p.Want(`document.querySelector(".what-happened").innerText.includes("http-404")`, "true")
	p.submit("button", "Check this link again")
	p.Want(`document.querySelector("#recheck").innerText.includes("http-404")`, "true")
	p.fill("[name=until]", "1999-01-01")
	p.submit("button", "Mark")
	p.Want(`document.querySelector("#fault-reason").innerText`, "it is missing")
	p.Want(`document.querySelector("#fault-until").innerText`, "it is in the past")
	p.Want(`document.querySelector("[name=until]").value`, "1999-01-01")
	p.look("finding-faults")
	p.fill("[name=until]", "2999-12-31")
	p.fill("[name=reason]", "moved <b>soon</b>")
	p.submit("button", "Mark")
	p.Want(`document.querySelector("[aria-labelledby=mark-title] .notice").innerText`, "Marked as known by ada: moved <b>soon</b> (until 1 January 3000, 00:00 UTC)")
	p.submit("button", "Remove the mark")
	p.Want(`document.querySelector("[aria-labelledby=mark-title] .notice")`, "null")

	// Findings: filters are in the address.
	p.visit(runPath + "/findings")
	p.Want(`document.querySelectorAll(".findings tbody tr").length`, "3")
	p.Click("input[value=unverified]") // which is shown at first
	p.Click("input[value=warning]")
	p.fill("#q", "GONE")
	p.submit("button", "Filter")
	p.Want(`location.search.includes("verdict=broken") && location.search.includes("q=GONE")`, "true")
	p.Want(`[...document.querySelectorAll(".findings tbody a")].map((e) => e.innerText)`, site.URL+"/gone")
	if csv := crawlertest.Eval[string](p.Tab, `fetch(new URL("`+runPath+`/export?verdict=broken&q=gone&format=csv", document.baseURI)).then((r) => r.text())`); strings.Count(csv, "/gone,broken,http-404") != 3 {
		t.Errorf("the export is\n%s", csv)
	}
	for _, by := range []string{"code", "host", "page"} {
		p.visit(runPath + "/findings?by=" + by)
		p.Until(`document.querySelectorAll("main tbody tr").length > 0`)
	}
	p.visit(runPath + "/findings?q=nothing+like+this")
	p.Until(`document.querySelector(".empty")`)

	// Pages, a page, the map.
	p.visit(runPath + "/pages")
	p.Want(`document.querySelector("main tbody a").innerText`, "Guide")
	p.submit("main tbody a", "Guide")
	p.Want(`[...document.querySelectorAll("main table")].map((e) => e.querySelectorAll("tbody tr").length)`, "2,2")
	p.visit(runPath + "/map")
	p.Until(`document.querySelectorAll(".treemap a").length >= 2`)
	p.submit("main tbody a", "news/")
	p.Want(`document.querySelector("h2").innerText`, site.URL+"/news/")

	// Another run, in which a link is fixed.
	site.fix()
	p.visit(runPath)
	p.submit("button", "Check again")
	p.Until(`document.querySelector(".result-tiles")`)
	p.Want(`document.querySelector("h1").innerText`, "1 issue, 1 broken link")
	secondRun := strings.TrimPrefix(crawlertest.Eval[string](p.Tab, `location.href`), s.base)
	p.submit("[aria-labelledby=changes-title] a", "0 new broken links, 1 fixed, 1 still broken")
	p.Want(`[...document.querySelectorAll("main h2")].map((e) => e.innerText)`, "0 new broken links,1 fixed,1 still broken")
	p.submit(".crumbs a", strings.TrimPrefix(site.URL, "http://"))
	p.Until(`document.querySelector(".history")`)
	project := strings.TrimPrefix(crawlertest.Eval[string](p.Tab, `location.href`), s.base)

	p.submit("button", "Check what failed")
	p.Until(`document.querySelector(".result-tiles")`)
	runPath = strings.TrimPrefix(crawlertest.Eval[string](p.Tab, `location.href`), s.base)

	// Settings of the project.
	p.visit(project + "/settings")
	crawlertest.Eval[bool](p.Tab, `(() => { document.querySelectorAll("details").forEach((d) => d.open = true); return true; })()`)
	p.fill("#f-depth", "x")
	p.submit("button", "Save")
	p.Want(`document.querySelector("#fault-depth").innerText.length > 5`, "true")
	p.Want(`document.querySelector("#f-depth").value`, "x")
	p.look("project-settings-faults")
	p.fill("#f-depth", "3")
	p.submit("button", "Save")
	p.Want(`location.href`, s.base+project)
	p.visit(project + "/settings")
	p.submit("button", "Make an address")
	shared := crawlertest.Eval[string](p.Tab, `document.querySelector(".source").innerText`)
	if !strings.HasPrefix(shared, s.base+"share/") {
		t.Errorf("the shared address is %q", shared)
	}
	p.Want(`document.querySelectorAll("[aria-labelledby=links-title] .rows li").length`, "1")

	// A notification, and a test that does not arrive.
	p.ClickText("summary", "Add a notification")
	p.fill("#n-url", "ftp://example.com/")
	p.submit("[aria-labelledby=notify-title] button", "Add")
	p.Want(`document.querySelector("[aria-labelledby=notify-title] .fault").innerText.length > 5`, "true")
	p.Want(`document.querySelector("#n-url").value`, "ftp://example.com/")
	p.fill("#n-url", site.URL+"/hook")
	p.submit("[aria-labelledby=notify-title] button", "Add")
	p.submit("[aria-labelledby=notify-title] .rows button", "Send a test to "+site.URL+"/***")
	p.Want(`document.querySelector(".notice").innerText.includes("404")`, "true")
	p.look("project-settings-full")

	// Users and tokens.
	p.visit("settings")
	p.fill("#t-name", "ci")
	p.submit("button", "Make a token")
	p.Want(`document.querySelector("#made").innerText.length >= 24`, "true")
	p.Want(`document.querySelector("details:has(#u-name)").open = true`, "true")
	p.fill("#u-name", "eve")
	p.fill("#u-password", "1234")
	p.submit("button", "Add a user")
	p.Want(`document.querySelector(".fault").innerText.length > 5 && document.querySelector("#u-name").value`, "eve")
	p.look("settings")

	// A status page.
	p.visit("settings")
	p.ClickText("summary", "Make a status page")
	p.fill("#s-title", "All sites")
	p.Click("[name=projects]")
	p.submit("button", "Make a status page")
	status := crawlertest.Eval[string](p.Tab, `document.querySelector("[aria-labelledby=status-title] .source").innerText`)
	p.look("settings-status")
	p.Do(chromedp.Navigate(status))
	p.Want(`document.querySelector("h1").innerText + " " + document.querySelector("tbody .badge").innerText`, "All sites broken")
	p.visit("settings/audit")
	p.Want(`document.querySelector("tbody code").innerText`, "status.add")
	p.Want(`document.querySelector("tbody").innerText.includes('reason: – → "moved <b>soon</b>"')`, "true")
	p.lookAtForms(project)
	p.lookAtPages(project, firstRun, secondRun, runPath, shared, status)
	p.visit("")
	p.Want(`document.querySelectorAll(".project").length`, "1")

	// Signing out and in.
	p.submit("button", "Sign out")
	p.Do(chromedp.Navigate(shared))
	p.Want(`document.querySelector("h1").innerText`, strings.TrimPrefix(site.URL, "http://"))
	p.visit(project)
	p.fill("[name=name]", "ada")
	p.fill("[name=password]", "wrong horse")
	p.submit("button", "Sign in")
	p.Want(`document.querySelector("[role=alert]").innerText.length > 5`, "true")
	p.fill("[name=password]", "correct horse")
	p.submit("button", "Sign in")
	p.Want(`location.href`, s.base+project)

	// Deleting needs a tick.
	p.visit(project + "/settings")
	p.submit("button", "Delete the project")
	p.Want(`document.querySelector(".fault").innerText.length > 5`, "true")
	p.Click("[name=sure]")
	p.submit("button", "Delete the project")
	p.Want(`document.querySelector("h1").innerText`, "Welcome")
}

// lookAtForms looks at what forms answer: what an import did, and what is wrong.
func (p *tab) lookAtForms(project string) {
	p.Helper()
	p.visit("settings")
	p.ClickText("summary", "Import projects")
	p.fill("#i-document", "version = 2\n[[projects]]\nname = 'B'\ntargets = ['gopher://example.com/']\n")
	p.submit("button", "Import")
	p.Want(`document.querySelector("[aria-labelledby=exchange-title] .fault").innerText.startsWith("projects.0.targets.0: ")`, "true")
	p.Until(`document.querySelector("#exchange-title").getBoundingClientRect().top < innerHeight`) // people see it without scrolling
	p.look("import-faults")
	p.fill("#i-document", "version = 2\n[[projects]]\nname = 'B'\ntargets = ['https://example.com/']\n")
	p.Click("[name=try]")
	p.submit("button", "Import")
	p.Want(`document.querySelector("[aria-labelledby=exchange-title] .notice").innerText`, "Nothing is changed. It would be: 1 project added, 0 changed, 0 as they were.")
	p.look("import-try")

	p.visit(project + "/settings")
	p.fill("#f-urls", "https://example.com/\ngopher://example.com/\n")
	p.submit("button", "Save the list")
	p.Want(`document.querySelector("#fault-urls").innerText.includes("line 2")`, "true")
	p.Want(`document.querySelector("#f-urls").value.trim().split("\n").length`, "2")
	p.look("url-list-faults")
	p.visit(project + "/settings")
	p.ClickText("summary", "Quiet hours")
	p.fill("[name='quiet.from']", "25:00")
	p.fill("[name='quiet.zone']", "Moon/Base")
	p.submit("button", "Save")
	p.Want(`document.getElementById("fault-quiet.from").innerText.length > 5 && document.getElementById("fault-quiet.zone").innerText.length > 5`, "true")
	p.Want(`document.querySelector("[name='quiet.from']").value`, "25:00")
	p.look("quiet-faults")

	p.visit("profile")
	p.fill("#f-email", "nobody")
	p.fill("#f-time_zone", "Moon/Base")
	p.submit("button", "Save")
	p.Want(`document.querySelector("#fault-email").innerText.length > 5 && document.querySelector("#fault-time_zone").innerText.length > 5`, "true")
	p.look("profile-faults")
	p.visit("profile")
	p.submit("button", "Send me the summary now")
	p.Until(`document.querySelector("main [role=alert], main .fault, main .notice")`)
	p.look("digest-fault")
}

// testWithoutScripts adds a site, checks it and finds the broken link without scripts.
func testWithoutScripts(t *testing.T) {
	s := serve(t, "127.0.0.1:0", "", "--auth", "none")
	site := newSite(t)
	site.release()
	p := openTab(t, s, s.base, crawlertest.NoScripts())
	p.Until(`document.readyState === "complete"`)
	p.Want(`document.documentElement.classList.contains("script")`, "false")
	p.fill("[name=targets]", site.URL+"/")
	p.submit("button", "Add and check now")
	run := strings.TrimPrefix(crawlertest.Eval[string](p.Tab, `location.href`), s.base)
	for crawlertest.Eval[bool](p.Tab, `document.querySelector(".result-tiles") === null`) {
		p.visit(run)
	}
	p.submit(".first a", site.URL+"/gone")
	p.Want(`document.querySelectorAll("[aria-labelledby=places-title] tbody tr").length`, "3")
	p.fill("[name=reason]", "known")
	p.submit("button", "Mark")
	p.Until(`document.querySelector("[aria-labelledby=mark-title] .notice")`)
	p.visit(run + "/findings")
	p.Click("input[value=broken]") // which is shown at first, like the others
	p.Click("input[value=warning]")
	p.submit("button", "Filter")
	p.Until(`document.querySelector(".empty")`)
}

// testKeyboard adds a site, checks it and finds the broken link with the keyboard alone.
func testKeyboard(t *testing.T) {
	s := serve(t, "127.0.0.1:0", "", "--auth", "none")
	site := newSite(t)
	site.release()
	p := openTab(t, s, s.base)
	p.Until(`document.readyState === "complete"`)
	p.Keys(kb.Tab)
	p.Want(`document.activeElement.className`, "skip")
	p.Keys(kb.Enter)
	p.Until(`location.hash === "#main"`)
	p.tabTo(`document.activeElement.name === "targets"`)
	p.Keys(site.URL + "/")
	p.tabTo(`document.activeElement.textContent === "Add and check now"`)
	p.Keys(kb.Enter)
	p.Until(`document.querySelector(".result-tiles")`)
	p.Keys("j" + kb.Enter)
	p.Until(`document.querySelector("[aria-labelledby=places-title]")`)
	p.tabTo(`document.activeElement.textContent === "Check this link again"`)
	p.Keys(kb.Enter)
	p.Until(`document.querySelector("#recheck")`)
	p.tabTo(`document.activeElement.textContent === "Findings"`)
	p.Keys(kb.Enter)
	p.Until(`document.querySelector(".findings")`)
	p.Keys("/")
	p.Want(`document.activeElement.id`, "q")
	p.Keys("gone" + kb.Enter)
	p.Until(`location.search.includes("gone") && document.querySelectorAll(".findings tbody tr").length === 1`)
}

// tabTo presses Tab until an expression is true.
func (p *tab) tabTo(expression string) {
	p.Helper()
	for range 200 {
		if crawlertest.Eval[bool](p.Tab, expression) {
			return
		}
		p.Keys(kb.Tab)
	}
	p.Fatalf("Tab does not reach %s", expression)
}
