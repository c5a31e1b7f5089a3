package htmltoken

import "bytes"

// doctype reads a doctype by the states from 13.2.5.53 to 13.2.5.68.
func (z *Tokenizer) doctype() {
	text, d := z.text, DoctypeIDs{}
	i := z.pos + len("<!doctype")
	var name []byte
	end := func() {
		z.DoctypeIDs = d
		z.dataToken(Doctype, i, i, min(i+1, len(text)))
		z.Token.Name = name
	}
	atEnd := func() bool {
		if i < len(text) {
			return false
		}
		z.Errors.add("eof-in-doctype", i)
		d.ForceQuirks = true
		end()
		return true
	}
	bogus := func() {
		i = indexFrom(text, i, '>')
		end()
	}
	quirks := func(rule string) {
		z.Errors.add(rule, i)
		d.ForceQuirks = true
	}

	if atEnd() {
		return
	}
	if !isSpace(text[i]) && text[i] != '>' {
		z.Errors.add("missing-whitespace-before-doctype-name", i)
	}
	if i = skipSpace(text, i); atEnd() {
		return
	}
	if text[i] == '>' {
		quirks("missing-doctype-name")
		end()
		return
	}
	start := i
	for i < len(text) && !isSpace(text[i]) && text[i] != '>' {
		i++
	}
	name, d.HasName = z.lowerCase(text[start:i]), true
	if i = skipSpace(text, i); atEnd() {
		return
	}
	if text[i] == '>' {
		end()
		return
	}
	rest := text[i:]
	public := len(rest) >= 6 && bytes.EqualFold(rest[:6], []byte("public"))
	if !public && (len(rest) < 6 || !bytes.EqualFold(rest[:6], []byte("system"))) {
		quirks("invalid-character-sequence-after-doctype-name")
		bogus()
		return
	}
	i += len("public")

	// identifier reads a quoted identifier and reports whether to go on behind it.
	identifier := func(which string) (id []byte, ok bool) {
		quote := text[i]
		i++
		start := i
		for i < len(text) && text[i] != quote && text[i] != '>' {
			i++
		}
		id = text[start:i]
		switch {
		case i == len(text):
		case text[i] == '>':
			quirks("abrupt-doctype-" + which + "-identifier")
		default:
			i++
			ok = true
		}
		return id, ok
	}
	isQuote := func() bool { return text[i] == '"' || text[i] == '\'' }

	keyword := "system"
	if public {
		keyword = "public"
	}
	spaced := i < len(text) && isSpace(text[i])
	if i = skipSpace(text, i); atEnd() {
		return
	}
	switch {
	case isQuote():
		if !spaced {
			z.Errors.add("missing-whitespace-after-doctype-"+keyword+"-keyword", i)
		}
	case text[i] == '>':
		quirks("missing-doctype-" + keyword + "-identifier")
		end()
		return
	default:
		quirks("missing-quote-before-doctype-" + keyword + "-identifier")
		bogus()
		return
	}
	if public {
		var ok bool
		d.HasPublic = true
		if d.Public, ok = identifier("public"); !ok {
			if !atEnd() {
				end()
			}
			return
		}
		spaced := i < len(text) && isSpace(text[i])
		if i = skipSpace(text, i); atEnd() {
			return
		}
		switch {
		case text[i] == '>':
			end()
			return
		case !isQuote():
			quirks("missing-quote-before-doctype-system-identifier")
			bogus()
			return
		case !spaced:
			z.Errors.add("missing-whitespace-between-doctype-public-and-system-identifiers", i)
		}
	}
	var ok bool
	d.HasSystem = true
	if d.System, ok = identifier("system"); !ok {
		if !atEnd() {
			end()
		}
		return
	}
	if i = skipSpace(text, i); atEnd() {
		return
	}
	if text[i] != '>' {
		z.Errors.add("unexpected-character-after-doctype-system-identifier", i)
		bogus()
		return
	}
	end()
}
