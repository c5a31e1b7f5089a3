package references

import (
	"strings"
	"testing"
)

func TestIsTemplate(t *testing.T) {
	const page = "<!DOCTYPE html>\n<html><head><title>x</title></head><body>"
	for _, doc := range []string{
		"---\ntitle: Home\n---\n<a href={{ url }}>x</a>",
		"---\r\n---\r\n" + page,
		"<li><a href='{{ url }}'>x</a></li>", // a fragment of a page
		"<!-- footer --><footer></footer>",
		"<!-- not closed",
		"",
		page + "{% for p in pages %}<a href='{{ p.url }}'>{{ p }}</a>{% endfor %}",
		page + "{%- include head.html -%}",
		page + "{{ range .Pages }}{{ end }}",
		page + "{{- if .Params.x -}}",
		page + "{{- $x := 1 }}",
		page + "{{#each pages}}{{/each}}",
		page + "{{> header}}",
		page + "<% pages.each do |p| %>",
		page + "<?php echo $x ?>",
		page + "<pre>{{ url }}</pre><code>{% raw %}</code>{% block x %}",
		"\ufeff<html>{% if x %}",
		`<?xml version="1.0"?><urlset>{% for page in pages %}`,
	} {
		if !isTemplate("html", []byte(doc)) {
			t.Errorf("not recognized as a template: %q", doc)
		}
	}
	for _, doc := range []string{
		page,
		page + "<a href='{{ url }}'>x</a>", // a generated page with a placeholder left in it
		page + "<a href=\"{% url 'x' %}\">x</a><a href={%x%}>y</a><a href='/{{#x}}'>z</a>",
		page + "<a href='<?= $x ?>'>x</a><%= x %><%- y %>",
		page + "{{ title }} {{ if_only }} {{ 3 }}",
		page + "<pre>{% for x in y %}</pre> and <code>{{ range .X }}</code>",
		page + "<pre><code>{% for x in y %}</code>{% endfor %}</pre>",
		page + "<script>x = '{% y %}'; z = '{{#each}}'</script><STYLE>{%</STYLE><textarea>{{/x}}</textarea>",
		page + "&#123;% if x %}",
		page + "<?xml-stylesheet href='a.css'?>",
		"<html><body>{ % }",
		" <!-- made by x --> <!-- {{ }} --> <!doctype html><p>{",
		`<?xml version="1.0"?><urlset><loc>{{ url }}</loc>`,
	} {
		if isTemplate("html", []byte(doc)) {
			t.Errorf("wrongly recognized as a template: %q", doc)
		}
	}
}

func TestOnlyMarkupIsATemplate(t *testing.T) {
	for format, want := range map[string]bool{"html": true, "xhtml": true, "xml": true, "rss": true, "svg": true, "pdf": false, "markdown": false, "manifest": false, "": false} {
		if got := isTemplate(format, []byte("{% if x %}")); got != want {
			t.Errorf("%s: %v", format, got)
		}
	}
}

func TestHoldsTemplate(t *testing.T) {
	for ref, want := range map[string]bool{
		"": false, "{": false, "/a{b}": false, "%7B%7Burl%7D%7D": false, "a.html": false, "{ { x } }": false,
		"{{ url }}": true, "/a/{{url}}.html": true, "{{ ": true, "{% link x.md %}": true, "<%= url %>": true, "a<?= $x ?>": true,
		"%q": true, "/a/%s.html": true, "/a%20b%e2": false, "100%": false,
	} {
		if got := holdsTemplate(ref); got != want {
			t.Errorf("holdsTemplate(%q) = %v", ref, got)
		}
	}
}

// FuzzIsTemplate checks that the result does not depend on what follows a template's
// statement. A document built to be expensive is also read only once.
func FuzzIsTemplate(f *testing.F) {
	for _, doc := range []string{"<!doctype html><pre>{%</pre>{{ range }}", "---\n", "<!--", "<html><pre><code></pre>{%", strings.Repeat("<pre>", 100)} {
		f.Add(doc)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		if isTemplate("html", []byte(doc)) && !isTemplate("html", []byte(doc+"</pre></code>")) {
			t.Errorf("%q is a template until something follows it", doc)
		}
	})
}
