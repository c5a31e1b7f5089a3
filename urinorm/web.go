package urinorm

import (
	"strings"
	"sync"
)

// MaxReference is the longest reference that is parsed, in bytes. It limits the
// memory that a data: URL takes.
const MaxReference = 16 << 20

// ParseWeb parses an absolute reference as a browser does (URL Standard 4.4) and
// returns the repairs that were needed. The query is encoded in UTF-8. References
// on a page are resolved by a [Base], which knows the charset of the page.
//
// The error is an *[Error] that wraps one of [ErrRelative], [ErrHost],
// [ErrDomain], [ErrIPv4], [ErrIPv6], [ErrPort] and [ErrTooLong].
func ParseWeb(s string) (URL, Repairs, error) {
	var buf [256]byte // on the stack, as the fast path does not retain it
	if href, at, ok := appendFastAbsolute(buf[:0], s); ok {
		return URL{href: string(href), at: at}, 0, nil
	}
	scratch := scratchBuffers.Get().(*[]byte)
	defer scratchBuffers.Put(scratch)
	p := webParser{dst: (*scratch)[:0]}
	if err := p.parse(s); err != nil {
		return URL{}, p.repairs, newError("parse", s, err)
	}
	if cap(p.dst) <= maxScratch {
		*scratch = p.dst
	}
	return URL{href: string(p.dst), at: p.at}, p.repairs, nil
}

// scratchBuffers holds buffers in which hrefs are built before their length is
// known. Buffers larger than maxScratch bytes are not kept.
var scratchBuffers = sync.Pool{New: func() any { return new([]byte) }}

const maxScratch = 16 << 10

// webParser is the basic URL parser (URL Standard 4.4). The standard describes a
// state machine that consumes one code point at a time; here each state is a
// method that takes the rest of the input, cuts off its part and calls the next:
//
//	          ┌─ special: slashes ─┐
//	parse ────┤                    ├─ authority ─ pathStart ─┐
//	          ├─ other: "//" ──────┘                         │
//	          ├─ relative ───────────────────────────────────┼─ segments ─┐
//	          ├─ file ─── fileHost ─ pathStart ──────────────┘            ├─ tail: query, fragment
//	          └─ opaquePath ──────────────────────────────────────────────┘
//
// The href is written from front to back while the reference is read, so every
// part is copied once. Hosts, userinfo and ports are appended by functions that
// need no other state of the parser.
type webParser struct {
	base    *Base // nil if there is none
	charset *charsetEncoder
	kind    schemeKind

	dst     []byte
	start   int     // index of the href in dst
	at      Offsets // relative to start
	repairs Repairs
}

// here returns the offset within the href at which the next part is appended.
func (p *webParser) here() int32 { return int32(len(p.dst) - p.start) }

// parse parses a reference: scheme start state and scheme state.
func (p *webParser) parse(ref string) error {
	if len(ref) > MaxReference {
		return ErrTooLong
	}
	in, repairs := stripReference(ref)
	p.repairs |= repairs
	scheme, rest, ok := cutScheme(in)
	if !ok {
		return p.noScheme(in)
	}
	for i := range len(scheme) {
		p.dst = append(p.dst, lowerByte(scheme[i]))
	}
	p.kind = schemeKindOf(string(p.dst[p.start:]))
	p.at.SchemeEnd = p.here()
	p.dst = append(p.dst, ':')
	switch {
	case p.kind == schemeFile:
		if !startsWithSlash(rest, true) {
			p.repairs |= repairSlashes
		}
		return p.file(rest)
	case p.kind.special():
		// Special relative or authority state: only "//" leads to an authority.
		if p.base != nil && p.base.kind == p.kind && !strings.HasPrefix(rest, "//") {
			p.repairs |= repairSchemeRelative
			return p.relative(rest)
		}
		return p.slashes(rest)
	case strings.HasPrefix(rest, "//"): // path or authority state
		return p.authority(rest[2:])
	case strings.HasPrefix(rest, "/"):
		p.noAuthority()
		p.segments(rest[1:])
		return nil
	}
	p.opaquePath(rest)
	return nil
}

// noScheme is the no scheme state: the reference is relative to the base.
func (p *webParser) noScheme(in string) error {
	if p.base == nil || p.base.at.opaque && !strings.HasPrefix(in, "#") {
		return ErrRelative
	}
	p.kind = p.base.kind
	p.at.SchemeEnd = p.base.at.SchemeEnd
	p.dst = append(p.dst, p.base.href[:p.at.SchemeEnd+1]...)
	if p.kind == schemeFile {
		return p.file(in)
	}
	return p.relative(in)
}

// relative is the relative state and the relative slash state. The base has
// the same scheme.
func (p *webParser) relative(rest string) error {
	special := p.kind.special()
	if startsWithSlash(rest, special) {
		if startsWithSlash(rest[1:], special) {
			if special {
				return p.slashes(rest)
			}
			return p.authority(rest[2:])
		}
		p.noteSlash(rest[0])
		p.copyAuthority()
		p.segments(rest[1:])
		return nil
	}
	p.copyAuthority()
	p.copyPathFor(rest)
	return nil
}

// copyAuthority copies the authority of the base, if it has one.
func (p *webParser) copyAuthority() {
	base := &p.base.at
	p.at = *base // the scheme is the same, so these hold for the new URL as well
	if !base.HasAuthority {
		p.noAuthority()
		p.at.opaque = base.opaque
		return
	}
	p.dst = append(p.dst, p.base.href[base.SchemeEnd+1:base.PathStart]...)
}

// noAuthority sets the offsets of a URL whose host is null.
func (p *webParser) noAuthority() {
	here := p.here()
	p.at.UserStart, p.at.HostStart, p.at.HostEnd, p.at.PathStart = here, here, here, here
	p.at.HasAuthority = false
}

// copyPathFor copies the parts of the base's path and query that a reference inherits,
// and parses rest: the reference without scheme, authority and leading slash.
func (p *webParser) copyPathFor(rest string) {
	base := &p.base.at
	p.dst = append(p.dst, p.base.href[base.PathStart:base.QueryStart]...)
	switch {
	case rest == "" || rest[0] == '#':
		p.endPath()
		p.dst = append(p.dst, p.base.href[base.QueryStart:base.FragmentStart]...)
		p.fragment(rest)
	case rest[0] == '?':
		p.tail(rest)
	default:
		if p.kind == schemeFile && startsWithDriveLetter(rest) {
			p.dst = p.dst[:p.start+int(p.at.PathStart)]
		} else {
			p.shortenPath()
		}
		p.segments(rest)
	}
}

// slashes is the special authority slashes state and the special authority ignore
// slashes state: the authority follows any number of slashes and backslashes.
func (p *webParser) slashes(rest string) error {
	n := 0
	for n < len(rest) && isSlash(rest[n], true) {
		p.noteSlash(rest[n])
		n++
	}
	if n != 2 {
		p.repairs |= repairSlashes
	}
	return p.authority(rest[n:])
}

// tail parses what follows the path: an optional query with its '?' and an
// optional fragment with its '#'.
func (p *webParser) tail(rest string) {
	p.endPath()
	if strings.HasPrefix(rest, "?") {
		query, fragment := rest[1:], ""
		if i := strings.IndexByte(query, '#'); i >= 0 {
			query, fragment = query[:i], query[i:]
		}
		p.dst = append(p.dst, '?')
		p.query(query)
		rest = fragment
	}
	p.fragment(rest)
}

// query is the query state.
func (p *webParser) query(s string) {
	set := encodeQuery
	if p.kind.special() {
		set = encodeSpecialQuery
	}
	if p.charset == nil || !p.kind.pageCharset() || !p.charset.changes(s) {
		p.encode(s, set)
		return
	}
	dst, repairs := p.charset.appendQuery(p.dst, s, set)
	p.dst = dst
	p.repairs |= repairs
}

// fragment is the fragment state; rest is empty or begins with '#'.
func (p *webParser) fragment(rest string) {
	p.at.FragmentStart = p.here()
	if rest != "" {
		p.dst = append(p.dst, '#')
		p.encode(rest[1:], encodeFragment)
	}
}

// encode appends s with the members of set percent-encoded.
func (p *webParser) encode(s string, set encodeSet) {
	dst, repairs := appendEncoded(p.dst, s, set)
	p.dst = dst
	p.repairs |= repairs
}

// noteSlash notes a backslash that is read as a slash.
func (p *webParser) noteSlash(c byte) {
	if c == '\\' {
		p.repairs |= repairBackslash
	}
}
