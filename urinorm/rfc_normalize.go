package urinorm

import "strings"

// Step is a change that normalization made to a URI.
type Step struct {
	Section string // of the standard that defines the step: "RFC 3986 6.2.2.1"
	What    string // what was done
	Result  string // the whole URI after the step
}

// NormalizeRFC returns the normal form of a URI (RFC 3986 section 6): case,
// percent-encoding and dot segments are normalized (6.2.2), then the rules of the
// scheme are applied (6.2.3). An empty or default port and leading zeros of a port
// are removed, an empty path after an authority becomes "/", and a default host
// becomes empty. Nothing is decoded in a URN (RFC 8141 3.1).
//
// A relative reference keeps its dot segments and has no scheme, so resolve it
// first. Query, fragment and userinfo are kept even if they are empty, as 6.2.3
// removes no delimiter without a rule of the scheme. The result is a valid URI and
// its own normal form. Errors are those of [ParseRFC].
func NormalizeRFC(s string) (string, error) {
	return rfcNormalizeTo(s, RungScheme)
}

// NormalizeSyntax returns a URI after syntax-based normalization alone (RFC 3986
// section 6.2.2): case, percent-encoding and dot segments. Errors are those of
// [ParseRFC].
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

// ExplainNormalize returns the steps from s to its normal form (see
// [NormalizeRFC]), in order. A URI in normal form has none. Errors are those of
// [ParseRFC].
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

// rfcForm is a reference that is being normalized.
type rfcForm struct {
	Reference
	urn      bool // the scheme is urn
	validURN bool // and the syntax that of RFC 8141, so its comparison rules apply
}

func newRFCForm(r Reference) rfcForm {
	f := rfcForm{Reference: r, urn: strings.EqualFold(r.Scheme.Value, "urn")}
	if f.urn {
		_, err := ParseURN(r.String())
		f.validURN = err == nil
	}
	return f
}

// rfcRule is a normalization rule.
type rfcRule struct {
	rung    Rung
	section string
	what    string
	apply   func(*rfcForm)
	// compareOnly is set if the rule is for comparison and does not change the
	// normal form. For example, telephone numbers are equivalent if they differ in
	// visual separators, but the separators are worth keeping.
	compareOnly bool
}

// rfcLadder holds the normalization rules of RFC 3986 section 6.2, in the order in
// which [NormalizeRFC], [ExplainNormalize] and [Compare] apply them.
var rfcLadder = []rfcRule{
	{rung: RungCase, section: "RFC 3986 6.2.2.1", what: "scheme in lower case", apply: rfcLowerScheme},
	{rung: RungCase, section: "RFC 3986 6.2.2.1", what: "host in lower case", apply: rfcLowerHost},
	{rung: RungCase, section: "RFC 3986 6.2.2.1", what: "hexadecimal digits of percent-encodings in upper case",
		apply: func(f *rfcForm) { f.eachComponent(rfcUpperHex) }},
	{rung: RungPercent, section: "RFC 3986 6.2.2.2", what: "percent-encoded unreserved characters decoded",
		apply: rfcDecode},
	{rung: RungDots, section: "RFC 3986 6.2.2.3", what: "dot segments removed", apply: rfcDropDots},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "empty port, default port or leading zeros of the port removed",
		apply: rfcShortenPort},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "default host of the scheme removed",
		apply: rfcDropDefaultHost},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "empty path after an authority replaced by \"/\"",
		apply: rfcRootPath},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "domain of a mail address in lower case",
		apply: rfcLowerMailDomains},
	{rung: RungScheme, section: "RFC 8141 3.1", what: "namespace identifier of a URN in lower case",
		apply: rfcLowerNID},
	{rung: RungScheme, section: "RFC 3986 6.2.3", what: "equivalence rules of the scheme applied",
		apply: rfcSchemeEquivalence, compareOnly: true},
}

func rfcLowerScheme(f *rfcForm) { f.Scheme.Value = rfcLowerASCII(f.Scheme.Value) }

func rfcLowerHost(f *rfcForm) { f.Host.Value = rfcLowerOutsidePercent(f.Host.Value) }

// rfcDecode decodes unreserved characters (RFC 3986 section 2.3). RFC 8141 3.1
// forbids this in URNs, and an invalid URN such as "urn:%69sbn:1" must not become
// a valid one. A letter that is decoded in a host is changed to lower case.
func rfcDecode(f *rfcForm) {
	if f.urn {
		return
	}
	f.eachComponent(rfcDecodeUnreserved)
	rfcLowerHost(f)
}

// rfcDropDots removes dot segments from the path of a URI. Three kinds of paths
// keep them: a relative reference needs them until it is resolved, a URN has no
// dot segments (RFC 8141 3.1), and a rootless path that is content instead of a
// position in a hierarchy ("data:,a/../b") would change its meaning.
func rfcDropDots(f *rfcForm) {
	rootless := !strings.HasPrefix(f.Path, "/")
	if !f.Scheme.Defined || rootless && (f.urn || rfcSchemeRules[f.Scheme.Value].content) {
		return
	}
	f.Path = RemoveDotSegments(f.Path)
	f.Reference = f.guardPath()
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

// rfcDropDefaultHost removes the default host of a scheme ("the reference should be
// normalized to an empty authority", 6.2.3), unless there is a userinfo or a port.
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
	if f.validURN {
		nid, nss, _ := strings.Cut(f.Path, ":")
		f.Path = rfcLowerASCII(nid) + ":" + nss
	}
}

// eachComponent applies edit to every component that may contain percent-encodings.
func (r *Reference) eachComponent(edit func(string) string) {
	r.Userinfo.Value = edit(r.Userinfo.Value)
	r.Host.Value = edit(r.Host.Value)
	r.Path = edit(r.Path)
	r.Query.Value = edit(r.Query.Value)
	r.Fragment.Value = edit(r.Fragment.Value)
}
