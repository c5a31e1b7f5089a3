package urinorm

import "strings"

// Redact replaces passwords by *** in any text that may contain URLs: a reference
// as written, however malformed, or a message that quotes some. It looks for
// what a browser would read as user:password@ (URL Standard 4.4, authority
// state): after two slashes or backslashes, or after a special scheme, with or
// without slashes. When in doubt it hides too much. It is idempotent.
func Redact(s string) string {
	if strings.IndexByte(s, '@') < 0 {
		return s
	}
	for range maxPasses {
		out := redactOnce(s)
		if out == s {
			return out
		}
		s = out
	}
	return redactRest(s)
}

// maxPasses is how often a text is searched for passwords. What is hidden may have had a space that
// kept what is before it from being read as part of the same password.
const maxPasses = 4

func redactOnce(s string) string {
	if strings.ContainsAny(s, "\t\r\n") {
		// The parser removes these first; they may be within a scheme or between
		// the slashes.
		stripped := tabsAndNewlines.Replace(s)
		if hidden := redact(stripped); hidden != stripped {
			return hidden
		}
	}
	return redact(s)
}

// redactRest hides all from the first ':' of an authority to the last '@'.
func redactRest(s string) string {
	s = tabsAndNewlines.Replace(s)
	at := strings.LastIndexByte(s, '@')
	for i := 0; i < at; i++ {
		start, special, ok := authorityAt(s, i)
		if !ok {
			continue
		}
		end := authorityEnd(s, start, special)
		if colon := strings.IndexByte(s[start:end], ':') + start; start <= colon && colon < at {
			return s[:colon+1] + "***" + s[at:]
		}
		i = max(end-1, i)
	}
	return s
}

func redact(s string) string {
	var out []byte // nil until something is replaced
	copied := 0
	word := redactWord{s: s}
	for i := 0; i < len(s); {
		start, special, ok := authorityAt(s, i)
		if !ok {
			i++
			continue
		}
		end := authorityEnd(s, start, special)
		colon := strings.IndexByte(s[start:end], ':') + start
		at := strings.LastIndexByte(s[start:end], '@') + start
		if at < start && colon >= start && !isPort(s[colon+1:end]) {
			at = word.lastAt(end)
			end = max(end, at)
		}
		if start <= colon && colon+1 < at {
			out = append(append(out, s[copied:colon+1]...), "***"...)
			copied = at
		}
		i = max(end, i+1)
	}
	if out == nil {
		return s
	}
	return string(append(out, s[copied:]...))
}

// authorityEnd returns the end of an authority of which s[i] is a part.
func authorityEnd(s string, i int, special bool) int {
	for i < len(s) && s[i] != '/' && s[i] != '?' && s[i] != '#' && (!special || s[i] != '\\') {
		i++
	}
	return i
}

// isPort reports whether s can follow the ':' of an authority. Otherwise it is
// likely a password with an unencoded '/', '?' or '#': not a valid URL, but still
// a password.
func isPort(s string) bool {
	for i := range len(s) {
		if !isDigit(s[i]) && s[i] != ']' && s[i] != ':' && s[i] != ' ' {
			return false
		}
	}
	return true
}

// redactWord finds the last '@' of the word at an offset. It keeps the word that it
// found, so that each word is searched once.
type redactWord struct {
	s       string
	end, at int
}

// lastAt returns the offset of the last '@' in the word at from, -1 if there is none
// from there on.
func (w *redactWord) lastAt(from int) int {
	if from >= w.end {
		w.end = len(w.s)
		if i := strings.IndexAny(w.s[from:], " \"<>"); i >= 0 {
			w.end = from + i
		}
		w.at = from + strings.LastIndexByte(w.s[from:w.end], '@')
	}
	if w.at < from {
		return -1
	}
	return w.at
}

// authorityAt reports whether s[i] begins a separator that an authority may follow:
// "//", or the ':' of a special scheme and any slashes. It returns where the
// authority starts and whether backslashes end it, as in special schemes.
func authorityAt(s string, i int) (start int, special, ok bool) {
	if s[i] == ':' && isSpecialBefore(s, i) {
		for i++; i < len(s) && isSlash(s[i], true); {
			i++
		}
		return i, true, true
	}
	if !isSlash(s[i], true) || i+1 == len(s) || !isSlash(s[i+1], true) {
		return 0, false, false
	}
	// Without a special scheme, the meaning depends on the base.
	backslash := s[i] == '\\' || s[i+1] == '\\'
	for i < len(s) && isSlash(s[i], true) {
		i++
	}
	return i, backslash, true
}

// isSpecialBefore reports whether a special scheme ends at s[colon].
func isSpecialBefore(s string, colon int) bool {
	start := colon
	for start > 0 && colon-start < len("https") && isAlpha(s[start-1]) {
		start--
	}
	return schemeKindOf(strings.ToLower(s[start:colon])).special()
}
