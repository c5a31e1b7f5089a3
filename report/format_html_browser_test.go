package report

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
)

func TestHTMLInBrowser(t *testing.T) {
	ctx := startBrowser(t)
	for _, name := range []string{"clipboard-read", "clipboard-write"} {
		if _, err := chromedp.CallBrowser(ctx, browser.SetPermission, browser.SetPermissionParams{
			Permission: &browser.PermissionDescriptor{Name: name}, Setting: browser.PermissionSettingGranted,
		}); err != nil {
			t.Fatal(err)
		}
	}
	full := renderHTML(t, Options{Show: ShowAll}, fullRun(), fullSite())
	for _, test := range []struct {
		name string
		run  func(*testing.T, context.Context, string)
	}{
		{"summary", testSummary}, {"filter", testFilter}, {"sort", testSort}, {"details", testDetails}, {"copy", testCopy},
		{"redirects", testRedirects}, {"keyboard", testKeyboard}, {"screen reader", testScreenReader}, {"theme", testTheme}, {"web", testWeb}, {"web by keyboard", testWebByKeyboard},
		{"no WebGL", testNoWebGL}, {"no scripts", testNoScripts}, {"narrow", testNarrow}, {"hostile", testHostile}, {"unseen", testInvisible}, {"large", testLarge}, {"unaffected", testUnaffected}, {"names", testNames}, {"spots", testPlacesWithoutLines}, {"topics", testTopics},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, ctx, full) })
	}
}

func testSummary(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "").ready()
	p.want(`document.querySelector("h1").innerText`, "Links of https://example.com/")
	p.want(`document.getElementById("summary-title").innerText`, "4 broken, 1 unverified, 2 warnings")
	p.want(`document.querySelectorAll(".view.shown").length`, "1")
	p.want(`document.querySelector("nav [aria-current]").dataset.view`, "summary")
	p.click(".tile.unverified a")
	p.until(`document.querySelector("#list tbody")`)
	p.want(`location.hash`, "#findings?verdict=unverified")
	p.want(`[...new Set([...document.querySelectorAll("#list .badge")].map((b) => b.innerText))]`, "unverified")
	p.do(chromedp.NavigateBack())
	p.until(`document.getElementById("view-summary").classList.contains("shown")`)
	p.clickText("a[data-go]", "http-410")
	p.want(`location.hash`, "#findings?by=target&code=http-410")
	p.clickText("nav a", "Codes")
	p.until(`document.getElementById("code-http-410").checkVisibility()`)
	p.want(`document.activeElement.id`, "codes-title")
}

// testNames tests that findings on a file and about it are under its name, with a link to
// its node in the graph. Only the details show a very long URL completely.
func testNames(t *testing.T, ctx context.Context, _ string) {
	long := "gone-" + strings.Repeat("x", 2000)
	run := contractRun()
	run.Results = []*crawler.Result{
		{URL: "s/my%20page.html", Verdict: check.OK, Code: "ok", Internal: true, Warnings: []check.Warning{{Code: "fragment-duplicate", Message: "twice"}},
			References: []crawler.Reference{{Page: "s/index.html", Line: 1, Column: 1}}},
		{URL: long, Verdict: check.Broken, Code: "file-missing", References: []crawler.Reference{{Page: "s/my page.html", Line: 1, Column: 1}}},
	}
	p := open(t, ctx, renderHTML(t, Options{}, run, site("s/index.html 0 s/my%20page.html", "s/my%20page.html 0")), "#findings").ready()
	p.until(`document.querySelector("#list tbody")`)
	p.want(`[...document.querySelectorAll("#list .group .page")].map((e) => e.innerText)`, "s/my page.html")
	p.want(`document.querySelectorAll("#list .group button").length`, "2") // Copy, Show in graph
	p.want(`[...document.querySelectorAll("#list .wide .url")].map((e) => e.innerText.length)`, "300,16")
	p.do(chromedp.Navigate("about:blank"))
	p = open(t, ctx, renderHTML(t, Options{}, run, site("s/index.html 0 s/my%20page.html", "s/my%20page.html 0")), "#findings?page=s/my+page.html&by=page").ready()
	p.until(`document.querySelector("#list tbody")`)
	p.want(`document.querySelectorAll("#list .wide").length`, "2")
}

// testTopics tests the tabs for the findings of content checks: their counts, and that
// filters, the search, sorting and the details work as for links.
func testTopics(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings").ready()
	p.until(`document.querySelector("#list tbody")`)
	p.want(`document.querySelector(".tabs")`, "null") // all findings are about links
	checked := renderHTML(t, Options{Show: ShowAll}, checkedRun(), fullSite())
	p = open(t, ctx, checked, "#findings").ready()
	p.until(`document.querySelector("#list tbody")`)
	p.want(`[...document.querySelectorAll(".tabs a")].map((e) => e.textContent)`, "All 45,Links 12,HTML 2,CSS 1,SEO 1,Security 2,Languages 25,Content rules 1,Plugins 1")
	p.want(`document.querySelector(".tabs [aria-current]").textContent`, "All 45")
	// The same fault on many pages is one row.
	p.want(`[...document.querySelectorAll("#list tbody:first-of-type .badge")].map((e) => e.innerText)`, "broken,warning")
	p.want(`document.querySelector("#list tbody:first-of-type").innerText.includes("first at https://example.com/p/00:2:1, https://example.com/p/01:2:1")`, "true")
	// Broken findings come before the others, on each page and among the pages.
	p.want(`[...document.querySelectorAll("#list tbody:nth-of-type(2) .badge")].map((e) => e.innerText)`, "broken,broken,unverified,unverified,warning,warning,warning,warning,warning,info,ok")
	p.want(`[...document.querySelectorAll("#list .group .page")].map((e) => e.innerText)`, "On more than 20 pages,https://example.com/a,https://example.com/missing.css,https://example.com/b,command line")

	p.clickText(".tabs a", "HTML 2")
	p.until(`location.hash === "#findings?topic=html"`)
	p.want(`[...document.querySelectorAll("#list td.wide")].map((e) => e.innerText)`, "duplicate-attribute: the attribute src occurs twice “<img src=a.png src=b.png>”,missing-doctype: the page has no doctype")
	p.want(`[...document.querySelectorAll("#code option")].map((e) => e.value)`, ",html-syntax")
	p.want(`[...document.querySelectorAll(".chips .n")].filter((e) => e.checkVisibility()).map((e) => e.innerText)`, "2")
	p.clickText(".chips label", "Target")
	p.until(`location.hash.includes("by=target")`)
	p.clickText("#list th button", "Target")
	p.until(`document.querySelector("#list [aria-sort=descending]")`)
	p.want(`[...document.querySelectorAll("#list td.wide .url")].map((e) => e.innerText)`, "https://example.com/b,:1:1,https://example.com/a,:12:16")
	p.do(chromedp.Navigate("about:blank"))

	p = open(t, ctx, checked, "#findings?q=duplicate-attribute").ready()
	p.until(`document.querySelector("#list tbody")`)
	p.want(`[...document.querySelectorAll("#list td code")].map((e) => e.innerText)`, "html-syntax")
	p.clickText(".tabs a", "Plugins 1")
	p.until(`document.querySelector("#list .empty")`)
	p.do(chromedp.Navigate("about:blank"))

	p = open(t, ctx, checked, "#findings?topic=plugins").ready()
	p.until(`document.querySelector("#list tbody")`)
	p.clickText("#list button", "Details")
	p.until(`document.getElementById("details").open`)
	p.want(`document.getElementById("details-title").innerText`, "warning spell-typo word that is not in the dictionary")
	p.want(`[...document.querySelectorAll("#details .source")].map((e) => e.innerText)`, "the,teh")
	p.want(`document.getElementById("details").innerText.includes("Correct the word, or add it to the dictionary.")`, "true")
	p.clickText("#details button", "All findings on this page")
	p.until(`location.hash.includes("page=")`)
	p.want(`[...document.querySelectorAll("#list .group .page")].map((e) => e.innerText)`, "https://example.com/a")
	p.want(`document.querySelectorAll("#list td.wide").length`, "11")
	p.do(chromedp.Navigate("about:blank"))

	p = open(t, ctx, checked, "#findings?topic=i18n").ready()
	p.until(`document.querySelector("#list tbody")`)
	p.clickText("#list button", "All places")
	p.until(`document.querySelectorAll("#list td.wide").length === 25`)

	p = open(t, ctx, checked, "#redirects?list=edits").ready()
	p.until(`document.querySelector("#view-redirects tbody")`)
	p.want(`[...document.querySelectorAll("#view-redirects tbody tr")].filter((e) => e.innerText.includes("spell-typo")).map((e) => [...e.querySelectorAll("code")].map((c) => c.innerText))`, "teh,the")
}

// testPlacesWithoutLines tests that a link without a line has another description of its place.
func testPlacesWithoutLines(t *testing.T, ctx context.Context, _ string) {
	p := open(t, ctx, renderHTML(t, Options{}, runWithoutLines(), nil), "#findings").ready()
	p.until(`document.querySelector("#list tbody")`)
	p.want(`[...document.querySelectorAll("#list td.place")].map((e) => e.innerText)`, "outline,page 9,page 10,page 10,–,header")
	p.clickText("#list button", "Details")
	p.until(`document.getElementById("details").open`)
	p.want(`[...document.querySelectorAll("#details .way .where")].some((e) => e.innerText === "outline")`, "true")
}

// testUnaffected tests that a warning is listed only at the links it concerns, and the verdict at all links.
func testUnaffected(t *testing.T, ctx context.Context, _ string) {
	run := contractRun()
	run.Results = []*crawler.Result{{URL: "b.html", Verdict: check.Broken, Code: check.CodeFileMissing,
		Warnings: []check.Warning{{Code: check.CodeURIRepaired, Message: "a blank at the end"}},
		References: []crawler.Reference{
			{Page: "index.html", Line: 1, Column: 4, Raw: "b.html", Unaffected: string(check.CodeURIRepaired)},
			{Page: "index.html", Line: 2, Column: 4, Raw: "b.html "},
		}}}
	p := open(t, ctx, renderHTML(t, Options{}, run, nil), "#findings").ready()
	p.until(`document.querySelectorAll("#list tbody td:first-child").length === 3`)
	p.want(`[...document.querySelectorAll("#list tbody tr")].filter((r) => r.innerText.includes("uri-repaired")).map((r) => r.innerText.includes("2:4") && !r.innerText.includes("1:4"))`, "true")
	p.want(`[...document.querySelectorAll("#list tbody tr")].filter((r) => r.innerText.includes("file-missing")).length`, "2")

	// A warning about one link of many is not site-wide, and its counts are those of its own places.
	wide := &crawler.Result{URL: "b.html", Verdict: check.OK, Code: check.CodeOK, Internal: true,
		Warnings: []check.Warning{{Code: check.CodeURIRepaired, Message: "a blank at the end"}, {Code: check.CodeMixedContent}}}
	for i := range siteWidePages + 2 {
		ref := crawler.Reference{Page: fmt.Sprintf("p%02d.html", i), Line: 1, Column: 4, Raw: "b.html", Unaffected: "uri-repaired mixed-content"}
		switch i {
		case 7:
			ref.Raw, ref.Text, ref.Unaffected = "b.html ", "repaired", "mixed-content"
		case 9:
			ref.Unaffected = "uri-repaired"
		}
		wide.References = append(wide.References, ref)
	}
	run.Results = []*crawler.Result{wide}
	document := renderHTML(t, Options{}, run, nil)
	p = open(t, ctx, document, "#findings").ready()
	p.until(`document.querySelectorAll("#list tbody td:first-child").length === 2`)
	p.want(`document.querySelector("#list table caption").innerText`, "2 findings on 2 pages, the most severe first")
	p.want(`[...document.querySelectorAll("#list .group .page")].map((e) => e.innerText)`, "p07.html,p09.html")
	p.clickText("#list button", "Details")
	p.until(`document.getElementById("details").open`)
	p.want(`document.getElementById("places") === null`, "true")
	p.want(`document.querySelector("#details q.text").innerText`, "“repaired”")
	for by, want := range map[string]string{"target": "1,1", "code": "1,1,1,1", "host": "0,0,2,1,2"} {
		p = open(t, ctx, document, "#findings?by="+by).ready()
		p.until(`document.querySelector("#list td.number")`)
		p.want(`[...document.querySelectorAll("#list td.number")].map((e) => e.innerText)`, want)
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
	all := eval[int](p, rows)
	if all < 10 {
		t.Fatalf("%d rows", all)
	}
	p.click(`input[value="broken"]`)
	p.until(rows + ` < ` + fmt.Sprint(all))
	p.want(`location.hash`, "#findings?verdict=broken")
	p.want(`[...new Set([...document.querySelectorAll("#list .badge")].map((b) => b.innerText))]`, "broken")
	p.click(`input[value="broken"]`)
	p.click("#search")
	p.keys("SET-up example.com/a")
	p.until(`location.hash.includes("q=")`)
	p.until(rows + ` === 1`)
	p.want(`document.querySelector("#list .hint").innerText`, "did you mean #set-up or https://example.com/setup?")
	p.until(`document.getElementById("status").innerText === "1 finding on 1 page"`)
	p.keys("zzz")
	p.until(`document.querySelector("#list .empty")`)
	p.want(`document.querySelector("#list .empty").innerText`, "No findings match these filters.")

	p = open(t, ctx, full, "#findings?by=target&scope=external").ready()
	p.want(`document.getElementById("scope").value`, "external")
	p.want(`[...document.querySelectorAll("#list a.url, #list span.url")].some((a) => a.innerText.startsWith("https://example.com/"))`, "false")
	// A host filter can be removed.
	p = open(t, ctx, full, "#findings?by=host").ready()
	p.clickText("#list button", "example.org")
	p.until(`location.hash === "#findings?by=target&host=example.org"`)
	p.want(`document.querySelectorAll("#list tbody tr").length`, "1")
	p.click(".active button")
	p.until(`document.querySelectorAll("#list tbody tr").length > 1`)
	p.want(`document.activeElement.id`, "search")
}

func testSort(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings").ready()
	p.click(`input[name="by"][value="target"]`)
	p.until(`document.querySelector("th[aria-sort]")`)
	p.want(`document.querySelector("th[aria-sort]").innerText + document.querySelector("th[aria-sort]").ariaSort`, "Targetascending")
	p.clickText("th button", "Places")
	p.until(`document.querySelector("th[aria-sort=descending]")`)
	p.want(`document.activeElement.innerText`, "Places")
	numbers := `[...document.querySelectorAll("#list td.number")].map((td) => +td.innerText.replace(",", ""))`
	p.want(numbers+`[0]`, "50")
	p.clickText("th button", "Places")
	p.until(`document.querySelector("th[aria-sort=ascending]")`)
	sorted := eval[[]int](p, numbers)
	if !slices.IsSorted(sorted) {
		t.Errorf("sorted by places: %v", sorted)
	}
	p.click(`input[name="by"][value="code"]`)
	p.until(`document.querySelector("#list strong")`)
	p.want(`document.querySelector("th[aria-sort]").innerText`, "Verdict")
	p.want(`document.querySelector("#list tbody .badge").innerText`, "broken")
}

func testDetails(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings?q=setup").ready()
	p.clickText("#list button", "Details")
	p.until(`document.getElementById("details").open`)
	p.want(`document.getElementById("details-title").innerText`, "broken fragment-missing no such anchor on the page")
	p.want(`[...document.querySelectorAll("#details .way > li strong")].map((e) => e.innerText).join(" / ")`, `Example / A <page> & its "name"`)
	p.want(`document.querySelector("#details .broken-link").innerText.includes("line 40, column 3, in <a href>")`, "true")
	p.want(`document.querySelector("#details .broken-link q").innerText`, "“Setup”")
	p.want(`document.querySelector("#details .way .source").innerText`, "guide#setup")
	p.clickText("#details button", "Copy place")
	p.until(`document.getElementById("details-status").innerText === "Copied the place."`)
	if got := p.clipboard(); got != "https://example.com/a:40:3" {
		t.Errorf("copied %q", got)
	}
	p.want(`location.hash.includes("open=")`, "true")
	link := eval[string](p, `location.hash`)
	p.keys(kb.Escape)
	p.until(`location.hash === "#findings?q=setup" && document.querySelector(".broken-link") === null`)
	p.want(`document.activeElement.innerText`, "Details")

	// A finding has its own address.
	p = open(t, ctx, full, link).ready()
	p.until(`document.getElementById("details").open`)
	p.want(`document.querySelector("#details .url").innerText`, "https://example.com/guide#setup")
	// A generated page leads to its source.
	run := fullRun()
	run.Results[4].References[0].Source = &crawler.Place{File: "docs/a.md", Line: 3, Column: 4, Raw: "guide.md#setup"}
	run.Results[4].BrokenRuns, run.Results[4].FailsAfter = 1, 3
	p = open(t, ctx, renderHTML(t, Options{}, run, fullSite()), "#findings?q=docs/a.md").ready()
	p.want(`document.querySelector("#list td.wide").innerText`, "https://example.com/guide#setup source: docs/a.md:3:4 “Setup” did you mean #set-up or https://example.com/setup? run 1 of 3")
	p.clickText("#list button", "Details")
	p.clickText("#details button", "Copy place")
	p.until(`document.getElementById("details-status").innerText === "Copied the place."`)
	if got := p.clipboard(); got != "docs/a.md:3:4" {
		t.Errorf("copied %q", got)
	}
	// The details list a few places at a time.
	p = open(t, ctx, full, "#findings?by=target&code=http-410").ready()
	p.clickText("#list button", "Details")
	p.until(`document.querySelectorAll("#places li").length === 25`)
	p.clickText("#details button", "Show 25 more")
	p.until(`document.querySelectorAll("#places li").length === 50`)
	p.clickText("#details #places button", "https://example.com/p/03:90:8")
	p.until(`document.querySelector("#details .broken-link").innerText.includes("https://example.com/p/03")`)
	p.clickText("#details button", "Show in graph")
	p.until(`document.getElementById("stage")?.dataset.chosen === "https://example.com/p/03"`)
	p.want(`document.getElementById("details").open`, "false")
}

func testCopy(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#findings?verdict=broken").ready()
	p.clickText("#view-findings .menu > button", "Copy")
	p.clickText("#view-findings .menu li button", "Table as CSV")
	p.until(`document.getElementById("status").innerText.startsWith("Copied")`)
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
	p.want(`document.querySelector("#view-findings .menu ul").checkVisibility()`, "false")

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
		p.clickText("#view-findings .menu > button", "Copy")
		p.clickText("#view-findings .menu li button", entry)
		p.until(`document.getElementById("status").innerText.startsWith("Copied")`)
		look(p.clipboard())
		eval[bool](p, `(document.getElementById("status").textContent = "", true)`)
	}
}

func testRedirects(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "").ready()
	p.clickText("nav a", "Redirects 2")
	p.until(`document.querySelectorAll("#view-redirects tbody tr").length === 2`)
	p.want(`document.querySelectorAll("#view-redirects tbody tr")[1].innerText.split(/\s+/).join(" ")`, "https://example.com/old 301, 302 https://example.com/new/ 1 Details")
	p.clickText("#view-redirects label", "Proposed edits (1)")
	p.until(`location.hash === "#redirects?list=edits"`)
	p.want(`document.querySelector("#view-redirects tbody tr").innerText.split(/\s+/).join(" ")`, "https://example.com/a:3:14 /old https://example.com/new/ moved permanently")
}

// testKeyboard uses the page without a mouse.
func testKeyboard(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "").ready()
	p.keys(kb.Tab)
	p.want(`document.activeElement.innerText`, "Skip to the content")
	p.keys(kb.Enter)
	p.until(`document.activeElement.id === "main"`)
	p.want(`document.getElementById("view-summary").checkVisibility()`, "true")
	p.keys(kb.Tab)
	p.want(`document.activeElement.closest(".tile") !== null`, "true")
	p.want(`getComputedStyle(document.activeElement).outlineStyle`, "solid")
	p.keys(kb.Enter)
	p.until(`document.getElementById("view-findings").checkVisibility()`)

	p = open(t, ctx, full, "#findings").ready()
	// The Tab key reaches every clickable element in document order, and the focus can
	// leave it.
	want := eval[int](p, `[...document.querySelectorAll("a[href], button, input, select, [tabindex='0']")].filter((e) => e.checkVisibility() && !e.disabled && (e.type !== "radio" || e.checked)).length`)
	eval[bool](p, `(window.met = new Set(), document.addEventListener("focusin", (e) => met.add(e.target)), true)`)
	for range want + 1 {
		p.keys(kb.Tab)
	}
	p.want(`met.size`, fmt.Sprint(want))
	p.want(`[...met].every((e, i, all) => i === 0 || all[i - 1].compareDocumentPosition(e) & Node.DOCUMENT_POSITION_FOLLOWING)`, "true")

	p = open(t, ctx, full, "#findings").ready()
	p.do(chromedp.Focus(chromedp.CSS("#search")))
	p.keys("setup")
	p.until(`document.querySelectorAll("#list tbody td:first-child").length === 1`)
	p.until(`document.activeElement.id === "search"`)
	p.keys(kb.Tab)
	p.keys(kb.ArrowRight)
	p.until(`location.hash === "#findings?q=setup&by=target"`)
	p.do(chromedp.Focus(chromedp.CSS("#list button.small")))
	p.keys(kb.Enter)
	p.until(`document.getElementById("details").open`)
	for range 40 { // the focus stays in the dialog, or goes to the browser's own controls
		p.keys(kb.Tab)
		if !eval[bool](p, `document.activeElement === document.body || document.getElementById("details").contains(document.activeElement)`) {
			t.Fatalf("the focus left the details for %s", eval[string](p, `document.activeElement.outerHTML`))
		}
	}
	p.keys(kb.Escape)
	p.until(`!location.hash.includes("open") && document.activeElement.innerText === "Details"`)
}

// testScreenReader examines the accessibility tree: controls have names, the page has
// landmarks, and no heading level is skipped.
func testScreenReader(t *testing.T, ctx context.Context, full string) {
	named := []string{"button", "link", "searchbox", "textbox", "checkbox", "radio", "combobox", "columnheader", "rowheader", "table", "dialog", "application", "navigation", "heading"}
	p := open(t, ctx, full, "").ready()
	for _, hash := range []string{"#summary", "#findings", "#findings?by=target", "#findings?by=host", "#findings?by=code", "#findings?open=0", "#redirects", "#redirects?list=edits", "#web", "#web?node=2", "#codes"} {
		eval[bool](p, fmt.Sprintf(`(history.pushState(null, "", %q), dispatchEvent(new Event("popstate")), true)`, hash))
		tree, err := chromedp.Call(p.ctx, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
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
	p := open(t, ctx, full, "", media("prefers-color-scheme", "dark")).ready()
	p.want(ground, dark)
	p.want(`document.getElementById("theme").ariaLabel`, "Theme: system")
	p.click("#theme")
	p.want(ground, light)
	p.do(chromedp.Reload())
	p.ready()
	p.want(ground, light)
	p.click("#theme")
	p.want(ground, dark)
	p.do(media("prefers-color-scheme", "light"))
	p.want(ground, dark)
	p.click("#theme")
	p.want(ground, light)
	p.want(`document.getElementById("theme").ariaLabel`, "Theme: system")
}

// colors counts the pixels of the graph that are close to a color.
func (t *tab) colors(r, g, b int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.ctx, patience)
	defer cancel()
	shot, err := chromedp.Run(ctx, chromedp.Screenshot(chromedp.CSS("#stage")))
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(shot))
	if err != nil {
		t.Fatal(err)
	}
	pixels := image.NewRGBA(picture.Bounds())
	draw.Draw(pixels, pixels.Bounds(), picture, picture.Bounds().Min, draw.Src)
	near := func(a byte, b int) bool { return max(int(a), b)-min(int(a), b) < 12 }
	n := 0
	for p := pixels.Pix; len(p) > 0; p = p[4:] {
		if near(p[0], r) && near(p[1], g) && near(p[2], b) {
			n++
		}
	}
	return n
}

// drawn waits until the graph is painted.
func (t *tab) drawn() *tab {
	t.Helper()
	t.until(`"drawn" in (document.getElementById("stage")?.dataset ?? {})`)
	eval[bool](t, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	return t
}

func testWeb(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "", media("prefers-color-scheme", "light")).ready()
	p.clickText("nav a", "Graph 30")
	p.drawn()
	p.want(`document.getElementById("stage").dataset.pages`, "30")
	p.want(`document.querySelector("#side h3").innerText`, "30 pages on 3 rings")
	if n := p.colors(0xb9, 0x1f, 0x2b); n < 20 {
		t.Errorf("%d red pixels: broken links are not to be seen", n)
	}
	if n := p.colors(0x8f, 0xa0, 0xb5); n < 100 {
		t.Errorf("%d pixels of silk: pages are not to be seen", n)
	}
	if n := p.colors(0x1f, 0x56, 0xc4); n > 0 {
		t.Errorf("%d pixels of the color of what is chosen, and nothing is", n)
	}
	// The hub is in the middle.
	p.click("#stage")
	p.until(`document.getElementById("stage").dataset.chosen === "https://example.com/"`)
	p.want(`document.querySelector("#side h3").innerText`, "Example")
	p.drawn()
	if n := p.colors(0x1f, 0x56, 0xc4); n < 50 {
		t.Errorf("%d pixels show what is chosen", n)
	}
	p.clickText("#side button", `A <page> & its "name"`)
	p.until(`document.getElementById("stage").dataset.chosen === "https://example.com/a"`)
	p.want(`[...document.querySelectorAll("#side h3")].map((e) => e.innerText).join(", ")`, `A <page> & its "name", 1 broken link, Path from the start, Links to 4 pages, Linked from 2 pages`)
	p.clickText("#side button", "https://example.com/guide#setup")
	p.until(`document.getElementById("details").open`)
	p.keys(kb.Escape)
	p.until(`!document.getElementById("details").open`)
	p.clickText("#side button", "Show findings")
	p.until(`location.hash === "#findings?page=https%3A%2F%2Fexample.com%2Fa"`)
	p.until(`document.querySelectorAll("#list tbody th").length === 1`)
	// Search for a page, and list all pages.
	p.clickText("nav a", "Graph 30")
	p.drawn()
	p.click("#find")
	p.keys("page 7")
	p.clickText("#found-pages button", "Page 7")
	p.until(`document.getElementById("stage").dataset.chosen === "https://example.com/p/07"`)
	p.click("#pages summary")
	p.until(`document.querySelectorAll("#pages tbody tr").length === 30`)
	p.want(`document.querySelector("#pages tbody tr").innerText.split(/\s+/).join(" ")`, "0 Example https://example.com/ 2 27 ")
}

func testWebByKeyboard(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#web", media("prefers-reduced-motion", "reduce")).ready().drawn()
	p.do(chromedp.Focus(chromedp.CSS("#stage")))
	for _, step := range []struct{ key, chosen string }{
		{kb.ArrowDown, "https://example.com/"}, {kb.ArrowDown, "https://example.com/a"}, {kb.ArrowRight, "https://example.com/b"},
		{kb.ArrowRight, "https://example.com/a"}, {kb.ArrowUp, "https://example.com/"}, {"t", "https://example.com/a"}, {kb.ArrowDown, "https://example.com/guide"},
	} {
		p.keys(step.key)
		p.until(fmt.Sprintf(`document.getElementById("stage").dataset.chosen === %q`, step.chosen))
		p.want(`document.activeElement.id`, "stage")
	}
	p.until(`document.getElementById("status").innerText.startsWith("Guide, ring 2, links to 1 page")`)
	p.keys("+")
	p.keys(kb.Enter)
	p.until(`document.activeElement.innerText === "Guide"`)
	p.do(chromedp.Focus(chromedp.CSS("#stage")))
	p.keys(kb.Escape)
	p.until(`document.getElementById("stage").dataset.chosen === ""`)
}

func testNoWebGL(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#web", media("prefers-color-scheme", "light"), onNewDocument(`
		const getContext = HTMLCanvasElement.prototype.getContext;
		HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...rest); };`)).ready()
	p.until(`document.querySelectorAll("#pages tbody tr").length === 30`)
	p.want(`document.querySelector("#view-web .notice").innerText`, "This browser does not support WebGL, so the picture is static. The list of pages below has the same information.")
	if n := p.colors(0xb9, 0x1f, 0x2b); n < 20 {
		t.Errorf("%d red pixels in the still picture", n)
	}
	p.clickText("#pages button", "Guide")
	p.until(`document.querySelector("#side h3").innerText === "Guide"`)
	p.clickText("#side button", "Clear selection")
	p.until(`document.querySelector("#side h3").innerText === "30 pages on 3 rings"`)
}

func testNoScripts(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "", chromedp.Func(func(ctx context.Context, _ *chromedp.Target) error {
		_, err := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
		return err
	}))
	ctx, cancel := context.WithTimeout(p.ctx, patience)
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
		for _, hash := range []string{"#summary", "#findings", "#findings?by=target", "#findings?by=host", "#findings?by=code", "#findings?open=0", "#redirects", "#redirects?list=edits", "#web", "#web?node=2", "#codes"} {
			eval[bool](p, fmt.Sprintf(`(location.hash = %q, new Promise((done) => addEventListener("hashchange", () => done(true), { once: true }) || setTimeout(() => done(true), 50)))`, hash))
			if w := eval[int](p, `document.documentElement.scrollWidth`); w > 360 {
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
		r.References = []crawler.Reference{{Page: s, Line: 1, Column: 1, Raw: s, Text: s}}
		r.Redirects = []crawler.Hop{{URL: s, Status: 301}}
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
	hashes := []string{"#findings", "#findings?by=target", "#findings?by=host", "#findings?by=code", "#findings?q=%3Cscript%3E", "#redirects", "#redirects?list=edits", "#codes", "#web", "#web?node=3", "#findings?page=%3Cb%3E&host=%22%3E"}
	views := len(hashes)
	for i := range len(run.Results) {
		hashes = append(hashes, fmt.Sprintf("#findings?open=%d", i))
	}
	list, err := json.Marshal(hashes)
	if err != nil {
		t.Fatal(err)
	}
	got := eval[seen](p, look+"("+string(list)+")")
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
	run := &Report{Results: []*crawler.Result{{URL: "https://example.com/", Verdict: check.Broken, Code: "http-404", Message: message.String()}}}
	p := open(t, ctx, renderHTML(t, Options{}, run, nil), "#findings?open=0").ready()
	if got, want := eval[string](p, `document.querySelector("#details .detail .note").textContent`), escapeUnseen(message.String(), ""); got != want {
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				t.Fatalf("from byte %d: shows %q, want %q", i, got[i:min(len(got), i+40)], want[i:min(len(want), i+40)])
			}
		}
		t.Errorf("shows %d bytes, want %d", len(got), len(want))
	}
}

// testLarge opens a report on 10,000 pages with 100,000 findings. The document stays
// small, and all findings can be reached.
func testLarge(t *testing.T, ctx context.Context, _ string) {
	const pages, findings = 10_000, 100_000
	run := &Report{Head: Head{Targets: []string{"https://example.com/"}}, Summary: crawler.Summary{Complete: true, Pages: pages, Broken: findings, Results: findings}}
	site := chainedPages(pages)
	for i := range findings {
		run.Results = append(run.Results, &crawler.Result{
			URL: fmt.Sprintf("https://host-%03d.example/%06d", i%700, i), Verdict: check.Broken, Code: "http-404", Status: 404,
			References: []crawler.Reference{{Page: site[i*31%pages].URL, Line: 1 + i/pages, Column: 1, Element: "a", Attribute: "href", Raw: "x", Text: "here"}},
		})
	}
	p := open(t, ctx, renderHTML(t, Options{}, run, site), "#findings").ready()
	p.want(`document.querySelector("caption").innerText`, "100,000 findings on 10,000 pages, the most severe first")
	few := func() {
		t.Helper()
		if n := eval[int](p, `document.querySelectorAll("*").length`); n > 6000 {
			t.Errorf("%d elements", n)
		}
	}
	few()
	p.clickText(".pager button", "Last")
	p.until(`document.querySelector(".pager span").innerText === "99,901–100,000 of 100,000"`)
	p.click("#search")
	p.keys("host-699.example/099")
	p.until(`document.querySelector("caption")?.innerText === "1 finding on 1 page, the most severe first"`)
	p.click(`input[name="by"][value="host"]`)
	p.until(`document.querySelectorAll("#list tbody tr").length === 1`)
	p.clickText("nav a", "Graph 10,000")
	p.drawn()
	p.want(`document.getElementById("stage").dataset.pages`, "10000")
	few()
	p.click("#stage")
	p.until(`document.getElementById("stage").dataset.chosen === "https://example.com/p/00000.html"`)
	few()
}
