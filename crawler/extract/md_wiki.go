package extract

import (
	"bytes"
	"strings"
)

// Wiki links name a page by its title, as Obsidian, Foam and the wikis of code hosts write
// them:
//
//	[[Page]]            a page, in the directory of the document or anywhere else
//	[[Page#Heading]]    a heading on it; [[#Heading]] is one of the document itself
//	[[Page|text]]       with another text
//	![[image.png]]      a file that is shown in place
//	[[https://host/]]   a URL

// maxWikiLink is the maximum length of a wiki link, in bytes.
const maxWikiLink = 1 << 10

// wikiLink reads the wiki link at i whose first bracket is at open, and returns its end, or
// -1 if there is none.
func (s *inlineScanner) wikiLink(i, open int) int {
	const begin, end = "[[", "]]"
	if !bytes.HasPrefix(s.text[open:], []byte(begin)) {
		return -1
	}
	inside := s.text[open+len(begin):]
	n := bytes.IndexAny(inside[:min(len(inside), maxWikiLink)], "[]\n")
	if n <= 0 || !bytes.HasPrefix(inside[n:], []byte(end)) {
		return -1
	}
	it := inline{kind: inlineWiki, at: span{i, open + len(begin) + n + len(end)}, dest: span{open + len(begin), open + len(begin) + n}}
	if i < open {
		it.kind = inlineWikiImage
	}
	it.text = it.dest
	if bar := bytes.IndexByte(s.text[it.dest.start:it.dest.end], '|'); bar >= 0 {
		it.text.start = it.dest.start + bar + 1
		it.dest.end = it.dest.start + bar
		if bar > 0 && s.text[it.dest.end-1] == '\\' { // in a table
			it.dest.end--
		}
	}
	it.dest = trimSpan(s.text, it.dest)
	switch string(s.text[it.dest.start:it.dest.end]) {
	case "", "_TOC_": // GitLab's table of contents
		return -1
	}
	s.items = append(s.items, it)
	return it.at.end
}

// wikiLink adds a wiki link.
func (r *markdownReader) wikiLink(v *view, it *inline) {
	kind := Navigation
	if it.kind == inlineWikiImage {
		kind = Resource
	}
	name := string(v.text[it.dest.start:it.dest.end])
	isURL := strings.Contains(name, "://")
	ref, anyFragment := name, false
	if !isURL {
		ref, anyFragment = wikiReference(name)
	}
	f := r.link(v, it.dest, []byte(ref), kind)
	if f == nil {
		return
	}
	f.Wiki, f.AnyFragment, f.Text = !isURL && !strings.HasPrefix(ref, "#"), anyFragment, r.linkText(it)
	if kind == Resource && !isImageName([]byte(ref)) { // a page that is shown in place
		f.Kind, f.Expect = Navigation, ExpectAny
	}
	f.tag = r.html.insertTag(v.source(it.at.start), v.source(it.at.end))
}

// wikiReference returns the reference of a wiki link: the title with percent-encoding, and
// the last of its headings in the form that the anchors of Markdown have. The anchor of a
// block (#^id) is not known.
func wikiReference(name string) (ref string, anyFragment bool) {
	page, heading, has := strings.Cut(name, "#")
	var b strings.Builder
	for i := range len(page) {
		if c := page[i]; c <= ' ' || c >= 0x7F || strings.IndexByte("%?#[]\\\"<>^`{|}", c) >= 0 || c == ':' {
			const hex = "0123456789ABCDEF"
			b.WriteByte('%')
			b.WriteByte(hex[c>>4])
			b.WriteByte(hex[c&15])
		} else {
			b.WriteByte(c)
		}
	}
	if !has {
		return b.String(), false
	}
	heading = heading[strings.LastIndexByte(heading, '#')+1:]
	b.WriteByte('#')
	if strings.HasPrefix(heading, "^") {
		return b.String() + "%5E" + heading[1:], true
	}
	b.WriteString(slugGitHub(strings.TrimSpace(heading)))
	return b.String(), false
}
