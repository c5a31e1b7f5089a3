package extract

import (
	"bytes"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// maxOpenBlocks limits the nesting of block quotes and lists, because the parser spends
// time and memory on every open block for every line. Deeper blocks are read as text. A
// list counts twice, for itself and for its item.
const maxOpenBlocks = 40

// blockParser finds the blocks of a document but does not parse their contents. In MDX,
// which mdxBlockParser reads, indented text is not code but Markdown, and there are no blocks of
// raw HTML: Markdown goes on between tags. Comments, scripts and the like are blocks to both.
var blockParser, mdxBlockParser = newBlockParser(false), newBlockParser(true)

func newBlockParser(mdx bool) parser.Parser {
	html, code := parser.NewHTMLBlockParser(), parser.NewCodeBlockParser()
	heading, fenced, paragraph := parser.NewATXHeadingParser(), parser.NewFencedCodeBlockParser(), parser.NewParagraphParser()
	if mdx {
		html, code = literalOnly{html}, noBlock{code}
		heading, fenced, paragraph = indented{heading}, indentedFence{indented{fenced}}, indented{paragraph}
	}
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewSetextHeadingParser(), 100),
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(depthLimited{parser.NewListParser()}, 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(code, 500),
			util.Prioritized(heading, 600),
			util.Prioritized(fenced, 700),
			util.Prioritized(depthLimited{parser.NewBlockquoteParser()}, 800),
			util.Prioritized(html, 900),
			util.Prioritized(depthLimited{extension.NewFootnoteBlockParser()}, 999),
			util.Prioritized(paragraph, 1000),
		),
		parser.WithInlineParsers(util.Prioritized(dropInlines{}, 1000)),
		parser.WithParagraphTransformers(util.Prioritized(definitionParser{}, 100)),
	)
}

// depthLimited refuses to open a block inside too many others.
type depthLimited struct{ parser.BlockParser }

func (s depthLimited) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	if len(pc.OpenedBlocks()) >= maxOpenBlocks {
		return nil, parser.NoChildren
	}
	return s.BlockParser.Open(parent, reader, pc)
}

// literalOnly opens only those blocks of raw HTML whose content is no Markdown.
type literalOnly struct{ parser.BlockParser }

func (s literalOnly) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	line = line[skipBlanks(line, 0):]
	for _, start := range [...]string{"<!--", "<script", "<style", "<pre", "<textarea"} {
		if bytes.HasPrefix(line, []byte(start)) {
			return s.BlockParser.Open(parent, reader, pc)
		}
	}
	return nil, parser.NoChildren
}

// noBlock opens no block.
type noBlock struct{ parser.BlockParser }

func (noBlock) Open(ast.Node, text.Reader, parser.Context) (ast.Node, parser.State) {
	return nil, parser.NoChildren
}

// indented opens its blocks at any indentation.
type indented struct{ parser.BlockParser }

func (indented) CanAcceptIndentedLine() bool { return true }

// indentedFence also ends code that is fenced at any indentation.
type indentedFence struct{ indented }

var fenceKey = parser.NewContextKey()

func (s indentedFence) Open(parent ast.Node, reader text.Reader, pc parser.Context) (ast.Node, parser.State) {
	line, _ := reader.PeekLine()
	node, state := s.BlockParser.Open(parent, reader, pc)
	if node != nil {
		at := max(pc.BlockOffset(), 0)
		pc.Set(fenceKey, bytes.Clone(line[at:at+runLength(line, at)]))
	}
	return node, state
}

func (s indentedFence) Continue(node ast.Node, reader text.Reader, pc parser.Context) parser.State {
	line, _ := reader.PeekLine()
	fence := pc.Get(fenceKey).([]byte)
	if line = trimSpace(line); len(line) >= len(fence) && line[0] == fence[0] && runLength(line, 0) == len(line) {
		reader.AdvanceToEOL()
		return parser.Close
	}
	return s.BlockParser.Continue(node, reader, pc)
}

// dropInlines discards the nodes that the parser makes from a block's text.
type dropInlines struct{}

func (dropInlines) Trigger() []byte { return nil }

func (dropInlines) Parse(ast.Node, text.Reader, parser.Context) ast.Node { return nil }

func (dropInlines) CloseBlock(parent ast.Node, _ text.Reader, _ parser.Context) {
	if c := parent.FirstChild(); c != nil && c.Type() == ast.TypeInline {
		parent.RemoveChildren(parent)
	}
}

func parseBlocks(source []byte, mdx bool) (ast.Node, definitions) {
	pc := parser.NewContext()
	defs := definitions{}
	pc.Set(definitionsKey, defs)
	p := blockParser
	if mdx {
		p = mdxBlockParser
	}
	return p.Parse(text.NewReader(source), parser.WithContext(pc)), defs
}

// A definition is a link reference definition (CommonMark 4.7): [label]: URL "title".
type definition struct {
	at   span   // the URL in the document
	ref  []byte // the unescaped URL; nil if the URL has no escapes
	used [Resource + 1]bool
}

// definitions maps normalized labels to definitions.
type definitions map[string]*definition

func (d definitions) find(label []byte) *definition {
	if len(d) == 0 || len(label) > maxLabel || len(trimSpace(label)) == 0 {
		return nil
	}
	return d[util.ToLinkReference(label)]
}

// maxLabel is the length of the longest label, in bytes; CommonMark allows 999 characters.
const maxLabel = 999

var definitionsKey = parser.NewContextKey()

// definitionParser removes the definitions from the beginning of a paragraph. It
// replaces goldmark's own, which takes quadratic time for many definitions and does not
// record their positions.
type definitionParser struct{}

func (definitionParser) Transform(node *ast.Paragraph, reader text.Reader, pc parser.Context) {
	lines, source := node.Lines(), reader.Source()
	if n := lines.Len(); n == 0 || !startsDefinition(source, lines.At(0)) {
		return
	}
	defs := pc.Get(definitionsKey).(definitions)
	var joined []byte
	marks := make([]mark, 0, lines.Len()+1)
	for i := range lines.Len() {
		line := lines.At(i)
		marks = append(marks, mark{len(joined), line.Start})
		joined = append(joined, source[line.Start:line.Stop]...)
	}
	first := 0 // the first line that is not part of a definition
	for first < len(marks) {
		label, dest, end := readDefinition(joined, marks[first].dec)
		if end < 0 {
			break
		}
		v := view{text: joined, marks: marks, parent: &view{text: source}}
		if key := util.ToLinkReference(joined[label.start:label.end]); defs[key] == nil {
			d := &definition{at: span{v.source(dest.start), v.source(dest.end)}}
			if raw := joined[dest.start:dest.end]; needsUnescapeMarkdown(raw) {
				d.ref = unescapeMarkdown(nil, raw)
			}
			defs[key] = d
		}
		for first < len(marks) && marks[first].dec < end {
			first++
		}
	}
	switch first {
	case 0:
	case len(marks):
		node.Parent().RemoveChild(node.Parent(), node)
	default:
		lines.SetSliced(first, len(marks))
	}
}

// startsDefinition reports whether a paragraph may begin with a definition. It rules out
// most paragraphs cheaply.
func startsDefinition(source []byte, line text.Segment) bool {
	b := bytes.TrimLeft(source[line.Start:line.Stop], " \t")
	return len(b) > 1 && b[0] == '[' && b[1] != '^'
}

// readDefinition reads the definition that begins on the line at i and returns the end
// of its last line; end is -1 if there is no definition.
func readDefinition(b []byte, i int) (label, dest span, end int) {
	none := func() (span, span, int) { return span{}, span{}, -1 }
	i = skipBlanks(b, i)
	if i >= len(b) || b[i] != '[' {
		return none()
	}
	label, i = readLabel(b, i)
	if i < 0 || i >= len(b) || b[i] != ':' || len(trimSpace(b[label.start:label.end])) == 0 || b[label.start] == '^' {
		return none()
	}
	i = skipSpace(b, i+1)
	dest, i = readDestination(b, i)
	if i < 0 || i == dest.start { // an empty destination must be written as <>
		return none()
	}
	lineEnd, alone := restOfLine(b, i)
	after := skipSpace(b, i)
	if after > i && after < len(b) {
		if _, titleEnd := readTitle(b, after); titleEnd >= 0 {
			if end, blank := restOfLine(b, titleEnd); blank {
				return label, dest, end
			}
		}
	}
	if !alone {
		return none()
	}
	return label, dest, lineEnd
}

func skipBlanks(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t') {
		i++
	}
	return i
}

// restOfLine returns the start of the next line and whether the rest of this one is
// blank.
func restOfLine(b []byte, i int) (next int, alone bool) {
	i = skipBlanks(b, i)
	alone = i == len(b) || b[i] == '\n' || b[i] == '\r'
	if n := bytes.IndexByte(b[i:], '\n'); n >= 0 {
		return i + n + 1, alone
	}
	return len(b), alone
}

// readLabel reads a link label whose '[' is at i. It returns the offset after its ']',
// or -1 if there is no valid label.
func readLabel(b []byte, i int) (label span, end int) {
	for at := i + 1; at < len(b) && at-i <= maxLabel+1; at++ {
		switch b[at] {
		case '\\':
			at++
		case '[':
			return span{}, -1
		case ']':
			return span{i + 1, at}, at + 1
		}
	}
	return span{}, -1
}

// maxParentheses is the maximum nesting of parentheses in a destination; CommonMark
// requires three levels.
const maxParentheses = 32

// readDestination reads a link destination at i (CommonMark 6.3) and returns the offset
// after it, or -1 if there is no valid destination. The placeholder of a template may
// contain spaces, because the template fills it in before Markdown is read.
func readDestination(b []byte, i int) (dest span, end int) {
	if i < len(b) && b[i] == '<' && templateEnd(b, i) < 0 {
		for at := i + 1; at < len(b); at++ {
			switch b[at] {
			case '\\':
				at++
			case '\n', '\r', '<':
				return span{}, -1
			case '>':
				return span{i + 1, at}, at + 1
			}
		}
		return span{}, -1
	}
	open, at := 0, i
scan:
	for ; at < len(b); at++ {
		switch c := b[at]; {
		case c == '\\' && at+1 < len(b) && isPunctuation(b[at+1]):
			at++
		case c == '{' || c == '<':
			if end := templateEnd(b, at); end >= 0 {
				at = end - 1
			}
		case c == '(':
			if open++; open > maxParentheses {
				return span{}, -1
			}
		case c == ')':
			if open == 0 {
				break scan
			}
			open--
		case c <= ' ' || c == 0x7F:
			break scan
		}
	}
	if open > 0 {
		return span{}, -1
	}
	return span{i, at}, at
}

// readTitle reads a link title at i and returns the offset after it, or -1 if there is
// no valid title.
func readTitle(b []byte, i int) (title span, end int) {
	if i >= len(b) {
		return span{}, -1
	}
	closing := b[i]
	switch closing {
	case '"', '\'':
	case '(':
		closing = ')'
	default:
		return span{}, -1
	}
	for at := i + 1; at < len(b); at++ {
		switch c := b[at]; {
		case c == '\\':
			at++
		case c == closing:
			return span{i + 1, at}, at + 1
		case c == '(' && closing == ')':
			return span{}, -1
		}
	}
	return span{}, -1
}
