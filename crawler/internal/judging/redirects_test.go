package judging

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

// way reads "301 https://a/ 302 https://b/ https://c/": each status is the answer of the
// URL after it, and the last URL is final.
func way(t testing.TB, s string) (redirects []Redirect, final urinorm.URL) {
	t.Helper()
	fields := strings.Fields(s)
	for len(fields) > 1 {
		status := int(fields[0][0]-'0')*100 + int(fields[0][1]-'0')*10 + int(fields[0][2]-'0')
		redirects = append(redirects, Redirect{URL: parse(t, fields[1]), Status: status})
		fields = fields[2:]
	}
	return redirects, parse(t, fields[0])
}

func okPage() *Outcome {
	return &Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html", Content: Content{Read: true, Static: true}}
}

// judgeChain is JudgeChain with the anchors of end as they are stored.
func judgeChain(q Question, redirects []Redirect, final urinorm.URL, end *Outcome, limit int) Judgement {
	var anchors EncodedAnchors
	if end != nil {
		for _, hash := range end.Anchors {
			anchors = binary.LittleEndian.AppendUint64(anchors, hash)
		}
	}
	return JudgeChain(q, redirects, final, end, anchors, limit)
}

func TestJudgeChainWarnings(t *testing.T) {
	login := okPage()
	login.Login = true
	spa := okPage()
	spa.Static = false
	tests := []struct {
		name     string
		way      string
		end      *Outcome
		codes    string
		proposal string
	}{
		{"permanent", "301 https://e.test/a https://e.test/b", nil, "redirect-permanent", "https://e.test/b"},
		{"308", "308 https://e.test/a https://e.test/b", nil, "redirect-permanent", "https://e.test/b"},
		{"two permanent ones", "301 http://e.test/a 308 https://e.test/a https://e.test/b", nil, "redirect-permanent", "https://e.test/b"},
		{"temporary", "302 https://e.test/a https://e.test/b", nil, "redirect-temporary", ""},
		{"303", "303 https://e.test/a https://e.test/b", nil, "redirect-temporary", ""},
		{"307", "307 https://e.test/a https://e.test/b", nil, "redirect-temporary", ""},
		{"not past the 302", "301 https://e.test/a 302 https://e.test/b https://e.test/c", nil, "redirect-permanent redirect-temporary", "https://e.test/b"},
		{"not behind a 302", "302 https://e.test/a 301 https://e.test/b https://e.test/c", nil, "redirect-temporary", ""},
		{"the same address after a cookie", "302 https://e.test/a https://e.test/a", nil, "redirect-temporary", ""},
		{"permanently the same address", "301 https://e.test/a https://e.test/a", nil, "", ""},
		{"a query is kept", "301 https://e.test/a?x=1 https://e.test/b?x=1", nil, "redirect-permanent", "https://e.test/b?x=1"},

		{"a chain", "301 http://e.test/a 308 https://e.test/a 301 https://e.test/b https://e.test/c", nil, "redirect-permanent redirect-chain", "https://e.test/c"},
		{"a chain to where it is for now", "301 http://e.test/a 302 https://e.test/a 302 https://e.test/b https://e.test/c", nil, "redirect-permanent redirect-temporary redirect-chain", "https://e.test/c"},
		{"a chain home", "302 https://e.test/a 302 https://e.test/b 302 https://e.test/c https://e.test/", nil, "redirect-temporary redirect-chain redirect-to-root", ""},
		{"a chain back after a cookie", "302 https://e.test/a 302 https://e.test/b 302 https://e.test/c https://e.test/a", nil, "redirect-temporary redirect-chain", ""},
		{"to the home page", "302 https://e.test/blog/2012/post https://e.test/", nil, "redirect-temporary redirect-to-root", ""},
		{"permanently to the home page", "301 https://e.test/blog/post https://e.test/", nil, "redirect-permanent redirect-to-root", ""},
		{"index.html", "301 https://e.test/index.html https://e.test/", nil, "redirect-permanent", "https://e.test/"},
		{"index.php", "301 https://e.test/index.php https://e.test/", nil, "redirect-permanent", "https://e.test/"},
		{"home page to home page", "301 http://e.test/ https://e.test/", nil, "redirect-permanent", "https://e.test/"},
		{"a view of a script", "301 https://e.test/about https://e.test/#/about", nil, "redirect-permanent", "https://e.test/#/about"},
		{"a query of the home page", "301 https://e.test/post/7 https://e.test/?p=7", nil, "redirect-permanent", "https://e.test/?p=7"},

		{"login path", "302 https://e.test/report https://e.test/login?next=/report", login, "redirect-temporary redirect-to-login", ""},
		{"login path of a script", "302 https://e.test/report https://e.test/users/sign_in", spa, "redirect-temporary redirect-to-login", ""},
		{"login path that was not read", "302 https://e.test/report https://e.test/wp-login.php", &Outcome{Code: check.CodeOK, Status: 200}, "redirect-temporary redirect-to-login", ""},
		{"login host", "302 https://e.test/report https://login.e.test/", spa, "redirect-temporary redirect-to-root redirect-to-login", ""},
		{"an article on login", "301 https://e.test/help/7 https://e.test/help/login", okPage(), "redirect-permanent", "https://e.test/help/login"},
		{"from login to login", "301 http://e.test/login https://e.test/login", login, "redirect-permanent", "https://e.test/login"},
		{"login form under another path", "302 https://e.test/report https://e.test/welcome", login, "redirect-temporary redirect-to-login", ""},
		{"a form on each page", "301 http://e.test/forum https://e.test/forum/", login, "redirect-permanent", "https://e.test/forum/"},

		{"other site", "301 https://e.test/a https://f.test/a", nil, "redirect-permanent redirect-to-other-site", "https://f.test/a"},
		{"www and not", "301 https://www.e.test/a https://e.test/a", nil, "redirect-permanent", "https://e.test/a"},
		{"a host with a dot behind", "301 https://e.test./a https://e.test/a", nil, "redirect-permanent", "https://e.test/a"},
		{"sites below a public suffix", "302 https://a.co.uk/a https://b.co.uk/a", nil, "redirect-temporary redirect-to-other-site", ""},
		{"port of the same host", "302 https://e.test/a https://e.test:8443/a", nil, "redirect-temporary", ""},
		{"a resolver", "302 https://doi.org/10.1000/1 https://publisher.test/1", nil, "redirect-temporary", ""},
		{"a shortener", "301 https://bit.ly/x https://e.test/x", nil, "redirect-permanent", "https://e.test/x"},
		{"loopback", "302 http://localhost/a http://127.0.0.1/a", nil, "redirect-temporary redirect-to-other-site", ""},
		{"addresses", "302 http://192.0.2.1/a http://192.0.2.2/a", nil, "redirect-temporary redirect-to-other-site", ""},
		{"no proposal with a password", "301 https://e.test/a https://joe:secret@e.test/b", nil, "redirect-permanent", ""},
	}
	for _, test := range tests {
		redirects, final := way(t, test.way)
		if test.end == nil {
			test.end = okPage()
		}
		j := judgeChain(Question{Internal: true}, redirects, final, test.end, 10)
		if j.Verdict != check.OK || j.Code != check.CodeOK {
			t.Errorf("%s: %v %s", test.name, j.Verdict, j.Code)
			continue
		}
		var codes []string
		proposal := ""
		for _, w := range j.Warnings {
			codes = append(codes, string(w.Code))
			if w.Proposal != "" {
				proposal = w.Proposal
			}
			if w.Message == "" || strings.Contains(w.Message, "secret") {
				t.Errorf("%s: message %q", test.name, w.Message)
			}
		}
		if got := strings.Join(codes, " "); got != test.codes {
			t.Errorf("%s: %s, want %s", test.name, got, test.codes)
		}
		if proposal != test.proposal {
			t.Errorf("%s: proposal %q, want %q", test.name, proposal, test.proposal)
		}
	}
}

func TestJudgeChainFragments(t *testing.T) {
	page := pageWith("old", "new")
	tests := []struct {
		name, way, fragment string
		verdict             check.Verdict
		proposal            string
	}{
		{"goes on", "301 https://e.test/a https://e.test/b", "old", check.OK, "https://e.test/b#old"},
		{"goes on and is not there", "301 https://e.test/a https://e.test/b", "gone", check.Broken, ""},
		{"is replaced", "301 https://e.test/a https://e.test/b#new", "gone", check.OK, "https://e.test/b#new"},
		{"is replaced by one that is not there", "301 https://e.test/a https://e.test/b#gone", "old", check.Broken, ""},
		{"is replaced on the way", "301 https://e.test/a 301 https://e.test/b#new https://e.test/c", "gone", check.OK, "https://e.test/c#new"},
		{"is not taken from the first URL", "301 https://e.test/a#gone https://e.test/b", "old", check.OK, "https://e.test/b#old"},
		{"is replaced by an empty one", "301 https://e.test/a https://e.test/b#", "gone", check.OK, "https://e.test/b#"},
		{"is empty and goes on", "301 https://e.test/a https://e.test/b", "", check.OK, "https://e.test/b#"},
		{"up to the 302", "301 https://e.test/a 302 https://e.test/b https://e.test/c#new", "old", check.OK, "https://e.test/b#old"},
	}
	for _, test := range tests {
		redirects, final := way(t, test.way)
		j := judgeChain(Question{Internal: true, Fragment: test.fragment, HasFragment: true}, redirects, final, &page, 10)
		proposal := ""
		if i := slices.IndexFunc(j.Warnings, func(w check.Warning) bool { return w.Code == check.CodeRedirectPermanent }); i >= 0 {
			proposal = j.Warnings[i].Proposal
		}
		if j.Verdict != test.verdict || proposal != test.proposal {
			t.Errorf("%s: %v, %q, want %v, %q", test.name, j.Verdict, proposal, test.verdict, test.proposal)
		}
	}
}

func TestJudgeChainEnds(t *testing.T) {
	redirect := &Outcome{Code: check.CodeRedirect, Status: 302, Next: "https://e.test/next"}
	ten := strings.Repeat("302 https://e.test/x ", 9)
	distinct := func(n int) string {
		var b strings.Builder
		for i := range n {
			b.WriteString("302 https://e.test/" + strings.Repeat("x", i+1) + " ")
		}
		return b.String()
	}
	tests := []struct {
		name    string
		way     string
		end     *Outcome
		limit   int
		verdict check.Verdict
		code    check.Code
	}{
		{"to itself", "302 https://e.test/a https://e.test/a", redirect, 10, check.Broken, check.CodeRedirectLoop},
		{"to itself, nothing more known", "302 https://e.test/a https://e.test/a", nil, 10, check.Broken, check.CodeRedirectLoop},
		{"circle", "302 https://e.test/a 302 https://e.test/b https://e.test/a", redirect, 10, check.Broken, check.CodeRedirectLoop},
		{"circle with another fragment", "302 https://e.test/a 302 https://e.test/b https://e.test/a#x", redirect, 10, check.Broken, check.CodeRedirectLoop},
		{"circle left by a cookie", "302 https://e.test/a 302 https://e.test/b https://e.test/a", okPage(), 10, check.OK, check.CodeOK},
		{"loop wins over limit", ten + "302 https://e.test/a https://e.test/a", redirect, 3, check.Broken, check.CodeRedirectLoop},
		{"as many as allowed", distinct(10) + "https://e.test/end", okPage(), 10, check.OK, check.CodeOK},
		{"one more than allowed", distinct(11) + "https://e.test/end", okPage(), 10, check.Broken, check.CodeRedirectLimit},
		{"one more, seen at the end", distinct(10) + "https://e.test/end", redirect, 10, check.Broken, check.CodeRedirectLimit},
		{"none allowed", distinct(1) + "https://e.test/end", okPage(), 0, check.Broken, check.CodeRedirectLimit},
		{"interrupted", distinct(2) + "https://e.test/end", nil, 10, check.Skipped, check.CodeInterrupted},
		{"not followed", distinct(2) + "https://e.test/end", redirect, 10, check.Unverified, "http-302"},
		{"dead end", distinct(1) + "https://e.test/end", &Outcome{Code: "http-404", Status: 404}, 10, check.Broken, "http-404"},
		{"leaves the site with --external skip", distinct(1) + "https://f.test/", &Outcome{Code: check.CodeExternal}, 10, check.Skipped, check.CodeExternal},
		{"no redirect and no limit", "https://e.test/end", okPage(), -1, check.OK, check.CodeOK},
		{"no redirect at all", "https://e.test/end", okPage(), 0, check.OK, check.CodeOK},
	}
	for _, test := range tests {
		redirects, final := way(t, test.way)
		j := judgeChain(Question{}, redirects, final, test.end, test.limit)
		if j.Verdict != test.verdict || j.Code != test.code {
			t.Errorf("%s: %v %s, want %v %s", test.name, j.Verdict, j.Code, test.verdict, test.code)
		}
		if j.Verdict != check.OK && (j.Message == "" && test.end != nil && test.end.Code == check.CodeRedirect || len(j.Warnings) > 0) {
			t.Errorf("%s: %+v", test.name, j)
		}
	}
}

// TestJudgeChainIsExternalWhereItEnds: Question.Internal is that of the final target.
func TestJudgeChainIsExternalWhereItEnds(t *testing.T) {
	redirects, final := way(t, "301 https://e.test/a https://other.test/a")
	end := &Outcome{Code: "http-403", Status: 403}
	if j := judgeChain(Question{}, redirects, final, end, 10); j.Verdict != check.Unverified {
		t.Errorf("%+v", j)
	}
	if j := judgeChain(Question{Internal: true}, redirects, final, end, 10); j.Verdict != check.Broken {
		t.Errorf("%+v", j)
	}
}

// TestJudgeChainWithoutURLs: redirects without URLs do not panic.
func TestJudgeChainWithoutURLs(t *testing.T) {
	start := []Redirect{{URL: parse(t, "https://e.test/a"), Status: 301}}
	for _, end := range []*Outcome{nil, okPage(), {Code: check.CodeRedirect, Status: 302}} {
		judgeChain(Question{}, start, urinorm.URL{}, end, 10)
		judgeChain(Question{}, []Redirect{{Status: 301}}, urinorm.URL{}, end, 10)
		judgeChain(Question{Fragment: "x", HasFragment: true}, nil, urinorm.URL{}, end, 10)
	}
}

func TestObserveRedirect(t *testing.T) {
	const base = "https://e.test/dir/page?q#frag"
	tests := []struct {
		status   int
		location string
		next     string
		code     check.Code
	}{
		{301, "/a", "https://e.test/a", check.CodeRedirect},
		{302, "b", "https://e.test/dir/b", check.CodeRedirect},
		{303, "../c", "https://e.test/c", check.CodeRedirect},
		{307, "?x=1", "https://e.test/dir/page?x=1", check.CodeRedirect},
		{308, "//f.test", "https://f.test/", check.CodeRedirect},
		{302, "HTTPS://F.test/A B", "https://f.test/A%20B", check.CodeRedirect},
		{302, `\a\b`, "https://e.test/a/b", check.CodeRedirect},
		{302, " /a ", "https://e.test/a", check.CodeRedirect},
		{302, "/ü", "https://e.test/%C3%BC", check.CodeRedirect},
		{302, "/\xfc", "https://e.test/%FC", check.CodeRedirect}, // Latin-1
		{302, "/a#b", "https://e.test/a#b", check.CodeRedirect},
		{302, "#b", "https://e.test/dir/page?q#b", check.CodeRedirect},
		{302, "https://e.test", "https://e.test/", check.CodeRedirect},
		{300, "/a", "https://e.test/a", check.CodeRedirect},
		{310, "/a", "https://e.test/a", check.CodeRedirect},
		{302, "mailto:joe@e.test", "mailto:joe@e.test", check.CodeRedirect},
		{302, "itms-apps://x/y", "itms-apps://x/y", check.CodeRedirect},
		{302, "", "", check.CodeRedirectInvalid},
		{300, "", "", check.CodeRedirectInvalid},
		{305, "http://proxy.test/", "", check.CodeRedirectInvalid},
		{306, "/a", "", check.CodeRedirectInvalid},
		{302, "http://", "", check.CodeRedirectInvalid},
		{302, "https://a b/", "", check.CodeRedirectInvalid},
		{302, "http://[::1", "", check.CodeRedirectInvalid},
		{302, "https://e.test:99999/", "", check.CodeRedirectInvalid},
		{302, "javascript:alert(1)", "", check.CodeRedirectInvalid},
		{302, "data:text/html,x", "", check.CodeRedirectInvalid},
		{302, "file:///etc/passwd", "", check.CodeRedirectInvalid},
		{304, "/a", "", "http-304"},
	}
	for _, test := range tests {
		o := Observe(Question{URL: parse(t, base)}, &fetch.Response{Status: test.status, Location: test.location})
		if o.Code != test.code || o.Next != test.next {
			t.Errorf("%d %q: %s %q, want %s %q", test.status, test.location, o.Code, o.Next, test.code, test.next)
		}
		if o.IsRedirect() != (o.Next != "") {
			t.Errorf("%d %q: next %q", test.status, test.location, o.Next)
		}
		if o.Code != check.CodeRedirect && o.Message == "" {
			t.Errorf("%d %q: no message", test.status, test.location)
		}
	}
	absolute := Observe(Question{}, &fetch.Response{Status: 301, Location: "https://e.test/a"})
	relative := Observe(Question{}, &fetch.Response{Status: 301, Location: "/a"})
	if absolute.Code != check.CodeRedirect || relative.Code != check.CodeRedirectInvalid {
		t.Errorf("without a base: %s, %s", absolute.Code, relative.Code)
	}
}
