package plugin

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

func TestValidate(t *testing.T) {
	command := []string{"true"}
	for _, test := range []struct {
		configs []Config
		want    string // the message, one fault per line
	}{
		{nil, ""},
		{[]Config{{Name: "spell-2", Command: command}, {Name: "a", Command: []string{"a", ""}}}, ""},
		{[]Config{{Command: command}}, `plugin "": name: missing in [[plugin]] number 1`},
		{[]Config{{Name: "Spell", Command: command}}, `plugin "Spell": name: only a-z, 0-9 and hyphens are allowed`},
		{[]Config{{Name: "a_b", Command: command}}, `plugin "a_b": name: only a-z, 0-9 and hyphens are allowed`},
		{[]Config{{Name: "a", Command: command}, {Name: "a", Command: command}}, `plugin "a": name: used twice`},
		{[]Config{{Name: "a"}}, `plugin "a": command: missing: a list of the program and its arguments`},
		{[]Config{{Name: "a", Command: []string{""}}}, `plugin "a": command: missing: a list of the program and its arguments`},
		{[]Config{{Name: "a", Command: []string{"b\x00"}}}, `plugin "a": command: contains a NUL character`},
		{[]Config{{Name: "a", Command: command, Types: []string{"html"}}}, `plugin "a": type: "html" is not a media type without parameters, such as text/html`},
		{[]Config{{Name: "a", Command: command, Types: []string{"text/html; charset=utf-8"}}}, `plugin "a": type: "text/html; charset=utf-8" is not a media type without parameters, such as text/html`},
		{[]Config{{Name: "a", Command: command, Workers: -1}}, `plugin "a": workers: -1 is not a number from 1 to 64`},
		{[]Config{{Name: "a", Command: command, Timeout: -time.Second}}, `plugin "a": timeout: -1s is not a positive duration`},
		{[]Config{{Name: "a", Command: command, MaxBody: -1}}, `plugin "a": max-body: -1 is not a size from 1 to 67108864 bytes`},
		{[]Config{{Name: "a", Command: command, Config: map[string]any{"x": math.NaN()}}}, `plugin "a": config: cannot be written as JSON: json: unsupported value: NaN`},
		{[]Config{{Name: "A"}}, "plugin \"A\": name: only a-z, 0-9 and hyphens are allowed\nplugin \"A\": command: missing: a list of the program and its arguments"},
	} {
		got := ""
		if err := Validate(test.configs); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%+v:\n got %s\nwant %s", test.configs, got, test.want)
		}
	}
}

func TestWants(t *testing.T) {
	all := newPlugin(Config{})
	docs := newPlugin(Config{Types: []string{"Text/CSS", "text/plain"}, Match: "**/docs/**"})
	for _, test := range []struct {
		url, contentType string
		want             []*Plugin
	}{
		{"https://example.com/", "text/html", []*Plugin{all}},
		{"https://example.com/docs/", "application/xhtml+xml", []*Plugin{all}},
		{"https://example.com/docs/", "text/css", []*Plugin{docs}},
		{"https://example.com/a", "text/css", nil},
		{"https://example.com/docs/", "", nil},
	} {
		for _, p := range []*Plugin{all, docs} {
			if got := p.Wants(&page.Page{URL: test.url, ContentType: test.contentType}); got != slices.Contains(test.want, p) {
				t.Errorf("%s %s: %v by the plugin for %v", test.url, test.contentType, got, p.config.Types)
			}
		}
	}
}
