package htmltoken

import "bytes"

// isRaw marks the elements whose content is text, without markup.
var isRaw = [256]bool{
	Script: true, Style: true, Textarea: true, Title: true, Xmp: true, Iframe: true,
	Noembed: true, Noframes: true, Plaintext: true,
}

// rawText reads the content of the element z.raw, up to its end tag. It returns false if the
// content is empty.
func (z *Tokenizer) rawText() bool {
	name := z.raw.String()
	references := z.raw == Title || z.raw == Textarea
	end := len(z.text)
	switch z.raw {
	case Plaintext:
	case Script:
		end = z.scriptEnd()
	default:
		end = endTagFrom(z.text, z.pos, name)
	}
	z.raw = Unknown
	if end == z.pos {
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
	text, i := z.text, z.pos
	for {
		n := bytes.IndexByte(text[i:], '<')
		if n < 0 {
			return len(text)
		}
		i += n + 1
		if bytes.HasPrefix(text[i:], []byte("!--")) {
			end, ended := escapedScript(text, i+len("!--"))
			if ended {
				return end
			}
			if i = end; i == len(text) {
				z.fail("eof-in-script-html-comment-like-text", i)
				return i
			}
		} else if bytes.HasPrefix(text[i:], []byte("/")) && namesTag(text[i+1:], "script") {
			return i - 1
		}
	}
}

// escapedScript reads the part of a script that begins with "<!--", from behind that. It
// returns the index of the end tag with ended, and otherwise the end of the comment.
func escapedScript(text []byte, i int) (end int, ended bool) {
	double := false
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
		case c == '<' && i < len(text) && text[i] == '/' && namesTag(text[i+1:], "script"):
			if !double {
				return i - 1, true
			}
			double = false
			i += len("/script")
		}
		dashes = 0
	}
	return i, false
}
