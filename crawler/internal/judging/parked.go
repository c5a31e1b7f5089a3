package judging

import (
	_ "embed"
	"html"
	"net/http"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/internal/lazy"
	"github.com/orbweaver/orbweaver/urinorm"
)

// parkedTable has the marks of parked domains, with their sources.
//
//go:embed parked.txt
var parkedTable string

// parkedMarks are the rows of parkedTable by their kinds.
type parkedMarks map[string][]parkedMark

type parkedMark struct{ mark, note string }

// parked is the table, which is read on first use.
var parked = sync.OnceValue(func() parkedMarks {
	marks := parkedMarks{}
	for line := range strings.Lines(parkedTable) {
		cells := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		if len(cells) == 4 && !strings.HasPrefix(line, "#") {
			marks[cells[0]] = append(marks[cells[0]], parkedMark{cells[1], cells[2]})
		}
	}
	return marks
})

const (
	// maxParkedBody is the length of the part of a body that is searched for marks, in bytes.
	maxParkedBody = 256 << 10
	// maxParkedWords is the number of words of a short page. Pages about domains have more.
	maxParkedWords = 150
	// maxJumpBody is the length of a page that only opens another one, in bytes.
	maxJumpBody = 1 << 10
)

// Parked returns the warning domain-parked if a page at a URL stands for a domain that is parked
// or for sale. body is the page, or its beginning.
func Parked(u urinorm.URL, header http.Header, body []byte) (f Facts) {
	p := parkedPage{url: u, source: string(body[:min(len(body), maxParkedBody)])}
	if evidence := p.evidence(header); evidence != "" {
		f.Warnings = []check.Warning{{Code: CodeDomainParked, Message: "the page is that of a domain that is parked or for sale: " + evidence}}
	}
	return f
}

// parkedPage is a page that is searched for marks.
type parkedPage struct {
	url    urinorm.URL
	source string
}

// evidence returns what shows that the page is one of a parking service, or "".
func (p *parkedPage) evidence(header http.Header) string {
	for _, m := range parked()["key"] {
		if strings.HasPrefix(header.Get(m.mark), m.note) {
			return "it has the header " + m.mark
		}
	}
	if p.mentionsService() {
		if evidence := p.loaded(); evidence != "" {
			return evidence
		}
	}
	for _, m := range parked()["script"] {
		if strings.Contains(p.source, m.mark) && p.inScript(m.mark) {
			return "it has a script of " + m.note
		}
	}
	for _, m := range parked()["jump"] {
		if len(p.source) <= maxJumpBody && strings.Contains(strings.ReplaceAll(p.source, " ", ""), m.mark) {
			return "it only opens the page of a parking service (" + m.note + ")"
		}
	}
	return p.worded()
}

var (
	parkedTag     = lazy.Regexp(`(?i)<(html|script|i?frame|link|a)\s[^>]*>`)
	parkedAddress = lazy.Regexp(`(?i)\s(?:src|href)\s*=\s*["']?(?:https?:)?//([^\s"'>]+)`)
	parkedScript  = lazy.Regexp(`(?is)<script\b[^>]*>(.*?)</script`)
)

// mentionsService reports whether a mark of what pages load and link to is anywhere in the page,
// so that its tags are worth a look.
func (p *parkedPage) mentionsService() bool {
	for _, kind := range [...]string{"key", "host", "url", "market"} {
		for _, m := range parked()[kind] {
			if strings.Contains(p.source, m.mark) {
				return true
			}
		}
	}
	return false
}

// loaded looks for what a page of a parking service loads, and for links that sell the domain.
func (p *parkedPage) loaded() string {
	domain := urinorm.RegistrableDomain(p.url.Host())
	for _, tag := range parkedTag().FindAllStringSubmatch(p.source, -1) {
		if strings.EqualFold(tag[1], "html") {
			for _, m := range parked()["key"] {
				if strings.Contains(tag[0], m.mark+`="`+m.note) {
					return "it has the attribute " + m.mark
				}
			}
			continue
		}
		address := parkedAddress().FindStringSubmatch(tag[0])
		if address == nil {
			continue
		}
		to := strings.ToLower(html.UnescapeString(address[1]))
		host, path, _ := strings.Cut(to, "/")
		if strings.EqualFold(tag[1], "a") {
			for _, m := range parked()["market"] {
				if isBelow(host, m.mark) && domain != "" && !isBelow(domain, m.mark) && strings.Contains(path, domain) {
					return "it links to an offer of the domain (" + m.note + ")"
				}
			}
			continue
		}
		for _, m := range parked()["host"] {
			if isBelow(host, m.mark) {
				return "it loads what " + m.note + " serves for parked domains"
			}
		}
		for _, m := range parked()["url"] {
			if strings.HasPrefix(to, m.mark) {
				return "it loads what " + m.note + " serves for parked domains"
			}
		}
	}
	return ""
}

// isBelow reports whether a host is a domain or below it.
func isBelow(host, domain string) bool {
	return host == domain || strings.HasSuffix(host, "."+domain)
}

// inScript reports whether a mark is in a script of the page, not only in its text.
func (p *parkedPage) inScript(mark string) bool {
	for _, script := range parkedScript().FindAllStringSubmatch(p.source, -1) {
		if strings.Contains(script[1], mark) {
			return true
		}
	}
	return false
}

var parkedTitle = lazy.Regexp(`(?is)<title\b[^>]*>(.*?)</title`)

// worded looks for the sentences of such pages. Of a page that is not short, only its title
// counts, and only with the name of the domain: others write about domains.
func (p *parkedPage) worded() string {
	text := collapsedLower(textWithoutTags(p.source))
	title := ""
	if found := parkedTitle().FindStringSubmatch(p.source); found != nil {
		title = collapsedLower(found[1])
	}
	if len(p.source) == maxParkedBody || strings.Count(text, " ") >= maxParkedWords {
		text = ""
	}
	domain := urinorm.RegistrableDomain(p.url.Host())
	names := domain != "" && strings.Contains(title, domain)
	for _, m := range parked()["words"] {
		if strings.Contains(text, m.mark) || names && strings.Contains(title, m.mark) {
			return "it says \"" + m.mark + "\""
		}
	}
	for _, m := range parked()["name"] {
		if words := domain + " " + m.mark; domain != "" && (strings.Contains(text, words) || strings.Contains(title, words)) {
			return "it says \"" + words + "\""
		}
	}
	return ""
}

// collapsedLower returns a text in lower case, with white space collapsed and character references
// decoded.
func collapsedLower(text string) string {
	return strings.Join(strings.Fields(strings.ToLower(html.UnescapeString(text))), " ")
}
