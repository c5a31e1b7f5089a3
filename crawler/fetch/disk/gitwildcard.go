package disk

import "bytes"

// wildcard is a compiled pattern. Its tokens are matched in one pass over the text, with a
// set of the tokens that may match next, so the time is at most the product of both
// lengths.
type wildcard []token

// token matches one octet, or as a star any number of them.
type token struct {
	kind    tokenKind
	literal byte
	class   *[256]bool
}

type tokenKind uint8

const (
	literal   tokenKind = iota
	class               // an octet of a set: "?" or "[...]"
	star                // any octets other than "/", or any if the pattern has no "/"
	anything            // any octets: "**" at the end
	anyParent           // any number of directories, each with its "/": "**/"
)

// compileWildcard compiles a pattern. path is true if "/" separates names, so that only
// "**" matches it. fold is true if texts are in lower case and the pattern matches both
// cases; like git, it excepts letters in brackets and after backslashes. ok is false for
// a pattern that matches nothing, such as "[a".
func compileWildcard(pattern []byte, path, fold bool) (w wildcard, ok bool) {
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; c {
		case '\\':
			if i++; i == len(pattern) {
				return nil, false
			}
			w = append(w, token{literal: pattern[i]})
		case '?':
			w = append(w, token{kind: class, class: anyOctet(path)})
		case '[':
			set, end := compileClass(pattern, i, path, fold)
			if end < 0 {
				return nil, false
			}
			w = append(w, token{kind: class, class: set})
			i = end
		case '*':
			begin := i
			for i+1 < len(pattern) && pattern[i+1] == '*' {
				i++
			}
			rest := pattern[i+1:]
			switch {
			case !path:
				w = append(w, token{kind: anything})
			case i == begin || begin > 0 && pattern[begin-1] != '/':
				w = append(w, token{kind: star})
			case len(rest) == 0:
				w = append(w, token{kind: anything})
			case rest[0] == '/':
				w = append(w, token{kind: anyParent})
				i++
			case bytes.HasPrefix(rest, []byte(`\/`)): // git does not let this one match no directory
				w = append(w, token{kind: anything})
			default:
				w = append(w, token{kind: star})
			}
		default:
			if fold && 'A' <= c && c <= 'Z' {
				c |= 0x20
			}
			w = append(w, token{literal: c})
		}
	}
	return w, true
}

func anyOctet(path bool) *[256]bool {
	var set [256]bool
	for c := range set {
		set[c] = !path || c != '/'
	}
	return &set
}

// compileClass compiles the bracket expression at i and returns the index of its final
// bracket, or -1 if it is malformed.
func compileClass(pattern []byte, i int, path, fold bool) (set *[256]bool, end int) {
	set = new([256]bool)
	i++
	negated := i < len(pattern) && (pattern[i] == '!' || pattern[i] == '^')
	if negated {
		i++
	}
	previous := -1 // the octet that may begin a range
	for first := true; ; first = false {
		if i >= len(pattern) {
			return nil, -1
		}
		c := pattern[i]
		switch {
		case c == ']' && !first:
			for octet := range set {
				set[octet] = set[octet] != negated && !(path && octet == '/')
			}
			return set, i
		case c == '\\':
			if i++; i >= len(pattern) {
				return nil, -1
			}
			previous = int(pattern[i])
			set[previous] = true
		case c == '-' && previous >= 0 && i+1 < len(pattern) && pattern[i+1] != ']':
			if i++; pattern[i] == '\\' {
				if i++; i >= len(pattern) {
					return nil, -1
				}
			}
			for octet := previous; octet <= int(pattern[i]); octet++ {
				set[octet] = true
				if fold && 'A' <= octet && octet <= 'Z' {
					set[octet|0x20] = true
				}
			}
			previous = -1
		case c == '[' && i+1 < len(pattern) && pattern[i+1] == ':':
			length := bytes.IndexByte(pattern[i+2:], ']')
			if length < 0 {
				return nil, -1
			}
			name := pattern[i+2 : i+2+length]
			if len(name) == 0 || name[len(name)-1] != ':' {
				set['['], previous = true, '['
				break
			}
			if fold && string(name) == "upper:" {
				name = []byte("alpha:")
			}
			member := classes[string(name[:len(name)-1])]
			if member == nil {
				return nil, -1
			}
			for octet := range set {
				set[octet] = set[octet] || octet < 0x80 && member(byte(octet))
			}
			i, previous = i+2+length, -1
		default:
			set[c], previous = true, int(c)
		}
		i++
	}
}

// classes are the character classes of POSIX in the C locale.
var classes = map[string]func(byte) bool{
	"alnum":  func(c byte) bool { return isAlpha(c) || isDigit(c) },
	"alpha":  isAlpha,
	"blank":  func(c byte) bool { return c == ' ' || c == '\t' },
	"cntrl":  func(c byte) bool { return c < ' ' || c == 0x7F },
	"digit":  isDigit,
	"graph":  isGraph,
	"lower":  func(c byte) bool { return 'a' <= c && c <= 'z' },
	"print":  func(c byte) bool { return c == ' ' || isGraph(c) },
	"punct":  func(c byte) bool { return isGraph(c) && !isAlpha(c) && !isDigit(c) },
	"space":  func(c byte) bool { return c == ' ' || '\t' <= c && c <= '\r' },
	"upper":  func(c byte) bool { return 'A' <= c && c <= 'Z' },
	"xdigit": func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' },
}

func isAlpha(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isDigit(c byte) bool { return '0' <= c && c <= '9' }
func isGraph(c byte) bool { return ' ' < c && c < 0x7F }

// match reports whether the pattern matches the whole text.
func (w wildcard) match(text string) bool {
	// now[i] is true if the tokens before i match the text so far. within[i] is true if
	// token i is an anyParent that has matched part of a directory's name.
	now, next := make([]bool, len(w)+1), make([]bool, len(w)+1)
	within, later := make([]bool, len(w)+1), make([]bool, len(w)+1)
	now[0] = true
	w.skipStars(now)
	for i := range len(text) {
		c := text[i]
		alive := false
		clear(next)
		clear(later)
		for t, token := range w {
			if now[t] {
				switch token.kind {
				case literal:
					next[t+1] = next[t+1] || c == token.literal
				case class:
					next[t+1] = next[t+1] || token.class[c]
				case star:
					next[t] = next[t] || c != '/'
				case anything:
					next[t] = true
				}
			}
			if token.kind == anyParent && (now[t] || within[t]) {
				later[t] = true
				next[t+1] = next[t+1] || c == '/'
			}
			alive = alive || next[t] || next[t+1] || later[t]
		}
		if !alive {
			return false
		}
		w.skipStars(next)
		now, next, within, later = next, now, later, within
	}
	return now[len(w)]
}

// skipStars adds the tokens after those that may match nothing.
func (w wildcard) skipStars(now []bool) {
	for t, token := range w {
		if now[t] && token.kind >= star {
			now[t+1] = true
		}
	}
}
