package urinorm

import "strings"

// Step is one thing normalization did to a URI.
type Step struct {
	Section string // where a standard says so: "RFC 3986 6.2.2.1"
	What    string // what was done
	Result  string // the whole URI after the step
}

// NormalizeRFC returns the normal form of a URI by the ladder of RFC 3986
// section 6: case, percent-encoding and dot segments (6.2.2), then what its
// scheme says (6.2.3): an empty or default port goes, as do its leading zeros,
// an empty path behind an authority becomes "/", a default host becomes empty.
// URNs follow RFC 8141 3.1: nothing in them is decoded.
//
// A relative reference keeps its dot segments and has no scheme to ask: resolve
// it first. Query, fragment and userinfo stay, also when they are empty, because
// 6.2.3 takes no delimiter away that the scheme does not license. The result is
// a valid URI and its own normal form. Strings that do not parse are errors, as
// with [ParseRFC].
func NormalizeRFC(s string) (string, error) {
	return rfcNormalizeTo(s, RungScheme)
}

// NormalizeSyntax does the syntax-based part alone, RFC 3986 section 6.2.2: case,
// percent-encoding, dot segments.
func NormalizeSyntax(s string) (string, error) {
	return rfcNormalizeTo(s, RungDots)
}

func rfcNormalizeTo(s string, highest Rung) (string, error) {
	r, err := ParseRFC(s)
	if err != nil {
		return "", err
	}
	form := newRFCForm(r)
	for _, rule := range rfcLadder {
		if rule.rung <= highest && !rule.compareOnly {
			rule.apply(&form)
		}
	}
	return form.String(), nil
}

// ExplainNormalize returns the steps that lead from s to [NormalizeRFC] of s, in
// their order. A URI in normal form has none.
func ExplainNormalize(s string) ([]Step, error) {
	r, err := ParseRFC(s)
	if err != nil {
		return nil, err
	}
	form := newRFCForm(r)
	var steps []Step
	for _, rule := range rfcLadder {
		if rule.compareOnly {
			continue
		}
		rule.apply(&form)
		if now := form.String(); now != s {
			steps = append(steps, Step{Section: rule.section, What: rule.what, Result: now})
			s = now
		}
	}
	return steps, nil
}

// rfcForm is a reference on its way up the ladder.
type rfcForm struct {
	Reference
	urn  bool // the scheme is urn
	name bool // and the syntax that of RFC 8141, whose comparison rules then hold
}

func newRFCForm(r Reference) rfcForm {
	f := rfcForm{Reference: r, urn: strings.EqualFold(r.Scheme.Value, "urn")}
	if f.urn {
		_, err := ParseURN(r.String())
		f.name = err == nil
	}
	return f
}

// rfcRule is one step of the ladder of comparison.
type rfcRule struct {
	rung    Rung
	section string
	what    string
	apply   func(*rfcForm)
	// compareOnly marks equivalences that a scheme defines for comparing and that
	// have no place in the spelling of a normal form: the visual separators of a
	// telephone number make two spellings equal, but people want to keep them.
	compareOnly bool
}

// rfcLadder is section 6.2 of RFC 3986 from the bottom up, as [NormalizeRFC],
// [ExplainNormalize] and [Compare] climb it.
var rfcLadder = []rfcRule{
	{rung: RungCase, section: "RFC 3986 6.2.2.1", what: "scheme in lower case", apply: rfcLowerScheme},
	{rung: RungCase, section: "RFC 3986 6.2.2.1", what: "host in lower case", apply: rfcLowerHost},
	{rung: RungCase, section: "RFC 3986 6.2.2.1", what: "hexadecimal digits of percent-encodings in upper case",
		apply: func(f *rfcForm) { f.eachComponent(rfcUpperHex) }},
	{rung: RungPercent, section: "RFC 3986 6.2.2.2", what: "percent-encoded unreserved characters decoded",
		apply: rfcDecode},
	{rung: RungDots, section: "RFC 3986 6.2.2.3", what: "dot segments removed", apply: rfcDropDots},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "empty, default or zero-padded port shortened",
		apply: rfcShortenPort},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "default host of the scheme made empty",
		apply: rfcDropDefaultHost},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "empty path behind an authority made \"/\"",
		apply: rfcRootPath},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "domain of a mail address in lower case",
		apply: rfcLowerMailDomains},
	{rung: RungScheme, section: "RFC 8141 3.1", what: "namespace identifier of a URN in lower case",
		apply: rfcLowerNID},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "compared as the scheme says",
		apply: rfcSchemeEquivalence, compareOnly: true},
}

func rfcLowerScheme(f *rfcForm) { f.Scheme.Value = rfcLowerASCII(f.Scheme.Value) }

func rfcLowerHost(f *rfcForm) { f.Host.Value = rfcLowerOutsidePercent(f.Host.Value) }

// rfcDecode decodes what RFC 3986 section 2.3 calls unreserved. RFC 8141 3.1
// forbids it in URNs, and what is none must not become one: "urn:%69sbn:1". A
// letter that comes out of a host is put into lower case at once, as the host is
// without case.
func rfcDecode(f *rfcForm) {
	if f.urn {
		return
	}
	f.eachComponent(rfcDecodeUnreserved)
	rfcLowerHost(f)
}

// rfcDropDots removes dot segments from the path of a URI. A relative reference
// needs its dots until it is resolved, urn: has none (RFC 8141 3.1), and the
// rootless path of a scheme that carries content instead of naming a place in
// a hierarchy ("data:,a/../b") would change its meaning.
func rfcDropDots(f *rfcForm) {
	rootless := !strings.HasPrefix(f.Path, "/")
	if !f.Scheme.Defined || rootless && (f.urn || rfcSchemeRules[f.Scheme.Value].content) {
		return
	}
	f.Path = RemoveDotSegments(f.Path)
	f.Reference = f.guarded()
}

func rfcShortenPort(f *rfcForm) {
	if !f.Scheme.Defined || !f.Port.Defined {
		return
	}
	port := strings.TrimLeft(f.Port.Value, "0")
	if port == "" && f.Port.Value != "" {
		port = "0"
	}
	f.Port.Value = port
	if port == "" || port == rfcSchemeRules[f.Scheme.Value].port {
		f.Port = Component{}
	}
}

// rfcDropDefaultHost: "the reference should be normalized to an empty authority",
// unless userinfo or port are there.
func rfcDropDefaultHost(f *rfcForm) {
	if f.Host.Value != "" && !f.Userinfo.Defined && !f.Port.Defined &&
		f.Host.Value == rfcSchemeRules[f.Scheme.Value].defaultHost {
		f.Host.Value = ""
	}
}

func rfcRootPath(f *rfcForm) {
	if f.Scheme.Defined && f.Host.Defined && f.Path == "" {
		f.Path = "/"
	}
}

func rfcLowerMailDomains(f *rfcForm) {
	if f.Scheme.Value == "mailto" {
		f.Path = rfcLowerDomains(f.Path)
	}
}

func rfcLowerNID(f *rfcForm) {
	if f.name {
		nid, nss, _ := strings.Cut(f.Path, ":")
		f.Path = rfcLowerASCII(nid) + ":" + nss
	}
}

// eachComponent applies edit to every component that may hold percent-encodings.
func (r *Reference) eachComponent(edit func(string) string) {
	r.Userinfo.Value = edit(r.Userinfo.Value)
	r.Host.Value = edit(r.Host.Value)
	r.Path = edit(r.Path)
	r.Query.Value = edit(r.Query.Value)
	r.Fragment.Value = edit(r.Fragment.Value)
}
