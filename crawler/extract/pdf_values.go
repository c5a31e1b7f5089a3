package extract

import (
	"bytes"
	"encoding/hex"
	"strconv"
)

// pdfParser reads one value.
type pdfParser struct {
	nested  int // arrays and dictionaries in the outermost value so far
	file    *pdfFile
	in      []byte
	pos     int
	decrypt func(s []byte) []byte // decrypts a string; nil if strings are not encrypted
	failed  bool
}

// string decrypts a string if necessary.
func (p *pdfParser) string(s []byte) pdfString {
	if p.decrypt != nil {
		s = p.decrypt(s)
	}
	return s
}

func (p *pdfParser) fail() any {
	p.failed = true
	return nil
}

func isPDFSpace(c byte) bool { return isSpace(c) || c == 0 }

func isPDFDelimiter(c byte) bool {
	return bytes.IndexByte([]byte("()<>[]{}/%"), c) >= 0 || isPDFSpace(c)
}

// skipSpace skips white space and comments.
func (p *pdfParser) skipSpace() {
	for p.pos < len(p.in) {
		switch c := p.in[p.pos]; {
		case isPDFSpace(c):
			p.pos++
		case c == '%':
			if n := bytes.IndexAny(p.in[p.pos:min(len(p.in), p.pos+maxPDFToken)], "\r\n"); n >= 0 {
				p.pos += n
			} else {
				p.pos = min(len(p.in), p.pos+maxPDFToken)
			}
		default:
			return
		}
	}
}

// keyword skips a keyword if it is next, and reports whether it did.
func (p *pdfParser) keyword(word string) bool {
	p.skipSpace()
	if !bytes.HasPrefix(p.in[p.pos:], []byte(word)) {
		return false
	}
	p.pos += len(word)
	return true
}

// value reads a value; references are returned as pdfRef. It charges the bytes read to
// the budget of the file.
func (p *pdfParser) value(depth int) any {
	p.skipSpace()
	start := p.pos
	defer func() {
		if depth == 0 {
			if p.file.work -= p.pos - start + 16; p.file.work < 0 {
				p.file.fault, p.failed = errPDFWork, true
			}
		}
	}()
	if p.pos >= len(p.in) || depth > maxPDFNesting || p.file.work < 0 {
		return p.fail()
	}
	switch c := p.in[p.pos]; {
	case c == '/':
		return p.name()
	case c == '(':
		return p.literal()
	case c == '<' && p.pos+1 < len(p.in) && p.in[p.pos+1] == '<':
		return p.dict(depth)
	case c == '<':
		return p.hexadecimal()
	case c == '[':
		return p.array(depth)
	case isDecimal(c) || c == '-' || c == '+' || c == '.':
		return p.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if p.keyword(word) {
			return word == "true"
		}
	}
	return p.fail()
}

func (p *pdfParser) token() []byte {
	start := p.pos
	for p.pos < len(p.in) && p.pos-start < maxPDFToken && !isPDFDelimiter(p.in[p.pos]) {
		p.pos++
	}
	return p.in[start:p.pos]
}

// number reads a number, or a reference: "12 0 R".
func (p *pdfParser) number() any {
	word := p.token()
	n, err := strconv.Atoi(string(word))
	if err != nil {
		return 0.0 // a real number, whose value is never needed
	}
	after := p.pos
	p.skipSpace()
	if generation := p.token(); len(generation) > 0 && len(generation) <= 5 && isDecimal(generation[0]) && p.keyword("R") &&
		(p.pos == len(p.in) || isPDFDelimiter(p.in[p.pos])) {
		return pdfRef(n)
	}
	p.pos = after
	return n
}

func (p *pdfParser) name() any {
	p.pos++
	word := p.token()
	if bytes.IndexByte(word, '#') < 0 {
		return pdfName(word)
	}
	var name []byte
	for i := 0; i < len(word); i++ {
		if word[i] == '#' && i+2 < len(word) && isHex(word[i+1]) && isHex(word[i+2]) {
			name = append(name, hexValue(word[i+1])<<4|hexValue(word[i+2]))
			i += 2
			continue
		}
		name = append(name, word[i])
	}
	return pdfName(name)
}

// literal reads a string in parentheses (7.3.4.2).
func (p *pdfParser) literal() any {
	var s []byte
	depth := 0
	for start := p.pos; p.pos < len(p.in) && p.pos-start < maxPDFToken; p.pos++ {
		c := p.in[p.pos]
		switch c {
		case '(':
			if depth++; depth == 1 {
				continue
			}
		case ')':
			if depth--; depth == 0 {
				p.pos++
				return p.string(s)
			}
		case '\\':
			s = p.escape(s)
			continue
		case '\r': // every line break is read as one line feed
			p.endOfLine()
			c = '\n'
		}
		s = append(s, c)
	}
	return p.fail()
}

// escape appends the value of an escape sequence to s. It moves from the backslash to the
// last byte of the sequence.
func (p *pdfParser) escape(s []byte) []byte {
	if p.pos++; p.pos == len(p.in) {
		return s
	}
	c := p.in[p.pos]
	if n := bytes.IndexByte([]byte("nrtbf"), c); n >= 0 {
		return append(s, "\n\r\t\b\f"[n])
	}
	switch {
	case c == '\r':
		p.endOfLine()
		return s
	case c == '\n':
		return s
	case c < '0' || c > '7':
		return append(s, c)
	}
	octal := c - '0'
	for i := 0; i < 2 && p.pos+1 < len(p.in) && '0' <= p.in[p.pos+1] && p.in[p.pos+1] <= '7'; i++ {
		p.pos++
		octal = octal<<3 + (p.in[p.pos] - '0')
	}
	return append(s, octal)
}

// endOfLine moves to the last byte of a line break that begins with CR.
func (p *pdfParser) endOfLine() {
	if p.pos+1 < len(p.in) && p.in[p.pos+1] == '\n' {
		p.pos++
	}
}

func (p *pdfParser) hexadecimal() any {
	p.pos++
	end := bytes.IndexByte(p.in[p.pos:min(len(p.in), p.pos+maxPDFToken)], '>')
	if end < 0 {
		return p.fail()
	}
	var digits []byte
	for _, c := range p.in[p.pos : p.pos+end] {
		if !isPDFSpace(c) {
			digits = append(digits, c)
		}
	}
	p.pos += end + 1
	if len(digits)%2 == 1 {
		digits = append(digits, '0')
	}
	s := make([]byte, len(digits)/2)
	if _, err := hex.Decode(s, digits); err != nil {
		return p.fail()
	}
	return p.string(s)
}

// nest counts an array or a dictionary and reports whether there is room for its members.
func (p *pdfParser) nest(depth int) bool {
	if depth == 0 {
		p.nested = 0
	}
	if p.nested++; p.nested > maxPDFNested {
		p.file.cut = true
		return false
	}
	return true
}

func (p *pdfParser) array(depth int) any {
	p.pos++
	array := pdfArray{}
	kept := p.nest(depth)
	for {
		p.skipSpace()
		if p.pos < len(p.in) && p.in[p.pos] == ']' {
			p.pos++
			return array
		}
		value := p.value(depth + 1)
		if p.failed {
			return nil
		}
		if len(array) == largePDFArray {
			p.file.large.begin()
		}
		if kept && len(array) < maxPDFMembers {
			array = append(array, value)
		}
	}
}

func (p *pdfParser) dict(depth int) any {
	p.pos += 2
	dict := pdfDict{}
	kept := p.nest(depth)
	for {
		p.skipSpace()
		if bytes.HasPrefix(p.in[min(p.pos, len(p.in)):], []byte(">>")) {
			p.pos += 2
			return dict
		}
		if p.pos >= len(p.in) || p.in[p.pos] != '/' {
			return p.fail()
		}
		name, _ := p.name().(pdfName)
		value := p.value(depth + 1)
		if p.failed {
			return nil
		}
		if kept && len(dict) < maxPDFMembers {
			dict[name] = value
		}
	}
}
