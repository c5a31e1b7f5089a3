package htmlsyntax

import html "github.com/orbweaver/orbweaver/crawler/internal/htmltoken"

// property is a set of facts about an element that the parser of the standard depends on.
type property uint16

const (
	// void elements have no content and no end tag.
	void property = 1 << iota
	// formatting elements may end outside of the element they began in (13.2.4.3).
	formatting
	// special elements end the search for the element that an end tag closes (13.2.4.2).
	special
	// closesP marks the elements whose start tag ends a paragraph.
	closesP
	// implied end tags may be left out where another element ends (13.2.6.3).
	implied
	// boundary elements end every scope (13.2.4.2).
	boundary
	// marker elements end the reach of formatting elements (13.2.4.3).
	marker
	// metadata elements may be in the head.
	metadata
	// headings are h1 to h6.
	heading
	// rules marks the elements whose start tag has rules of its own.
	rules
	// block elements close with what is open inside, within a scope.
	block
)

// hasEffects are the properties of elements whose start tag does more than open the element in
// the body.
const hasEffects = void | closesP | rules

var properties = func() (p [256]property) {
	for set, elements := range map[property][]html.Element{
		void: {html.Area, html.Base, html.Basefont, html.Bgsound, html.Br, html.Col, html.Embed, html.Frame, html.Hr, html.Image, html.Img, html.Input, html.Keygen, html.Link, html.Meta, html.Param, html.Source, html.Track, html.Wbr},

		formatting: {html.A, html.B, html.Big, html.Code, html.Em, html.Font, html.I, html.Nobr, html.S, html.Small, html.Strike, html.Strong, html.Tt, html.U},

		special: {
			html.Address, html.Applet, html.Area, html.Article, html.Aside, html.Base, html.Basefont, html.Bgsound, html.Blockquote, html.Body, html.Br, html.Button, html.Caption, html.Center,
			html.Col, html.Colgroup, html.Dd, html.Details, html.Dir, html.Div, html.Dl, html.Dt, html.Embed, html.Fieldset, html.Figcaption, html.Figure, html.Footer, html.Form, html.Frame,
			html.Frameset, html.H1, html.H2, html.H3, html.H4, html.H5, html.H6, html.Head, html.Header, html.Hgroup, html.Hr, html.HTML, html.Iframe, html.Img, html.Input, html.Keygen, html.Li, html.Link,
			html.Listing, html.Main, html.Marquee, html.Menu, html.Meta, html.Nav, html.Noembed, html.Noframes, html.Noscript, html.Object, html.Ol, html.P, html.Param, html.Plaintext, html.Pre,
			html.Script, html.Search, html.Section, html.Select, html.Source, html.Style, html.Summary, html.Table, html.Tbody, html.Td, html.Template, html.Textarea, html.Tfoot, html.Th,
			html.Thead, html.Title, html.Tr, html.Track, html.Ul, html.Wbr, html.Xmp,
		},

		closesP: {
			html.Address, html.Article, html.Aside, html.Blockquote, html.Center, html.Details, html.Dialog, html.Dir, html.Div, html.Dl, html.Fieldset, html.Figcaption, html.Figure,
			html.Footer, html.Form, html.H1, html.H2, html.H3, html.H4, html.H5, html.H6, html.Header, html.Hgroup, html.Hr, html.Listing, html.Main, html.Menu, html.Nav, html.Ol, html.P, html.Plaintext, html.Pre,
			html.Search, html.Section, html.Summary, html.Ul, html.Xmp,
		},

		implied: {html.Caption, html.Colgroup, html.Dd, html.Dt, html.Li, html.Optgroup, html.Option, html.P, html.Rb, html.Rp, html.Rt, html.Rtc, html.Tbody, html.Td, html.Tfoot, html.Th, html.Thead, html.Tr, html.HTML, html.Head, html.Body},

		boundary: {html.Applet, html.Caption, html.HTML, html.Table, html.Td, html.Th, html.Marquee, html.Object, html.Select, html.Template},

		marker: {html.Applet, html.Caption, html.Marquee, html.Object, html.Td, html.Template, html.Th},

		metadata: {html.Base, html.Basefont, html.Bgsound, html.Head, html.HTML, html.Link, html.Meta, html.Noframes, html.Noscript, html.Script, html.Style, html.Template, html.Title},

		heading: {html.H1, html.H2, html.H3, html.H4, html.H5, html.H6},

		rules: {
			html.A, html.Body, html.Button, html.Caption, html.Col, html.Colgroup, html.Dd, html.Dt, html.Form, html.H1, html.H2, html.H3, html.H4, html.H5, html.H6, html.Head, html.Hr, html.HTML, html.Input, html.Li,
			html.Nobr, html.Optgroup, html.Option, html.Rb, html.Rp, html.Rt, html.Rtc, html.Select, html.Table, html.Tbody, html.Td, html.Tfoot, html.Th, html.Thead, html.Tr,
		},

		block: {
			html.Address, html.Applet, html.Article, html.Aside, html.Blockquote, html.Button, html.Center, html.Dd, html.Details, html.Dialog, html.Dir, html.Div, html.Dl, html.Dt, html.Fieldset,
			html.Figcaption, html.Figure, html.Footer, html.Header, html.Hgroup, html.Listing, html.Main, html.Marquee, html.Menu, html.Nav, html.Object, html.Ol, html.Pre, html.Search,
			html.Section, html.Select, html.Summary, html.Ul,
		},
	} {
		for _, e := range elements {
			p[e] |= set
		}
	}
	return p
}()

// holdsHTML marks the elements of SVG and MathML whose content is HTML. They are special, and
// boundaries.
var holdsHTML = [256]bool{html.ForeignObject: true, html.Desc: true, html.Title: true, html.Mi: true, html.Mo: true, html.Mn: true, html.Ms: true, html.Mtext: true, html.AnnotationXML: true}
