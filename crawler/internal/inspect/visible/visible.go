// Package visible collects the visible text of an HTML page: what a reader sees, with a map
// back to the source.
//
// [Content] takes the tokens of a page one by one, so that one pass over them can serve other
// checks as well:
//
//	content.Reset(source)
//	for tokens.Next() {
//		content.Token(&tokens.Token)
//	}
//
// Where only the fingerprint of the text is asked for (Text.OnlyFingerprint), the text is
// copied as it is in the source, without a map.
//
// The content of script, style, template, noscript, iframe, noembed and noframes is not
// visible, nor is that of title, of metadata and desc in SVG, and of annotations in MathML.
// A page is taken as a browser with scripting shows it, hence without noscript. Comments and
// attributes are not visible. The content of textarea, button, select and option is, and that
// of audio, video, canvas and object, which browsers show in some cases. Style sheets, and
// attributes such as hidden, are not taken into account.
//
// A run of white space is one blank, and so is the border of an element that is not shown in
// the line of its text, such as p, td or br. There is no blank at either end. Soft hyphens and
// zero width spaces are left out. Character references are decoded.
package visible

import "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// Content is what a reader sees of one page. The zero value is an empty page. Its buffers are
// reused from page to page.
type Content struct {
	// XML is set for a page in XHTML, as that of its tokenizer: "/>" ends any element. Reset
	// clears it.
	XML bool
	// Text is the visible text.
	Text Text
	// Title is the text of the first title element, outside of SVG and of what is not
	// visible.
	Title Text
	// TitleStart and TitleEnd are the offsets of that element's start tag, both 0 if there is
	// no title.
	TitleStart, TitleEnd int

	// hidden is the outermost open element that is not visible, and depth the number of open
	// elements of its name from there on.
	hidden htmltoken.Element
	depth  int
	// inTitle is set within the title.
	inTitle bool
}

// Reset begins a page. The source is the text whose tokens follow.
func (c *Content) Reset(source []byte) {
	c.XML = false
	c.Text.Reset(source)
	c.Title.Reset(source)
	c.TitleStart, c.TitleEnd = 0, 0
	c.hidden, c.depth, c.inTitle = htmltoken.Unknown, 0, false
}

// Token adds the next token of the page.
func (c *Content) Token(t *htmltoken.Token) {
	switch t.Kind {
	case htmltoken.Text, htmltoken.CDATA:
		switch {
		case c.hidden == htmltoken.Unknown:
			c.Text.Add(t.DataStart, t.DataEnd, t.HasReferences)
		case c.inTitle:
			c.Title.Add(t.DataStart, t.DataEnd, t.HasReferences)
		}
	case htmltoken.StartTag, htmltoken.EndTag:
		c.tag(t)
	}
}

// Run adds the next tokens of the page.
func (c *Content) Run(run *htmltoken.Run) {
	if c.hidden != htmltoken.Unknown { // no tag in a run ends that
		return
	}
	c.Text.addRun(run)
}

func (c *Content) tag(t *htmltoken.Token) {
	e := t.Element
	if t.Foreign && e == htmltoken.Unknown {
		e = foreignElement(t.Name)
	}
	start := t.Kind == htmltoken.StartTag
	closed := t.SelfClosing && (t.Foreign || c.XML)
	if c.hidden != htmltoken.Unknown {
		switch {
		case e != c.hidden || closed:
		case start:
			c.depth++
		default:
			if c.depth--; c.depth == 0 {
				c.hidden, c.inTitle = htmltoken.Unknown, false
			}
		}
		return
	}
	if e.BreaksLine() {
		c.Text.Blank(t.Start, t.Start)
	}
	if !start || !isHidden[e] || closed {
		return
	}
	if e == htmltoken.Desc && !t.Foreign {
		return // an unknown element of HTML, and therefore visible
	}
	c.hidden, c.depth = e, 1
	if e == htmltoken.Title && !t.Foreign && c.TitleEnd == 0 {
		c.TitleStart, c.TitleEnd, c.inTitle = t.Start, t.End, true
	}
}

// The elements of SVG and MathML that are not visible and have no number in htmltoken.
const (
	metadata htmltoken.Element = 255 - iota
	annotation
)

func foreignElement(name []byte) htmltoken.Element {
	switch string(name) {
	case "metadata":
		return metadata
	case "annotation":
		return annotation
	}
	return htmltoken.Unknown
}

// Hides reports whether the content of an element of HTML is not visible.
func Hides(e htmltoken.Element) bool { return isHidden[e] && e != htmltoken.Desc }

// isHidden marks the elements whose content is not visible.
var isHidden = [256]bool{
	htmltoken.Script: true, htmltoken.Style: true, htmltoken.Template: true, htmltoken.Title: true,
	htmltoken.Noscript: true, htmltoken.Iframe: true, htmltoken.Noembed: true, htmltoken.Noframes: true,
	htmltoken.Desc: true, htmltoken.AnnotationXML: true, metadata: true, annotation: true,
}
