package content

import (
	"bytes"
	"math/rand/v2"
	"strconv"
	"strings"

	"github.com/andybalholm/cascadia"
	"golang.org/x/net/html"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
)

// selection finds the text of elements by a selector, which needs a tree, with its places,
// which the tree of html.Parse does not have. Therefore each start tag gets a private attribute
// with its number, and each visible text a comment behind it, in a copy of the page. The copy
// is parsed, and the numbers within an element tell its texts. That costs several times as much
// as all other rules together, and is done only for rules that name a selector.
type selection struct {
	prepared bool // root and err are those of the page
	root     *html.Node
	err      error

	tokens  htmltoken.Tokenizer
	content visible.Content
	tags    []startTag
	texts   []span
	mark    string // what the attribute is called and the comments begin with
	copied  []byte
}

// startTag is a start tag of the source.
type startTag struct {
	start int
	// text is one more than the number of the visible text that is the whole content, 0 if
	// there is none.
	text int
	// rawStart and rawEnd are the offsets of the content if it is not visible.
	rawStart, rawEnd int
	references       bool
}

// span is a part of the visible text.
type span struct{ from, to int }

// begin begins a page.
func (s *selection) begin() { s.prepared, s.root, s.err = false, nil, nil }

// read parses a page, which may be in XHTML. It must have been called before each.
func (s *selection) read(source []byte, xml bool) error {
	if s.prepared {
		return s.err
	}
	s.prepared = true
	if s.mark == "" {
		// No page can contain a random name on purpose.
		s.mark = "orbweaver-" + strconv.FormatUint(rand.Uint64(), 36) + "-"
	}
	s.copy(source, xml)
	// With scripting disabled, the content of noscript is markup, as it is for the tokenizer.
	s.root, s.err = html.ParseWithOptions(bytes.NewReader(s.copied), html.ParseOptionEnableScripting(false))
	return s.err
}

// copy copies the page with its start tags and texts numbered. What HTML does not have in XHTML
// is replaced: "/>" at elements that have an end tag, and CDATA sections, whose text the parser
// does not need.
func (s *selection) copy(source []byte, xml bool) {
	s.copied, s.tags, s.texts = s.copied[:0], s.tags[:0], s.texts[:0]
	s.content.Reset(source)
	s.tokens.Reset(source, false)
	s.content.XML, s.tokens.XML = xml, xml
	t, text := &s.tokens.Token, &s.content.Text
	copied, raw := 0, false
	for s.tokens.Next() {
		from := len(text.Bytes())
		s.content.Token(t)
		switch t.Kind {
		case htmltoken.StartTag:
			s.tags = append(s.tags, startTag{start: t.Start})
			end := t.Start + len("<")
			for strings.IndexByte(" \t\n\f\r/>", source[end]) < 0 {
				end++
			}
			s.copied = append(s.copied, source[copied:end]...)
			s.copied = append(append(append(s.copied, ' '), s.mark...), `="`...)
			s.copied = append(strconv.AppendInt(s.copied, int64(len(s.tags)-1), 10), `" `...)
			copied = end
			if xml && t.SelfClosing && !t.Foreign && !isVoid[t.Element] {
				s.copied = append(s.copied, source[copied:t.End]...)
				s.copied = append(append(append(s.copied, "</"...), t.Name...), '>')
				copied = t.End
			}
		case htmltoken.Text, htmltoken.CDATA:
			if xml && t.Kind == htmltoken.CDATA {
				s.copied = append(s.copied, source[copied:t.Start]...)
				copied = t.End
			}
			if to := len(text.Bytes()); to > from {
				if text.Bytes()[from] == ' ' {
					from++
				}
				s.texts = append(s.texts, span{from, to})
				if raw {
					s.tags[len(s.tags)-1].text = len(s.texts)
					break
				}
				s.copied = append(s.copied, source[copied:t.End]...)
				s.copied = append(append(s.copied, "<!--"...), s.mark...)
				s.copied = append(strconv.AppendInt(s.copied, int64(len(s.texts)-1), 10), "-->"...)
				copied = t.End
			} else if raw {
				tag := &s.tags[len(s.tags)-1]
				tag.rawStart, tag.rawEnd, tag.references = t.DataStart, t.DataEnd, t.HasReferences
			}
		}
		raw = t.Kind == htmltoken.StartTag && !t.Foreign && isRaw[t.Element] && !(xml && t.SelfClosing)
	}
	s.copied = append(s.copied, source[copied:]...)
}

// isRaw marks the elements whose content is one text.
var isRaw = [256]bool{
	htmltoken.Script: true, htmltoken.Style: true, htmltoken.Textarea: true, htmltoken.Title: true, htmltoken.Xmp: true,
	htmltoken.Iframe: true, htmltoken.Noembed: true, htmltoken.Noframes: true, htmltoken.Plaintext: true,
}

// isVoid marks the elements without an end tag.
var isVoid = [256]bool{
	htmltoken.Area: true, htmltoken.Base: true, htmltoken.Basefont: true, htmltoken.Bgsound: true, htmltoken.Br: true, htmltoken.Col: true,
	htmltoken.Embed: true, htmltoken.Frame: true, htmltoken.Hr: true, htmltoken.Image: true, htmltoken.Img: true, htmltoken.Input: true,
	htmltoken.Keygen: true, htmltoken.Link: true, htmltoken.Meta: true, htmltoken.Param: true, htmltoken.Source: true,
	htmltoken.Track: true, htmltoken.Wbr: true,
}

// noText is added to the offset in the source of an element without text, to get a number
// beyond all offsets in the text.
const noText = 1 << 30

// each calls f with the text of each element that a selector matches: with each part of it,
// where something is between that is not visible, or is not within the element. from is the
// offset in s.content.Text. f gets an empty text for an element without one.
//
// Elements within elements are read again with each of them; after sixteen times the length of
// the page the others are left out.
func (s *selection) each(selector cascadia.SelectorGroup, f func(element string, text []byte, from int)) {
	nodes := cascadia.QueryAll(s.root, selector)
	if len(nodes) == 0 {
		return
	}
	matched := make(map[*html.Node]span, len(nodes)) // the texts within, as a part of order
	for _, n := range nodes {
		matched[n] = span{}
	}
	var order []int // the numbers of texts in the order of the tree
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		from := len(order)
		switch n.Type {
		case html.CommentNode:
			if number, ok := s.number(strings.CutPrefix(n.Data, s.mark)); ok && number < len(s.texts) {
				order = append(order, number)
			}
		case html.ElementNode:
			if tag := s.tag(n); tag != nil && tag.text > 0 {
				order = append(order, tag.text-1)
			}
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			walk(child) // html.Parse limits the depth to 512
		}
		if _, is := matched[n]; is {
			matched[n] = span{from, len(order)}
		}
	}
	walk(s.root)
	left := 16*len(s.copied) + 1<<16
	for _, n := range nodes {
		texts := order[matched[n].from:matched[n].to]
		tag := s.tag(n)
		if part, ok := s.raw(tag); ok {
			f(n.Data, s.content.Text.Bytes()[part.from:part.to], part.from)
			continue
		}
		if len(texts) == 0 {
			start := 0
			if tag != nil {
				start = tag.start
			}
			f(n.Data, nil, noText+start)
		}
		for i := 0; i < len(texts) && left > 0; {
			part := s.texts[texts[i]]
			for i++; i < len(texts) && texts[i] == texts[i-1]+1; i++ {
				part.to = s.texts[texts[i]].to
			}
			left -= part.to - part.from
			f(n.Data, s.content.Text.Bytes()[part.from:part.to], part.from)
		}
	}
}

// number parses the number of a tag or a text.
func (s *selection) number(digits string, marked bool) (int, bool) {
	if !marked {
		return 0, false
	}
	number, err := strconv.Atoi(digits)
	return number, err == nil && number >= 0
}

// tag returns the start tag of an element, nil if the source has none.
func (s *selection) tag(n *html.Node) *startTag {
	for i := range n.Attr {
		if number, ok := s.number(n.Attr[i].Val, n.Attr[i].Key == s.mark); ok && number < len(s.tags) {
			return &s.tags[number]
		}
	}
	return nil
}

// raw adds the content of an element that is not visible to the text, and reports whether there
// is one.
func (s *selection) raw(tag *startTag) (span, bool) {
	if tag == nil || tag.rawStart == tag.rawEnd {
		return span{}, false
	}
	text := &s.content.Text
	from := len(text.Bytes())
	text.Blank(tag.rawStart, tag.rawStart)
	text.Add(tag.rawStart, tag.rawEnd, tag.references)
	to := len(text.Bytes())
	if from < to && text.Bytes()[from] == ' ' {
		from++
	}
	return span{from, to}, from < to
}
