package judging

import (
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
)

// TestPDFFragments is RFC 8118 section 3, with the parameters of viewers.
func TestPDFFragments(t *testing.T) {
	document := Outcome{Code: check.CodeOK, Status: 200, ContentType: "application/pdf"}
	document = document.With(DocumentFacts(&extract.Document{Format: "pdf", Anchors: []string{"page=1", "page=2", "Chapter 1", "a&b", "x=1"}, Static: true}))
	tests := []struct{ fragment, missing string }{
		{"page=1", ""},
		{"page=02", ""},
		{"page=3", `the document has no page "3"`},
		{"page=0", `the document has no page "0"`},
		{"page=", `the document has no page ""`},
		{"page=two", `the document has no page "two"`},
		{"page=2&zoom=200,250,100", ""},
		{"page=9&zoom=200", `the document has no page "9"`},
		{"zoom=50&page=9", `the document has no page "9"`},
		{"nameddest=Chapter%201", ""},
		{"nameddest=Chapter%202", `the document has no destination "Chapter 2"`},
		{"nameddest=a%26b&page=1", ""},
		{"Chapter%201", ""},
		{"Chapter", `the document has no destination "Chapter"`},
		{"x=1", ""},
		{"2", ""},
		{"7", `the document has no destination "7"`},
		{"toolbar=0&navpanes=0&view=FitH,100&search=%22word%22", ""},
		{"comment=452fde0e-fd22-457c-84aa-2cf5bed5a349", ""},
		{"%5B0,%7B%22name%22:%22Fit%22%7D%5D", ""},
		{"&", ""},
		{"top", ""},
	}
	for _, test := range tests {
		want := Judgement{Verdict: check.OK, Code: check.CodeOK}
		if test.missing != "" {
			want = Judgement{Verdict: check.Broken, Code: check.CodeFragmentMissing, Message: test.missing}
		}
		j := document.Judge(Question{Fragment: test.fragment, HasFragment: true})
		if j.Verdict != want.Verdict || j.Code != want.Code || j.Message != want.Message {
			t.Errorf("#%s: %v %s %q, want %v %q", test.fragment, j.Verdict, j.Code, j.Message, want.Verdict, want.Message)
		}
	}
	download := document
	download.ContentType = "application/octet-stream"
	if j := download.Judge(Question{Internal: true, Fragment: "page=2&zoom=50", HasFragment: true}); j.Verdict != check.OK {
		t.Errorf("by another media type: %v", j.Verdict)
	}
	document = document.With(Truncated(1000))
	if j := document.Judge(Question{Internal: true, Fragment: "page=3", HasFragment: true}); j.Verdict != check.Unverified {
		t.Errorf("of a document that was cut: %v", j.Verdict)
	}
	unread := Outcome{Code: check.CodeOK, Status: 200, ContentType: "application/pdf"}
	if j := unread.Judge(Question{Internal: true, Fragment: "page=3", HasFragment: true}); j.Verdict != check.OK {
		t.Errorf("of a document that was not read: %v", j.Verdict)
	}
}
