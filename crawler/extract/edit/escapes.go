package edit

import (
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// An escape writes a reference as some syntax has it.
type escape func(ref string) string

// How a reference may be written in the formats that are edited. The first of them
// that is read back as the reference it was made of is the one that is used.
var (
	asIs      escape = func(ref string) string { return ref }
	entities  escape = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "'", "&#39;", "<", "&lt;", ">", "&gt;").Replace
	ampersand escape = strings.NewReplacer("&", "&amp;").Replace
	backslash escape = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "<", `\<`, ">", `\>`, "]", `\]`, "[", `\[`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`).Replace
	inCSS     escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "'", `\'`, "(", `\(`, ")", `\)`, " ", `\ `).Replace
	inJSON    escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	slashed   escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "/", `\/`).Replace
	// underscored keeps a name that ends with "_" from being a reference.
	underscored escape = strings.NewReplacer("_", `\_`).Replace
)

func both(inner, outer escape) escape { return func(ref string) string { return outer(inner(ref)) } }

// escapesByFormat are the formats that are edited.
var escapesByFormat = map[string][]escape{
	"html":               {entities, asIs, both(inCSS, entities), inCSS, inJSON, both(entities, entities)},
	"netscape-bookmarks": {entities, asIs},
	"markdown":           {asIs, ampersand, backslash, both(ampersand, backslash), entities},
	"css":                {asIs, inCSS},
	"xml":                {entities, both(inCSS, entities), inCSS, both(entities, entities), asIs},
	"notebook":           {inJSON, both(backslash, inJSON), both(entities, inJSON)},
	"json-feed":          {inJSON, both(entities, inJSON)},
	"manifest":           {inJSON},
	"restructuredtext":   {asIs, underscored, backslash, entities},
	"asciidoc":           {asIs, backslash, entities},
	"org":                {asIs, backslash, entities},
	"gemini":             {asIs},
	"text":               {asIs},
	"csv":                {asIs},
	"tsv":                {asIs},
}

// syntaxOf is the format in escapesByFormat that documents of a format are written like.
func syntaxOf(format string) string {
	if extract.IsXML(format) {
		return "xml"
	}
	return format
}

// escapesOf are the ways to write a reference where raw stands for ref now. Of
// ways that are as good the one that was chosen there comes first.
func escapesOf(format, raw, ref string) []escape {
	ways := escapesByFormat[syntaxOf(format)]
	switch {
	case format == "html" && raw == ref && strings.Contains(raw, "&"):
		return append([]escape{asIs}, ways...) // a bare ampersand, as many write it
	case strings.Contains(raw, `\/`) && !strings.Contains(ref, `\`):
		return append([]escape{slashed, both(entities, slashed)}, ways...)
	}
	return ways
}

// waysFrom are the ways to write to where raw stands for from now. The first one
// leaves alone how that which both share is written.
func waysFrom(format, raw, from, to string) []escape {
	ways := escapesOf(format, raw, from)
	if raw == from {
		return ways
	}
	head, tail, changed, ok := shared(raw, from, to)
	if !ok {
		return ways
	}
	first := ways[0]
	partly := func(ref string) string {
		if ref != to {
			return first(ref)
		}
		return head + first(changed) + tail
	}
	return append([]escape{partly}, ways...)
}

// shared cuts raw, which stands for from, where from and to begin and cease to differ.
// What is between, changed, is of to. A cut is made where the text before or behind it is
// written as it is meant; so it may be wrong, and what it leads to is to be read again.
func shared(raw, from, to string) (head, tail, changed string, ok bool) {
	p := 0
	for p < min(len(from), len(to)) && from[p] == to[p] {
		p++
	}
	s := 0
	for s < min(len(from), len(to))-p && from[len(from)-1-s] == to[len(to)-1-s] {
		s++
	}
	for p > 0 && p < len(to) && !utf8.RuneStart(to[p]) {
		p--
	}
	for s > 0 && !utf8.RuneStart(to[len(to)-s]) {
		s--
	}
	middle := from[p : len(from)-s]
	changed = to[p : len(to)-s]
	switch {
	case strings.HasPrefix(raw, from[:len(from)-s]):
		return raw[:p], raw[len(from)-s:], changed, true
	case strings.HasSuffix(raw, from[p:]):
		return raw[:len(raw)-len(from)+p], raw[len(raw)-s:], changed, true
	case middle != "" && strings.Count(raw, middle) == 1 && strings.Count(from, middle) == 1:
		head, tail, _ = strings.Cut(raw, middle)
		return head, tail, changed, true
	}
	return "", "", "", false
}

// kept are formats that are text and belong to a program that does not expect
// others to write them.
var kept = map[string]string{
	"chromium-bookmarks":  "the browser keeps that file and writes it anew",
	"firefox-bookmarks":   "a backup of bookmarks is not edited: change them in the browser",
	"safari-bookmarks":    "the browser keeps that file and writes it anew",
	"opera-bookmarks":     "the browser keeps that file and writes it anew",
	"firefox-places":      "the browser keeps that file and writes it anew",
	"firefox-places-copy": "it is a database",
	"mail":                "messages are kept as they were sent",
	"gzip":                "it is compressed",
	"sitemap.gz":          "it is compressed",
}

// unedited says why documents of a format are not edited; "" when they are.
func unedited(format string, isText bool) string {
	switch {
	case kept[format] != "":
		return kept[format]
	case !isText:
		return "it is no text file (" + format + ")"
	case escapesByFormat[syntaxOf(format)] == nil:
		return "documents of its format are not edited (" + format + ")"
	}
	return ""
}
