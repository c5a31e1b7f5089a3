package extract

import (
	"bytes"
	"cmp"
	"slices"
	"strings"
)

// References of reStructuredText by a name. The targets of name_, `name`_ and |name| are in the document
// itself, unless a file that it includes or the configuration of Sphinx has them; docutils reports an
// error for one that has no target. The roles doc and ref, and the entries of a toctree, are for Sphinx,
// which knows the other documents.

// maxRSTName is the length in bytes of the longest name that is looked at here.
const maxRSTName = 100

// rstNames are the names of targets and substitutions that a document uses.
type rstNames struct {
	uses []rstName
}

// rstName is one use of a name. It is at a place in the document.
type rstName struct {
	at   span
	name string
	bars bool // |name|
}

// use records a use in a paragraph.
func (n *rstNames) use(v *view, at, name span, bars bool) {
	text := v.text[name.start:name.end]
	if len(n.uses) < maxUndefined && len(text) > 0 && len(text) <= maxRSTName && bytes.IndexByte(text, '\\') < 0 {
		n.uses = append(n.uses, rstName{span{v.source(at.start), v.source(at.end)}, normalRSTName(text), bars})
	}
}

// normalRSTName returns a name as names are compared.
func normalRSTName(name []byte) string {
	return strings.ToLower(strings.Join(strings.Fields(string(name)), " "))
}

// report adds the names that have no target to the cross-references.
func (n *rstNames) report(h *harvest) {
	if len(n.uses) == 0 || !h.doc.Static || bytes.Contains(h.src.text, []byte("{%")) {
		return // an included file may define them, or a template does not have the text of its document
	}
	d := looseRSTDefinitions(h.src.text)
	suggested := 0
	for _, use := range n.uses {
		defined := d.targets
		if use.bars {
			defined = d.substitutions
		}
		if defined[use.name] {
			continue
		}
		f := h.add(&h.src, use.at, nil)
		if f == nil {
			return
		}
		f.Kind, f.Element, f.Attribute, f.Flaw = Navigation, "a", "href", &Flaw{flawUndefined, "readers see an error: nothing defines " + f.Raw}
		if suggested++; suggested <= maxSuggested {
			f.Flaw.Cause += didYouMean(use.name, defined, "", "")
		}
		h.links = h.doc.cross(h.links, RoleName, h.input.maxLinks())
	}
	slices.SortStableFunc(h.doc.CrossReferences, func(a, b CrossReference) int { return cmp.Compare(a.at, b.at) })
}

// rstDefinitions are the names that a document may define.
type rstDefinitions struct{ targets, substitutions map[string]bool }

// looseRSTDefinitions returns all that looks like a definition in a document: what is one depends on
// directives, of which there are more than are known.
func looseRSTDefinitions(source []byte) rstDefinitions {
	d := rstDefinitions{map[string]bool{}, map[string]bool{"version": true, "release": true, "today": true, "translation progress": true}}
	var last []byte
	for i := 0; i < len(source); i = nextLine(source, i) {
		text := trimSpace(source[i:endOfLine(source, i)])
		if isUnderline(text) {
			d.define(last)
		}
		last = text
		if option, ok := bytes.CutPrefix(text, []byte(":name:")); ok {
			d.define(option)
		}
		if _, explicit, ok := bytes.Cut(text, []byte(".. ")); ok {
			d.addExplicit(trimSpace(explicit))
		}
	}
	d.addInline(source)
	return d
}

// define adds a target.
func (d *rstDefinitions) define(name []byte) {
	d.targets[normalRSTName(rstPlain(name[:min(len(name), maxHeading)]))] = true
}

// addExplicit adds what explicit markup, without its dots, may define: a target, a substitution, a footnote or
// citation, or the title of a directive such as contents and topic.
func (d *rstDefinitions) addExplicit(rest []byte) {
	switch {
	case len(rest) == 0:
	case rest[0] == '_':
		if colon := targetColon(rest); colon > 0 {
			d.define(bytes.Trim(rest[1:colon], "`"))
		}
	case rest[0] == '|':
		if end := bytes.IndexByte(rest[1:], '|'); end > 0 {
			d.substitutions[normalRSTName(rest[1:1+end])] = true
		}
	case rest[0] == '[':
		if end := bytes.IndexByte(rest, ']'); end > 0 {
			d.define(bytes.TrimPrefix(rest[1:end], []byte("#")))
		}
	default:
		if _, argument, ok := bytes.Cut(rest, []byte("::")); ok {
			d.define(argument)
		}
	}
}

// addInline adds the targets in running text: _`name` and `name <url>`_.
func (d *rstDefinitions) addInline(source []byte) {
	d.targets["contents"] = true // of ".. contents::"
	for i := bytes.IndexByte(source, '`'); i >= 0 && i+1 < len(source); {
		end := bytes.IndexByte(source[i+1:], '`')
		if end < 0 {
			return
		}
		content := source[i+1 : i+1+end]
		if open := bytes.IndexByte(content, '<'); open > 0 && len(content) < maxHeading {
			d.targets[normalRSTName(content[:open])] = true
		} else if i > 0 && source[i-1] == '_' && len(content) <= maxRSTName {
			d.targets[normalRSTName(content)] = true
		}
		i += 1 + end
	}
}

// simpleName reads the reference that ends with the underscore at i, such as name_. Docutils
// knows more places for one than those here, after blanks, brackets and quotation marks.
func (r *rstReader) simpleName(v *view, i int) {
	b := v.text
	if i == 0 || !isNameByte(b[i-1]) || i+1 < len(b) && bytes.IndexByte([]byte(" \t\r\n.,;!?)'\""), b[i+1]) < 0 {
		return
	}
	start := i
	for start > 0 && i-start <= maxRSTName && (isNameByte(b[start-1]) || start > 1 && bytes.IndexByte([]byte("-._+:"), b[start-1]) >= 0 && isNameByte(b[start-2])) {
		start--
	}
	if start == 0 || bytes.IndexByte([]byte(" \t\r\n('\""), b[start-1]) >= 0 {
		r.names.use(v, span{start, i + 1}, span{start, i}, false)
	}
}

func isNameByte(c byte) bool { return isAlphanumeric(c) || c >= 0x80 }

// substitution reads |name| whose first bar is at i.
func (r *rstReader) substitution(v *view, i int) {
	b := v.text
	if i > 0 && bytes.IndexByte([]byte(" \t\r\n('\""), b[i-1]) < 0 {
		return
	}
	end := i + 1
	for end < len(b) && b[end] != '|' && b[end] != '\n' && end-i <= maxRSTName {
		end++
	}
	if end == len(b) || b[end] != '|' || end+1 < len(b) && bytes.IndexByte([]byte(" \t\r\n.,;:!?)'\"_-"), b[end+1]) < 0 {
		return
	}
	if name := string(b[i+1 : end]); isPlainLabel(name) && hasLetter(b[i+1:end]) {
		r.names.use(v, span{i, end + 1}, span{i + 1, end}, true)
	}
}

// isRSTTable reports whether a paragraph is a grid, or lines that begin with a bar, in which a bar is
// no substitution, or a list of fields.
func isRSTTable(b []byte) bool {
	for i := 0; i < len(b); i = nextLine(b, i) {
		text := b[skipBlanks(b, i):]
		if len(text) > 0 && (text[0] == '|' && (len(text) == 1 || isSpace(text[1])) || text[0] == '+' || text[0] == ':' && !isRole(text) || text[0] == '=') {
			return true
		}
	}
	return false
}

// isRole reports whether a paragraph that begins with a colon begins with a role rather than with the name of a field.
func isRole(text []byte) bool {
	end := bytes.IndexAny(text[1:], ": \t\n`")
	return end > 0 && bytes.HasPrefix(text[1+end:], []byte(":`"))
}

// roles are the roles that are read here, with the colons around their names.
var roles = []struct {
	name string
	role Role
}{{":doc:", RoleDocument}, {":ref:", RoleLabel}, {":download:", roleFile}}

// isFromRoot reports whether the name in a role begins with a slash.
func isFromRoot(content []byte) bool {
	name := trimSpace(content)
	if open := bytes.LastIndexByte(name, '<'); open >= 0 {
		name = trimSpace(name[open+1:])
	}
	return len(name) > 0 && name[0] == '/'
}

// role reads the content of a role. before is what is before its first backtick.
func (r *rstReader) role(v *view, before []byte, content span) {
	for _, known := range roles {
		rest, ok := bytes.CutSuffix(before, []byte(known.name))
		rest = bytes.TrimSuffix(rest, []byte(":std"))
		if ok && (len(rest) == 0 || !isNameByte(rest[len(rest)-1]) && rest[len(rest)-1] != ':') {
			crossReference(r.harvest, v, content, known.role)
		}
	}
}

// crossReference adds the content of a role: a name, or a text and "<name>".
func crossReference(h *harvest, v *view, content span, role Role) {
	at, text := trimSpan(v.text, content), []byte(nil)
	b := v.text[at.start:at.end]
	if open := bytes.LastIndexByte(b, '<'); open >= 0 && b[len(b)-1] == '>' {
		text = b[:open]
		at = trimSpan(v.text, span{at.start + open + 1, at.end - 1})
		b = v.text[at.start:at.end]
	}
	if len(b) == 0 || len(b) > maxRSTName || b[0] == '!' || bytes.ContainsAny(b, "\\|{}`<>:") || holdsPlaceholder(b) {
		return
	}
	f := h.add(v, at, nil)
	if f == nil {
		return
	}
	f.Kind, f.Element, f.Attribute, f.Text = Navigation, "a", "href", h.keep(trimFolded(foldSpace(nil, text)))
	h.links = h.doc.cross(h.links, role, h.input.maxLinks())
}

// entry reads a line of a toctree: an option, a document, or a title and "<document>".
func (r *rstReader) entry(l line) {
	if r.wantLinks {
		toctreeEntry(r.harvest, &r.src, span{l.textStart, l.textStart + len(l.text)})
	}
}

// toctreeEntry adds the document that a line of a toctree names. Patterns, URLs, and the names of the
// indexes that Sphinx makes are none.
func toctreeEntry(h *harvest, v *view, at span) {
	text := string(v.text[at.start:at.end])
	if strings.HasPrefix(text, ":") || strings.HasPrefix(text, "..") || strings.HasPrefix(text, "#") {
		return
	}
	if open := strings.LastIndexByte(text, '<'); open > 0 && strings.HasSuffix(text, ">") {
		text = text[open+1 : len(text)-1]
	}
	switch {
	case strings.ContainsAny(text, "*?["):
	case text == "self", text == "genindex", text == "modindex", text == "py-modindex", text == "search":
	default:
		crossReference(h, v, at, RoleDocument)
	}
}

// describesObject reports whether a directive describes an object of a domain of Sphinx, such as
// py:function. Its argument is a signature, and its content is markup.
func describesObject(directive string) bool {
	domain, _, ok := strings.Cut(directive, ":")
	return ok && (domain == "py" || domain == "c" || domain == "cpp" || domain == "js" || domain == "rst" || domain == "std")
}

// proseDirectives have the directives whose content is markup, and whose argument is text.
var proseDirectives = map[string]bool{
	"admonition": true, "attention": true, "caution": true, "danger": true, "error": true, "hint": true, "important": true, "note": true,
	"tip": true, "warning": true, "seealso": true, "todo": true, "versionadded": true, "versionchanged": true, "deprecated": true,
	"topic": true, "sidebar": true, "epigraph": true, "highlights": true, "pull-quote": true, "compound": true, "container": true,
	"rubric": true, "hlist": true, "centered": true, "list-table": true, "only": true, "figure": true,
	"tab-set": true, "tab-item": true, "tabs": true, "tab": true, "dropdown": true, "grid": true, "grid-item": true, "card": true,
}
