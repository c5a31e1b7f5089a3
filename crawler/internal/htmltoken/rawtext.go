package htmltoken

import "bytes"

// state is the state of the tokenizer at the start of a token.
type state uint8

const (
	dataState state = iota
	rcdataState
	rawtextState
	scriptDataState
	plaintextState
)

// contentState is the state after the start tag of an element of HTML. As there are no scripts
// here, the content of noscript is markup.
var contentState = [256]state{
	Title: rcdataState, Textarea: rcdataState,
	Style: rawtextState, Xmp: rawtextState, Iframe: rawtextState, Noembed: rawtextState, Noframes: rawtextState,
	Script: scriptDataState, Plaintext: plaintextState,
}

// rawText reads a text that is not markup, up to its end tag. It returns false if the text is
// empty.
func (z *Tokenizer) rawText() bool {
	end := len(z.text)
	switch z.state {
	case rcdataState, rawtextState:
		end = endTagFrom(z.text, z.Pos, z.lastStartTag)
	case scriptDataState:
		end = z.scriptEnd()
	}
	references := z.state == rcdataState
	z.state = dataState
	if end == z.Pos {
		return false
	}
	z.textToken(end, references)
	return true
}

// endTagFrom returns the index of the end tag with a name at or after i, or the length of text.
func endTagFrom(text []byte, i int, name string) int {
	for {
		n := bytes.Index(text[i:], []byte("</"))
		if n < 0 {
			return len(text)
		}
		i += n
		if namesTag(text[i+2:], name) {
			return i
		}
		i += len("</")
	}
}

// namesTag reports whether text begins with a name, in any case, and with what ends the name
// of a tag.
func namesTag(text []byte, name string) bool {
	if len(text) <= len(name) || !isSpace(text[len(name)]) && text[len(name)] != '/' && text[len(name)] != '>' {
		return false
	}
	for i := range len(name) {
		if text[i]|0x20 != name[i] {
			return false
		}
	}
	return true
}

// scriptEnd returns the index of the end tag of a script: outside of comments that hold
// another script start tag (13.2.5.15 to 13.2.5.31).
func (z *Tokenizer) scriptEnd() int {
	text, i := z.text, z.Pos
	for {
		n := bytes.IndexByte(text[i:], '<')
		if n < 0 {
			return len(text)
		}
		i += n + 1
		if bytes.HasPrefix(text[i:], []byte("!--")) {
			end, ended := z.escapedScript(i + len("!--"))
			if ended {
				return end
			}
			i = end
		} else if bytes.HasPrefix(text[i:], []byte("/")) && namesTag(text[i+1:], z.lastStartTag) {
			return i - 1
		}
	}
}

// escapedScript reads the part of a script that begins with "<!--", from behind that. It
// returns the index of the end tag with ended, and otherwise the end of the comment.
func (z *Tokenizer) escapedScript(i int) (end int, ended bool) {
	text, double := z.text, false
	for dashes := 2; i < len(text); {
		c := text[i]
		i++
		switch {
		case c == '-':
			dashes++
			continue
		case c == '>' && dashes >= 2:
			return i, false
		case c == '<' && !double && i < len(text) && isLetter(text[i]):
			double = namesTag(text[i:], "script")
		case c == '<' && i < len(text) && text[i] == '/' && !double && namesTag(text[i+1:], z.lastStartTag):
			return i - 1, true
		case c == '<' && i < len(text) && text[i] == '/' && double && namesTag(text[i+1:], "script"):
			double = false
			i += len("/script")
		}
		dashes = 0
	}
	z.Errors.add("eof-in-script-html-comment-like-text", i)
	return i, false
}
