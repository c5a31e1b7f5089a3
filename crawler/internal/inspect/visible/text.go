package visible

import (
	"bytes"
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/internal/htmltoken"
	"github.com/orbweaver/orbweaver/crawler/internal/inspect/facts"
)

// Text is text in which each run of white space is one blank, with a map back to its source.
// The zero value is empty. Its buffers are reused after Reset.
type Text struct {
	// OnlyFingerprint is set if nothing is asked for but the fingerprint: white space is then
	// kept as it is in the source. Reset clears it.
	OnlyFingerprint bool

	source  []byte
	text    []byte
	runs    []run
	next    int    // the offset in the source behind the last byte of text
	cut     bool   // the next byte begins a run even if it comes from next
	blank   bool   // there is white space before the next word, the first of it from blankAt to blankEnd
	decoded []byte // a decoded character reference

	blankAt, blankEnd int
}

// run is a part of a text that is equal to a part of the source, up to the next run.
type run struct {
	at     int // the offset in the text
	before int // the offset in the source behind the byte before
	source int // the offset in the source
}

// Reset makes the text empty. What is added then comes from source.
func (t *Text) Reset(source []byte) {
	t.source, t.text, t.runs = source, t.text[:0], t.runs[:0]
	t.next, t.cut, t.blank = 0, false, false
	t.OnlyFingerprint = false
}

// Fingerprint returns the fingerprint of the text.
func (t *Text) Fingerprint() facts.Fingerprint { return facts.FingerprintOf(t.text) }

// Bytes returns the text, which is valid until the next call of Reset.
func (t *Text) Bytes() []byte { return t.text }

// Offset returns the offset in the source of the byte at index i.
func (t *Text) Offset(i int) int {
	n := sort.Search(len(t.runs), func(n int) bool { return t.runs[n].at > i })
	if n == 0 {
		return 0 // the text is empty
	}
	return t.runs[n-1].source + i - t.runs[n-1].at
}

// EndOffset returns the offset in the source behind the byte before index i, which is at least
// 1. If that byte ends a decoded character reference, it is the end of the reference.
func (t *Text) EndOffset(i int) int {
	n := sort.Search(len(t.runs), func(n int) bool { return t.runs[n].at >= i })
	switch {
	case n < len(t.runs) && t.runs[n].at == i:
		return t.runs[n].before
	case n == 0 || i == len(t.text):
		return t.next
	}
	return t.runs[n-1].source + i - t.runs[n-1].at
}

// Blank separates the words before and after source[start:end].
func (t *Text) Blank(start, end int) {
	if t.OnlyFingerprint {
		t.text = append(t.text, ' ')
		return
	}
	if !t.blank && len(t.text) > 0 {
		t.blank, t.blankAt, t.blankEnd = true, start, end
	}
}

// addRun adds the texts of a run.
func (t *Text) addRun(run *htmltoken.Run) {
	if t.OnlyFingerprint {
		t.copyRun(run)
		return
	}
	for i := range run.Texts {
		p := &run.Texts[i]
		if p.Break >= 0 {
			t.Blank(int(p.Break), int(p.Break))
		}
		t.words(int(p.Start), int(p.End))
	}
	if run.Break >= 0 {
		t.Blank(int(run.Break), int(run.Break))
	}
}

// copyRun is addRun for a fingerprint. Most texts are short: they are copied as a whole chunk,
// of which the next text overwrites the rest.
func (t *Text) copyRun(run *htmltoken.Run) {
	const chunk = 16
	source, n := t.source, len(t.text)
	room := chunk + 1
	if last := len(run.Texts) - 1; last >= 0 {
		room += int(run.Texts[last].End-run.Texts[0].Start) + len(run.Texts)
	}
	if cap(t.text) < n+room {
		t.text = slices.Grow(t.text, room)
	}
	text := t.text[:n+room]
	for i := range run.Texts {
		p := &run.Texts[i]
		if p.Break >= 0 {
			text[n] = ' '
			n++
		}
		start, length := int(p.Start), int(p.End-p.Start)
		if length <= chunk && start+chunk <= len(source) {
			*(*[chunk]byte)(text[n:]) = [chunk]byte(source[start:])
		} else {
			copy(text[n:], source[start:start+length])
		}
		n += length
	}
	if run.Break >= 0 {
		text[n] = ' '
		n++
	}
	t.text = t.text[:n]
}

// Add adds source[start:end], in which character references are decoded if asked for. Parts
// must be added in ascending order.
func (t *Text) Add(start, end int, references bool) {
	for references {
		n := bytes.IndexByte(t.source[start:end], '&')
		if n < 0 {
			break
		}
		t.words(start, start+n)
		start = t.reference(start+n, end)
	}
	t.words(start, end)
}

// words adds source[i:end] as it is.
func (t *Text) words(i, end int) {
	source := t.source
	if t.OnlyFingerprint {
		t.text = append(t.text, source[i:end]...)
		return
	}
	for i < end {
		if i = t.plainWords(i, end); i == end {
			return
		}
		r, size := rune(source[i]), 1
		if r >= utf8.RuneSelf {
			r, size = utf8.DecodeRune(source[i:end])
		}
		switch {
		case facts.IsZeroWidth(r):
		case unicode.IsSpace(r):
			t.Blank(i, i+size)
		default:
			t.write(source[i:i+size], i)
		}
		i += size
	}
}

// plainWords adds the words of source[i:end] up to the first character that may be white space,
// or that is not ASCII, and returns its index.
func (t *Text) plainWords(i, end int) int {
	source, start := t.source, i
	for i < end && isWord[source[i]] {
		// Most words are separated by a single blank and can be written together.
		if i++; i+1 < end && source[i] == ' ' && isWord[source[i+1]] {
			i += 2
		}
	}
	t.write(source[start:i], start)
	return i
}

// write adds a part of a word that comes from an offset in the source.
func (t *Text) write(part []byte, source int) {
	switch {
	case len(part) == 0:
		return
	case t.OnlyFingerprint:
		t.text = append(t.text, part...)
		return
	}
	if t.blank {
		t.join(t.blankAt)
		t.text = append(t.text, ' ')
		t.next, t.cut, t.blank = t.blankEnd, t.blankEnd != t.blankAt+1, false
	}
	t.join(source)
	t.text = append(t.text, part...)
	t.next = source + len(part)
}

// join begins a new run if what follows does not come from directly behind what precedes.
func (t *Text) join(source int) {
	if source != t.next || t.cut || len(t.runs) == 0 {
		t.runs = append(t.runs, run{at: len(t.text), before: t.next, source: source})
		t.cut = false
	}
}

// longestName is the length of the longest name of a character reference with its semicolon.
const longestName = 32

// reference adds the character reference at source[i:end] and returns its end. If there is no
// reference, it adds what it read as it is.
func (t *Text) reference(i, end int) int {
	behind := t.referenceEnd(i, end)
	if c := commonReference(t.source[i:behind]); c != 0 {
		t.decoded = append(t.decoded[:0], c)
		t.write(t.decoded, i)
		t.next, t.cut = behind, true
		return behind
	}
	decoded := htmltoken.AppendUnescaped(t.decoded[:0], t.source[i:behind], false)
	t.decoded = decoded
	if bytes.Equal(decoded, t.source[i:behind]) {
		t.words(i, behind)
		return behind
	}
	// The reference may end before the name does, as in &ampere: it ends where what is behind
	// it comes out unchanged.
	for n := i + len("&lt"); n < behind && t.source[i+1] != '#'; n++ {
		rest := t.source[n:behind]
		if !bytes.HasSuffix(decoded, rest) {
			continue
		}
		whole := len(decoded)
		both := htmltoken.AppendUnescaped(decoded, t.source[i:n], false)
		if bytes.Equal(both[:whole-len(rest)], both[whole:]) {
			decoded, behind = decoded[:whole-len(rest)], n
			break
		}
	}
	for len(decoded) > 0 {
		r, size := utf8.DecodeRune(decoded)
		switch {
		case facts.IsZeroWidth(r):
		case unicode.IsSpace(r):
			t.Blank(i, behind)
		default:
			t.write(decoded[:size], i)
			t.next, t.cut = behind, true
		}
		decoded = decoded[size:]
	}
	return behind
}

// commonReference returns the character of a reference that most pages have, 0 for others. It
// saves the memory that decoding in general takes.
func commonReference(reference []byte) byte {
	switch string(reference) {
	case "&amp;":
		return '&'
	case "&lt;":
		return '<'
	case "&gt;":
		return '>'
	case "&quot;":
		return '"'
	case "&#39;", "&#x27;":
		return '\''
	}
	return 0
}

// referenceEnd returns the end of the name or number of the character reference at i, with the
// semicolon if there is one.
func (t *Text) referenceEnd(i, end int) int {
	isPart := isAlphanumeric
	n, limit := i+1, min(end, i+1+longestName)
	if n < end && t.source[n] == '#' {
		n, limit = n+1, end
		isPart = isDigit
		if n < end && t.source[n]|0x20 == 'x' {
			n++
			isPart = isHex
		}
	}
	for n < limit && isPart(t.source[n]) {
		n++
	}
	if n < limit && t.source[n] == ';' {
		n++
	}
	return n
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isHex(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' }

func isAlphanumeric(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }

// isWord marks the bytes that neither are white space nor begin a character that may be.
var isWord = func() (word [256]bool) {
	for c := range word {
		switch c {
		case ' ', '\t', '\n', '\v', '\f', '\r', 0xC2, 0xE1, 0xE2, 0xE3:
		default:
			word[c] = true
		}
	}
	return word
}()

// Collapse returns a string as [Text] would hold it, except that white space at its ends is a
// blank.
func Collapse(s string) string {
	var b strings.Builder
	blank := false
	for _, r := range s {
		switch {
		case facts.IsZeroWidth(r):
		case unicode.IsSpace(r):
			if !blank {
				b.WriteByte(' ')
			}
			blank = true
		default:
			b.WriteRune(r)
			blank = false
		}
	}
	return b.String()
}
