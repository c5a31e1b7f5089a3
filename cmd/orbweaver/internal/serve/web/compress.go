package web

import (
	"bytes"
	"compress/gzip"
	"net/http"
	"strconv"
	"strings"
)

// minCompressed is the size from which texts are compressed, in bytes.
const minCompressed = 1000

// send writes a text, compressed if the client takes that. The head is complete but for its coding.
func send(c *Call, status int, text []byte) {
	h := c.W.Header()
	if len(text) >= minCompressed {
		h.Add("Vary", "Accept-Encoding")
		if acceptsGzip(c.Header.Values("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			text = compressed(text)
		}
	}
	h.Set("Content-Length", strconv.Itoa(len(text)))
	c.W.WriteHeader(status)
	if c.Method != http.MethodHead {
		_, _ = c.W.Write(text) // the client may be gone
	}
}

func compressed(text []byte) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write(text) // a buffer does not fail
	_ = w.Close()
	return b.Bytes()
}

// acceptsGzip reports whether the field Accept-Encoding names gzip with a weight above 0 (RFC 9110,
// section 12.5.3).
func acceptsGzip(values []string) bool {
	for coding := range strings.SplitSeq(strings.Join(values, ","), ",") {
		name, parameters, _ := strings.Cut(coding, ";")
		if !strings.EqualFold(strings.TrimSpace(name), "gzip") {
			continue
		}
		weight, found := strings.CutPrefix(strings.ToLower(strings.TrimSpace(parameters)), "q=")
		q, err := strconv.ParseFloat(weight, 64)
		return !found || err == nil && q > 0
	}
	return false
}
