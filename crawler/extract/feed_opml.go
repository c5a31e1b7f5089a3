package extract

// opmlVocabulary is OPML 1 and 2: outlines, usually lists of subscriptions.
var opmlVocabulary = xmlVocabulary{
	roots: []string{"opml"},
	start: startOPML,
	end:   endOPML,
}

func startOPML(r *xmlReader, e *xmlElement) {
	switch e.name {
	case "docs", "ownerid", "title":
		r.capture()
	case "outline":
		title := r.attrs.get("text")
		if title == "" {
			title = r.attrs.get("title")
		}
		first := len(r.links)
		r.attributeLink(spaceNone, "xmlUrl", Metadata, ExpectAny)
		r.attributeLink(spaceNone, "htmlUrl", Navigation, ExpectAny)
		r.attributeLink(spaceNone, "url", Navigation, ExpectAny)
		r.sortLinks(first)
		r.setMissingText(first, []byte(title))
	}
}

func endOPML(r *xmlReader, e *xmlElement) {
	switch e.name {
	case "title":
		if r.doc.Title == "" {
			r.doc.Title = r.captureText()
		}
	case "docs", "ownerid":
		if isWebURL(trimSpace(r.captured.text)) {
			r.textLink(Metadata, ExpectAny)
		}
	}
}
