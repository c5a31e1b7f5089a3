package urinorm

// Base is the URL that the references of one document are resolved against
// (RFC 3986 5.1), with the charset of that document. It is made once a document
// and safe for concurrent use.
type Base struct {
	href    string
	at      Offsets
	kind    schemeKind
	charset *charsetEncoder // nil for UTF-8
	fast    fastBase
}

// NewBase prepares u as a base. The charset is a label of the Encoding Standard
// ("windows-1252"); "" is UTF-8. It changes the encoding of queries only, and of
// those only in http, https, ftp and file URLs (URL Standard 4.4, query state).
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

// drive returns the drive letter that a file URL's path begins with, as "/C:".
func (b *Base) drive() string {
	path := b.href[b.at.PathStart:b.at.QueryStart]
	if len(path) >= 3 && isDriveRoot(path[:3]) && (len(path) == 3 || path[3] == '/') {
		return path[:3]
	}
	return ""
}

// Resolve resolves a reference as a browser does (URL Standard 4.4) and returns
// what it had to mend on the way. The string of the result is its own. The
// error is an *[Error], as that of [ParseWeb].
func (b *Base) Resolve(ref string) (URL, Repairs, error) {
	var buf [256]byte // on the stack, as the fast path keeps no hold of it
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

// Append resolves a reference and appends the href to dst. The offsets count
// from the href's own start. An ordinary href allocates nothing beyond what dst
// needs to grow. On error dst is returned as it was.
func (b *Base) Append(dst []byte, ref string) (href []byte, at Offsets, r Repairs, err error) {
	if href, at, ok := b.appendFast(dst, ref); ok {
		return href, at, 0, nil
	}
	return b.appendSlow(dst, ref)
}

// AppendPlain is Append for ordinary references, such as "../a.html?b#c": ok is
// false where one needs a second look, and dst is returned as it was. Where ok is
// true nothing was mended; and unless ref is empty or begins with '?' or '#', the
// href is the same for all bases with one [Base.Directory].
func (b *Base) AppendPlain(dst []byte, ref string) (href []byte, at Offsets, ok bool) {
	if href, at, ok = b.appendFast(dst, ref); ok {
		return href, at, true
	}
	return dst, Offsets{}, false
}

// Directory returns the base up to the last '/' of its path: what relative
// references are put behind.
func (b *Base) Directory() string { return b.href[:b.at.PathStart] + b.URL().Directory() }

// IsPlainFragment reports whether a fragment stands in a URL as it is written: no
// parser would encode any of it. One with a '{' is not called plain, though none is
// encoded there.
func IsPlainFragment(s string) bool { return fastSkip(s, 0, fastInFragment) == len(s) }

// appendSlow resolves a reference whatever it holds.
func (b *Base) appendSlow(dst []byte, ref string) ([]byte, Offsets, Repairs, error) {
	p := webParser{base: b, charset: b.charset, dst: dst, start: len(dst)}
	if err := p.parse(ref); err != nil {
		return dst, Offsets{}, p.repairs, newError("resolve", ref, err)
	}
	return p.dst, p.at, p.repairs, nil
}
