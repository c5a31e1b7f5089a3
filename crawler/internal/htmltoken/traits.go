package htmltoken

// trait is a set of facts about an element that matter to a Run.
type trait uint8

const (
	// plain elements may be in a Run: those of HTML whose content is shown and is markup.
	plain trait = 1 << iota
	// phrase elements mark a part of a line and have no rules of their own.
	phrase
	// code marks phrase elements that hold names of things.
	code
	// breaksLine marks the elements that separate words: those that the style sheet of the HTML
	// Standard (section 15.3) shows as blocks, table parts and list items, and those that are
	// shown as a box in the line.
	breaksLine
	// control elements are found by their ids.
	control
	// marked elements may matter to links and anchors without any attribute.
	marked
)

var traits = func() (traits [256]trait) {
	for e := Unknown + 1; e < AnnotationXML; e++ {
		switch e {
		case SVG, Math, Template, Noscript:
		default:
			if contentState[e] == dataState {
				traits[e] = plain
			}
		}
	}
	for t, elements := range map[trait][]Element{
		phrase:        {Abbr, B, Bdi, Bdo, Cite, Del, Dfn, Em, I, Ins, Mark, Q, S, Small, Span, Strong, Sub, Sup, Time, U},
		phrase | code: {Code, Kbd, Samp, Tt, Var},
		control:       {Input, Select, Textarea},
		marked:        {A, Applet, Base, Form, Frame, Frameset, Img, Image, Input, Link, Map, Meta, Object, Source},
		breaksLine: {
			Address, Applet, Article, Aside, Audio, Blockquote, Body, Br, Button, Canvas, Caption, Center, Col, Colgroup, Datalist, Dd, Details, Dialog, Dir, Div, Dl, Dt, Embed,
			Fieldset, Figcaption, Figure, Footer, Form, Frame, Frameset, H1, H2, H3, H4, H5, H6, Head, Header, Hgroup, Hr, HTML, Iframe, Image, Img, Input, Legend, Li, Listing,
			Main, Marquee, Math, Menu, Meter, Nav, Object, Ol, Optgroup, Option, P, Plaintext, Pre, Progress, Search, Section, Select, Summary, SVG, Table, Tbody, Td, Textarea,
			Tfoot, Th, Thead, Tr, Ul, Video, Xmp,
		},
	} {
		for _, e := range elements {
			traits[e] |= t
		}
	}
	return traits
}()

// BreaksLine reports whether an element separates words.
func (e Element) BreaksLine() bool { return traits[e]&breaksLine != 0 }

// IsPhrase reports whether an element marks a part of a line and has no rules of its own, and
// whether it holds the name of a thing.
func (e Element) IsPhrase() (phrasing, isCode bool) {
	return traits[e]&phrase != 0, traits[e]&code != 0
}
