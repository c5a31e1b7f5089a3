package extract

import "strings"

const oasis = "application/vnd.oasis.opendocument."

// The OpenDocument formats (ISO/IEC 26300). References are xlink:href attributes in
// content.xml and styles.xml.
var (
	odtFormat = zipFormat("odt", []string{oasis + "text", oasis + "text-template", oasis + "text-master", oasis + "text-web"},
		[]string{"odt", "ott", "odm"}, "mimetype"+oasis+"text", readOpenDocument)
	odsFormat = zipFormat("ods", []string{oasis + "spreadsheet", oasis + "spreadsheet-template"},
		[]string{"ods", "ots"}, "mimetype"+oasis+"spreadsheet", readOpenDocument)
	odpFormat = zipFormat("odp", []string{oasis + "presentation", oasis + "presentation-template"},
		[]string{"odp", "otp"}, "mimetype"+oasis+"presentation", readOpenDocument)
	odgFormat = zipFormat("odg", []string{oasis + "graphics", oasis + "graphics-template"},
		[]string{"odg", "otg"}, "mimetype"+oasis+"graphics", readOpenDocument)
)

func readOpenDocument(c *container) {
	start := func(r *xmlReader, e *xmlElement) {
		switch e.name {
		case "bookmark", "bookmark-start", "page", "table", "section", "reference-mark", "reference-mark-start":
			for i := range r.attrs.list {
				if a := &r.attrs.list[i]; a.name == "name" && a.space != spaceXLink {
					c.anchor(r.attrs.value(a).text)
				}
			}
		case "title":
			r.capture()
		case "table-cell":
			c.formulaLink(r, e)
		}
		href := r.attrs.find(spaceXLink, "href")
		if href == nil {
			return
		}
		ref, ok := c.packageReference(string(r.attrs.value(href).text))
		if !ok {
			return
		}
		kind, expect := Resource, ExpectAny
		switch e.name {
		case "a":
			kind = Navigation
		case "image", "fill-image", "background-image":
			expect = ExpectImage
		case "template":
			kind = Metadata
		}
		if f := c.link(ref, e.written, "xlink:href", kind); f != nil {
			f.Expect = expect
			r.capture()
			e.link = len(c.links) - 1
		}
	}
	end := func(r *xmlReader, e *xmlElement) {
		if e.link >= 0 && e.link < len(c.links) {
			c.setText(&c.links[e.link], r.captureText())
		}
		e.link = -1
	}
	for _, name := range [...]string{"content.xml", "styles.xml"} {
		c.xmlPart(name, start, end)
	}
	c.xmlPart("meta.xml", func(r *xmlReader, e *xmlElement) {
		if e.name == "title" {
			r.capture()
		}
	}, func(r *xmlReader, e *xmlElement) {
		if e.name == "title" {
			c.doc.Title = r.captureText()
		}
	})
	if len(c.parts) > 0 && c.parts["content.xml"].open == nil {
		c.fault("read archive: it contains no content.xml")
	}
}

// formulaLink adds the link in the formula of a cell. The text of the link is that of the
// cell.
func (c *container) formulaLink(r *xmlReader, e *xmlElement) {
	for i := range r.attrs.list {
		a := &r.attrs.list[i]
		if a.name != "formula" {
			continue
		}
		if target, ok := hyperlinkTarget(string(r.attrs.value(a).text)); ok && c.link(target, e.written, "table:formula", Navigation) != nil {
			r.capture()
			e.link = len(c.links) - 1
		}
	}
}

// packageReference converts a reference in the package to one that is relative to the URL
// of the document. The archive counts as a directory, so a reference to a file next to the
// document begins with "../". A reference to a file inside the archive is not a link.
func (c *container) packageReference(ref string) (string, bool) {
	ref = strings.TrimSpace(ref)
	if isAbsolute(ref) {
		return ref, true
	}
	if fragment, ok := strings.CutPrefix(ref, "#"); ok {
		// Only LibreOffice can resolve fragments such as "name|outline", "name|table" and,
		// in a sheet, the name of a cell ("Sheet1.A1").
		if strings.Contains(fragment, "|") || c.doc.Format == "ods" {
			return "", false
		}
		return ref, fragment != ""
	}
	if outside, ok := strings.CutPrefix(ref, "../"); ok {
		return outside, true
	}
	inside := strings.TrimPrefix(ref, "./")
	if _, ok := c.parts[inside]; ok || strings.HasPrefix(ref, "./") || strings.HasPrefix(ref, "Pictures/") || strings.HasPrefix(ref, "Object") {
		return "", false
	}
	return ref, ref != ""
}
