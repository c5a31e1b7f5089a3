package urinorm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Rung is a rung of the comparison ladder (RFC 3986 section 6.2), the lowest on
// which two URIs are equivalent. Lower rungs cost less, higher ones need more
// knowledge. URIs that may identify different resources are not equivalent on any
// rung, so [RungNone] means "not known to be equivalent" and not "different".
type Rung int

const (
	RungNone     Rung = iota // not known to be equivalent
	RungString               // 6.2.1: the same string
	RungCase                 // 6.2.2.1: case of scheme, host and hexadecimal digits
	RungPercent              // 6.2.2.2: percent-encoded unreserved characters
	RungDots                 // 6.2.2.3: dot segments
	RungScheme               // 6.2.3: rules of the scheme for ports, hosts, paths and names
	RungProtocol             // 6.2.4: permanent redirects recorded by an [Equivalences]
)

var rungNames = [...]struct{ name, section string }{
	RungNone:     {"none", ""},
	RungString:   {"string", "RFC 3986 6.2.1"},
	RungCase:     {"case", "RFC 3986 6.2.2.1"},
	RungPercent:  {"percent-encoding", "RFC 3986 6.2.2.2"},
	RungDots:     {"dot-segments", "RFC 3986 6.2.2.3"},
	RungScheme:   {"scheme", "RFC 3986 6.2.3"},
	RungProtocol: {"protocol", "RFC 3986 6.2.4"},
}

// String returns a short name: "none", "string", "case", "percent-encoding",
// "dot-segments", "scheme" or "protocol".
func (r Rung) String() string {
	if r < 0 || int(r) >= len(rungNames) {
		return fmt.Sprintf("Rung(%d)", int(r))
	}
	return rungNames[r].name
}

// Section returns the section that defines the rung, such as "RFC 3986 6.2.1", or
// "" for [RungNone].
func (r Rung) Section() string {
	if r < 0 || int(r) >= len(rungNames) {
		return ""
	}
	return rungNames[r].section
}

// Equivalent reports whether r is not [RungNone].
func (r Rung) Equivalent() bool { return r > RungNone }

// Compare normalizes two URIs rung by rung until they are the same string (RFC 3986
// section 6.2) and returns that rung. Errors are those of [ParseRFC].
//
// URIs are compared as identifiers, fragments included: "a" and "a#" differ
// (section 6.2.3). Remove the fragments to find whether two URIs retrieve the same
// (section 6.1).
//
// The rules of the schemes, on [RungScheme], are:
//
//   - http, https: RFC 9110 4.2.3;
//   - urn: RFC 8141 3.1, which ignores r-, q- and f-components and decodes nothing,
//     and the rules of the namespaces isbn, issn, uuid and ietf;
//   - mailto: case of domains and header names is ignored, and addresses in "to"
//     fields count as part of the path (RFC 6068 2);
//   - file: "localhost", an empty host and no host are equivalent (RFC 8089 2);
//   - tel, sms: visual separators and the order of parameters are ignored (RFC 3966 4);
//   - geo: numbers are compared by value (RFC 5870 3.4.4);
//   - doi, info: letter case is ignored.
//
// [Equivalences] also takes redirects into account.
func Compare(a, b string) (Rung, error) {
	ra, err := ParseRFC(a)
	if err != nil {
		return RungNone, err
	}
	rb, err := ParseRFC(b)
	if err != nil {
		return RungNone, err
	}
	if a == b {
		return RungString, nil
	}
	fa, fb := newRFCForm(ra), newRFCForm(rb)
	for i, rule := range rfcLadder {
		rule.apply(&fa)
		rule.apply(&fb)
		last := i+1 == len(rfcLadder) || rfcLadder[i+1].rung != rule.rung
		if last && fa.Reference == fb.Reference {
			return rule.rung, nil
		}
	}
	return RungNone, nil
}

// rfcSchemeEquivalence rewrites a URI to a form that is the same for all URIs that
// are equivalent by the rules of the scheme.
func rfcSchemeEquivalence(f *rfcForm) {
	if f.validURN {
		f.urnEquivalence()
		return
	}
	if rewrite := rfcSchemeRules[f.Scheme.Value].equivalence; rewrite != nil {
		rewrite(&f.Reference)
	}
}

// EqualHTTP1 compares two http URIs by the rules of the first HTTP/1.1 (RFC 2616
// section 3.2.3): octet by octet, but a missing or empty port is the default one,
// case of scheme and host is ignored, an empty path is "/", and a character that
// is neither reserved nor unsafe equals its percent-encoding. These characters are
// the unreserved ones of RFC 3986 and "!*'()", so "%28" equals "(" here, but not in
// [Compare], which follows RFC 9110 4.2.3. Dot segments are not removed. Errors are
// those of [ParseRFC].
func EqualHTTP1(a, b string) (bool, error) {
	ra, err := rfcHTTP1Form(a)
	if err != nil {
		return false, err
	}
	rb, err := rfcHTTP1Form(b)
	if err != nil {
		return false, err
	}
	return ra == rb, nil
}

func rfcHTTP1Form(s string) (Reference, error) {
	r, err := ParseRFC(s)
	if err != nil {
		return r, err
	}
	r.Scheme.Value = rfcLowerASCII(r.Scheme.Value)
	r.eachComponent(rfcUpperHex)
	r.eachComponent(rfcDecodeUnreserved)
	r.eachComponent(rfcDecodeMarks.Replace)
	r.Host.Value = rfcLowerOutsidePercent(r.Host.Value)
	if r.Port.Value == "" || r.Port.Value == rfcSchemeRules[r.Scheme.Value].port {
		r.Port = Component{}
	}
	if r.Host.Defined && r.Path == "" {
		r.Path = "/"
	}
	return r, nil
}

// rfcDecodeMarks decodes the marks of RFC 2396 2.3 that RFC 3986 made reserved.
var rfcDecodeMarks = strings.NewReplacer("%21", "!", "%27", "'", "%28", "(", "%29", ")", "%2A", "*")

// maxEquivalences is the most URIs that an [Equivalences] records.
const maxEquivalences = 1 << 20

// ErrFull: an [Equivalences] has recorded 1,048,576 URIs.
var ErrFull = errors.New("too many equivalences")

// Equivalences records URIs that a server has declared to be the same resource
// (protocol-based normalization, RFC 3986 section 6.2.4). Pass each permanent
// redirect (301, 308) to [Equivalences.Observe]. It never guesses: trailing
// slashes, "www." and https remain significant unless a redirect shows otherwise.
// The zero value is ready for use. It is safe for concurrent use.
type Equivalences struct {
	mu     sync.Mutex
	parent map[string]string // normal form without fragment to an equivalent one, see find
}

// Observe records a permanent redirect. The fragments are ignored. Errors are those
// of [ParseRFC], or an [*Error] that wraps [ErrFull] once 1,048,576 URIs are
// recorded.
func (e *Equivalences) Observe(from, to string) error {
	from, _, err := rfcRetrieval(from)
	if err != nil {
		return err
	}
	to, _, err = rfcRetrieval(to)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	from, to = e.find(from), e.find(to)
	if from == to {
		return nil
	}
	if len(e.parent) >= maxEquivalences {
		return newError("observe redirect of", from, ErrFull)
	}
	if e.parent == nil {
		e.parent = make(map[string]string)
	}
	e.parent[from] = to
	return nil
}

// Compare is [Compare] with one more rung, [RungProtocol], for URIs that redirects
// make equivalent. Their fragments must be the same, as a redirect target inherits
// the fragment (RFC 9110 10.2.2).
func (e *Equivalences) Compare(a, b string) (Rung, error) {
	rung, err := Compare(a, b)
	if err != nil || rung.Equivalent() {
		return rung, err
	}
	a, fragmentA, err := rfcRetrieval(a)
	if err != nil {
		return RungNone, err
	}
	b, fragmentB, err := rfcRetrieval(b)
	if err != nil {
		return RungNone, err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if fragmentA == fragmentB && e.find(a) == e.find(b) {
		return RungProtocol, nil
	}
	return RungNone, nil
}

// find returns the representative of the URIs that are equivalent to uri, and
// makes it the parent of all URIs on the path to it (union-find).
func (e *Equivalences) find(uri string) string {
	var path []string
	for next, ok := e.parent[uri]; ok; next, ok = e.parent[uri] {
		path = append(path, uri)
		uri = next
	}
	for _, passed := range path {
		e.parent[passed] = uri
	}
	return uri
}

// rfcRetrieval returns the normal form of a URI without its fragment, and the
// fragment.
func rfcRetrieval(s string) (uri string, fragment Component, err error) {
	s, err = NormalizeRFC(s)
	if err != nil {
		return "", Component{}, err
	}
	uri, value, found := strings.Cut(s, "#")
	return uri, Component{Value: value, Defined: found}, nil
}
