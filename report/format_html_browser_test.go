package report

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func testSummary(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "").ready()
	p.Want(`document.querySelector("h1").innerText`, "Links of https://example.com/")
	p.Want(`document.getElementById("summary-title").innerText`, "4 broken, 1 unverified, 2 warnings")
	p.Want(`document.querySelector("nav [data-view=findings]").innerText`, "Findings 6")
	p.Want(`document.querySelectorAll(".view.shown").length`, "1")
	p.Want(`document.querySelector("nav [aria-current]").dataset.view`, "summary")
	p.Click(".tile.unverified a")
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`location.hash`, "#findings?verdict=unverified")
	p.Want(`[...new Set([...document.querySelectorAll("#list .badge")].map((b) => b.innerText))]`, "unverified")
	p.Do(chromedp.NavigateBack())
	p.Until(`document.getElementById("view-summary").classList.contains("shown")`)
	p.ClickText("a[data-go]", "http-410")
	p.Want(`location.hash`, "#findings?by=target&code=http-410")
	p.ClickText("nav a", "Codes")
	p.Until(`document.getElementById("code-http-410").checkVisibility()`)
	p.Want(`document.activeElement.id`, "codes-title")
}

// testNames tests that findings on a file and about it are under its name, with a link to
// its node in the graph. Only the details show a very long URL completely.
func testNames(t *testing.T, ctx context.Context, _ string) {
	long := "gone-" + strings.Repeat("x", 2000)
	run := contractRun()
	run.Results = []*result.Result{
		{URL: "s/my%20page.html", Verdict: check.OK, Code: "ok", Internal: true, Warnings: []check.Warning{{Code: "fragment-duplicate", Message: "twice"}},
			References: []result.Reference{{Page: "s/index.html", Line: 1, Column: 1}}},
		{URL: long, Verdict: check.Broken, Code: "file-missing", References: []result.Reference{{Page: "s/my page.html", Line: 1, Column: 1}}},
	}
	p := open(t, ctx, renderHTML(t, Options{}, run, site("s/index.html 0 s/my%20page.html", "s/my%20page.html 0")), "#findings").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`[...document.querySelectorAll("#list .group .page")].map((e) => e.innerText)`, "s/my page.html")
	p.Want(`document.querySelectorAll("#list .group button").length`, "2") // Copy, Show on map
	p.Want(`[...document.querySelectorAll("#list .wide .url")].map((e) => e.innerText.length)`, "300,16")
	p.Do(chromedp.Navigate("about:blank"))
	p = open(t, ctx, renderHTML(t, Options{}, run, site("s/index.html 0 s/my%20page.html", "s/my%20page.html 0")), "#findings?page=s/my+page.html&by=page").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`document.querySelectorAll("#list .wide").length`, "2")
}

// testTopics tests the tabs for the findings of content checks: their counts, which leave out what
// is no finding, and that
// filters, the search, sorting and the details work as for links.
func testTopics(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`document.querySelector(".tabs")`, "null") // all findings are about links
	checked := renderHTML(t, Options{Show: ShowAll}, checkedRun(), fullSite())
	p = open(t, ctx, checked, "#findings").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`[...document.querySelectorAll(".tabs a")].map((e) => e.textContent)`, "All 38,Links 6,HTML 2,CSS 0,SEO 1,Security 2,Languages 25,Content rules 1,Plugins 1")
	p.Want(`document.querySelector(".tabs [aria-current]").textContent`, "All 38")
	// The same fault on many pages is one row.
	p.Want(`[...document.querySelectorAll("#list tbody:first-of-type .badge")].map((e) => e.innerText)`, "broken,warning")
	p.Want(`document.querySelector("#list tbody:first-of-type").innerText.includes("first at https://example.com/p/00:2:1, https://example.com/p/01:2:1")`, "true")
	// Broken findings come before the others, on each page and among the pages.
	p.Want(`[...document.querySelectorAll("#list tbody:nth-of-type(2) .badge")].map((e) => e.innerText)`, "broken,broken,unverified,unverified,warning,warning,warning,warning,warning,info,ok")
	p.Want(`[...document.querySelectorAll("#list .group .page")].map((e) => e.innerText)`, "On more than 20 pages,https://example.com/a,https://example.com/missing.css,https://example.com/b,command line")

	p.ClickText(".tabs a", "HTML 2")
	p.Until(`location.hash === "#findings?topic=html"`)
	p.Want(`[...document.querySelectorAll("#list td.wide")].map((e) => e.innerText)`, "duplicate-attribute: the attribute src occurs twice “<img src=a.png src=b.png>”,missing-doctype: the page has no doctype")
	p.Want(`[...document.querySelectorAll("#code option")].map((e) => e.value)`, ",html-syntax")
	p.Want(`[...document.querySelectorAll(".chips .n")].filter((e) => e.checkVisibility()).map((e) => e.innerText)`, "2")
	p.ClickText(".chips label", "Target")
	p.Until(`location.hash.includes("by=target")`)
	p.ClickText("#list th button", "Target")
	p.Until(`document.querySelector("#list [aria-sort=descending]")`)
	p.Want(`[...document.querySelectorAll("#list td.wide .url")].map((e) => e.innerText)`, "https://example.com/b,:1:1,https://example.com/a,:12:16")
	p.Do(chromedp.Navigate("about:blank"))

	p = open(t, ctx, checked, "#findings?q=duplicate-attribute").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`[...document.querySelectorAll("#list td code")].map((e) => e.innerText)`, "html-syntax")
	p.ClickText(".tabs a", "Plugins 1")
	p.Until(`document.querySelector("#list .empty")`)
	p.Do(chromedp.Navigate("about:blank"))

	p = open(t, ctx, checked, "#findings?topic=plugins").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.ClickText("#list button", "Details")
	p.Until(`document.getElementById("details").open`)
	p.Want(`document.getElementById("details-title").innerText`, "warning spell-typo word that is not in the dictionary")
	p.Want(`[...document.querySelectorAll("#details .source")].map((e) => e.innerText)`, "the,teh")
	p.Want(`document.getElementById("details").innerText.includes("Correct the word, or add it to the dictionary.")`, "true")
	p.ClickText("#details button", "All findings on this page")
	p.Until(`location.hash.includes("page=")`)
	p.Want(`[...document.querySelectorAll("#list .group .page")].map((e) => e.innerText)`, "https://example.com/a")
	p.Want(`document.querySelectorAll("#list td.wide").length`, "11")
	p.Do(chromedp.Navigate("about:blank"))

	p = open(t, ctx, checked, "#findings?topic=i18n").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.ClickText("#list button", "All places")
	p.Until(`document.querySelectorAll("#list td.wide").length === 25`)

	p = open(t, ctx, checked, "#redirects?list=edits").ready()
	p.Until(`document.querySelector("#view-redirects tbody")`)
	p.Want(`[...document.querySelectorAll("#view-redirects tbody tr")].filter((e) => e.innerText.includes("spell-typo")).map((e) => [...e.querySelectorAll("code")].map((c) => c.innerText))`, "teh,the")
}

// testPlacesWithoutLines tests that a link without a line has another description of its place.
func testPlacesWithoutLines(t *testing.T, ctx context.Context, _ string) {
	p := open(t, ctx, renderHTML(t, Options{}, runWithoutLines(), nil), "#findings").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`[...document.querySelectorAll("#list td.place")].map((e) => e.innerText)`, "outline,page 9,page 10,page 10,–,header")
	p.ClickText("#list button", "Details")
	p.Until(`document.getElementById("details").open`)
	p.Want(`[...document.querySelectorAll("#details .way .where")].some((e) => e.innerText === "outline")`, "true")
}

// testUnaffected tests that a warning is listed only at the links it concerns, and the verdict at all links.
func testUnaffected(t *testing.T, ctx context.Context, _ string) {
	run := contractRun()
	run.Results = []*result.Result{{URL: "b.html", Verdict: check.Broken, Code: check.CodeFileMissing,
		Warnings: []check.Warning{{Code: "uri-repaired", Message: "a blank at the end"}},
		References: []result.Reference{
			{Page: "index.html", Line: 1, Column: 4, Raw: "b.html", Unaffected: string("uri-repaired")},
			{Page: "index.html", Line: 2, Column: 4, Raw: "b.html "},
		}}}
	p := open(t, ctx, renderHTML(t, Options{}, run, nil), "#findings").ready()
	p.Until(`document.querySelectorAll("#list tbody td:first-child").length === 3`)
	p.Want(`[...document.querySelectorAll("#list tbody tr")].filter((r) => r.innerText.includes("uri-repaired")).map((r) => r.innerText.includes("2:4") && !r.innerText.includes("1:4"))`, "true")
	p.Want(`[...document.querySelectorAll("#list tbody tr")].filter((r) => r.innerText.includes("file-missing")).length`, "2")

	// A warning about one link of many is not site-wide, and its counts are those of its own places.
	wide := &result.Result{URL: "b.html", Verdict: check.OK, Code: check.CodeOK, Internal: true,
		Warnings: []check.Warning{{Code: "uri-repaired", Message: "a blank at the end"}, {Code: check.CodeMixedContent}}}
	for i := range siteWidePages + 2 {
		ref := result.Reference{Page: fmt.Sprintf("p%02d.html", i), Line: 1, Column: 4, Raw: "b.html", Unaffected: "uri-repaired mixed-content"}
		switch i {
		case 7:
			ref.Raw, ref.Text, ref.Unaffected = "b.html ", "repaired", "mixed-content"
		case 9:
			ref.Unaffected = "uri-repaired"
		}
		wide.References = append(wide.References, ref)
	}
	run.Results = []*result.Result{wide}
	document := renderHTML(t, Options{}, run, nil)
	p = open(t, ctx, document, "#findings").ready()
	p.Until(`document.querySelectorAll("#list tbody td:first-child").length === 2`)
	p.Want(`document.querySelector("#list table caption").innerText`, "2 findings on 2 pages, the most severe first")
	p.Want(`[...document.querySelectorAll("#list .group .page")].map((e) => e.innerText)`, "p07.html,p09.html")
	p.ClickText("#list button", "Details")
	p.Until(`document.getElementById("details").open`)
	p.Want(`document.getElementById("places") === null`, "true")
	p.Want(`document.querySelector("#details q.text").innerText`, "“repaired”")
	for by, want := range map[string]string{"target": "1,1", "code": "1,1,1,1", "host": "0,0,2,1,2"} {
		p = open(t, ctx, document, "#findings?by="+by).ready()
		p.Until(`document.querySelector("#list td.number")`)
		p.Want(`[...document.querySelectorAll("#list td.number")].map((e) => e.innerText)`, want)
	}
	doubtful := 0
	for _, k := range newWebGraph(&Head{}, nil, run.Results).nodes {
		doubtful += k.doubtful
	}
	if doubtful != 2 {
		t.Errorf("%d pages of the graph have warnings, want 2", doubtful)
	}
}

func testFilter(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings").ready()
	rows := `document.querySelectorAll("#list tbody td:first-child").length`
	all := crawlertest.Eval[int](p.Tab, rows)
	if all < 10 {
		t.Fatalf("%d rows", all)
	}
	p.Click(`input[value="broken"]`)
	p.Until(rows + ` < ` + fmt.Sprint(all))
	p.Want(`location.hash`, "#findings?verdict=broken")
	p.Want(`[...new Set([...document.querySelectorAll("#list .badge")].map((b) => b.innerText))]`, "broken")
	p.Click(`input[value="broken"]`)
	p.Click("#search")
	p.Keys("SET-up example.com/a")
	p.Until(`location.hash.includes("q=")`)
	p.Until(rows + ` === 1`)
	p.Want(`document.querySelector("#list .hint").innerText`, "did you mean #set-up or https://example.com/setup?")
	p.Until(`document.getElementById("status").innerText === "1 finding on 1 page"`)
	p.Keys("zzz")
	p.Until(`document.querySelector("#list .empty")`)
	p.Want(`document.querySelector("#list .empty").innerText`, "No findings match these filters.")

	p = open(t, ctx, full, "#findings?by=target&scope=external").ready()
	p.Want(`document.getElementById("scope").value`, "external")
	p.Want(`[...document.querySelectorAll("#list a.url, #list span.url")].some((a) => a.innerText.startsWith("https://example.com/"))`, "false")
	// A host filter can be removed.
	p = open(t, ctx, full, "#findings?by=host").ready()
	p.ClickText("#list button", "example.org")
	p.Until(`location.hash === "#findings?by=target&host=example.org"`)
	p.Want(`document.querySelectorAll("#list tbody tr").length`, "1")
	p.Click(".active button")
	p.Until(`document.querySelectorAll("#list tbody tr").length > 1`)
	p.Want(`document.activeElement.id`, "search")
}

func testSort(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings").ready()
	p.Click(`input[name="by"][value="target"]`)
	p.Until(`document.querySelector("th[aria-sort]")`)
	p.Want(`document.querySelector("th[aria-sort]").innerText + document.querySelector("th[aria-sort]").ariaSort`, "Targetascending")
	p.ClickText("th button", "Places")
	p.Until(`document.querySelector("th[aria-sort=descending]")`)
	p.Want(`document.activeElement.innerText`, "Places")
	numbers := `[...document.querySelectorAll("#list td.number")].map((td) => +td.innerText.replace(",", ""))`
	p.Want(numbers+`[0]`, "50")
	p.ClickText("th button", "Places")
	p.Until(`document.querySelector("th[aria-sort=ascending]")`)
	// Findings that are more severe come first in every order.
	p.Want(`(() => {
		const order = ["broken", "unverified", "warning", "info", "ok", "skipped"];
		const rows = [...document.querySelectorAll("#list tbody tr")].map((r) => [r.querySelector(".badge").innerText, +r.querySelector("td.number").innerText]);
		return rows.every(([word, n], i) => i === 0 || (rows[i - 1][0] === word ? rows[i - 1][1] <= n : order.indexOf(rows[i - 1][0]) < order.indexOf(word)));
	})()`, "true")
	p.Click(`input[name="by"][value="code"]`)
	p.Until(`document.querySelector("#list strong")`)
	p.Want(`document.querySelector("th[aria-sort]").innerText`, "Verdict")
	p.Want(`document.querySelector("#list tbody .badge").innerText`, "broken")
}

func testDetails(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings?q=setup").ready()
	p.ClickText("#list button", "Details")
	p.Until(`document.getElementById("details").open`)
	p.Want(`document.getElementById("details-title").innerText`, "broken fragment-missing no such anchor on the page")
	p.Want(`[...document.querySelectorAll("#details .way > li strong")].map((e) => e.innerText).join(" / ")`, `Example / A <page> & its "name"`)
	p.Want(`document.querySelector("#details .broken-link").innerText.includes("line 40, column 3, in <a href>")`, "true")
	p.Want(`document.querySelector("#details .broken-link q").innerText`, "“Setup”")
	p.Want(`document.querySelector("#details .way .source").innerText`, "guide#setup")
	p.ClickText("#details button", "Copy place")
	p.Until(`document.getElementById("details-status").innerText === "Copied the place."`)
	if got := p.clipboard(); got != "https://example.com/a:40:3" {
		t.Errorf("copied %q", got)
	}
	p.Want(`location.hash.includes("open=")`, "true")
	link := crawlertest.Eval[string](p.Tab, `location.hash`)
	p.Keys(kb.Escape)
	p.Until(`location.hash === "#findings?q=setup" && document.querySelector(".broken-link") === null`)
	p.Want(`document.activeElement.innerText`, "Details")

	// A finding has its own address.
	p = open(t, ctx, full, link).ready()
	p.Until(`document.getElementById("details").open`)
	p.Want(`document.querySelector("#details .url").innerText`, "https://example.com/guide#setup")
	// A generated page leads to its source.
	run := fullRun()
	run.Results[4].References[0].Source = &result.Place{File: "docs/a.md", Line: 3, Column: 4, Raw: "guide.md#setup"}
	run.Results[4].BrokenRuns, run.Results[4].FailsAfter = 1, 3
	p = open(t, ctx, renderHTML(t, Options{}, run, fullSite()), "#findings?q=docs/a.md").ready()
	p.Want(`document.querySelector("#list td.wide").innerText`, "https://example.com/guide#setup source: docs/a.md:3:4 “Setup” did you mean #set-up or https://example.com/setup? run 1 of 3")
	p.ClickText("#list button", "Details")
	p.ClickText("#details button", "Copy place")
	p.Until(`document.getElementById("details-status").innerText === "Copied the place."`)
	if got := p.clipboard(); got != "docs/a.md:3:4" {
		t.Errorf("copied %q", got)
	}
	// The details list a few places at a time.
	p = open(t, ctx, full, "#findings?by=target&code=http-410").ready()
	p.ClickText("#list button", "Details")
	p.Until(`document.querySelectorAll("#places li").length === 25`)
	p.ClickText("#details button", "Show 25 more")
	p.Until(`document.querySelectorAll("#places li").length === 50`)
	p.ClickText("#details #places button", "https://example.com/p/03:90:8")
	p.Until(`document.querySelector("#details .broken-link").innerText.includes("https://example.com/p/03")`)
	p.ClickText("#details button", "Show on map")
	p.Until(`document.getElementById("stage")?.dataset.chosen === "https://example.com/p/03"`)
	p.Want(`document.getElementById("details").open`, "false")
}

func testCopy(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings?verdict=broken").ready()
	p.ClickText("#view-findings .menu > button", "Copy")
	p.ClickText("#view-findings .menu li button", "Table as CSV")
	p.Until(`document.getElementById("status").innerText.startsWith("Copied")`)
	records, err := csv.NewReader(strings.NewReader(p.clipboard())).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(records[0], csvHeader) || len(records) != 1+50+1+1 {
		t.Errorf("%d records, the first %v", len(records), records[0])
	}
	if want := []string{"https://example.com/guide#setup", "broken", "fragment-missing", "200", "https://example.com/a", "40", "3", "a", "href", "guide#setup", "Setup", "https://example.com/guide", `no element has the id "setup"`}; !slices.ContainsFunc(records, func(r []string) bool { return slices.Equal(r, want) }) {
		t.Errorf("%v is not among %v", want, records)
	}
	p.Want(`document.querySelector("#view-findings .menu ul").checkVisibility()`, "false")

	p = open(t, ctx, renderHTML(t, Options{Show: ShowAll}, hostileRun(), nil), "#findings").ready()
	for entry, look := range map[string]func(string){
		"Table as CSV": func(text string) {
			records, err := csv.NewReader(strings.NewReader(text)).ReadAll()
			if err != nil {
				t.Fatal(err)
			}
			for _, r := range records {
				for _, field := range r {
					if field != "" && field != "-" && strings.ContainsRune("=+-@\t＝", []rune(field)[0]) {
						t.Errorf("a formula: %q", field)
					}
				}
			}
		},
		"Table as Markdown": func(text string) {
			for i, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
				cells := strings.Split(strings.ReplaceAll(line, `\|`, ""), "|")
				if len(cells) != len(csvHeader)+2 {
					t.Errorf("%d cells in %q", len(cells)-2, line)
				}
				for _, cell := range cells[1 : len(cells)-1] {
					if cell = strings.TrimSpace(cell); i > 1 && cell != "" && !(strings.HasPrefix(cell, "`") && strings.HasSuffix(cell, "`")) {
						t.Errorf("a cell that is no code: %q", cell)
					}
				}
			}
		},
		"URLs, one per line": func(text string) {
			if !strings.Contains(text, "https://example.com/%0d%0a\n") {
				t.Errorf("addresses: %q", text)
			}
		},
	} {
		p.ClickText("#view-findings .menu > button", "Copy")
		p.ClickText("#view-findings .menu li button", entry)
		p.Until(`document.getElementById("status").innerText.startsWith("Copied")`)
		look(p.clipboard())
		crawlertest.Eval[bool](p.Tab, `(document.getElementById("status").textContent = "", true)`)
	}
}

func testRedirects(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "").ready()
	p.ClickText("nav a", "Redirects 2")
	p.Until(`document.querySelectorAll("#view-redirects tbody tr").length === 2`)
	p.Want(`document.querySelectorAll("#view-redirects tbody tr")[1].innerText.split(/\s+/).join(" ")`, "https://example.com/old 301, 302 https://example.com/new/ 1 Details")
	p.ClickText("#view-redirects label", "Proposed edits (1)")
	p.Until(`location.hash === "#redirects?list=edits"`)
	p.Want(`document.querySelector("#view-redirects tbody tr").innerText.split(/\s+/).join(" ")`, "https://example.com/a:3:14 /old https://example.com/new/ moved permanently")
}

// testKeyboard uses the page without a mouse.
func testKeyboard(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "").ready()
	p.Keys(kb.Tab)
	p.Want(`document.activeElement.innerText`, "Skip to the content")
	p.Keys(kb.Enter)
	p.Until(`document.activeElement.id === "main"`)
	p.Want(`document.getElementById("view-summary").checkVisibility()`, "true")
	p.Keys(kb.Tab)
	p.Want(`document.activeElement.closest(".tile") !== null`, "true")
	p.Want(`getComputedStyle(document.activeElement).outlineStyle`, "solid")
	p.Keys(kb.Enter)
	p.Until(`document.getElementById("view-findings").checkVisibility()`)

	p = open(t, ctx, full, "#findings").ready()
	// The Tab key reaches every clickable element in document order, and the focus can
	// leave it.
	want := crawlertest.Eval[int](p.Tab, `[...document.querySelectorAll("a[href], button, input, select, [tabindex='0']")].filter((e) => e.checkVisibility() && !e.disabled && (e.type !== "radio" || e.checked)).length`)
	crawlertest.Eval[bool](p.Tab, `(window.met = new Set(), document.addEventListener("focusin", (e) => met.add(e.target)), true)`)
	for range want + 1 {
		p.Keys(kb.Tab)
	}
	p.Want(`met.size`, fmt.Sprint(want))
	p.Want(`[...met].every((e, i, all) => i === 0 || all[i - 1].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)`, "true")

	p = open(t, ctx, full, "#findings").ready()
	p.Do(chromedp.Focus(chromedp.CSS("#search")))
	p.Keys("setup")
	p.Until(`document.querySelectorAll("#list tbody td:first-child").length === 1`)
	p.Until(`document.activeElement.id === "search"`)
	p.Keys(kb.Tab)
	p.Keys(kb.ArrowRight)
	p.Until(`location.hash === "#findings?q=setup&by=target"`)
	p.Do(chromedp.Focus(chromedp.CSS("#list button.small")))
	p.Keys(kb.Enter)
	p.Until(`document.getElementById("details").open`)
	for range 40 { // the focus stays in the dialog, or goes to the browser's own controls
		p.Keys(kb.Tab)
		if !crawlertest.Eval[bool](p.Tab, `document.activeElement === document.body || document.getElementById("details").contains(document.activeElement)`) {
			t.Fatalf("the focus left the details for %s", crawlertest.Eval[string](p.Tab, `document.activeElement.outerHTML`))
		}
	}
	p.Keys(kb.Escape)
	p.Until(`!location.hash.includes("open") && document.activeElement.innerText === "Details"`)
}

// testScreenReader examines the accessibility tree: controls have names, the page has
// landmarks, and no heading level is skipped.
func testScreenReader(t *testing.T, ctx context.Context, full string) {
	named := []string{"button", "link", "searchbox", "textbox", "checkbox", "radio", "combobox", "columnheader", "rowheader", "table", "dialog", "application", "navigation", "heading"}
	p := open(t, ctx, full, "").ready()
	for _, hash := range []string{"#summary", "#findings", "#findings?by=target", "#findings?by=host", "#findings?by=code", "#findings?open=0", "#redirects", "#redirects?list=edits", "#map", "#map?node=2", "#codes"} {
		crawlertest.Eval[bool](p.Tab, fmt.Sprintf(`(history.pushState(null, "", %q), dispatchEvent(new Event("popstate")), true)`, hash))
		tree, err := chromedp.Call(p.Ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
		if err != nil {
			t.Fatal(err)
		}
		text := func(v *accessibility.Value) (s string) {
			if v != nil {
				_ = json.Unmarshal(v.Value, &s) // a value that is not a string is not a name
			}
			return s
		}
		roles := map[string]int{}
		level := 0
		if strings.Contains(hash, "open=") {
			level = 1 // the rest of the page is inert
		}
		for _, n := range tree.Nodes {
			role := text(n.Role)
			if n.Ignored {
				continue
			}
			roles[role]++
			if slices.Contains(named, role) && text(n.Name) == "" {
				t.Errorf("%s: a %s without a name", hash, role)
			}
			for _, property := range n.Properties {
				if property.Name != "level" || role != "heading" {
					continue
				}
				var now int
				if err := json.Unmarshal(property.Value.Value, &now); err != nil {
					t.Fatal(err)
				}
				if now > level+1 {
					t.Errorf("%s: heading %q of level %d after one of level %d", hash, text(n.Name), now, level)
				}
				level = now
			}
		}
		if strings.Contains(hash, "open=") {
			if roles["dialog"] != 1 || roles["main"] != 0 {
				t.Errorf("%s: %v: all but the dialog is to be silent", hash, roles)
			}
			continue
		}
		for _, role := range []string{"banner", "main", "contentinfo", "status"} {
			if roles[role] != 1 {
				t.Errorf("%s: %d of role %s", hash, roles[role], role)
			}
		}
		if strings.Contains(hash, "by=") && (roles["table"] == 0 || roles["row"] < 2 || roles["cell"] == 0) {
			t.Errorf("%s: no table: %v", hash, roles)
		}
	}
}

func testTheme(t *testing.T, ctx context.Context, full string) {
	ground := `getComputedStyle(document.documentElement).backgroundColor`
	const light, dark = "rgb(244, 246, 248)", "rgb(12, 17, 24)"
	p := open(t, ctx, full, "", crawlertest.Media("prefers-color-scheme", "dark")).ready()
	p.Want(ground, dark)
	p.Want(`document.getElementById("theme").ariaLabel`, "Theme: system")
	p.Click("#theme")
	p.Want(ground, light)
	p.Do(chromedp.Reload())
	p.ready()
	p.Want(ground, light)
	p.Click("#theme")
	p.Want(ground, dark)
	p.Do(crawlertest.Media("prefers-color-scheme", "light"))
	p.Want(ground, dark)
	p.Click("#theme")
	p.Want(ground, light)
	p.Want(`document.getElementById("theme").ariaLabel`, "Theme: system")
}

func testNoScripts(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "", crawlertest.NoScripts())
	ctx, cancel := context.WithTimeout(p.Ctx, 5*time.Minute)
	defer cancel()
	text, err := chromedp.Run(ctx, chromedp.Text(chromedp.CSS("body")))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Scripts are disabled", "4 broken, 1 unverified, 2 warnings", "https://example.com/imprint", "fragment-missing", "40:3", "What the codes mean", "did you mean #set-up"} {
		if !strings.Contains(text, want) {
			t.Errorf("lacks %q", want)
		}
	}
	for _, unwanted := range []string{"The site as a web", "Redirects"} {
		if strings.Contains(text, unwanted) {
			t.Errorf("has %q, which needs scripts", unwanted)
		}
	}
}

// testNarrow tests that every view fits the width of a phone.
func testNarrow(t *testing.T, ctx context.Context, full string) {
	for name, text := range map[string]string{"full": full, "hostile": renderHTML(t, Options{Show: ShowAll}, hostileRun(), hostilePages())} {
		p := open(t, ctx, text, "", chromedp.EmulateViewport(360, 740)).ready()
		for _, hash := range []string{"#summary", "#findings", "#findings?by=target", "#findings?by=host", "#findings?by=code", "#findings?open=0", "#redirects", "#redirects?list=edits", "#map", "#map?node=2", "#codes"} {
			crawlertest.Eval[bool](p.Tab, fmt.Sprintf(`(location.hash = %q, new Promise((done) => addEventListener("hashchange", () => done(true), { once: true }) || setTimeout(() => done(true), 50)))`, hash))
			if w := crawlertest.Eval[int](p.Tab, `document.documentElement.scrollWidth`); w > 360 {
				t.Errorf("%s: %s is %d pixels wide", name, hash, w)
			}
		}
	}
}

// testHostile opens all views of a report about hostile pages.
func testHostile(t *testing.T, ctx context.Context, _ string) {
	run, pages := dangerousRun()
	for _, s := range []string{"javascript:alert(1)", "data:text/html,<script>alert(1)</script>", "vbscript:x", "java\nscript:alert(1)", " javascript:alert(1)", "//evil.example/", "blob:x"} {
		r := *run.Results[0]
		r.URL, r.FinalURL = s, s
		r.Warnings = []check.Warning{{Code: "redirect-permanent", Message: s, Proposal: s}}
		r.Suggestions = []check.Suggestion{{URL: s, Why: s}}
		r.References = []result.Reference{{Page: s, Line: 1, Column: 1, Raw: s, Text: s}}
		r.Redirects = []result.Hop{{URL: s, Status: 301}}
		run.Results = append(run.Results, &r)
	}
	text := renderHTML(t, Options{Show: ShowAll}, run, pages)
	p := open(t, ctx, text, "").ready()
	// look opens views one after the other and returns their contents.
	type seen struct {
		Hrefs      []string
		Characters string
		Made, Open int
	}
	const look = `((hashes) => {
		const seen = { Hrefs: new Set(), Characters: new Set(), Made: 0, Open: 0 };
		for (const hash of hashes) {
			history.pushState(null, "", hash);
			dispatchEvent(new Event("popstate"));
			for (const e of document.querySelectorAll("[href], [src], [action]")) seen.Hrefs.add(String(e.href ?? e.src ?? e.action));
			for (const c of document.body.textContent) seen.Characters.add(c);
			seen.Made += document.querySelectorAll("iframe, img, object, embed, form, body [style]:not(canvas):not(#stage), [onclick], [onerror]").length;
			seen.Open += document.getElementById("details").open;
		}
		return { ...seen, Hrefs: [...seen.Hrefs], Characters: [...seen.Characters].join("") };
	})`
	hashes := []string{"#findings", "#findings?by=target", "#findings?by=host", "#findings?by=code", "#findings?q=%3Cscript%3E", "#redirects", "#redirects?list=edits", "#codes", "#map", "#map?node=3", "#findings?page=%3Cb%3E&host=%22%3E"}
	views := len(hashes)
	for i := range len(run.Results) {
		hashes = append(hashes, fmt.Sprintf("#findings?open=%d", i))
	}
	list, err := json.Marshal(hashes)
	if err != nil {
		t.Fatal(err)
	}
	got := crawlertest.Eval[seen](p.Tab, look+"("+string(list)+")")
	for _, href := range got.Hrefs {
		web := strings.HasPrefix(href, "https://") || strings.HasPrefix(href, "http://")
		if !web && !strings.HasPrefix(href, "data:image/svg+xml,") && !(strings.HasPrefix(href, "file://") && strings.Contains(href, "/report.html#")) {
			t.Errorf("a link to %q", href)
		}
	}
	if len(got.Characters) < 100 {
		t.Errorf("no more than these characters were shown: %q", got.Characters)
	}
	for _, r := range got.Characters {
		if invisible(r) && r != '\n' && r != '\t' {
			t.Errorf("shows %U", r)
		}
	}
	if got.Made > 0 {
		t.Errorf("pages made %d elements", got.Made)
	}
	if got.Open != len(hashes)-views {
		t.Errorf("%d details were open, want %d", got.Open, len(hashes)-views)
	}
}

// testInvisible tests that the script and the Go code agree on invisible characters, for
// every character.
func testInvisible(t *testing.T, ctx context.Context, _ string) {
	var message strings.Builder
	for r := rune(1); r <= 0x10FFFF; r++ {
		if invisible(r) || invisible(r-1) || invisible(r+1) || r%0x111 == 0 && (r < 0xD800 || r > 0xDFFF) {
			message.WriteRune(r)
		}
	}
	run := &Report{Results: []*result.Result{{URL: "https://example.com/", Verdict: check.Broken, Code: "http-404", Message: message.String()}}}
	p := open(t, ctx, renderHTML(t, Options{}, run, nil), "#findings?open=0").ready()
	if got, want := crawlertest.Eval[string](p.Tab, `document.querySelector("#details .detail .note").textContent`), escapeUnseen(message.String(), ""); got != want {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("from byte %d: shows %q, want %q", i, got[i:min(len(got), i+40)], want[i:min(len(want), i+40)])
			}
		}
		t.Errorf("shows %d bytes, want %d", len(got), len(want))
	}
}

// testFold tests that the filters are folded on a phone.
func testFold(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings?verdict=broken", crawlertest.TabSize(390, 800)).ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`document.getElementById("search").checkVisibility()`, "false")
	p.ClickText(".fold", "Filters (1)")
	p.Until(`document.getElementById("search").checkVisibility()`)
	p.Want(`document.querySelector(".fold").ariaExpanded`, "true")
	p.Do(crawlertest.TabSize(1280, 800))
	p.Want(`document.querySelector(".fold").checkVisibility()`, "false")
}

// testAccessible tests every view with axe-core, in turn light and wide, and dark and narrow, or in
// the long form in both.
func testAccessible(t *testing.T, ctx context.Context, _ string) {
	run := checkedRun()
	run.Head.Command, run.Head.Settings = []string{"orbweaver", "check", "https://example.com/"}, []Setting{{"depth", "3"}}
	run.Head.Baseline = NewBaseline(&Report{Results: []*result.Result{{URL: "https://example.com/x", Verdict: check.Broken, Code: "http-404", References: []result.Reference{{Page: "https://example.com/"}}}}})
	text := renderHTML(t, Options{Show: ShowDefault | ShowInfo}, run, fullSite())
	for i, look := range []struct {
		theme string
		width int
	}{{"light", 1280}, {"dark", 390}} {
		p := open(t, ctx, text, "", crawlertest.Media("prefers-color-scheme", look.theme), crawlertest.TabSize(look.width, 900)).ready()
		for n, view := range []string{"summary", "findings", "findings?by=target", "findings?by=host", "findings?by=code", "findings?open=1", "pages", "redirects", "redirects?list=edits", "map?by=distance", "map?by=directory", "map?by=directory&node=2", "codes"} {
			if !crawlertest.Long() && n%2 != i {
				continue
			}
			crawlertest.Eval[bool](p.Tab, `(() => { location.hash = "#`+view+`"; return true; })()`)
			name, _, _ := strings.Cut(view, "?")
			p.Until(`location.hash === "#` + view + `" && document.getElementById("view-` + name + `").classList.contains("shown")`)
			p.Accessible()
		}
	}
}
