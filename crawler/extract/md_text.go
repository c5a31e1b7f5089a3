package extract

import (
	"bytes"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// needsUnescapeMarkdown reports whether b may hold a backslash escape or a
// character reference.
func needsUnescapeMarkdown(b []byte) bool {
	return bytes.IndexByte(b, '\\') >= 0 || bytes.IndexByte(b, '&') >= 0
}

// unescapeMarkdown appends src to dst, backslash escapes and character references
// decoded (CommonMark 2.4, 2.5).
func unescapeMarkdown(dst, src []byte) []byte {
	dst, _ = unescapeMarkdownMarked(dst, nil, src)
	return dst
}

// unescapeMarkdownMarked is unescapeMarkdown, with the way back to src.
func unescapeMarkdownMarked(dst []byte, marks []mark, src []byte) ([]byte, []mark) {
	for i := 0; i < len(src); {
		switch c := src[i]; {
		case c == '\\' && i+1 < len(src) && isPunctuation(src[i+1]):
			dst = append(dst, src[i+1])
			// What is escaped stands where it is written, behind the backslash.
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

// characterReference decodes the character reference at the start of b; its
// semicolon is required. The length is 0 when there is none.
func characterReference(b []byte) (decoded string, n int) {
	if len(b) > 1 && b[1] == '#' {
		if n = numericLength(b); n == 0 || n > len("&#x10FFFF;") || b[n-1] != ';' {
			return "", 0
		}
		return html.UnescapeString(string(b[:n])), n
	}
	for n = 1; n < len(b) && n <= longestName && isAlphanumeric(b[n]); n++ {
	}
	if n == 1 || n >= len(b) || b[n] != ';' {
		return "", 0
	}
	n++
	written := string(b[:n])
	if decoded = html.UnescapeString(written); decoded == written || decoded[len(decoded)-1] == ';' && decoded != ";" {
		return "", 0 // unknown, or known without its end only
	}
	return decoded, n
}

// isPunctuation reports whether c is ASCII punctuation (CommonMark 2.1).
func isPunctuation(c byte) bool {
	return '!' <= c && c <= '/' || ':' <= c && c <= '@' || '[' <= c && c <= '`' || '{' <= c && c <= '~'
}

// plain appends what a reader sees of a stretch of the block: without markers of
// emphasis, tags, destinations, and with escapes decoded. It stops at the limit,
// and after looking at some multiple of it. Underscores says to keep all
// underscores, which may or may not be markers.
func (s *inlineScanner) plain(dst []byte, at span, underscores bool, limit int) []byte {
	at.end = min(at.end, at.start+16*limit)
	next := firstInline(s.items, at.start)
	var after []span // where the text of a link ends, and where to go on then
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
			case inlineLink, inlineImage:
				after = append(after, span{it.text.end, it.at.end})
				i = it.text.start
				continue
			case inlineTag:
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
				decoded, n = "&", 1
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

// mayEmphasize reports whether underscores may begin or end emphasis: not within
// a word, and not between blanks.
func mayEmphasize(b []byte, start, end int) bool {
	before, _ := utf8.DecodeLastRune(b[:start])
	behind, _ := utf8.DecodeRune(b[end:])
	word := func(r rune) bool { return r != utf8.RuneError && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	gap := func(r rune) bool { return r == utf8.RuneError || unicode.IsSpace(r) }
	return !(word(before) && word(behind)) && !(gap(before) && gap(behind))
}
