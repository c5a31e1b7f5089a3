package extract

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

// markdownFormat is CommonMark 0.31 with the tables, footnotes and bare links of GitHub
// Flavored Markdown.
//
//	md_blocks.go       the blocks, by goldmark, and link reference definitions
//	md_inline.go       the contents of a block: code, links, images, tags
//	md_wiki.go         wiki links
//	md_angle.go        constructs that begin with '<': autolinks and raw HTML
//	md_html.go         raw HTML, by the HTML reader
//	md_mdx.go          what MDX adds to blocks: modules, comments, tags over several lines
//	md_components.go   the components of MDX
//	md_text.go         escapes, the text of links and headings
//	md_ignore.go       links that comments exclude
//	md_frontmatter.go  front matter
//	md_undefined.go    references without a definition
//	md_roles.go        the roles of MyST
//	md_slugs.go        the anchors that site generators derive from headings
//
// Goldmark only finds the blocks. This package reads their contents itself, because
// goldmark's link nodes do not record the position of the URL and no tree is needed.
//
// Links are inline links and images, reference links and images, autolinks, bare
// URLs and mail addresses, and all links in raw HTML. A reference link is reported
// once, however often it is used: at its definition, which is where an author fixes
// it, with the text of the first use. A definition that nothing uses is not a link;
// authors write comments that way. Code and wiki links ([[page]]) are read only on request (Options). A link
// whose destination contains a placeholder is marked (text_placeholder.go).
//
// Anchors are those that any of the common generators would derive from a heading,
// explicit ids ({#id}), footnotes, and the ids in raw HTML.
var markdownFormat = format{
	name:       "markdown",
	media:      []string{"text/markdown", "text/x-markdown", "text/x-gfm"},
	extensions: []string{"md", "markdown", "mdown", "mkd", "mkdn", "mdwn", "mdx", "qmd", "rmd"},
	charset:    textCharset,
	read:       func(h *harvest, in *Input) { readMarkdown(h, in, nil) },
}

// maxMarkdownLines limits the lines of a document. The block parser needs up to a
// few hundred bytes for each line, and a byte of markup up to a few dozen. A document
// with more than largeMarkdownLines or largeMarkdown bytes is therefore large.
const (
	maxMarkdownLines   = 500_000
	largeMarkdownLines = 20_000
	largeMarkdown      = 512 << 10
)

// markdownReader reads one document.
type markdownReader struct {
	*harvest
	wantLinks bool   // links are wanted, not only anchors
	source    []byte // the input of the block parser; offsets are those of h.src.text
	defs      definitions
	uses      []use // first uses of definitions
	scan      inlineScanner
	slugs     slugger
	// otherSlugs makes the anchors of headings whose underscores may or may not mark
	// emphasis, assuming that they do not.
	otherSlugs slugger
	slug       func(heading []byte) []byte // makes one more anchor; may be nil
	block      view
	buffer     []byte
	html       markdownHTML
	ignored    markdownIgnored
}

// readMarkdown reads a document. If slug is not nil, it makes one more anchor from
// each heading.
func readMarkdown(h *harvest, in *Input, slug func(heading []byte) []byte) {
	r := &markdownReader{harvest: h, wantLinks: !in.AnchorsOnly, slug: slug, slugs: newSlugger(&h.input), otherSlugs: newSlugger(&h.input)}
	matter := readFrontMatter(h.src.text)
	h.doc.Title = matter.title
	r.scan.mdx, r.scan.wiki = isMDX(in), h.input.Options.WikiLinks
	text, jsx := h.src.text, mdx{}
	if r.scan.mdx {
		jsx = readMDX(text, matter.end)
		text = jsx.text
	}
	r.html = markdownHTML{markdown: text, lastTag: -1, marked: r.wantLinks && (bytes.Contains(text, []byte(ignoreAttribute)) || bytes.Contains(text, []byte(noCheckSpelling)))}
	r.source = r.parserSource(text, matter.end)
	r.html.source, r.ignored.source = r.source, r.source
	jsx.hide(r.source)
	r.ignored.applyJSX(h.src.text, jsx.comments)
	var root ast.Node
	root, r.defs = parseBlocks(r.source, r.scan.mdx)
	r.walk(root)
	jsx.readModules(r)
	r.definedLinks()
	if r.wantLinks {
		r.scan.undefined.report(h, r.source)
	}
	r.readHTML(in)
	slices.SortStableFunc(h.links, func(a, b Link) int { return cmp.Compare(a.at, b.at) })
	for i := range h.links {
		f := &h.links[i]
		f.Ignored = f.Ignored || r.ignored.covers(int(f.at))
	}
	for i := range h.doc.CrossReferences {
		f := &h.doc.CrossReferences[i]
		f.Ignored = f.Ignored || r.ignored.covers(int(f.at))
	}
}

// parserSource returns a text as the block parser sees it, with every byte at
// its original offset. Front matter is blanked out, the indented blocks of
// python-markdown become list items, and a lone CR becomes a line feed. Most line
// breaks of a long run become spaces, because each blank line in a list costs the
// parser time for every level of nesting.
func (r *markdownReader) parserSource(text []byte, matter int) []byte {
	if len(text) > largeMarkdown || bytes.Count(text, []byte{'\n'}) > largeMarkdownLines {
		r.large.begin()
	}
	src := bytes.Clone(text)
	blankOut(src[:matter])
	convertIndentedBlocks(src[matter:])
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
				r.fault("read Markdown: more than %d lines; the rest is ignored", maxMarkdownLines)
				return src[:i+1]
			}
		case ' ', '\t':
		default:
			run = 0
		}
	}
	return src
}

// convertIndentedBlocks turns python-markdown and MkDocs blocks into list items. Their
// lines are indented by four spaces, which CommonMark would read as code:
//
//	!!! note "Title"     an admonition
//	??? note, ???+ note  a collapsible admonition
//	=== "Tab"            a tab
//	:   text             a definition
func convertIndentedBlocks(src []byte) {
	for i := 0; i < len(src); i = nextLine(src, i) {
		start := skipBlanks(src, i)
		if start+4 >= len(src) {
			return
		}
		switch c := src[start]; {
		case c == ':' && string(src[start+1:start+4]) == "   " && src[start+4] > ' ':
			src[start] = '-'
		case c == '!' || c == '?' || c == '=':
			convertMarkedBlock(src[start:endOfLine(src, start)], c)
		}
	}
}

// convertMarkedBlock turns the first line of a marked block into the start of a list
// item. The mark must be followed by a name or, for a tab, by a quoted title.
func convertMarkedBlock(line []byte, mark byte) {
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
		line[4] = '.' // five spaces would start a code block
	}
}

// blankOut overwrites everything but line breaks with spaces.
func blankOut(b []byte) {
	for i, c := range b {
		if c != '\n' && c != '\r' {
			b[i] = ' '
		}
	}
}

// walk visits the blocks in order. The parser limits their nesting.
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
			r.verbatim(n.Lines())
		case *ast.FencedCodeBlock:
			r.fencedCode(n)
			r.verbatim(n.Lines())
		case *extast.Footnote:
			r.footnote(n.Ref)
			r.walk(n)
		default:
			r.walk(n)
		}
	}
}

// verbatim adds the URLs in the lines of a code block, if they are wanted.
func (r *markdownReader) verbatim(lines *text.Segments) {
	if !r.input.Options.Verbatim || !r.wantLinks {
		return
	}
	for i := range lines.Len() {
		line := lines.At(i)
		r.codeLinks(&view{text: r.source[line.Start:line.Stop], parent: &r.src, base: line.Start})
	}
}

// codeLinks adds the URLs in code.
func (r *markdownReader) codeLinks(v *view) {
	first := len(r.links)
	r.addBareURIs(v, proseRules)
	for i := first; i < len(r.links); i++ {
		r.links[i].Element = "code"
	}
}

// fencedCode adds the id that follows the fence of a code block, {#id .sh}, as Pandoc
// and pymdownx read it.
func (r *markdownReader) fencedCode(n *ast.FencedCodeBlock) {
	if n.Info == nil {
		return
	}
	info := r.source[n.Info.Segment.Start:n.Info.Segment.Stop]
	if r.wantLinks && bytes.HasPrefix(info, []byte("{toctree}")) {
		mystToctree(r.harvest, n.Lines())
	}
	if brace := bytes.IndexByte(info, '{'); brace >= 0 && !r.slugs.by.plain {
		if id, ok := explicitID(info[brace:]); ok {
			r.spot.mark(n.Info.Segment.Start+brace+id.start, 0, nil)
			r.anchor(info[brace+id.start : brace+id.end])
		}
	}
}

// footnote adds the anchors of a footnote and of its first use, as GitHub, Pandoc,
// kramdown, python-markdown and goldmark write them.
func (r *markdownReader) footnote(label []byte) {
	r.spot.mark(-1, 0, nil)
	for _, prefix := range [...]string{"fn-", "fn", "fn:", "user-content-fn-", "fnref-", "fnref", "fnref:", "user-content-fnref-"} {
		r.anchor(append([]byte(prefix), label...))
	}
}

// paragraph reads a paragraph, which may contain a table.
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

// tableHeader returns the index of the line that is the header of a table, or -1 if
// there is no table.
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

// tableRow reads each cell of a row separately, because a code span cannot extend
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
	if len(v.text) > 0 {
		r.spot.mark(v.source(0), n.Level, trimSpace(v.text[:withoutAttributes(v.text)]))
		defer r.spot.mark(-1, 0, nil)
	}
	explicit := r.inlines(v)
	end := len(v.text)
	if !r.slugs.by.plain {
		end = withoutAttributes(v.text)
	}
	name := r.scan.plainText(nil, span{0, end}, false, maxHeading)
	if n.Level == 1 && r.doc.Title == "" {
		r.doc.Title = string(trimFolded(foldSpace(nil, name)))
	}
	if explicit {
		return
	}
	r.slugs.addTo(r.harvest, string(name))
	if r.slug != nil {
		r.anchor(r.slug(name))
	}
	if all := r.scan.plainText(nil, span{0, end}, true, maxHeading); !bytes.Equal(all, name) {
		r.otherSlugs.addTo(r.harvest, string(all))
	}
}

// maxHeading is the length of the part of a heading that anchors are made from, in bytes.
const maxHeading = 1000

// view returns the text of some lines of a block without their prefixes, such as the
// '>' of a block quote.
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

// inlines reads the contents of a block and reports whether they include an id ({#id}).
func (r *markdownReader) inlines(v *view) (hasID bool) {
	s := &r.scan
	first := len(s.undefined.uses)
	s.read(v.text, r.defs)
	s.undefined.locate(v, first)
	if r.slugs.by.plain {
		s.ids = s.ids[:0]
	}
	for _, name := range s.ids {
		r.spot.markInline(v, name.start)
		r.anchor(v.text[name.start:name.end])
	}
	r.readItems(v)
	return len(s.ids) > 0
}

// readItems reads the inlines that the scanner has found in a block.
func (r *markdownReader) readItems(v *view) {
	if slices.ContainsFunc(r.scan.items, func(it inline) bool { return it.kind == inlineTag }) {
		r.rawInline(v)
	}
	if r.wantLinks {
		r.inlineLinks(v)
	}
}

// inlineLinks adds the links of a block in the order of their positions: the links
// with markup, and the bare links between them.
func (r *markdownReader) inlineLinks(v *view) {
	free, image, inAnchor := 0, 0, false
	var open *inline // the link whose text is being scanned; its URL follows the text
	upTo := func(start int) {
		if open != nil && start >= open.at.end {
			r.linkOrImage(v, open)
			open = nil
		}
		if start >= free && !inAnchor {
			r.bareLinks(v, span{free, start})
		}
	}
	for i := range r.scan.items {
		it := &r.scan.items[i]
		if it.at.start < image {
			continue // links in the alternative text of an image are plain text
		}
		upTo(it.at.start)
		free = max(free, it.at.end)
		switch it.kind {
		case inlineCode:
			mystRole(r.harvest, v, it)
			if r.input.Options.Verbatim {
				r.codeLinks(&view{text: v.text[it.text.start:it.text.end], parent: v, base: it.text.start})
			}
		case inlineWiki, inlineWikiImage:
			r.wikiLink(v, it)
		case inlineComponent:
			r.component(v, it)
		case inlineTag:
			inAnchor = inAnchorAfter(v.text[it.at.start:it.at.end], inAnchor)
		case inlineAutolink:
			r.directLink(v, it, it.text, nil, Navigation)
		case inlineMail:
			r.directLink(v, it, it.text, append([]byte("mailto:"), v.text[it.text.start:it.text.end]...), Navigation)
		case inlineLink:
			open = it
		case inlineImage:
			image = it.at.end
			r.linkOrImage(v, it)
		}
	}
	upTo(len(v.text))
}

// linkOrImage adds a link or an image that has its own destination. If it uses a
// definition instead, linkOrImage records the use.
func (r *markdownReader) linkOrImage(v *view, it *inline) {
	kind := Navigation
	if it.kind == inlineImage {
		kind = Resource
	}
	if it.definition == nil {
		var ref []byte
		if raw := v.text[it.dest.start:it.dest.end]; needsUnescapeMarkdown(raw) {
			ref = unescapeMarkdown(nil, raw)
		}
		r.directLink(v, it, it.dest, ref, kind)
		return
	}
	if d := it.definition; !d.used[kind] {
		d.used[kind] = true
		start := v.source(it.at.start)
		r.uses = append(r.uses, use{d, kind, r.linkText(it), r.html.insertTag(start, v.source(it.at.end)), start})
	}
}

// use is the first use of a definition by links or by images.
type use struct {
	*definition
	kind  Kind
	text  string
	tag   int32
	start int
}

// definedLinks adds the links of the definitions in use, in the order of the definitions.
func (r *markdownReader) definedLinks() {
	slices.SortStableFunc(r.uses, func(a, b use) int { return cmp.Compare(a.at.start, b.at.start) })
	for _, u := range r.uses {
		if f := r.link(&r.src, u.at, u.ref, u.kind); f != nil {
			f.Text, f.tag, f.Ignored = u.text, u.tag, r.ignored.covers(u.start)
		}
	}
}

// linkText returns the text of a link.
func (r *markdownReader) linkText(it *inline) string {
	if name := trimFolded(foldSpace(nil, r.scan.plainText(nil, it.text, false, maxText))); len(name) > 0 {
		return r.keep(name)
	}
	return ""
}

// directLink adds a link whose URL is in the block itself rather than in a definition.
func (r *markdownReader) directLink(v *view, it *inline, at span, ref []byte, kind Kind) {
	if f := r.link(v, at, ref, kind); f != nil {
		f.Text, f.tag = r.linkText(it), r.html.insertTag(v.source(it.at.start), v.source(it.at.end))
	}
}

// link adds a link whose reference is at v.text[at]. If the reference is escaped there,
// ref is its unescaped form; otherwise ref is nil.
func (r *markdownReader) link(v *view, at span, ref []byte, kind Kind) *Link {
	seen := ref
	if seen == nil {
		seen = v.text[at.start:at.end]
	}
	f := r.add(v, at, ref)
	if f != nil {
		f.Placeholder = holdsPlaceholder(seen)
		f.Kind, f.Element, f.Attribute = kind, "a", "href"
		if kind == Resource {
			f.Expect, f.Element, f.Attribute = ExpectImage, "img", "src"
		}
	}
	return f
}

// bareLinks adds the URLs and mail addresses in the text of a block.
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
		inner.text, inner.marks = unescapeMarkdownWithMarks(nil, nil, written)
	}
	first := len(r.links)
	r.addBareURIs(&inner, markdownRules)
	for i := first; i < len(r.links); i++ {
		f := &r.links[i]
		end := int(f.at) + len(f.Raw)
		if end == v.source(at.end) && placeholderFollows(v.text, at.end) { // <name> looks like a tag
			r.links = r.links[:i]
			return
		}
		f.Element, f.Attribute = "a", "href"
		if f.Text = f.Raw; needsUnescapeMarkdown([]byte(f.Raw)) {
			f.Text = f.Ref
		}
		if len(f.Text) > maxText {
			f.Text = r.keep(foldSpace(nil, []byte(f.Text)))
		}
		f.tag = r.html.insertTag(int(f.at), end)
	}
}
