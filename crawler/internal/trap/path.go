package trap

import (
	"fmt"
	"strings"
)

// pathShape is the form of a path without its numbers, IDs and dates.
//
//	/2026/11/21/page-12.html;jsessionid=8F0A…
//	shape    /{n}/{n}/{n}/page-{n}.html       numbered, session, date with a day
//	exact    /2026/11/21/page-12.html
type pathShape struct {
	path      string
	segments  int
	exact     uint64 // hash of the path without session IDs
	shape     uint64 // hash of the path without numbers and IDs
	directory uint64 // hash of the shape of all segments but the last
	set       uint64 // hash of the segments in any order

	numbered, identified, session bool
	date                          datePart
}

// maxSegments limits the segments that are compared with each other. A longer path
// exceeds any sensible limit of segments.
const maxSegments = 64

// read parses a path. If the path alone identifies a trap, read returns its pattern.
func (p *pathShape) read(path string, l *Limits) (pattern string) {
	p.path = path
	var (
		seen [maxSegments]uint64
		date dateReader
		rest = strings.TrimPrefix(path, "/")
	)
	p.exact, p.shape = hashSeed, hashSeed
	for rest != "" {
		segment, next, more := strings.Cut(rest, "/")
		rest = next
		p.segments++
		if exceeds(p.segments, l.Segments) {
			return fmt.Sprintf("more than %d path segments", l.Segments)
		}
		segment, session := cutSession(segment)
		p.session = p.session || session

		exact, shape := p.readSegment(segment)
		p.date = max(p.date, date.segment(segment))
		p.exact = mix(p.exact ^ exact)
		p.directory = p.shape
		p.shape = mix(p.shape ^ shape)
		if more {
			p.exact, p.shape = hashByte(p.exact, '/'), hashByte(p.shape, '/')
		}
		if p.segments > maxSegments {
			continue
		}
		// Real trees contain numbers in many orders (dates, tiles, shards). So numbers
		// count with their positions, and as repeated only if they are adjacent.
		i := p.segments - 1
		seen[i] = exact
		placed := shape == numberShape || segment == ""
		times := 1
		for j := i - 1; j >= 0; j-- {
			if seen[j] == exact {
				times++
			} else if placed {
				break
			}
		}
		if exceeds(times, l.Repeats) {
			return fmt.Sprintf("%q occurs %d times in the path", segment, times)
		}
		switch {
		case placed:
			p.set += mix(exact + uint64(i))
		case times == 1:
			p.set += exact
		}
	}
	return ""
}

// readSegment returns the hash of a segment and the hash of its shape, in which a run
// of digits is one number and a machine-made word one ID.
func (p *pathShape) readSegment(s string) (exact, shape uint64) {
	exact = hashSeed
	digits := 0
	for i := 0; i < len(s); i++ {
		exact = hashByte(exact, s[i])
		if classOf(s[i]) == classDigit {
			digits++
		}
	}
	exact = mix(exact)
	switch digits {
	case 0:
		return exact, exact
	case len(s):
		p.numbered = true
		return exact, numberShape
	}
	shape = hashSeed
	for i := 0; i < len(s); {
		end, kind := nextWord(s, i)
		switch kind {
		case wordNumber:
			p.numbered = true
			shape = hashByte(shape, 1) // no path contains control characters
		case wordID:
			p.identified = true
			shape = hashByte(shape, 2)
		default:
			for ; i < end; i++ {
				shape = hashByte(shape, s[i])
			}
		}
		i = end
	}
	return exact, mix(shape)
}

// numberShape is the shape of a segment that is a number.
var numberShape = mix(hashByte(hashSeed, 1))

// template writes the path's shape for messages.
func (p *pathShape) template() string {
	var b strings.Builder
	for segment := range strings.SplitSeq(strings.TrimPrefix(p.path, "/"), "/") {
		b.WriteByte('/')
		segment, session := cutSession(segment)
		for i := 0; i < len(segment); {
			end, kind := nextWord(segment, i)
			switch kind {
			case wordNumber:
				b.WriteString("{n}")
			case wordID:
				b.WriteString("{id}")
			default:
				b.WriteString(segment[i:end])
			}
			i = end
		}
		if session {
			b.WriteString("{session}")
		}
	}
	return b.String()
}

// describe writes what the pages of a budget have in common.
func (p *pathShape) describe(kind budgetKind) string {
	switch kind {
	case budgetNamed:
		template := p.template()
		return template[:strings.LastIndexByte(strings.TrimSuffix(template, "/"), '/')+1] + "*"
	case budgetQueries, budgetFacets:
		return p.template() + "?*"
	}
	return p.template()
}

// sitemap reports whether the file name looks like that of a sitemap.
func (p *pathShape) sitemap() bool {
	name := p.path[strings.LastIndexByte(p.path, '/')+1:]
	name = strings.TrimSuffix(name, ".gz")
	return p.numbered && strings.HasSuffix(name, ".xml") && strings.Contains(name, "sitemap")
}

// wordKind classifies a run of characters.
type wordKind uint8

const (
	wordPlain wordKind = iota
	wordNumber
	wordID
)

// nextWord finds the end of the run that begins at i: letters, digits, or other
// characters. A UUID, or another mixture of letters and digits that no person would
// write, is one run.
func nextWord(s string, i int) (end int, kind wordKind) {
	if isUUID(s[i:]) {
		return i + 36, wordID
	}
	var (
		digits, letters, changes int
		hex                      = true
		split                    = i // where the first run of one class ends
		before                   = classOf(s[i])
	)
	end = i
	for ; end < len(s); end++ {
		class := classOf(s[end])
		if class == classOther {
			break
		}
		if class != before {
			changes++
			before = class
			if changes == 1 {
				split = end
			}
		}
		if class == classDigit {
			digits++
		} else {
			letters++
			hex = hex && s[end]|0x20 <= 'f'
		}
	}
	switch {
	case end == i: // other characters up to the next letter or digit
		for end < len(s) && classOf(s[end]) == classOther {
			end++
		}
		return end, wordPlain
	case letters == 0:
		return end, wordNumber
	case digits == 0:
		return end, wordPlain
	case hex && letters+digits >= 8, changes >= 3 && letters+digits >= 5, digits >= 3 && letters+digits >= 16:
		return end, wordID
	case classOf(s[i]) == classDigit:
		return split, wordNumber
	}
	return split, wordPlain
}

type charClass uint8

const (
	classOther charClass = iota
	classDigit
	classLetter
)

func classOf(c byte) charClass {
	switch {
	case '0' <= c && c <= '9':
		return classDigit
	case 'a' <= c|0x20 && c|0x20 <= 'z':
		return classLetter
	}
	return classOther
}

// isUUID reports whether s begins with a UUID (RFC 9562 4).
func isUUID(s string) bool {
	if len(s) < 36 || s[8] != '-' || s[13] != '-' || s[18] != '-' || s[23] != '-' {
		return false
	}
	for i := range 36 {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			continue
		}
		if c := s[i]; classOf(c) == classOther || c|0x20 > 'f' {
			return false
		}
	}
	return true
}

// datePart says how precise a date is.
type datePart uint8

const (
	dateNone datePart = iota
	dateMonth
	dateDay
)

// dateReader finds dates in consecutive segments: 2026/11, 2026/11/21, 2026-11-21,
// 20261121. Years range from 1900 to 2999.
type dateReader struct{ year, month bool }

// segment returns the precision of the date that a segment contains or completes.
func (d *dateReader) segment(s string) datePart {
	was := *d
	*d = dateReader{}
	year := yearOf(s)
	switch {
	case year && len(s) == 4:
		d.year = true
	case was.year && isMonth(s):
		d.month = true
		return dateMonth
	case was.month && isDay(s):
		return dateDay
	case year && len(s) >= 6 && (s[4] == '-' || s[4] == '_' || s[4] == '.'):
		month, day, _ := strings.Cut(s[5:], s[4:5])
		switch {
		case !isMonth(month):
			return dateNone
		case isDay(day[:min(len(day), 2)]):
			return dateDay
		}
		return dateMonth
	case year && len(s) == 8 && isMonth(s[4:6]) && isDay(s[6:]):
		return dateDay
	}
	return dateNone
}

func yearOf(s string) bool {
	return len(s) >= 4 && (s[0] == '1' && s[1] == '9' || s[0] == '2' && classOf(s[1]) == classDigit) &&
		classOf(s[2]) == classDigit && classOf(s[3]) == classDigit
}

func isMonth(s string) bool {
	switch len(s) {
	case 1:
		return '1' <= s[0] && s[0] <= '9'
	case 2:
		return s[0] == '0' && '1' <= s[1] && s[1] <= '9' || s[0] == '1' && '0' <= s[1] && s[1] <= '2'
	}
	return false
}

func isDay(s string) bool {
	switch len(s) {
	case 1:
		return '1' <= s[0] && s[0] <= '9'
	case 2:
		return '0' <= s[0] && s[0] <= '3' && classOf(s[1]) == classDigit
	}
	return false
}
