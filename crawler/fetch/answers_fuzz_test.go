package fetch

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/orbweaver/orbweaver/urinorm"
)

// scripted is a connection whose peer sends given parts. It sends the first part at
// once or, if wait is set, after the client has sent something, and each further part
// after the client has sent more. It ignores what the client sends and closes the
// connection at the end. So the handling of any answer can be tested without a network.
type scripted struct {
	parts func(received []byte) [][]byte // called when the first part is due
	wait  time.Duration                  // how long to wait for data from the client; 0 means not at all

	mu       sync.Mutex
	ready    sync.Cond
	started  bool
	unsent   [][]byte
	received []byte
	writes   int
	reads    int // number of parts that were read
	closed   bool
}

// sendAtOnce returns a server that sends text at once without waiting.
func sendAtOnce(text []byte) *scripted {
	return script(0, func([]byte) [][]byte { return [][]byte{text} })
}

func script(wait time.Duration, parts func(received []byte) [][]byte) *scripted {
	c := &scripted{wait: wait, parts: parts}
	c.ready.L = &c.mu
	return c
}

func (c *scripted) Read(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.wait > 0 {
		until := time.Now().Add(c.wait)
		alarm := time.AfterFunc(c.wait, c.ready.Broadcast)
		defer alarm.Stop()
		for !c.closed && c.writes <= c.reads && (!c.started || len(c.unsent) > 0) {
			if !time.Now().Before(until) {
				return 0, io.EOF // the server sends nothing more
			}
			c.ready.Wait()
		}
	}
	if c.closed {
		return 0, net.ErrClosed
	}
	if !c.started {
		c.started, c.unsent = true, c.parts(c.received)
	}
	for len(c.unsent) > 0 {
		n := copy(p, c.unsent[0])
		if c.unsent[0] = c.unsent[0][n:]; len(c.unsent[0]) == 0 {
			c.unsent = c.unsent[1:]
			c.reads++
		}
		if n > 0 {
			return n, nil
		}
	}
	return 0, io.EOF
}

func (c *scripted) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.ready.Broadcast()
	if c.closed {
		return 0, net.ErrClosed
	}
	c.received = append(c.received, p...)
	c.writes++
	return len(p), nil
}

func (c *scripted) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.ready.Broadcast()
	return nil
}

// lines returns the lines that the client sent.
func (c *scripted) lines() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return bytes.Clone(c.received)
}

func (c *scripted) LocalAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 40000}
}
func (c *scripted) RemoteAddr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000}
}
func (c *scripted) SetDeadline(time.Time) error      { return nil }
func (c *scripted) SetReadDeadline(time.Time) error  { return nil }
func (c *scripted) SetWriteDeadline(time.Time) error { return nil }

// scriptedSchemes returns fetchers that use the given connections in turn.
func scriptedSchemes(t testing.TB, conns ...net.Conn) *OtherSchemes {
	t.Helper()
	h, err := NewHTTP(HTTPConfig{Timeout: 5 * time.Second, MaxBody: 1 << 20})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	h.dialer.connect = func(context.Context, string, string) (net.Conn, error) {
		if len(conns) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		next := conns[0]
		conns = conns[1:]
		return next, nil
	}
	h.resolver.lookup = func(context.Context, string, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("127.0.0.1")}, nil
	}
	d, err := NewOtherSchemes(h, OtherSchemesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// checkAnswer checks what must be true of every answer and fault, whatever the server
// sends.
func checkAnswer(t *testing.T, resp *Response, err error) {
	t.Helper()
	var fault *Fault
	switch {
	case err == nil && resp == nil:
		t.Fatal("neither an answer nor a fault")
	case err != nil && !errors.As(err, &fault):
		t.Fatalf("no fault: %v", err)
	case err != nil:
		if fault.Kind == "" || fault.Err == nil || fault.Op == "" {
			t.Fatalf("fault %+v lacks details", fault)
		}
		if text := fault.Error(); strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7F }) || len(text) > 1000 {
			t.Fatalf("fault %q", text)
		}
		return
	}
	if strings.ContainsAny(resp.Location, "\r\n\x00") {
		t.Fatalf("location %q", resp.Location)
	}
	if resp.Body == nil {
		return
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("body: %v", err)
	}
	if len(body) > 32<<20 {
		t.Fatalf("%d bytes", len(body))
	}
	resp.Body.Close()
}

// checkLines checks that a client sent whole lines and none that is too long.
func checkLines(t *testing.T, received []byte) {
	t.Helper()
	for line := range bytes.Lines(received) {
		if len(line) > 1024 || !bytes.HasSuffix(line, []byte("\r\n")) || bytes.ContainsAny(line[:len(line)-2], "\r\x00") {
			t.Fatalf("said %q", line)
		}
	}
}

// fuzzAnswers requests URLs from a server that sends arbitrary data.
func fuzzAnswers(f *testing.F, urls []string, seeds ...string) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	first := true // the first seed is a correct answer to the first URL
	f.Fuzz(func(t *testing.T, said []byte) {
		for _, address := range urls {
			u, _, err := urinorm.ParseWeb(address)
			if err != nil {
				t.Fatal(err)
			}
			for _, need := range []Need{Existence, Content} {
				conn := sendAtOnce(said)
				if u.Scheme() == "ldap" {
					patience := 100 * time.Millisecond
					if string(said) == seeds[0] {
						patience = 10 * time.Second
					}
					conn = script(patience, func([]byte) [][]byte { return bytes.Split(said, []byte(ldapTurn)) })
				}
				d := scriptedSchemes(t, conn)
				resp, err := d.Fetchers().Fetch(t.Context(), &Request{URL: u, Need: need})
				if first && string(said) == seeds[0] && err != nil {
					t.Errorf("%s: %v", address, err)
				}
				first = false
				checkAnswer(t, resp, err)
				if u.Scheme() != "ldap" && u.Scheme() != "telnet" {
					checkLines(t, conn.lines())
				}
				d.web.Close()
			}
		}
	})
}

func FuzzNewsAnswers(f *testing.F) {
	fuzzAnswers(f, []string{"nntp://joe:x@news.example/a.b/4711", "news://news.example/comp.*", "news://news.example/id@example.com"},
		"200 hello\r\n211 1 1 1 a.b\r\n223 4711 <id@example.com>\r\n205 bye\r\n", "200 hello\r\n480 who?\r\n381 go on\r\n281 in\r\n211 1 1 1 a.b\r\n223 1 <x>\r\n",
		"201 hello\r\n215 list\r\ncomp.a 1 1 y\r\n.\r\n", "200 hello\r\n215 list\r\n.\r\n", "400 later\r\n", "200-a\r\n200 b\r\n430 no\r\n", "200 hello\r\n411 no\r\n",
		"200\r\n", "200 \x00\x1b[31m\r\n500 \xFF\r\n", "99 short\r\n", "200 hello")
}

func FuzzDictAnswers(f *testing.F) {
	fuzzAnswers(f, []string{"dict://dict.example/d:word:all:1", "dict://dict.example/m:word", "dict://dict.example/"},
		"220 dict <a.b> <1@x>\r\n150 1 definitions\r\n151 \"word\" all \"All\"\r\ntext\r\n.\r\n250 ok\r\n221 bye\r\n", "220 x\r\n552 no match\r\n", "420 later\r\n",
		"220 x\r\n152 2 matches\r\n", "220-\r\n220 x\r\n550 no database\r\n", "530 no\r\n", "220 x\r\n", "\x00\r\n")
}

func FuzzFingerAnswers(f *testing.F) {
	fuzzAnswers(f, []string{"finger://finger.example/joe", "finger:joe@finger.example"}, "Login: joe\r\n", "", "\x00", "finger: joe: no such user.\r\n")
}

func FuzzTelnetAnswers(f *testing.F) {
	fuzzAnswers(f, []string{"telnet://joe:secret@host.example/"},
		"\xff\xfd\x18\xff\xfb\x01\xff\xfa\x18\x01\xff\xf0login: Password: \r\nWelcome\r\n", "login: \r\nPassword: \r\nLogin incorrect\r\n", "user name:", "\xff", "\xff\xfa", "\xff\xff\xff\xf1login:password:$ ", "\x00\x00login:\x00")
}

func FuzzGopherAnswers(f *testing.F) {
	fuzzAnswers(f, []string{"gopher://gopher.example/1/", "gopher://gopher.example/0/a.txt", "gopher://gopher.example/7/find%09word"},
		"iwelcome\tx\th\t70\r\n1menu\t/menu\tgopher.example\t70\r\nhweb\tURL:https://example.com/\th\t70\r\n8t\tjoe\thost\t23\r\n.\r\n", "3no such file\t\terror.host\t1\r\n",
		"Error: File or directory not found!", "text\r\n", "1a\tb\tc\td\te\r\n", "1\t\t::1\t70\r\n.\r\n", "\x00\x00", "1a\tb\r\n")
}

// ldapTurn splits the data of a directory server into the answers to bind and to
// search, because a client ignores an answer to a request that it has not sent yet.
const ldapTurn = "\x00turn\x00"

func FuzzLDAPAnswers(f *testing.F) {
	bound := "\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x00\x04\x00\x04\x00" + ldapTurn
	fuzzAnswers(f, []string{"ldap://ldap.example/dc=example,dc=com?cn?sub?(cn=x)"},
		bound+"\x30\x13\x02\x01\x02\x64\x0e\x04\x0adc=example\x30\x00"+"\x30\x0c\x02\x01\x02\x65\x07\x0a\x01\x00\x04\x00\x04\x00",
		bound+"\x30\x0c\x02\x01\x02\x65\x07\x0a\x01\x20\x04\x00\x04\x00",
		bound+"\x30\x1f\x02\x01\x02\x65\x1a\x0a\x01\x0a\x04\x00\x04\x00\xa3\x11\x04\x0fldap://b/dc=c,d",
		bound+"\x30\x1f\x02\x01\x02\x65\x1a\x0a\x01\x0a\x04\x00\x04\x00\xa3\x11\x04\x0fldap://b/\x00c\r\nd",
		"\x30\x05\x02\x01\x01\x61\x00", "\x30\x84\x7f\xff\xff\xff", "\x30\x80\x30\x80", bound, "\x30\x0c\x02\x01\x01\x61\x07\x0a\x01\x31\x04\x00\x04\x00")
}

// The fields of an FTP session: the replies of the server, and the data it sends.
func FuzzFTPAnswers(f *testing.F) {
	const in = "220 hello\r\n331 go on\r\n230 in\r\n211-\r\n UTF8\r\n MLST type*;size*;\r\n211 \r\n200 ok\r\n200 ok\r\n"
	const listing = in + "250 ok\r\n229 go (|||4001|)\r\n150 here\r\n226 done\r\n221 bye\r\n"
	for _, seed := range [][2]string{
		{listing, "type=file;size=1; a\r\ntype=dir; b\r\n"},
		{in + "250 ok\r\n500 no\r\n227 go (127,0,0,1,200,3)\r\n150 here\r\n226 done\r\n", "drwxr-xr-x 2 a a 4096 Jan 01 2020 d\r\n01-02-20  03:04PM  12 dos.txt\r\n"},
		{in + "250-\r\n type=file;size=3; a\r\n250 end\r\n229 go (|||4001|)\r\n150 here\r\n226 done\r\n", "abc"},
		{"220 hello\r\n530 no\r\n", ""}, {"421 later\r\n", ""}, {"220-a\r\nb\r\n220 c\r\n", ""}, {"220 hello\r\n230 in\r\n", "\x00"},
		{in + "250 ok\r\n229 go (|||25|)\r\n", ""}, {in + "250 ok\r\n229 go (||||)\r\n", ""}, {in + "250 ok\r\n500 no\r\n227 go (1,2,3)\r\n", ""}, {in + "250 ok\r\n500 no\r\n227 go )(\r\n", ""}, {"220\r\n", "lrwxrwxrwx 1 a a 12 Jan 01 2020 a -> b\r\n"},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, control, data []byte) {
		for _, address := range []string{"ftp://ftp.example/dir/", "ftp://joe:x@ftp.example/a%20b;type=a"} {
			for _, need := range []Need{Existence, Content} {
				conn := sendAtOnce(control)
				d := scriptedSchemes(t, conn, sendAtOnce(data), sendAtOnce(data), sendAtOnce(data))
				resp, err := d.Fetchers().Fetch(t.Context(), &Request{URL: mustParse(t, address), Need: need})
				if string(control) == listing && strings.HasSuffix(address, "/") && err != nil {
					t.Errorf("%v %v, after %q", need, err, conn.lines())
				}
				checkAnswer(t, resp, err)
				checkLines(t, conn.lines())
				d.web.Close()
			}
		}
	})
}

func FuzzSMTPAnswers(f *testing.F) {
	const polite = "220 hello\r\n250-mx\r\n250-SMTPUTF8\r\n250 SIZE\r\n250 ok\r\n250 ok\r\n221 bye\r\n"
	for _, seed := range []string{
		polite, "220 hello\r\n500 what?\r\n250 mx\r\n250 ok\r\n550 5.1.1 no such user\r\n",
		"554 go away\r\n", "220 hello\r\n250 mx\r\n250 ok\r\n451 later\r\n", "220 hello\r\n250-mx\r\n251 mx\r\n", "220 \x00\r\n", "2", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		for _, local := range []string{"joe", "jörg"} {
			conn := sendAtOnce(said)
			d := scriptedSchemes(t, conn)
			row := &schemeFetcher{OtherSchemes: d, scheme: "mailto", port: 25}
			v := row.newSession(t.Context(), &Request{URL: mustParse(t, "mailto:"+local+"@example.com")})
			err := v.fault("probe", v.probeRecipient("mx.example.com", urinorm.Address{Local: local, Domain: "example.com"}))
			if string(said) == polite && err != nil {
				t.Errorf("%v, after %q", err, conn.lines())
			}
			checkAnswer(t, &Response{}, err)
			checkLines(t, conn.lines())
			if bytes.Contains(conn.lines(), []byte("DATA")) {
				t.Fatalf("said %q", conn.lines())
			}
			v.end()
			d.web.Close()
		}
	})
}

func FuzzWebSocketAnswers(f *testing.F) {
	const switching = "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: ACCEPT\r\n\r\n"
	for _, seed := range []string{switching, switching + "\x81\x05hello", "HTTP/1.1 101 x\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi", "HTTP/1.1 302 Found\r\nLocation: /x\r\n\r\n",
		"HTTP/1.1 403 No\r\n\r\n", "HTTP/1.1 101 x\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\n", "\x00", ""} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		conn := script(10*time.Second, func(received []byte) [][]byte {
			_, key, _ := bytes.Cut(received, []byte("Sec-Websocket-Key: "))
			key, _, _ = bytes.Cut(key, []byte("\r\n"))
			return [][]byte{bytes.ReplaceAll(said, []byte("ACCEPT"), []byte(acceptKey(string(key))))}
		})
		d := scriptedSchemes(t, conn)
		resp, err := d.Fetchers().Fetch(t.Context(), &Request{URL: mustParse(t, "ws://ws.example/chat")})
		if string(said) == switching && err != nil {
			t.Error(err)
		}
		checkAnswer(t, resp, err)
		d.web.Close()
	})
}

// FuzzDNSAnswers lets a name server answer the right query with arbitrary data.
func FuzzDNSAnswers(f *testing.F) {
	for _, seed := range []string{
		"\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00\xc0\x0c\x00\x0f\x00\x01\x00\x00\x00\x3c\x00\x05\x00\x0a\x01a\xc0\x0c",
		"\x81\x83\x00\x01\x00\x00\x00\x00\x00\x00", "\x81\x82\x00\x01\x00\x00\x00\x00\x00\x00",
		"\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00\xc0\x0c\x00\x0f\x00\x01\x00\x00\x00\x3c\x00\x03\x00\x00\x00",
		"\x81\x80\x00\x01\x00\x01\x00\x00\x00\x00\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x3c\x00\x04\x7f\x00\x00\x01",
		"\x81\x80\x00\x01\x00\x02\x00\x00\x00\x00\xc0\x0c\x00\x05\x00\x01\x00\x00\x00\x3c\x00\x02\xc0\x0c", "\x81\x80\x00\x01\xff\xff\x00\x00\x00\x00\xc0\x0c", "",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, said []byte) {
		resolver := &net.Resolver{PreferGo: true, StrictErrors: true, Dial: func(context.Context, string, string) (net.Conn, error) {
			return script(10*time.Second, func(received []byte) [][]byte {
				if len(received) < 14 || len(said) < 10 {
					return nil
				}
				query := received[2:] // after its length, as over TCP
				end := bytes.IndexByte(query[12:], 0) + 12 + 5
				if end > len(query) {
					return nil
				}
				answer := append(append(append(bytes.Clone(query[:2]), said[:10]...), query[12:end]...), said[10:]...)
				return [][]byte{append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)}
			}), nil
		}}
		for kind := range strings.FieldsSeq("A AAAA MX NS TXT SRV PTR CNAME") {
			name := "example.com."
			if kind == "PTR" {
				name = "1.2.0.192.in-addr.arpa."
			}
			found, err := lookUp(t.Context(), resolver, kind, name)
			if found {
				continue
			}
			if fault := dnsFault(name, err); fault.Kind != "dns-not-found" && fault.Kind != "dns-failure" {
				t.Fatalf("%s: %+v", kind, fault)
			}
		}
	})
}
