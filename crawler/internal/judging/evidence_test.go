package judging

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// The table of evidence, row by row: an answer, and the verdict and code for internal
// and external targets, from a Fetcher's answer to a Judgement.

type evidence struct {
	name               string
	outcome            Outcome
	internal, external want
}

type want struct {
	verdict check.Verdict
	code    check.Code
	warning check.Code // the first one, if any
}

func (w want) String() string { return fmt.Sprintf("%v %s %s", w.verdict, w.code, w.warning) }

func answered(t testing.TB, status int, header http.Header) Outcome {
	t.Helper()
	return Observe(Question{URL: parse(t, "https://example.com/page")},
		&fetch.Response{Status: status, Header: header, Location: header.Get("Location"), Size: -1, Requests: 1})
}

func faulted(kind string) Outcome {
	return ObserveFault(&fetch.Fault{Kind: kind, Op: "connect", Target: "example.com:443", Err: errors.New("cause"), Requests: 3})
}

func both(verdict check.Verdict, code check.Code) (internal, external want) {
	return want{verdict: verdict, code: code}, want{verdict: verdict, code: code}
}

func evidenceTable(t *testing.T) []evidence {
	var rows []evidence
	add := func(name string, o Outcome, internal, external want) {
		rows = append(rows, evidence{name, o, internal, external})
	}
	same := func(name string, o Outcome, verdict check.Verdict, code check.Code) {
		internal, external := both(verdict, code)
		add(name, o, internal, external)
	}
	status := func(n int, internal, external check.Verdict, code check.Code) {
		add(fmt.Sprint(n), answered(t, n, nil), want{verdict: internal, code: code}, want{verdict: external, code: code})
	}

	for _, n := range []int{200, 201, 202, 203, 204, 205, 206, 207, 226, 299} {
		status(n, check.OK, check.OK, check.CodeOK)
	}
	same("304 to a conditional request", Observe(Question{Conditional: true}, &fetch.Response{Status: 304}), check.OK, check.CodeOK)
	status(304, check.Broken, check.Broken, "http-304")
	for _, n := range []int{400, 402, 404, 405, 406, 409, 410, 414, 422, 431, 444, 499} {
		status(n, check.Broken, check.Broken, check.HTTPCode(n))
	}
	for _, n := range []int{401, 403, 407, 418, 451, 999} {
		status(n, check.Broken, check.Unverified, check.HTTPCode(n))
	}
	for _, n := range []int{200, 202, 403, 404, 429, 503} {
		same(fmt.Sprintf("bot wall with %d", n), answered(t, n, http.Header{"Cf-Mitigated": {"challenge"}}), check.Unverified, CodeBotWall)
	}
	status(408, check.Unverified, check.Unverified, "http-408")
	status(425, check.Unverified, check.Unverified, "http-425")
	status(429, check.Unverified, check.Unverified, check.CodeRateLimited)
	for _, n := range []int{500, 501, 505, 506, 507, 508, 511, 519, 530, 599} {
		status(n, check.Broken, check.Broken, check.HTTPCode(n))
	}
	for _, n := range []int{502, 503, 504, 520, 521, 522, 523, 524, 525, 526, 529} {
		status(n, check.Broken, check.Unverified, check.HTTPCode(n))
	}
	for _, n := range []int{100, 103, 600, 777, 998} {
		status(n, check.Broken, check.Broken, check.HTTPCode(n))
	}
	for _, n := range []int{300, 301, 302, 303, 305, 306, 307, 308, 310} {
		same(fmt.Sprintf("%d without Location", n), answered(t, n, nil), check.Broken, check.CodeRedirectInvalid)
	}
	same("302 to nowhere", answered(t, 302, http.Header{"Location": {"https://exa mple.com/"}}), check.Broken, check.CodeRedirectInvalid)
	same("loop", Outcome{Code: check.CodeRedirectLoop}, check.Broken, check.CodeRedirectLoop)
	same("limit", Outcome{Code: check.CodeRedirectLimit}, check.Broken, check.CodeRedirectLimit)

	for _, kind := range []string{"dns-not-found", "connect-refused", "tls-expired", "tls-hostname", "tls-untrusted", "tls-error",
		"protocol-error", "port-blocked", "file-missing", "file-case", "file-outside-root", "file-from-web"} {
		same(kind, faulted(kind), check.Broken, check.Code(kind))
	}
	add("file-unreadable", faulted("file-unreadable"), want{verdict: check.Broken, code: CodeFileUnreadable}, want{verdict: check.Unverified, code: CodeFileUnreadable})
	same("dns-failure", faulted("dns-failure"), check.Unverified, check.CodeDNSFailure)
	add("reset", faulted("connection-reset"), want{verdict: check.Broken, code: check.CodeConnectionReset}, want{verdict: check.Unverified, code: check.CodeConnectionReset})
	add("timeout", faulted("timeout"), want{verdict: check.Broken, code: check.CodeTimeout}, want{verdict: check.Unverified, code: check.CodeTimeout})
	same("robots.txt", Skip(CodeRobotsDisallowed, "Disallow: /x"), check.Unverified, CodeRobotsDisallowed)
	same("uri-invalid", Skip(check.CodeURIInvalid, "host is missing"), check.Broken, check.CodeURIInvalid)
	same("scheme-unknown", UncheckedScheme("htps://example.com/"), check.Broken, check.CodeSchemeUnknown)
	same("scheme-unchecked", UncheckedScheme("javascript:void(0)"), check.Skipped, check.CodeSchemeUnchecked)
	for _, code := range []check.Code{check.CodeExcluded, check.CodeExternal, check.CodeLimit, check.CodeInterrupted, check.CodeAddressDenied} {
		same(string(code), Skip(code, "by a rule"), check.Skipped, code)
	}
	same("cancelled", ObserveFault(context.Canceled), check.Skipped, check.CodeInterrupted)
	same("our own fault", ObserveFault(&fetch.Fault{Kind: "connect-refused", Local: true, Err: errors.New("too many open files")}), check.Skipped, check.CodeLimit)

	incomplete := Observe(Question{}, &fetch.Response{Status: 200, Notes: []fetch.Note{{Code: "tls-incomplete-chain", Message: "the intermediate came by AIA"}}})
	add("AIA", incomplete, want{check.OK, check.CodeOK, CodeTLSIncompleteChain}, want{check.OK, check.CodeOK, CodeTLSIncompleteChain})

	cut := &fetch.Fault{Kind: "body-truncated", Op: "read", Target: "https://example.com/page", Err: errors.New("unexpected EOF")}
	page := answered(t, 200, nil)
	page = page.With(BodyError(cut, true))
	add("page ends early", page, want{verdict: check.Unverified, code: check.CodeBodyTruncated}, want{check.OK, check.CodeOK, check.CodeBodyTruncated})
	leaf := answered(t, 200, nil)
	leaf = leaf.With(BodyError(cut, false))
	add("leaf ends early", leaf, want{check.OK, check.CodeOK, check.CodeBodyTruncated}, want{check.OK, check.CodeOK, check.CodeBodyTruncated})
	badChunks := answered(t, 200, nil)
	badChunks = badChunks.With(BodyError(&fetch.Fault{Kind: "protocol-error", Err: errors.New("bad chunk")}, true))
	same("page with bad chunks", badChunks, check.Broken, CodeProtocolError)
	long := answered(t, 200, nil)
	long = long.With(Truncated(10 << 20))
	add("longer than --max-body", long, want{check.OK, check.CodeOK, check.CodeBodyTruncated}, want{check.OK, check.CodeOK, check.CodeBodyTruncated})

	same("a code of the future", Outcome{Code: "quantum-fault"}, check.Unverified, "quantum-fault")
	same("a redirect that was not followed", answered(t, 302, http.Header{"Location": {"/next"}}), check.Unverified, "http-302")
	return rows
}

func TestEvidence(t *testing.T) {
	for _, row := range evidenceTable(t) {
		for _, side := range []struct {
			name     string
			question Question
			want     want
		}{
			{"internal", Question{Internal: true}, row.internal},
			{"local", Question{Local: true}, row.internal},
			{"external", Question{}, row.external},
		} {
			j := row.outcome.Judge(side.question)
			got := want{verdict: j.Verdict, code: j.Code}
			if len(j.Warnings) > 0 {
				got.warning = j.Warnings[0].Code
			}
			if got != side.want {
				t.Errorf("%s, %s: %v, want %v", row.name, side.name, got, side.want)
			}
			if j.Verdict != check.OK && len(j.Warnings) > 0 {
				t.Errorf("%s, %s: warnings without ok", row.name, side.name)
			}
			if _, ok := check.Lookup(j.Code); !ok && j.Code != "quantum-fault" {
				t.Errorf("%s: %s has no row", row.name, j.Code)
			}
		}
	}
}

// TestObservationKnowsNoSide: an outcome does not depend on the site of the link.
func TestObservationKnowsNoSide(t *testing.T) {
	resp := &fetch.Response{Status: 301, Location: "/next", Header: http.Header{}}
	u := parse(t, "https://example.com/page#one")
	plain := Observe(Question{URL: u}, resp)
	asked := Observe(Question{URL: u, Internal: true, Local: true, Fragment: "two", HasFragment: true}, resp)
	if plain.Next != asked.Next || plain.Code != asked.Code || plain.Next != "https://example.com/next" {
		t.Errorf("%q and %q", plain.Next, asked.Next)
	}
}

func TestAccept(t *testing.T) {
	var accept check.Statuses
	for _, r := range [][2]int{{200, 399}, {403, 403}, {429, 429}, {500, 599}, {999, 999}} {
		if err := accept.Add(r[0], r[1]); err != nil {
			t.Fatal(err)
		}
	}
	truncated := answered(t, 200, nil)
	truncated = truncated.With(BodyError(errors.New("cut"), true))
	tests := []struct {
		name    string
		outcome Outcome
		want    check.Verdict
	}{
		{"403", answered(t, 403, nil), check.OK},
		{"429", answered(t, 429, nil), check.OK},
		{"503", answered(t, 503, nil), check.OK},
		{"999", answered(t, 999, nil), check.OK},
		{"404 is not in the set", answered(t, 404, nil), check.Broken},
		{"300 without Location", answered(t, 300, nil), check.OK},
		{"a bot wall with an accepted refusal", answered(t, 403, http.Header{"Cf-Mitigated": {"challenge"}}), check.OK},
		{"a bot wall behind 200", answered(t, 200, http.Header{"Sg-Captcha": {"challenge"}}), check.Unverified},
		{"a truncated page", truncated, check.Unverified},
		{"no status at all", faulted("timeout"), check.Broken},
	}
	for _, test := range tests {
		j := test.outcome.Judge(Question{Internal: true, Accept: &accept, Fragment: "x", HasFragment: true})
		if j.Verdict != test.want {
			t.Errorf("%s: %v %s, want %v", test.name, j.Verdict, j.Code, test.want)
		}
		if j.Verdict == check.OK && j.Code != check.CodeOK {
			t.Errorf("%s: ok with code %s", test.name, j.Code)
		}
	}
	for _, r := range [][2]int{{99, 200}, {200, 1000}, {404, 403}} {
		if accept.Add(r[0], r[1]) == nil {
			t.Errorf("Add(%d, %d) was let pass", r[0], r[1])
		}
	}
	if accept.Has(0) || accept.Has(-1) || accept.Has(1000) || (*check.Statuses)(nil).Has(200) {
		t.Error("a status out of range is in the set")
	}
}

func TestJudgeSharesNoWarnings(t *testing.T) {
	o := Outcome{Code: check.CodeOK, Status: 200}
	o.Warn(check.Warning{Code: CodeTLSExpiresSoon})
	o.Warn(check.Warning{Code: check.CodeFragmentDuplicate})
	o.Warnings = o.Warnings[:1] // spare capacity, as a careless append would fill
	j := o.Judge(Question{})
	_ = append(j.Warnings, check.Warning{Code: CodeNoMX})
	if o.Warnings[:2][1].Code != check.CodeFragmentDuplicate {
		t.Error("appending to a Judgement's warnings changed the Outcome's")
	}
}

func TestBrokenPageIsReportedOnceWhateverItsFragment(t *testing.T) {
	o := answered(t, 404, nil)
	j := o.Judge(Question{Fragment: "setup", HasFragment: true})
	if j.Code != "http-404" || j.Message != "the server answered 404 (not found)" {
		t.Errorf("%+v", j)
	}
}

func TestReadDocument(t *testing.T) {
	o := answered(t, 200, nil)
	o = o.With(DocumentFacts(&extract.Document{
		Format: "html", Title: "Guide", Static: true, LoginForm: true, Anchors: []string{"b", "a", "b", "c", "c", "d", "d", "e", "e"},
		Duplicates: []extract.AnchorPlace{{Name: "b", Line: 3}, {Name: "c", Line: 5}, {Name: "d", Line: 7}, {Name: "e", Line: 9}},
	}))
	if !o.Read || !o.Static || !o.Login || o.Title != "Guide" || len(o.Anchors) != 5 {
		t.Errorf("%+v", o)
	}
	want := check.Warning{Code: check.CodeFragmentDuplicate, Message: `the ids "b" (line 3), "c" (line 5), "d" (line 7) and 1 more appear more than once`}
	if len(o.Warnings) != 1 || o.Warnings[0] != want {
		t.Errorf("%+v, want %+v", o.Warnings, want)
	}

	one := answered(t, 200, nil)
	one = one.With(DocumentFacts(&extract.Document{Format: "html", Duplicates: []extract.AnchorPlace{{Name: "x\n", Line: 2}}}))
	if got := one.Warnings[0].Message; got != `the id "x\n" (line 2) appears more than once` {
		t.Errorf("%q", got)
	}

	css := answered(t, 200, nil)
	css = css.With(DocumentFacts(&extract.Document{Format: "css"}))
	if css.Read {
		t.Error("a style sheet has anchors")
	}

	cut := answered(t, 200, nil)
	cut = cut.With(DocumentFacts(&extract.Document{Format: "html", Static: true, Faults: []string{"elements are nested too deep"}}))
	if j := cut.Judge(Question{Internal: true, Fragment: "x", HasFragment: true}); j.Verdict != check.Unverified || j.Code != check.CodeFragmentUnverified {
		t.Errorf("a fragment behind a limit: %+v", j)
	}

	many := make([]string, MaxAnchors+1)
	for i := range many {
		many[i] = fmt.Sprint(i)
	}
	big := answered(t, 200, nil)
	big = big.With(DocumentFacts(&extract.Document{Format: "html", Static: true, Anchors: many}))
	if len(big.Anchors) != MaxAnchors || len(big.Warnings) != 1 {
		t.Errorf("%d anchors, %v", len(big.Anchors), big.Warnings)
	}
	if j := big.Judge(Question{Internal: true, Fragment: fmt.Sprint(MaxAnchors), HasFragment: true}); j.Verdict != check.Unverified {
		t.Errorf("an anchor beyond the limit: %+v", j)
	}
}

func BenchmarkJudge(b *testing.B) {
	page := pageWith("install", "usage")
	for name, o := range map[string]*Outcome{"page": &page, "missing": {Code: check.CodeFileMissing}, "http-404": {Code: "http-404", Status: 404}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				o.Judge(Question{Internal: true, Fragment: "usage", HasFragment: true})
			}
		})
	}
}
