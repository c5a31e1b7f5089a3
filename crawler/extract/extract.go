package extract

// Extract reads a document. It never fails: what could not be read stands in
// Faults, and what was found before it is there. It is safe for concurrent use.
func Extract(in Input) *Document {
	doc := &Document{}
	ExtractInto(doc, in)
	return doc
}

// ExtractInto is Extract for one document after the other: what doc held is
// forgotten, and its lists are filled again where they lie. Strings out of it stay
// good.
func ExtractInto(doc *Document, in Input) {
	links, anchors := len(doc.Links), len(doc.Anchors)
	doc.reset()
	f := in.format()
	if f == nil {
		doc.Faults = []string{"read document: no reader takes " + described(&in)}
		return
	}
	h := harvests.Get().(*harvest)
	h.input = in
	h.formatOf, h.reference, h.links = formatOf, in.reference, doc.Links
	if in.Rest != nil && !f.inPieces(&in) {
		h.input.Body, h.input.Rest = wholeBody(&in), nil
	}
	h.readAs(f, &h.input, doc)
	doc.breaks = h.places.breaks
	h.finish(links, anchors)
	h.release()
}

// reset forgets all but the memory of lists, of large ones for a few documents.
func (d *Document) reset() {
	if d.idle++; max(len(d.Links), len(d.BareRepeats), len(d.Anchors)) > keptEntries/2 {
		d.idle = 0
	}
	most := keptEntries
	if d.idle < longIdle {
		most = mostEntries
	}
	*d = Document{idle: d.idle, Links: again(d.Links, most), BareRepeats: again(d.BareRepeats, most),
		Anchors: again(d.Anchors, most), AnchorHashes: again(d.AnchorHashes, most)}
}

// Decode returns the text that Extract reads of a document, which is valid UTF-8 without
// a byte order mark, and the WHATWG name of the encoding that it was in, in lower case.
// It reports false when no reader takes the document, or when its format is not text.
func Decode(in Input) (text []byte, charset string, ok bool) {
	f := in.format()
	if f == nil || f.charset == nil {
		return nil, "", false
	}
	text, charset = decode(in.Body, in.ContentType, f.charset)
	return text, charset, true
}

// described says what is known of a document that no format claims.
func described(in *Input) string {
	switch {
	case in.ContentType != "":
		return in.ContentType
	case in.Name != "":
		return in.Name
	}
	return "what its first bytes look like"
}
