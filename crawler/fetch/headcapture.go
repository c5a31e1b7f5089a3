package fetch

import (
	"bytes"
	"strings"
	"sync"
)

// maxCaptured is how much of the head of an answer is looked at for the order of its fields, in
// bytes. More fields have no order.
const maxCaptured = 64 << 10

// headCapture sees the head of an answer over HTTP/1, for the order and the spelling of the names of
// its fields, which package net/http does not keep.
type headCapture struct {
	mu   sync.Mutex
	text []byte
}

// add adds what was read of a connection, and reports whether more is wanted. What is encrypted is
// not.
func (h *headCapture) add(p []byte) (more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.text = append(h.text, p[:min(len(p), maxCaptured-len(h.text))]...)
	for {
		if n := min(len(h.text), 5); string(h.text[:n]) != "HTTP/"[:n] {
			h.text = nil
			return false
		}
		end := bytes.Index(h.text, []byte("\n\r\n"))
		if end < 0 {
			return len(h.text) < maxCaptured
		}
		status := bytes.IndexByte(h.text, ' ')
		if status < 0 || status+1 >= end || h.text[status+1] != '1' {
			h.text = h.text[:end+1]
			return false
		}
		h.text = h.text[end+3:] // an informational answer comes before the answer
	}
}

// names returns the names of the fields in their order, as they were spelled.
func (h *headCapture) names() (names []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	_, fields, _ := strings.Cut(string(h.text), "\n")
	for line := range strings.Lines(fields) {
		name, _, found := strings.Cut(line, ":")
		if found && name == strings.TrimSpace(name) && name != "" {
			names = append(names, name)
		}
	}
	return names
}
