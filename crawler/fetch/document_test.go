package fetch

import (
	"context"
	"errors"
	"strings"
	"testing"
)

func TestDocument(t *testing.T) {
	text, err := ReadDocument(strings.NewReader("0123456789"), 5)
	if err != nil || string(text) != "012345" {
		t.Errorf("%q, %v", text, err)
	}
	if text, err := ReadDocument(strings.NewReader("0123456789"), 0); err != nil || len(text) != 10 {
		t.Errorf("%q, %v", text, err)
	}
	d := &Document{URL: mustParse(t, "https://0.site.invalid/-"), ContentType: "text/html", Body: text, Path: "-"}
	for range 2 {
		resp, body, err := ask(t, d, &Request{URL: mustParse(t, "https://0.site.invalid/-#top"), Need: Content})
		if err != nil || body != "012345" || resp.Size != 6 || resp.ContentType != "text/html" || resp.Path != "-" {
			t.Errorf("%+v %q, %v", resp, body, err)
		}
	}
	if resp, err := d.Fetch(t.Context(), &Request{URL: d.URL}); err != nil || resp.Body != nil {
		t.Errorf("%+v, %v", resp, err)
	}
	if _, err := d.Fetch(t.Context(), &Request{URL: mustParse(t, "https://0.site.invalid/x")}); kindOfError(err) != "file-missing" {
		t.Error(err)
	}
}

// After its context ends, Fetch returns the context's error.
func TestCanceledDocument(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	stopped := errors.New("stopped")
	cancel(stopped)
	d := &Document{URL: mustParse(t, "https://example.com/")}
	if _, err := d.Fetch(ctx, &Request{URL: d.URL}); err != stopped {
		t.Error(err)
	}
}
