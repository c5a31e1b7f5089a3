package report_test

import (
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// A saved report can be rendered in any other format.
func Example_render() {
	saved := strings.NewReader(`{
		"schema": "orbweaver.report/1",
		"summary": {"broken": 1},
		"results": [{"url": "https://example.com/gone", "verdict": "broken", "code": "http-404", "scope": "external",
			"references": [{"page": "index.html", "line": 7, "column": 10, "text": "=1+1"}]}]
	}`)
	run, err := report.Read(saved)
	if err != nil {
		log.Fatal(err)
	}
	format, err := report.ByName("csv")
	if err != nil {
		log.Fatal(err)
	}
	out, err := report.Open([]report.Output{{Format: format, File: report.Stdout}}, os.Stdout, report.Options{})
	if err != nil {
		log.Fatal(err)
	}
	defer out.Close()
	if err := run.Write(out); err != nil {
		log.Print(err)
	}
	// Output:
	// url,verdict,code,status,page,line,column,element,attribute,raw,text,final_url,message
	// https://example.com/gone,broken,http-404,0,index.html,7,10,,,,'=1+1,,
}

func ExampleParseOutput() {
	for _, s := range []string{"broken.csv", "json:-", "jsno:broken"} {
		out, err := report.ParseOutput(s)
		if err != nil {
			message, _, _ := strings.Cut(err.Error(), " use ")
			fmt.Println(message)
			continue
		}
		fmt.Println(out.Format.Name, out.File)
	}
	// Output:
	// csv broken.csv
	// json -
	// unknown format "jsno": did you mean json?
}

func ExampleCompare() {
	broken := func(url string, line int) *result.Result {
		return &result.Result{
			URL: url, Verdict: check.Broken, Code: "http-404",
			References: []result.Reference{{Page: "index.html", Line: line, Column: 1}},
		}
	}
	before := &report.Report{Results: []*result.Result{broken("a.html", 7), broken("b.html", 9)}}
	after := &report.Report{
		Summary: result.Summary{},
		Results: []*result.Result{broken("b.html", 90), broken("c.html", 3)},
	}
	d := report.Compare(before, after)
	if err := d.WriteText(os.Stdout, 0, report.Options{}); err != nil {
		log.Fatal(err)
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
		log.Fatal(err)
	}
	run := &result.Summary{Pages: 1, Links: 4, OK: 3, Warnings: 1}
	run.External.Warnings = 1
	fmt.Println(policy.Exit(run))
	run.Internal.Warnings, run.External.Warnings = 1, 0
	fmt.Println(policy.Exit(run))
	// Output:
	// 0
	// 1
}
