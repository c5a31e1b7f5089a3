package judging_test

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// A refusal proves a link broken on the user's own site only.
func ExampleOutcome_Judge() {
	o := judging.Observe(judging.Question{}, &fetch.Response{Status: http.StatusForbidden})
	for _, internal := range []bool{true, false} {
		j := o.Judge(judging.Question{Internal: internal})
		fmt.Println(j.Verdict, j.Code, "-", j.Message)
	}
	// Output:
	// broken http-403 - the server answered 403 (forbidden)
	// unverified http-403 - the server answered 403 (forbidden)
}

func ExampleDocumentFacts() {
	o := judging.Observe(judging.Question{}, &fetch.Response{Status: 200, ContentType: "text/html"})
	page := &extract.Document{Format: "html", Static: true, Anchors: []string{"install", "set-up"}}
	o = o.With(judging.DocumentFacts(page)).With(judging.Facts{Content: judging.Content{Names: judging.PackNames(page.Anchors)}})
	for _, fragment := range []string{"install", "setup", "top"} {
		j := o.Judge(judging.Question{Fragment: fragment, HasFragment: true})
		fmt.Printf("%s %s %q\n", j.Verdict, j.Code, j.Message)
	}
	fmt.Println(o.SuggestFragment("setup", judging.EffortOf(1)))
	// Output:
	// ok ok ""
	// broken fragment-missing "no element has the id \"setup\""
	// ok ok ""
	// {set-up true} true
}

func ExampleObserveFault() {
	o := judging.ObserveFault(&fetch.Fault{
		Kind: "timeout", Op: "connect", Target: "example.com:443", Err: errors.New("no answer within 20s"),
	})
	fmt.Println(o.Code, "-", o.Message, o.Retryable())
	// Output:
	// timeout - example.com:443: no answer within 20s true
}

// A chain is proposed up to its first redirect that is not permanent, with the
// reference's fragment.
func ExampleJudgeChain() {
	url := func(s string) urinorm.URL { u, _, _ := urinorm.ParseWeb(s); return u }
	end := judging.Outcome{Code: check.CodeOK, Status: 200}
	j := judging.JudgeChain(judging.Question{Fragment: "faq", HasFragment: true}, []judging.Redirect{
		{URL: url("http://example.com/help"), Status: 301},
		{URL: url("https://example.com/help"), Status: 302},
	}, url("https://example.com/en/help"), &end, nil, 10)
	for _, w := range j.Warnings {
		fmt.Println(w.Code, w.Proposal)
	}
	// Output:
	// redirect-permanent https://example.com/help#faq
	// redirect-temporary
}

func ExampleUncheckedScheme() {
	for _, ref := range []string{"javascript:void(0)", "htps://example.com/", "localhost:8080/x"} {
		o := judging.UncheckedScheme(ref)
		fmt.Println(o.Code, "-", o.Message)
	}
	// Output:
	// scheme-unchecked - javascript: addresses are not checked
	// scheme-unknown - the scheme "htps" is unknown; did you mean "https"?
	// scheme-unknown - "localhost:8080" looks like a host with its port; write https:// before it
}

func ExampleRetryAfter() {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for _, value := range []string{"120", "1m30s", "Fri, 02 Jan 2026 03:04:35 GMT", "soon"} {
		fmt.Println(fetch.RetryAfter(http.Header{"Retry-After": {value}}, now))
	}
	// Output:
	// 2m0s true
	// 1m30s true
	// 30s true
	// 0s false
}

func ExampleGlanceAt() {
	o := judging.Outcome{Code: check.CodeOK, Status: 200, Content: judging.Content{Read: true}}
	o.Anchors, _ = judging.NewAnchors([]string{"install", "usage"})
	stored := judging.AppendOutcome(nil, &o)

	seen, err := judging.GlanceAt(stored)
	fmt.Println(seen.OK, seen.Anchors.Has(judging.HashAnchor("usage")), seen.Anchors.Has(judging.HashAnchor("gone")), err)
	// Output:
	// true true false <nil>
}
