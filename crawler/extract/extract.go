package extract

import "strings"

// Extract reads a document. It never fails: Faults lists what could not be read, and the
// Document keeps everything found up to that point. It is safe for concurrent use.
func Extract(in Input) *Document {
	doc := &Document{}
	ExtractInto(doc, in)
	return doc
}

// ExtractInto is like Extract, but reuses doc, for reading many documents in turn. It
// overwrites the contents of doc and reuses the memory of its lists. Strings taken from doc
// before remain valid.
func ExtractInto(doc *Document, in Input) {
	links, anchors := len(doc.Links), len(doc.Anchors)
	doc.reset()
	f := in.format()
	if f == nil {
		doc.Faults = []string{"read document: no reader for " + describeInput(&in)}
		return
	}
	h := harvests.Get().(*harvest)
	h.input = in
	h.formatOf, h.slowPath, h.links = formatOf, in.slowPath || in.Acts != nil || in.Options.ReadsMarkup(), doc.Links
	if in.Rest != nil && !f.inPieces(&in) {
		h.input.Body, h.input.Rest = wholeBody(&in), nil
	}
	h.readAs(f, &h.input, doc)
	if in.Acts != nil && doc.Format == "html" {
		markForms(h.links, in.Acts, func() []byte { text, _, _ := Decode(h.input); return text })
	} else if in.Acts != nil {
		markTexts(h.links, in.Acts)
	}
	doc.breaks = h.places.breaks
	doc.elsewhere = doc.elsewhere || in.AnchorsOnly
	h.finish(links, anchors)
	h.release()
}

// IsXHTML reports whether a document is read as XHTML. Its Document.Format is "html".
func IsXHTML(in Input) bool { return in.format() == &xhtmlFormat }

// IsWritten reports whether a document is of a format that people write in an editor: there is a
// reader for it, and it is neither binary nor a file of bookmarks.
func IsWritten(in Input) bool {
	f := in.format()
	return f != nil && !f.binary && !strings.HasSuffix(f.name, "-bookmarks")
}

// Decode returns the text that Extract reads from a document, as valid UTF-8 without a byte
// order mark, and the WHATWG name of the document's encoding, in lower case. It returns false
// when there is no reader for the document or its format is not text.
func Decode(in Input) (text []byte, charset string, ok bool) {
	f := in.format()
	if f == nil || f.charset == nil {
		return nil, "", false
	}
	text, charset = decode(in.Body, in.ContentType, f.charset)
	return text, charset, true
}

// Decoded is like [Decode] for the input from which the document was read, and faster.
func (d *Document) Decoded(in Input) (text []byte, charset string) {
	if d.asReceived && in.Rest == nil {
		return in.Body, d.Charset
	}
	text, charset, _ = Decode(in)
	return text, charset
}

// describeInput returns what is known of a document that has no reader.
func describeInput(in *Input) string {
	switch {
	case in.ContentType != "":
		return in.ContentType
	case in.Name != "":
		return in.Name
	}
	return "content of an unknown type"
}
