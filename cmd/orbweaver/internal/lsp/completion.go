package lsp

import (
	"context"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/lazy"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/workspace"
	"github.com/orbweaver/orbweaver/crawler/extract"
)

// completionItem is something that may be written at a position.
type completionItem struct {
	Label    string   `json:"label"`
	Kind     int      `json:"kind"`
	Detail   string   `json:"detail,omitempty"`
	TextEdit textEdit `json:"textEdit"`
}

type completionList struct {
	IsIncomplete bool             `json:"isIncomplete"`
	Items        []completionItem `json:"items"`
}

// Kinds of items.
const (
	itemFile   = 17
	itemAnchor = 18
	itemFolder = 19
)

const maxItems = 200

// cursor is written where the user types, to see whether the document is then read as a link there.
const cursor = "orbweaver0cursor0"

// closers are what may be missing behind the cursor, by format, so that what is written is a link.
var closers = map[string][]string{
	"markdown":         {"", ")", ">)", "\">", "'>"},
	"html":             {"", "\">", "'>", ">"},
	"restructuredtext": {"", ">`_"},
	"asciidoc":         {"", "[]", "[x]", ">>"},
	"org":              {"", "]]", "][x]]"},
}

// written is what the user has written of a reference up to the cursor.
type written struct {
	ref string // decoded
	raw string // as in the text

	escape func(string) string // of what is added
}

// writtenAt returns what is written of the reference at an offset; ok is false if there is none.
func (v *view) writtenAt(offset int) (written, bool) {
	format := v.state.judge.Read(v.path, []byte(v.text.body)).Format
	escape := escapeBrackets
	if format == "asciidoc" {
		escape = escapeResource
	}
	use := "" // of the label that is defined here, because an unused one makes no link
	start := strings.LastIndexAny(v.text.body[:offset], "\r\n") + 1
	if m := labelDefinition().FindStringSubmatch(v.text.body[start:offset]); m != nil && format == "markdown" {
		use = "\n\n[" + m[1] + "]\n"
	}
	for _, closer := range closers[format] {
		body := v.text.body[:offset] + cursor + closer + v.text.body[offset:] + use
		for _, l := range v.state.judge.Read(v.path, []byte(body)).Links {
			raw, _, found := strings.Cut(l.Raw, cursor)
			ref, _, both := strings.Cut(l.Ref, cursor)
			if found && both && l.Flaw == nil && strings.HasSuffix(v.text.body[:offset], raw) && !strings.ContainsAny(raw, "\r\n") && !strings.Contains(ref, "://") {
				return written{ref, raw, escape}, true
			}
		}
	}
	return written{}, false
}

func completion(ctx context.Context, s *Server, p *positionParams) (any, error) {
	list := completionList{Items: []completionItem{}}
	v, err := s.viewOf(ctx, p.TextDocument, false)
	if v == nil {
		return list, err
	}
	offset := v.text.offset(p.Position, v.encoding)
	if labels, ok := v.labels(offset); ok {
		return labels, nil
	}
	w, ok := v.writtenAt(offset)
	if !ok {
		return list, nil
	}
	page, fragment, anchors := strings.Cut(strings.TrimPrefix(w.ref, "file:"), "#")
	if anchors {
		v.completeAnchors(&list, offset, page, fragment)
	} else {
		v.completePaths(&list, offset, w, page)
	}
	return list, nil
}

// add adds an item that replaces the last bytes before the offset. It reports whether there is room for
// more.
func (v *view) add(list *completionList, item completionItem, offset, replaced int, text string) bool {
	if len(list.Items) == maxItems {
		list.IsIncomplete = true
		return false
	}
	item.TextEdit = textEdit{Range: span{v.text.position(offset-replaced, v.encoding), v.text.position(offset, v.encoding)}, NewText: &text}
	list.Items = append(list.Items, item)
	return true
}

// locate returns the path in the folder that a path of a reference leads to, "" for the folder itself.
// ok is false if it leads out of it.
func (v *view) locate(ref string) (at string, ok bool) {
	decoded, err := url.PathUnescape(ref)
	if err != nil {
		return "", false
	}
	if strings.HasPrefix(decoded, "/") {
		at = path.Clean(strings.TrimLeft(decoded, "/"))
	} else {
		at = path.Join(path.Dir(v.path), decoded)
	}
	if at == "." {
		at = ""
	}
	return at, at != ".." && !strings.HasPrefix(at, "../")
}

func (v *view) completeAnchors(list *completionList, offset int, page, fragment string) {
	at, ok := v.path, true
	if page != "" {
		at, ok = v.locate(page)
	}
	if !ok {
		return
	}
	for _, more := range []string{"", ".md", ".html", "/README.md", "/index.md", "/index.html"} {
		if v.state.index.Document(at+more) != nil {
			at += more
			break
		}
	}
	d := v.state.judge.Read(at, []byte(textOf(&v.state, at).body))
	for _, a := range anchorsOf(d) {
		name := url.PathEscape(a.names[0])
		if !hasPrefixFold(a.names[0], fragment) && !hasPrefixFold(name, fragment) {
			continue
		}
		if !v.add(list, completionItem{Label: a.names[0], Kind: itemAnchor, Detail: symbolName(a.title)}, offset, len(fragment), escapeBrackets(name)) {
			return
		}
	}
}

// completePaths offers the files and directories in a directory.
func (v *view) completePaths(list *completionList, offset int, w written, ref string) {
	slash := strings.LastIndexByte(ref, '/') + 1
	dir, ok := v.locate(ref[:slash])
	if slash == 0 {
		dir, ok = path.Dir(v.path), true
		if dir == "." {
			dir = ""
		}
	}
	prefix, err := url.PathUnescape(ref[slash:])
	if !ok || err != nil {
		return
	}
	replaced := len(w.raw) - strings.LastIndexByte(w.raw, '/') - 1
	if slash == 0 {
		replaced = len(strings.TrimPrefix(w.raw, "file:"))
	}
	for _, name := range v.state.judge.List(dir) {
		if !hasPrefixFold(name, prefix) {
			continue
		}
		plain, isDir := strings.CutSuffix(name, "/")
		item := completionItem{Label: printable(name), Kind: itemFile}
		text := w.escape(url.PathEscape(plain))
		if isDir {
			item.Kind, text = itemFolder, text+"/"
		}
		if slash == 0 && strings.Contains(text, ":") {
			text = "./" + text // it has no scheme
		}
		if !v.add(list, item, offset, replaced, text) {
			return
		}
	}
}

func hasPrefixFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

// escapeBrackets encodes the characters that end a reference in some format.
var escapeBrackets = strings.NewReplacer("(", "%28", ")", "%29", "&", "%26", "'", "%27", "*", "%2A", "[", "%5B", "]", "%5D").Replace

// escapeResource also encodes the characters by which a cross reference of AsciiDoc is one to a resource of
// Antora.
func escapeResource(s string) string { return antoraMarks.Replace(escapeBrackets(s)) }

var antoraMarks = strings.NewReplacer(":", "%3A", "@", "%40", "$", "%24")

var (
	labelBefore     = lazy.Regexp(`\]\[([^\]\[\r\n]*)$`)
	labelDefinition = lazy.Regexp(`(?m)^ {0,3}\[([^\]\[\r\n]+)\]:`)
)

// labelled is a text with a label, or a label alone.
var labelled = lazy.Regexp(`\[([^\]\[\r\n]+)\](?:\[([^\]\[\r\n]*)\])?`)

// labelAt returns the definition of the label that is written at an offset of a Markdown document.
func (v *view) labelAt(offset int) (at span, ok bool) {
	start, end := v.text.line(int(v.text.position(offset, utf8Units).Line))
	for _, m := range labelled().FindAllStringSubmatchIndex(v.text.body[start:end], -1) {
		label := m[3] + len("]") // where "[label]" would be after a text
		if offset < start+m[0] || offset > start+m[1] || !v.state.links(v.path, v.text.body, start+label, start+m[1]) {
			continue
		}
		name := foldLabel(v.text.body[start+m[2] : start+m[3]])
		if m[4] < m[5] {
			name = foldLabel(v.text.body[start+m[4] : start+m[5]])
		}
		for _, d := range labelDefinition().FindAllStringSubmatchIndex(v.text.body, -1) {
			from := v.text.position(d[2], v.encoding)
			isLink := func(r workspace.Reference) bool { return r.Line == int32(from.Line)+1 } // not in code
			if foldLabel(v.text.body[d[2]:d[3]]) == name && slices.ContainsFunc(v.references(), isLink) {
				return span{from, v.text.position(d[3], v.encoding)}, true
			}
		}
	}
	return span{}, false
}

// foldLabel returns a label as it is compared: CommonMark 0.31.2, section 4.7.
func foldLabel(label string) string {
	return strings.ToLower(strings.ToUpper(strings.Join(strings.Fields(label), " ")))
}

// links reports whether a destination in place of a part of a Markdown document, which is a label behind a
// text, would be read as one: it is not in code or a comment.
func (j *judged) links(path, body string, from, to int) bool {
	d := j.judge.Read(path, []byte(body[:from]+"("+cursor+")"+body[to:]))
	return d.Format == "markdown" && slices.ContainsFunc(d.Links, func(l extract.Link) bool { return l.Raw == cursor })
}

// labels offers the labels that a Markdown document defines, after "[text][".
func (v *view) labels(offset int) (completionList, bool) {
	list := completionList{Items: []completionItem{}}
	start := strings.LastIndexAny(v.text.body[:offset], "\r\n") + 1
	m := labelBefore().FindStringSubmatch(v.text.body[start:offset])
	if m == nil || !v.state.links(v.path, v.text.body, offset-len(m[1])-len("["), offset) {
		return list, false
	}
	seen := map[string]bool{}
	for _, d := range labelDefinition().FindAllStringSubmatch(v.text.body, -1) {
		if name := d[1]; !seen[name] && hasPrefixFold(name, m[1]) && !strings.HasPrefix(name, "^") {
			seen[name] = true
			if !v.add(&list, completionItem{Label: name, Kind: itemAnchor}, offset, len(m[1]), name) {
				break
			}
		}
	}
	return list, true
}
