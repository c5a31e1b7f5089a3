package extract

// markActions sets Link.Acts of the links of the open a element, whose text is complete.
func (r *htmlReader) markActions() {
	l := &r.link
	acts := r.input.Acts(trimFolded(l.text)) || sendsOtherMethod(r.tokens.doc[l.tag:])
	for _, at := range [...]span{l.title, l.label} {
		if !acts && at.start < at.end {
			r.folded = foldSpace(r.folded[:0], r.attributes.value(at).text)
			acts = r.input.Acts(trimFolded(r.folded))
		}
	}
	for i := l.first; i < l.end; i++ {
		r.links[i].Acts = acts
	}
}

// sendsOtherMethod reports whether the start tag at the beginning of a text names a method other than
// GET, with which scripts of Rails and others send the request for a link.
func sendsOtherMethod(doc []byte) bool {
	s := attributeScanner{tag: doc, pos: tagName(doc).end}
	for {
		name, value, ok := s.next()
		if !ok {
			return false
		}
		if n := doc[name.start:name.end]; equalFold(n, "data-method") || equalFold(n, "data-turbo-method") {
			if method := trimSpace(doc[value.start:value.end]); len(method) > 0 && !equalFold(method, "get") {
				return true
			}
		}
	}
}
