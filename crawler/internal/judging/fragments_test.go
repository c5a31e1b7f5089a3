package judging

import (
	"regexp"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
)

func pageWith(ids ...string) Outcome {
	o := Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html"}
	o = o.With(DocumentFacts(&extract.Document{Format: "html", Anchors: ids, Static: true}))
	return o
}

// TestSVGFragments: a fragment of an SVG document may be a view of it.
func TestSVGFragments(t *testing.T) {
	for fragment, found := range map[string]bool{
		"shape": true, "svgView(viewBox(0,0,200,200))": true, "svgView(viewBox(0%2C0%2C9%2C9))": true, "xywh=0,0,16,16": true, "t=10": true,
		"svgView": false, "svgView(": false, "gone": false, "view(x)": false,
	} {
		o := Outcome{Code: check.CodeOK, Status: 200, ContentType: "image/svg+xml"}
		o = o.With(DocumentFacts(&extract.Document{Format: "svg", Anchors: []string{"shape"}, Static: true}))
		want := check.Broken
		if found {
			want = check.OK
		}
		if got := o.Judge(Question{Internal: true, Fragment: fragment, HasFragment: true}).Verdict; got != want {
			t.Errorf("#%s is %v, want %v", fragment, got, want)
		}
	}
	page := pageWith("shape")
	if got := page.Judge(Question{Internal: true, Fragment: "t=10", HasFragment: true}).Verdict; got != check.Broken {
		t.Errorf("#t=10 of an HTML page is %v", got)
	}
}

// TestFragments is the HTML standard's lookup (7.4.6.4, "find the indicated part"),
// with additions such as line ranges. All pages are static and internal, so a missing
// fragment is broken.
func TestFragments(t *testing.T) {
	page := pageWith("setup", "100%", "a%20b", "c d", "über", "Top-Level", "user-content-usage", "L10", "L20", "n-1", "n-5",
		"123", "130", "L10C3", "L12", "install", "linux", "export", "v2", "2", "a/b", "\uFFFDx", "\uFEFFbom", "ﬁ", "odd:~:text=id")
	tests := []struct {
		fragment string
		found    bool
	}{
		{"", true},
		{"top", true},
		{"TOP", true},
		{"ToP", true},
		{"%74op", true},
		{"tOp%20", false},
		{"setup", true},
		{"Setup", false}, // ids have letter case
		{"setup ", false},
		{"%73etup", true}, // percent-decoded second
		{"100%", true},    // as written first
		{"100%25", true},  // then decoded
		{"a%20b", true},   // as written
		{"c%20d", true},   // decoded
		{"c+d", false},    // a plus is a plus
		{"%C3%BCber", true},
		{"%c3%bcber", true},
		{"über", true},
		{"%FFx", true},         // broken UTF-8 becomes U+FFFD
		{"%EF%BB%BFbom", true}, // without BOM: the mark is a character
		{"%EF%AC%81", true},    // no normalization
		{"fi", false},          //
		{"%E2%82", false},      //
		{"setup%", false},      // a malformed % stays
		{"setup%2", false},     //
		{"setup%zz", false},    //
		{"Top-Level", true},    //
		{"usage", true},        // user-content-usage
		{"user-content-usage", true},
		{"user-content-setup", false},
		{":~:text=anything", true},
		{"setup:~:text=anything", true},
		{"gone:~:text=anything", false},
		{"odd:~:text=id", true}, // as written first
		{"odd:~:text=other", false},
		{"/settings/profile", true}, // routed by a script
		{"!page", true},
		{"a/b", true},
		{"L10-L20", true}, // a range of source lines
		{"L10-L99", false},
		{"L10-", false},
		{"-L10", false},
		{"-", false},
		{"L10-L20-L20", false},
		{"n-1-n-5", true},    // the ids hold hyphens themselves
		{"123-130", true},    // the common prefix may be empty
		{"L10C3-L12", false}, // only code hosts know columns
		{"install-linux", false},
		{"export-export", false}, // no digits
		{"v2-linux", false},
		{"v2-v2", true},
		{"2-v2", false}, // the prefixes differ
		{"L10-20", false},
		{"gone", false},
		{strings.Repeat("-", 10_000), false},
		{strings.Repeat("%41", 10_000), false},
	}
	for _, test := range tests {
		j := page.Judge(Question{Internal: true, Fragment: test.fragment, HasFragment: true})
		if (j.Verdict == check.OK) != test.found {
			t.Errorf("#%.40s: %v %s, want found %v", test.fragment, j.Verdict, j.Code, test.found)
		}
		if !test.found && j.Code != check.CodeFragmentMissing {
			t.Errorf("#%.40s: code %s", test.fragment, j.Code)
		}
		encoded := AppendOutcome(nil, &page)
		head, anchors, err := DecodeHead(encoded)
		if err != nil {
			t.Fatal(err)
		}
		if in := head.JudgeIn(Question{Internal: true, Fragment: test.fragment, HasFragment: true}, anchors); in.Verdict != j.Verdict || in.Code != j.Code || in.Message != j.Message {
			t.Errorf("#%.40s: encoded %+v, decoded %+v", test.fragment, in, j)
		}
	}
}

// TestFragmentsOfMarkdown: Markdown may be published on GitHub, where the id of a heading
// has a prefix and fragments match in any letter case.
func TestFragmentsOfMarkdown(t *testing.T) {
	page := pageWith("setup", "übersicht", "Kept")
	page.ContentType = "text/markdown"
	for fragment, want := range map[string]bool{"setup": true, "Setup": true, "SETUP": true, "%C3%9Cbersicht": true, "Kept": true, "kept": false, "Setups": false,
		"user-content-setup": true, "user-content-gone": false} {
		if j := page.Judge(Question{Internal: true, Fragment: fragment, HasFragment: true}); (j.Verdict == check.OK) != want {
			t.Errorf("#%s: %v %s, want found %v", fragment, j.Verdict, j.Code, want)
		}
	}
}

// A file may have the anchors of a file that it includes.
func TestFragmentsOfIncludedFiles(t *testing.T) {
	page := pageWith("setup")
	page.ContentType = "text/asciidoc"
	q := Question{Internal: true, Fragment: "gone", HasFragment: true}
	if got := page.Judge(q); got.Verdict != check.Broken {
		t.Errorf("of a file that includes none: %+v", got)
	}
	page.Static = false
	if got := page.Judge(q); got.Verdict != check.Unverified || got.Code != check.CodeFragmentUnverified || !strings.Contains(got.Message, "includes") {
		t.Errorf("of a file that includes one: %+v", got)
	}
	if q.Fragment = "setup"; page.Judge(q).Verdict != check.OK {
		t.Error("its own is not found")
	}
}

func TestFragmentBySideAndPage(t *testing.T) {
	static := pageWith("setup")
	scripted := pageWith("setup")
	scripted.Static = false
	cut := pageWith("setup")
	cut = cut.With(Truncated(1000))
	unread := Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html"}
	pdf := Outcome{Code: check.CodeOK, Status: 200, ContentType: "application/pdf"}
	text := Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/plain"}
	local := pageWith("setup")
	local.Status, local.Path, local.Static = 0, "guide.html", false

	missing := want{verdict: check.Broken, code: check.CodeFragmentMissing}
	unproven := want{verdict: check.Unverified, code: check.CodeFragmentUnverified}
	ok := want{verdict: check.OK, code: check.CodeOK}
	tests := []struct {
		name               string
		page               Outcome
		fragment           string
		internal, external want
	}{
		{"static, there", static, "setup", ok, ok},
		{"static, not there", static, "gone", missing, missing},
		{"scripted, there", scripted, "setup", ok, ok},
		{"scripted, not there", scripted, "gone", missing, unproven},
		{"cut, there", cut, "setup", want{check.OK, check.CodeOK, check.CodeBodyTruncated}, want{check.OK, check.CodeOK, check.CodeBodyTruncated}},
		{"cut, not there", cut, "gone", unproven, unproven},
		{"not read", unread, "setup", unproven, unproven},
		{"not read, top", unread, "top", ok, ok},
		{"page of a PDF", pdf, "page=3", ok, ok},
		{"anything of a PDF", pdf, "nameddest=x", ok, ok},
		{"plain text", text, "L3", ok, ok},
		{"local file", local, "gone", missing, unproven},
	}
	for _, test := range tests {
		for _, internal := range []bool{true, false} {
			j := test.page.Judge(Question{Internal: internal, Fragment: test.fragment, HasFragment: true})
			got, wanted := want{verdict: j.Verdict, code: j.Code}, test.external
			if len(j.Warnings) > 0 {
				got.warning = j.Warnings[0].Code
			}
			if internal {
				wanted = test.internal
			}
			if got != wanted {
				t.Errorf("%s, internal %v: %v, want %v", test.name, internal, got, wanted)
			}
		}
	}
	if j := local.Judge(Question{Local: true, Fragment: "gone", HasFragment: true}); j.Verdict != check.Broken {
		t.Errorf("a file is ours: %+v", j)
	}
}

func TestFragmentMessages(t *testing.T) {
	page := pageWith("x")
	scripted := pageWith("x")
	scripted.Static = false
	tests := []struct {
		page     Outcome
		fragment string
		want     string
	}{
		{page, "setup", `no element has the id "setup"`},
		{page, "%C3%BCber", `no element has the id "über"`},
		{page, "a%1b%22b", `no element has the id "a\x1b\"b"`},
		{page, strings.Repeat("ü", 100), `no element has the id "` + strings.Repeat("ü", 80) + `…"`},
		{scripted, "setup", `no element has the id "setup" in the delivered HTML; a script may create it`},
	}
	for _, test := range tests {
		if j := test.page.Judge(Question{Fragment: test.fragment, HasFragment: true}); j.Message != test.want {
			t.Errorf("#%.20s: %q, want %q", test.fragment, j.Message, test.want)
		}
	}
}

func TestIgnoreFragment(t *testing.T) {
	page := pageWith("x")
	ignore := []*regexp.Regexp{regexp.MustCompile("^tab é$")}
	for fragment, want := range map[string]check.Verdict{"tab%20%C3%A9": check.OK, "tab": check.Broken, "tab%20%C3%A9:~:text=x": check.OK} {
		if j := page.Judge(Question{Internal: true, Fragment: fragment, HasFragment: true, IgnoreFragment: ignore}); j.Verdict != want {
			t.Errorf("#%s: %v, want %v", fragment, j.Verdict, want)
		}
	}
}

func TestAnchorLookupDoesNotAllocate(t *testing.T) {
	page := pageWith("setup", "usage", "L1", "L2")
	encoded := AppendOutcome(nil, &page)
	question := Question{Fragment: "usage", HasFragment: true}
	if n := testing.AllocsPerRun(100, func() {
		if page.Judge(question).Verdict != check.OK {
			t.Fatal("not found")
		}
	}); n != 0 {
		t.Errorf("Judge: %v allocations", n)
	}
	hash := HashAnchor("usage")
	if n := testing.AllocsPerRun(100, func() {
		seen, err := GlanceAt(encoded)
		if err != nil || !seen.OK || !seen.Anchors.Has(hash) || seen.Anchors.Has(hash+1) {
			t.Fatal("wrong")
		}
	}); n != 0 {
		t.Errorf("GlanceAt: %v allocations", n)
	}
}

// TestHashIsFixed: stores keep hashes from run to run.
func TestHashIsFixed(t *testing.T) {
	if got := HashAnchor("setup"); got != 0xde2128284d8fdb3c {
		t.Errorf("HashAnchor(setup) = %#x", got)
	}
	if HashAnchor("user-content-x") != hashAnchor("user-content-", "x") {
		t.Error("a prefix hashes otherwise than the whole name")
	}
}

func TestScriptAnchor(t *testing.T) {
	tests := []struct {
		url, fragment string
		want          bool
	}{
		{"https://github.com/o/r/blob/main/x.go", "L10", true},
		{"https://github.com/o/r/blob/main/x.go", "L10-L20", true},
		{"https://github.com/o/r/blob/main/x.go", "L10-20", true},
		{"https://github.com/o/r/blob/main/x.go", "L10C4-L20C7", true},
		{"https://github.com/o/r/blob/main/x.go", "L", false},
		{"https://github.com/o/r/blob/main/x.go", "L10x", false},
		{"https://github.com/o/r/issues/1", "issuecomment-123456", true},
		{"https://github.com/o/r/issues/1", "issue-123456", true},
		{"https://github.com/o/r/pull/1", "discussion_r123456", true},
		{"https://github.com/o/r/pull/1/files", "diff-0123abcdefR10-R20", true},
		{"https://github.com/o/r/pull/1", "pullrequestreview-123", true},
		{"https://github.com/o/r", "readme", true},
		{"https://github.com/o/r", "readme-ov-file", true},
		{"https://github.com/o/r", "MIT-1-ov-file", true},
		{"https://github.com/o/r", "setup", false},
		{"https://gist.github.com/u/0123", "file-x-go-L10", true},
		{"https://gitlab.com/o/r/-/blob/main/x.go", "L10-20", true},
		{"https://gitlab.com/o/r/-/issues/1", "note_12345", true},
		{"https://salsa.debian.org/o/r/-/blob/main/x.go", "L10", true},
		{"https://salsa.debian.org/o/r/-/blob/main/README.md", "setup", false},
		{"https://salsa.debian.org/o/r", "L10", false},
		{"https://codeberg.org/o/r/src/branch/main/x.go", "L10-L20", true},
		{"https://git.example.org/o/r/src/branch/main/x.go", "L10", true},
		{"https://bitbucket.org/o/r/src/main/x.go", "lines-10:20", true},
		{"https://docs.google.com/document/d/x/edit", "heading=h.abc", true},
		{"https://docs.google.com/spreadsheets/d/x/edit", "gid=0", true},
		{"https://www.openstreetmap.org/", "map=5/51.5/-0.1", true},
		{"https://www.typescriptlang.org/play", "code/MYewdgzg", true},
		{"https://www.typescriptlang.org/docs/", "code/MYewdgzg", false},
		{"https://example.com/", "L10", false},
		{"https://notgithub.com/", "L10", false},
		{"ftp://github.com/", "L10", false},
	}
	for _, test := range tests {
		u := parse(t, test.url)
		if got := isScriptAnchor(u, test.fragment); got != test.want {
			t.Errorf("%s#%s: %v, want %v", test.url, test.fragment, got, test.want)
		}
		page := pageWith("other")
		j := page.Judge(Question{URL: u, Internal: true, Fragment: test.fragment, HasFragment: true})
		if (j.Verdict == check.OK) != test.want {
			t.Errorf("%s#%s judged %v", test.url, test.fragment, j.Verdict)
		}
	}
}

func TestKeepNames(t *testing.T) {
	o := pageWith("set-up")
	o.Names = PackNames([]string{"set-up"})
	stored, _, err := DecodeHead(AppendOutcome(nil, &o))
	if got, _ := stored.SuggestFragment("setup", maxSuggestWork); err != nil || got != (Guess{"set-up", true}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// The answer of these hosts is the same for private and for missing projects.
func TestPrivateProjects(t *testing.T) {
	for url, private := range map[string]bool{
		"https://github.com/owner/project": true, "https://github.com/owner/project/blob/main/x.go": true, "https://gitlab.com/group/project": true,
		"https://github.com/owner": false, "https://github.com/owner/": false, "https://github.com/": false, "https://example.com/owner/project": false,
	} {
		o := Outcome{Code: check.HTTPCode(404), Status: 404, Message: "the server answered 404 (not found)"}
		want := o.Message
		if private {
			want += "; the server also answers 404 for private content"
		}
		if got := o.Judge(Question{URL: parse(t, url)}); got.Message != want || got.Verdict != check.Broken {
			t.Errorf("%s: %v %s, want %s", url, got.Verdict, got.Message, want)
		}
	}
	if got := (&Outcome{Code: check.HTTPCode(410), Status: 410, Message: "gone"}).Judge(Question{URL: parse(t, "https://github.com/owner/project")}); got.Message != "gone" {
		t.Errorf("410: %s", got.Message)
	}
}

// Reports omit the messages with these endings, because the code says the same.
func TestMessagesThatRepeatTheCode(t *testing.T) {
	page := Outcome{Code: check.CodeOK, Status: 200, ContentType: "text/html", Content: Content{Read: true}}
	anchor := page.Judge(Question{URL: parse(t, "https://example.com/"), Fragment: "x", HasFragment: true})
	if anchor.Code != check.CodeFragmentUnverified || !strings.HasSuffix(anchor.Message, "a script may create it") {
		t.Errorf("%s: %q", anchor.Code, anchor.Message)
	}
	if o := UncheckedScheme("qqqqq:x"); o.Code != check.CodeSchemeUnknown || !strings.HasSuffix(o.Message, "is unknown") {
		t.Errorf("%s: %q", o.Code, o.Message)
	}
}
