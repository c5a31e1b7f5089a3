package evidence

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"io"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/urinorm"
)

const (
	hidden = "***" // in place of a value that is secret as a whole
	// shortestSecret is the length of the shortest secret that is looked for in other texts.
	// Shorter ones cannot be told from other words.
	shortestSecret = 6
	// longestSecret bounds the part of a body that is looked at twice.
	longestSecret = 16 << 10
	// longestUserinfo is the length of the longest user information that is looked for.
	longestUserinfo = 512
)

// Secrets are what must not be kept.
type Secrets struct {
	// Texts are passwords, values of headers and cookies, and codes that the user gave. Those of
	// fewer than 6 bytes are ignored.
	Texts []string
	// Passwords are NAME:PASSWORD, which count in the form of Basic authentication as well.
	Passwords []string
	// Headers are names of further headers whose values are secret.
	Headers []string
}

// mask hides secrets. A nil *mask knows none.
type mask struct {
	texts   [][]byte // the longest first
	longest int
	headers map[string]bool // canonical names
	buffers sync.Pool       // of occurs
}

func newMask(s Secrets) *mask {
	m := &mask{headers: map[string]bool{"Authorization": true, "Proxy-Authorization": true, "Cookie": true}}
	for _, name := range s.Headers {
		m.headers[http.CanonicalHeaderKey(name)] = true
	}
	texts := slices.Clone(s.Texts)
	for _, pair := range s.Passwords {
		_, password, found := strings.Cut(pair, ":")
		if !found || password == "" {
			continue
		}
		texts = append(texts, password, base64.StdEncoding.EncodeToString([]byte(pair)))
	}
	known := map[string]bool{}
	for _, text := range texts {
		if len(text) < shortestSecret || len(text) > longestSecret || known[text] {
			continue
		}
		known[text] = true
		m.texts = append(m.texts, []byte(text))
	}
	slices.SortFunc(m.texts, func(a, b []byte) int { return cmp.Compare(len(b), len(a)) })
	m.longest = longestUserinfo + len(`\/\/`)
	if len(m.texts) > 0 {
		m.longest = max(m.longest, len(m.texts[0]))
	}
	return m
}

// find calls at for each place of a secret, and of a password in a URL.
func (m *mask) find(b []byte, at func(from, to int)) {
	for _, text := range m.texts {
		for from := 0; ; {
			i := bytes.Index(b[from:], text)
			if i < 0 {
				break
			}
			at(from+i, from+i+len(text))
			from += i + 1
		}
	}
	for end := 0; ; end++ {
		i := bytes.IndexByte(b[end:], '@')
		if i < 0 {
			return
		}
		end += i
		if from := passwordAt(b[:end]); from < end {
			at(from, end)
		}
	}
}

// passwordAt returns where the password of a URL begins that ends with a text, or the length of the text
// if there is none.
func passwordAt(b []byte) int {
	begin := len(b)
	for begin > max(0, len(b)-longestUserinfo) && strings.IndexByte(" \t\r\n\f\"'<>()/\\?#", b[begin-1]) < 0 {
		begin--
	}
	colon := bytes.IndexByte(b[begin:], ':')
	if colon < 0 || !bytes.HasSuffix(b[:begin], []byte("//")) && !bytes.HasSuffix(b[:begin], []byte(`\/\/`)) { // as in JSON
		return len(b)
	}
	return begin + colon + 1
}

// text returns a text in which secrets are asterisks, and so are passwords in URLs.
func (m *mask) text(s string) string {
	if len(m.texts) > 0 {
		s = string(m.bytes([]byte(s)))
	}
	return urinorm.Redact(s)
}

// bytes returns a copy of a text in which secrets are asterisks.
func (m *mask) bytes(b []byte) []byte {
	out := bytes.Clone(b)
	m.find(b, func(from, to int) { fillStars(out[from:to]) })
	return out
}

func fillStars(b []byte) {
	for i := range b {
		b[i] = '*'
	}
}

// url returns a printed URL in which secrets are asterisks. Its host stays: a secret that is also
// the name of a host is none.
func (m *mask) url(s string) string {
	s = urinorm.Redact(s)
	i := strings.Index(s, "://")
	if i < 0 {
		return s
	}
	rest := strings.IndexAny(s[i+3:], "/?")
	if rest < 0 {
		return s
	}
	return s[:i+3+rest] + m.text(s[i+3+rest:])
}

// header returns the value of a header.
func (m *mask) header(name, value string) string {
	name = http.CanonicalHeaderKey(name)
	switch {
	case m.headers[name]:
		return hidden
	case name == "Set-Cookie":
		pair, attributes, _ := strings.Cut(value, ";")
		cookie, _, found := strings.Cut(pair, "=")
		if !found {
			cookie = "" // a cookie without a name
		}
		masked := strings.TrimSpace(cookie) + "=" + hidden
		if attributes != "" {
			masked += ";" + m.text(attributes)
		}
		return masked
	}
	return m.text(value)
}

// appendHeader appends the fields of a header, with their secrets masked, and the empty line. Those in order come first, and are
// removed from the header; the others are sorted by name.
func (m *mask) appendHeader(b []byte, h http.Header, order []string) []byte {
	for _, name := range order {
		key := http.CanonicalHeaderKey(name)
		if values := h[key]; len(values) > 0 {
			b = appendField(b, name, m.header(name, values[0]))
			h[key] = values[1:]
		}
	}
	names := slices.AppendSeq(make([]string, 0, len(h)), maps.Keys(h))
	slices.Sort(names)
	for _, name := range names {
		for _, value := range h[name] {
			b = appendField(b, name, m.header(name, value))
		}
	}
	return append(b, "\r\n"...)
}

// fault returns what is kept of a fault, nil for nil.
func (m *mask) fault(f *fetch.Fault) *fault {
	if f == nil {
		return nil
	}
	out := &fault{Kind: f.Kind, Op: f.Op, Target: m.text(f.Target), Hint: m.text(f.Hint), Retry: f.Retry, Local: f.Local}
	if f.Err != nil {
		out.Cause = m.text(f.Err.Error())
	}
	return out
}

// occurs reports whether a body shows a secret.
func (m *mask) occurs(r io.Reader) bool {
	buffer, _ := m.buffers.Get().(*[]byte)
	if buffer == nil {
		made := make([]byte, 32<<10+m.longest)
		buffer = &made
	}
	defer m.buffers.Put(buffer)
	buf, kept, found := *buffer, 0, false
	for {
		n, err := r.Read(buf[kept:])
		part := buf[:kept+n]
		m.find(part, func(int, int) { found = true })
		if found || err != nil {
			return found
		}
		kept = copy(buf, part[max(0, len(part)-m.longest):])
	}
}

// copy copies a body with asterisks in place of secrets.
func (m *mask) copy(w io.Writer, r io.Reader) (n int64, err error) {
	buf := make([]byte, 0, 64<<10+2*m.longest)
	marks := make([]bool, cap(buf)) // the places of secrets that begin in what was written
	kept := 0                       // bytes of buf that were read before
	for {
		read, readErr := r.Read(buf[kept : cap(buf)-m.longest])
		buf = buf[:kept+read]
		m.find(buf, func(from, to int) {
			for i := from; i < to; i++ {
				marks[i] = true
			}
		})
		done := max(0, len(buf)-m.longest) // a secret may begin after it and end in the next part
		if readErr != nil {
			done = len(buf)
		}
		out := bytes.Clone(buf[:done])
		for i := range out {
			if marks[i] {
				out[i] = '*'
			}
		}
		written, err := w.Write(out)
		n += int64(written)
		if err != nil || readErr == io.EOF {
			return n, err
		}
		if readErr != nil {
			return n, readErr
		}
		kept = copy(buf, buf[done:])
		copy(marks, marks[done:])
		clear(marks[kept:])
	}
}
