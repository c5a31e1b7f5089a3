package judging

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/urinorm"
)

func TestMismatch(t *testing.T) {
	tests := []struct {
		expect      extract.Expect
		contentType string
		want        bool
	}{
		{extract.ExpectImage, "text/html", true},
		{extract.ExpectImage, "Text/HTML; charset=utf-8", true},
		{extract.ExpectScript, "application/xhtml+xml", true},
		{extract.ExpectStyle, "text/html", true},
		{extract.ExpectAny, "text/html", false},
		{extract.ExpectImage, "image/svg+xml", false},
		{extract.ExpectImage, "application/octet-stream", false},
		{extract.ExpectScript, "text/plain", false},
		{extract.ExpectStyle, "", false},
		{extract.ExpectStyle, "text/htmlx", false},
	}
	for _, test := range tests {
		w, ok := MismatchWarning(test.expect, test.contentType)
		if ok != test.want || ok && (w.Code != CodeContentTypeMismatch || w.Message == "") {
			t.Errorf("%v answered with %q: %+v", test.expect, test.contentType, w)
		}
	}
}

func TestMixedContent(t *testing.T) {
	const page = "https://e.test/page"
	tests := []struct {
		page, target string
		link         extract.Link
		want, blocks bool
	}{
		{page, "http://e.test/x.js", extract.Link{Kind: extract.Resource, Element: "script"}, true, true},
		{page, "http://e.test/x.css", extract.Link{Kind: extract.Stylesheet, Element: "link"}, true, true},
		{page, "http://e.test/x.png", extract.Link{Kind: extract.Resource, Element: "img", Attribute: "src"}, true, false},
		{page, "http://e.test/x.png", extract.Link{Kind: extract.Resource, Element: "img", Attribute: "srcset"}, true, true},
		{page, "http://e.test/", extract.Link{Kind: extract.Navigation, Element: "iframe"}, true, true},
		{page, "http://e.test/", extract.Link{Kind: extract.Navigation, Element: "a"}, false, false},
		{page, "http://e.test/", extract.Link{Kind: extract.Metadata, Element: "link"}, false, false},
		{page, "http://e.test/", extract.Link{Kind: extract.Submission, Element: "form"}, false, false},
		{page, "https://e.test/x.js", extract.Link{Kind: extract.Resource, Element: "script"}, false, false},
		{page, "data:text/plain,x", extract.Link{Kind: extract.Resource, Element: "script"}, false, false},
		{"http://e.test/page", "http://e.test/x.js", extract.Link{Kind: extract.Resource, Element: "script"}, false, false},
		{page, "http://localhost:8080/x.js", extract.Link{Kind: extract.Resource, Element: "script"}, false, false},
		{page, "http://127.0.0.1/x.js", extract.Link{Kind: extract.Resource, Element: "script"}, false, false},
		{page, "http://[::1]/x.js", extract.Link{Kind: extract.Resource, Element: "script"}, false, false},
		{page, "http://app.localhost/x.js", extract.Link{Kind: extract.Resource, Element: "script"}, false, false},
		{page, "http://localhost.e.test/x.js", extract.Link{Kind: extract.Resource, Element: "script"}, true, true},
	}
	for _, test := range tests {
		from, to := parse(t, test.page), parse(t, test.target)
		w, ok := MixedContentWarning(from, to, &test.link)
		if ok != test.want {
			t.Errorf("%s loads %s by %s: %v", test.page, test.target, test.link.Element, ok)
		}
		if ok && strings.Contains(w.Message, "block") != test.blocks {
			t.Errorf("%s by %s: %q", test.target, test.link.Element, w.Message)
		}
	}
}

func TestRepairWarnings(t *testing.T) {
	codes := func(warnings []check.Warning) string {
		var names []string
		for _, w := range warnings {
			names = append(names, string(w.Code))
			if w.Message == "" {
				t.Errorf("%s has no message", w.Code)
			}
		}
		return strings.Join(names, " ")
	}
	repairsOf := func(ref string) urinorm.Repairs {
		_, repairs, err := urinorm.ParseWeb(ref)
		if err != nil {
			t.Fatal(err)
		}
		return repairs
	}
	tests := []struct{ ref, want string }{
		{"http://a.test/", ""},
		{"http://a.test/\u00fc", ""},
		{"http://a.test/a b", "uri-repaired"},
		{`http://a.test\a b`, "uri-repaired"},
		{"http://user:pw@a.test/", "uri-credentials"},
		{"http://bank.example@a.test/", "uri-misleading-userinfo"},
		{"http://0x7f.1/", "uri-obfuscated-ip"},
		{" http://user:pw@0x7f.1/", "uri-repaired uri-credentials uri-obfuscated-ip"},
	}
	for _, test := range tests {
		if got := codes(RepairWarnings(repairsOf(test.ref))); got != test.want {
			t.Errorf("%s: %s, want %s", test.ref, got, test.want)
		}
	}
	two := RepairWarnings(repairsOf(`http://a.test\a b`))[0].Message
	if two != "browsers repair the reference: it has a backslash in place of a slash, a space inside it" {
		t.Errorf("%q", two)
	}
	// Each repair a browser makes must have its words.
	for bit := range 32 {
		repair := urinorm.Repairs(1) << bit
		if w := RepairWarnings(repair); repair.Repaired() && (len(w) == 0 || strings.HasSuffix(w[0].Message, "it has ")) {
			t.Errorf("%v has no words", repair.Codes())
		}
	}
}
