package extract

import "bytes"

// skim passes over markup that means nothing to the reader, the most of most
// pages, and returns where something stands that may: the scanner's rules for tags
// once more, made to forget what they read. It stops at a tag that bears an
// attribute of knownAttributes or has a role, at an end tag that closes something the
// reader keeps track of, at all that is not ordinary, and with stopAtText at text.
func skim(doc []byte, pos int, stopAtText bool) int {
	for {
		if pos == len(doc) {
			return pos
		}
		if doc[pos] != '<' {
			if stopAtText {
				return pos
			}
			n := bytes.IndexByte(doc[pos:], '<')
			if n < 0 {
				return len(doc)
			}
			pos += n
		}
		var end int
		i := pos + 1
		if i < len(doc) && doc[i] == '/' {
			end = skimEndTag(doc, i+1, stopAtText)
		} else {
			end = skimStartTag(doc, i)
		}
		if end < 0 {
			return pos
		}
		pos = end
	}
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
