package fetch

import (
	"encoding/json"
	"net/http"
	"os"
	"strings"
	"testing"
)

// TestMediaTypeEssence runs the web platform tests for single media types.
func TestMediaTypeEssence(t *testing.T) {
	var cases []struct{ Input, Expect string } // Expect is empty where the input is not a media type
	data, err := os.ReadFile("../../testdata/standards/mime-parse.json")
	if err == nil {
		err = json.Unmarshal(data, &cases)
	}
	if err != nil || len(cases) < 700 {
		t.Fatalf("%d cases, %v", len(cases), err)
	}
	for _, c := range cases {
		want, _, _ := strings.Cut(c.Expect, ";")
		if got := mediaTypeEssence(c.Input); got != want {
			t.Errorf("%q: %q, want %q", c.Input, got, want)
		}
	}
}

func TestMediaType(t *testing.T) {
	tests := map[string]string{
		"":                                  "",
		"text/html":                         "text/html",
		"Text/HTML; Charset=UTF-8":          "text/html",
		" text/html ;x":                     "text/html",
		"text/html, text/plain":             "text/plain", // the last valid type counts (Fetch 2.2.6)
		"text/html, */*":                    "text/html",
		"text/html, nonsense":               "text/html",
		`text/html; x="a,b/c"`:              "text/html",
		`text/html; x="a\",b/c", image/png`: "image/png",
		"html":                              "",
		"text/":                             "",
		"/html":                             "",
		"text/ht ml":                        "",
		"text html":                         "",
		"\x00/\x00":                         "",
	}
	for contentType, want := range tests {
		if got := MediaType(contentType); got != want {
			t.Errorf("%q: %q, want %q", contentType, got, want)
		}
	}
}

func TestDeclaredType(t *testing.T) {
	tests := []struct {
		fields []string
		want   string
	}{
		{nil, ""},
		{[]string{"text/html; charset=utf-8"}, "text/html; charset=utf-8"},
		{[]string{"TEXT/HTML"}, "TEXT/HTML"},
		{[]string{"text"}, ""}, {[]string{";;;text//html charset"}, ""}, {[]string{"*/*"}, ""}, {[]string{""}, ""},
		{[]string{"text/html", "text/plain"}, "text/plain"},
		{[]string{"text/html, nonsense"}, "text/html"},
		// the examples of the Fetch Standard
		{[]string{"text/plain;charset=gbk, text/html"}, "text/html"},
		{[]string{"text/html;charset=gbk;a=b, text/html;x=y"}, "text/html;charset=gbk;a=b"},
		{[]string{"text/html;charset=gbk;a=b", "text/html;x=y"}, "text/html;charset=gbk;a=b"},
		{[]string{"text/html;charset=gbk", "x/x", "text/html;x=y"}, "text/html;x=y"},
		{[]string{"text/html", "cannot-parse"}, "text/html"},
		{[]string{"text/html", "*/*"}, "text/html"},
		{[]string{"text/html", ""}, "text/html"},
	}
	for _, test := range tests {
		if got := declaredType(http.Header{"Content-Type": test.fields}); got != test.want {
			t.Errorf("%q: %q, want %q", test.fields, got, test.want)
		}
	}
}
