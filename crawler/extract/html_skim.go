package extract

import (
	"encoding/binary"
	"math/bits"
)

// skim is the function skim, which is not needed where marks are known.
func (t *tokens) skim(pos int, stopAtText bool) int {
	if t.marks == nil || stopAtText {
		return skim(t.doc, pos, stopAtText)
	}
	return t.nextMark(pos)
}

// nextMark returns the first mark at pos or behind, the length of the document if there is none.
func (t *tokens) nextMark(pos int) int {
	for ; t.mark < len(t.marks); t.mark++ {
		if mark := int(t.marks[t.mark]); mark >= pos {
			return mark
		}
	}
	return len(t.doc)
}

// skim skips markup that means nothing to the reader, which is most of a typical page: "<p>",
// `<span class="x">` and "</span>" with little text between them. It recognizes these eight
// bytes at a time and without a call, and returns the offset of anything else, which the
// tokenizer then reads by its own rules. If stopAtText is true, it also stops at text.
func skim(doc []byte, pos int, stopAtText bool) int {
	for hasAt(doc, pos, skimWindow) {
		at := (*[skimWindow]byte)(doc[pos:])
		if at[0] != '<' {
			if stopAtText {
				return pos
			}
			if found := zeroBytes(binary.LittleEndian.Uint64(at[:]) ^ '<'*eachByte); found != 0 {
				pos += bits.TrailingZeros64(found) / 8
				continue
			}
			pos = indexFrom(doc, pos+8, '<')
			continue
		}
		if at[1] == '/' {
			name := binary.LittleEndian.Uint64(at[2:])
			n := lettersIn(name)
			if n == 8 || at[2+n] != '>' || mayClose(name, n, stopAtText) {
				if at[2]|0x20 != 'h' || at[3] < '1' || at[3] > '6' || at[4] != '>' {
					return pos
				}
				n = len("h1")
			}
			pos += len("</>") + n
			continue
		}
		name := binary.LittleEndian.Uint64(at[1:])
		n := lettersIn(name)
		switch {
		case mayHaveRole(name, n) && hasRole(name, n, at[1:]):
			return pos
		case at[1+n] == '>':
			pos += len("<>") + n
			continue
		case binary.LittleEndian.Uint64(at[1+n:]) == classBegun:
			if length := shortClass(at, n); length > 0 {
				pos += length
				continue
			}
		}
		end := skimAttributes(doc, pos+len("<")+n)
		if end < 0 {
			return pos
		}
		pos = end
	}
	return pos
}

// classBegun is ` class="` as a word of a document. Most attribute values follow it.
const classBegun = ' ' | classWritten<<8

// openEnds is the end of the tag of an open details element, as a word of a document.
const openEnds = ' ' | 'o'<<8 | 'p'<<16 | 'e'<<24 | 'n'<<32 | '>'<<40

// skimWindow is the number of bytes that skim reads without checking for the end of the
// document. The end is left to the tokenizer.
const skimWindow = 32

// mayClose reports whether the end tag of a name of n letters, fewer than 8, may close an
// element that the reader tracks: a, form. It is not called for longer names.
func mayClose(name uint64, n int, inLink bool) bool {
	return n == len("a") && inLink && byte(name)|0x20 == 'a' || n == len("form") && byte(name)|0x20 == 'f'
}

// mayHaveRole reports whether a name may have a role, from its first letter and the number of
// letters it starts with.
func mayHaveRole(name uint64, n int) bool { return roleLengths[name%32]>>n&1 != 0 }

// hasRole decides the cases that mayHaveRole cannot, such as strong and script.
func hasRole(name uint64, n int, doc []byte) bool {
	return n == len("a") || n == 0 || n == 8 || !isLetter(byte(name)) || htmlElements.find(keyOfWord(name, n), doc[:n]).role != roleNone
}

// roleLengths has, for each first letter, by its last five bits, a bit set of the lengths of
// names that may have a role.
var roleLengths = func() (lengths [32]uint16) {
	const notShort = 1<<0 | 1<<8 // an empty name and one of 8 letters or more
	for i := range lengths {
		lengths[i] = notShort
		if i < 'a'%32 || i > 'z'%32 {
			lengths[i] = 1<<16 - 1 // not a letter
		}
	}
	for name := range htmlRoles {
		if len(name) < 8 {
			lengths[name[0]%32] |= 1 << len(name)
		}
	}
	return lengths
}()

// shortClass returns the length of a start tag with a name of n letters whose only attribute
// is a short class, and 0 for any other tag.
func shortClass(at *[skimWindow]byte, n int) int {
	value := len(`< class="`) + n
	quote := zeroBytes(binary.LittleEndian.Uint64(at[value:]) ^ '"'*eachByte)
	if end := value + bits.TrailingZeros64(quote)/8; quote != 0 && at[end+1] == '>' {
		return end + len(`">`)
	}
	return 0
}

// skimAttributes returns the end of a start tag if none of its attributes has a meaning, and
// -1 otherwise. i is the end of the tag's name.
func skimAttributes(doc []byte, i int) int {
	for hasAt(doc, i, skimWindow) && doc[i] == ' ' {
		value, quote := i+len(` class="`), byte('"')
		switch w := wordAt(doc, i); {
		case w == classBegun:
		case w == classBegun^('"'^'\'')<<56:
			quote = '\''
		case w&(1<<48-1) == openEnds:
			return i + len(" open>")
		default:
			var a int
			if a, value = plainAttributeAt(doc, i+len(" ")); meaningfulWithoutRole(a) || value < 0 {
				return -1
			}
		}
		i = indexFrom(doc, value, quote) + len(`"`)
	}
	if i < len(doc) && doc[i] == '>' {
		return i + len(">")
	}
	return -1
}

// The most common attributes, up to the start of their values, as words of a document.
const (
	classWritten = 'c' | 'l'<<8 | 'a'<<16 | 's'<<24 | 's'<<32 | '='<<40 | '"'<<48
	hrefWritten  = 'h' | 'r'<<8 | 'e'<<16 | 'f'<<24 | '='<<32 | '"'<<40
	titleWritten = 't' | 'i'<<8 | 't'<<16 | 'l'<<24 | 'e'<<32 | '='<<40 | '"'<<48
	idWritten    = 'i' | 'd'<<8 | '='<<16 | '"'<<24
)

// plainAttributeAt returns the number of the attribute whose name starts at i, -1 if it is
// unknown, and the start of its quoted value, -1 if there is none.
func plainAttributeAt(doc []byte, i int) (number, value int) {
	w := wordAt(doc, i)
	switch {
	case w&(1<<56-1) == classWritten:
		return -1, i + len(`class="`)
	case w&(1<<48-1) == hrefWritten:
		return int(attrHref), i + len(`href="`)
	case w&(1<<56-1) == titleWritten:
		return int(attrTitle), i + len(`title="`)
	case w&(1<<32-1) == idWritten:
		return int(attrID), i + len(`id="`)
	}
	key, end := nameAt(doc, i)
	value = end + len(`="`)
	if end == i || value >= len(doc) || doc[end] != '=' || doc[end+1] != '"' {
		return -1, -1
	}
	return knownAttributes.find(key, doc[i:end]), value
}
