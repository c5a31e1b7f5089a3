package extract

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/net/html/charset"
)

// maxHeaderLinks is the maximum number of links read from the headers of one response.
const maxHeaderLinks = 1000

// FromHeaders returns the links in the header of a response: those of Link (RFC 8288 section
// 3), Refresh (read like its meta element in the HTML standard) and Content-Location (RFC
// 9110 section 8.7), in this order. Element is "header", and Attribute is the header's name
// in lower case. The links have no line or column. They are relative to the response's own
// URL, never to a base element.
func FromHeaders(h http.Header) []Link {
	var links []Link
	add := func(header string, ref []byte, kind Kind) *Link {
		if len(links) == maxHeaderLinks {
			return &Link{}
		}
		reference := string(validUTF8(trimSpace(ref)))
		links = append(links, Link{Raw: reference, Ref: reference, Element: "header", Attribute: header, Kind: kind})
		return &links[len(links)-1]
	}
	for _, value := range h.Values("Link") {
		s := linkHeader{in: []byte(value)}
		for {
			target, ok := s.next()
			if !ok {
				break
			}
			if !s.hasRel {
				continue // a link without a relation has no meaning
			}
			kind, expect := linkMeaning(s.rel, s.as)
			text := s.title
			if len(s.titleStar) > 0 {
				text = s.titleStar
			}
			if len(text) == 0 {
				text = s.rel
			}
			l := add("link", target, kind)
			l.Expect = expect
			l.NoFollow = hasToken(s.rel, "nofollow")
			l.Text = string(trimFolded(foldSpace(nil, text)))
			for set := (srcset{in: s.imagesrcset}); ; { // the images that a preload chooses from
				c, ok := set.next()
				if !ok {
					break
				}
				image := add("link", set.in[c.url.start:c.url.end], Resource)
				image.Expect, image.IgnoredCandidate, image.Text = ExpectImage, c.ignored, l.Text
			}
		}
	}
	for _, value := range h.Values("Refresh") {
		in := []byte(value)
		if at, ok := refreshURL(in); ok {
			add("refresh", in[at.start:at.end], Navigation)
		}
	}
	if value := h.Get("Content-Location"); len(strings.TrimSpace(value)) > 0 {
		add("content-location", []byte(value), Metadata)
	}
	return links
}

// HeaderLink is a link of the header Link (RFC 8288 section 3).
type HeaderLink struct {
	Target   string // the reference as written
	Rel      string // the relation types, separated by blanks
	Hreflang string // the language of the target, "" if it is not given
}

// HeaderLinks returns the links of the header Link that have a relation, at most 1,000.
func HeaderLinks(h http.Header) (links []HeaderLink) {
	for _, value := range h.Values("Link") {
		s := linkHeader{in: []byte(value)}
		for len(links) < maxHeaderLinks {
			target, ok := s.next()
			if !ok {
				break
			}
			if s.hasRel {
				links = append(links, HeaderLink{string(validUTF8(trimSpace(target))), string(s.rel), string(s.hreflang)})
			}
		}
	}
	return links
}

// linkHeader reads the value of a Link header: links separated by commas, each of the form
// "<target>" with parameters after semicolons. The first of several parameters with the same
// name counts (RFC 8288 appendix B).
type linkHeader struct {
	in  []byte
	pos int

	rel, as, title, titleStar, imagesrcset, hreflang []byte
	hasRel                                           bool
}

// next returns the next target; its parameters are in s. Anything that is not a link is
// skipped up to the next comma.
func (s *linkHeader) next() (target []byte, ok bool) {
	for s.pos < len(s.in) {
		s.blanks(",")
		if s.pos == len(s.in) {
			break
		}
		if s.in[s.pos] != '<' {
			s.toComma()
			continue
		}
		end := bytes.IndexByte(s.in[s.pos:], '>')
		if end < 0 {
			s.pos = len(s.in)
			break
		}
		target = s.in[s.pos+1 : s.pos+end]
		s.pos += end + 1
		s.parameters()
		return target, true
	}
	return nil, false
}

// blanks skips white space and the characters in others.
func (s *linkHeader) blanks(others string) {
	for s.pos < len(s.in) && (s.in[s.pos] == ' ' || s.in[s.pos] == '\t' || strings.IndexByte(others, s.in[s.pos]) >= 0) {
		s.pos++
	}
}

func (s *linkHeader) toComma() {
	for s.pos < len(s.in) && s.in[s.pos] != ',' {
		if s.in[s.pos] == '"' {
			s.quoted()
			continue
		}
		s.pos++
	}
}

func (s *linkHeader) parameters() {
	s.rel, s.as, s.title, s.titleStar, s.imagesrcset, s.hreflang, s.hasRel = nil, nil, nil, nil, nil, nil, false
	for {
		s.blanks("")
		if s.pos == len(s.in) || s.in[s.pos] != ';' {
			s.toComma()
			return
		}
		s.blanks(";")
		start := s.pos
		for s.pos < len(s.in) && strings.IndexByte(" \t=;,", s.in[s.pos]) < 0 {
			s.pos++
		}
		name := string(bytes.ToLower(s.in[start:s.pos]))
		s.blanks("")
		var value []byte
		if s.pos < len(s.in) && s.in[s.pos] == '=' {
			s.pos++
			s.blanks("")
			value = s.value()
		}
		s.parameter(name, value)
	}
}

func (s *linkHeader) parameter(name string, value []byte) {
	if value == nil {
		value = []byte{}
	}
	set := func(to *[]byte) {
		if *to == nil {
			*to = value
		}
	}
	switch name {
	case "rel":
		s.hasRel = true
		set(&s.rel)
	case "as":
		set(&s.as)
	case "imagesrcset":
		set(&s.imagesrcset)
	case "hreflang":
		set(&s.hreflang)
	case "title":
		set(&s.title)
	case "title*":
		value = extendedValue(value)
		set(&s.titleStar)
	}
}

// value reads a token or a quoted string.
func (s *linkHeader) value() []byte {
	if s.pos < len(s.in) && s.in[s.pos] == '"' {
		return s.quoted()
	}
	start := s.pos
	for s.pos < len(s.in) && strings.IndexByte(" \t;,", s.in[s.pos]) < 0 {
		s.pos++
	}
	return s.in[start:s.pos]
}

// quoted reads a quoted string (RFC 9110 section 5.6.4).
func (s *linkHeader) quoted() []byte {
	value := []byte{}
	for s.pos++; s.pos < len(s.in); s.pos++ {
		switch c := s.in[s.pos]; c {
		case '"':
			s.pos++
			return value
		case '\\':
			if s.pos+1 < len(s.in) {
				s.pos++
				value = append(value, s.in[s.pos])
			}
		default:
			value = append(value, c)
		}
	}
	return value
}

// extendedValue decodes a value of the form charset'language'percent-encoded (RFC 8187).
func extendedValue(value []byte) []byte {
	parts := strings.SplitN(string(value), "'", 3)
	if len(parts) != 3 {
		return nil
	}
	decoded, err := url.PathUnescape(parts[2])
	if err != nil {
		return nil
	}
	e, _ := charset.Lookup(parts[0])
	if e == nil {
		return nil
	}
	text, err := e.NewDecoder().String(decoded)
	if err != nil {
		return nil
	}
	return validUTF8([]byte(text))
}
