package extract

import (
	"bytes"
	"errors"
	"io"
	"sync"
)

// Limits of compressed documents and of archives.
const (
	// maxInflated is the maximum number of bytes unpacked from one document, including its
	// parts.
	maxInflated = 256 << 20
	// maxInflation is the maximum ratio of unpacked to packed size, not counting the first
	// freeInflated bytes. Text rarely exceeds 30.
	maxInflation = 200
	freeInflated = 8 << 20
	// maxInflatedText is the maximum number of unpacked bytes of one document that are in
	// memory at once. The protocol of sitemaps allows as many.
	maxInflatedText = 50 << 20
	// largeInflated is the number of unpacked bytes from which on a document is large.
	largeInflated = 256 << 10
)

var (
	errUnpackedSize     = errors.New("the unpacked size exceeds the limit")
	errCompressionRatio = errors.New("the compression ratio is suspiciously high")
)

// A largeDocument is the right to hold much more in memory than the size of a document
// suggests. Only one document in the process has it; others wait, so that many documents
// that unpack to a lot need no more memory than one. A document that has the right waits
// for nothing else. It gives the right back with its harvest, and shares it with the
// documents inside it.
type largeDocument struct{ begun bool }

var largeDocuments sync.Mutex

// begin waits for the right, unless the document has it or, if l is nil, needs none.
func (l *largeDocument) begin() {
	if l != nil && !l.begun {
		largeDocuments.Lock()
		l.begun = true
	}
}

// end gives the right back, if the document has it.
func (l *largeDocument) end() {
	if l != nil && l.begun {
		l.begun = false
		largeDocuments.Unlock()
	}
}

// inflate unpacks up to limit bytes from data with a packed size of packed bytes. expected is
// the likely result size, if known. If the result is large, so is the document. On an error inflate
// returns what was unpacked before.
func inflate(from io.Reader, packed, expected, limit int64, large *largeDocument) ([]byte, error) {
	allowed := min(limit, freeInflated+maxInflation*packed)
	from = io.LimitReader(from, allowed+1)
	var body bytes.Buffer
	body.Grow(int(min(allowed, expected, largeInflated)) + bytes.MinRead) // with room for the read that finds the end
	n, err := io.Copy(&body, io.LimitReader(from, largeInflated))
	unpacked := body.Bytes()
	if n == largeInflated {
		large.begin()
	}
	for size := int64(largeInflated); err == nil && n == size && n <= allowed; {
		size = min(max(4*n, expected+1), allowed+1)
		grown := bytes.NewBuffer(make([]byte, 0, size+bytes.MinRead))
		grown.Write(unpacked)
		var more int64
		more, err = io.Copy(grown, io.LimitReader(from, size-n))
		unpacked, n = grown.Bytes(), n+more
	}
	switch {
	case n > limit:
		return unpacked[:limit], errUnpackedSize
	case n > allowed:
		return unpacked[:allowed], errCompressionRatio
	}
	return unpacked, err
}

// inflatedReader reads unpacked bytes up to a limit, which it reports as an error.
type inflatedReader struct {
	from io.Reader
	left int64 // number of bytes up to the limit
	err  error // the error that ended the reading; nil at the end
}

func (r *inflatedReader) Read(b []byte) (int, error) {
	if r.err != nil {
		return 0, r.err
	}
	n, err := r.from.Read(b[:min(int64(len(b)), r.left+1)])
	if r.left -= int64(n); r.left < 0 {
		n, r.left, err = n-1, 0, errUnpackedSize
	}
	if err != io.EOF {
		r.err = err
	}
	return n, err
}
