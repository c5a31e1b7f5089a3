package plugin

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

// protocol is the version of the protocol, in the first line that a process gets.
const protocol = "plugin/1"

// greeting is the first line that a process gets.
type greeting struct {
	Orbweaver string        `json:"orbweaver"`
	Hello     greetingHello `json:"hello"`
}

type greetingHello struct {
	Name   string         `json:"name"`
	Config map[string]any `json:"config"`
}

// request is the line for a page, without its body.
type request struct {
	ID        int64             `json:"id"`
	URL       string            `json:"url"`
	FinalURL  string            `json:"final_url"`
	Status    int               `json:"status"`
	Headers   map[string]string `json:"headers"`
	Type      string            `json:"type"`
	Charset   string            `json:"charset"`
	Truncated bool              `json:"truncated,omitempty"`
}

// appendRequest appends the line for a page, with at most maxBody bytes of its text, or of
// its body if it is not text.
func appendRequest(line []byte, id int64, p *page.Page, maxBody int) []byte {
	r := request{ID: id, URL: p.Seen, FinalURL: p.URL, Status: p.Status, Headers: headers(p.Header), Type: p.ContentType, Charset: p.Charset}
	isText := p.Text != nil || len(p.Body) == 0
	body := p.Body
	if isText {
		body = p.Text
	}
	if r.Truncated = len(body) > maxBody; r.Truncated {
		end := maxBody
		for isText && end > 0 && !utf8.RuneStart(body[end]) {
			end--
		}
		body = body[:end]
	}
	line = appendJSON(line, r)
	line = line[:len(line)-len("}")]
	if isText {
		line = append(line, `,"body":"`...)
		line = appendEscaped(line, body)
	} else {
		line = append(line, `,"body_base64":"`...)
		line = base64.StdEncoding.AppendEncode(line, body)
	}
	return append(line, "\"}\n"...)
}

// appendJSON appends a value that can be encoded.
func appendJSON(line []byte, value any) []byte {
	text := bytes.NewBuffer(line)
	encoder := json.NewEncoder(text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		panic(err) // Validate has encoded all that could fail
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n"))
}

// isEscaped are the bytes that JSON texts have in another form.
var isEscaped = func() (set [256]bool) {
	for c := range ' ' {
		set[c] = true
	}
	set['"'], set['\\'] = true, true
	return set
}()

// appendEscaped appends UTF-8 as the inside of a JSON text. Almost all of a page's cost is
// here: this takes less than half the time of encoding/json.
func appendEscaped(line, text []byte) []byte {
	start := 0
	for i, c := range text {
		if !isEscaped[c] {
			continue
		}
		line = append(line, text[start:i]...)
		start = i + 1
		switch c {
		case '\n':
			line = append(line, `\n`...)
		case '"', '\\':
			line = append(line, '\\', c)
		default:
			const hex = "0123456789abcdef"
			line = append(line, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(line, text[start:]...)
}

// secretHeaders are not sent to plugins.
var secretHeaders = map[string]bool{"authorization": true, "proxy-authorization": true, "cookie": true, "set-cookie": true}

// headers returns a header with lower-case names and joined values, without secrets.
func headers(h http.Header) map[string]string {
	joined := make(map[string]string, len(h))
	for name, values := range h {
		if name = strings.ToLower(name); !secretHeaders[name] {
			joined[name] = strings.Join(values, ", ")
		}
	}
	return joined
}
