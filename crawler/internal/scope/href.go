package scope

import (
	"strings"

	"github.com/orbweaver/orbweaver/urinorm"
)

// Href is a resolved URL as bytes, with the offsets of its components. Its methods return
// slices of Bytes.
type Href struct {
	Bytes   []byte
	Offsets urinorm.Offsets
}

// MaxReference is the length of the longest reference that is requested and kept whole, in
// bytes. Servers accept 8,000 (RFC 9110 4.1) and few accept more. Longer data URLs are
// judged, but only their beginning is kept.
const MaxReference = 64 << 10

// Shorten returns the beginning of a reference that is longer than MaxReference, with an
// ellipsis, and any other reference as it is.
func Shorten(reference string) string {
	const kept = 1000
	if len(reference) <= MaxReference {
		return reference
	}
	return strings.ToValidUTF8(reference[:kept], "") + "…"
}

// URLOf returns v as a URL. It parses the bytes again, and returns the zero URL if they are
// not valid.
func URLOf(v Href) urinorm.URL {
	u, _, _ := urinorm.ParseWeb(string(v.Bytes))
	return u
}

// HrefOf returns a URL as an Href.
func HrefOf(u urinorm.URL) Href { return Href{[]byte(u.String()), u.Offsets()} }

// Scheme returns the scheme in lower case, without the colon.
func (v Href) Scheme() []byte { return v.Bytes[:v.Offsets.SchemeEnd] }

// Host returns the host without the port. It is empty if there is none.
func (v Href) Host() []byte { return v.Bytes[v.Offsets.HostStart:v.Offsets.HostEnd] }

// Authority returns the host and the port, without user information.
func (v Href) Authority() []byte { return v.Bytes[v.Offsets.HostStart:v.AuthorityEnd()] }

// Path returns the path, without query and fragment.
func (v Href) Path() []byte { return v.Bytes[v.Offsets.PathStart:v.Offsets.QueryStart] }

// Document returns the URL without its fragment.
func (v Href) Document() []byte { return v.Bytes[:v.Offsets.FragmentStart] }

// AuthorityEnd returns the offset of the end of host and port.
func (v Href) AuthorityEnd() int32 {
	if !v.Offsets.HasAuthority {
		return v.Offsets.HostEnd
	}
	return v.Offsets.PathStart
}

// Fragment returns the fragment without the '#', and whether there is one.
func (v Href) Fragment() ([]byte, bool) {
	if int(v.Offsets.FragmentStart) >= len(v.Bytes) {
		return nil, false
	}
	return v.Bytes[v.Offsets.FragmentStart+1:], true
}

// IsHTTP reports whether the scheme is http or https.
func (v Href) IsHTTP() bool {
	s := v.Scheme()
	return len(s) >= 4 && s[0] == 'h' && (string(s) == "http" || string(s) == "https")
}

// Crawlable reports whether the scheme has pages with links: http and https, the
// directories of ftp and ftps, and the menus of gopher.
func (v Href) Crawlable() bool {
	if v.IsHTTP() {
		return true
	}
	switch string(v.Scheme()) {
	case "ftp", "ftps", "gopher":
		return true
	}
	return false
}

// DocumentName returns the last segment of a URL's path, whose extension may tell the format.
func DocumentName(u urinorm.URL) string {
	p := u.Path()
	for i := len(p) - 1; i >= 0; i-- {
		if p[i] == '/' {
			return p[i+1:]
		}
	}
	return p
}

// FragmentOf returns what follows the first '#' of a reference, or "".
func FragmentOf(raw string) string {
	_, fragment, _ := strings.Cut(raw, "#")
	return fragment
}

// IsRoute reports whether a fragment names a view of an application rather than an element.
func IsRoute[T string | []byte](fragment T) bool {
	return len(fragment) > 0 && (fragment[0] == '/' || len(fragment) > 1 && fragment[0] == '!' && fragment[1] == '/')
}

// Route returns the fragment of v if that names a view of an application.
func (v Href) Route() (route []byte, ok bool) {
	route, has := v.Fragment()
	return route, has && IsRoute(route)
}
