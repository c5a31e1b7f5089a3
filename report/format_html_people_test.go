package report

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
)

func TestReadable(t *testing.T) {
	for url, want := range map[string]string{
		"https://e.test/%D7%A9%D7%9C%D7%95%D7%9D/%e4%bd%a0": "https://e.test/שלום/你",
		"https://e.test/caf%C3%A9?q=%C3%BC%20b%2Fc":         "https://e.test/café?q=ü%20b%2Fc",
		"https://e.test/%F0%9F%98%80":                       "https://e.test/😀",
		"https://e.test/%E2%80%AEgpj":                       "https://e.test/%E2%80%AEgpj", // turns the text around
		"https://e.test/%EF%BC%8F":                          "https://e.test/%EF%BC%8F",    // looks like a slash
		"https://e.test/e%CC%81":                            "https://e.test/e%CC%81",
		"https://e.test/%FF%C3":                             "https://e.test/%FF%C3",
		"https://e.test/100%":                               "https://e.test/100%",
		"https://xn--bcher-kva.test:8080/%C3%BC?a=xn--x":    "https://bücher.test:8080/ü?a=xn--x",
		"https://me@xn--bcher-kva.test":                     "https://me@bücher.test",
		"https://e.test/xn--bcher-kva":                      "https://e.test/xn--bcher-kva",
		"https://xn--pple-43d.test/":                        "https://xn--pple-43d.test/", // а of Cyrillic, the rest Latin
	} {
		if got := Readable(url); got != want {
			t.Errorf("%s: got %s, want %s", url, got, want)
		}
	}
	if got, want := quoted("\u200fשלום\u200e", 40), `"שלום"`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// manyRun has more codes than a chart shows, a page with many fragments that a document lacks, a
// target in Hebrew, and a redirect that is no finding.
func manyRun() *Report {
	run := &Report{Head: Head{Tool: Tool{Name: "orbweaver", Version: "1.0.0"}, Started: started, Targets: []string{"https://e.test/"}}, Summary: result.Summary{ByCode: map[check.Code]int{}}}
	add := func(verdict check.Verdict, code check.Code, url string, line int) *result.Result {
		r := &result.Result{URL: url, Verdict: verdict, Code: code, Internal: true, References: []result.Reference{{Page: "https://e.test/", Line: line, Column: 1, Raw: url, Text: "\u200fשלום\u200f"}}}
		run.Results = append(run.Results, r)
		if verdict == check.Broken {
			run.Summary.ByCode[code]++
			run.Summary.Broken++
		}
		run.Summary.Results++
		return r
	}
	for i := range 168 {
		add(check.Broken, check.CodeFragmentMissing, fmt.Sprintf("https://e.test/guide#part-%03d", i), i+1)
	}
	for i := range 14 {
		add(check.Broken, check.HTTPCode(404+i), fmt.Sprintf("https://e.test/gone-%d", i), 200+i)
	}
	twice := add(check.Broken, "http-404", "https://e.test/%D7%A9%D7%9C%D7%95%D7%9D", 300)
	twice.References = append(twice.References, result.Reference{Page: "https://e.test/", Line: 301, Column: 1, Raw: "x"})
	moved := add(check.OK, check.CodeOK, "https://e.test/latest", 400)
	moved.Redirects, moved.FinalURL = []result.Hop{{URL: "https://e.test/latest", Status: 302}}, "https://e.test/v1"
	moved.Warnings = []check.Warning{{Code: "redirect-temporary", Message: "redirected temporarily (302)", Level: check.LevelInfo}}
	run.Summary.OK, run.Summary.Internal.Broken = 1, run.Summary.Broken
	run.Summary.Soundness = result.Read(true, "", "")
	return run
}

func testForPeople(t *testing.T, ctx context.Context, _ string) {
	page := renderHTML(t, Options{}, manyRun(), nil)
	p := open(t, ctx, page, "").ready()
	p.Want(`document.getElementById("summary-title").innerText`, "183 broken")
	p.Want(`document.querySelector(".more-bars summary").innerText`, "5 more")
	p.Want(`document.querySelectorAll(".more-bars a[data-go^='by=target']").length`, "5")
	p.Do(chromedp.Navigate("about:blank"))

	p = open(t, ctx, page, "#findings").ready()
	p.Until(`document.querySelector("#list tbody")`)
	p.Want(`document.querySelector("#list caption").innerText`, "183 findings at 184 places on 1 page, the most severe first")
	p.Want(`document.querySelector("#list th.group .note").innerText`, "183 findings at 184 places")
	p.Want(`document.querySelectorAll("#list td.place").length`, "20") // three fragments and their rest, 14 statuses, the last one twice
	p.Want(`[...document.querySelectorAll("#list td.wide")].filter((e) => e.innerText.startsWith("and ")).map((e) => e.innerText)`, "and 165 more of https://e.test/guide Show all")
	p.Want(`[...new Set([...document.querySelectorAll("#list q.text")].map((e) => e.textContent))]`, "“שלום”")
	p.Want(`document.querySelector("#list a[data-raw]").innerText`, "https://e.test/שלום")
	p.Want(`document.querySelector("#list a[data-raw]").href`, "https://e.test/%D7%A9%D7%9C%D7%95%D7%9D")
	p.Want(`(() => {
  const shown = document.querySelector("#list a[data-raw]"), data = new DataTransfer();
  getSelection().selectAllChildren(shown);
  document.dispatchEvent(new ClipboardEvent("copy", { clipboardData: data, cancelable: true }));
  return data.getData("text/plain");
})()`, "https://e.test/%D7%A9%D7%9C%D7%95%D7%9D")
	p.ClickText("#list button", "Show all")
	p.Until(`document.querySelector("#list caption").innerText.startsWith("168 findings on 1 page")`)
	p.Do(chromedp.Navigate("about:blank"))

	p = open(t, ctx, page, "#redirects").ready()
	p.Until(`document.querySelector("#view-redirects table")`)
	p.Want(`[...document.querySelectorAll("#view-redirects td")].map((e) => e.innerText)`, "https://e.test/latest,302,https://e.test/v1,1,")
	p.Want(`document.querySelector("nav [data-view=redirects]").innerText`, "Redirects 1")
	if strings.Contains(renderHTML(t, Options{}, contractRun(), nil), `class="more-bars"`) {
		t.Error("a chart of few bars has more of them")
	}
}
