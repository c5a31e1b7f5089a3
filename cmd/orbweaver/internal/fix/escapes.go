package fix

import (
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// An escape returns a reference as it is written in some syntax.
type escape func(ref string) string

// The escapes of the formats that can be edited. The editor uses the first one whose
// result is read back as the original reference.
var (
	asIs        escape = func(ref string) string { return ref }
	entities    escape = strings.NewReplacer("&", "&amp;", `"`, "&quot;", "'", "&#39;", "<", "&lt;", ">", "&gt;").Replace
	ampersand   escape = strings.NewReplacer("&", "&amp;").Replace
	backslash   escape = strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`, "<", `\<`, ">", `\>`, "]", `\]`, "[", `\[`, "`", "\\`", "*", `\*`, "_", `\_`, "|", `\|`).Replace
	inCSS       escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "'", `\'`, "(", `\(`, ")", `\)`, " ", `\ `).Replace
	inJSON      escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace
	jsonSlashes escape = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "/", `\/`).Replace
	// underscores keeps text that ends with "_" from being read as a name.
	underscores escape = strings.NewReplacer("_", `\_`).Replace
)

// both returns an escape that applies inner and then outer.
func both(inner, outer escape) escape { return func(ref string) string { return outer(inner(ref)) } }

// escapesByFormat has the formats that can be edited and their escapes.
var escapesByFormat = map[string][]escape{
	"html":               {entities, asIs, both(inCSS, entities), inCSS, inJSON, both(entities, entities)},
	"netscape-bookmarks": {entities, asIs},
	"markdown":           {asIs, ampersand, backslash, both(ampersand, backslash), entities},
	"css":                {asIs, inCSS},
	"xml":                {entities, both(inCSS, entities), inCSS, both(entities, entities), asIs},
	"notebook":           {inJSON, both(backslash, inJSON), both(entities, inJSON)},
	"json-feed":          {inJSON, both(entities, inJSON)},
	"manifest":           {inJSON},
	"restructuredtext":   {asIs, underscores, backslash, entities},
	"asciidoc":           {asIs, backslash, entities},
	"org":                {asIs, backslash, entities},
	"gemini":             {asIs},
	"text":               {asIs},
	"csv":                {asIs},
	"tsv":                {asIs},
}

// syntaxOf returns the key of escapesByFormat for a format.
func syntaxOf(format string) string {
	if extract.IsXML(format) {
		return "xml"
	}
	return format
}

// escapesOf returns the escapes for a place where raw is currently the source text of ref.
// If several escapes would work, the style of raw comes first.
func escapesOf(format, raw, ref string) []escape {
	escapes := escapesByFormat[syntaxOf(format)]
	switch {
	case format == "html" && raw == ref && strings.Contains(raw, "&"):
		return append([]escape{asIs}, escapes...) // keep ampersands unescaped
	case strings.Contains(raw, `\/`) && !strings.Contains(ref, `\`):
		return append([]escape{jsonSlashes, both(entities, jsonSlashes)}, escapes...)
	}
	return escapes
}

// escapesToTry returns the escapes for replacing from, whose source text is raw, with to.
// The first one keeps the source text of the parts that from and to have in common.
func escapesToTry(format, raw, from, to string) []escape {
	escapes := escapesOf(format, raw, from)
	if raw == from {
		return escapes
	}
	head, tail, changed, ok := cutCommon(raw, from, to)
	if !ok {
		return escapes
	}
	first := escapes[0]
	keepCommon := func(ref string) string {
		if ref != to {
			return first(ref)
		}
		return head + first(changed) + tail
	}
	return append([]escape{keepCommon}, escapes...)
}

// cutCommon cuts raw, the source text of from, into the parts that are common to from and
// to: head before the difference and tail after it. Changed is the part of to between
// them. The cut assumes that some of raw is not escaped. It may be wrong, so the result
// must be verified.
func cutCommon(raw, from, to string) (head, tail, changed string, ok bool) {
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

// uneditedReasons says why some formats are not edited: most belong to a program that does
// not expect other programs to write its files.
var uneditedReasons = map[string]string{
	"chromium-bookmarks":  "the browser maintains this file and would overwrite it",
	"firefox-bookmarks":   "bookmark backups are not edited; change the bookmarks in the browser",
	"safari-bookmarks":    "the browser maintains this file and would overwrite it",
	"opera-bookmarks":     "the browser maintains this file and would overwrite it",
	"firefox-places":      "the browser maintains this file and would overwrite it",
	"firefox-places-copy": "it is a database",
	"mail":                "messages are kept as they were sent",
	"gzip":                "it is compressed",
	"sitemap.gz":          "it is compressed",
}

// uneditedReason returns why documents of a format are not edited, or "" if they are.
func uneditedReason(format string, isText bool) string {
	switch {
	case uneditedReasons[format] != "":
		return uneditedReasons[format]
	case !isText:
		return "it is not a text file (" + format + ")"
	case escapesByFormat[syntaxOf(format)] == nil:
		return "documents of its format are not edited (" + format + ")"
	}
	return ""
}
