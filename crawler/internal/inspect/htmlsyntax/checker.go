// Package htmlsyntax finds the errors in the syntax of an HTML document: the parse errors of
// the tokenizer, elements that are not closed or not nested, a missing doctype, and a
// character encoding that is declared too late.
//
// A Checker is given each token as it is read, so that the tokens can be used for other checks
// in the same pass. It follows the open elements by the rules of the HTML Standard, with its
// end tags that may be left out, but judges neither the names of elements and attributes nor
// which element may be in which.
package htmlsyntax

import (
	"bytes"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

// DefaultMax is the number of findings of a page if no other is given.
const DefaultMax = 20

// Checker finds the errors of one document after the other. It allocates nothing for a
// document without errors once its buffers have grown.
type Checker struct {
	page      *page.Page
	tokenizer *htmltoken.Tokenizer
	max       int

	nesting        nesting
	begun          bool // something other than white space and comments was read
	noDoctype      bool
	charset        bool // a declaration of the character encoding was read
	lateCharset    int  // the offset of its tag if that is late, otherwise -1
	lateCharsetEnd int
	errors         int // errors of the tokenizer before the current token
	tags           []tagErrors
}

// tagErrors are the errors of the tokenizer within one tag.
type tagErrors struct {
	from, to           int // in Tokenizer.Errors
	nameStart, nameEnd int
}

// Reset makes the checker begin a document. The tokenizer must have been reset to the text of
// the page, to collect errors, and to its kind of markup. At most max errors become findings,
// DefaultMax if it is 0.
func (c *Checker) Reset(p *page.Page, z *htmltoken.Tokenizer, max int) {
	if max == 0 {
		max = DefaultMax
	}
	c.page, c.tokenizer, c.max = p, z, max
	c.nesting.reset(p.Text)
	c.nesting.xml = z.XML
	c.begun, c.noDoctype, c.charset, c.lateCharset = false, false, false, -1
	c.nesting.quirks = true
	c.tags = c.tags[:0]
	c.errors = len(z.Errors.List)
}

// Token follows a token of the tokenizer.
func (c *Checker) Token(t *htmltoken.Token) {
	switch t.Kind {
	case htmltoken.StartTag:
		if !c.begun {
			c.begin(t)
		}
		if !c.nesting.stack.tooDeep {
			c.nesting.startTag(t)
		}
		if t.Element == htmltoken.Meta && !c.charset {
			c.meta(t)
		}
	case htmltoken.EndTag:
		if !c.begun {
			c.begin(t)
		}
		if !c.nesting.stack.tooDeep {
			c.nesting.endTag(t)
		}
	case htmltoken.Text:
		if c.nesting.phase != inBody && len(bytes.TrimLeft(c.page.Text[t.DataStart:t.DataEnd], " \t\r\n\f")) > 0 {
			if !c.begun {
				c.begin(t)
			}
			c.nesting.beginBody()
		}
	case htmltoken.Doctype:
		if !c.begun {
			c.begin(t)
			c.noDoctype = false
			c.nesting.quirks = c.tokenizer.DoctypeIDs.ForceQuirks || isQuirky(t, &c.tokenizer.DoctypeIDs)
		}
	}
	if n := len(c.tokenizer.Errors.List); n > c.errors {
		if t.Kind == htmltoken.StartTag || t.Kind == htmltoken.EndTag {
			nameStart := t.Start + len("<")
			if t.Kind == htmltoken.EndTag {
				nameStart++
			}
			c.tags = append(c.tags, tagErrors{c.errors, n, nameStart, t.NameEnd})
		}
		c.errors = n
	}
}

// NeedsPhrases reports whether phrase elements of the next [htmltoken.Run] matter: those that
// begin the body, and those that may be too deep.
func (c *Checker) NeedsPhrases() bool {
	n := &c.nesting
	return n.phase != inBody || n.stack.inForeign() || len(n.stack.open) > maxDepth/2
}

// Run follows the next tokens of the tokenizer.
func (c *Checker) Run(z *htmltoken.Tokenizer, run *htmltoken.Run) {
	text := 0
	for i := range run.Tags {
		p := &run.Tags[i]
		if c.nesting.phase != inBody {
			c.texts(z, run.Texts[text:p.Texts])
			text = int(p.Texts)
		}
		if !(simple{&c.nesting}).plain(p) {
			p.Expand(z)
			c.Token(&z.Token)
		}
	}
	if c.nesting.phase != inBody {
		c.texts(z, run.Texts[text:])
	}
}

// texts follows texts outside of the body.
func (c *Checker) texts(z *htmltoken.Tokenizer, texts []htmltoken.PlainText) {
	for i := range texts {
		texts[i].Expand(z)
		c.Token(&z.Token)
	}
}

// begin follows the first token that is not white space or a comment.
func (c *Checker) begin(t *htmltoken.Token) {
	c.begun = true
	c.noDoctype = !c.nesting.xml
}

// meta looks for a declaration of the character encoding, which must be in the first 1,024
// bytes of the document.
func (c *Checker) meta(t *htmltoken.Token) {
	const limit = 1024
	if c.nesting.xml || strings.HasPrefix(c.page.Charset, "utf-16") {
		return
	}
	if t.Attribute("charset") == nil {
		a := t.Attribute("http-equiv")
		if a == nil || !bytes.EqualFold(c.tokenizer.Value(a), []byte("content-type")) {
			return
		}
	}
	c.charset = true
	if t.End+len("\uFEFF") <= limit && len(c.page.Text) == len(c.page.Body) {
		return
	}
	// The text may be longer or shorter than the body, but the tag is the same in both.
	if !bytes.Contains(c.page.Body[:min(limit, len(c.page.Body))], c.page.Text[t.Start:t.End]) {
		c.lateCharset, c.lateCharsetEnd = t.Start, t.End
	}
}

// quirkyIDs are the beginnings of the public identifiers, in lower case, of documents in quirks
// mode (13.2.6.4.1), without those of old versions of one kind.
var quirkyIDs = []string{
	"+//silmaril//dtd html pro v0r11 19970101//", "-//as//dtd html 3.0 aswedit + extensions//",
	"-//advasoft ltd//dtd html 3.0 aswedit + extensions//", "-//ietf//dtd html", "-//metrius//dtd metrius presentational//",
	"-//microsoft//dtd internet explorer ", "-//netscape comm. corp.//dtd ", "-//o'reilly and associates//dtd html ",
	"-//sq//dtd html 2.0 hotmetal + extensions//", "-//softquad software//dtd hotmetal pro ", "-//softquad//dtd hotmetal pro ",
	"-//spyglass//dtd html 2.0 extended//", "-//sun microsystems corp.//dtd hotjava ", "-//w3c//dtd html 3",
	"-//w3c//dtd html 4.0 frameset//", "-//w3c//dtd html 4.0 transitional//", "-//w3c//dtd html experimental ",
	"-//w3c//dtd w3 html//", "-//w3o//dtd w3 html ", "-//webtechs//dtd mozilla html ", "-/w3c/dtd html 4.0 transitional/en",
	"-//w3o//dtd w3 html strict 3.0//en//",
}

// isQuirky reports whether a doctype asks for quirks mode.
func isQuirky(t *htmltoken.Token, ids *htmltoken.DoctypeIDs) bool {
	public := strings.ToLower(string(ids.Public))
	if string(t.Name) != "html" || public == "html" || strings.EqualFold(string(ids.System), "http://www.ibm.com/data/dtd/v11/ibmxhtml1-transitional.dtd") {
		return true
	}
	for _, id := range quirkyIDs {
		if strings.HasPrefix(public, id) {
			return true
		}
	}
	return !ids.HasSystem && (strings.HasPrefix(public, "-//w3c//dtd html 4.01 frameset//") || strings.HasPrefix(public, "-//w3c//dtd html 4.01 transitional//"))
}
