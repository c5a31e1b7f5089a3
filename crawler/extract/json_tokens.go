package extract

import "bytes"

// jsonTokens splits JSON (RFC 8259) into events with positions, which encoding/json does not
// provide for nested values. It does not enforce every rule of the grammar: it stops, with a
// fault, when brackets and strings can no longer be recognized, and tolerates other errors.
type jsonTokens struct {
	jsonScanner // for its methods string and decode
	brackets    []byte
	member      span   // the key of the member whose value is next, in the source
	fault       string // why reading stopped early
}

type jsonEvent uint8

const (
	jsonEnd     jsonEvent = iota
	jsonOpen              // the start of an object or an array
	jsonClose             // the end of an object or an array
	jsonString            // at is the span between the quotes
	jsonLiteral           // a number, true, false or null
)

// maxJSONNesting is the maximum number of open brackets.
const maxJSONNesting = 4 * maxFolderNesting

func (t *jsonTokens) reset(src []byte) {
	t.jsonScanner.reset(src)
	t.brackets, t.member, t.fault = t.brackets[:0], span{}, ""
}

// next returns the next event. When it returns the value of a member, or the start of that
// value, member is the key.
func (t *jsonTokens) next() (e jsonEvent, at span) {
	if t.fault != "" {
		return jsonEnd, at
	}
	for t.pos < len(t.src) {
		switch c := t.src[t.pos]; c {
		case ' ', '\t', '\n', '\r', ',', ':':
			t.pos++
		case '{', '[':
			if len(t.brackets) == maxJSONNesting {
				t.fault = "nested too deeply"
				return jsonEnd, at
			}
			t.brackets = append(t.brackets, c)
			t.pos++
			return jsonOpen, span{t.pos - 1, t.pos}
		case '}', ']':
			n := len(t.brackets)
			if n == 0 || t.brackets[n-1] != c-2 { // the codes of '{' and '}' differ by 2, as do those of '[' and ']'
				t.fault = "unmatched closing bracket"
				return jsonEnd, at
			}
			t.brackets = t.brackets[:n-1]
			t.pos++
			return jsonClose, span{t.pos - 1, t.pos}
		case '"':
			at = t.string()
			if at.end == t.pos {
				t.fault = "unexpected end inside a string"
				return jsonEnd, at
			}
			if after := skipSpace(t.src, t.pos); t.inObject() && after < len(t.src) && t.src[after] == ':' {
				t.pos, t.member = after+1, at
				continue
			}
			return jsonString, at
		default:
			at.start = t.pos
			for t.pos < len(t.src) && (isAlphanumeric(t.src[t.pos]) || t.src[t.pos] == '-' || t.src[t.pos] == '+' || t.src[t.pos] == '.') {
				t.pos++
			}
			if at.end = t.pos; at.start == at.end {
				t.fault = "invalid token"
				return jsonEnd, at
			}
			return jsonLiteral, at
		}
	}
	if len(t.brackets) > 0 {
		t.fault = "unexpected end of document"
	}
	return jsonEnd, at
}

// isObject reports whether the document is an object, as it is in every JSON format.
func (t *jsonTokens) isObject() bool {
	at := skipSpace(t.src, 0)
	return at < len(t.src) && t.src[at] == '{'
}

func (t *jsonTokens) inObject() bool {
	return len(t.brackets) > 0 && t.brackets[len(t.brackets)-1] == '{'
}

// openedArray reports whether the jsonOpen event just returned is the start of an array.
func (t *jsonTokens) openedArray() bool { return !t.inObject() }

// key returns the member's name as written.
func (t *jsonTokens) key() string { return string(t.src[t.member.start:t.member.end]) }

// skip reads to the end of the object or array that was just opened.
func (t *jsonTokens) skip() {
	for depth := len(t.brackets); len(t.brackets) >= depth; {
		if e, _ := t.next(); e == jsonEnd {
			return
		}
	}
}

// text decodes a string. The result is valid until the next call.
func (t *jsonTokens) text(at span) []byte { return t.decode(at) }

// sniffJSON reports whether a document starts with a JSON object and its first bytes contain
// one of the words.
func sniffJSON(head []byte, words ...string) bool {
	head = trimByteOrderMark(head)
	if head = head[skipSpace(head, 0):]; len(head) == 0 || head[0] != '{' {
		return false
	}
	for _, word := range words {
		if bytes.Contains(head, []byte(word)) {
			return true
		}
	}
	return false
}

// trimByteOrderMark removes the byte order mark of UTF-8.
func trimByteOrderMark(head []byte) []byte { return bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")) }
