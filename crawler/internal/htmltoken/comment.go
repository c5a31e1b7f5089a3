package htmltoken

import (
	"bytes"
	"strings"
)

// comment reads a comment by the states from 13.2.5.43 to 13.2.5.52.
func (z *Tokenizer) comment() {
	text, start := z.text, z.Pos+len("<!--")
	if start < len(text) && text[start] == '>' {
		z.Errors.add("abrupt-closing-of-empty-comment", start)
		z.dataToken(Comment, start, start, start+1)
		return
	}
	if start+1 < len(text) && text[start] == '-' && text[start+1] == '>' {
		z.Errors.add("abrupt-closing-of-empty-comment", start+1)
		z.dataToken(Comment, start, start, start+2)
		return
	}
	for i := start; ; i++ {
		n := bytes.IndexByte(text[i:], '-')
		if n < 0 {
			n = len(text) - i
		}
		i += n
		rest := string(text[i:min(i+len("--!>"), len(text))])
		switch {
		case strings.HasPrefix(rest, "-->"):
			z.Errors.checkComment(text, start, i)
			z.dataToken(Comment, start, i, i+len("-->"))
			return
		case rest == "--!>":
			z.Errors.checkComment(text, start, i)
			z.Errors.add("incorrectly-closed-comment", i+len("--!"))
			z.dataToken(Comment, start, i, i+len("--!>"))
			return
		case rest == "--!", rest == "--", rest == "-", rest == "":
			z.Errors.checkComment(text, start, i)
			z.Errors.add("eof-in-comment", len(text))
			z.dataToken(Comment, start, i, len(text))
			return
		}
	}
}

// checkComment finds comments that begin in the content of a comment.
func (e *Errors) checkComment(text []byte, start, end int) {
	if !e.wanted {
		return
	}
	for i := start; ; {
		n := bytes.Index(text[i:end], []byte("<!--"))
		if n < 0 {
			return
		}
		i += n + len("<!--")
		if i == len(text) || text[i] != '>' {
			e.add("nested-comment", i)
		}
	}
}

// bogusComment reads a bogus comment (13.2.5.41) whose content begins at start.
func (z *Tokenizer) bogusComment(start int) {
	end := start
	if n := bytes.IndexByte(z.text[start:], '>'); n >= 0 {
		end += n
		z.dataToken(Comment, start, end, end+1)
		return
	}
	end = len(z.text)
	z.dataToken(Comment, start, end, end)
}

// cdata reads a CDATA section (13.2.5.69) whose content begins at start.
func (z *Tokenizer) cdata(start int) {
	n := bytes.Index(z.text[start:], []byte("]]>"))
	if n < 0 {
		z.Errors.add("eof-in-cdata", len(z.text))
		z.dataToken(CDATA, start, len(z.text), len(z.text))
		return
	}
	z.dataToken(CDATA, start, start+n, start+n+len("]]>"))
}
