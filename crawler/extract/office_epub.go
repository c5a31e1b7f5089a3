package extract

import (
	"net/url"
	"path"
	"strings"
)

// epubFormat is EPUB 2 and 3: XHTML in an archive, listed by a package document.
//
// Links that leave the book are like those of any page. Links inside the book are checked
// as fragments of it: each part is an anchor ("OEBPS/one.xhtml"), and so is each id in a
// part ("OEBPS/one.xhtml#note"). A link between parts is converted to such a fragment.
// The reader covers the XHTML and SVG documents and the style sheets in the manifest, and
// the parts that the manifest lists but the archive lacks. It ignores the EPUB 2
// navigation (toc.ncx), scripts and media overlays.
var epubFormat = zipFormat("epub", []string{"application/epub+zip"}, []string{"epub"}, "mimetypeapplication/epub+zip", readEPUB)

// epubItem is an item of the package's manifest that is read.
type epubItem struct {
	part   string
	format *format
}

// maxBookPart is the maximum size of a part that is read, in bytes. It is in memory as a
// whole, with its links and anchors, in addition to those of the book.
const maxBookPart = 16 << 20

func readEPUB(c *container) {
	packagePath := ""
	c.xmlPart("META-INF/container.xml", func(r *xmlReader, e *xmlElement) {
		if e.name == "rootfile" && packagePath == "" {
			packagePath = strings.TrimPrefix(r.attrs.get("full-path"), "/")
		}
	}, nil)
	if packagePath == "" {
		for _, name := range c.order { // use the first package document
			if strings.HasSuffix(name, ".opf") {
				packagePath = name
				break
			}
		}
	}
	if packagePath == "" {
		c.fault("read book: the archive contains no package document")
	}
	doc := &Document{}
	for _, item := range c.bookItems(packagePath) {
		c.readBookPart(item, doc)
	}
	for _, name := range c.order {
		if !strings.HasSuffix(name, "/") {
			c.anchor(validUTF8([]byte(name)))
		}
	}
}

// bookItems returns the parts to read: first those of the spine, in its order, then the
// rest of the manifest.
func (c *container) bookItems(packagePath string) []epubItem {
	manifest := map[string]epubItem{}
	var ids, spine []string
	half, held := c.room/2, 0 // half of the memory is for links
	hold := func(texts int) bool {
		n := entryMemory + texts
		if held+n > half {
			c.noRoom()
			return false
		}
		held += n
		return c.hold(n)
	}
	c.xmlPart(packagePath, func(r *xmlReader, e *xmlElement) {
		switch e.name {
		case "title":
			r.capture()
		case "item":
			id, href := r.attrs.get("id"), r.attrs.get("href")
			if isAbsolute(href) {
				c.link(href, "item", "href", Resource)
				return
			}
			part, _, ok := bookPath(packagePath, href)
			if !ok {
				return
			}
			if c.parts[part].open == nil {
				c.link(string(validUTF8([]byte("#"+part))), "item", "href", Resource)
			} else if f := bookPartFormat(strings.ToLower(strings.TrimSpace(r.attrs.get("media-type")))); f != nil && hold(len(id)+len(part)) {
				ids = append(ids, id)
				manifest[id] = epubItem{part, f}
			}
		case "itemref":
			if id := r.attrs.get("idref"); hold(len(id)) {
				spine = append(spine, id)
			}
		}
	}, func(r *xmlReader, e *xmlElement) {
		if e.name == "title" && c.doc.Title == "" {
			c.doc.Title = r.captureText()
		}
	})
	var items []epubItem
	for _, id := range append(spine, ids...) {
		if item, ok := manifest[id]; ok {
			items = append(items, item)
			delete(manifest, id)
		}
	}
	c.room += held
	return items
}

// chapterFormat is XHTML in a book.
var chapterFormat = format{charset: xhtmlCharset, read: func(h *harvest, in *Input) { readXHTML(h, in, asBook) }}

// bookFormat is XHTML without the namespace, as books of the time before EPUB have it.
var bookFormat = format{charset: xhtmlCharset, read: func(h *harvest, in *Input) { readHTML(h, in, asBook) }}

// bookPartFormat returns the format of a part with a media type in lower case, or nil if the
// part is not read.
func bookPartFormat(media string) *format {
	switch media {
	case "application/xhtml+xml":
		return &chapterFormat
	case "text/html", "text/x-oeb1-document", "application/x-dtbook+xml":
		return &bookFormat
	case "image/svg+xml":
		return &svgFormat
	case "text/css", "text/x-oeb1-css":
		return &cssFormat
	}
	return nil
}

// readBookPart reads one part with the reader of its format into doc, whose memory it uses
// again.
func (c *container) readBookPart(item epubItem, doc *Document) {
	body := c.part(item.part, maxBookPart)
	if body == nil {
		return
	}
	links, anchors := len(doc.Links), len(doc.Anchors)
	doc.reset()
	inner := harvests.Get().(*harvest)
	inner.slowPath, inner.links = c.slowPath, doc.Links
	inner.input.MaxLinks = max(1, min(c.input.maxLinks()-len(c.links), c.room/linkMemory))
	inner.readAs(item.format, &Input{Body: body, AnchorsOnly: c.in.AnchorsOnly}, doc)
	inner.finish(links, anchors)
	inner.release()
	for _, id := range doc.Anchors {
		c.anchor(validUTF8([]byte(item.part + "#" + id)))
	}
	for i := range doc.Links {
		c.bookLink(item.part, &doc.Links[i])
	}
	for _, fault := range doc.Faults {
		c.fault("read %s: %s", shortName(item.part), fault)
	}
}

// bookLink adds a link that was found in a part.
func (c *container) bookLink(from string, l *Link) {
	ref := strings.TrimSpace(l.Ref)
	if l.Base != "" && isAbsolute(l.Base) {
		return // such as the archive of an applet
	}
	if !isAbsolute(ref) {
		part, fragment, ok := bookPath(from, ref)
		if !ok {
			return
		}
		ref = "#" + part
		if fragment != "" && !strings.EqualFold(fragment, "top") {
			ref += "#" + fragment
		}
	}
	f := c.link(string(validUTF8([]byte(ref))), l.Element, l.Attribute, l.Kind)
	if f == nil {
		return
	}
	if l.Raw != ref {
		f.Raw = c.keep([]byte(l.Raw))
	}
	f.Expect, f.NoFollow, f.Ignored = l.Expect, l.NoFollow, l.Ignored
	c.setText(f, l.Text)
}

// bookPath resolves a relative reference in a part to a part and a fragment, both
// percent-decoded.
func bookPath(from, ref string) (part, fragment string, ok bool) {
	ref, fragment, _ = strings.Cut(ref, "#")
	ref, _, _ = strings.Cut(ref, "?")
	part = from
	if ref != "" {
		decoded, err := url.PathUnescape(ref)
		if err != nil {
			return "", "", false
		}
		if strings.HasPrefix(decoded, "/") {
			part = path.Clean(decoded)[1:]
		} else {
			part = path.Join("/", path.Dir(from), decoded)[1:]
		}
	}
	if decoded, err := url.PathUnescape(fragment); err == nil {
		fragment = decoded
	}
	return part, fragment, part != ""
}
