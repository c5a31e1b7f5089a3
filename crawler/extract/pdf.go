package extract

import (
	"bytes"
	"encoding/binary"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
)

// pdfFormat is PDF. Its links are those of link annotations and of the outline. Its
// anchors are the named destinations and, as RFC 8118 defines for fragments, "page=1" to
// the last page.
var pdfFormat = format{
	name:       "pdf",
	media:      []string{"application/pdf", "application/x-pdf"},
	extensions: []string{"pdf"},
	sniff:      sniffPDF,
	binary:     true,
	read:       readPDF,
}

// sniffPDF looks for the header, which other bytes may precede.
func sniffPDF(head []byte) bool { return bytes.Contains(head[:min(len(head), 1024)], []byte("%PDF-")) }

// Limits of a PDF.
const (
	maxPDFPages  = 200_000
	maxPDFChain  = 32        // actions in a sequence
	maxPDFNodes  = 1_000_000 // nodes in the trees of names, pages and outlines
	maxPDFLevels = 64        // levels of such a tree
)

// pdfReader reads the links of a PDF.
type pdfReader struct {
	*harvest
	*pdfFile
	in      *Input
	element string // the element of the links: "page 3", "outline"
	nodes   int    // the number of tree nodes that may still be visited
	seen    map[pdfRef]bool
}

func readPDF(h *harvest, in *Input) {
	h.doc.Static = true
	h.input.MaxLinks = min(h.input.maxLinks(), maxPackedLinks)
	if !sniffPDF(in.Body) {
		h.fault("read PDF: the file has no PDF header")
	}
	r := &pdfReader{harvest: h, pdfFile: openPDF(in.Body, &h.large), in: in, nodes: maxPDFNodes}
	r.reportFault() // read the objects that were found nevertheless
	if r.trailer["Encrypt"] == nil || r.crypt != nil {
		r.read()
		r.reportFault()
	}
	if r.cut {
		h.fault("read PDF: an object has more than %d arrays and dictionaries; the members of the rest are ignored", maxPDFNested)
	}
	if tail := in.Body[max(0, len(in.Body)-2048):]; !bytes.Contains(tail, []byte("%%EOF")) {
		h.fault("read PDF: unexpected end of the file")
	}
}

// reportFault reports the fault of the file, if it has one, and clears it.
func (r *pdfReader) reportFault() {
	if err := r.pdfFile.fault; err != nil {
		r.harvest.fault("read PDF: %v", err)
		r.pdfFile.fault = nil
	}
}

func (r *pdfReader) read() {
	root := r.dict(r.trailer["Root"])
	if root == nil {
		root = r.catalog()
	}
	if title, ok := r.resolve(r.dict(r.trailer["Info"])["Title"]).(pdfString); ok {
		r.doc.Title = string(trimFolded(foldSpace(nil, pdfText(title))))
	}
	pages := r.pages(root)
	for i, page := range pages {
		r.anchor([]byte("page=" + strconv.Itoa(i+1)))
		if r.in.AnchorsOnly {
			continue
		}
		r.element = "page " + strconv.Itoa(i+1)
		for _, annotation := range r.array(page["Annots"]) {
			if r.full() {
				r.tooManyLinks()
				break
			}
			if r.pdfFile.fault != nil {
				break
			}
			r.annotation(r.dict(annotation))
		}
	}
	r.seen = map[pdfRef]bool{}
	for _, name := range slices.Sorted(maps.Keys(r.dict(root["Dests"]))) {
		r.anchor(validUTF8([]byte(name)))
	}
	r.names(r.dict(root["Names"])["Dests"], 0)
	if !r.in.AnchorsOnly {
		r.element = "outline"
		r.outline(r.dict(root["Outlines"])["First"])
	}
}

// catalog finds the root of a file that has lost its trailer.
func (r *pdfReader) catalog() pdfDict {
	for _, number := range r.order {
		if d := r.dict(pdfRef(number)); d["Type"] == pdfName("Catalog") {
			return d
		}
	}
	return nil
}

// pages returns the pages in order. If the page tree is lost, it returns the page objects
// in the order of the file.
func (r *pdfReader) pages(root pdfDict) []pdfDict {
	var pages []pdfDict
	r.seen = map[pdfRef]bool{}
	var walk func(value any, level int)
	walk = func(value any, level int) {
		if !r.visit(value, level) || len(pages) == maxPDFPages {
			return
		}
		node := r.dict(value)
		kids := r.array(node["Kids"])
		if kids == nil && node != nil && node["Type"] != pdfName("Pages") {
			pages = append(pages, node)
		}
		for _, kid := range kids {
			walk(kid, level+1)
		}
	}
	if root["Pages"] != nil {
		walk(root["Pages"], 0)
	}
	if len(pages) > 0 {
		return pages
	}
	for _, number := range r.order {
		if d := r.dict(pdfRef(number)); d["Type"] == pdfName("Page") && len(pages) < maxPDFPages {
			pages = append(pages, d)
		}
	}
	if len(pages) == 0 {
		r.harvest.fault("read PDF: the file has no pages")
	}
	return pages
}

// visit reports whether a node of a tree may be visited. It allows each node only once.
func (r *pdfReader) visit(value any, level int) bool {
	ref, isRef := value.(pdfRef)
	if level > maxPDFLevels || r.nodes == 0 || isRef && r.seen[ref] {
		r.harvest.fault("read PDF: a tree is too large or contains itself")
		return false
	}
	if isRef {
		r.seen[ref] = true
	}
	r.nodes--
	return r.pdfFile.fault == nil
}

// annotation reads one annotation of a page (12.5.6.5).
func (r *pdfReader) annotation(a pdfDict) {
	first := len(r.links)
	r.action(a["A"])
	if destination := a["Dest"]; destination != nil {
		r.destination(destination)
	}
	if len(r.links) == first {
		return
	}
	if contents, ok := r.resolve(a["Contents"]).(pdfString); ok {
		if text := trimFolded(foldSpace(nil, pdfText(contents))); len(text) > 0 {
			at := r.keep(text)
			for i := first; i < len(r.links); i++ {
				r.links[i].Text = at
			}
		}
	}
}

// action reads an action (12.6) and the actions that follow it.
func (r *pdfReader) action(value any) {
	for range maxPDFChain {
		a := r.dict(value)
		if a == nil {
			return
		}
		switch a["S"] {
		case pdfName("URI"):
			if s, ok := r.resolve(a["URI"]).(pdfString); ok {
				uri := validUTF8(pdfText(s))
				r.link("uri", uri, uri)
			}
		case pdfName("GoTo"):
			r.destination(a["D"])
		case pdfName("GoToR"), pdfName("Launch"):
			r.remote(a)
		}
		next := r.resolve(a["Next"])
		if list, ok := next.(pdfArray); ok && len(list) > 0 {
			next = list[0]
		}
		value = next
	}
}

// destination reads a destination in this document. Only a named destination is a link.
func (r *pdfReader) destination(value any) {
	if name := pdfDestination(r.resolve(value)); name != "" {
		r.link("dest", []byte("#"+name), pdfReference("", name))
	}
}

// remote reads a destination in another file, whose path is relative to this file.
func (r *pdfReader) remote(a pdfDict) {
	spec := r.resolve(a["F"])
	if d, ok := spec.(pdfDict); ok {
		spec = r.resolve(d["UF"])
		if spec == nil {
			spec = r.resolve(d["F"])
		}
	}
	name, ok := spec.(pdfString)
	if !ok || len(name) == 0 {
		return
	}
	file, fragment := string(validUTF8(pdfText(name))), ""
	switch d := r.resolve(a["D"]).(type) {
	case pdfArray:
		if len(d) > 0 {
			if page, ok := d[0].(int); ok && page >= 0 {
				fragment = "page=" + strconv.Itoa(page+1)
			}
		}
	default:
		fragment = pdfDestination(d)
	}
	raw := file
	if fragment != "" {
		raw += "#" + fragment
	}
	r.link("file", []byte(raw), pdfReference(file, fragment))
}

// pdfReference makes a reference from the names of a file and of a destination in it. The
// names are not URIs, so a space in them is not an error. File names are not escaped any
// further, because programs often write them percent-encoded.
func pdfReference(file, place string) []byte {
	ref := strings.ReplaceAll(file, " ", "%20")
	if place != "" {
		ref += (&url.URL{Fragment: place}).String()
	}
	return []byte(ref)
}

// pdfDestination returns the name of a named destination, or "".
func pdfDestination(value any) string {
	switch d := value.(type) {
	case pdfName:
		return string(validUTF8([]byte(d)))
	case pdfString:
		return string(pdfText(d))
	}
	return ""
}

// link adds a link. The file contains raw, and ref is the reference made from it.
func (r *pdfReader) link(attribute string, raw, ref []byte) {
	if len(trimSpace(ref)) == 0 {
		return
	}
	if r.trailer["Root"] == nil && r.crypt == nil && hasControl(raw) {
		r.harvest.fault("read PDF: it may be encrypted, but the end of the file, which would say so, is missing")
		return
	}
	if r.full() {
		r.harvest.tooManyLinks()
		return
	}
	f := Link{tag: -1, Raw: r.keep(raw), Element: r.element, Attribute: attribute, Kind: Navigation}
	f.Ref = f.Raw
	if !bytes.Equal(raw, ref) {
		f.Ref = r.keep(ref)
	}
	f.SameDocument = strings.HasPrefix(f.Ref, "#")
	r.links = append(r.links, f)
}

// hasControl reports whether a string contains a control character, which links never do
// unless they are encrypted.
func hasControl(s []byte) bool {
	return bytes.ContainsFunc(s, func(r rune) bool { return r < ' ' || 0x7F <= r && r < 0xA0 })
}

// names reads a tree of named destinations (7.9.6).
func (r *pdfReader) names(value any, level int) {
	if value == nil || !r.visit(value, level) {
		return
	}
	node := r.dict(value)
	pairs := r.array(node["Names"])
	for i := 0; i+1 < len(pairs); i += 2 {
		if name, ok := r.resolve(pairs[i]).(pdfString); ok {
			r.anchor(pdfText(name))
		}
	}
	for _, kid := range r.array(node["Kids"]) {
		r.names(kid, level+1)
	}
}

// outline reads an outline item, its children and the items that follow it (12.3.3).
func (r *pdfReader) outline(value any) {
	open := []any{value}
	for len(open) > 0 {
		item := open[len(open)-1]
		open = open[:len(open)-1]
		if item == nil || !r.visit(item, 0) {
			continue
		}
		d := r.dict(item)
		first := len(r.links)
		r.action(d["A"])
		if d["Dest"] != nil {
			r.destination(d["Dest"])
		}
		if title, ok := r.resolve(d["Title"]).(pdfString); ok && first < len(r.links) {
			if text := trimFolded(foldSpace(nil, pdfText(title))); len(text) > 0 {
				r.links[first].Text = r.keep(text)
			}
		}
		open = append(open, d["Next"], d["First"])
	}
}

// pdfText decodes a text string (7.9.2.2). A byte order mark denotes UTF-16 or UTF-8;
// other strings are in PDFDocEncoding, which pdfText reads as Latin-1.
func pdfText(s pdfString) []byte {
	switch {
	case bytes.HasPrefix(s, []byte("\xFE\xFF")):
		units := make([]uint16, len(s)/2-1)
		for i := range units {
			units[i] = binary.BigEndian.Uint16(s[2+2*i:])
		}
		return []byte(string(utf16.Decode(units)))
	case bytes.HasPrefix(s, []byte("\xEF\xBB\xBF")):
		return validUTF8(s[3:])
	case isASCII(s):
		return bytes.Clone(s)
	case bytes.Equal(validUTF8(s), s):
		return bytes.Clone(s) // UTF-8 without a mark, which the standard does not allow
	}
	runes := make([]rune, len(s))
	for i, c := range s {
		runes[i] = rune(c)
	}
	return []byte(string(runes))
}
