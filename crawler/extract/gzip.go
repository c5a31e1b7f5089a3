package extract

import (
	"bytes"
	"encoding/binary"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// gzipFormat is a document of another format in a gzip file (RFC 1952), usually a sitemap. It
// is not an archive (tar.gz).
var gzipFormat = format{
	name:       "gzip",
	media:      []string{"application/gzip", "application/x-gzip", "application/gzip-compressed"},
	extensions: []string{"gz", "svgz"},
	sniff:      sniffGzip,
	mustSniff:  true,
	binary:     true,
	read:       readGzip,
}

// sniffGzip reports whether the packed document has a supported format. It unpacks the first
// bytes to find out, because the name proves nothing: the server may have chosen it.
func sniffGzip(head []byte) bool {
	if !bytes.HasPrefix(head, []byte("\x1F\x8B\x08")) {
		return false
	}
	z := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(z)
	if z.Reset(bytes.NewReader(head)) != nil {
		return false
	}
	var inside [SniffLength]byte
	n, _ := io.ReadFull(z, inside[:]) // the head is truncated, so an error is expected
	return rootOf(inside[:n]) != "" || xmlFormat.sniff(inside[:n]) || sniffHTML(inside[:n]) || sniffNetscape(inside[:n])
}

// gzipReaders is a pool, because each reader has tables of about 40 KiB.
var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

func readGzip(h *harvest, in *Input) {
	z := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(z)
	if err := z.Reset(bytes.NewReader(in.Body)); err != nil {
		h.fault("unpack document: %v", err)
		return
	}
	large := &h.large
	if in.Batch != nil { // bookmarks come from a file that the user named; Batch may wait for other documents
		large = nil
	}
	body, err := inflate(z, int64(len(in.Body)), unpackedSize(in.Body), maxInflatedText, large)
	if err != nil {
		h.fault("unpack document: %v", err)
	}
	inner := *in
	inner.Body, inner.ContentType, inner.Path = body, "", ""
	if extension := ".gz"; len(in.Name) > len(extension) && strings.EqualFold(in.Name[len(in.Name)-len(extension):], extension) {
		inner.Name = in.Name[:len(in.Name)-len(extension)]
	} else {
		inner.Name = z.Name
	}
	f := h.formatOf("", inner.Name, body)
	if f == nil || f.binary {
		h.fault("unpack document: the content has no supported format")
		return
	}
	faults := h.doc.Faults
	h.readAs(f, &inner, h.doc)
	h.doc.Faults = append(faults, h.doc.Faults[len(faults):]...)
}

// unpackedSize returns the size of the content according to the end of a gzip file (RFC 1952
// 2.3.1), which may be wrong. If the file has several members, it is the size of the last one.
func unpackedSize(packed []byte) int64 {
	if len(packed) < 4 {
		return 0
	}
	return int64(binary.LittleEndian.Uint32(packed[len(packed)-4:]))
}
