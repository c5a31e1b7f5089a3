package pagerules

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/netip"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/urinorm"
)

// forms is what is known of the form that is open.
type forms struct {
	open     bool
	offset   int
	end      int
	reported bool // that the form is insecure
}

// checkScript reads a script element.
func checkScript(s *source) {
	t := &s.z.Token
	if source := t.Attribute("src"); source != nil && isCode(s.value("type")) {
		checkSubresource(s, source)
	}
}

// isCode reports whether a browser loads a script of a type.
func isCode(kind []byte) bool {
	kind = bytes.TrimSpace(kind)
	return len(kind) == 0 || equalFold(kind, "module") || equalFold(kind, "text/javascript") ||
		len(kind) < 40 && bytes.Contains(bytes.ToLower(kind), []byte("script")) && !bytes.Contains(kind, []byte("template"))
}

// checkSubresource looks at the reference of a script or style sheet.
func checkSubresource(s *source, ref *htmltoken.Attribute) {
	t := &s.z.Token
	algorithm, digests := strongest(s.value("integrity"))
	if algorithm == facts.NoAlgorithm && s.isRelative(ref) {
		return
	}
	u, printed, ok := s.resolve(bytes.TrimSpace(s.z.Value(ref)))
	if !ok || u.Scheme() == "file" {
		return
	}
	if algorithm == facts.NoAlgorithm {
		if !sameOrigin(u, s.address.url) {
			s.reportAttribute(judging.CodeSRIMissing, ref, "the "+subresourceName(t.Element)+" of another site has no integrity attribute with a hash")
		}
		return
	}
	if len(s.facts.Integrities) < facts.MaxLinks {
		s.facts.Integrities = append(s.facts.Integrities, facts.Integrity{
			Link:   facts.Link{Place: s.place(ref.ValueStart), URL: printed, Raw: s.raw(ref.ValueStart, ref.ValueEnd)},
			Script: t.Element == htmltoken.Script, Algorithm: algorithm, Digests: digests, Opaque: s.isOpaque(u), Origin: s.corsOrigin(u)})
	}
}

// isOpaque reports whether browsers load what the current start tag refers to from another origin
// and without CORS (Fetch 4.1). Of a directory whose address is not known, another origin may be its
// own.
func (s *source) isOpaque(u urinorm.URL) bool {
	return s.address.published && !s.isModule() && s.z.Token.Attribute("crossorigin") == nil && !sameOrigin(u, s.address.url)
}

// isModule reports whether the current start tag is that of a module, which browsers always load with
// CORS.
func (s *source) isModule() bool {
	return s.z.Token.Element == htmltoken.Script && equalFold(bytes.TrimSpace(s.value("type")), "module")
}

// corsOrigin returns the origin of the page if browsers load what the current start tag refers to from
// another origin, with CORS and without credentials; else "".
func (s *source) corsOrigin(u urinorm.URL) string {
	if !s.address.published || s.isOpaque(u) || sameOrigin(u, s.address.url) || equalFold(bytes.TrimSpace(s.value("crossorigin")), "use-credentials") {
		return ""
	}
	return s.address.url.Scheme() + "://" + s.address.url.Authority()
}

func subresourceName(e htmltoken.Element) string {
	if e == htmltoken.Script {
		return "script"
	}
	return "style sheet"
}

// isRelative reports whether a reference certainly leads to the origin of the page.
func (s *source) isRelative(ref *htmltoken.Attribute) bool {
	if s.page.Base == nil || !sameOrigin(s.page.Base.URL(), s.address.url) {
		return false
	}
	value := bytes.TrimSpace(s.page.Text[ref.ValueStart:ref.ValueEnd])
	if len(value) == 0 {
		return true
	}
	first := value[0]
	return bytes.IndexByte(value, ':') < 0 && !ref.HasReferences && first != '\\' &&
		(first != '/' || len(value) == 1 || value[1] != '/' && value[1] != '\\')
}

// strongest returns the digests of an integrity attribute by its strongest algorithm (SRI
// 3.3.2), one after the other. A hash that is no digest of its algorithm, because it has
// another length, fits nothing, but browsers do not ignore it.
func strongest(integrity []byte) (best facts.Algorithm, digests string) {
	if len(integrity) == 0 {
		return facts.NoAlgorithm, ""
	}
	const most = 1000 // bytes
	for word := range bytes.FieldsSeq(cut(integrity, 16*most)) {
		expression, _, _ := bytes.Cut(word, []byte("?"))
		name, encoded, _ := bytes.Cut(expression, []byte("-"))
		a := facts.AlgorithmOf(string(name))
		if a == facts.NoAlgorithm || a < best {
			continue
		}
		value := strings.TrimRight(strings.NewReplacer("-", "+", "_", "/").Replace(string(encoded)), "=")
		if value == "" || strings.ContainsFunc(value, isNotBase64) {
			continue
		}
		if a > best {
			best, digests = a, ""
		}
		if digest, err := base64.RawStdEncoding.DecodeString(value); err == nil && len(digest) == a.Size() && len(digests) < most {
			digests += string(digest)
		}
	}
	return best, digests
}

// isNotBase64 reports whether a character is not one of base64 (RFC 4648 4).
func isNotBase64(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/')
}

// begin reads the start of a form.
func (f *forms) begin(s *source) {
	t := &s.z.Token
	*f = forms{open: true, offset: t.Start, end: t.End}
	if action := t.Attribute("action"); action != nil {
		f.reported = checkAction(s, action)
	}
}

// checkAction reports an action that sends what was entered on a secure page without
// encryption.
func checkAction(s *source, action *htmltoken.Attribute) bool {
	if s.address.url.Scheme() != "https" || !s.address.published || s.isRelative(action) {
		return false
	}
	u, _, ok := s.resolve(bytes.TrimSpace(s.z.Value(action)))
	if !ok || u.Scheme() != "http" {
		return false
	}
	s.reportAttribute(judging.CodeFormInsecure, action, "the form sends what is entered without encryption: its action is an http address")
	return true
}

// field looks at an input or a button of a form.
func (f *forms) field(s *source) {
	t := &s.z.Token
	if action := t.Attribute("formaction"); action != nil {
		checkAction(s, action)
	}
	if t.Element != htmltoken.Input || !equalFold(bytes.TrimSpace(s.value("type")), "password") || !s.page.OverHTTP ||
		s.address.url.Scheme() != "http" || isLoopback(s.address.url.Host()) {
		return
	}
	offset, end, element := f.offset, f.end, "form"
	switch {
	case f.open && f.reported, !f.open && t.Attribute("form") == nil:
		return
	case !f.open:
		offset, end, element = t.Start, t.End, "input"
	}
	f.reported = true
	s.report(offset, judging.Finding{Code: judging.CodeFormInsecure, Element: element, Raw: s.raw(offset, end),
		Message: "the form asks for a password on a page that was sent without encryption"})
}

// isLoopback reports whether a host is the machine of the reader.
func isLoopback(host string) bool {
	host = strings.TrimSuffix(host, ".")
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && ip.Unmap().IsLoopback()
}

// checkHeaders looks for the headers that a page should be sent with.
func checkHeaders(s *source) {
	if s.groups&Security == 0 || !s.page.OverHTTP {
		return
	}
	h := s.page.Header
	missing := func(name, purpose string) {
		s.report(-1, judging.Finding{Code: judging.CodeHeaderMissing, Rule: strings.ToLower(name), Element: "header",
			Message: fmt.Sprintf("the page was sent without the header %s, %s", name, purpose)})
	}
	if !hasHeader(h, "Content-Security-Policy") && !s.document.hasPolicy {
		missing("Content-Security-Policy", "which limits what an injected script can do")
	}
	if !hasHeader(h, "X-Content-Type-Options") {
		missing("X-Content-Type-Options", "which stops browsers from guessing the type of files")
	}
	if !hasHeader(h, "Referrer-Policy") && !s.document.hasReferrer {
		missing("Referrer-Policy", "which limits what other sites learn about where readers come from")
	}
	if !hasHeader(h, "X-Frame-Options") && !limitsFrames(h) {
		missing("X-Frame-Options", "which stops other sites from showing the page in a frame")
	}
	if s.address.url.Scheme() == "https" && !hasHeader(h, "Strict-Transport-Security") {
		missing("Strict-Transport-Security", "which keeps browsers from asking without encryption")
	}
}

func hasHeader(h http.Header, name string) bool { return strings.TrimSpace(h.Get(name)) != "" }

// limitsFrames reports whether a Content-Security-Policy has frame-ancestors.
func limitsFrames(h http.Header) bool {
	for _, policy := range h.Values("Content-Security-Policy") {
		for directive := range strings.FieldsFuncSeq(policy, func(r rune) bool { return r == ';' || r == ',' }) {
			if name, _, _ := strings.Cut(strings.TrimSpace(directive), " "); strings.EqualFold(name, "frame-ancestors") {
				return true
			}
		}
	}
	return false
}
