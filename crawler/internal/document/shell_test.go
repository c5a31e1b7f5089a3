package document

import (
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// TestNeedsScripts tells pages that show little without their scripts from others.
func TestNeedsScripts(t *testing.T) {
	long := strings.Repeat("Words that a reader reads. ", 10)
	links := `<a href="1">1</a><a href="2">2</a><a href="3">3</a>`
	const script = `<script src="app.js"></script>`
	for body, want := range map[string]bool{
		script: true, long + script: false, links + script: false, "short" + script: true, "short": false,
		long + "<script>" + long + "</script>":                                        false,
		"<noscript>" + long + "</noscript>" + script:                                  true,
		long + links + `<div id="root"></div>` + script:                               true,
		long + links + `<div id="root"> <!-- filled --> </div>` + script:              true,
		long + links + `<div id="root"><p>text</p></div>` + script:                    false,
		long + links + `<section id='swagger-ui' class="x"></section>` + script:       true,
		long + links + `<redoc spec-url="a.json"></redoc>` + script:                   true,
		long + links + `<script>$(function(){ initMenu('', true); });</script>`:       true,
		long + links + `<script>$(function(){ initNavTree('a.html', ''); })</script>`: true,
		long + links + `<my-toggle></my-toggle>` + script:                             false,
	} {
		page := []byte("<!doctype html><title>t</title><body>" + body)
		doc := extract.Extract(extract.Input{Body: page, ContentType: "text/html"})
		if got := NeedsScripts(page, doc); got != want {
			t.Errorf("NeedsScripts is %t for %s", got, body)
		}
	}
}
