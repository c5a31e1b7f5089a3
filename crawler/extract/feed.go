package extract

import (
	"bytes"
	"strings"
)

// rssVocabulary is RSS 0.9x, 1.0 (RDF) and 2.0, with elements of other vocabularies that are
// commonly used in it.
var rssVocabulary = xmlVocabulary{roots: []string{"rss", "rdf"}, start: startRSS, end: endRSS}

// atomVocabulary is Atom 1.0 (RFC 4287) and 0.3.
var atomVocabulary = xmlVocabulary{roots: []string{"feed", "entry"}, start: startAtom, end: endAtom}

// feedState is what is known about the feed entry being read.
type feedState struct {
	inEntry    bool
	entryLinks []int // links of the entry that get its title as text
	title      []byte
	permalink  string // the link of the entry, to which its HTML is relative
	content    []int  // ranges of links from its HTML: from, to, from, to
	guidIsLink bool   // the current guid is a link
}

func (f *feedState) begin() {
	*f = feedState{inEntry: true, entryLinks: f.entryLinks[:0], content: f.content[:0], title: f.title[:0]}
}

// endEntry sets the text of the entry's links to the entry's title. In RSS it also sets the
// base of links in the entry's HTML: feed readers resolve them against the entry's link.
func (r *xmlReader) endEntry() {
	f := &r.feed
	if title := trimFolded(foldSpace(nil, f.title)); len(title) > 0 {
		at := r.keep(title)
		for _, i := range f.entryLinks {
			if i < len(r.links) && r.links[i].Text == "" {
				r.links[i].Text = at
			}
		}
	}
	if f.permalink != "" {
		for i := 0; i+1 < len(f.content); i += 2 {
			for j := f.content[i]; j < f.content[i+1] && j < len(r.links); j++ {
				if l := &r.links[j]; l.Base == "" {
					l.Base = f.permalink
				}
			}
		}
	}
	f.inEntry = false
}

// addEntryLink records a link that belongs to the entry itself.
func (r *xmlReader) addEntryLink(f *Link) *Link {
	if f != nil && r.feed.inEntry {
		r.feed.entryLinks = append(r.feed.entryLinks, len(r.links)-1)
	}
	return f
}

// htmlText reads the captured text as HTML.
func (r *xmlReader) htmlText(base string) {
	if !r.capturing() || bytes.IndexByte(r.captured.text, '<') < 0 {
		return
	}
	from := len(r.links)
	v := r.captured.view
	r.readFragment(&v, base, false)
	if r.feed.inEntry {
		r.feed.content = append(r.feed.content, from, len(r.links))
	}
}

func startRSS(r *xmlReader, e *xmlElement) {
	switch e.space {
	case spaceMedia:
		switch e.name {
		case "content", "player":
			r.addEntryLink(r.attributeLink(spaceNone, "url", Resource, ExpectAny))
		case "thumbnail":
			r.addEntryLink(r.attributeLink(spaceNone, "url", Resource, ExpectImage))
		}
		return
	case spaceAtom:
		if e.name == "link" {
			r.atomLink()
		}
		return
	}
	switch e.name {
	case "item":
		r.feed.begin()
	case "link", "comments", "docs", "commentrss", "description", "encoded", "url", "title":
		r.capture()
	case "guid":
		r.feed.guidIsLink = !strings.EqualFold(strings.TrimSpace(r.attrs.get("isPermaLink")), "false")
		r.capture()
	case "enclosure":
		r.addEntryLink(r.attributeLink(spaceNone, "url", Resource, ExpectAny))
	case "source":
		r.attributeLink(spaceNone, "url", Metadata, ExpectAny)
	case "image": // of itunes
		r.attributeLink(spaceNone, "href", Resource, ExpectImage)
	}
}

func endRSS(r *xmlReader, e *xmlElement) {
	if e.space == spaceMedia || e.space == spaceAtom {
		return
	}
	switch e.name {
	case "item":
		r.endEntry()
	case "title":
		if r.capturing() && r.feed.inEntry && r.parent() == "item" {
			r.feed.title = append(r.feed.title[:0], r.captured.text...)
		} else if r.capturing() && r.parent() == "channel" && r.doc.Title == "" {
			r.doc.Title = string(trimFolded(foldSpace(nil, r.captured.text)))
		}
	case "link":
		if f := r.addEntryLink(r.textLink(Navigation, ExpectAny)); f != nil && r.parent() == "item" {
			r.feed.permalink = f.Ref
		}
	case "comments":
		r.addEntryLink(r.textLink(Navigation, ExpectAny))
	case "guid":
		if r.feed.guidIsLink && r.capturing() && isWebURL(trimSpace(r.captured.text)) {
			if f := r.addEntryLink(r.textLink(Navigation, ExpectAny)); f != nil && r.feed.permalink == "" {
				r.feed.permalink = f.Ref
			}
		}
	case "docs", "commentrss":
		r.textLink(Metadata, ExpectAny)
	case "url":
		if r.parent() == "image" {
			r.textLink(Resource, ExpectImage)
		}
	case "description", "encoded":
		r.htmlText(e.base)
	}
}

func startAtom(r *xmlReader, e *xmlElement) {
	if e.space == spaceMedia {
		startRSS(r, e)
		return
	}
	switch e.name {
	case "entry":
		r.feed.begin()
	case "link":
		r.atomLink()
	case "content":
		r.attributeLink(spaceNone, "src", Navigation, ExpectAny)
		e.html = isHTMLConstruct(r.attrs.get("type"))
		r.capture()
	case "summary", "title", "subtitle", "rights":
		e.html = isHTMLConstruct(r.attrs.get("type"))
		r.capture()
	case "generator":
		r.attributeLink(spaceNone, "uri", Metadata, ExpectAny)
	case "icon", "logo", "uri":
		r.capture()
	}
}

// isHTMLConstruct reports whether the type of a text construct means escaped HTML (RFC 4287
// 3.1.1).
func isHTMLConstruct(kind string) bool {
	return strings.EqualFold(kind, "html") || strings.EqualFold(kind, "text/html")
}

func endAtom(r *xmlReader, e *xmlElement) {
	switch e.name {
	case "entry":
		r.endEntry()
	case "title":
		if !r.capturing() {
			return
		}
		if title := &r.feed.title; r.feed.inEntry && r.parent() == "entry" {
			*title = append((*title)[:0], r.captured.text...)
		} else if r.parent() == "feed" && r.doc.Title == "" {
			r.doc.Title = string(trimFolded(foldSpace(nil, r.captured.text)))
		}
	case "icon", "logo":
		r.textLink(Resource, ExpectImage)
	case "uri":
		r.textLink(Metadata, ExpectAny)
	}
	if e.html {
		base := e.base
		r.htmlText(base)
	}
}

// atomLink reads <link rel href> (RFC 4287 4.2.7).
func (r *xmlReader) atomLink() {
	kind, expect := Navigation, ExpectAny
	switch rel := strings.ToLower(strings.TrimSpace(r.attrs.get("rel"))); rel {
	case "", "alternate", "related", "via", "replies":
	case "enclosure":
		kind = Resource
	case "stylesheet":
		kind, expect = Stylesheet, ExpectStyle
	case "hub", "http://www.iana.org/assignments/relation/hub", "edit-media":
		kind = Host // takes POST or PUT
	default:
		kind = Metadata
	}
	f := r.attributeLink(spaceNone, "href", kind, expect)
	if f == nil {
		return
	}
	if title := trimFolded(foldSpace(nil, []byte(r.attrs.get("title")))); len(title) > 0 {
		f.Text = r.keep(title)
	}
	r.addEntryLink(f)
}
