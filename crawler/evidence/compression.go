package evidence

import (
	"encoding/binary"
	"io"
	"strings"
	"sync"

	"github.com/klauspost/compress/gzip"
)

// compression is how a record is compressed. Keeping must not take much longer than crawling.
type compression uint8

const (
	fast    compression = iota // the fastest level: bodies are often compressed already, so that it loses little
	codes                      // of characters only, for texts that hardly repeat a string: to look for those takes most of the time
	small                      // for blocks that are too small to clear the tables of a compressor for each
	nothing                    // for what is compressed already, and blocks that are too small to make a code for
)

// compressors are reused, as they are large.
var compressors = [...]*sync.Pool{fast: newCompressors(gzip.BestSpeed), codes: newCompressors(gzip.HuffmanOnly), small: newCompressors(gzip.StatelessCompression),
	nothing: newCompressors(gzip.NoCompression)}

func newCompressors(level int) *sync.Pool {
	return &sync.Pool{New: func() any {
		z, _ := gzip.NewWriterLevel(io.Discard, level) // the level exists
		return z
	}}
}

// of returns the compression of a block of a length.
func (c compression) of(length int64) compression {
	switch {
	case length < 1<<10:
		return nothing
	case length < 2<<10:
		return max(c, small)
	}
	return c
}

// compressionOf returns how to compress an answer with a body.
func compressionOf(body *spool, media, coding string) compression {
	switch {
	case coding != "" || isCompressed(media):
		return nothing
	case body.file == nil && !repetitive(body.memory):
		return codes
	}
	return fast
}

// isCompressed reports whether what has a media type is compressed by itself.
func isCompressed(media string) bool {
	kind, _, _ := strings.Cut(media, "/")
	switch {
	case media == "image/svg+xml", media == "image/bmp":
		return false
	case kind == "image", kind == "audio", kind == "video":
		return true
	}
	return media == "font/woff" || media == "font/woff2" || media == "application/zip" || media == "application/gzip"
}

// repetitive reports whether at least a tenth of the middle of a text repeats strings of eight bytes or more.
// In pages with markup, it is usually more than a third.
func repetitive(text []byte) bool {
	const part, shortest = 2 << 10, 8
	if len(text) > part {
		text = text[(len(text)-part)/2:][:part]
	}
	var last [1 << 11]uint16 // the place of the last string with a hash, 0 for the first string and for none
	repeated := 0
	for i := 1; i+shortest <= len(text); i++ {
		s := binary.LittleEndian.Uint64(text[i:])
		before := &last[s*0x9E3779B185EBCA87>>53]
		from := int(*before)
		*before = uint16(i)
		if binary.LittleEndian.Uint64(text[from:]) != s {
			continue
		}
		n := shortest
		for i+n < len(text) && text[from+n] == text[i+n] {
			n++
		}
		repeated += n
		i += n - 1
	}
	return repeated*10 >= len(text)
}
