package extract

// A Rereader reads the bare links of a document (Input.Bare) once more, for what was left
// out of them. The zero value is ready; it is for one goroutine at a time.
//
// What a bare link is hangs on nothing but the source from its tag on: only such are bare.
type Rereader struct {
	h    *harvest
	r    *htmlReader
	doc  Document
	read int // bytes of the document, those that were read twice counted twice
}

// Reset turns to another document, by the Body that its links were found in.
func (a *Rereader) Reset(body []byte) { a.begin(body, breaksOf(body)) }

// ResetTo is Reset, but quicker, where the Document is at hand that was read from Body.
func (a *Rereader) ResetTo(doc *Document, body []byte) { a.begin(body, doc.breaks) }

func (a *Rereader) begin(body []byte, b breaks) {
	if a.h == nil {
		a.h, a.r = new(harvest), new(htmlReader)
		a.h.reference = true // no link repeats another
	}
	a.r.tokens.release()
	a.doc, a.read = Document{}, 0
	a.h.resetAs(&a.doc, body, b)
}

// Link reads the link in the start tag at Tag as a document that is not read bare has it,
// but for Repeats, NoFollow, Ignored and Base; false where no such link stands: then the
// body is another one. It is quickest for tags that come in their order.
//
// No two links of a document share more than a tag, so that all are read in the time
// that the document takes. In another body they may; what would take longer is not
// found there.
func (a *Rereader) Link(tag int32) (f Link, ok bool) {
	r, start := a.r, int(tag)-1
	if start < 0 || start >= len(a.h.src.text) || a.read > longestRereading*len(a.h.src.text) {
		return f, false
	}
	defer func() { a.read += r.tokens.end - start }()
	r.begin(a.h, &a.h.src)
	r.tokens.reference = false
	r.attributes.want, r.links = true, r.links[:0]
	r.bodyFilled, r.open.framesets = true, 1
	t := &r.tokens
	t.end = start
	if href, title, end := plainLinkTag(t.doc, start); end >= 0 {
		r.attributes.url(ruleOfA, href, ExpectAny)
		r.links[0].tag = int32(start)
		r.link = linkText{end: 1, text: r.link.text[:0], title: title}
		t.end = end
	} else {
		if !hasAt(t.doc, start, 2) || t.doc[start] != '<' || !isLetter(t.doc[start+1]) || t.next() != eventStartTag {
			return f, false
		}
		r.startTag()
	}
	if len(r.links) == 0 || int(r.links[0].tag) != start {
		return f, false
	}
	r.readLink()
	f = r.links[0]
	f.at, f.tag = 0, 0
	return f, true
}

// longestRereading is how many times the length of a document is read of it at most.
const longestRereading = 4

// readLink reads on to the end of the a element that the first link is of, if it is of
// one: to its end tag, or to the next one's start tag. That may be open, too, but is
// another link's.
func (r *htmlReader) readLink() {
	t := &r.tokens
	for r.link.first == 0 && r.link.end > 0 {
		if t.skip = r.meaningless(); t.skip != skipNothing && r.open.inert == 0 && t.inPlace() {
			if r.plainContent(); r.link.end == 0 {
				return
			}
		}
		if !r.step() {
			return
		}
	}
}
