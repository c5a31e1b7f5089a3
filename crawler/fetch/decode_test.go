package fetch

import (
	"bytes"
	"compress/flate"
	"compress/gzip"
	"compress/zlib"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"
)

// encode applies a content coding.
func encode(t testing.TB, coding string, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "raw deflate":
		w, _ = flate.NewWriter(&b, 6)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		w, _ = zstd.NewWriter(&b, zstd.WithEncoderConcurrency(1))
	default:
		t.Fatal(coding)
	}
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func decoded(r io.Reader, label string) (string, error) {
	d := DecodeBody(r, label, defaultMaxBody)
	defer d.Close()
	text, err := io.ReadAll(d)
	return string(text), err
}

// page is text that compresses about as well as a typical page.
var page = func() []byte {
	var b bytes.Buffer
	random := rand.New(rand.NewPCG(1, 2))
	for b.Len() < 200_000 {
		fmt.Fprintf(&b, "<p>Some words, <a href=\"page%d.html\">a link</a>, %x and %x more.</p>\n", random.IntN(1000), random.Uint32(), random.Uint64())
	}
	return b.Bytes()
}()

func TestDecode(t *testing.T) {
	for _, row := range []struct{ label, codings string }{
		{"gzip", "gzip"}, {"x-gzip", "gzip"}, {" GZIP ", "gzip"}, {"deflate", "deflate"}, {"deflate", "raw deflate"}, {"br", "br"}, {"zstd", "zstd"},
		{"gzip, br", "gzip,br"}, {"br,gzip", "br,gzip"}, {"gzip,gzip,gzip", "gzip,gzip,gzip"}, {"zstd, identity, deflate", "zstd,deflate"},
		{"gzip, utf-8", "gzip"}, {"", ""}, {"identity", ""}, {"none", ""}, {"compress", ""},
	} {
		for _, text := range [][]byte{page, []byte("x"), {}} {
			data := text
			if row.codings != "" {
				for coding := range strings.SplitSeq(row.codings, ",") {
					data = encode(t, coding, data)
				}
			}
			for name, r := range map[string]io.Reader{"at once": bytes.NewReader(data), "byte by byte": iotest.OneByteReader(bytes.NewReader(data)), "with its end": iotest.DataErrReader(bytes.NewReader(data))} {
				if got, err := decoded(r, row.label); err != nil || got != string(text) {
					t.Errorf("%q of %d bytes %s: %d bytes, %v", row.label, len(text), name, len(got), err)
				}
			}
		}
	}
}

// Browsers reject data that is not in the coding of its label. An empty body is valid
// with any label.
func TestDecodeWrongLabels(t *testing.T) {
	for _, label := range []string{"gzip", "deflate", "br", "zstd", "gzip, br", "deflate, gzip"} {
		for _, text := range []string{"<!doctype html><title>plain</title>", "plain", "a", string(page), "\x00\x01\x02\x03 binary"} {
			got, err := decoded(strings.NewReader(text), label)
			if _, ok := errors.AsType[*codingError](err); !ok && err != io.ErrUnexpectedEOF || got != "" {
				t.Errorf("%s on plain %.20q: %.20q, %v", label, text, got, err)
			}
		}
		if got, err := decoded(strings.NewReader(""), label); err != nil || got != "" {
			t.Errorf("%s on nothing: %q, %v", label, got, err)
		}
	}
	gz := encode(t, "gzip", page)
	for _, label := range []string{"zstd", "br", "deflate"} {
		if got, err := decoded(bytes.NewReader(gz), label); err == nil || got != "" {
			t.Errorf("gzip labeled %s: %d bytes, %v", label, len(got), err)
		}
	}
	for _, text := range []string{"<!doctype html><title>plain</title>", string(page)} {
		if _, err := decoded(strings.NewReader(text), "gzip"); err == nil || err.Error() != "the gzip coding of the body is corrupt" {
			t.Errorf("gzip on plain %.20q: %v", text, err)
		}
	}
}

func TestDecodeFaults(t *testing.T) {
	broken := errors.New("the wire broke")
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		data := encode(t, coding, page)
		if _, err := decoded(bytes.NewReader(data[:len(data)/2]), coding); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s truncated: %v", coding, err)
		}
		if _, err := decoded(io.MultiReader(bytes.NewReader(data[:len(data)/2]), iotest.ErrReader(broken)), coding); err != broken {
			t.Errorf("%s with a broken connection: %v", coding, err)
		}
		if _, err := decoded(iotest.ErrReader(broken), coding); err != broken {
			t.Errorf("%s with a connection broken from the start: %v", coding, err)
		}
		corrupt := bytes.Clone(data)
		for i := len(data) / 2; i < len(data)/2+1000; i++ {
			corrupt[i] ^= 0x55
		}
		_, err := decoded(bytes.NewReader(corrupt), coding)
		var bad *codingError
		if !errors.As(err, &bad) || bad.coding != coding || err.Error() != "the "+coding+" coding of the body is corrupt" {
			t.Errorf("%s corrupt: %v", coding, err)
		}
	}
	// The header is truncated or has unknown fields.
	for head, want := range map[string]error{"\x1f\x8b\x08\x04": io.ErrUnexpectedEOF, "\x1f\x8b\x09\x00\x00\x00\x00\x00\x00\x00": gzip.ErrHeader, "\x78\x9c": io.ErrUnexpectedEOF} {
		label := "gzip"
		if head[0] == 0x78 {
			label = "deflate"
		}
		if _, err := decoded(strings.NewReader(head), label); err == nil || want == io.ErrUnexpectedEOF && !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", head, err, want)
		}
	}
	if _, err := decoded(io.MultiReader(strings.NewReader("\x1f\x8b\x08\x04"), iotest.ErrReader(broken)), "gzip"); err != broken {
		t.Errorf("%v", err)
	}
	// Data after the end is ignored; further gzip members are not.
	gz := encode(t, "gzip", []byte("one "))
	if got, err := decoded(strings.NewReader(string(encode(t, "br", page))+"garbage"), "br"); err != nil || got != string(page) {
		t.Errorf("br and garbage: %d bytes, %v", len(got), err)
	}
	for tail, want := range map[string]string{"garbage": "one ", "\x00\x00\x00\x00": "one ", string(encode(t, "gzip", []byte("two"))): "one two"} {
		if got, err := decoded(strings.NewReader(string(gz)+tail), "gzip"); err != nil || got != want {
			t.Errorf("gzip and %.10q: %q, %v", tail, got, err)
		}
	}
}

func TestDecodeBombs(t *testing.T) {
	// gzip alone expands zeros a thousandfold; the reader stops at its own limit.
	zeros := encode(t, "gzip", make([]byte, 32<<20))
	d := DecodeBody(bytes.NewReader(zeros), "gzip", defaultMaxBody)
	n, err := io.CopyN(io.Discard, d, defaultMaxBody+1)
	d.Close()
	if n != defaultMaxBody+1 || err != nil {
		t.Errorf("zeros: %d, %v", n, err)
	}
	for name, data := range map[string]struct {
		label string
		body  []byte
	}{
		"brotli":          {"br", encode(t, "br", make([]byte, 32<<20))},
		"zstd":            {"zstd", encode(t, "zstd", make([]byte, 32<<20))},
		"gzip of gzip":    {"gzip, gzip", encode(t, "gzip", encode(t, "gzip", make([]byte, 32<<20)))},
		"empty members":   {"gzip", bytes.Repeat(encode(t, "gzip", nil), 100_000)},
		"nothing at last": {"gzip, br", encode(t, "br", bytes.Repeat(encode(t, "gzip", nil), 800_000))},
	} {
		d := DecodeBody(bytes.NewReader(data.body), data.label, defaultMaxBody)
		n, err := io.Copy(io.Discard, d)
		d.Close()
		if err != errInflated || n > 16<<20 {
			t.Errorf("%s: %d bytes, %v", name, n, err)
		}
	}
	if got := codingsOf(strings.Repeat("gzip,", 100)); got != nil {
		t.Errorf("%d codings", len(got))
	}
	// The window is larger than the web allows.
	var b bytes.Buffer
	w, err := zstd.NewWriter(&b, zstd.WithWindowSize(64<<20), zstd.WithSingleSegment(false), zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	w.Write(page)
	w.Flush()
	w.Write(page)
	w.Close()
	if _, err := decoded(&b, "zstd"); err == nil {
		t.Error("a window of 64 MiB was accepted")
	}
}

// Decoders are reused and must not keep data of their last input.
func TestDecodersAreShared(t *testing.T) {
	codings := []string{"gzip", "deflate", "raw deflate", "br", "zstd"}
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for j := range 40 {
				coding := codings[(i+j)%len(codings)]
				label := strings.TrimPrefix(coding, "raw ")
				text := bytes.Repeat(fmt.Appendf(nil, "%d-%d ", i, j), 500)
				data := encode(t, coding, text)
				if j%3 == 0 {
					decoded(bytes.NewReader(data[:len(data)/2]), label)
					decoded(bytes.NewReader(corruptBytes(data)), label)
					d := DecodeBody(bytes.NewReader(data), label, defaultMaxBody)
					d.Read(make([]byte, 10))
					d.Close()
				}
				if got, err := decoded(bytes.NewReader(data), label); err != nil || got != string(text) {
					t.Errorf("%s: %d bytes of %d, %v", coding, len(got), len(text), err)
				}
			}
		})
	}
	wg.Wait()
}

func corruptBytes(data []byte) []byte {
	data = bytes.Clone(data)
	for i := 10; i < len(data); i += 7 {
		data[i] ^= 0xaa
	}
	return data
}

func TestEncodedAnswers(t *testing.T) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		data := encode(t, coding, page)
		server, rec := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Encoding", coding)
			w.Write(data)
		})
		h := newHTTP(t, HTTPConfig{ConnectTo: toLoopback(server)})
		resp, text, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com/"), Need: Content})
		if err != nil || text != string(page) || resp.Size != -1 {
			t.Errorf("%s: %+v, %d bytes, %v", coding, resp, len(text), err)
		}
		if got := rec.last().Header.Get("Accept-Encoding"); got != acceptEncoding {
			t.Errorf("asked for %q", got)
		}
		// HEAD declares the length of a body that is not sent.
		if resp, _, err := ask(t, h, &Request{URL: mustParse(t, "http://example.com/")}); err != nil || resp.Size != -1 || resp.Status != 200 {
			t.Errorf("%s: %+v, %v", coding, resp, err)
		}
	}
}

func FuzzDecodeBody(f *testing.F) {
	for _, coding := range []string{"gzip", "deflate", "br", "zstd"} {
		data := encode(f, coding, []byte("some text, some text, some text"))
		f.Add(data, coding)
		f.Add(data[:len(data)/2], coding+", gzip")
	}
	f.Add([]byte("plain"), "deflate, br, x-gzip")
	f.Fuzz(func(t *testing.T, data []byte, label string) {
		d := DecodeBody(bytes.NewReader(data), label, 1<<20)
		n, err := io.Copy(io.Discard, io.LimitReader(d, 8<<20))
		d.Close()
		if m, closed := d.Read(make([]byte, 1)); len(codingsOf(label)) > 0 && (m > 0 || closed == nil) {
			t.Errorf("a closed decoder gave %d bytes, %v", m, closed)
		}
		if err == nil && len(codingsOf(label)) == 0 && n != int64(len(data)) {
			t.Errorf("%d bytes of %d without a coding", n, len(data))
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	for _, coding := range []string{"gzip", "br", "zstd"} {
		data := encode(b, coding, page)
		b.Run(coding, func(b *testing.B) {
			b.SetBytes(int64(len(page)))
			b.ReportAllocs()
			buffer := make([]byte, 64<<10)
			for b.Loop() {
				d := DecodeBody(bytes.NewReader(data), coding, defaultMaxBody)
				for {
					if _, err := d.Read(buffer); err != nil {
						break
					}
				}
				d.Close()
			}
		})
	}
}

// TestContentEncodingLines sends the codings in two lines, which are one list.
func TestContentEncodingLines(t *testing.T) {
	server, _ := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Content-Encoding"] = []string{"deflate", "gzip"}
		outer := gzip.NewWriter(w)
		inner := zlib.NewWriter(outer)
		io.WriteString(inner, "<a href=x>hello</a>")
		inner.Close()
		outer.Close()
	})
	h := newHTTP(t, HTTPConfig{})
	resp, text, err := ask(t, h, &Request{URL: mustParse(t, server.URL), Need: Content})
	if err != nil || text != "<a href=x>hello</a>" || resp.Size != -1 {
		t.Errorf("%q, %+v, %v", text, resp, err)
	}
}
