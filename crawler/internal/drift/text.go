package drift

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
)

// OfText returns the sketch of plain text in UTF-8.
func OfText(text []byte) Sketch {
	var c collector
	c.add(text)
	return c.sketch()
}

// OfPage returns the sketch of an HTML page in UTF-8.
func OfPage(page []byte) Sketch {
	var c collector
	var tokens htmltoken.Tokenizer
	tokens.Reset(page, false)
	for tokens.Next() {
		t := &tokens.Token
		switch t.Kind {
		case htmltoken.Text, htmltoken.CDATA:
			if c.aside == htmltoken.Unknown {
				c.add(tokens.Data())
			}
		case htmltoken.StartTag, htmltoken.EndTag:
			c.tag(&tokens)
		}
	}
	return c.sketch()
}

// collector collects the words of the main text of a page, block by block: a block ends where
// an element begins or ends that is not part of a line.
type collector struct {
	block  []uint64 // the hashes of its words
	linked int      // how many of them are in links
	inLink bool
	word   []byte // memory for the next one

	aside htmltoken.Element // the outermost open element that is not main text
	depth int               // number of open elements of its name from there on

	words  int
	digest xxhash.Digest
	last   [sequence]uint64 // the words before
	hashes []uint32         // of sequences
}

// mostPending is how many hashes are collected before only the least ones are kept.
const mostPending = 16 * mostHashes

func (c *collector) tag(tokens *htmltoken.Tokenizer) {
	t := &tokens.Token
	starts, e := t.Kind == htmltoken.StartTag, t.Element
	if c.aside != htmltoken.Unknown {
		switch {
		case e == htmltoken.Main && c.aside != htmltoken.Template: // an end tag is missing
			c.aside = htmltoken.Unknown
		case e != c.aside:
		case starts:
			c.depth++
		default:
			if c.depth--; c.depth == 0 {
				c.aside = htmltoken.Unknown
			}
		}
		return
	}
	if e == htmltoken.A {
		c.inLink = starts && t.Attribute("href") != nil
	}
	if !e.BreaksLine() && !visible.Hides(e) {
		return
	}
	c.endBlock()
	if starts && !t.SelfClosing && isAside(tokens) {
		c.aside, c.depth = e, 1
	}
}

// asideNames are the roles, classes and ids of what is around the main text of a page.
var asideNames = map[string]bool{
	"navigation": true, "banner": true, "contentinfo": true, "complementary": true, "search": true,
	"nav": true, "navbar": true, "menu": true, "sidebar": true, "breadcrumb": true, "breadcrumbs": true, "toc": true,
	"header": true, "footer": true, "masthead": true, "cookie": true, "cookies": true, "pagination": true,
	"comments": true, "related": true, "share": true, "ads": true, "advertisement": true, "newsletter": true,
}

// isAside reports whether the element of a start tag is not part of the main text. That an
// element has one of asideNames counts only if it needs an end tag.
func isAside(tokens *htmltoken.Tokenizer) bool {
	t := &tokens.Token
	switch t.Element {
	case htmltoken.Nav, htmltoken.Header, htmltoken.Footer, htmltoken.Aside, htmltoken.Select, htmltoken.Button, htmltoken.Dialog, htmltoken.Menu:
		return true
	case htmltoken.Div, htmltoken.Section, htmltoken.Ul, htmltoken.Ol, htmltoken.Form, htmltoken.Table:
		for _, name := range [...]string{"role", "id", "class"} {
			if a := t.Attribute(name); a != nil {
				for value := range bytes.FieldsSeq(tokens.Value(a)) {
					if isAsideName(bytes.ToLower(value)) {
						return true
					}
				}
			}
		}
		return false
	}
	return visible.Hides(t.Element)
}

// isAsideName reports whether a name, such as "site-footer", is or ends with one of asideNames.
// Names such as "has-sidebar" are those of elements around both.
func isAsideName(name []byte) bool {
	parts := bytes.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	for _, around := range [...]string{"has", "with", "no", "without"} {
		if slices.ContainsFunc(parts, func(part []byte) bool { return string(part) == around }) {
			return false
		}
	}
	return len(parts) > 0 && asideNames[string(parts[len(parts)-1])]
}

// endBlock makes the block part of the text, unless it is mostly links.
func (c *collector) endBlock() {
	if 2*c.linked <= len(c.block) {
		for _, h := range c.block {
			c.addWord(h)
		}
	}
	c.block, c.linked = c.block[:0], 0
}

func (c *collector) addWord(h uint64) {
	copy(c.last[:], c.last[1:])
	c.last[sequence-1] = h
	var all [8 * sequence]byte
	for i, word := range c.last {
		for b := range 8 {
			all[8*i+b] = byte(word >> (8 * b))
		}
	}
	if c.words++; c.words == 1 {
		c.digest.Reset()
	}
	_, _ = c.digest.Write(all[8*(sequence-1):])
	if c.words < sequence {
		return
	}
	if c.hashes = append(c.hashes, uint32(xxhash.Sum64(all[:]))); len(c.hashes) == mostPending {
		c.least()
	}
}

// least keeps the least hashes alone.
func (c *collector) least() {
	slices.Sort(c.hashes)
	c.hashes = slices.Compact(c.hashes)
	c.hashes = c.hashes[:min(len(c.hashes), mostHashes)]
}

func (c *collector) sketch() Sketch {
	c.endBlock()
	c.least()
	s := Sketch{Words: c.words, hashes: slices.Clone(c.hashes)}
	if c.words > 0 {
		s.digest = c.digest.Sum64()
	}
	return s
}

// add adds the words of a text to the block.
func (c *collector) add(text []byte) {
	number := false // the word has a digit
	end := func() {
		if len(c.word) > 0 && !number && !isDate[string(c.word)] {
			c.block = append(c.block, xxhash.Sum64(c.word))
			if c.inLink {
				c.linked++
			}
		}
		c.word, number = c.word[:0], false
	}
	for i := 0; i < len(text); {
		r, size := rune(text[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(text[i:])
		}
		i += size
		switch {
		case r == '­': // a soft hyphen is within a word
		case unicode.IsDigit(r):
			number = true
			c.word = utf8.AppendRune(c.word, r)
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			end() // they are written without blanks
			c.word = utf8.AppendRune(c.word, r)
			end()
		case unicode.IsLetter(r), unicode.IsMark(r):
			c.word = utf8.AppendRune(c.word, unicode.ToLower(r))
		default:
			end()
		}
	}
	end()
}

// isDate has words of dates, which are not part of a text.
var isDate = func() map[string]bool {
	words := map[string]bool{}
	for _, w := range []string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december",
		"jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "am", "pm", "utc", "gmt",
		"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday", "mon", "tue", "wed", "thu", "fri", "sat", "sun"} {
		words[w] = true
	}
	return words
}()
