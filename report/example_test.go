package report_test

import (
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/report"
)

// A run's results go to a writer one by one; the report decides what to show.
func ExampleNew() {
	format, err := report.ByName("text")
	if err != nil {
		fmt.Println(err)
		return
	}
	w := report.New(format, os.Stdout, report.Options{})
	summary := &crawler.Summary{
		Elapsed: 1200 * time.Millisecond, Complete: true,
		Pages: 1, Results: 2, References: 2, Links: 2, OK: 1, Broken: 1,
	}
	for _, err := range []error{
		w.Begin(&report.Head{Tool: report.Tool{Name: "orbweaver", Version: "1.0.0"}}),
		w.Result(&crawler.Result{URL: "https://example.com/", Verdict: check.OK, Code: check.CodeOK}),
		w.Result(&crawler.Result{
			URL: "https://example.com/gone", Verdict: check.Broken, Code: check.HTTPCode(404), Status: 404,
			References: []crawler.Reference{{
				Page: "docs/install.html", Line: 12, Column: 8,
				Element: "a", Attribute: "href", Raw: "https://example.com/gone", Text: "Download",
			}},
		}),
		w.End(summary),
	} {
		if err != nil {
			fmt.Println(err)
		}
	}
	// Output:
	// docs/install.html
	//   12:8   broken      http-404  https://example.com/gone        "Download"
	//
	// 1 broken · 2 links to 2 targets on 1 page · 1.2 s
}

func ExampleParseOutput() {
	for _, s := range []string{"broken.csv", "json:-", "jsno:broken"} {
		out, err := report.ParseOutput(s)
		if err != nil {
			said, _, _ := strings.Cut(err.Error(), " use ")
			fmt.Println(said)
			continue
		}
		fmt.Println(out.Format.Name, out.File)
	}
	// Output:
	// csv broken.csv
	// json -
	// "jsno" is no format: did you mean json?
}

// A saved report can be written in any format.
func ExampleReport_Write() {
	saved := strings.NewReader(`{
		"schema": "orbweaver.report/1",
		"summary": {"broken": 1},
		"results": [{"url": "https://example.com/gone", "verdict": "broken", "code": "http-404", "scope": "external",
			"references": [{"page": "index.html", "line": 7, "column": 10, "text": "=1+1"}]}]
	}`)
	run, err := report.Read(saved)
	if err != nil {
		fmt.Println(err)
		return
	}
	csv, _ := report.ByName("csv")
	if err := run.Write(report.New(csv, os.Stdout, report.Options{})); err != nil {
		fmt.Println(err)
	}
	// Output:
	// url,verdict,code,status,page,line,column,element,attribute,raw,text,final_url,message
	// https://example.com/gone,broken,http-404,0,index.html,7,10,,,,'=1+1,,
}

func ExampleCompare() {
	broken := func(url string, line int) *crawler.Result {
		return &crawler.Result{
			URL: url, Verdict: check.Broken, Code: "http-404",
			References: []crawler.Reference{{Page: "index.html", Line: line, Column: 1}},
		}
	}
	before := &report.Report{Results: []*crawler.Result{broken("a.html", 7), broken("b.html", 9)}}
	after := &report.Report{
		Summary: crawler.Summary{Complete: true},
		Results: []*crawler.Result{broken("b.html", 90), broken("c.html", 3)},
	}
	d := report.Compare(before, after)
	if err := d.WriteText(os.Stdout, report.Options{}); err != nil {
		fmt.Println(err)
	}
	fmt.Println("exit status", d.Exit())
	// Output:
	// index.html
	//   3:1    new         http-404  c.html
	//
	// index.html
	//   7:1    fixed       http-404  a.html
	//
	// index.html
	//   90:1   still       http-404  b.html
	//
	// 1 new, 1 fixed, 1 still broken
	// exit status 1
}

func ExamplePolicy_Exit() {
	policy, err := report.ParseFailOn("internal:warning,external:broken")
	if err != nil {
		fmt.Println(err)
		return
	}
	run := &crawler.Summary{Complete: true, Pages: 1, Links: 4, OK: 3, Warnings: 1}
	run.External.Warnings = 1
	fmt.Println(policy.Exit(run))
	run.Internal.Warnings, run.External.Warnings = 1, 0
	fmt.Println(policy.Exit(run))
	// Output:
	// 0
	// 1
}
