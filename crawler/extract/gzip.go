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

// Limits of compressed documents and of archives.
const (
	// MaxInflated is the maximum number of bytes unpacked from one document, including its
	// parts.
	MaxInflated = 256 << 20
	// MaxInflation is the maximum ratio of unpacked to packed size, not counting the first
	// freeInflated bytes. Text rarely exceeds 30.
	MaxInflation = 200
	freeInflated = 8 << 20
	// likelyInflation is the maximum ratio at which the size in the last bytes is believed.
	likelyInflation = 30
)

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
		h.fault("unpack document: the content has no supported format")
		return
	}
	faults := h.doc.Faults
	h.readAs(f, &inner, h.doc)
	h.doc.Faults = append(faults, h.doc.Faults[len(faults):]...)
}

var (
	errUnpackedSize     = errors.New("the unpacked size exceeds the limit")
	errCompressionRatio = errors.New("the compression ratio is suspiciously high")
)

// unpackedSize returns the size of the content according to the end of a gzip file (RFC 1952
// 2.3.1), if that is plausible. If the file has several members, it is the size of the last
// one.
func unpackedSize(packed []byte) int64 {
	if len(packed) < 4 {
		return 0
	}
	return min(int64(binary.LittleEndian.Uint32(packed[len(packed)-4:])), likelyInflation*int64(len(packed)))
}

// inflate unpacks up to limit bytes from data with a packed size of packed bytes. expected is
// the likely result size. On an error it returns what was unpacked before.
func inflate(from io.Reader, packed, expected, limit int64) ([]byte, error) {
	var body bytes.Buffer
	allowed := min(limit, freeInflated+MaxInflation*packed)
	body.Grow(int(min(allowed, expected)) + bytes.MinRead) // with room for the read that finds the end
	n, err := io.Copy(&body, io.LimitReader(from, allowed+1))
	switch {
	case n > limit:
		return body.Bytes()[:limit], errUnpackedSize
	case n > allowed:
		return body.Bytes()[:allowed], errCompressionRatio
	}
	return body.Bytes(), err
}
