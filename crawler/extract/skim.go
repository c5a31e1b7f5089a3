package extract

import (
	"bytes"
	"encoding/binary"
	"math/bits"
)

// skim passes over markup that means nothing to the reader, the most of most
// pages, and returns where something stands that may: the scanner's rules for tags
// once more, made to forget what they read. It stops at a tag that bears an
// attribute of knownAttributes or has a role, at an end tag that closes something the
// reader keeps track of, at all that is not ordinary, and with stopAtText at text.
//
// Nearly all of that is "<p>", `<span class="x">` and "</span>" with little text
// between, which this loop knows at a glance, eight bytes at a time and without a
// call. What it does not know so it shows to skimStartTag and skimEndTag.
func skim(doc []byte, pos int, stopAtText bool) int {
	for pos+glance <= len(doc) {
		if doc[pos] != '<' {
			if stopAtText {
				return pos
			}
			found := zeroBytes(wordAt(doc, pos) ^ '<'*eachByte)
			if found == 0 {
				n := bytes.IndexByte(doc[pos+8:], '<')
				if n < 0 {
					return len(doc)
				}
				pos += 8 + n
				continue
			}
			if pos += bits.TrailingZeros64(found) / 8; pos+glance > len(doc) {
				break
			}
		}
		end := -1
		if doc[pos+1] == '/' {
			name := wordAt(doc, pos+len("</"))
			n := lettersIn(name)
			if i := pos + len("</") + n; n < 8 && doc[i] == '>' && !mayClose(name, n, stopAtText) {
				pos = i + 1
				continue
			}
			end = skimEndTag(doc, pos+len("</"), stopAtText)
		} else {
			name := wordAt(doc, pos+len("<"))
			n := lettersIn(name)
			if i := pos + len("<") + n; !mayHaveRole(name, n) {
				if doc[i] == '>' {
					pos = i + 1
					continue
				}
				if i = skimClass(doc, i); i > 0 {
					pos = i
					continue
				}
			}
			end = skimStartTag(doc, pos+len("<"))
		}
		if end < 0 {
			return pos
		}
		pos = end
	}
	return pos
}

// glance is how many bytes skim may look at without asking for the document's end,
// which it leaves to the scanner.
const glance = 32

// wordAt is eight bytes of a document, the first one lowest.
func wordAt(doc []byte, i int) uint64 { return binary.LittleEndian.Uint64(doc[i:]) }

// lettersIn counts how many letters a word begins with, 8 at most. A few other
// characters, from 0x40 on, count too: what follows a name in ordinary markup does not.
func lettersIn(w uint64) int { return bits.TrailingZeros64(^w&(0x40*eachByte)) / 8 }

// mayClose reports whether the end tag of a name of n letters, fewer than 8, may
// close something the reader keeps track of: a, form. Longer ones are skimEndTag's.
func mayClose(name uint64, n int, inLink bool) bool {
	return n == len("a") && inLink && byte(name)|0x20 == 'a' || n == len("form") && byte(name)|0x20 == 'f'
}

// mayHaveRole tells most names from those of elements with a role by their first
// letter and by how many letters they begin with.
func mayHaveRole(name uint64, n int) bool { return roleLengths[name%32]>>n&1 != 0 }

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

// skimClass returns where a start tag ends that bears a class and nothing else,
// from behind its name on, and -1 for any other.
func skimClass(doc []byte, i int) int {
	const class, size = ` class="`, len(` class="`)
	if wordAt(doc, i) != wordOf(class) {
		return -1
	}
	i += size
	if i+size > len(doc) {
		return -1
	}
	if found := zeroBytes(wordAt(doc, i) ^ '"'*eachByte); found != 0 {
		i += bits.TrailingZeros64(found) / 8
	} else {
		n := bytes.IndexByte(doc[i+8:], '"')
		if n < 0 {
			return -1
		}
		i += 8 + n
	}
	if i+1 < len(doc) && doc[i+1] == '>' {
		return i + 2
	}
	return -1
}

// wordOf is wordAt for a string.
func wordOf(s string) uint64 {
	return uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 | uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
}

// skimEndTag returns where the end tag ends whose name begins at i, and -1 when
// it is not to be passed over.
func skimEndTag(doc []byte, i int, inLink bool) int {
	if i == len(doc) || !isLetter(doc[i]) {
		return -1
	}
	_, end := nameAt(doc, i)
	if end == len(doc) || doc[end] != '>' {
		return -1
	}
	switch end - i {
	case len("a"):
		if inLink && doc[i]|0x20 == 'a' {
			return -1
		}
	case len("form"):
		if doc[i]|0x20 == 'f' {
			return -1
		}
	case len("template"): // noscript and frameset too
		return -1
	}
	return end + 1
}

// skimStartTag returns where the start tag ends whose name begins at i, and -1
// when it is not to be passed over.
func skimStartTag(doc []byte, i int) int {
	if i == len(doc) || !isLetter(doc[i]) {
		return -1
	}
	key, end := nameAt(doc, i)
	if htmlElements.find(key, doc[i:end]).role != roleNone {
		return -1
	}
	i = end
	for i+2 < len(doc) {
		switch doc[i] {
		case '>':
			return i + 1
		case '/':
			if doc[i+1] == '>' {
				return i + 2
			}
			return -1
		case ' ', '\n', '\t', '\r', '\f':
			i++
			continue
		}
		if !isSpace(doc[i-1]) {
			return -1
		}
		if key, end = nameAt(doc, i); end == i || end+1 >= len(doc) || doc[end] != '=' || knownAttributes.find(key, doc[i:end]) >= 0 {
			return -1
		}
		i = end + len("=")
		quote := doc[i]
		if quote != '"' && quote != '\'' {
			return -1
		}
		n := bytes.IndexByte(doc[i+1:], quote)
		if n < 0 {
			return -1
		}
		i += n + len(`""`)
	}
	return -1
}
