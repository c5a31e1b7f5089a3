package extract

import (
	"path"
	"slices"
	"strings"
)

// maxFieldCode bounds the text of a field code, in bytes.
const maxFieldCode = 8000

const ooxml = "application/vnd.openxmlformats-officedocument."

// The Office Open XML formats (ECMA-376) consist of XML parts. Each part may have a list
// of relationships to resources inside the archive (internal) or outside (external).
var (
	docxFormat = zipFormat("docx", []string{ooxml + "wordprocessingml.document", ooxml + "wordprocessingml.template",
		"application/vnd.ms-word.document.macroenabled.12"}, []string{"docx", "docm", "dotx"}, "word/", readOOXML)
	xlsxFormat = zipFormat("xlsx", []string{ooxml + "spreadsheetml.sheet", ooxml + "spreadsheetml.template",
		"application/vnd.ms-excel.sheet.macroenabled.12"}, []string{"xlsx", "xlsm", "xltx"}, "xl/", readOOXML)
	pptxFormat = zipFormat("pptx", []string{ooxml + "presentationml.presentation", ooxml + "presentationml.slideshow",
		ooxml + "presentationml.template", "application/vnd.ms-powerpoint.presentation.macroenabled.12"},
		[]string{"pptx", "pptm", "ppsx", "potx"}, "ppt/", readOOXML)
)

// relation is one external relationship of a part.
type relation struct {
	target, kind string
	used         bool
}

// readOOXML reads the parts that contain text. It adds hyperlinks that are relationships,
// fields or formulas, linked pictures and media, and bookmarks as anchors.
func readOOXML(c *container) {
	for _, name := range documentOrder(c.order) {
		if !strings.HasSuffix(name, ".xml") {
			continue
		}
		switch dir, _, _ := strings.Cut(name, "/"); dir {
		case "docProps":
			c.readTitle(name)
		case "word", "xl", "ppt":
			c.readOfficePart(name)
		}
	}
}

// documentOrder sorts part names so that sheet2 comes before sheet10, and the text of a
// document comes before its notes.
func documentOrder(names []string) []string {
	sorted := slices.Clone(names)
	rank := func(name string) int {
		if name == "word/document.xml" {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(sorted, func(a, b string) int {
		if n := rank(a) - rank(b); n != 0 {
			return n
		}
		if n := strings.Compare(strings.TrimRight(a, ".0123456789xml"), strings.TrimRight(b, ".0123456789xml")); n != 0 {
			return n
		}
		if n := len(a) - len(b); n != 0 {
			return n
		}
		return strings.Compare(a, b)
	})
	return sorted
}

func (c *container) readTitle(name string) {
	if name != "docProps/core.xml" {
		return
	}
	c.xmlPart(name, func(r *xmlReader, e *xmlElement) {
		if e.name == "title" {
			r.capture()
		}
	}, func(r *xmlReader, e *xmlElement) {
		if e.name == "title" {
			c.doc.Title = r.captureText()
		}
	})
}

// relations reads the external relationships of a part from their own file, such as
// word/_rels/document.xml.rels. They leave half of the memory to the links.
func (c *container) relations(name string) (ids []string, byID map[string]*relation) {
	half := c.room / 2
	c.room -= half
	defer func() { c.room += half }()
	byID = map[string]*relation{}
	list := path.Join(path.Dir(name), "_rels", path.Base(name)+".rels")
	c.xmlPart(list, func(r *xmlReader, e *xmlElement) {
		if e.name != "relationship" || !strings.EqualFold(r.attrs.get("TargetMode"), "External") {
			return
		}
		id, kind := r.attrs.get("Id"), r.attrs.get("Type")
		kind = kind[strings.LastIndexByte(kind, '/')+1:]
		target := r.attrs.get("Target")
		if _, double := byID[id]; double || !c.hold(entryMemory+len(id)+len(kind)+len(target)) {
			return
		}
		ids = append(ids, id)
		byID[id] = &relation{target: target, kind: strings.Clone(kind)}
	}, nil)
	return ids, byID
}

// relationKind returns the kind of link that a relationship is.
func relationKind(kind string) Kind {
	switch kind {
	case "hyperlink":
		return Navigation
	case "image", "audio", "video", "media", "oleObject", "externalLinkPath", "linkedContent", "aFChunk", "frame":
		return Resource
	}
	return Metadata // attachedTemplate, customXml, …
}

// officePart is a part while it is being read.
type officePart struct {
	*container
	relations map[string]*relation
	runs      []int  // the link counts at the start of each open run of text
	field     []byte // the instruction of the open field
}

func (c *container) readOfficePart(name string) {
	before := c.room
	ids, relations := c.relations(name)
	held := before - c.room
	defer func() { c.room += held }()
	p := &officePart{container: c, relations: relations}
	faults := len(c.doc.Faults)
	c.xmlPart(name, p.start, p.end)
	if faults == len(c.doc.Faults) {
		return // relationships that the part does not use are invisible leftovers
	}
	for _, id := range ids {
		if r := relations[id]; !r.used {
			c.link(r.target, "relationship", r.kind, relationKind(r.kind))
		}
	}
}

func (p *officePart) start(r *xmlReader, e *xmlElement) {
	switch e.name {
	case "bookmarkstart":
		p.anchor([]byte(p.attribute(r, "name")))
	case "instrtext", "t", "f":
		if r.parent() != "hyperlink" {
			r.capture()
		}
	case "fldsimple":
		p.instruction(p.attribute(r, "instr"))
	case "r":
		p.runs = append(p.runs, len(p.links))
	case "hyperlink":
		r.capture()
		p.hyperlink(r, e)
		return
	}
	for _, name := range [...]string{"id", "link", "embed", "href"} { // in the relationships namespace
		if a := relationAttribute(r, name); a != nil {
			p.relate(string(r.attrs.value(a).text), "", e)
		}
	}
}

// hyperlink reads w:hyperlink and the hyperlink element of a worksheet.
func (p *officePart) hyperlink(r *xmlReader, e *xmlElement) {
	place := p.attribute(r, "anchor")
	if place == "" {
		place = p.attribute(r, "location")
	}
	if a := relationAttribute(r, "id"); a != nil {
		p.relate(string(r.attrs.value(a).text), place, e)
		if n := len(p.links); n > 0 {
			p.setText(&p.links[n-1], r.attrs.get("display"))
		}
	} else if place != "" && !strings.ContainsAny(place, "!") { // Sheet1!A1 is a cell
		p.link("#"+place, "hyperlink", "anchor", Navigation)
	} else {
		return
	}
	e.link = len(p.links) - 1
}

// relationAttribute returns an attribute in the relationships namespace, or nil. Its
// prefix is usually r.
func relationAttribute(r *xmlReader, name string) *xmlAttribute {
	for i := range r.attrs.list {
		if a := &r.attrs.list[i]; a.name == name && a.space == spaceRelationships {
			return a
		}
	}
	return nil
}

// attribute returns the value of an attribute by its local name, or "".
func (p *officePart) attribute(r *xmlReader, name string) string {
	for i := range r.attrs.list {
		if a := &r.attrs.list[i]; a.name == name && a.space != spaceRelationships {
			return string(r.attrs.value(a).text)
		}
	}
	return ""
}

// relate adds the relationship with an id as a link. The place, if not empty, becomes its
// fragment.
func (p *officePart) relate(id, place string, e *xmlElement) {
	relation := p.relations[id]
	if relation == nil {
		return
	}
	relation.used = true
	target := relation.target
	if place != "" && strings.IndexByte(target, '#') < 0 {
		target += "#" + place
	}
	if f := p.link(target, e.written, relation.kind, relationKind(relation.kind)); f != nil && relation.kind == "image" {
		f.Expect = ExpectImage
	}
}

func (p *officePart) end(r *xmlReader, e *xmlElement) {
	switch e.name {
	case "hyperlink":
		if e.link >= 0 && e.link < len(p.links) {
			p.setText(&p.links[e.link], r.captureText())
		}
		e.link = -1
	case "instrtext":
		if r.capturing() && len(p.field) < maxFieldCode {
			p.field = append(p.field, r.captured.text...)
		}
	case "fldchar":
		if kind := p.attributeOf(r, "fldCharType"); kind == "separate" || kind == "end" {
			p.instruction(string(p.field))
			p.field = p.field[:0]
		}
	case "f":
		if r.capturing() {
			p.formula(string(r.captured.text))
		}
	case "t":
		if n := len(p.runs); n > 0 && r.capturing() {
			if text := r.captureText(); text != "" {
				for i := p.runs[n-1]; i < len(p.links); i++ {
					p.setText(&p.links[i], text)
				}
				p.runs[n-1] = len(p.links) // they have their text
			}
		}
	case "r":
		if n := len(p.runs); n > 0 {
			p.runs = p.runs[:n-1]
		}
	}
}

// attributeOf is like attribute, but for use at the end of an element. It returns "" if
// the element is not self-closing.
func (p *officePart) attributeOf(r *xmlReader, name string) string {
	if !r.tokens.selfClosing {
		return ""
	}
	return p.attribute(r, name)
}

// instruction reads a field: HYPERLINK "target" \l "place" \o "tip".
func (p *officePart) instruction(field string) {
	words := fieldWords(field)
	if len(words) < 2 || !strings.EqualFold(words[0], "HYPERLINK") && !strings.EqualFold(words[0], "INCLUDEPICTURE") {
		return
	}
	kind := Navigation
	if strings.EqualFold(words[0], "INCLUDEPICTURE") {
		kind = Resource
	}
	target, place := "", ""
	for i := 1; i < len(words); i++ {
		switch {
		case words[i] == `\l` && i+1 < len(words):
			i++
			place = "#" + words[i]
		case strings.HasPrefix(words[i], `\`):
			if words[i] != `\n` && words[i] != `\h` && words[i] != `\m` && words[i] != `\d` {
				i++ // its argument
			}
		case target == "":
			target = words[i]
		}
	}
	p.link(target+place, "field", strings.ToLower(words[0]), kind)
}

// fieldWords splits a field's instruction into words. Quoted words may contain spaces.
func fieldWords(field string) []string {
	var words []string
	for field = strings.TrimSpace(field); field != "" && len(words) < 64; field = strings.TrimSpace(field) {
		if field[0] == '"' {
			word, rest, _ := strings.Cut(field[1:], `"`)
			words, field = append(words, strings.ReplaceAll(word, `\\`, `\`)), rest
			continue
		}
		end := strings.IndexAny(field, " \t\r\n")
		if end < 0 {
			end = len(field)
		}
		words, field = append(words, field[:end]), field[end:]
	}
	return words
}

// formula adds the link in a cell's formula.
func (p *officePart) formula(f string) {
	if target, ok := hyperlinkTarget(f); ok {
		p.link(target, "f", "hyperlink", Navigation)
	}
}

// hyperlinkTarget returns the literal target of HYPERLINK("target"; …) in a formula.
// Targets within the workbook do not count.
func hyperlinkTarget(formula string) (target string, ok bool) {
	const function = "HYPERLINK("
	at := strings.Index(strings.ToUpper(formula), function)
	if at < 0 || at+len(function) >= len(formula) {
		return "", false
	}
	rest, literal := strings.CutPrefix(strings.TrimSpace(formula[at+len(function):]), `"`)
	target, after, closed := strings.Cut(rest, `"`)
	return target, literal && closed && !strings.HasPrefix(strings.TrimSpace(after), "&") && !strings.HasPrefix(target, "#")
}
