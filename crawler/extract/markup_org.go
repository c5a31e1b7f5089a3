package extract

import (
	"bytes"
	"strings"
)

// orgFormat is Org. No Go parser for it records positions, so this reader handles the
// link syntax in common use itself:
//
//	read      [[target]] and [[target][text]] with URLs, file: links and paths, #custom-id;
//	          <url>; bare URLs; #+INCLUDE and #+SETUPFILE
//	anchors   CUSTOM_ID and ID properties, <<targets>>, #+NAME, and the headings as GitHub renders them
//	not read  links to headings by their text, to targets by their name, id: links,
//	          abbreviations (#+LINK), and links that only Emacs can open (elisp:, shell:, info:, …)
//
// Blocks (src, example, export, comment), lines that begin with ": " or "# ", ~code~ and
// =verbatim= text are ignored.
var orgFormat = format{
	name:       "org",
	media:      []string{"text/org", "text/x-org"},
	extensions: []string{"org"},
	charset:    textCharset,
	read:       readOrg,
}

type orgReader struct {
	lineMarkup
	skippedBlock  string // the name of the block being skipped; "" outside of one
	slugs         slugger
	abbreviations map[string]bool
}

func readOrg(h *harvest, in *Input) {
	r := orgReader{lineMarkup: newLineMarkup(h, in, markupRules), slugs: newSlugger(&h.input), abbreviations: map[string]bool{}}
	r.lines(r.line)
	if r.skippedBlock != "" {
		h.fault("read Org: #+begin_%s is never closed", r.skippedBlock)
	}
	r.flush(r.inlines)
	r.applyMarks()
}

func (r *orgReader) line(l line) {
	text := l.text
	if r.skippedBlock != "" {
		if len(text) > 6 && equalFold(text, "#+end_"+r.skippedBlock) {
			r.skippedBlock = ""
		}
		return
	}
	switch {
	case l.blank():
		r.flush(r.inlines)
	case bytes.HasPrefix(text, []byte("#+")):
		r.flush(r.inlines)
		r.keyword(l)
	case bytes.HasPrefix(text, []byte("# ")) || string(text) == "#":
		r.flush(r.inlines)
		r.readMark(text[len("#"):], l.at.end, false)
	case bytes.HasPrefix(text, []byte(": ")):
		r.flush(r.inlines)
	case l.indent == 0 && text[0] == '*' && runLength(text, 0) < len(text) && text[runLength(text, 0)] == ' ':
		r.flush(r.inlines)
		r.headline(l)
	case text[0] == ':' && r.property(text):
		r.flush(r.inlines)
	default:
		r.gather(l.at)
	}
}

// skippedBlocks has the names of the blocks whose content is not read.
var skippedBlocks = map[string]bool{"src": true, "example": true, "export": true, "comment": true, "html": true, "latex": true}

// keyword reads "#+NAME: value" and "#+begin_NAME".
func (r *orgReader) keyword(l line) {
	text := l.text[len("#+"):]
	name, _, _ := bytes.Cut(text, []byte(" "))
	if len(name) > len("begin_") && equalFold(name[:len("begin_")], "begin_") {
		if block := strings.ToLower(string(name[len("begin_"):])); skippedBlocks[block] {
			r.skippedBlock = block
		}
		return
	}
	colon := bytes.IndexByte(text, ':')
	if colon < 0 {
		return
	}
	at := trimSpan(r.src.text, span{l.textStart + len("#+") + colon + 1, l.at.end})
	value := r.src.text[at.start:at.end]
	switch strings.ToLower(string(text[:colon])) {
	case "title":
		if r.doc.Title == "" {
			r.doc.Title = string(trimFolded(foldSpace(nil, value)))
		}
	case "name":
		r.anchor(value)
	case "link":
		if name, _, ok := bytes.Cut(value, []byte(" ")); ok {
			r.abbreviations[string(name)] = true
		}
	case "include", "setupfile":
		r.doc.Static = r.doc.Static && text[0]|0x20 != 'i'
		if len(value) > 0 && value[0] == '"' {
			at.start++
			if n := bytes.IndexByte(value[1:], '"'); n >= 0 {
				at.end = at.start + n
			}
		} else if n := bytes.IndexByte(value, ' '); n >= 0 {
			at.end = at.start + n
		}
		if n := bytes.Index(r.src.text[at.start:at.end], []byte("::")); n > 0 {
			at.end = at.start + n
		}
		if f := r.addLink(&r.src, at, nil, nil); f != nil {
			f.Element, f.Attribute, f.Kind = "include", "src", Resource
		}
	case "caption", "attr_html", "author", "description", "html_link_home", "html_link_up":
		r.gather(at)
		r.flush(r.inlines)
	}
}

// headline adds the anchors of a heading, without its stars, its keyword and its tags.
func (r *orgReader) headline(l line) {
	title := trimSpace(l.text[runLength(l.text, 0):])
	for _, keyword := range []string{"TODO ", "DONE "} {
		title = bytes.TrimPrefix(title, []byte(keyword))
	}
	if n := bytes.LastIndexByte(title, ' '); n > 0 && len(title) > n+2 && title[n+1] == ':' && title[len(title)-1] == ':' {
		title = trimSpaceRight(title[:n])
	}
	stars := runLength(l.text, 0)
	r.spot.mark(l.textStart+stars+bytes.Index(l.text[stars:], title), stars, title)
	r.slugs.addTo(r.harvest, orgPlain(title[:min(len(title), maxHeading)]))
	r.gather(l.at)
	r.flush(r.inlines)
}

// orgPlain returns the visible text of a heading.
func orgPlain(title []byte) string {
	var b strings.Builder
	for i := 0; i < len(title); i++ {
		if bytes.HasPrefix(title[i:], []byte("[[")) {
			if n := bytes.Index(title[i:], []byte("]]")); n >= 0 {
				inner := title[i+2 : i+n]
				if m := bytes.Index(inner, []byte("][")); m >= 0 {
					inner = inner[m+2:]
				}
				b.Write(inner)
				i += n + 1
				continue
			}
		}
		if c := title[i]; c != '~' && c != '=' && c != '*' && c != '/' {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// property adds the id on a line of a property drawer. It reports whether the line sets
// an id.
func (r *orgReader) property(text []byte) bool {
	name, value, ok := bytes.Cut(text[1:], []byte(":"))
	if !ok {
		return false
	}
	value = trimSpace(value)
	switch strings.ToLower(string(name)) {
	case "custom_id":
		r.anchor(value)
	case "id":
		r.anchor(append([]byte("ID-"), value...))
	default:
		return false
	}
	return true
}

// inlines reads a paragraph.
func (r *orgReader) inlines(v *view) {
	b, free := v.text, 0
	for i := 0; i < len(b); {
		end := -1
		switch {
		case bytes.HasPrefix(b[i:], []byte("[[")):
			if at, text, after := r.brackets(b, i); after >= 0 {
				end = after
				r.bareLinks(v, span{free, i})
				r.link(v, at, text)
				free = end
			}
		case bytes.HasPrefix(b[i:], []byte("<<")):
			if end = r.endOf(b, i+2, ">>"); end >= 0 {
				r.spot.markInline(v, i)
				r.anchor(bytes.Trim(b[i:end], "<>"))
				r.bareLinks(v, span{free, i})
				free = end
			}
		case b[i] == '~' || b[i] == '=':
			if end = verbatimEnd(b, i); end >= 0 {
				r.bareLinks(v, span{free, i})
				free = end
			}
		}
		if end < 0 {
			i++
		} else {
			i = end
		}
	}
	r.bareLinks(v, span{free, len(b)})
}

// unfollowedTypes has the link types that do not lead to a document.
var unfollowedTypes = map[string]bool{
	"id": true, "elisp": true, "shell": true, "help": true, "info": true, "man": true, "woman": true, "attachment": true, "eww": true,
	"bbdb": true, "gnus": true, "irc": true, "mhe": true, "rmail": true, "notmuch": true, "mu4e": true, "docview": true, "coderef": true, "roam": true,
}

// brackets reads [[target]] or [[target][text]] at i, where the text may itself be a
// bracketed link to an image. It returns the end of the link, or -1 if there is none.
func (r *orgReader) brackets(b []byte, i int) (target, text span, end int) {
	if end = r.endOf(b, i+2, "]]"); end < 0 {
		return target, text, -1
	}
	target = span{i + 2, end - 2}
	if n := bytes.Index(b[target.start:target.end], []byte("][")); n >= 0 {
		text = span{target.start + n + 2, target.end}
		target.end = target.start + n
		if bytes.HasPrefix(b[text.start:], []byte("[[")) && bytes.HasPrefix(b[end:], []byte("]]")) {
			text.end = end
			end += 2
		}
	}
	return target, text, end
}

// link adds a link, and the image that its text may be.
func (r *orgReader) link(v *view, at, text span) {
	r.target(v, at, trimSpace(bytes.Trim(v.text[text.start:text.end], "[]")))
	inner := v.text[text.start:text.end]
	if bytes.HasPrefix(inner, []byte("[[")) && bytes.HasSuffix(inner, []byte("]]")) {
		text = span{text.start + 2, text.end - 2}
	} else if !isImageName(inner) || bytes.IndexByte(inner, ' ') >= 0 {
		return
	}
	before := len(r.links)
	r.target(v, text, nil)
	for i := before; i < len(r.links); i++ {
		f := &r.links[i]
		f.Element, f.Attribute, f.Kind, f.Expect = "img", "src", Resource, ExpectImage
	}
}

// target adds the target of a link, unless it cannot lead to a document.
func (r *orgReader) target(v *view, at span, text []byte) {
	at = trimSpan(v.text, at)
	target := v.text[at.start:at.end]
	if len(target) == 0 {
		return
	}
	kind, path, typed := bytes.Cut(target, []byte(":"))
	isFile := typed && (string(kind) == "file" || string(kind) == "file+sys" || string(kind) == "file+emacs")
	switch {
	case target[0] == '#':
	case isFile && !bytes.HasPrefix(path, []byte("//")):
		at.start += len(kind) + 1
		r.file(v, at, text)
		return
	case target[0] == '.' || target[0] == '/' || target[0] == '~':
		r.file(v, at, text)
		return
	case !typed || schemeLength(target) == 0 || unfollowedTypes[string(kind)] || r.abbreviations[string(kind)] || bytes.HasPrefix(path, []byte(":")):
		return // a heading, a target in this document, or a link that only Emacs can open
	}
	r.addLink(v, at, nil, text)
}

// file adds a link to a file. A search in the file becomes a fragment if it is for an id.
func (r *orgReader) file(v *view, at span, text []byte) {
	path := v.text[at.start:at.end]
	var ref []byte
	if name, search, ok := bytes.Cut(path, []byte("::")); ok {
		if at.end = at.start + len(name); len(search) > 1 && search[0] == '#' {
			ref = append(append(ref, name...), search...)
		}
	}
	if bytes.HasPrefix(path, []byte("~")) {
		return // someone's home directory
	}
	f := r.addLink(v, at, ref, text)
	if f != nil && len(text) == 0 && isImageName(path) {
		f.Element, f.Attribute, f.Kind, f.Expect = "img", "src", Resource, ExpectImage
	}
}

// isImageName reports whether path names an image, which Org displays instead of linking
// to it.
func isImageName(path []byte) bool {
	dot := bytes.LastIndexByte(path, '.')
	if dot < 0 {
		return false
	}
	switch strings.ToLower(string(path[dot+1:])) {
	case "png", "jpg", "jpeg", "gif", "svg", "webp", "avif":
		return true
	}
	return false
}
