package pagerules

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// headings is what is known of the headings of the page.
type headings struct {
	open       bool // a heading whose text is collected in name
	name       name
	level      int
	start, end int // of its start tag
	last       int // the level of the heading before, 0 if there is none
	skips      int // that level if a finding is due, 0 otherwise

	first                 int  // headings of the first level that are not blank
	firstByRole           bool // there is an element with the role of one
	second                int  // the start of the second of them
	secondText, secondRaw string
}

// begin reads the start of a heading.
func (h *headings) begin(s *source) {
	t := &s.z.Token
	h.close(s)
	if s.concealed {
		return
	}
	level := int(t.Element-htmltoken.H1) + 1
	h.skips = 0
	if s.groups&Accessibility != 0 && h.last > 0 && level > h.last+1 {
		h.skips = h.last
	}
	h.last = level
	if level == 1 && s.groups&SEO != 0 || h.skips > 0 {
		h.open, h.level, h.start, h.end = true, level, t.Start, t.End
		h.name.reset()
		h.name.add(s.value("aria-label"))
	}
}

// role notes an element with the role of a heading. A page may have headings of both kinds.
func (h *headings) role(level int) {
	h.last = level
	h.firstByRole = h.firstByRole || level == 1
}

// levelOf returns the value of aria-level, 2 if it is not a number from 1 to 9 (ARIA 1.2,
// heading).
func levelOf(value []byte) int {
	if value = bytes.TrimSpace(value); len(value) == 1 && '1' <= value[0] && value[0] <= '9' {
		return int(value[0] - '0')
	}
	return 2
}

// close judges the heading whose text was collected.
func (h *headings) close(s *source) {
	if !h.open {
		return
	}
	h.open = false
	if h.skips > 0 {
		s.report(h.start, judging.Finding{Code: judging.CodeHeadingSkipped, Element: fmt.Sprintf("h%d", h.level), Raw: s.raw(h.start, h.end), Text: excerpt(h.name.text),
			Message: fmt.Sprintf("h%d follows h%d: a level of headings is skipped", h.level, h.skips)})
	}
	if h.level > 1 || len(h.name.text) == 0 {
		return
	}
	if h.first++; h.first == 2 {
		h.second, h.secondText, h.secondRaw = h.start, excerpt(h.name.text), s.raw(h.start, h.end)
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
	noHref  bool // it has no address, and is no anchor either
}

// begin reads the start of an a element. byScript is set if it was reported as a link that only
// a script can follow.
func (l *link) begin(s *source, byScript bool) {
	t := &s.z.Token
	l.close(s)
	if s.concealed {
		return
	}
	href := t.Attribute("href")
	if href == nil && (byScript || t.Names&notPlaceholderBits != 0 && s.isNoPlaceholder()) {
		return
	}
	l.start, l.end = t.Start, t.End
	l.open, l.named, l.verbal, l.inStyle, l.noHref = true, false, true, false, href == nil
	l.name.reset()
	if href != nil && !byScript {
		l.placeholder(s, s.z.Value(href))
	}
	switch {
	case t.Names&nameBits == 0:
	case s.hasText("aria-labelledby"):
		l.named, l.verbal = true, false
	case s.hasText("aria-label"):
		l.name.add(s.value("aria-label"))
		l.named = true
		l.name.closed = true
	case s.hasText("title"):
		l.named = true
	}
}

// tag reads a plain tag of an a element.
func (l *link) tag(s *source, p *htmltoken.PlainTag) {
	l.close(s)
	if p.Kind == htmltoken.EndTag {
		return
	}
	href, id := plainAttributes(s.page.Text[p.Start:p.End])
	if !p.HasHref && id {
		return
	}
	l.start, l.end = int(p.Start), int(p.End)
	l.open, l.named, l.verbal, l.noHref = true, p.HasTitle, true, !p.HasHref
	l.name.reset()
	l.placeholder(s, href)
}

// plainAttributes returns the address in a plain tag, and whether it has an id. Its values have
// quotes and no character references (htmltoken.Run).
func plainAttributes(tag []byte) (href []byte, id bool) {
	for {
		_, rest, found := bytes.Cut(tag, []byte(" "))
		name, value, more := bytes.Cut(rest, []byte(`="`))
		if !found || !more {
			return href, id
		}
		value, tag, _ = bytes.Cut(value, []byte(`"`))
		switch string(name) {
		case "href":
			href = value
		case "id":
			id = true
		}
	}
}

// placeholder reports a link that leads to the top of its own page.
func (l *link) placeholder(s *source, href []byte) {
	if string(bytes.TrimSpace(href)) == "#" {
		s.report(l.start, judging.Finding{Code: judging.CodeLinkPlaceholder, Element: "a", Attribute: "href", Raw: s.raw(l.start, l.end),
			Message: "the link leads to the top of its own page: it may be a placeholder"})
	}
}

// nameBits are the bits of the attributes that name a link.
var nameBits = htmltoken.BitsOf("aria-labelledby", "aria-label", "title")

// within looks at an element within a link for what names the link.
func (l *link) within(s *source) {
	t := &s.z.Token
	l.inStyle = t.Foreign && (t.Element == htmltoken.Style || t.Element == htmltoken.Script)
	if t.Names&nameBits != 0 && s.hasText("aria-label") {
		l.name.add(s.value("aria-label"))
	}
	switch t.Element {
	case htmltoken.Input:
		l.name.add(s.value("alt"))
		l.name.add(s.value("value"))
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

// close judges the link that is open.
func (l *link) close(s *source) {
	if !l.open {
		return
	}
	l.open = false
	switch {
	case l.noHref:
		if len(l.name.text) > 0 {
			s.report(l.start, judging.Finding{Code: judging.CodeHrefMissing, Element: "a", Raw: s.raw(l.start, l.end), Text: excerpt(l.name.text),
				Message: "the a element has no href, so that nobody can follow it"})
		}
	case len(l.name.text) == 0 && !l.named:
		s.report(l.start, judging.Finding{Code: judging.CodeLinkTextEmpty, Element: "a", Raw: s.raw(l.start, l.end),
			Message: "the link has no text and no other name"})
	case l.verbal && isVague(l.name.text):
		s.report(l.start, judging.Finding{Code: judging.CodeLinkTextVague, Element: "a", Raw: s.raw(l.start, l.end), Text: excerpt(l.name.text),
			Message: fmt.Sprintf("the text %q does not say where the link leads", excerpt(l.name.text))})
	}
}

// isSettled reports whether no text changes what close finds.
func (l *link) isSettled() bool {
	return len(l.name.text) > longestVague || !l.noHref && !l.verbal && (l.named || len(l.name.text) > 0)
}

// vagueNames are names of links that say nothing about the target.
var vagueNames = []string{"click here", "here", "link", "more", "read more", "this"}

// longestVague is the length of the longest name that may be vague, in bytes.
const longestVague = 2 * len("click here")

// isVague reports whether the name of a link is one of vagueNames, apart from what is at its
// end.
func isVague(text []byte) bool {
	if len(text) > longestVague || len(text) < len("here") || strings.IndexByte("chlmrt", text[0]|0x20) < 0 {
		return false
	}
	text = bytes.TrimRight(text, " .…:!»›→>")
	return slices.ContainsFunc(vagueNames, func(vague string) bool { return equalFold(text, vague) })
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
func (l *labels) label(s *source) {
	l.depth++
	if id := s.value("for"); len(id) > 0 && len(l.targets) < maxControls {
		l.targets = append(l.targets, xxhash.Sum64(id))
	}
}

// control reads an element of a form.
func (l *labels) control(s *source) {
	t := &s.z.Token
	var kind []byte
	if t.Element == htmltoken.Input {
		kind = bytes.TrimSpace(s.value("type"))
	}
	if s.concealed || l.depth > 0 || needsNoLabel(kind) ||
		s.hasText("aria-label") || s.hasText("aria-labelledby") || s.hasText("title") {
		return
	}
	id := s.value("id")
	if len(id) == 0 {
		labelMissing(s, t.Element, t.Start, t.End)
	} else if len(l.controls) < maxControls {
		l.controls = append(l.controls, control{xxhash.Sum64(id), t.Start, t.End, t.Element})
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

// judge judges the controls for which a label may have followed.
func (l *labels) judge(s *source) {
	if len(l.controls) == 0 {
		return
	}
	slices.Sort(l.targets)
	for i := range l.controls {
		if _, labelled := slices.BinarySearch(l.targets, l.controls[i].id); !labelled {
			labelMissing(s, l.controls[i].element, l.controls[i].start, l.controls[i].end)
		}
	}
}

func labelMissing(s *source, e htmltoken.Element, start, end int) {
	s.report(start, judging.Finding{Code: judging.CodeLabelMissing, Element: e.String(), Raw: s.raw(start, end), Message: "the " + e.String() + " has no label"})
}

// checkFrame reads an iframe or a frame.
func checkFrame(s *source) {
	if !s.concealed && !s.hasText("title") && !s.hasText("aria-label") && !s.hasText("aria-labelledby") {
		s.reportTag(judging.CodeFrameTitleMissing, "the frame has no title")
	}
}

// checkTabindex checks the attribute tabindex.
func checkTabindex(s *source, a *htmltoken.Attribute) {
	if s.groups&Accessibility == 0 {
		return
	}
	value := bytes.TrimLeft(s.z.Value(a), " \t\n\f\r")
	value = bytes.TrimPrefix(value, []byte("+"))
	if n := bytes.TrimLeft(value, "0"); len(n) > 0 && '1' <= n[0] && n[0] <= '9' {
		s.reportAttribute(judging.CodeTabindexPositive, a, "a positive tabindex takes the element out of the order of the page")
	}
}
