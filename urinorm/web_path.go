package urinorm

import "strings"

// A path is written while it is parsed, each segment after a '/'. The text
// represents the standard's list of segments, and shortening the path means
// cutting it at its last '/':
//
//	[a, b]  "/a/b"      [a]  "/a"      [""]  "/"      []  ""

// pathStart is the path start state: what follows an authority.
func (p *webParser) pathStart(rest string) {
	p.at.PathStart = p.here()
	switch {
	case startsWithSlash(rest, p.kind.special()):
		p.noteSlash(rest[0])
		p.segments(rest[1:])
	case p.kind.special() || rest != "" && rest[0] != '?' && rest[0] != '#':
		p.segments(rest)
	default:
		p.tail(rest)
	}
}

// segments is the path state: it parses segments up to the query, the fragment or
// the end. rest begins after the slash before the first segment. Dot segments are
// resolved at once.
func (p *webParser) segments(rest string) {
	special := p.kind.special()
	ends := uint8(octetEndsSegment)
	if special {
		ends |= octetBackslash
	}
	for {
		end := 0
		for end < len(rest) && octetClasses[rest[end]]&ends == 0 {
			end++
		}
		slash := startsWithSlash(rest[end:], special)
		switch dotSegment(rest[:end]) {
		case 2:
			if isRoot(p.path(), p.kind) {
				p.repairs |= RepairAboveRoot
			}
			p.shortenPath()
			if !slash {
				p.dst = append(p.dst, '/')
			}
		case 1:
			if !slash {
				p.dst = append(p.dst, '/')
			}
		default:
			p.segment(rest[:end])
		}
		if !slash {
			p.tail(rest[end:])
			return
		}
		p.noteSlash(rest[end])
		rest = rest[end+1:]
	}
}

// segment appends a segment that is not a dot segment. The first one of a file URL
// may be a drive letter, whose '|' becomes ':'.
func (p *webParser) segment(s string) {
	first := int(p.here()) == int(p.at.PathStart)
	p.dst = append(p.dst, '/')
	if p.kind == schemeFile && first && isDriveLetter(s) {
		if s[1] == '|' {
			p.repairs |= repairDriveLetter
		}
		p.dst = append(p.dst, s[0], ':')
		return
	}
	p.encode(s, encodePath)
}

// dotSegment returns 1 for ".", 2 for ".." and 0 for any other segment; %2e counts
// as a dot (URL Standard 4.1).
func dotSegment(s string) int {
	dots := 0
	for ; s != ""; dots++ {
		switch {
		case dots == 2:
			return 0
		case s[0] == '.':
			s = s[1:]
		case len(s) >= 3 && s[0] == '%' && s[1] == '2' && s[2]|0x20 == 'e':
			s = s[3:]
		default:
			return 0
		}
	}
	return dots
}

// path returns the path written so far.
func (p *webParser) path() []byte { return p.dst[p.start+int(p.at.PathStart):] }

// isRoot reports whether a path has no segment that ".." could remove.
func isRoot(path []byte, kind schemeKind) bool {
	return len(path) == 0 || kind == schemeFile && isDriveRoot(path)
}

// shortenPath removes the last segment, unless it is a drive letter (URL Standard 4.2).
func (p *webParser) shortenPath() {
	if isRoot(p.path(), p.kind) {
		return
	}
	end := len(p.dst) - 1
	for p.dst[end] != '/' {
		end--
	}
	p.dst = p.dst[:end]
}

// endPath inserts "/." before a path that begins with "//" if there is no
// authority, as the path would be read as one (URL Standard 4.5).
func (p *webParser) endPath() {
	if path := p.path(); !p.at.HasAuthority && !p.at.opaque && len(path) >= 2 && path[0] == '/' && path[1] == '/' {
		p.dst = append(p.dst, "/."...)
		path = p.path()
		copy(path[2:], path)
		copy(path, "/.")
		p.at.PathStart += 2
	}
	p.at.QueryStart = p.here()
}

// opaquePath is the opaque path state. Spaces are kept, except that one before the
// query or the fragment is encoded: it would be lost if these were removed.
func (p *webParser) opaquePath(rest string) {
	p.noAuthority()
	p.at.opaque = true
	path, tail := rest, ""
	if i := strings.IndexByte(path, '#'); i >= 0 {
		path, tail = rest[:i], rest[i:]
	}
	if i := strings.IndexByte(path, '?'); i >= 0 {
		path, tail = rest[:i], rest[i:]
	}
	if strings.IndexByte(path, ' ') >= 0 {
		p.repairs |= repairSpace
	}
	if tail != "" && strings.HasSuffix(path, " ") {
		p.encode(path[:len(path)-1], encodeControl)
		p.dst = append(p.dst, "%20"...)
	} else {
		p.encode(path, encodeControl)
	}
	p.tail(tail)
}
