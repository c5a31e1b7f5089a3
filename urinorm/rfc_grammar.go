package urinorm

import (
	"fmt"
	"strconv"
	"unicode/utf8"
)

// SyntaxError reports which rule of a standard's grammar a string violates, and where.
type SyntaxError struct {
	Standard string // "RFC 3986", "RFC 8141", …
	Rule     string // the name of the rule in that standard: "IPv6address", "query", …
	Offset   int    // the offset of the byte at which the rule fails
	Reason   string
}

// Error returns the rule, the offset and the reason.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("%s %s fails at byte %d: %s", e.Standard, e.Rule, e.Offset, e.Reason)
}

// rfcSet is a set of the character classes of RFC 3986 section 2 and appendix A.
type rfcSet uint16

const (
	rfcAlpha      rfcSet = 1 << iota
	rfcDigit             // DIGIT
	rfcHex               // HEXDIG, in either case
	rfcUnreserved        // ALPHA / DIGIT / "-" / "." / "_" / "~"
	rfcSubDelim          // "!" / "$" / "&" / "'" / "(" / ")" / "*" / "+" / "," / ";" / "="
	rfcSchemeChar        // ALPHA / DIGIT / "+" / "-" / "."
	rfcColon
	rfcAt
	rfcSlash
	rfcQuestion

	rfcRegName  = rfcUnreserved | rfcSubDelim
	rfcUserinfo = rfcRegName | rfcColon
	rfcPchar    = rfcUserinfo | rfcAt
	rfcPathChar = rfcPchar | rfcSlash
	rfcTailChar = rfcPathChar | rfcQuestion // query and fragment
)

// rfcClass holds the classes of each byte. Bytes beyond ASCII have no class.
var rfcClass = rfcClassTable()

func rfcClassTable() (t [256]rfcSet) {
	mark := func(chars string, set rfcSet) {
		for i := range len(chars) {
			t[chars[i]] |= set
		}
	}
	mark("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", rfcAlpha|rfcUnreserved|rfcSchemeChar)
	mark("0123456789", rfcDigit|rfcHex|rfcUnreserved|rfcSchemeChar)
	mark("abcdefABCDEF", rfcHex)
	mark("-._~", rfcUnreserved)
	mark("+-.", rfcSchemeChar)
	mark("!$&'()*+,;=", rfcSubDelim)
	mark(":", rfcColon)
	mark("@", rfcAt)
	mark("/", rfcSlash)
	mark("?", rfcQuestion)
	return t
}

func rfcIs(c byte, set rfcSet) bool { return rfcClass[c]&set != 0 }

// ParseRFC checks s against the grammar of RFC 3986 appendix A, rule URI-reference,
// and returns its components as written. Nothing is repaired, decoded or
// normalized.
//
// The error is an [*Error] that wraps a [*SyntaxError], or [ErrTooLong] if s is
// longer than [MaxReference] bytes.
func ParseRFC(s string) (Reference, error) {
	if len(s) > MaxReference {
		return Reference{}, newError("parse", s, ErrTooLong)
	}
	r := Split(s)
	if err := r.check(); err != nil {
		return Reference{}, newError("parse", s, err)
	}
	return r, nil
}

// check checks the components from left to right, so that it reports the first
// error in the string.
func (r Reference) check() error {
	at := 0
	if r.Scheme.Defined {
		if err := rfcCheckScheme(r.Scheme.Value); err != nil {
			return err
		}
		at = len(r.Scheme.Value) + 1
	}
	if r.Host.Defined {
		at += 2
		if r.Userinfo.Defined {
			if err := rfcCheckChars(r.Userinfo.Value, "userinfo", rfcUserinfo, at); err != nil {
				return err
			}
			at += len(r.Userinfo.Value) + 1
		}
		if err := rfcCheckHost(r.Host.Value, at); err != nil {
			return err
		}
		at += len(r.Host.Value)
		if r.Port.Defined {
			if err := rfcCheckPort(r.Port.Value, at+1); err != nil {
				return err
			}
			at += len(r.Port.Value) + 1
		}
	}
	if !r.Scheme.Defined && !r.Host.Defined && r.Path != "" && r.Path[0] == ':' {
		return rfcError("segment-nz-nc", at, "a relative path must not have ':' in its first segment")
	}
	if err := rfcCheckChars(r.Path, "path", rfcPathChar, at); err != nil {
		return err
	}
	at += len(r.Path)
	if r.Query.Defined {
		if err := rfcCheckChars(r.Query.Value, "query", rfcTailChar, at+1); err != nil {
			return err
		}
		at += len(r.Query.Value) + 1
	}
	if r.Fragment.Defined {
		if err := rfcCheckChars(r.Fragment.Value, "fragment", rfcTailChar, at+1); err != nil {
			return err
		}
	}
	return nil
}

func rfcError(rule string, offset int, reason string) error {
	return &SyntaxError{Standard: "RFC 3986", Rule: rule, Offset: offset, Reason: reason}
}

// rfcCheckChars checks s against *( set / pct-encoded ). offset is that of s in the
// URI.
func rfcCheckChars(s, rule string, set rfcSet, offset int) error {
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case rfcClass[c]&set != 0:
		case c != '%':
			return rfcError(rule, offset+i, rfcShowChar(s[i:])+" is not allowed here")
		case i+2 >= len(s) || !rfcIs(s[i+1], rfcHex) || !rfcIs(s[i+2], rfcHex):
			return rfcError("pct-encoded", offset+i, "'%' is not followed by two hexadecimal digits")
		default:
			i += 2
		}
	}
	return nil
}

// rfcShowChar returns the first character of s in a printable form.
func rfcShowChar(s string) string {
	if c, size := utf8.DecodeRuneInString(s); c != utf8.RuneError || size > 1 {
		return strconv.QuoteRune(c)
	}
	return fmt.Sprintf("byte 0x%02X", s[0])
}

// rfcCheckScheme: scheme = ALPHA *( ALPHA / DIGIT / "+" / "-" / "." )
func rfcCheckScheme(s string) error {
	if !rfcIs(s[0], rfcAlpha) {
		return rfcError("scheme", 0, "a scheme begins with a letter, not with "+rfcShowChar(s))
	}
	for i := 1; i < len(s); i++ {
		if !rfcIs(s[i], rfcSchemeChar) {
			return rfcError("scheme", i, rfcShowChar(s[i:])+" is not allowed in a scheme")
		}
	}
	return nil
}

// rfcCheckPort: port = *DIGIT
func rfcCheckPort(s string, offset int) error {
	for i := range len(s) {
		if !rfcIs(s[i], rfcDigit) {
			return rfcError("port", offset+i, rfcShowChar(s[i:])+" is not a digit")
		}
	}
	return nil
}
