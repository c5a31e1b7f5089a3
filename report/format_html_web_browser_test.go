package report

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/result"
)

// colors counts the pixels of the graph that are close to a color.
func (t *tab) colors(r, g, b int) int {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Ctx, 5*time.Minute)
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
	t.Until(`"drawn" in (document.getElementById("stage")?.dataset ?? {})`)
	crawlertest.Eval[bool](t.Tab, `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))`)
	return t
}

func testWeb(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "", crawlertest.Media("prefers-color-scheme", "light")).ready()
	p.ClickText("nav a", "Map 30")
	p.drawn()
	p.Want(`document.getElementById("stage").dataset.pages`, "30")
	p.Want(`document.querySelector("#side h3").innerText`, "30 pages on 3 rings")
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
	p.ClickMouse("#stage")
	p.Until(`document.getElementById("stage").dataset.chosen === "https://example.com/"`)
	p.Want(`document.querySelector("#side h3").innerText`, "Example")
	p.drawn()
	if n := p.colors(0x1f, 0x56, 0xc4); n < 50 {
		t.Errorf("%d pixels show what is chosen", n)
	}
	p.ClickText("#side button", `A <page> & its "name"`)
	p.Until(`document.getElementById("stage").dataset.chosen === "https://example.com/a"`)
	p.Want(`[...document.querySelectorAll("#side h3")].map((e) => e.innerText).join(", ")`, `A <page> & its "name", 1 broken link, Path from the start, Links to 4 pages, Linked from 2 pages`)
	p.ClickText("#side button", "https://example.com/guide#setup")
	p.Until(`document.getElementById("details").open`)
	p.Keys(kb.Escape)
	p.Until(`!document.getElementById("details").open`)
	p.ClickText("#side button", "Show findings")
	p.Until(`location.hash === "#findings?page=https%3A%2F%2Fexample.com%2Fa"`)
	p.Until(`document.querySelectorAll("#list tbody th").length === 1`)
	// Search for a page, and list all pages.
	p.ClickText("nav a", "Map 30")
	p.drawn()
	p.Click("#find")
	p.Keys("page 7")
	p.ClickText("#found-pages button", "Page 7")
	p.Until(`document.getElementById("stage").dataset.chosen === "https://example.com/p/07"`)
	p.Click("#pages summary")
	p.Until(`document.querySelectorAll("#pages tbody tr").length === 30`)
	p.Want(`document.querySelector("#pages tbody tr").innerText.split(/\s+/).join(" ")`, "0 Example https://example.com/ 2 27 ")
}

func testWebByKeyboard(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#map", crawlertest.Media("prefers-reduced-motion", "reduce")).ready().drawn()
	p.Do(chromedp.Focus(chromedp.CSS("#stage")))
	for _, step := range []struct{ key, chosen string }{
		{kb.ArrowDown, "https://example.com/"}, {kb.ArrowDown, "https://example.com/a"}, {kb.ArrowRight, "https://example.com/b"},
		{kb.ArrowRight, "https://example.com/a"}, {kb.ArrowUp, "https://example.com/"}, {"t", "https://example.com/a"}, {kb.ArrowDown, "https://example.com/guide"},
	} {
		p.Keys(step.key)
		p.Until(fmt.Sprintf(`document.getElementById("stage").dataset.chosen === %q`, step.chosen))
		p.Want(`document.activeElement.id`, "stage")
	}
	p.Until(`document.getElementById("status").innerText.startsWith("Guide, ring 2, links to 1 page")`)
	p.Keys("+")
	p.Keys(kb.Enter)
	p.Until(`document.activeElement.innerText === "Guide"`)
	p.Do(chromedp.Focus(chromedp.CSS("#stage")))
	p.Keys(kb.Escape)
	p.Until(`document.getElementById("stage").dataset.chosen === ""`)
}

func testNoWebGL(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#map", crawlertest.Media("prefers-color-scheme", "light"), onNewDocument(`
		const getContext = HTMLCanvasElement.prototype.getContext;
		HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return kind.startsWith("webgl") ? null : getContext.call(this, kind, ...rest); };`)).ready()
	p.Until(`document.querySelectorAll("#pages tbody tr").length === 30`)
	p.Want(`document.querySelector("#view-map .notice").innerText`, "This browser does not support WebGL, so the picture is static. The list of pages below has the same information.")
	if n := p.colors(0xb9, 0x1f, 0x2b); n < 20 {
		t.Errorf("%d red pixels in the still picture", n)
	}
	p.ClickText("#pages button", "Guide")
	p.Until(`document.querySelector("#side h3").innerText === "Guide"`)
	p.ClickText("#side button", "Clear selection")
	p.Until(`document.querySelector("#side h3").innerText === "30 pages on 3 rings"`)
}

// testLarge opens a report on 10,000 pages with 100,000 findings. The document stays
// small, and all findings can be reached.
func testLarge(t *testing.T, ctx context.Context, _ string) {
	const pages, findings = 10_000, 100_000
	run := &Report{Head: Head{Targets: []string{"https://example.com/"}}, Summary: result.Summary{Pages: pages, Broken: findings, Results: findings}}
	site := chainedPages(pages)
	for i := range findings {
		run.Results = append(run.Results, &result.Result{
			URL: fmt.Sprintf("https://host-%03d.example/%06d", i%700, i), Verdict: check.Broken, Code: "http-404", Status: 404,
			References: []result.Reference{{Page: site[i*31%pages].URL, Line: 1 + i/pages, Column: 1, Element: "a", Attribute: "href", Raw: "x", Text: "here"}},
		})
	}
	p := open(t, ctx, renderHTML(t, Options{}, run, site), "#findings").ready()
	p.Want(`document.querySelector("caption").innerText`, "100,000 findings on 10,000 pages, the most severe first")
	few := func() {
		t.Helper()
		if n := crawlertest.Eval[int](p.Tab, `document.querySelectorAll("*").length`); n > 6000 {
			t.Errorf("%d elements", n)
		}
	}
	few()
	p.ClickText(".pager button", "Last")
	p.Until(`document.querySelector(".pager span").innerText === "99,901–100,000 of 100,000"`)
	p.Click("#search")
	p.Keys("host-699.example/099")
	p.Until(`document.querySelector("caption")?.innerText === "1 finding on 1 page, the most severe first"`)
	p.Click(`input[name="by"][value="host"]`)
	p.Until(`document.querySelectorAll("#list tbody tr").length === 1`)
	p.ClickText("nav a", "Map 10,000")
	p.Until(`document.querySelector("#tiles .tile")`)
	few()
	p.Click(`input[name="form"][value="distance"]`)
	p.drawn()
	p.Want(`document.getElementById("stage").dataset.pages`, "10000")
	few()
	p.ClickMouse("#stage")
	p.Until(`document.getElementById("stage").dataset.chosen === "https://example.com/p/00000.html"`)
	few()
}

// testPages tests the table of pages: its columns, sorting, search and filters.
func testPages(t *testing.T, ctx context.Context, _ string) {
	pages := fullSite()
	pages[1].Status, pages[1].Elapsed, pages[1].Size = 200, 1500*time.Millisecond, 2<<20
	p := open(t, ctx, renderHTML(t, Options{Show: ShowAll}, fullRun(), pages), "#pages").ready()
	p.Until(`document.querySelector("#page-list tbody")`)
	p.Want(`[...document.querySelectorAll("#page-list th")].map((e) => e.innerText)`, "Page,Title,Status,Depth,Links in,Links out,Time,Size,Findings")
	p.Want(`[...document.querySelectorAll("#page-list tbody tr:first-child td")].map((e) => e.innerText)`, `https://example.com/a,A <page> & its "name" — The Site,200,1,3,4,1.5 s,2.10 MB,5`)
	p.ClickText("#page-list th button", "Links in")
	p.Until(`document.querySelector("#page-list [aria-sort=descending]")?.innerText === "Links in"`)
	p.Want(`document.querySelector("#page-list tbody td").innerText`, "https://example.com/")
	p.Want(`[...document.querySelectorAll("#which-pages option")].map((e) => e.innerText)`, "all pages (30),with findings (27),slow: 1 s or more (1),large: 1 MiB or more (1)")
	p.Click("#find-pages")
	p.Keys("page 07")
	p.Until(`document.querySelector("#page-list caption")?.innerText === "1 page"`)
	p = open(t, ctx, renderHTML(t, Options{Show: ShowAll}, fullRun(), pages), "#pages?which=slow").ready()
	p.Until(`document.querySelector("#page-list caption")?.innerText === "1 page"`)
	p.ClickText("#page-list button", "5")
	p.Until(`location.hash === "#findings?page=https%3A%2F%2Fexample.com%2Fa"`)
}

// testDirectories tests the map by directory.
func testDirectories(t *testing.T, ctx context.Context, full string) {
	p := open(t, ctx, full, "#map?by=directory").ready()
	p.Until(`document.querySelector("#tiles .tile")`)
	p.Want(`[...document.querySelectorAll("#tiles .label")].map((e) => e.textContent)`, "p/ 25 pages,pages in it 4 pages · 1 broken,new/ 1 page")
	p.Click("#tiles .tile")
	p.Until(`document.querySelector("#side h3").innerText === "https://example.com/p/"`)
	p.Want(`document.querySelectorAll("#side .list li").length`, "25")
	p.ClickText("#side .crumbs button", "https://example.com/")
	p.Until(`document.querySelector("#side h3").innerText === "https://example.com/"`)
	p.Click("#find")
	p.Keys("page 7" + kb.Enter)
	p.Until(`document.querySelector("#side h3").innerText === "Page 7"`)
	p.Want(`document.activeElement.innerText`, "Page 7")
	var pages []*result.Page
	for i := range 40 {
		pages = append(pages, &result.Page{URL: fmt.Sprintf("https://example.com/%s/%02d.html", []string{"core/arch/x86", "core/arch/arm", "core/mem", "std"}[i%4], i)})
	}
	p = open(t, ctx, renderHTML(t, Options{}, &Report{Summary: result.Summary{Pages: 40}}, pages), "#map?by=directory").ready()
	p.Until(`document.querySelector("#tiles .tile")`)
	p.Want(`[...document.querySelectorAll("#tiles .inner .name")].map((e) => e.innerText)`, "arch/,arm/,x86/,mem/")
}
