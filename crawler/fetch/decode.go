package fetch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/flate"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zlib"
	"github.com/klauspost/compress/zstd"
)

// acceptEncoding lists the codings that DecodeBody supports, in the same form as
// browsers.
const acceptEncoding = "gzip, deflate, br, zstd"

// Limits on content codings.
const (
	maxCodings     = 5       // codings of one body; RFC 9110 section 8.4 sets no limit
	maxZstdWindow  = 8 << 20 // what RFC 9659 requires of decoders for the web, and no more
	peekSize       = 4 << 10 // bytes to look at to verify a label
	inflateAllowed = 4 << 20 // bytes of output before maxInflate applies
	maxInflate     = 1200    // output per input; gzip itself can't exceed 1032

	maxEmptyMembers = 1000 // consecutive empty members of a gzip file
)

// DecodeBody decodes the content codings of a body (RFC 9110 section 8.4). label is the
// value of Content-Encoding, which lists the codings in the order they were applied.
//
// Unknown codings are ignored, as in browsers. Data that is not in the coding of its
// label is corrupt: browsers show an error instead of the page, and curl shows nothing.
// The caller closes the reader, which does not close body. The output of each coding
// but the last to be decoded is limited to limit bytes.
//
// Reads return *codingError for corrupt data, io.ErrUnexpectedEOF for data that ends
// early, and errInflated for a body that expands too much.
func DecodeBody(body io.Reader, label string, limit int64) io.ReadCloser {
	codings := codingsOf(label)
	if len(codings) == 0 {
		return io.NopCloser(body)
	}
	d := &decodedBody{top: body}
	for i := len(codings) - 1; i >= 0; i-- {
		layer := &codingLayer{coding: codings[i], wire: countedReader{r: d.top}, limit: limit}
		layer.in = bufio.NewReaderSize(&layer.wire, peekSize)
		if i == 0 {
			layer.limit = math.MaxInt64 // the reader of the body applies its own limit
		}
		d.layers = append(d.layers, layer)
		layer.lowest = &d.layers[0].wire
		d.top = layer
	}
	return d
}

// contentEncoding returns the value of Content-Encoding. Several lines are one list (RFC
// 9110 section 5.3).
func contentEncoding(h http.Header) string { return strings.Join(h["Content-Encoding"], ",") }

// codingsOf parses Content-Encoding and ignores codings without effect. It ignores all
// of more than maxCodings codings, which only an attacker would send.
func codingsOf(label string) []string {
	if label == "" {
		return nil
	}
	var codings []string
	for name := range strings.SplitSeq(label, ",") {
		name = strings.ToLower(strings.TrimSpace(name))
		switch name = strings.TrimPrefix(name, "x-"); name {
		case "gzip", "deflate", "br", "zstd":
			codings = append(codings, name)
		}
	}
	if len(codings) > maxCodings {
		return nil
	}
	return codings
}

// codingError reports data that is corrupt for its content coding.
type codingError struct {
	coding string
	err    error
}

func (e *codingError) Error() string { return "the " + e.coding + " coding of the body is corrupt" }
func (e *codingError) Unwrap() error { return e.err }

var errInflated = fmt.Errorf("the body expands to more than %d times its size", maxInflate)

// decodedBody is a stack of decoders. Each opens on its first read, so that a body that
// arrives late does not delay the header of the answer.
type decodedBody struct {
	top    io.Reader
	layers []*codingLayer
}

func (d *decodedBody) Read(p []byte) (int, error) { return d.top.Read(p) }

// Close returns the decoders to their pools.
func (d *decodedBody) Close() error {
	for _, layer := range d.layers {
		layer.release()
	}
	return nil
}

// codingLayer decodes one coding.
type codingLayer struct {
	coding  string
	wire    countedReader  // the body or the layer below
	lowest  *countedReader // the body
	in      *bufio.Reader  // reads from wire
	decoder decoder        // nil until the first Read
	out     int64
	limit   int64 // on out
	err     error
}

func (l *codingLayer) Read(p []byte) (int, error) {
	if l.err != nil {
		return 0, l.err
	}
	if l.decoder == nil {
		if err := l.open(); err != nil {
			l.err = err
			return 0, err
		}
	}
	n, err := l.decoder.Read(p)
	l.out += int64(n)
	switch {
	case err == io.EOF:
	case err != nil && l.wire.err != nil && l.wire.err != io.EOF:
		err = l.wire.err // the layer below failed, not this coding
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = io.ErrUnexpectedEOF
	case err != nil && err != errInflated:
		err = &codingError{l.coding, err}
	case err == nil && l.out > inflateAllowed && (l.out > maxInflate*l.lowest.n || l.out > l.limit):
		err = errInflated
	}
	l.err = err
	return n, err
}

// open looks at the first bytes and selects the decoder.
func (l *codingLayer) open() error {
	head, err := l.in.Peek(peekSize)
	if len(head) == 0 {
		return err // an empty body is empty in any coding
	}
	whole := err == io.EOF
	switch l.coding {
	case "gzip":
		if len(head) >= 2 && head[0] == 0x1f && head[1] == 0x8b {
			return l.openGzip()
		}
	case "zstd":
		if isZstd(head) {
			return l.openZstd()
		}
	case "deflate":
		// RFC 9110 8.4.1.2 defines deflate as the zlib format, but some servers send
		// raw deflate.
		if isZlib(head) {
			return l.openZlib()
		}
		return l.tryFlate(head, whole)
	case "br":
		return l.tryBrotli(head, whole)
	}
	return l.labelError()
}

// errLabel reports data that is not in the coding of its label.
var errLabel = errors.New("the data is in a different coding or not encoded")

func (l *codingLayer) labelError() error { return &codingError{l.coding, errLabel} }

// decodes reports whether a decoder accepts the beginning of its input, for codings
// without a signature. The input may end early, unless head is the whole input and
// looks like text, which was never encoded.
func decodes(r io.Reader, head []byte, whole bool) bool {
	_, err := io.CopyN(io.Discard, r, 2*peekSize)
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return !whole || bytes.ContainsFunc(head, isControl)
	}
	return err == nil || err == io.EOF
}

// isControl reports whether a code point does not occur in text.
func isControl(r rune) bool {
	return r < ' ' && r != '\t' && r != '\n' && r != '\r' && r != '\f' || r == utf8.RuneError
}

func isZstd(head []byte) bool {
	if len(head) < 4 || head[1] != 0xb5 && head[1] != 0x2a {
		return false
	}
	frame := head[0] == 0x28 && head[1] == 0xb5 && head[2] == 0x2f && head[3] == 0xfd
	skippable := head[0]&0xf0 == 0x50 && head[1] == 0x2a && head[2] == 0x4d && head[3] == 0x18
	return frame || skippable
}

func isZlib(head []byte) bool {
	return len(head) >= 2 && head[0]&0x0f == 8 && head[0]>>4 <= 7 && (uint(head[0])<<8|uint(head[1]))%31 == 0 && head[1]&0x20 == 0
}

// decoder reads one coding. Decoders are large, so they are reused.
type decoder interface {
	io.Reader
	// release returns the decoder to its pool, where it reads from atEnd, so that it keeps no
	// connection alive.
	release()
}

var (
	gzipPool   sync.Pool // *gzip.Reader
	zlibPool   sync.Pool // io.Reader with zlib.Resetter
	flatePool  sync.Pool // io.Reader with flate.Resetter
	brotliPool sync.Pool // *brotli.Reader
	zstdPool   sync.Pool // *zstd.Decoder
)

func (l *codingLayer) openGzip() error {
	z, _ := gzipPool.Get().(*gzip.Reader)
	if z == nil {
		z = new(gzip.Reader)
	}
	if err := z.Reset(l.in); err != nil {
		return l.headError(err)
	}
	z.Multistream(false)
	l.decoder = &gzipMembers{z: z, in: l.in}
	return nil
}

// gzipMembers reads all members of a gzip file (RFC 1952 section 2.2). Like browsers,
// it ignores data after the last member, such as padding.
type gzipMembers struct {
	z  *gzip.Reader
	in *bufio.Reader
}

func (g *gzipMembers) Read(p []byte) (int, error) {
	for range maxEmptyMembers {
		n, err := g.z.Read(p)
		if err != io.EOF {
			return n, err
		}
		if n > 0 {
			return n, nil // the next call returns the end
		}
		if g.z.Reset(g.in) != nil {
			return 0, io.EOF
		}
		g.z.Multistream(false)
	}
	return 0, errInflated
}

func (g *gzipMembers) release() {
	g.z.Reset(atEnd{})
	gzipPool.Put(g.z)
}

func (l *codingLayer) openZlib() error {
	z, _ := zlibPool.Get().(io.Reader)
	var err error
	if z == nil {
		z, err = zlib.NewReader(l.in)
	} else {
		err = z.(zlib.Resetter).Reset(l.in, nil)
	}
	if err != nil {
		return l.headError(err)
	}
	l.decoder = zlibStream{z}
	return nil
}

type zlibStream struct{ io.Reader }

func (s zlibStream) release() {
	s.Reader.(zlib.Resetter).Reset(atEnd{}, nil)
	zlibPool.Put(s.Reader)
}

// tryFlate and tryBrotli open decoders for codings without a signature. They first
// check that the decoder accepts the beginning of the data.
func (l *codingLayer) tryFlate(head []byte, whole bool) error {
	z, _ := flatePool.Get().(io.Reader)
	if z == nil {
		z = flate.NewReader(atEnd{})
	}
	s := flateStream{z}
	if s.reset(bytes.NewReader(head)); !decodes(z, head, whole) {
		s.release()
		return l.labelError()
	}
	s.reset(l.in)
	l.decoder = s
	return nil
}

type flateStream struct{ io.Reader }

// reset lets the decoder read from r. It fails for dictionaries only.
func (s flateStream) reset(r io.Reader) { s.Reader.(flate.Resetter).Reset(r, nil) }

func (s flateStream) release() {
	s.reset(atEnd{})
	flatePool.Put(s.Reader)
}

func (l *codingLayer) tryBrotli(head []byte, whole bool) error {
	z, _ := brotliPool.Get().(*brotli.Reader)
	if z == nil {
		z = brotli.NewReader(atEnd{})
	}
	s := brotliStream{z}
	if z.Reset(bytes.NewReader(head)); !decodes(z, head, whole) {
		s.release()
		return l.labelError()
	}
	z.Reset(l.in)
	l.decoder = s
	return nil
}

// brotliStream ignores data after the end of a stream, as browsers do. The decoder
// would report it, sometimes even when there is none.
type brotliStream struct{ z *brotli.Reader }

func (s brotliStream) Read(p []byte) (int, error) {
	n, err := s.z.Read(p)
	if err != nil && err.Error() == "brotli: excessive input" {
		err = io.EOF
	}
	return n, err
}

func (s brotliStream) release() {
	s.z.Reset(atEnd{})
	brotliPool.Put(s.z)
}

func (l *codingLayer) openZstd() error {
	z, _ := zstdPool.Get().(*zstd.Decoder)
	var err error
	if z == nil {
		// With a concurrency of one, the decoder starts no goroutines.
		z, err = zstd.NewReader(l.in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxZstdWindow))
	} else {
		err = z.Reset(l.in)
	}
	if err != nil {
		return l.headError(err)
	}
	l.decoder = zstdStream{z}
	return nil
}

type zstdStream struct{ *zstd.Decoder }

func (s zstdStream) release() {
	if s.Reset(nil) == nil {
		zstdPool.Put(s.Decoder)
	}
}

// headError maps an error in the header of a coding.
func (l *codingLayer) headError(err error) error {
	switch {
	case l.wire.err != nil && l.wire.err != io.EOF:
		return l.wire.err
	case err == io.EOF, errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF
	}
	return &codingError{l.coding, err}
}

func (l *codingLayer) release() {
	if l.decoder != nil {
		l.decoder.release()
	}
	l.decoder, l.err = nil, io.ErrClosedPipe
}

// countedReader counts the bytes that a decoder reads and keeps the first error that is
// returned to it.
type countedReader struct {
	r   io.Reader
	n   int64
	err error
}

func (c *countedReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	if err != nil {
		c.err = err
	}
	return n, err
}

// atEnd is an input without data.
type atEnd struct{}

func (atEnd) Read([]byte) (int, error) { return 0, io.EOF }
func (atEnd) ReadByte() (byte, error)  { return 0, io.EOF }
