package extract

// A Rereader reads the bare links of a document (Input.Bare) again and returns them complete.
// The zero value is ready to use. A Rereader is not safe for concurrent use.
//
// Only links that depend on nothing but the source from their tag on are bare, so that is all
// the Rereader reads.
type Rereader struct {
	h    *harvest
	r    *htmlReader
	doc  Document
	read int // bytes read of the document, counted each time
}

// Reset switches to another document. body must be the Body that its links were found in.
func (a *Rereader) Reset(body []byte) { a.begin(body, breaksOf(body)) }

// ResetTo is like Reset but faster, if the Document that was read from body is available.
func (a *Rereader) ResetTo(doc *Document, body []byte) { a.begin(body, doc.breaks) }

func (a *Rereader) begin(body []byte, b breaks) {
	if a.h == nil {
		a.h, a.r = new(harvest), new(htmlReader)
		a.h.slowPath = true // no link repeats another
	}
	a.r.tokens.release()
	a.doc, a.read = Document{}, 0
	a.h.resetAs(&a.doc, body, b)
}

// Link returns the link in the start tag given by tag, which is the Tag of a bare link. The
// result has all fields that Extract sets without Input.Bare, except for Repeats, NoFollow,
// Ignored and Base. ok is false if there is no such link, which means that body has changed.
// Link is fastest if called with ascending tags.
//
// The links of a document share at most their tags, so reading all of them takes no longer
// than reading the document. This may not hold for a changed body; Link returns false for
// links that would take longer.
func (a *Rereader) Link(tag int32) (f Link, ok bool) {
	r, start := a.r, int(tag)-1
	if start < 0 || start >= len(a.h.src.text) || a.read > maxRereadFactor*len(a.h.src.text) {
		return f, false
	}
	defer func() { a.read += r.tokens.end - start }()
	r.begin(a.h, &a.h.src)
	r.tokens.slowPath = false
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

// maxRereadFactor limits the bytes read of a document to this multiple of its length.
const maxRereadFactor = 4

// readLink reads to the end of the a element that contains the first link, if there is one:
// to its end tag or to the next start tag of an a element. That element may be open too, but
// belongs to another link.
func (r *htmlReader) readLink() {
	t := &r.tokens
	for r.link.first == 0 && r.link.end > 0 {
		if t.skip = r.skippable(); t.skip != skipNothing && r.open.inert == 0 && !t.slowPath {
			if r.plainContent(); r.link.end == 0 {
				return
			}
		}
		if !r.step() {
			return
		}
	}
}
