package content

import (
	"slices"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/visible"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// Checker applies a set of rules to pages, one after another. Its buffers are reused from page
// to page, so each worker needs one of its own.
type Checker struct {
	set     *Set
	applies []bool    // by rule: whether it applies to the page
	met     []bool    // by entry: whether a page that must contain it does
	lastEnd []int     // by entry: the end of its last place, for plain strings
	places  [][]place // by rule: the places of what the page must not contain, in order

	page      *page.Page
	content   *visible.Content
	plain     visible.Text // the text of a page that is not HTML
	header    []byte       // a header field
	element   string       // the name of the element that is searched, empty for other areas
	selection selection
}

// place is a match in the text of an area.
type place struct {
	begin, end, entry int
	element           string
}

// NewChecker returns a checker for the rules of a set.
func (s *Set) NewChecker() *Checker {
	return &Checker{
		set: s, applies: make([]bool, len(s.rules)), places: make([][]place, len(s.rules)),
		met: make([]bool, len(s.entries)), lastEnd: make([]int, len(s.entries)),
	}
}

// Reads reports whether some rule applies to pages with a media type, without parameters.
func (s *Set) Reads(contentType string) bool {
	return slices.ContainsFunc(s.rules, func(r rule) bool { return slices.Contains(r.types, contentType) })
}

// Needs reports whether Check needs the visible content of a page if that is HTML.
func (s *Set) Needs(p *page.Page) bool {
	for i := range s.rules {
		switch s.areas[s.rules[i].area].kind {
		case inText, inTitle, inElements:
			if s.rules[i].applies(p) {
				return true
			}
		}
	}
	return false
}

func (r *rule) applies(p *page.Page) bool {
	return slices.Contains(r.types, p.ContentType) && r.match.Match(p)
}

// Check applies the rules to a page and appends what they find. The content is that of an HTML
// page; nil stands for a page that is not HTML, whose text is all of it, and which has no title
// and no elements. It may be nil for an HTML page as well if Needs reports false.
func (c *Checker) Check(p *page.Page, content *visible.Content, found []judging.Finding) []judging.Finding {
	any := false
	for i := range c.set.rules {
		c.applies[i] = c.set.rules[i].applies(p)
		any = any || c.applies[i]
		c.places[i] = c.places[i][:0]
	}
	if !any {
		return found
	}
	clear(c.met)
	clear(c.lastEnd)
	c.page, c.content = p, content
	c.selection.begin()
	for i := range c.set.areas {
		a := &c.set.areas[i]
		if !slices.ContainsFunc(a.rules, func(rule int) bool { return c.applies[rule] }) {
			continue
		}
		found = c.look(a, found)
	}
	c.page, c.content = nil, nil
	return found
}

// look applies the rules for an area.
func (c *Checker) look(a *area, found []judging.Finding) []judging.Finding {
	switch a.kind {
	case inText:
		text := &c.plain
		if c.content != nil {
			text = &c.content.Text
		} else {
			text.Reset(c.page.Text)
			text.Add(0, len(c.page.Text), false)
		}
		c.search(a, text.Bytes(), 0)
		return c.report(a, text, found)
	case inSource:
		c.search(a, c.page.Text, 0)
	case inTitle:
		if c.content != nil && c.content.TitleEnd > 0 {
			c.search(a, c.content.Title.Bytes(), 0)
		}
	case inHeader:
		if values := c.page.Header[a.header]; values != nil {
			c.header = append(c.header[:0], strings.ToValidUTF8(strings.Join(values, ", "), "\uFFFD")...)
			c.search(a, c.header, 0)
		}
	case inElements:
		if c.content != nil {
			if err := c.selection.read(c.page.Text, c.content.XML); err != nil {
				return c.reportUnread(a, err, found)
			}
			c.selection.each(a.selector, func(element string, text []byte, from int) {
				c.element = element
				c.search(a, text, from)
			})
			c.element = ""
		}
	}
	return c.report(a, nil, found)
}

// search looks for the entries of an area in a text, which is behind from bytes of others.
func (c *Checker) search(a *area, text []byte, from int) {
	if a.strings != nil {
		for i, s, hit := a.strings.next(text, 0, 0); hit; i, s, hit = a.strings.next(text, i, s) {
			for end := s; ; {
				if n := int(a.strings.ends[end]) - 1; n >= 0 {
					begin := -1
					for _, e := range a.users[n] {
						if !c.applies[c.set.entries[e].rule] {
							continue
						}
						if begin < 0 {
							begin = a.strings.begin(text, i, n)
						}
						if from+begin >= c.lastEnd[e] {
							c.lastEnd[e] = from + i
							c.add(e, from+begin, from+i)
						}
					}
				}
				if end = a.strings.shorter[end]; end == 0 {
					break
				}
			}
		}
	}
	for _, n := range a.regexps {
		e := &c.set.entries[n]
		switch {
		case !c.applies[e.rule]:
		case e.must:
			c.met[n] = c.met[n] || e.pattern.Match(text)
		default:
			for _, m := range e.pattern.FindAllIndex(text, MaxPlaces) {
				c.add(n, from+m[0], from+m[1])
			}
		}
	}
}

// add records a match of an entry. Of the places of a rule, the first MaxPlaces are kept, each
// once.
func (c *Checker) add(n, begin, end int) {
	e := &c.set.entries[n]
	if e.must {
		c.met[n] = true
		return
	}
	places := c.places[e.rule]
	i := len(places)
	for i > 0 && places[i-1].begin > begin {
		i--
	}
	if i > 0 && places[i-1].begin == begin {
		if n < places[i-1].entry {
			places[i-1] = place{begin, end, n, c.element}
		}
		return
	}
	if len(places) == MaxPlaces {
		if i == MaxPlaces {
			return
		}
		places = places[:MaxPlaces-1]
	}
	c.places[e.rule] = slices.Insert(places, i, place{begin, end, n, c.element})
}

// report appends the findings of the rules for an area. The text is that of inText.
func (c *Checker) report(a *area, text *visible.Text, found []judging.Finding) []judging.Finding {
	for _, n := range a.rules {
		if !c.applies[n] {
			continue
		}
		r := &c.set.rules[n]
		for e := r.first; e < r.last; e++ {
			if entry := &c.set.entries[e]; entry.must && !c.met[e] {
				found = append(found, judging.Finding{Code: r.code, Verdict: r.verdict, Message: entry.message})
			}
		}
		for _, p := range c.places[n] {
			f := judging.Finding{Code: r.code, Verdict: r.verdict, Message: c.set.entries[p.entry].message}
			switch a.kind {
			case inText:
				c.place(&f, text, p)
			case inSource:
				f.Line, f.Column = c.page.Places.At(p.begin)
				f.Raw = cut(c.page.Text[p.begin:p.end])
				f.Text = excerpt(c.page.Text, p.begin, p.end)
			case inTitle:
				f.Element = "title"
				f.Line, f.Column = c.page.Places.At(c.content.TitleStart)
				f.Text = excerpt(c.content.Title.Bytes(), p.begin, p.end)
			case inHeader:
				if a.header != "Set-Cookie" { // it may hold a secret
					f.Text = excerpt(c.header, p.begin, p.end)
				}
			case inElements:
				f.Element = p.element
				c.place(&f, &c.selection.content.Text, p)
			}
			found = append(found, f)
		}
	}
	return found
}

// place sets the place of a finding in a text that comes from the source.
func (c *Checker) place(f *judging.Finding, text *visible.Text, p place) {
	if p.begin >= noText {
		f.Line, f.Column = c.page.Places.At(p.begin - noText)
		return
	}
	begin := text.Offset(p.begin)
	f.Line, f.Column = c.page.Places.At(begin)
	if p.end > p.begin {
		f.Raw = cut(c.page.Text[begin:max(begin, text.EndOffset(p.end))])
	}
	f.Text = excerpt(text.Bytes(), p.begin, p.end)
}

// reportUnread appends a finding of each rule for an area that cannot be read.
func (c *Checker) reportUnread(a *area, err error, found []judging.Finding) []judging.Finding {
	for _, n := range a.rules {
		if r := &c.set.rules[n]; c.applies[n] {
			found = append(found, judging.Finding{Code: r.code, Verdict: r.verdict, Message: "the elements of the page cannot be read: " + err.Error()})
		}
	}
	return found
}
