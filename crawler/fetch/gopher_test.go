package fetch

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

func TestGophernicus(t *testing.T) {
	dir := publicDir(t)
	for name, text := range map[string]string{
		"a.txt":        "hello\n",
		"b c?.txt":     "b",
		"page.html":    `<a href="x">x</a>`,
		"empty.txt":    "",
		"docs/one.txt": "1",
		"menu/gophermap": "some words\n0Text\t/a.txt\n1Docs\t/docs\n" +
			"hThe web\tURL:https://example.com/?a=b&c\n8Terminal\tjoe\ttelnet.example\t2323\n1Elsewhere\t/x y\tgopher.example\t7070\n" +
			"7Search\t/find\tgopher.example\t70\n",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	at := superServer(t, "gophernicus", "-r", dir, "-h", "127.0.0.1", "-p", "7070", "-nr", "-nx", "-nq", "-ns", "-nm", "-nv", "-nf", "-nl", "-nd").String()
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	base := "gopher://" + at
	for _, row := range []struct{ path, want, contentType string }{
		{"", "ok", "text/html"},
		{"/", "ok", "text/html"},
		{"/1", "ok", "text/html"},
		{"/1/docs", "ok", "text/html"},
		{"/0/a.txt", "ok", "text/plain"},
		{"/0/b%20c%3F.txt", "ok", "text/plain"},
		{"/0/b%20c?.txt", "ok", "text/plain"},
		{"/0/empty.txt", "ok", "text/plain"},
		{"/h/page.html", "ok", "text/html"},
		{"/9/a.txt", "ok", "text/plain"},
		{"/0/nothing.txt", "file-missing", ""},
		{"/1/nothing", "file-missing", ""},
		{"/9/nothing", "file-missing", ""},
	} {
		for _, need := range []Need{Existence, Content} {
			resp, _, fault := fetchURL(t, others, base+row.path, need)
			if got := verdict(resp, fault); got != row.want {
				t.Errorf("%s: %s (%v), want %s", row.path, got, fault, row.want)
			} else if fault == nil && !strings.HasPrefix(resp.ContentType, row.contentType) {
				t.Errorf("%s: %s, want %s", row.path, resp.ContentType, row.contentType)
			}
		}
	}
	if _, text, _ := fetchURL(t, others, base+"/0/a.txt", Content); !strings.HasPrefix(text, "hello") {
		t.Errorf("a.txt: %q", text)
	}
	got := linksOf(t, others, base+"/1/menu")
	want := []string{
		"gopher://127.0.0.1:7070/0/a.txt", "gopher://127.0.0.1:7070/1/docs", "gopher://gopher.example/7/find",
		"gopher://gopher.example:7070/1/x%20y", "https://example.com/?a=b&c", "telnet://joe@telnet.example:2323/",
	}
	if !slices.Equal(got, want) {
		t.Errorf("the menu has %q, want %q", got, want)
	}
}

func TestGopherSelector(t *testing.T) {
	server := serveLines(t, func(c *serverConn) {
		c.read()
		c.say("iok\t\t\t\r\n.\r\n")
	})
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for _, row := range []struct{ path, want string }{
		{"", "\r\n"}, {"/1", "\r\n"}, {"/1x", "x\r\n"}, {"/7/find%09two%20words", "/find\ttwo words\r\n"}, {"/0/gr%C3%BC%25df", "/grü%df\r\n"}, {"/1/a?b=c", "/a?b=c\r\n"},
	} {
		before := len(server.lines())
		if _, _, fault := fetchURL(t, others, "gopher://"+server.addr.String()+row.path, Existence); fault != nil {
			t.Errorf("%s: %v", row.path, fault)
		}
		if got := server.lines()[before:]; len(got) != 1 || got[0] != row.want {
			t.Errorf("%s: sent %q, want %q", row.path, got, row.want)
		}
	}
	resp, _, fault := fetchURL(t, others, "gopher://"+server.addr.String()+"/8joe", Existence)
	if verdict(resp, fault) != "ok" {
		t.Errorf("an item that is a terminal: %v", fault)
	}
}

func TestGopherFaults(t *testing.T) {
	endless := func(text string) func(*serverConn) {
		return func(c *serverConn) {
			c.read()
			for c.say(strings.Repeat(text, 1+65536/len(text))) {
			}
		}
	}
	for _, row := range []struct {
		name, path string
		talk       func(*serverConn)
		want       string
	}{
		{"silent", "/1", func(c *serverConn) { c.hang() }, "timeout"},
		{"text without data", "/0x", func(c *serverConn) { c.hang() }, "timeout"},
		{"empty menu", "/1", func(c *serverConn) { c.read() }, "connection-reset"},
		{"empty text", "/0x", func(c *serverConn) { c.read() }, "ok"},
		{"no menu", "/1", func(c *serverConn) { c.read(); c.say("HTTP/1.0 400 Bad Request\r\n\r\n") }, "protocol-error"},
		{"a text that begins with 3", "/0x", func(c *serverConn) { c.read(); c.say("3 of 4\r\n") }, "ok"},
		{"line without end", "/1", endless("i"), "protocol-error"},
		{"lines without end", "/1", endless("1a\tb\tc.example\t70\r\n"), "ok"},
		{"text without end", "/0x", endless("x"), "protocol-error"},
		{"byte by byte", "/0x", func(c *serverConn) {
			c.read()
			beat := time.NewTicker(quick / 4)
			defer beat.Stop()
			for range beat.C {
				if !c.say("x") {
					return
				}
			}
		}, "timeout"},
		{"half a menu", "/1", func(c *serverConn) { c.read(); c.say("1a\tb\tc.example\t70\r\n1b"); c.hang() }, "timeout"},
		{"half a text", "/0x", func(c *serverConn) { c.read(); c.say("half"); c.SetLinger(0) }, "body-truncated"},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := serveLines(t, row.talk)
			_, others := newOtherSchemes(t, HTTPConfig{Timeout: patience(row.want), MaxBody: 1 << 20}, OtherSchemesConfig{})
			resp, _, fault := fetchURL(t, others, "gopher://"+server.addr.String()+row.path, Content)
			got := verdict(resp, fault)
			if row.name == "text without end" && got == "body-truncated" {
				return
			}
			if got != row.want {
				t.Errorf("%s (%v), want %s", got, fault, row.want)
			}
			if row.name == "lines without end" && len(resp.Notes) == 0 {
				t.Error("the menu was truncated without a note")
			}
		})
	}
}

// The items of a menu become links and text, and nothing else.
func TestGopherMenu(t *testing.T) {
	page := newLinkPage("<title>")
	for _, item := range []string{
		"1<script>\tx\" onclick=\"y\texample.com\t70",
		"hbad\tURL:javascript:alert('1')\texample.com\t70",
		"0v6\t/a\t2001:db8::1\t7070",
		"0no port\t/a\texample.com\tx",
		"0no host\t/a\t\t70",
		"3error\t/a\texample.com\t70",
		"itext \x07\t\t\t",
		"+again\t/a\texample.com\t70",
		"1host\t/a\tevil.example/../\t70",
	} {
		addGopherItem(page, item)
	}
	text := page.String()
	for _, want := range []string{
		`<li><a href="gopher://example.com/1x%22%20onclick=%22y">&lt;script&gt;</a></li>`,
		`href="javascript:alert(&#39;1&#39;)"`,
		`href="gopher://[2001:db8::1]:7070/0/a"`,
		`<li>no port</li>`, `<li>no host</li>`, `<li>error</li>`, `<li>again</li>`, "<li>text  </li>",
		`href="gopher://evil.example%2F..%2F/1/a"`,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%s is not in\n%s", want, text)
		}
	}
}

// A line of a menu becomes one line of the document with at most one link.
func FuzzGopherItem(f *testing.F) {
	for _, item := range []string{"1a\tb\tc.example\t70", "hx\tURL:https://example.com/\tx\t70", "8t\tuser\thost\t23", "i<b>\t\t\t", "0\x00\xff\t\"><a href=x>\t[::1]\t70", "T\t\t:\t65535"} {
		f.Add(item)
	}
	f.Fuzz(func(t *testing.T, item string) {
		if item == "" || strings.ContainsAny(item, "\r\n") {
			return
		}
		page := newLinkPage("x")
		addGopherItem(page, item)
		text, err := io.ReadAll(page.body())
		if err != nil {
			t.Fatal(err)
		}
		doc := extract.Extract(extract.Input{Body: text, ContentType: linkPageType})
		if len(doc.Links) > 1 || len(doc.Anchors) > 0 || strings.Count(string(text), "<li>") != 1 {
			t.Errorf("%q became %q", item, text)
		}
	})
}
