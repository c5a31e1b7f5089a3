package extract

import (
	"encoding/binary"
	"math/bits"
)

// skim passes over markup that means nothing to the reader, the most of most
// pages: "<p>", `<span class="x">` and "</span>" with little text between. It knows
// those at a glance, eight bytes at a time and without a call, and returns where
// something else stands, which the scanner reads by its own rules; with stopAtText
// also where text stands.
func skim(doc []byte, pos int, stopAtText bool) int {
	for hasAt(doc, pos, glance) {
		at := (*[glance]byte)(doc[pos:])
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

// classBegun is ` class="`, up to where most attributes' values begin, as a word of a document.
const classBegun = ' ' | classWritten<<8

// openEnds is the end of the tag of details that are open, as a word of a document.
const openEnds = ' ' | 'o'<<8 | 'p'<<16 | 'e'<<24 | 'n'<<32 | '>'<<40

// glance is how many bytes skim may look at without asking for the document's end,
// which it leaves to the scanner.
const glance = 32

// mayClose reports whether the end tag of a name of n letters, fewer than 8, may
// close something the reader keeps track of: a, form. Longer ones are not asked for.
func mayClose(name uint64, n int, inLink bool) bool {
	return n == len("a") && inLink && byte(name)|0x20 == 'a' || n == len("form") && byte(name)|0x20 == 'f'
}

// mayHaveRole tells most names from those of elements with a role by their first
// letter and by how many letters they begin with.
func mayHaveRole(name uint64, n int) bool { return roleLengths[name%32]>>n&1 != 0 }

// hasRole tells the others, such as strong from script.
func hasRole(name uint64, n int, doc []byte) bool {
	return n == len("a") || n == 0 || n == 8 || !isLetter(byte(name)) || htmlElements.find(keyOfWord(name, n), doc[:n]).role != roleNone
}

// roleLengths has for each first letter, by its last five bits, a bit set of the
// lengths of names that may have a role.
var roleLengths = func() (lengths [32]uint16) {
	const notShort = 1<<0 | 1<<8 // no name, and one longer than a glance
	for i := range lengths {
		lengths[i] = notShort
		if i < 'a'%32 || i > 'z'%32 {
			lengths[i] = 1<<16 - 1 // no letter
		}
	}
	for name := range htmlRoles {
		if len(name) < 8 {
			lengths[name[0]%32] |= 1 << len(name)
		}
	}
	return lengths
}()

// shortClass returns how long a start tag is whose name of n letters a class follows,
// when that is short and the last attribute; 0 for any other.
func shortClass(at *[glance]byte, n int) int {
	value := len(`< class="`) + n
	quote := zeroBytes(binary.LittleEndian.Uint64(at[value:]) ^ '"'*eachByte)
	if end := value + bits.TrailingZeros64(quote)/8; quote != 0 && at[end+1] == '>' {
		return end + len(`">`)
	}
	return 0
}

// skimAttributes returns where a start tag ends whose attributes mean nothing, from
// behind its name on, and -1 for any other.
func skimAttributes(doc []byte, i int) int {
	for hasAt(doc, i, glance) && doc[i] == ' ' {
		value, quote := i+len(` class="`), byte('"')
		switch w := wordAt(doc, i); {
		case w == classBegun:
		case w == classBegun^('"'^'\'')<<56:
			quote = '\''
		case w&(1<<48-1) == openEnds:
			return i + len(" open>")
		default:
			var a int
			if a, value = plainAttributeAt(doc, i+len(" ")); meansAlone(a) || value < 0 {
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
