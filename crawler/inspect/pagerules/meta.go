package pagerules

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/inspect/htmltoken"
)

// meta reads a meta element.
func (c *Checker) meta(t *htmltoken.Token) {
	content := t.Attribute("content")
	if content == nil {
		return
	}
	if property := c.value("property"); property != nil && equalFold(property, "og:image") && !isBlank(c.z.Value(content)) {
		c.document.hasOGImage = true
	}
	if equiv := c.value("http-equiv"); equiv != nil {
		switch {
		case equalFold(equiv, "refresh"):
			c.document.sendsOn = c.document.sendsOn || sendsOn(c.z.Value(content))
		case equalFold(equiv, "content-security-policy"):
			c.document.hasPolicy = true
		}
	}
	name := bytes.TrimSpace(c.value("name"))
	switch {
	case equalFold(name, "description"):
		if c.groups&SEO != 0 {
			c.description(content)
		}
	case equalFold(name, "robots"):
		if c.groups&needRobots != 0 && !c.Facts.NoIndex && forbidsIndex(c.z.Value(content)) {
			c.Facts.NoIndex, c.Facts.NoIndexPlace = true, c.place(t.Start)
		}
	case equalFold(name, "referrer"):
		c.document.hasReferrer = true
	}
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

// noindexHeader reads the header X-Robots-Tag.
func (c *Checker) noindexHeader(noindex bool) {
	if noindex && !c.Facts.NoIndex {
		c.Facts.NoIndex, c.Facts.NoIndexPlace = true, facts.Place{}
	}
}
