package htmltoken

import "bytes"

// doctype reads a doctype by the states from 13.2.5.53 to 13.2.5.68.
func (z *Tokenizer) doctype() {
	d := doctypeReader{text: z.text, i: z.Pos + len("<!doctype"), errors: &z.Errors}
	z.Token.Name = z.lowerCase(d.name())
	if !d.ended {
		d.identifiers()
	}
	z.DoctypeIDs = d.ids
	end := min(indexFrom(z.text, d.i, '>')+1, len(z.text))
	z.dataToken(Doctype, end, end, end)
}

// doctypeReader reads the parts of a doctype. Its methods stop where the rest is not to be
// looked at.
type doctypeReader struct {
	text   []byte
	i      int // the next byte to read
	ids    DoctypeIDs
	ended  bool
	errors *Errors
}

// quirks adds an error that puts the document in quirks mode.
func (d *doctypeReader) quirks(rule string) {
	d.errors.add(rule, d.i)
	d.ids.ForceQuirks = true
}

// skipSpace goes to the next byte that is not white space, and reports whether there was any.
// At the end of the text the doctype ends.
func (d *doctypeReader) skipSpace() (spaced bool) {
	start := d.i
	if d.i = skipSpace(d.text, d.i); d.i == len(d.text) {
		d.quirks("eof-in-doctype")
		d.ended = true
	}
	return d.i > start
}

// name returns the name.
func (d *doctypeReader) name() []byte {
	spaced := d.skipSpace()
	if d.ended {
		return nil
	}
	if d.text[d.i] == '>' {
		d.quirks("missing-doctype-name")
		d.ended = true
		return nil
	}
	if !spaced {
		d.errors.add("missing-whitespace-before-doctype-name", d.i)
	}
	start := d.i
	for d.i < len(d.text) && !isSpace(d.text[d.i]) && d.text[d.i] != '>' {
		d.i++
	}
	d.ids.HasName = true
	name := d.text[start:d.i]
	d.skipSpace()
	return name
}

// identifiers reads what follows the name.
func (d *doctypeReader) identifiers() {
	if d.text[d.i] == '>' {
		return
	}
	keyword := d.text[d.i:min(d.i+len("public"), len(d.text))]
	switch {
	case bytes.EqualFold(keyword, []byte("public")):
		d.i += len(keyword)
		if !d.begins("public") {
			return
		}
		d.ids.HasPublic = true
		if d.ids.Public = d.quoted("public"); d.ended {
			return
		}
		if spaced := d.skipSpace(); d.ended || d.text[d.i] == '>' {
			return
		} else if !d.atQuote() {
			d.quirks("missing-quote-before-doctype-system-identifier")
			return
		} else if !spaced {
			d.errors.add("missing-whitespace-between-doctype-public-and-system-identifiers", d.i)
		}
	case bytes.EqualFold(keyword, []byte("system")):
		d.i += len(keyword)
		if !d.begins("system") {
			return
		}
	default:
		d.quirks("invalid-character-sequence-after-doctype-name")
		return
	}
	d.ids.HasSystem = true
	if d.ids.System = d.quoted("system"); d.ended {
		return
	}
	if d.skipSpace(); !d.ended && d.text[d.i] != '>' {
		d.errors.add("unexpected-character-after-doctype-system-identifier", d.i)
	}
}

func (d *doctypeReader) atQuote() bool { return d.text[d.i] == '"' || d.text[d.i] == '\'' }

// begins goes to the identifier behind a keyword and reports whether there is one.
func (d *doctypeReader) begins(keyword string) bool {
	spaced := d.skipSpace()
	switch {
	case d.ended:
		return false
	case d.text[d.i] == '>':
		d.quirks("missing-doctype-" + keyword + "-identifier")
		return false
	case !d.atQuote():
		d.quirks("missing-quote-before-doctype-" + keyword + "-identifier")
		return false
	case !spaced:
		d.errors.add("missing-whitespace-after-doctype-"+keyword+"-keyword", d.i)
	}
	return true
}

// quoted returns the identifier whose quotation mark is next.
func (d *doctypeReader) quoted(which string) []byte {
	quote := d.text[d.i]
	d.i++
	start := d.i
	for d.i < len(d.text) && d.text[d.i] != quote && d.text[d.i] != '>' {
		d.i++
	}
	id := d.text[start:d.i]
	switch {
	case d.i == len(d.text):
		d.quirks("eof-in-doctype")
		d.ended = true
	case d.text[d.i] == '>':
		d.quirks("abrupt-doctype-" + which + "-identifier")
		d.ended = true
	default:
		d.i++
	}
	return id
}
