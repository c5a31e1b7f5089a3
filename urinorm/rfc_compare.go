package urinorm

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

// Rung is a rung of the ladder of comparison (RFC 3986 section 6.2): the lowest
// at which two URIs are seen to be equivalent. Lower rungs cost less; higher
// rungs need more knowledge. No rung joins URIs that may identify different
// resources, so [RungNone] means "not known to be equivalent", not "different".
type Rung int

const (
	RungNone     Rung = iota // they do not meet
	RungString               // 6.2.1: the same string
	RungCase                 // 6.2.2.1: case of scheme, host and hexadecimal digits
	RungPercent              // 6.2.2.2: percent-encoded unreserved characters
	RungDots                 // 6.2.2.3: dot segments
	RungScheme               // 6.2.3: what the scheme says of ports, hosts, paths and names
	RungProtocol             // 6.2.4: a permanent redirect seen by an [Equivalences]
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

// Section returns the section of RFC 3986 that defines the rung, "" for
// [RungNone].
func (r Rung) Section() string {
	if r < 0 || int(r) >= len(rungNames) {
		return ""
	}
	return rungNames[r].section
}

// Equivalent reports whether the rung is any but [RungNone].
func (r Rung) Equivalent() bool { return r > RungNone }

// Compare climbs the ladder of RFC 3986 section 6.2 with both URIs until they
// are the same string, and returns the rung on which they meet. Both must parse
// (see [ParseRFC]).
//
// URIs are compared as identifiers, their fragments included: a "#" behind one
// of them keeps them apart (section 6.2.3). Cut the fragments off to ask whether
// two URIs retrieve the same (section 6.1).
//
// On [RungScheme] each scheme has its say:
//
//   - http, https: RFC 9110 4.2.3;
//   - urn: RFC 8141 3.1, r-, q- and f-components left aside and nothing decoded,
//     and the rules of the namespaces isbn, issn, uuid and ietf;
//   - mailto: the domains of addresses, names of headers and addresses given by
//     "to" (RFC 6068 2);
//   - file: "localhost", the empty host and none are one (RFC 8089 2);
//   - tel, sms: visual separators and the order of parameters (RFC 3966 4);
//   - geo: numbers that are equal (RFC 5870 3.4.4); doi and info: letter case.
//
// What a server has shown to be one is the business of [Equivalences].
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

// rfcSchemeEquivalence rewrites a URI into a form that is the same for all URIs
// the scheme itself calls equivalent. It is for comparing only.
func rfcSchemeEquivalence(f *rfcForm) {
	if f.name {
		f.urnEquivalence()
		return
	}
	if rewrite := rfcSchemeRules[f.Scheme.Value].equivalence; rewrite != nil {
		rewrite(&f.Reference)
	}
}

// EqualHTTP1 compares two http URIs as HTTP/1.1 first did (RFC 2616 section
// 3.2.3): octet by octet, but a missing or empty port is the default one, host
// and scheme are without case, an empty path is "/", and a character that is
// neither reserved nor unsafe equals its percent-encoding. That set holds
// "!*'()" besides what RFC 3986 calls unreserved, so that "%28" is "(" here and
// is not in [Compare], which follows RFC 9110 4.2.3. Dot segments are not looked
// at. Both must parse.
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

// MaxEquivalences is how many URIs an [Equivalences] remembers.
const MaxEquivalences = 1 << 20

// ErrFull is returned when an [Equivalences] remembers no more.
var ErrFull = errors.New("too many equivalences")

// Equivalences is the protocol-based rung (RFC 3986 section 6.2.4): what a
// server has said to be the same resource. Feed it each permanent redirect (301,
// 308) that was observed; it never guesses, and trailing slashes, "www." or
// https stay significant until a server joins them. The zero value is ready for
// use, also by several goroutines at once.
type Equivalences struct {
	mu     sync.Mutex
	leader map[string]string // normal form without fragment -> one it was joined with
}

// Observe records that a request for from was redirected to to permanently. The
// fragments play no part. Both must parse. Beyond [MaxEquivalences] URIs it
// returns [ErrFull].
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
	if len(e.leader) >= MaxEquivalences {
		return newError("observe redirect of", from, ErrFull)
	}
	if e.leader == nil {
		e.leader = make(map[string]string)
	}
	e.leader[from] = to
	return nil
}

// Compare is [Compare] with one more rung: URIs that only redirects join meet on
// [RungProtocol]. Their fragments must be the same, as a redirect hands the
// fragment on (RFC 9110 10.2.2).
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

// find follows a URI to the one that stands for all it is joined with, and
// shortens the way for the next time.
func (e *Equivalences) find(uri string) string {
	var way []string
	for next, ok := e.leader[uri]; ok; next, ok = e.leader[uri] {
		way = append(way, uri)
		uri = next
	}
	for _, passed := range way {
		e.leader[passed] = uri
	}
	return uri
}

// rfcRetrieval splits a URI into what is retrieved, in normal form, and its
// fragment.
func rfcRetrieval(s string) (uri string, fragment Component, err error) {
	s, err = NormalizeRFC(s)
	if err != nil {
		return "", Component{}, err
	}
	uri, value, found := strings.Cut(s, "#")
	return uri, Component{Value: value, Defined: found}, nil
}
