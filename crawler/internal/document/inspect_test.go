package document

import (
	"testing"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/scope"
)

// TestContentOfXHTML looks at a page that ends a script element as only XHTML can.
func TestContentOfXHTML(t *testing.T) {
	set, err := inspect.CompileContent([]inspect.ContentRule{{Name: "text", Must: []string{"hello"}}, {Name: "elements", Must: []string{"hello"}, In: "css:p"}})
	if err != nil {
		t.Fatal(err)
	}
	inspector, err := inspect.Open(t.Context(), inspect.Config{Content: set})
	if err != nil {
		t.Fatal(err)
	}
	defer inspector.Close()
	r := &Reader{Settings: Settings{Print: scope.NewPrinter(nil, ""), Inspector: inspector}}
	for contentType, want := range map[string]int{"application/xhtml+xml": 0, "text/html": 2} {
		d := &Document{Target: Target{Scope: &scope.Scope{}, Internal: true, Follow: true}, Response: &fetch.Response{ContentType: contentType}, Outcome: judging.Outcome{Code: check.CodeOK, ContentType: contentType}}
		d.input = extract.Input{ContentType: contentType, Body: []byte(`<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/></head><body><p>Hello</p></body></html>`)}
		if r.Read(d, &extract.Document{}, false, nil); !r.Begin(d) {
			t.Fatalf("%s is not looked at", contentType)
		}
		if found := d.begun.End(t.Context()).Inspection.Findings; len(found) != want {
			t.Errorf("%s: %+v, want %d findings", contentType, found, want)
		}
	}
}
