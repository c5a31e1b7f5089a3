package pagerules

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
)

// byScriptBits are the bits of the attributes that make an element a link for a script alone.
var byScriptBits = htmltoken.BitsOf("onclick", "role", "routerlink", "[routerlink]", "ui-sref")

// notPlaceholderBits are the bits of the attributes by which an a element without href is something
// other than a link that lacks its address.
var notPlaceholderBits = htmltoken.BitsOf("id", "name", "role", "tabindex", "aria-current", "aria-disabled")

// isNoPlaceholder reports whether the current start tag has one of these attributes.
func (s *source) isNoPlaceholder() bool {
	for _, name := range [...]string{"id", "name", "role", "tabindex", "aria-current", "aria-disabled"} {
		if s.z.Token.Attribute(name) != nil {
			return true
		}
	}
	return false
}

var (
	// opensPage matches a script that opens a page whose address is written in it.
	opensPage = lazy.Regexp(`(?i)\b(?:location(?:\.href)?\s*=|location\.(?:assign|replace)\s*\(|window\.open\s*\()\s*(?:'[^'#]|"[^"#]|` + "`[^`#]" + `)`)
	// opensSome matches a script that opens a page. Comparisons are no assignments.
	opensSome = lazy.Regexp(`(?i)\b(?:location(?:\.href)?\s*=(?:[^=]|$)|location\.(?:assign|replace)\s*\(|window\.open\s*\()`)
)

// checkFollow reports an element that is a link for a script alone. inLink is set within a link,
// which has an address. It returns whether the element was reported.
func checkFollow(s *source, inLink bool) bool {
	t := &s.z.Token
	if s.concealed || t.Foreign || t.Element == htmltoken.Unknown && bytes.IndexByte(t.Name, '-') > 0 { // what a custom element is, is not known
		return false
	}
	isLink := t.Element == htmltoken.A || t.Element == htmltoken.Area
	if href := s.value("href"); isLink && href != nil && !leadsNowhere(href) {
		return false
	}
	role := bytes.TrimSpace(s.value("role"))
	click := s.value("onclick")
	message := ""
	switch {
	case s.value("aria-disabled") != nil || s.value("aria-current") != nil:
	case equalFold(role, "link") && !(isLink && s.value("href") != nil):
		message = "the element has the role of a link, but no address in href"
	case isControl[t.Element]:
	case s.value("routerlink") != nil || s.value("[routerlink]") != nil || s.value("ui-sref") != nil:
		message = "only a script can follow the link: its address is not in href"
	case isLink && opensSome().Match(click), !isLink && !inLink && opensPage().Match(click):
		message = "only a script can follow the link: it opens a page when it is clicked"
	}
	if message == "" {
		return false
	}
	s.reportTag(judging.CodeLinkNotCrawlable, message)
	return true
}

// leadsNowhere reports whether an address is one of those that links have when a script does the
// work.
func leadsNowhere(href []byte) bool {
	href = bytes.TrimSpace(href)
	const script = "javascript:"
	return len(href) == 0 || string(href) == "#" || len(href) >= len(script) && equalFold(href[:len(script)], script)
}

// isControl marks the elements that do something when they are clicked, other than links, and
// those for the whole page.
var isControl = [256]bool{
	htmltoken.Body: true, htmltoken.Button: true, htmltoken.Form: true, htmltoken.HTML: true, htmltoken.Input: true, htmltoken.Label: true,
	htmltoken.Option: true, htmltoken.Select: true, htmltoken.Summary: true, htmltoken.Textarea: true,
}
