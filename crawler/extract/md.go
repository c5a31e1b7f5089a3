package extract

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// Markdown: CommonMark 0.31 with the tables, footnotes and bare links of GitHub
// Flavored Markdown.
//
//	md_blocks.go       the blocks, by goldmark, and link reference definitions
//	md_inline.go       what stands in a block: code, links, images, tags
//	md_angle.go        what begins with '<': autolinks and raw HTML
//	md_html.go         raw HTML, by the reader of HTML
//	md_text.go         escapes, the text of links and headings
//	md_ignore.go       links that comments leave out
//	md_frontmatter.go  the metadata in front
//	md_slugs.go        the anchors that generators make of headings
//
// Goldmark finds the blocks only. What stands in them is read here: the nodes of
// a link know no place of the URL, and a tree is not needed for it.
//
// What counts: inline links and images, reference links and images, autolinks,
// bare URLs and mail addresses, and all links of raw HTML, by the reader of HTML.
// A reference link stands at its definition, where it is mended, once however
// often it is used, with the text of the first use; a definition that nothing uses is no link
// (it is how comments are written). Code is not looked into. Wiki links ([[page]]) are not
// links. A destination that holds a placeholder is left out (text_placeholder.go).
//
// Anchors are those that any of the common generators would make of a heading,
// explicit ids ({#id}), footnotes, and the ids of raw HTML.
var markdownFormat = format{
	name:       "markdown",
	media:      []string{"text/markdown", "text/x-markdown", "text/x-gfm"},
	extensions: []string{"md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "mdx", "qmd", "rmd"},
	charset:    textCharset,
	read:       func(h *harvest, in *Input) { readMarkdown(h, in, nil) },
}

// maxMarkdownLines bounds the lines of a document. The block parser needs up to
// some hundred bytes for each.
const maxMarkdownLines = 500_000

// markdownReader reads one document.
type markdownReader struct {
	*harvest
	want   bool
	source []byte // what the block parser reads: h.src.text, offset for offset
	defs   definitions
	uses   []use // of definitions
	scan   inlineScanner
	slugs  slugger
	// otherSlugs are those of headings with underscores that may or may not be
	// emphasis, as if they were not.
	otherSlugs slugger
	slug       func(heading []byte) []byte // nil, or another way to make one
	block      view
	buffer     []byte
	html       markdownHTML
	ignored    markdownIgnored
}

// readMarkdown reads a document. Slug makes one more anchor of each heading, where
// it is given.
func readMarkdown(h *harvest, in *Input, slug func(heading []byte) []byte) {
	r := &markdownReader{harvest: h, want: !in.AnchorsOnly, slug: slug}
	r.html = markdownHTML{markdown: h.src.text, lastTag: -1, marked: r.want && bytes.Contains(h.src.text, []byte(IgnoreAttribute))}
	matter := frontMatter(h.src.text)
	h.doc.Title = matter.title
	r.source = r.parserSource(matter.end)
	r.html.source, r.ignored.source = r.source, r.source
	var root ast.Node
	root, r.defs = parseBlocks(r.source)
	r.walk(root)
	r.definedLinks()
	r.readHTML(in)
	slices.SortStableFunc(h.links, func(a, b Link) int { return cmp.Compare(a.at, b.at) })
	for i := range h.links {
		f := &h.links[i]
		f.Ignored = f.Ignored || r.ignored.covers(int(f.at))
	}
}

// parserSource is the document as the block parser gets it, each byte at its
// offset: front matter is blank, blocks of python-markdown are list items, a lone CR is a line break, and of a long run of
// line breaks most are blanks: in a list each blank line costs the parser time for every level.
func (r *markdownReader) parserSource(matter int) []byte {
	src := bytes.Clone(r.src.text)
	blank(src[:matter])
	openIndented(src[matter:])
	lines, run, last := 0, 0, 0
	for i := matter; i < len(src); i++ {
		switch c := src[i]; c {
		case '\r':
			if i+1 < len(src) && src[i+1] == '\n' {
				continue
			}
			src[i] = '\n'
			fallthrough
		case '\n':
			lines++
			if run++; run > 3 {
				src[last] = ' '
			}
			last = i
			if lines == maxMarkdownLines {
				r.fault("read Markdown: more than %d lines, the rest is left out", maxMarkdownLines)
				return src[:i+1]
			}
		case ' ', '\t':
		default:
			run = 0
		}
	}
	return src
}

// openIndented makes list items of the blocks that python-markdown and MkDocs know by the
// four blanks in front of their lines, which are code to CommonMark:
//
//	!!! note "Title"     an admonition
//	??? note, ???+ note  one that opens and closes
//	=== "Tab"            a tab
//	:   text             a definition
func openIndented(src []byte) {
	for i := 0; i < len(src); i = nextLine(src, i) {
		start := skipBlanks(src, i)
		if start+4 >= len(src) {
			return
		}
		switch c := src[start]; {
		case c == ':' && string(src[start+1:start+4]) == "   " && src[start+4] > ' ':
			src[start] = '-'
		case c == '!' || c == '?' || c == '=':
			openMarked(src[start:endOfLine(src, start)], c)
		}
	}
}

// openMarked makes the beginning of a list item of a line that begins with a mark, if it
// is followed as it has to be: by a name, or where tabs begin, a title in quotes.
func openMarked(line []byte, mark byte) {
	if len(line) < 5 || line[1] != mark || line[2] != mark {
		return
	}
	text := 3
	if mark != '!' && line[3] == '+' || mark == '=' && line[3] == '!' {
		text++
	}
	if line[text] != ' ' || text+1 == len(line) {
		return
	}
	if next := line[text+1]; mark == '=' && next != '"' || mark != '=' && !isLetter(next) && (mark != '?' || next != '"') {
		return
	}
	copy(line, "-   ")
	if text == 4 {
		line[4] = '.' // five blanks would begin code
	}
}

// blank writes blanks over all but line breaks.
func blank(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// walk visits the blocks in order. Their nesting is bounded by the parser.
func (r *markdownReader) walk(n ast.Node) {
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch n := c.(type) {
		case *ast.Paragraph:
			r.paragraph(n.Lines())
		case *ast.TextBlock:
			r.paragraph(n.Lines())
		case *ast.Heading:
			r.heading(n)
		case *ast.HTMLBlock:
			r.htmlBlock(n)
		case *ast.CodeBlock:
		case *ast.FencedCodeBlock:
			r.fenced(n)
		case *extast.Footnote:
			r.footnote(n.Ref)
			r.walk(n)
		default:
			r.walk(n)
		}
	}
}

// fenced notes the id behind the fence of a code block, {#id .sh}, as Pandoc and pymdownx
// read it.
func (r *markdownReader) fenced(n *ast.FencedCodeBlock) {
	if n.Info == nil {
		return
	}
	info := r.source[n.Info.Segment.Start:n.Info.Segment.Stop]
	if brace := bytes.IndexByte(info, '{'); brace >= 0 {
		if id, ok := explicitID(info[brace:]); ok {
			r.anchor(info[brace+id.start : brace+id.end])
		}
	}
}

// footnote notes the anchors of a footnote and of its first use, as GitHub,
// Pandoc, kramdown, python-markdown and goldmark write them.
func (r *markdownReader) footnote(label []byte) {
	for _, prefix := range [...]string{"fn-", "fn", "fn:", "user-content-fn-", "fnref-", "fnref", "fnref:", "user-content-fnref-"} {
		r.anchor(append([]byte(prefix), label...))
	}
}

// paragraph reads a paragraph, or the table that it is.
func (r *markdownReader) paragraph(lines *text.Segments) {
	header := tableHeader(r.source, lines)
	if header < 0 {
		r.inlines(r.view(lines.Sliced(0, lines.Len())))
		return
	}
	if header > 0 {
		r.inlines(r.view(lines.Sliced(0, header)))
	}
	for i := header; i < lines.Len(); i++ {
		if i != header+1 {
			r.tableRow(lines.At(i))
		}
	}
}

// tableHeader returns which line is the header of a table, -1 when there is none.
func tableHeader(source []byte, lines *text.Segments) int {
	for i := 1; i < lines.Len(); i++ {
		line := lines.At(i)
		if isTableDelimiter(source[line.Start:line.Stop]) {
			return i - 1
		}
	}
	return -1
}

func isTableDelimiter(line []byte) bool {
	dashes, marks := 0, 0
	for _, c := range line {
		switch c {
		case '-':
			dashes++
		case '|', ':':
			marks++
		case ' ', '\t', '\r', '\n':
		default:
			return false
		}
	}
	return dashes > 0 && marks > 0
}

// tableRow reads the cells of a row, each by itself: a code span does not reach
// into the next cell.
func (r *markdownReader) tableRow(line text.Segment) {
	start := line.Start
	for i := start; i <= line.Stop; i++ {
		if i == line.Stop || r.source[i] == '|' && (i == line.Start || r.source[i-1] != '\\') {
			if start < i {
				r.inlines(r.view([]text.Segment{text.NewSegment(start, i)}))
			}
			start = i + 1
		}
	}
}

func (r *markdownReader) heading(n *ast.Heading) {
	v := r.view(n.Lines().Sliced(0, n.Lines().Len()))
	explicit := r.inlines(v)
	end := withoutAttributes(v.text)
	name := r.scan.plain(nil, span{0, end}, false, maxHeading)
	if n.Level == 1 && r.doc.Title == "" {
		r.doc.Title = string(trimFolded(foldSpace(nil, name)))
	}
	if explicit {
		return
	}
	note := func(slug string) { r.anchor([]byte(slug)) }
	r.slugs.heading(string(name), note)
	if r.slug != nil {
		r.anchor(r.slug(name))
	}
	if all := r.scan.plain(nil, span{0, end}, true, maxHeading); !bytes.Equal(all, name) {
		r.otherSlugs.heading(string(all), note)
	}
}

// maxHeading is how much of a heading is made into anchors, in bytes.
const maxHeading = 1000

// view is the text of some lines of a block, without what stands in front of
// them, such as the '>' of a quotation.
func (r *markdownReader) view(lines []text.Segment) *view {
	v := &r.block
	*v = view{marks: v.marks[:0], parent: &r.src}
	if len(lines) == 0 {
		return v
	}
	contiguous := true
	for i, line := range lines {
		contiguous = contiguous && (i == 0 || line.Start == lines[i-1].Stop)
	}
	if contiguous {
		v.text = r.source[lines[0].Start:lines[len(lines)-1].Stop]
		v.marks = append(v.marks, mark{0, lines[0].Start})
		return v
	}
	r.buffer = r.buffer[:0]
	for _, line := range lines {
		v.marks = append(v.marks, mark{len(r.buffer), line.Start})
		r.buffer = append(r.buffer, r.source[line.Start:line.Stop]...)
	}
	v.text = r.buffer
	return v
}

// inlines reads what stands in a block, and reports whether it names an id.
func (r *markdownReader) inlines(v *view) (named bool) {
	s := &r.scan
	s.read(v.text, r.defs)
	for _, name := range s.ids {
		r.anchor(v.text[name.start:name.end])
	}
	tags := false
	for i := range s.items {
		tags = tags || s.items[i].kind == inlineTag
	}
	if tags {
		r.rawInline(v)
	}
	if r.want {
		r.inlineLinks(v)
	}
	return len(s.ids) > 0
}

// inlineLinks notes the links of a block in the order of their places: those that
// are marked up, and between them the bare ones.
func (r *markdownReader) inlineLinks(v *view) {
	free, image, inAnchor := 0, 0, false
	var open *inline // the link whose text is being passed; its URL stands behind that
	upTo := func(start int) {
		if open != nil && start >= open.at.end {
			r.destination(v, open)
			open = nil
		}
		if start >= free && !inAnchor {
			r.bareLinks(v, span{free, start})
		}
	}
	for i := range r.scan.items {
		it := &r.scan.items[i]
		if it.at.start < image {
			continue // the alternative text of an image is text alone
		}
		upTo(it.at.start)
		free = max(free, it.at.end)
		switch it.kind {
		case inlineTag:
			inAnchor = stillInAnchor(v.text[it.at.start:it.at.end], inAnchor)
		case inlineAutolink:
			r.own(v, it, it.text, nil, Navigation)
		case inlineMail:
			r.own(v, it, it.text, append([]byte("mailto:"), v.text[it.text.start:it.text.end]...), Navigation)
		case inlineLink:
			open = it
		case inlineImage:
			image = it.at.end
			r.destination(v, it)
		}
	}
	upTo(len(v.text))
}

// destination notes a link or an image with a destination of its own, or the
// definition that it uses.
func (r *markdownReader) destination(v *view, it *inline) {
	kind := Navigation
	if it.kind == inlineImage {
		kind = Resource
	}
	if it.definition == nil {
		var ref []byte
		if raw := v.text[it.dest.start:it.dest.end]; needsUnescapeMarkdown(raw) {
			ref = unescapeMarkdown(nil, raw)
		}
		r.own(v, it, it.dest, ref, kind)
		return
	}
	if d := it.definition; !d.used[kind] {
		d.used[kind] = true
		start := v.source(it.at.start)
		r.uses = append(r.uses, use{d, kind, r.textOf(it), r.html.leaveTag(start, v.source(it.at.end)), start})
	}
}

// use is the first use of a definition.
type use struct {
	*definition
	kind  Kind
	text  string
	tag   int32
	start int
}

// definedLinks notes the links of definitions, in their order.
func (r *markdownReader) definedLinks() {
	slices.SortStableFunc(r.uses, func(a, b use) int { return cmp.Compare(a.at.start, b.at.start) })
	for _, u := range r.uses {
		if f := r.link(&r.src, u.at, u.ref, u.kind); f != nil {
			f.Text, f.tag, f.Ignored = u.text, u.tag, r.ignored.covers(u.start)
		}
	}
}

// textOf keeps the text of a link.
func (r *markdownReader) textOf(it *inline) string {
	if name := trimFolded(foldSpace(nil, r.scan.plain(nil, it.text, false, MaxText))); len(name) > 0 {
		return r.keep(name)
	}
	return ""
}

// own notes a link that stands in the block it is used in.
func (r *markdownReader) own(v *view, it *inline, at span, ref []byte, kind Kind) {
	if f := r.link(v, at, ref, kind); f != nil {
		f.Text, f.tag = r.textOf(it), r.html.leaveTag(v.source(it.at.start), v.source(it.at.end))
	}
}

// link notes a link whose reference stands at v.text[at], ref when it is escaped
// there.
func (r *markdownReader) link(v *view, at span, ref []byte, kind Kind) *Link {
	seen := ref
	if seen == nil {
		seen = v.text[at.start:at.end]
	}
	if holdsPlaceholder(seen) {
		return nil
	}
	f := r.add(v, at, ref)
	if f != nil {
		f.Kind, f.Element, f.Attribute = kind, "a", "href"
		if kind == Resource {
			f.Expect, f.Element, f.Attribute = ExpectImage, "img", "src"
		}
	}
	return f
}

// bareLinks notes the URLs and mail addresses that stand in the text of a block.
func (r *markdownReader) bareLinks(v *view, at span) {
	if at.start >= at.end {
		return
	}
	written := v.text[at.start:at.end]
	if !mayHoldURI(written) {
		return
	}
	inner := view{text: written, parent: v, base: at.start}
	if needsUnescapeMarkdown(written) {
		inner.text, inner.marks = unescapeMarkdownMarked(nil, nil, written)
	}
	first := len(r.links)
	r.running(&inner, inMarkdown)
	for i := first; i < len(r.links); i++ {
		f := &r.links[i]
		end := int(f.at) + len(f.Raw)
		if end == v.source(at.end) && goesOnWithPlaceholder(v.text, at.end) { // <name> looks like a tag
			r.links = r.links[:i]
			return
		}
		f.Element, f.Attribute = "a", "href"
		if f.Text = f.Raw; needsUnescapeMarkdown([]byte(f.Raw)) {
			f.Text = f.Ref
		}
		if len(f.Text) > MaxText {
			f.Text = r.keep(foldSpace(nil, []byte(f.Text)))
		}
		f.tag = r.html.leaveTag(int(f.at), end)
	}
}
