package crawler

import (
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
	"github.com/orbweaver/orbweaver/crawler/inspect"
	"github.com/orbweaver/orbweaver/crawler/inspect/content"
)

// TestContentOfXHTML looks at a page that ends a script element as only XHTML can.
func TestContentOfXHTML(t *testing.T) {
	rules, err := content.Compile([]content.Rule{{Name: "text", Must: []string{"hello"}}, {Name: "elements", Must: []string{"hello"}, In: "css:p"}})
	if err != nil {
		t.Fatal(err)
	}
	inspector, err := inspect.Open(t.Context(), inspect.Config{Content: rules})
	if err != nil {
		t.Fatal(err)
	}
	defer inspector.Close()
	for contentType, want := range map[string]int{"application/xhtml+xml": 0, "text/html": 2} {
		input := extract.Input{ContentType: contentType, Body: []byte(`<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/></head><body><p>Hello</p></body></html>`)}
		d := &inspected{Page: inspect.Page{ContentType: contentType}, input: input, read: extract.Extract(input)}
		if found := (contentChecks{inspector}).look(t.Context(), d).Inspection.Findings; len(found) != want {
			t.Errorf("%s: %+v, want %d findings", contentType, found, want)
		}
	}
}
