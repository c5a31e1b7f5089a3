package extract

import (
	"bytes"
	"path"
	"strconv"
	"strings"
	"unicode"
)

// asciidocFormat is AsciiDoc. There is no Go parser for it, so this reader handles the
// link syntax in common use itself:
//
//	read      URLs bare and with [text], link:, mailto:, xref: and <<id>>, image, video, audio,
//	          include::, link= of images
//	anchors   [[id]], [#id], anchor:id[], the ids of section titles (_a_title, and a-title as
//	          GitHub and Antora write them)
//	not read  attributes (a target that contains {name} is skipped); references to a section by
//	          its title; Antora resource ids (xref:module:page.adoc, partial$part.adoc); videos
//	          on a hosting service (video::id[youtube]); included files; conditionals
//
// Listing, literal, passthrough and comment blocks, indented paragraphs and text between
// backticks are ignored.
var asciidocFormat = format{
	name:       "asciidoc",
	media:      []string{"text/asciidoc", "text/x-asciidoc"},
	extensions: []string{"adoc", "asciidoc"},
	charset:    textCharset,
	read:       readAsciiDoc,
}

// asciidocShortFormat is AsciiDoc with the extension .asc, which more often denotes an
// armored PGP signature or key.
var asciidocShortFormat = format{
	name:       "asciidoc",
	extensions: []string{"asc"},
	sniff:      sniffAsciiDoc,
	mustSniff:  true,
	weakSniff:  true,
	charset:    textCharset,
	read:       readAsciiDoc,
}

// sniffAsciiDoc looks for a line that is rare in other texts: a title, an attribute, the
// options or the id of a block, or a macro. PGP armor has none of them.
func sniffAsciiDoc(head []byte) bool {
	if bytes.Contains(head, []byte("-----BEGIN ")) {
		return false
	}
	for line := range bytes.Lines(trimByteOrderMark(head)) {
		line = trimSpaceRight(line)
		title := bytes.TrimLeft(line, "=")
		switch level := len(line) - len(title); {
		case level >= 1 && level <= 6 && len(title) > 1 && title[0] == ' ',
			len(line) > 2 && line[0] == ':' && bytes.Contains(line[1:], []byte{':'}) && isAttributeName(line[1:1+bytes.IndexByte(line[1:], ':')]),
			len(line) > 2 && line[0] == '[' && line[len(line)-1] == ']',
			bytes.HasPrefix(line, []byte("include::")), bytes.HasPrefix(line, []byte("image::")),
			bytes.Contains(line, []byte("link:")), bytes.Contains(line, []byte("xref:")):
			return true
		}
	}
	return false
}

// isAttributeName reports whether a word may name a document attribute.
func isAttributeName(word []byte) bool {
	for i, c := range word {
		if !isDecimal(c) && (c|0x20 < 'a' || c|0x20 > 'z') && c != '_' && (c != '-' && c != '!' || i == 0 && c == '-') {
			return false
		}
	}
	return len(word) > 0
}

type asciidocReader struct {
	lineMarkup
	fence    string // the delimiter of the block being skipped; "" outside of one
	verbatim bool   // the next paragraph is skipped, because of [source] or the like
	literal  bool   // inside an indented paragraph
	hasID    bool   // the next block has an explicit id
	taken    map[string]int
}

func readAsciiDoc(h *harvest, in *Input) {
	r := asciidocReader{lineMarkup: newLineMarkup(h, in, markupMailRules), taken: map[string]int{}}
	r.lines(r.line)
	if r.fence != "" {
		h.fault("read AsciiDoc: a %q block is never closed", r.fence)
	}
	r.flush(r.inlines)
	r.applyMarks()
}

func (r *asciidocReader) line(l line) {
	text := trimSpaceRight(r.src.text[l.at.start:l.at.end])
	if r.fence != "" {
		if string(text) == r.fence {
			r.fence = ""
		}
		return
	}
	switch {
	case l.blank():
		r.flush(r.inlines)
		r.literal = false
	case r.literal:
	case verbatimFence(text):
		r.flush(r.inlines)
		r.fence, r.verbatim = string(text), false
		if text[0] == '`' {
			r.fence = "```" // only the opening delimiter names the language
		}
	case isUnderline(text) && len(text) >= 4 || string(text) == "--":
		r.flush(r.inlines) // a block whose content is read
	case bytes.HasPrefix(text, []byte("//")):
		r.readMark(text[len("//"):], l.at.end, false)
	case text[0] == '[' && text[len(text)-1] == ']' && r.attributes(l):
	case len(r.paragraph) == 0 && (r.verbatim || l.indent > 0 && !isListItem(l.text)):
		r.literal, r.verbatim = true, false
	case r.section(l):
	case text[0] == ':' && bytes.IndexByte(text[1:], ':') > 0 && len(r.paragraph) == 0: // an attribute
		r.gather(l.at)
		r.flush(r.inlines)
	default:
		r.gather(l.at)
		r.hasID = false
	}
}

// verbatimFence reports whether a line opens a block whose content is skipped.
func verbatimFence(text []byte) bool {
	if bytes.HasPrefix(text, []byte("```")) {
		return runLength(text, 0) == 3
	}
	if len(text) < 4 || runLength(text, 0) != len(text) {
		return false
	}
	return text[0] == '-' || text[0] == '.' || text[0] == '+' || text[0] == '/'
}

// isListItem reports whether an indented line is a list item.
func isListItem(text []byte) bool {
	n := runLength(text, 0)
	if c := text[0]; c == '*' || c == '-' || c == '.' || c == '#' {
		return n < len(text) && text[n] == ' '
	}
	if dot := bytes.IndexByte(text, '.'); dot > 0 && dot < 4 && isDecimal(text[0]) {
		return true
	}
	return bytes.Contains(text, []byte(":: ")) || bytes.HasSuffix(text, []byte("::"))
}

// attributes reads a line in brackets: the attributes of the next block, or its anchor. It returns false for text that
// begins with an anchor.
func (r *asciidocReader) attributes(l line) bool {
	text := l.text
	id, isAnchor := bytes.CutPrefix(text, []byte("[["))
	if isAnchor {
		var whole bool
		id, whole = bytes.CutSuffix(id, []byte("]]"))
		if id, _, _ = bytes.Cut(id, []byte(",")); !whole || bytes.IndexByte(id, ']') >= 0 {
			return false
		}
	}
	r.flush(r.inlines)
	if isAnchor {
		r.anchor(id)
		r.hasID = true
		return true
	}
	inner := text[1 : len(text)-1]
	style, _, _ := bytes.Cut(inner, []byte(","))
	switch name, _, _ := strings.Cut(string(style), "#"); name {
	case "source", "listing", "literal", "stem", "latexmath", "asciimath", "comment", "pass":
		r.verbatim = true
	}
	if n := bytes.IndexByte(style, '#'); n >= 0 {
		id := style[n+1:]
		if end := bytes.IndexAny(id, ".%#"); end >= 0 {
			id = id[:end]
		}
		r.anchor(id)
		r.hasID = true
	}
	if _, id, ok := bytes.Cut(inner, []byte("id=")); ok {
		id, _, _ = bytes.Cut(id, []byte(","))
		r.anchor(bytes.Trim(id, `"' `))
		r.hasID = true
	}
	return true
}

// section reads a section title, which begins with one to six equals signs or number
// signs. It reports whether the line is one.
func (r *asciidocReader) section(l line) bool {
	text := l.text
	if l.indent > 0 || len(r.paragraph) > 0 || text[0] != '=' && text[0] != '#' {
		return false
	}
	level := runLength(text, 0)
	if level > 6 || level == len(text) || text[level] != ' ' {
		return false
	}
	title := trimSpace(text[level:])
	if level == 1 && r.doc.Title == "" {
		r.doc.Title = string(trimFolded(foldSpace(nil, title)))
	}
	if !r.hasID {
		r.spot.mark(l.textStart+level+1, level, title)
		r.sectionID(asciidocPlain(title[:min(len(title), maxHeading)]))
	}
	r.hasID = false
	r.gather(l.at)
	r.flush(r.inlines)
	return true
}

// sectionID adds the ids that a title gets: by Asciidoctor's default, and with the
// idprefix and idseparator of GitHub and Antora.
func (r *asciidocReader) sectionID(plain string) {
	for _, id := range [...]string{"_" + asciidocID(plain, '_'), asciidocID(plain, '-')} {
		r.taken[id]++
		if n := r.taken[id]; n > 1 {
			id += asciidocSeparator(id) + strconv.Itoa(n)
		}
		r.anchor([]byte(id))
	}
}

// asciidocSeparator returns the separator before the number that makes an id unique.
func asciidocSeparator(id string) string {
	if strings.HasPrefix(id, "_") {
		return "_"
	}
	return "-"
}

// asciidocPlain removes anchors, backticks and asterisks from a title.
func asciidocPlain(title []byte) string {
	var b strings.Builder
	for i := 0; i < len(title); i++ {
		switch c := title[i]; {
		case bytes.HasPrefix(title[i:], []byte("[[")):
			if n := bytes.Index(title[i:], []byte("]]")); n >= 0 {
				i += n + 1
			}
		case c == '`' || c == '*':
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}

// asciidocID makes an id from a title. It converts to lower case, replaces each run of
// spaces, dots and hyphens with one separator, and drops all other characters that cannot
// be part of a word.
func asciidocID(title string, separator rune) string {
	var b strings.Builder
	pending := false
	for _, c := range strings.ToLower(title) {
		switch {
		case c == ' ' || c == '.' || c == '-' || c == separator:
			pending = b.Len() > 0
		case unicode.IsLetter(c) || unicode.IsDigit(c) || c == '_' || unicode.IsMark(c):
			if pending {
				b.WriteRune(separator)
				pending = false
			}
			b.WriteRune(c)
		}
	}
	return b.String()
}

// inlines reads a paragraph.
func (r *asciidocReader) inlines(v *view) {
	b, free := v.text, 0
	take := func(end, next int) {
		r.bareLinks(v, span{free, end})
		free = next
	}
	for i := 0; i < len(b); {
		end := -1
		switch b[i] {
		case '`':
			if bytes.HasPrefix(b[i:], []byte("``")) {
				end = r.endOf(b, i+2, "``")
			} else {
				end = verbatimEnd(b, i)
			}
		case '+':
			if bytes.HasPrefix(b[i:], []byte("+++")) {
				end = r.endOf(b, i+3, "+++")
			}
		case '<':
			if bytes.HasPrefix(b[i:], []byte("<<")) {
				if end = r.endOf(b, i+2, ">>"); end >= 0 {
					r.bareLinks(v, span{free, i})
					free = end
					r.crossReference(v, span{i + 2, end - 2}, nil)
				}
			}
		case '[':
			if bytes.HasPrefix(b[i:], []byte("[[")) {
				if end = r.endOf(b, i+2, "]]"); end >= 0 {
					id, _, _ := bytes.Cut(bytes.Trim(b[i:end], "[]"), []byte(","))
					r.spot.markInline(v, i)
					r.anchor(id)
				}
			} else if bytes.HasPrefix(b[i:], []byte("[#")) {
				if n := bytes.IndexAny(b[i:min(len(b), i+maxAttributes)], "].%,"); n > 0 {
					r.spot.markInline(v, i)
					r.anchor(b[i+2 : i+n])
				}
			}
		case ':':
			end = r.macro(v, i, &free)
			if end >= 0 {
				i = end
				continue
			}
		case '\\':
			i++
		}
		if end < 0 {
			i++
			continue
		}
		if free < i {
			take(i, end)
		} else {
			free = max(free, end)
		}
		i = end
	}
	take(len(b), len(b))
}

// macros has the macro names and URL schemes that a colon may follow. Metadata is for
// macros that are not links.
var macros = map[string]Kind{
	"link": Navigation, "xref": Navigation, "mailto": Navigation, "http": Navigation, "https": Navigation, "ftp": Navigation, "irc": Navigation,
	"image": Resource, "include": Resource, "video": Resource, "audio": Resource, "anchor": Metadata, "pass": Metadata, "stem": Metadata,
}

const longestMacro = len("include")

// macro reads "name:target[text]" or "name::target[text]" whose colon is at i. It
// returns the end of the macro, or -1 if there is none.
func (r *asciidocReader) macro(v *view, i int, free *int) int {
	b := v.text
	start := i
	for start > 0 && i-start < longestMacro+1 && isLetter(b[start-1]) {
		start--
	}
	name := string(b[start:i])
	kind, known := macros[name]
	if !known || start > 0 && (b[start-1] == '\\' || isAlphanumeric(b[start-1])) || start < *free {
		return -1
	}
	isURL := kind == Navigation && name != "link" && name != "xref"
	target := i + 1
	if target < len(b) && b[target] == ':' && !isURL {
		target++
	}
	at := span{target, target}
	if bytes.HasPrefix(b[target:], []byte("++")) { // link:++url++[]
		n := bytes.Index(b[target+2:min(len(b), target+2+maxMacro)], []byte("++"))
		if n < 0 {
			return -1
		}
		at = span{target + 2, target + 2 + n}
		target = at.end + 2
	} else {
		for target < len(b) && target-at.start < maxMacro && !isSpace(b[target]) && b[target] != '[' {
			target++
		}
		at.end = target
	}
	if target >= len(b) || b[target] != '[' {
		return -1
	}
	end := bracketEnd(b, target)
	if end < 0 || isURL && bytes.ContainsAny(b[at.start:at.end], "<>\"`") {
		return -1
	}
	text := b[target+1 : end-1]
	r.bareLinks(v, span{*free, start})
	*free = end
	switch {
	case name == "anchor":
		r.spot.markInline(v, at.start)
		r.anchor(b[at.start:at.end])
	case kind == Metadata:
	case name == "xref":
		r.crossReference(v, at, text)
	case isURL:
		r.addLink(v, span{start, at.end}, asciidocUnescape(b[start:at.end]), macroText(text))
		r.images(v, span{target + 1, end - 1})
	default:
		if name == "include" {
			r.doc.Static = false
		}
		var f *Link
		if kind != Resource || !isAntoraResource(b[at.start:at.end]) && (name != "video" || !isHostedVideo(text)) {
			var decoded []byte
			if name == "link" && at.end == target {
				decoded = asciidocUnescape(b[at.start:at.end])
			}
			f = r.addLink(v, at, decoded, macroText(text))
		}
		if f != nil && kind == Resource {
			f.Element, f.Attribute, f.Kind = name, "src", Resource
			if name == "image" {
				f.Element, f.Expect = "img", ExpectImage
			}
		}
		if kind == Resource {
			r.imageLink(v, span{target + 1, end - 1})
		} else {
			r.images(v, span{target + 1, end - 1})
		}
	}
	return end
}

// asciidocUnescape removes the backslashes that keep dots and hyphens in a URL from
// becoming an ellipsis or a dash. It returns nil if there are none.
func asciidocUnescape(url []byte) []byte {
	if bytes.IndexByte(url, '\\') < 0 {
		return nil
	}
	var out []byte
	for i, c := range url {
		if c == '\\' && (bytes.HasPrefix(url[i+1:], []byte("...")) || bytes.HasPrefix(url[i+1:], []byte("--"))) {
			continue
		}
		out = append(out, c)
	}
	if len(out) == len(url) {
		return nil
	}
	return out
}

// isAntoraResource reports whether the target of an image or an include is an Antora
// resource id, version@component:module:family$path, rather than a path or a URL. Only
// the path is required in a resource id.
func isAntoraResource(target []byte) bool {
	head := target
	if slash := bytes.IndexByte(head, '/'); slash >= 0 {
		head = head[:slash]
	}
	if family, _, ok := bytes.Cut(head, []byte("$")); ok {
		switch string(family[bytes.LastIndexAny(family, ":@")+1:]) {
		case "partial", "example", "image", "attachment", "page":
			return true
		}
	}
	module, path, ok := bytes.Cut(head, []byte(":"))
	if !ok || len(path) == 0 && len(head) < len(target) { // https://
		return false
	}
	scheme := string(module)
	return len(module) > 1 && scheme != "data" && scheme != "file" && scheme != "blob"
}

// isHostedVideo reports whether the attributes of a video name a hosting service, for
// which the target is an identifier rather than a path.
func isHostedVideo(attributes []byte) bool {
	first, _, _ := bytes.Cut(attributes, []byte(","))
	switch string(bytes.Trim(first, `" `)) {
	case "youtube", "vimeo", "wistia":
		return true
	}
	return false
}

// maxMacro limits the target of a macro and the text in its brackets, in bytes.
const maxMacro = 4096

// bracketEnd returns the offset after the ']' that closes the '[' at i, or -1 if there is
// none. Brackets nest, as those of an image in the text of a link.
func bracketEnd(b []byte, i int) int {
	open := 0
	for at := i; at < len(b) && at-i < maxMacro; at++ {
		switch b[at] {
		case '\\':
			at++
		case '[':
			open++
		case ']':
			if open--; open == 0 {
				return at + 1
			}
		}
	}
	return -1
}

// images adds the images in the text of a link.
func (r *asciidocReader) images(v *view, at span) {
	b := v.text[:at.end]
	for i := at.start; i < at.end; {
		n := bytes.Index(b[i:], []byte("image:"))
		if n < 0 {
			return
		}
		start := i + n
		if i = r.macro(v, start+len("image"), &start); i < 0 {
			return
		}
	}
}

// macroText returns the text in the brackets of a macro, without the attributes.
func macroText(b []byte) []byte {
	if bytes.HasPrefix(b, []byte("image:")) {
		_, b, _ = bytes.Cut(bytes.TrimSuffix(b, []byte("]")), []byte("["))
	}
	if i := bytes.IndexByte(b, ','); i >= 0 && bytes.IndexByte(b[i:], '=') >= 0 {
		b = b[:i]
	}
	return bytes.TrimSuffix(bytes.Trim(b, `"`), []byte("^"))
}

// imageLink adds the link= attribute of an image.
func (r *asciidocReader) imageLink(v *view, at span) {
	_, value, ok := bytes.Cut(v.text[at.start:at.end], []byte("link="))
	if !ok {
		return
	}
	start := at.end - len(value)
	if len(value) > 0 && value[0] == '"' {
		start++
		value = value[1:]
	}
	if n := bytes.IndexAny(value, `,"`); n >= 0 {
		value = value[:n]
	}
	if string(value) != "self" {
		r.addLink(v, trimSpan(v.text, span{start, start + len(value)}), nil, nil)
	}
}

// crossReference adds the target of <<target,text>> or xref:target[text]. As in Asciidoctor, a document may lack its
// extension before a fragment, and the macro may name any file that has one
// (https://docs.asciidoctor.org/asciidoc/latest/macros/inter-document-xref/).
func (r *asciidocReader) crossReference(v *view, at span, text []byte) {
	macro := text != nil
	if !macro {
		var target []byte
		target, text, _ = bytes.Cut(v.text[at.start:at.end], []byte(","))
		at.end = at.start + len(target)
	}
	at = trimSpan(v.text, at)
	target := v.text[at.start:at.end]
	file, id, hash := bytes.Cut(target, []byte("#"))
	extension := path.Ext(string(file))
	isFile := extension == ".adoc" || extension == ".asciidoc" || extension == ".html" || macro && extension != "" || !hash && bytes.IndexByte(file, '/') >= 0
	var ref []byte
	switch {
	case len(target) == 0 || bytes.ContainsAny(file, " :@$"):
		return // the title of a section, or an Antora resource
	case isFile:
	case hash && len(file) > 0:
		ref = append(append([]byte{}, file...), ".adoc#"...)
		ref = append(ref, id...)
	case hash:
	case bytes.ContainsFunc(file, unicode.IsUpper) && bytes.IndexByte(file, '_') < 0 && bytes.IndexByte(file, '-') < 0:
		return // the title of a section
	default:
		ref = append([]byte{'#'}, file...)
	}
	r.addLink(v, at, ref, macroText(text))
}
