package urinorm

// Base is the URL against which the references of a document are resolved (RFC
// 3986 5.1), with the charset of the document. It is made once per document and
// is safe for concurrent use.
type Base struct {
	href    string
	at      Offsets
	kind    schemeKind
	charset *charsetEncoder // nil for UTF-8
	fast    fastBase
}

// NewBase returns u as a base. The charset is a label of the Encoding Standard
// ("windows-1252"); "" is UTF-8. It affects only the queries of http, https, ftp
// and file URLs (URL Standard 4.4, query state).
//
// The error is an *[Error] that wraps [ErrCharset], or [ErrRelative] for the
// zero URL.
func NewBase(u URL, charset string) (*Base, error) {
	if u.IsZero() {
		return nil, newError("use as base", "", ErrRelative)
	}
	encoder, ok := charsetEncoderOf(charset)
	if !ok {
		return nil, newError("use charset", charset, ErrCharset)
	}
	b := &Base{href: u.href, at: u.at, kind: schemeKindOf(u.Scheme()), charset: encoder}
	b.fast = newFastBase(b)
	return b, nil
}

// URL returns the base URL, fragment included.
func (b *Base) URL() URL { return URL{href: b.href, at: b.at} }

// drive returns the drive letter with which the path of a file URL begins, as
// "/C:", or "".
func (b *Base) drive() string {
	path := b.href[b.at.PathStart:b.at.QueryStart]
	if len(path) >= 3 && isDriveRoot(path[:3]) && (len(path) == 3 || path[3] == '/') {
		return path[:3]
	}
	return ""
}

// Resolve resolves a reference as a browser does (URL Standard 4.4) and returns
// the repairs that were needed. The result shares no memory with ref. Errors are
// those of [ParseWeb].
func (b *Base) Resolve(ref string) (URL, Repairs, error) {
	var buf [256]byte // on the stack, as the fast path does not retain it
	if href, at, ok := b.appendFast(buf[:0], ref); ok {
		return URL{href: string(href), at: at}, 0, nil
	}
	scratch := scratchBuffers.Get().(*[]byte)
	defer scratchBuffers.Put(scratch)
	href, at, repairs, err := b.appendSlow((*scratch)[:0], ref)
	if err != nil {
		return URL{}, repairs, err
	}
	if cap(href) <= maxScratch {
		*scratch = href
	}
	return URL{href: string(href), at: at}, repairs, nil
}

// Append resolves a reference and appends the href to dst. The offsets count from
// the start of the href. For an ordinary reference nothing is allocated, except
// to grow dst. On error dst is returned unchanged.
func (b *Base) Append(dst []byte, ref string) (href []byte, at Offsets, r Repairs, err error) {
	if href, at, ok := b.appendFast(dst, ref); ok {
		return href, at, 0, nil
	}
	return b.appendSlow(dst, ref)
}

// AppendPlain is [Base.Append] for ordinary references, such as "../a.html?b#c".
// If a reference is not one, ok is false and dst is returned unchanged. Otherwise
// no repair was needed and, unless ref is empty or begins with '?' or '#', the
// href is the same for all bases with the same [Base.Directory].
func (b *Base) AppendPlain(dst []byte, ref string) (href []byte, at Offsets, ok bool) {
	if href, at, ok = b.appendFast(dst, ref); ok {
		return href, at, true
	}
	return dst, Offsets{}, false
}

// Directory returns the base up to and including the last '/' of its path, to
// which relative references are appended.
func (b *Base) Directory() string { return b.href[:b.at.PathStart] + b.URL().Directory() }

// IsPlainFragment reports whether parsing leaves a fragment unchanged. It also
// reports false for a fragment that contains '{', which is not encoded.
func IsPlainFragment(s string) bool { return fastSkip(s, 0, fastInFragment) == len(s) }

// appendSlow resolves any reference.
func (b *Base) appendSlow(dst []byte, ref string) ([]byte, Offsets, Repairs, error) {
	p := webParser{base: b, charset: b.charset, dst: dst, start: len(dst)}
	if err := p.parse(ref); err != nil {
		return dst, Offsets{}, p.repairs, newError("resolve", ref, err)
	}
	return p.dst, p.at, p.repairs, nil
}
