package pagerules

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
)

// readMeta reads a meta element.
func readMeta(s *source) {
	t := &s.z.Token
	content := t.Attribute("content")
	if property := bytes.TrimSpace(s.value("property")); len(property) > len("og:") && equalFold(property[:len("og:")], "og:") {
		readOpenGraph(s, property, content)
	}
	if content == nil {
		return
	}
	if equiv := s.value("http-equiv"); equiv != nil {
		switch {
		case equalFold(equiv, "refresh"):
			s.document.sendsOn = s.document.sendsOn || sendsOn(s.z.Value(content))
		case equalFold(equiv, "content-security-policy"):
			s.document.hasPolicy = true
		}
	}
	name := bytes.TrimSpace(s.value("name"))
	switch {
	case equalFold(name, "description"):
		if s.groups&SEO != 0 && s.facts.Description.Hash == 0 { // the first one that is not blank counts
			s.facts.Description = readDescription(s, content)
		}
	case equalFold(name, "robots"):
		if s.groups&needRobots != 0 && !s.facts.NoIndex && forbidsIndex(s.z.Value(content)) {
			s.facts.NoIndex, s.facts.NoIndexPlace, s.facts.NoIndexRaw = true, s.place(t.Start), s.raw(t.Start, t.End)
		}
	case equalFold(name, "referrer"):
		s.document.hasReferrer = true
	}
}

// readOpenGraph reads a meta element with a property of Open Graph. content may be nil.
func readOpenGraph(s *source, property []byte, content *htmltoken.Attribute) {
	isEmpty := content == nil || isBlank(s.z.Value(content))
	if isEmpty && s.groups&SEO != 0 {
		s.reportTag(judging.CodeOgEmpty, "the property "+string(cut(bytes.ToLower(property), maxRaw))+" has no content")
	}
	s.document.hasOGImage = s.document.hasOGImage || !isEmpty && equalFold(property, "og:image")
}

func equalFold(b []byte, s string) bool {
	return len(b) == len(s) && bytes.EqualFold(b, []byte(s))
}

// forbidsIndex reports whether the content of a robots meta element has noindex or none.
func forbidsIndex(content []byte) bool {
	for word := range bytes.FieldsFuncSeq(content, func(r rune) bool { return r == ',' || r <= ' ' }) {
		if equalFold(word, "noindex") || equalFold(word, "none") {
			return true
		}
	}
	return false
}

// maxDelay is the delay of a refresh, in seconds, up to which a page counts as a redirect.
const maxDelay = 10

// sendsOn reports whether the content of a refresh (HTML Standard 4.2.5.3) leads to another
// document within a short time.
func sendsOn(content []byte) bool {
	content = bytes.TrimLeft(content, " \t\n\f\r")
	delay, i := 0, 0
	for ; i < len(content) && '0' <= content[i] && content[i] <= '9'; i++ {
		delay = min(delay*10+int(content[i]-'0'), maxDelay+1)
	}
	if delay > maxDelay || i == 0 && !bytes.HasPrefix(content, []byte(".")) {
		return false
	}
	return len(bytes.TrimLeft(content[i:], ".0123456789;, \t\n\f\r")) > 0
}
