package pagerules

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"
)

// headings is what is known of the headings of the page.
type headings struct {
	open       bool // a heading whose text is collected in name
	name       name
	level      int
	start, end int // of its start tag
	last       int // the level of the heading before, 0 if there is none
	skips      int // that level if a finding is due, 0 otherwise

	first                 int // headings of the first level that are not blank
	second                int // the start of the second of them
	secondText, secondRaw string
}

// startHeading reads the start of a heading.
func (c *Checker) startHeading(t *htmltoken.Token) {
	c.endHeading()
	if c.concealed {
		return
	}
	h := &c.headings
	level := int(t.Element-htmltoken.H1) + 1
	h.skips = 0
	if c.groups&Accessibility != 0 && h.last > 0 && level > h.last+1 {
		h.skips = h.last
	}
	h.last = level
	if level == 1 && c.groups&SEO != 0 || h.skips > 0 {
		h.open, h.level, h.start, h.end = true, level, t.Start, t.End
		h.name = h.name.reset()
		h.name.add(c.value("aria-label"))
	}
}

// endHeading judges the heading whose text was collected.
func (c *Checker) endHeading() {
	h := &c.headings
	if !h.open {
		return
	}
	h.open = false
	if h.skips > 0 {
		c.report(h.start, check.Finding{Code: check.CodeHeadingSkipped, Element: fmt.Sprintf("h%d", h.level), Raw: c.raw(h.start, h.end), Text: excerpt(h.name.text),
			Message: fmt.Sprintf("h%d follows h%d: a level of headings is skipped", h.level, h.skips)})
	}
	if h.level > 1 || len(h.name.text) == 0 {
		return
	}
	if h.first++; h.first == 2 {
		h.second, h.secondText, h.secondRaw = h.start, excerpt(h.name.text), c.raw(h.start, h.end)
	}
}

// link is the link that is open.
type link struct {
	open       bool
	name       name
	start, end int
	// named is set if the name is certain, or if the link has a name that is not known.
	named   bool
	verbal  bool // the whole name is in name
	inStyle bool // within a style sheet or script of SVG
}

// startLink reads the start of an a element.
func (c *Checker) startLink(t *htmltoken.Token) {
	c.endLink()
	if t.Attribute("href") == nil || c.concealed {
		return
	}
	l := &c.link
	*l = link{open: true, name: l.name.reset(), start: t.Start, end: t.End, verbal: true}
	switch {
	case c.hasText("aria-labelledby"):
		l.named, l.verbal = true, false
	case c.hasText("aria-label"):
		l.name.add(c.value("aria-label"))
		l.named = true
		l.name.closed = true
	case c.hasText("title"):
		l.named = true
	}
}

// withinLink looks at an element within a link for what names the link.
func (c *Checker) withinLink(t *htmltoken.Token) {
	l := &c.link
	l.inStyle = t.Foreign && (t.Element == htmltoken.Style || t.Element == htmltoken.Script)
	if len(t.Attributes) > 0 && c.hasText("aria-label") {
		l.name.add(c.value("aria-label"))
	}
	switch t.Element {
	case htmltoken.Input:
		l.name.add(c.value("alt"))
		l.name.add(c.value("value"))
	case htmltoken.Slot, htmltoken.Object, htmltoken.Embed, htmltoken.Iframe:
		l.named, l.verbal = true, false
	case htmltoken.Code, htmltoken.Kbd, htmltoken.Samp, htmltoken.Tt, htmltoken.Var:
		l.verbal = false // the name of a thing
	case htmltoken.Unknown:
		if bytes.IndexByte(t.Name, '-') > 0 && !t.Foreign { // what a custom element shows is not known
			l.named, l.verbal = true, false
		}
	}
}

// endLink judges the link that is open.
func (c *Checker) endLink() {
	l := &c.link
	if !l.open {
		return
	}
	l.open = false
	switch {
	case len(l.name.text) == 0 && !l.named:
		c.report(l.start, check.Finding{Code: check.CodeLinkTextEmpty, Element: "a", Raw: c.raw(l.start, l.end),
			Message: "the link has no text and no other name"})
	case l.verbal && isVague(l.name.text):
		c.report(l.start, check.Finding{Code: check.CodeLinkTextVague, Element: "a", Raw: c.raw(l.start, l.end), Text: excerpt(l.name.text),
			Message: fmt.Sprintf("the text %q does not say where the link leads", excerpt(l.name.text))})
	}
}

// vagueNames are names of links that say nothing about the target.
var vagueNames = []string{"click here", "here", "link", "more", "read more", "this"}

// isVague reports whether the name of a link is one of vagueNames, apart from what is at its
// end.
func isVague(text []byte) bool {
	text = bytes.TrimRight(text, " .…:!»›→>")
	return len(text) <= len("click here") && slices.ContainsFunc(vagueNames, func(vague string) bool { return equalFold(text, vague) })
}

// labels is what is known of the labels of the page and of the controls that need one.
type labels struct {
	depth    int // label elements that are open
	controls []control
	targets  []uint64 // hashes of the ids that labels name
}

// control is an element of a form without a label up to now.
type control struct {
	id         uint64 // hash of its id
	start, end int
	element    htmltoken.Element
}

// maxControls is the number of controls and labels of a page that are looked at.
const maxControls = 10_000

// label reads the start of a label.
func (c *Checker) label(t *htmltoken.Token) {
	c.labels.depth++
	if id := c.value("for"); len(id) > 0 && len(c.labels.targets) < maxControls {
		c.labels.targets = append(c.labels.targets, xxhash.Sum64(id))
	}
}

// control reads an element of a form.
func (c *Checker) control(t *htmltoken.Token) {
	var kind []byte
	if t.Element == htmltoken.Input {
		kind = bytes.TrimSpace(c.value("type"))
		if c.groups&Images != 0 && equalFold(kind, "image") && !c.concealed && c.lacksAlternative() {
			c.reportTag(check.CodeAltMissing, "the image has no alt attribute")
		}
	}
	if c.groups&Security != 0 && (t.Element == htmltoken.Input || t.Element == htmltoken.Button) {
		c.field(t)
	}
	if c.groups&Accessibility == 0 || t.Element == htmltoken.Button || c.concealed || c.labels.depth > 0 || needsNoLabel(kind) ||
		c.hasText("aria-label") || c.hasText("aria-labelledby") || c.hasText("title") {
		return
	}
	id := c.value("id")
	if len(id) == 0 {
		c.labelMissing(t.Element, t.Start, t.End)
	} else if len(c.labels.controls) < maxControls {
		c.labels.controls = append(c.labels.controls, control{xxhash.Sum64(id), t.Start, t.End, t.Element})
	}
}

// needsNoLabel reports whether an input of a type names itself or is not shown.
func needsNoLabel(kind []byte) bool {
	for _, k := range [...]string{"hidden", "submit", "button", "reset", "image"} {
		if equalFold(kind, k) {
			return true
		}
	}
	return false
}

// endLabels judges the controls for which a label may have followed.
func (c *Checker) endLabels() {
	l := &c.labels
	if len(l.controls) == 0 {
		return
	}
	slices.Sort(l.targets)
	for i := range l.controls {
		if _, labelled := slices.BinarySearch(l.targets, l.controls[i].id); !labelled {
			c.labelMissing(l.controls[i].element, l.controls[i].start, l.controls[i].end)
		}
	}
}

func (c *Checker) labelMissing(e htmltoken.Element, start, end int) {
	c.report(start, check.Finding{Code: check.CodeLabelMissing, Element: e.String(), Raw: c.raw(start, end), Message: "the " + e.String() + " has no label"})
}

// frame reads an iframe or a frame.
func (c *Checker) frame(t *htmltoken.Token) {
	if !c.concealed && !c.hasText("title") && !c.hasText("aria-label") && !c.hasText("aria-labelledby") {
		c.reportTag(check.CodeFrameTitleMissing, "the frame has no title")
	}
}

// tabindex checks the attribute tabindex.
func (c *Checker) tabindex(a *htmltoken.Attribute) {
	if c.groups&Accessibility == 0 {
		return
	}
	value := bytes.TrimLeft(c.z.Value(a), " \t\n\f\r")
	value = bytes.TrimPrefix(value, []byte("+"))
	if n := bytes.TrimLeft(value, "0"); len(n) > 0 && '1' <= n[0] && n[0] <= '9' {
		c.reportAttribute(check.CodeTabindexPositive, a, "a positive tabindex takes the element out of the order of the page")
	}
}
