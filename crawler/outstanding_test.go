package crawler

import (
	"reflect"
	"slices"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// TestStreamSuggestsTheSame: what was meant by a page that is gone may be a leaf,
// which is asked when the stream has begun, and a dead address may answer over https.
func TestStreamSuggestsTheSame(t *testing.T) {
	answer := at(map[string]func(*exchange){
		"site.test/":               page(`<a href=/a>a</a><a href=/guide/instal>b</a><a href=/giude/setup/index.html>c</a><a href=/far>d</a>`),
		"site.test/a":              page(`<a href=/guide/install>b</a><a href=/guide/setup/>c</a><a href=/guide/setup/index.html>c</a><a href=http://other.test/x>x</a><a href=https://other.test/x>x</a>`),
		"site.test/guide/install":  redirect(301, "/guide/install/"),
		"site.test/guide/install/": page("<p>"),
		"site.test/guide/setup/":   page("<p>"),
	})
	twin := serveFaults(t, tlsOf(newAuthority(t, "other.test")), at(map[string]func(*exchange){"other.test/x": page("<p>")}))
	results := func(stream bool) (map[string]string, []string) {
		cfg, _ := realWeb(t, answer, func(c *fetch.HTTPConfig) {
			c.ConnectTo = append(c.ConnectTo, fetch.ConnectTo{From: ":443", To: twin.addr})
			c.Insecure = true
		})
		cfg.Depth, cfg.Stream = 1, stream
		c, _ := crawl(t, cfg, seedOf(t, "http://site.test/"))
		var order []string
		for _, r := range c.results {
			order = append(order, r.URL)
		}
		return suggestionsOf(c), order
	}
	want, _ := results(false)
	if len(want) != 4 {
		t.Fatalf("suggested at the end: %q", want)
	}
	got, order := results(true)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("streamed: %q, at the end: %q", got, want)
	}
	if slices.Index(order, "http://site.test/far") > slices.Index(order, "http://site.test/guide/install") {
		t.Errorf("what nothing can be suggested for waits for the leaves: %q", order)
	}
}
