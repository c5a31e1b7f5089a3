package extract

import (
	"bytes"
	"strconv"
)

// candidate is one image candidate of a srcset attribute: the span of its URL and its
// descriptors.
type candidate struct {
	url    span
	width  int64 // 0 if there is none
	height int64 // 0 if there is none
	hasX   bool  // a density is given
	// ignored is set if the descriptors are invalid: a browser never loads the candidate.
	ignored bool
}

// srcset reads image candidates with the parser of the standard (HTML 4.8.4.2.2). It also
// returns the candidates that the standard ignores, because their author wants them loaded.
type srcset struct {
	in  []byte
	pos int
}

// next returns the next candidate. ok is false at the end.
func (s *srcset) next() (candidate, bool) {
	for s.pos < len(s.in) && (isSpace(s.in[s.pos]) || s.in[s.pos] == ',') {
		s.pos++
	}
	if s.pos == len(s.in) {
		return candidate{}, false
	}
	c := candidate{url: span{start: s.pos}}
	for s.pos < len(s.in) && !isSpace(s.in[s.pos]) {
		s.pos++
	}
	c.url.end = s.pos
	if s.in[s.pos-1] == ',' {
		for s.in[c.url.end-1] == ',' {
			c.url.end--
		}
		return c, true
	}
	c.ignored = !s.descriptors(&c)
	return c, true
}

// descriptors reads up to the comma that ends the candidate and reports whether all
// descriptors are valid. Commas inside parentheses belong to a descriptor.
func (s *srcset) descriptors(c *candidate) (ok bool) {
	ok = true
	start := -1 // of the current descriptor
	flush := func() {
		if start >= 0 {
			ok = c.describe(s.in[start:s.pos]) && ok
			start = -1
		}
	}
	for ; s.pos < len(s.in); s.pos++ {
		switch b := s.in[s.pos]; {
		case isSpace(b):
			flush()
		case b == ',':
			flush()
			s.pos++
			return ok && c.consistent()
		case b == '(':
			if start < 0 {
				start = s.pos
			}
			n := bytes.IndexByte(s.in[s.pos:], ')')
			if n < 0 {
				s.pos = len(s.in)
				flush()
				return ok && c.consistent()
			}
			s.pos += n
		default:
			if start < 0 {
				start = s.pos
			}
		}
	}
	flush()
	return ok && c.consistent()
}

// describe reads one descriptor: a width ("300w"), a density ("2x") or a height ("200h"),
// which is reserved for future use.
func (c *candidate) describe(d []byte) bool {
	number := string(d[:len(d)-1])
	switch d[len(d)-1] {
	case 'w':
		if c.width > 0 || c.hasX {
			return false
		}
		n, ok := nonNegativeInteger(number)
		c.width = n
		return ok && n > 0
	case 'h':
		if c.height > 0 || c.hasX {
			return false
		}
		n, ok := nonNegativeInteger(number)
		c.height = n
		return ok && n > 0
	case 'x':
		if c.width > 0 || c.height > 0 || c.hasX {
			return false
		}
		c.hasX = true
		density, ok := floatingPoint(number)
		return ok && density >= 0
	}
	return false
}

// consistent reports whether a height comes with a width.
func (c *candidate) consistent() bool { return c.height == 0 || c.width > 0 }

// nonNegativeInteger reads a valid non-negative integer, which consists of digits only.
func nonNegativeInteger(s string) (int64, bool) {
	if s == "" {
		return 0, false
	}
	for i := range len(s) {
		if !isDecimal(s[i]) {
			return 0, false
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		n = 1<<63 - 1 // out of range but valid
	}
	return n, true
}

// floatingPoint reads a valid floating-point number (HTML 2.3.4.3): without a plus sign,
// missing digits around the point, "inf" or hexadecimal notation.
func floatingPoint(s string) (float64, bool) {
	i := 0
	digits := func() bool {
		start := i
		for i < len(s) && isDecimal(s[i]) {
			i++
		}
		return i > start
	}
	if i < len(s) && s[i] == '-' {
		i++
	}
	whole := digits()
	if i < len(s) && s[i] == '.' {
		i++
		if !digits() {
			return 0, false
		}
	} else if !whole {
		return 0, false
	}
	if i < len(s) && (s[i] == 'e' || s[i] == 'E') {
		i++
		if i < len(s) && (s[i] == '-' || s[i] == '+') {
			i++
		}
		if !digits() {
			return 0, false
		}
	}
	if i != len(s) {
		return 0, false
	}
	x, _ := strconv.ParseFloat(s, 64) // out of range gives ±Inf, which is fine
	return x, true
}
