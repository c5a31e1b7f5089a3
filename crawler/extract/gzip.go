package extract

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// gzipFormat is a document of another format, compressed as a file (RFC 1952):
// sitemaps mostly. An archive (tar.gz) is none.
var gzipFormat = format{
	name:       "gzip",
	media:      []string{"application/gzip", "application/x-gzip", "application/gzip-compressed"},
	extensions: []string{"gz", "svgz"},
	sniff:      sniffGzip,
	signed:     true,
	binary:     true,
	read:       readGzip,
}

// Limits of compressed documents and of archives.
const (
	// MaxInflated is how many bytes are unpacked of one document, parts and all.
	MaxInflated = 256 << 20
	// MaxInflation is how many times the packed size the unpacked one may be,
	// above the first freeInflated bytes. Text rarely passes 30.
	MaxInflation = 200
	freeInflated = 8 << 20
	// likelyInflation is how many times as large a document is believed to get when
	// its last bytes say so.
	likelyInflation = 30
)

// sniffGzip reports whether what is packed is of a format that is read. The first
// bytes are unpacked for that; the name says nothing, as the server may have chosen it.
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
	n, _ := io.ReadFull(z, inside[:]) // the head ends early: what there is counts
	return rootOf(inside[:n]) != "" || xmlFormat.sniff(inside[:n]) || sniffHTML(inside[:n]) || sniffNetscape(inside[:n])
}

// gzipReaders are kept for the next document: each has some 40 KiB of tables.
var gzipReaders = sync.Pool{New: func() any { return new(gzip.Reader) }}

func readGzip(h *harvest, in *Input) {
	z := gzipReaders.Get().(*gzip.Reader)
	defer gzipReaders.Put(z)
	if err := z.Reset(bytes.NewReader(in.Body)); err != nil {
		h.fault("unpack document: %v", err)
		return
	}
	body, err := inflate(z, int64(len(in.Body)), unpackedSize(in.Body), MaxInflated)
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
		h.fault("unpack document: what is inside is of no format that is read")
		return
	}
	faults := h.doc.Faults
	h.readAs(f, &inner, h.doc)
	h.doc.Faults = append(faults, h.doc.Faults[len(faults):]...)
}

var (
	errInflated  = errors.New("it unpacks to more than is read")
	errInflation = errors.New("it unpacks to a suspicious size")
)

// unpackedSize is what the end of a gzip file says of the size of its content (RFC
// 1952 2.3.1), as far as that is likely. Of several members it tells of the last.
func unpackedSize(packed []byte) int64 {
	if len(packed) < 4 {
		return 0
	}
	return min(int64(binary.LittleEndian.Uint32(packed[len(packed)-4:])), likelyInflation*int64(len(packed)))
}

// inflate unpacks up to limit bytes of what is packed in so many, as many as expected
// most likely; it returns what came before an error.
func inflate(from io.Reader, packed, expected, limit int64) ([]byte, error) {
	var body bytes.Buffer
	allowed := min(limit, freeInflated+MaxInflation*packed)
	body.Grow(int(min(allowed, expected)) + bytes.MinRead) // with room to meet the end in
	n, err := io.Copy(&body, io.LimitReader(from, allowed+1))
	switch {
	case n > limit:
		return body.Bytes()[:limit], errInflated
	case n > allowed:
		return body.Bytes()[:allowed], errInflation
	}
	return body.Bytes(), err
}
