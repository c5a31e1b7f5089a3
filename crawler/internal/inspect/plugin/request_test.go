package plugin

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/internal/inspect/page"
)

func TestRequest(t *testing.T) {
	full := page.Page{
		Seen: "https://example.com/a?b=1&c=2", URL: "https://example.com/b", Status: 200, ContentType: "text/html", Charset: "windows-1252",
		Header: http.Header{
			"Content-Type": {"text/html"}, "Vary": {"Accept", "Cookie"}, "Set-Cookie": {"a=secret"}, "Cookie": {"secret"},
			"Authorization": {"secret"}, "Proxy-Authorization": {"secret"}, "set-cookie": {"secret"},
		},
		Text: []byte("<p>\"a\"\\\n\u00e9\u2028\x00"), Body: []byte("<p>\"a\"\n\xe9\x00"),
	}
	for _, test := range []struct {
		name string
		page page.Page
		max  int
		want string
	}{
		{"text", full, 100, `{"id":7,"url":"https://example.com/a?b=1&c=2","final_url":"https://example.com/b","status":200,` +
			`"headers":{"content-type":"text/html","vary":"Accept, Cookie"},"type":"text/html","charset":"windows-1252","body":"<p>\"a\"\\\né \u0000"}`},
		{"file", page.Page{Seen: "a.html", URL: "a.html", ContentType: "text/html", Charset: "utf-8", Text: []byte{}}, 100,
			`{"id":7,"url":"a.html","final_url":"a.html","status":0,"headers":{},"type":"text/html","charset":"utf-8","body":""}`},
		{"empty", page.Page{}, 100, `{"id":7,"url":"","final_url":"","status":0,"headers":{},"type":"","charset":"","body":""}`},
		{"binary", page.Page{ContentType: "image/png", Body: []byte("\x89PNG")}, 4,
			`{"id":7,"url":"","final_url":"","status":0,"headers":{},"type":"image/png","charset":"","body_base64":"iVBORw=="}`},
		{"long binary", page.Page{Body: []byte("\x89PNG\r")}, 4,
			`{"id":7,"url":"","final_url":"","status":0,"headers":{},"type":"","charset":"","truncated":true,"body_base64":"iVBORw=="}`},
		{"exact", page.Page{Text: []byte("aé")}, 3, `{"id":7,"url":"","final_url":"","status":0,"headers":{},"type":"","charset":"","body":"aé"}`},
		{"within a character", page.Page{Text: []byte("aé€")}, 5,
			`{"id":7,"url":"","final_url":"","status":0,"headers":{},"type":"","charset":"","truncated":true,"body":"aé"}`},
		{"shorter than a character", page.Page{Text: []byte("€€")}, 2,
			`{"id":7,"url":"","final_url":"","status":0,"headers":{},"type":"","charset":"","truncated":true,"body":""}`},
	} {
		if got := string(appendRequest(nil, 7, &test.page, test.max)); got != test.want+"\n" {
			t.Errorf("%s:\n got %s\nwant %s", test.name, got, test.want)
		}
	}
}

func TestGreeting(t *testing.T) {
	for _, test := range []struct {
		config map[string]any
		want   string
	}{
		{nil, `{"orbweaver":"plugin/1","hello":{"name":"a","config":{}}}`},
		{map[string]any{"words": []any{"x<y"}, "max": int64(3)}, `{"orbweaver":"plugin/1","hello":{"name":"a","config":{"max":3,"words":["x<y"]}}}`},
	} {
		c := Config{Name: "a", Config: test.config}.withDefaults()
		if got := string(appendJSON(nil, greeting{protocol, greetingHello{c.Name, c.Config}})); got != test.want {
			t.Errorf("\n got %s\nwant %s", got, test.want)
		}
	}
}

func FuzzAppendEscaped(f *testing.F) {
	var control []byte
	for c := range byte(128) {
		control = append(control, c)
	}
	f.Add(control)
	f.Add([]byte("<p>\"a\\\r\n\u2028\U0001F600"))
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.ToValidUTF8(text, nil)
		var back string
		if err := json.Unmarshal(append(appendEscaped([]byte(`"`), text), '"'), &back); err != nil || back != string(text) {
			t.Errorf("%q becomes %q, %v", text, back, err)
		}
	})
}
