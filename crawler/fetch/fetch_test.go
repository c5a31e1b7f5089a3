package fetch

import (
	"strings"
	"testing"
)

func TestMux(t *testing.T) {
	document := &Document{URL: mustParse(t, "file:///page.html")}
	m := Mux{"file": document}
	if _, err := m.Fetch(t.Context(), &Request{URL: document.URL}); err != nil {
		t.Error(err)
	}
	_, err := m.Fetch(t.Context(), &Request{URL: mustParse(t, "https://me:s3cret@example.com/")})
	if kindOfError(err) != "scheme-unchecked" || strings.Contains(err.Error(), "s3cret") {
		t.Error(err)
	}
}
