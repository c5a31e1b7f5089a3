package extract

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"io"
	"path"
	"strings"
	"unsafe"

	"github.com/klauspost/compress/flate"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// Limits of one archive. What it unpacks to may be a thousand times its size, so that its own
// size limits nothing.
const (
	// maxParts is the maximum number of parts of an archive that are read. An archive with
	// more than largeParts is a large document: each part needs some hundred bytes.
	maxParts   = 50_000
	largeParts = 2000
	// maxArchiveMemory limits what an archive holds in memory apart from the part that is
	// being read, in bytes: its parts, links, anchors, relationships and the items of a book,
	// with their texts.
	maxArchiveMemory = 48 << 20
	// The memory that each of these needs apart from its texts, in bytes.
	partMemory   = 320
	linkMemory   = int(unsafe.Sizeof(Link{}))
	anchorMemory = 64
	entryMemory  = 128 // of a table
)

// A container is a document that is a zip archive of parts. All parts share one budget
// for unpacked bytes.
type container struct {
	*harvest
	in    *Input
	parts map[string]part
	order []string // the names of the parts, in the order of the archive
	size  int64    // the size of the archive, in bytes
	spent int64    // the number of bytes unpacked so far
	room  int      // the memory that is left, in bytes
}

// part is one file of the archive.
type part struct{ open func() (io.ReadCloser, error) }

// openContainer lists the parts of an archive. If the central directory at the end is
// missing, because the archive was truncated, openContainer searches for the parts.
func openContainer(h *harvest, in *Input) *container {
	h.doc.Static = true
	h.input.MaxLinks = min(h.input.maxLinks(), maxPackedLinks)
	c := &container{harvest: h, in: in, parts: map[string]part{}, size: int64(len(in.Body)), room: cmp.Or(in.archiveMemory, maxArchiveMemory)}
	records := bytes.Count(in.Body, []byte("PK\x01\x02"))
	if records > largeParts {
		c.large.begin()
	}
	if records > maxParts { // package zip would list all of them
		h.fault("open archive: more than %d parts; the rest are ignored", maxParts)
		c.salvage(in.Body)
		return c
	}
	z, err := zip.NewReader(bytes.NewReader(in.Body), int64(len(in.Body)))
	if err != nil {
		h.fault("open archive: %v", strings.TrimPrefix(err.Error(), "zip: "))
		c.salvage(in.Body)
		return c
	}
	for _, f := range z.File {
		if f.Flags&1 != 0 {
			h.fault("open archive: it is encrypted")
			continue
		}
		if !c.addPart(f.Name, f.Open) {
			break
		}
	}
	return c
}

// addPart adds a part. It returns false if there is no memory for it.
func (c *container) addPart(name string, open func() (io.ReadCloser, error)) bool {
	if _, double := c.parts[name]; !double {
		if !c.hold(partMemory + len(name)) {
			return false
		}
		c.order = append(c.order, name)
	}
	c.parts[name] = part{open}
	return true
}

// hold takes so many bytes of the memory that is left, or returns false if they are more.
func (c *container) hold(n int) bool {
	if n > c.room {
		c.noRoom()
		return false
	}
	c.room -= n
	return true
}

// noRoom records that the limit on memory is exceeded.
func (c *container) noRoom() {
	c.fault("read archive: its names and links need more than %d MiB of memory; the rest are ignored", maxArchiveMemory>>20)
}

// anchor adds a fragment name.
func (c *container) anchor(name []byte) bool {
	return c.hold(anchorMemory+len(name)) && c.harvest.anchor(name)
}

// salvage finds the parts of an archive by their local file headers (APPNOTE 4.3.7).
func (c *container) salvage(body []byte) {
	const header = 30
	for at := 0; len(c.order) < maxParts; {
		n := bytes.Index(body[at:], []byte("PK\x03\x04"))
		if n < 0 || at+n+header > len(body) {
			return
		}
		at += n
		h := body[at:]
		method := binary.LittleEndian.Uint16(h[8:])
		nameLength, extraLength := int(binary.LittleEndian.Uint16(h[26:])), int(binary.LittleEndian.Uint16(h[28:]))
		start := at + header + nameLength + extraLength
		if start > len(body) {
			return
		}
		name, packed := string(h[header:header+nameLength]), body[start:]
		if size := binary.LittleEndian.Uint32(h[18:]); size > 0 && int64(size) < int64(len(packed)) {
			packed = packed[:size]
		}
		at = start
		ok := true
		switch method {
		case zip.Deflate:
			ok = c.addPart(name, func() (io.ReadCloser, error) { return flate.NewReader(bytes.NewReader(packed)), nil })
		case zip.Store:
			ok = c.addPart(name, func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(packed)), nil })
		}
		if !ok {
			return
		}
	}
}

// open returns a reader of a part, or nil if the part does not exist or the budget is spent.
// It adds what it unpacks to the budget when it is closed.
func (c *container) open(name string) *partReader {
	p, ok := c.parts[name]
	if !ok {
		return nil
	}
	left := min(int64(maxInflated), freeInflated+maxInflation*c.size) - c.spent
	if left <= 0 {
		c.fault("unpack archive: %v", errUnpackedSize)
		return nil
	}
	from, err := p.open()
	if err != nil {
		c.fault("unpack %s: %v", shortName(name), err)
		return nil
	}
	return &partReader{inflatedReader{from: from, left: left}, c, name, left, from}
}

// A partReader unpacks a part.
type partReader struct {
	inflatedReader
	container *container
	name      string
	budget    int64 // when the part was opened
	from      io.Closer
}

// close records the unpacked bytes and why reading ended early.
func (p *partReader) close() {
	p.from.Close()
	p.container.spent += p.budget - p.left
	if p.err != nil {
		p.container.fault("unpack %s: %v", shortName(p.name), p.err)
	}
}

// part unpacks a part. It returns nil if the part does not exist, and as much as it can
// unpack, up to a limit, if the part is damaged or longer. If the part is large, so is the
// document.
func (c *container) part(name string, limit int64) []byte {
	p := c.open(name)
	if p == nil {
		return nil
	}
	defer p.close()
	body, err := inflate(p, c.size, 0, limit, &c.large)
	if p.err == nil {
		p.err = err
	}
	return body
}

// shortName returns the base name of a part, for messages.
func shortName(name string) string {
	return string(trimFolded(foldSpace(nil, validUTF8([]byte(path.Base(name))))))
}

// maxXMLToken is the maximum length of a tag or a comment of a part, in bytes.
const maxXMLToken = 4 << 20

// xmlPart reads a part as XML and calls start and end for each element. It unpacks the part
// in pieces, so that a part needs little memory, however long it is.
func (c *container) xmlPart(name string, start, end func(*xmlReader, *xmlElement)) {
	p := c.open(name)
	if p == nil {
		return
	}
	defer p.close()
	inner, doc := harvests.Get().(*harvest), &Document{}
	inner.pieces = xmlPieces(p)
	inner.reset(doc, inner.pieces.text)
	r := &xmlReader{harvest: inner, in: c.in, want: true, vocabulary: &xmlVocabulary{start: start, end: end, exclusive: true}}
	r.read()
	inner.release()
	for _, fault := range doc.Faults {
		c.fault("read %s: %s", shortName(name), strings.TrimPrefix(fault, "read XML: "))
	}
}

// xmlPieces reads the XML of a part in pieces, as UTF-8.
func xmlPieces(from io.Reader) *pieces {
	head := make([]byte, prescanLength)
	n, _ := io.ReadFull(from, head) // an error occurs again when the rest is read
	_, name := decode(head[:n], "", xhtmlCharset)
	head, _ = CutByteOrderMark(head[:n])
	from = io.MultiReader(bytes.NewReader(head), from)
	if e, err := htmlindex.Get(name); err == nil && name != "utf-8" {
		from = transform.NewReader(from, e.NewDecoder())
	}
	p := &pieces{from: from, size: xmlPieceSize}
	p.more(0)
	return p
}

// xmlPieceSize is the number of bytes of a part read at a time.
const xmlPieceSize = 64 << 10

// link adds a link without a position.
func (c *container) link(ref, element, attribute string, kind Kind) *Link {
	if strings.TrimSpace(ref) == "" || c.in.AnchorsOnly {
		return nil
	}
	if c.full() {
		c.tooManyLinks()
		return nil
	}
	if !c.hold(linkMemory + len(ref)) {
		return nil
	}
	f := Link{tag: -1, Raw: c.keep([]byte(ref)), Element: element, Attribute: attribute, Kind: kind}
	f.Ref = f.Raw
	f.SameDocument = strings.HasPrefix(f.Ref, "#")
	added := c.newLink()
	*added = f
	return added
}

// setText sets the text of a link that has none yet.
func (c *container) setText(f *Link, text string) {
	if f != nil && text != "" && f.Text == "" && c.hold(len(text)) {
		f.Text = c.keep([]byte(text))
	}
}

// isAbsolute reports whether a reference begins with a scheme or with "//".
func isAbsolute(ref string) bool {
	if strings.HasPrefix(ref, "//") {
		return true
	}
	for i := 0; i < len(ref); i++ {
		switch c := ref[i]; {
		case c == ':':
			return i > 0
		case !isAlphanumeric(c) && c != '+' && c != '-' && c != '.' || i == 0 && !isLetter(c):
			return false
		}
	}
	return false
}

// zipFormat returns a format that is a zip archive. If the archive was written in the
// usual order, its first bytes contain word.
func zipFormat(name string, media, extensions []string, word string, read func(*container)) format {
	return format{
		name: name, media: media, extensions: extensions, binary: true,
		sniff: func(head []byte) bool {
			return bytes.HasPrefix(head, []byte("PK\x03\x04")) && bytes.Contains(head, []byte(word))
		},
		read: func(h *harvest, in *Input) { read(openContainer(h, in)) },
	}
}
