package urinorm

import (
	"fmt"
	"strings"
	"testing"
)

func TestParseMIME(t *testing.T) {
	m, ok := ParseMIME(" Text/HTML ; Charset=\"utf-8\"; x=y")
	charset, has := m.Param("charset")
	if !ok || m.Essence() != "text/html" || charset != "utf-8" || !has {
		t.Errorf("%+v, %v", m, ok)
	}
	if _, has := m.Param("boundary"); has {
		t.Error("a parameter that is not there")
	}
	if _, ok := ParseMIME("text"); ok {
		t.Error("no subtype")
	}
	// The bytes of a header count as characters in any encoding.
	m, _ = ParseMIME("a/b;c=\xE9;d=\u0101;e=\uFFFD")
	if c, _ := m.Param("c"); c != "\xE9" || len(m.Params) != 1 {
		t.Errorf("%+v", m)
	}
	var many strings.Builder
	many.WriteString("a/b")
	for i := range maxMIMEParams + 1 {
		fmt.Fprintf(&many, ";p%d=x", i)
	}
	if m, _ = ParseMIME(many.String()); len(m.Params) != maxMIMEParams {
		t.Errorf("%d parameters", len(m.Params))
	}
}

// Parsing the serialized type gives the same type.
func TestMIMERoundTrip(t *testing.T) {
	for _, c := range rfcCorpus(t, "mime-parse.json") {
		if m, ok := ParseMIME(c.Input); ok {
			if again, ok := ParseMIME(m.String()); !ok || again.String() != m.String() {
				t.Errorf("%s: %q is read again as %q", c.ID, m, again)
			}
		}
	}
}
