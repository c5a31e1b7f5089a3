package extract

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// MDX is Markdown with JSX: <Card href="/docs">. A tag whose name begins with a capital
// letter is a component, which HTML does not know. By convention its href, to and src are
// links. Their values are strings or expressions in braces; of the expressions, only those
// that are a literal string are known, {'/docs'}, and those that require a file,
// {require('./a.png').default}. A tag of HTML with such values is read like a component.

// MDXType is the media type of MDX, for documents whose names do not say so (RFC 7763).
const MDXType = "text/markdown; variant=mdx"

// isMDX reports whether a document of Markdown contains JSX.
func isMDX(in *Input) bool {
	n := len(in.Name) - len(".mdx")
	return in.ContentType == MDXType || n >= 0 && strings.EqualFold(in.Name[n:], ".mdx")
}

// maxComponent is the maximum length of a component's tag, in bytes.
const maxComponent = 2 << 10

// jsxAttribute is an attribute of a component.
type jsxAttribute struct {
	name string
	jsxValue
}

// jsxValue is the value of an attribute.
type jsxValue struct {
	value      span
	expression bool // it is an expression, not a string
	module     bool // it is the path of a file that is required
}

// jsxAttributes are the attributes of components with a meaning.
var jsxAttributes = []string{"href", "to", "src", "title", noCheckSpelling}

// isComponent reports whether the tag at i has the name of a component.
func isComponent(b []byte, i int) bool { return i+1 < len(b) && isUpper(b[i+1]) }

// jsxTag reads the start tag at i and returns its end, or -1 if there is none. It calls found,
// unless nil, for each attribute with a meaning, and for each that requires a file.
func jsxTag(b []byte, i int, found func(jsxAttribute)) int {
	b = b[:min(len(b), i+maxComponent)]
	if i++; i >= len(b) || !isLetter(b[i]) {
		return -1
	}
	for i < len(b) && (isAlphanumeric(b[i]) || b[i] == '.' || b[i] == '_' || b[i] == '-') {
		i++
	}
	for {
		next := skipSpace(b, i)
		if next >= len(b) {
			return -1
		}
		switch c := b[next]; {
		case c == '>':
			return next + 1
		case c == '/' && next+1 < len(b) && b[next+1] == '>':
			return next + 2
		case next == i:
			return -1
		case c == '{': // {...attributes}
			if i = bracesEnd(b, next); i < 0 {
				return -1
			}
			continue
		case !isLetter(c) && c != '_' && c != '$':
			return -1
		}
		for i = next; i < len(b) && (isAlphanumeric(b[i]) || bytes.IndexByte([]byte("_$:.-"), b[i]) >= 0); i++ {
		}
		a := jsxAttribute{name: string(b[next:i])}
		equals := skipSpace(b, i)
		if equals >= len(b) || b[equals] != '=' {
			if found != nil && a.name == noCheckSpelling {
				found(jsxAttribute{name: noCheckSpelling})
			}
			continue
		}
		if a.jsxValue, i = readJSXValue(b, skipSpace(b, equals+1)); i < 0 {
			return -1
		}
		if found != nil && (a.module || slices.Contains(jsxAttributes, a.name)) {
			found(a)
		}
	}
}

// readJSXValue reads the value of an attribute at i and returns its end, or -1 if there is none.
func readJSXValue(b []byte, i int) (v jsxValue, end int) {
	if i >= len(b) {
		return v, -1
	}
	switch c := b[i]; c {
	case '"', '\'':
		n := bytes.IndexByte(b[i+1:], c)
		if n < 0 {
			return v, -1
		}
		v.value = span{i + 1, i + 1 + n}
		return v, v.value.end + 1
	case '{':
		if end = bracesEnd(b, i); end < 0 {
			return v, -1
		}
		return literalIn(b, span{i, end}), end
	}
	return v, -1
}

// bracesEnd returns the end of the expression in braces at i, or -1 if it is not closed.
// Braces in strings and comments do not count.
func bracesEnd(b []byte, i int) int {
	depth, quote := 0, byte(0)
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'' || c == '`':
			quote = c
		case c == '/' && i+1 < len(b) && b[i+1] == '*':
			n := bytes.Index(b[i+2:], []byte("*/"))
			if n < 0 {
				return -1
			}
			i += n + len("/**/") - 1
		case c == '{':
			depth++
		case c == '}':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// literalIn returns the content of the string that an expression in braces consists of, or
// that it requires. If the expression is anything else, it returns the expression with its
// braces.
func literalIn(b []byte, braces span) jsxValue {
	at := trimSpan(b, span{braces.start + 1, braces.end - 1})
	v := jsxValue{value: braces, expression: true}
	if call, required := bytes.CutPrefix(bytes.TrimSuffix(b[at.start:at.end], []byte(".default")), []byte("require(")); required && bytes.HasSuffix(call, []byte(")")) {
		start := at.start + len("require(")
		at = trimSpan(b, span{start, start + len(call) - 1})
		v.module = true
	}
	if at.end-at.start < 2 {
		return v
	}
	quote, content := b[at.start], b[at.start+1:at.end-1]
	if quote != '"' && quote != '\'' && quote != '`' || b[at.end-1] != quote ||
		bytes.IndexByte(content, quote) >= 0 || bytes.IndexByte(content, '\\') >= 0 || quote == '`' && bytes.Contains(content, []byte("${")) {
		return v
	}
	literal := span{at.start + 1, at.end - 1}
	if v.module {
		if file := modulePath(b, literal); file != literal || file.start == file.end {
			return v
		}
	}
	return jsxValue{value: literal, module: v.module}
}

// component adds the links of a component's tag.
func (r *markdownReader) component(v *view, it *inline) {
	name := v.text[it.at.start+1 : it.at.end]
	name = name[:bytes.IndexFunc(name, func(c rune) bool {
		return c < utf8.RuneSelf && !isAlphanumeric(byte(c)) && !strings.ContainsRune("._-", c)
	})]
	element := strings.ToLower(string(name[:min(len(name), longestKnown)]))
	first, title, ignored := len(r.links), "", false
	jsxTag(v.text, it.at.start, func(a jsxAttribute) {
		if a.name == noCheckSpelling {
			ignored = true
			return
		}
		raw := v.text[a.value.start:a.value.end]
		var ref []byte
		switch {
		case a.module:
			ref = escapePath(raw)
		case !a.expression && needsUnescape(raw):
			ref, _ = unescape(nil, nil, raw, true)
		}
		if a.name == "title" && !a.module {
			if ref == nil {
				ref = raw
			}
			if !a.expression {
				title = r.keep(trimFolded(foldSpace(nil, ref)))
			}
			return
		}
		f := r.link(v, a.value, ref, Navigation)
		if f == nil {
			return
		}
		f.Element, f.Attribute, f.Placeholder = element, a.name, f.Placeholder || a.expression
		if a.name == "src" {
			f.Kind = Resource
		}
		if f.Module = a.module; a.module {
			f.Kind = Resource
		}
		if element == "img" {
			f.Expect = ExpectImage
		}
		f.tag = r.html.insertTag(v.source(it.at.start), v.source(it.at.end))
	})
	for i := first; i < len(r.links); i++ {
		r.links[i].Text, r.links[i].Ignored = title, r.links[i].Ignored || ignored
	}
}
