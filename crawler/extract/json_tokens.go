package extract

import "bytes"

// jsonTokens cuts JSON (RFC 8259) into events, each with its place, which
// encoding/json does not tell of the values inside. It does not hold the text to
// every rule of the grammar: it stops, with a fault, where brackets and strings
// can no longer be told apart, and forgives the rest.
type jsonTokens struct {
	jsonScanner // its string and decode are used
	brackets    []byte
	member      span   // the key of the member whose value comes, in the source
	fault       string // why the end came early
}

type jsonEvent uint8

const (
	jsonEnd     jsonEvent = iota
	jsonOpen              // of an object or an array
	jsonClose             // of the same
	jsonString            // at is between the quotes
	jsonLiteral           // a number, true, false or null
)

// maxJSONNesting bounds open brackets.
const maxJSONNesting = 4 * MaxFolderNesting

func (t *jsonTokens) reset(src []byte) {
	t.jsonScanner.reset(src)
	t.brackets, t.member, t.fault = t.brackets[:0], span{}, ""
}

// next returns the next event. Of a member the key is in member when its value,
// or the opening of its value, is returned.
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
				t.fault = "it is nested too deep"
				return jsonEnd, at
			}
			t.brackets = append(t.brackets, c)
			t.pos++
			return jsonOpen, span{t.pos - 1, t.pos}
		case '}', ']':
			n := len(t.brackets)
			if n == 0 || t.brackets[n-1] != c-2 { // '{' and '}' are two apart, '[' and ']' too
				t.fault = "a bracket closes what was not opened"
				return jsonEnd, at
			}
			t.brackets = t.brackets[:n-1]
			t.pos++
			return jsonClose, span{t.pos - 1, t.pos}
		case '"':
			at = t.string()
			if at.end == t.pos {
				t.fault = "it ends within a string"
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
				t.fault = "it holds what is no JSON"
				return jsonEnd, at
			}
			return jsonLiteral, at
		}
	}
	if len(t.brackets) > 0 {
		t.fault = "it ends early"
	}
	return jsonEnd, at
}

// isObject reports whether the document is an object, as that of every format is.
func (t *jsonTokens) isObject() bool {
	at := skipSpace(t.src, 0)
	return at < len(t.src) && t.src[at] == '{'
}

func (t *jsonTokens) inObject() bool {
	return len(t.brackets) > 0 && t.brackets[len(t.brackets)-1] == '{'
}

// openedArray says of the jsonOpen event just returned what was opened.
func (t *jsonTokens) openedArray() bool { return !t.inObject() }

// key is the member's name as it is written.
func (t *jsonTokens) key() string { return string(t.src[t.member.start:t.member.end]) }

// skip reads to the end of what jsonOpen just opened.
func (t *jsonTokens) skip() {
	for depth := len(t.brackets); len(t.brackets) >= depth; {
		if e, _ := t.next(); e == jsonEnd {
			return
		}
	}
}

// text decodes a string; the result is valid until the next call.
func (t *jsonTokens) text(at span) []byte { return t.decode(at) }

// sniffJSON reports whether a document begins as a JSON object whose first bytes
// hold one of the words.
func sniffJSON(head []byte, words ...string) bool {
	head = trimMark(head)
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

// trimMark takes a byte order mark of UTF-8 off.
func trimMark(head []byte) []byte { return bytes.TrimPrefix(head, []byte("\xEF\xBB\xBF")) }
