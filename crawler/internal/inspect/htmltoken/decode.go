package htmltoken

import (
	"bytes"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

// Data returns the content of a text, a comment or a CDATA section, with line endings
// normalized, NUL replaced by U+FFFD and character references decoded. It is a part of the
// source if it has none of these, and is valid until the next call of Next.
func (z *Tokenizer) Data() []byte {
	return z.decode(z.Token.DataStart, z.Token.DataEnd, z.Token.HasReferences, false)
}

// Value returns the value of an attribute of the current token, as Data does for a text.
func (z *Tokenizer) Value(a *Attribute) []byte {
	return z.decode(a.ValueStart, a.ValueEnd, a.HasReferences, true)
}

func (z *Tokenizer) decode(start, end int, references, attribute bool) []byte {
	src := z.text[start:end]
	if !references && bytes.IndexByte(src, '\r') < 0 && bytes.IndexByte(src, 0) < 0 {
		return src
	}
	from := len(z.buffer)
	if references {
		z.buffer = extract.AppendUnescaped(z.buffer, src, attribute)
		return z.buffer[from:len(z.buffer):len(z.buffer)]
	}
	for i, c := range src {
		switch {
		case c == 0:
			z.buffer = append(z.buffer, "\uFFFD"...)
		case c == '\r':
			z.buffer = append(z.buffer, '\n')
		case c != '\n' || i == 0 || src[i-1] != '\r':
			z.buffer = append(z.buffer, c)
		}
	}
	return z.buffer[from:len(z.buffer):len(z.buffer)]
}
