package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
)

// needsUnescapeMarkdown reports whether b may contain a backslash escape or a
// character reference.
func needsUnescapeMarkdown(b []byte) bool {
	return bytes.IndexByte(b, '\\') >= 0 || bytes.IndexByte(b, '&') >= 0
}

// unescapeMarkdown appends src to dst and decodes backslash escapes and character
// references (CommonMark 2.4, 2.5).
func unescapeMarkdown(dst, src []byte) []byte {
	dst, _ = unescapeMarkdownWithMarks(dst, nil, src)
	return dst
}

// unescapeMarkdownWithMarks is like unescapeMarkdown but also appends marks that map
// the result back to src.
func unescapeMarkdownWithMarks(dst []byte, marks []mark, src []byte) ([]byte, []mark) {
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src) && isPunctuation(src[i+1]):
			dst = append(dst, src[i+1])
			// The position of an escaped character is that of the character itself,
			// not of its backslash.
			marks = append(marks, mark{len(dst) - 1, i + 1})
			i += 2
			continue
		case c == '&':
			if decoded, n := characterReference(src[i:]); n > 0 {
				dst = append(dst, decoded...)
				i += n
				marks = append(marks, mark{len(dst), i})
				continue
			}
		}
		dst = append(dst, src[i])
		i++
	}
	return dst, marks
}

// characterReference decodes the character reference at the start of b, which must end
// with a semicolon. It returns the length of the reference, or 0 if there is none.
func characterReference(b []byte) (decoded []byte, n int) {
	decoded, n = htmltoken.AppendReference(nil, b, true)
	if b[n-1] != ';' || b[1] == '#' && n > len("&#x10FFFF;") {
		return nil, 0
	}
	return decoded, n
}

// isPunctuation reports whether c is ASCII punctuation (CommonMark 2.1).
func isPunctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// plainText appends the visible text of a part of the block, without emphasis markers,
// tags and destinations, and with escapes decoded. It appends about limit bytes at most
// and reads no more than a multiple of that. If underscores is true, it keeps all
// underscores, including those that may mark emphasis.
func (s *inlineScanner) plainText(dst []byte, at span, underscores bool, limit int) []byte {
	at.end = min(at.end, at.start+16*limit)
	next := firstInline(s.items, at.start)
	var after []span // the end of a link's text, and the position to resume at
	for i := at.start; i < at.end && len(dst) < limit; {
		if n := len(after); n > 0 && i >= after[n-1].start {
			i, after = max(i, after[n-1].end), after[:n-1]
			continue
		}
		for next < len(s.items) && s.items[next].at.start < i {
			next++
		}
		if next < len(s.items) && s.items[next].at.start == i {
			it := &s.items[next]
			switch it.kind {
			case inlineLink, inlineImage, inlineWiki, inlineWikiImage:
				after = append(after, span{it.text.end, it.at.end})
				i = it.text.start
				continue
			case inlineTag, inlineComponent:
			default:
				dst = append(dst, s.text[it.text.start:min(it.text.end, it.text.start+limit)]...)
			}
			i = it.at.end
			continue
		}
		switch c := s.text[i]; c {
		case '\\':
			if i+1 < at.end && isPunctuation(s.text[i+1]) {
				i++
			}
			dst = append(dst, s.text[i])
			i++
		case '&':
			decoded, n := characterReference(s.text[i:at.end])
			if n == 0 {
				decoded, n = []byte("&"), 1
			}
			dst = append(dst, decoded...)
			i += n
		case '*':
			i++
		case '_', '~':
			n := runLength(s.text[:at.end], i)
			if c == '_' && (underscores || !mayEmphasize(s.text, i, i+n)) || c == '~' && n != 2 {
				dst = append(dst, s.text[i:i+n]...)
			}
			i += n
		default:
			dst = append(dst, c)
			i++
		}
	}
	return dst
}

func firstInline(items []inline, start int) int {
	low, high := 0, len(items)
	for low < high {
		if middle := (low + high) / 2; items[middle].at.start < start {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// mayEmphasize reports whether underscores may begin or end emphasis, which they
// cannot within a word or between spaces.
func mayEmphasize(b []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(b[:start])
	after, _ := utf8.DecodeRune(b[end:])
	word := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	gap := func(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }
	return !(word(before) && word(after)) && !(gap(before) && gap(after))
}
