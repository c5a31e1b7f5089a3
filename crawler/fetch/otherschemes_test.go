package fetch

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/urinorm"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
)

// program returns the path of a server program for a test. If it is missing, the test
// is skipped, or fails on a machine that must have it (CI=true).
func program(t testing.TB, name string) string {
	t.Helper()
	for _, try := range []string{name, "/usr/sbin/" + name, "/sbin/" + name} {
		if path, err := exec.LookPath(try); err == nil {
			return path
		}
	}
	if os.Getenv("CI") == "true" {
		t.Fatalf("%s is missing: install the package it comes in", name)
	}
	t.Skipf("%s is not installed", name)
	return ""
}

// superServer listens and runs a program for each connection, as inetd does, with the
// socket as standard input and output.
func superServer(t testing.TB, name string, args ...string) *net.TCPAddr {
	t.Helper()
	path := program(t, name)
	ctx, cancel := context.WithCancel(context.Background())
	addr := crawlertest.ServeConns(t, func(conn *net.TCPConn, _ int) {
		socket, err := conn.File()
		conn.Close()
		if err != nil {
			return
		}
		defer socket.Close()
		cmd := exec.CommandContext(ctx, path, args...)
		cmd.Stdin, cmd.Stdout = socket, socket
		cmd.Dir = "/"
		cmd.Run()
	})
	t.Cleanup(cancel) // before the server waits for the programs
	return addr
}

// background runs a server until the test ends. The server is ready when it writes a
// line that contains the given text; background returns that line.
func background(t testing.TB, ready, path string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, path, args...)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	// A server that never gets ready must fail the test, not block it.
	late := time.AfterFunc(30*time.Second, cancel)
	line, output := "", ""
	in := bufio.NewReader(r)
	for !strings.Contains(line, ready) {
		if line, err = in.ReadString('\n'); err != nil {
			cancel()
			cmd.Wait()
			t.Fatalf("%s did not start: %v\n%s", path, err, output)
		}
		output += line
	}
	late.Stop()
	var wg sync.WaitGroup
	wg.Go(func() { io.Copy(io.Discard, in); r.Close() })
	t.Cleanup(func() { cancel(); cmd.Wait(); wg.Wait() })
	return line
}

// publicDir returns a directory that servers can access after they have dropped
// privileges, unlike those of the testing package.
func publicDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "orbweaver")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// freePort returns an unused port for servers that need to be given one.
func freePort(t testing.TB) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// lineServer runs a dialog for a test and records each line it receives.
type lineServer struct {
	addr *net.TCPAddr
	mu   sync.Mutex
	got  []string
}

func (s *lineServer) lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.got...)
}

// serverConn is a connection to a lineServer.
type serverConn struct {
	*net.TCPConn
	server *lineServer
	in     *bufio.Reader
}

// read returns the next line without its line ending, or "" if the client has
// disconnected.
func (c *serverConn) read() string {
	line, err := c.in.ReadString('\n')
	if line != "" {
		c.server.mu.Lock()
		c.server.got = append(c.server.got, line)
		c.server.mu.Unlock()
	}
	if err != nil {
		return ""
	}
	return strings.TrimRight(line, "\r\n")
}

// say writes text and reports whether it succeeded.
func (c *serverConn) say(text string) bool {
	_, err := io.WriteString(c, text)
	return err == nil
}

// hang waits until the client disconnects.
func (c *serverConn) hang() { io.Copy(io.Discard, c.in) }

// script answers each line that begins with a key with the key's value, and all other
// lines with the value of "".
func (c *serverConn) script(greeting string, answers map[string]string) {
	c.say(greeting)
	for {
		line := c.read()
		if line == "" {
			return
		}
		answer := answers[""]
		best := -1
		for key, value := range answers {
			if strings.HasPrefix(line, key) && len(key) > best && key != "" {
				answer, best = value, len(key)
			}
		}
		if !c.say(answer) {
			return
		}
	}
}

func serveLines(t testing.TB, talk func(*serverConn)) *lineServer {
	t.Helper()
	s := &lineServer{}
	s.addr = crawlertest.ServeConns(t, func(conn *net.TCPConn, _ int) {
		talk(&serverConn{conn, s, bufio.NewReader(conn)})
	})
	return s
}

// newOtherSchemes returns the fetchers of all schemes.
func newOtherSchemes(t testing.TB, web HTTPConfig, config OtherSchemesConfig) (*OtherSchemes, Mux) {
	t.Helper()
	h, err := NewHTTP(web)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.Close)
	d, err := NewOtherSchemes(h, config)
	if err != nil {
		t.Fatal(err)
	}
	return d, d.Fetchers()
}

// fetchURL requests a URL and returns the answer, its body and the fault.
func fetchURL(t testing.TB, f Fetcher, address string, need Need) (*Response, string, *Fault) {
	t.Helper()
	u, _, err := urinorm.ParseWeb(address)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	resp, err := f.Fetch(ctx, &Request{URL: u, Need: need})
	var fault *Fault
	if err != nil {
		if !errors.As(err, &fault) {
			t.Fatalf("%s: %v", address, err)
		}
		return nil, "", fault
	}
	if resp.Body == nil {
		return resp, "", nil
	}
	text, err := io.ReadAll(resp.Body)
	if err := resp.Body.Close(); err != nil {
		t.Errorf("%s: close: %v", address, err)
	}
	if err != nil && !errors.As(err, &fault) {
		t.Fatalf("%s: %v", address, err)
	}
	return resp, string(text), fault
}

// verdict returns the result of a request in brief: "ok", "301 to …", or the kind of a
// fault.
func verdict(resp *Response, fault *Fault) string {
	switch {
	case fault != nil:
		return fault.Kind
	case resp.Location != "":
		return strconv.Itoa(resp.Status) + " to " + resp.Location
	case resp.Status != 0:
		return strconv.Itoa(resp.Status)
	}
	return "ok"
}

// mentions reports whether a fault's text contains all words.
func mentions(fault *Fault, words string) bool {
	return words == "" || fault != nil && strings.Contains(fault.Error()+" "+fault.Hint, words)
}

// urlAt returns a URL that makes the fetcher of a scheme connect to a server.
func urlAt(scheme string, addr net.Addr) string {
	path := map[string]string{"dict": "d:word", "news": "id@example.com", "snews": "id@example.com", "ldap": "dc=x", "ldaps": "dc=x"}[scheme]
	return scheme + "://" + addr.String() + "/" + path
}

// quick is a time limit short enough to wait for.
const quick = 300 * time.Millisecond

// patience returns the time limit for a test that expects a kind of fault: a short one
// if the test waits for it, or one that is long enough for any machine.
func patience(want string) time.Duration {
	if want == "timeout" {
		return quick
	}
	return time.Minute
}

func TestPorts(t *testing.T) {
	_, others := newOtherSchemes(t, HTTPConfig{AllowPorts: []int{81}}, OtherSchemesConfig{})
	for _, row := range []struct{ url, want string }{
		{"gopher://127.0.0.1:25/0x", "port-blocked"},
		{"gopher://127.0.0.1:6667/0x", "port-blocked"},
		{"gopher://127.0.0.1:80/0x", "port-blocked"},
		{"ftp://127.0.0.1:22/", "port-blocked"},
		{"finger://127.0.0.1:11211/x", "connect-refused"}, // not a well-known port, and unused
		{"gopher://127.0.0.1:81/0x", "connect-refused"},   // allowed
		{"telnet://127.0.0.1:25/", "port-blocked"},
		{"ldap://127.0.0.1:636/", "port-blocked"},
		{"news://127.0.0.1:110/a", "port-blocked"},
		{"dict://127.0.0.1:6000/", "port-blocked"},
		{"ws://127.0.0.1:6000/", "port-blocked"},
		{"dns://127.0.0.1:25/x", "port-blocked"},
		{"gopher:///0x", "uri-invalid"},
		{"gopher://a b/0x", "uri-invalid"},
	} {
		u, _, err := urinorm.ParseWeb(row.url)
		if err != nil {
			continue // the parser rejects it
		}
		_, err = others.Fetch(t.Context(), &Request{URL: u})
		var fault *Fault
		if !errors.As(err, &fault) || fault.Kind != row.want {
			t.Errorf("%s: %v, want %s", row.url, err, row.want)
		}
	}
}

// Text from a URL must not reach a server if it contains line endings or Telnet
// commands (RFC 3986 section 7.2).
func TestInjection(t *testing.T) {
	server := serveLines(t, func(c *serverConn) { c.say("220 hello\r\n"); c.hang() })
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	at := server.addr.String()
	for _, address := range []string{
		"ftp://" + at + "/a%0D%0ADELE%20x",
		"ftp://" + at + "/a%0Ab/",
		"ftp://" + at + "/a%00b",
		"ftp://" + at + "/a%FFb",
		"ftp://joe%0D%0APASS:x@" + at + "/",
		"ftp://joe:x%0D%0ADELE@" + at + "/",
		"gopher://" + at + "/0a%0D%0Ab",
		"gopher://" + at + "/0a%00",
		"gopher://" + at + "/1a?b%0A",
		"news://" + at + "/a%0Db@c",
		"nntp://" + at + "/a.b%0D%0APOST",
		"nntp://" + at + "/a.b/1%0D%0APOST",
		"nntp://" + at + "/a%20b",
		"telnet://joe%0D%0Als:x@" + at + "/",
		"telnet://joe%FF%F4:x@" + at + "/",
		"telnet://joe:%00@" + at + "/",
		"dict://" + at + "/d:a%0D%0ASHOW:x",
		"dict://" + at + "/d:a:b%20c",
		"dict://" + at + "/x:a",
		"finger://" + at + "/joe%0D%0A",
		"finger://" + at + "/joe@other.example",
		"dns:a%0Ab",
	} {
		if _, _, fault := fetchURL(t, others, address, Existence); fault == nil || fault.Kind != "uri-invalid" {
			t.Errorf("%s: %v, want uri-invalid", address, fault)
		}
	}
	if got := server.lines(); len(got) > 0 {
		t.Errorf("the server received %q", got)
	}
}

func TestHasScheme(t *testing.T) {
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for scheme := range strings.FieldsSeq("ftp ftps gopher news nntp snews telnet ldap ldaps ws wss dict finger dns") {
		if others[scheme] == nil {
			t.Errorf("%s has no fetcher", scheme)
		}
	}
	if others["tel"] != nil {
		t.Error("tel: has a fetcher")
	}
}

func TestNewOtherSchemesErrors(t *testing.T) {
	h, err := NewHTTP(HTTPConfig{})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	for _, config := range []OtherSchemesConfig{
		{NewsServer: "a b"}, {NewsServer: "news.example/x"}, {NewsServer: "u@news.example"}, {NewsServer: "news.example:x"},
		{DNSServer: "nowhere"},
	} {
		if _, err := NewOtherSchemes(h, config); err == nil {
			t.Errorf("%+v was accepted", config)
		}
	}
	t.Setenv("NNTP_SERVER", "news.example:119")
	d, err := NewOtherSchemes(h, OtherSchemesConfig{})
	if err != nil || d.newsServer.Host() != "news.example" {
		t.Errorf("NNTP_SERVER: %v %v", d.newsServer, err)
	}
	d, err = NewOtherSchemes(newHTTP(t, HTTPConfig{NoEnvironment: true}), OtherSchemesConfig{})
	if err != nil || d.newsServer.Host() != "" {
		t.Errorf("NNTP_SERVER without the environment: %v %v", d.newsServer, err)
	}
}

func TestOtherSchemesDenyPrivate(t *testing.T) {
	server := serveLines(t, func(c *serverConn) { c.hang() })
	_, others := newOtherSchemes(t, HTTPConfig{AddressPolicy: AddressPolicy{DenyPrivate: true}}, OtherSchemesConfig{})
	for scheme := range strings.FieldsSeq("ftp ftps gopher news nntp snews telnet ldap ldaps ws wss dict finger") {
		_, _, fault := fetchURL(t, others, scheme+"://"+server.addr.String()+"/", Existence)
		if fault == nil || fault.Kind != "address-denied" {
			t.Errorf("%s: %v, want address-denied", scheme, fault)
		}
	}
	if _, _, fault := fetchURL(t, others, "dns://127.0.0.1/example.com", Existence); fault == nil || fault.Kind != "address-denied" {
		t.Errorf("dns: %v, want address-denied", fault)
	}
}

// readingSchemes are the schemes whose servers send text that the client reads.
const readingSchemes = "ftp news nntp dict gopher finger telnet ldap ws smtp"

// hostileURL returns a URL of a scheme whose server sends data. "smtp" stands for the
// mail server of an address.
func hostileURL(scheme string, addr net.Addr) string {
	switch scheme {
	case "telnet":
		return "telnet://joe:secret@" + addr.String() + "/"
	case "gopher":
		return "gopher://" + addr.String() + "/1/"
	}
	return urlAt(scheme, addr)
}

// visitHostile sends a request to a server of one of the readingSchemes.
func visitHostile(t *testing.T, d *OtherSchemes, scheme string, addr net.Addr) (*Response, *Fault) {
	t.Helper()
	if scheme != "smtp" {
		resp, _, fault := fetchURL(t, d.Fetchers(), hostileURL(scheme, addr), Existence)
		return resp, fault
	}
	to, _ := netip.ParseAddrPort(addr.String())
	row := &schemeFetcher{OtherSchemes: d, scheme: "mailto", port: int(to.Port())}
	v := row.newSession(t.Context(), &Request{URL: mustParse(t, "mailto:joe@example.com")})
	defer v.end()
	err := v.fault("probe", v.probeRecipient(to.Addr().String(), urinorm.Address{Local: "joe", Domain: "example.com"}))
	var fault *Fault
	if err != nil && !errors.As(err, &fault) {
		t.Fatal(err)
	}
	return &Response{}, fault
}

type hostileRow struct {
	name, want string
	talk       func(*serverConn)
	but        map[string]string
}

// hostile contains misbehaviors that every client of a server must handle. The result
// is want, or another for some schemes.
var hostile = []hostileRow{
	{"silent", "timeout", func(c *serverConn) { c.hang() }, nil},
	{"closed at once", "connection-reset", func(c *serverConn) {}, nil},
	{"reset", "connection-reset", func(c *serverConn) { c.SetLinger(0) }, nil},
	{"line without end", "protocol-error", func(c *serverConn) {
		go c.hang()
		for c.say(strings.Repeat("2", 4096)) {
		}
	}, map[string]string{"finger": "ok"}},
	{"lines without end", "protocol-error", func(c *serverConn) {
		go c.hang()
		for c.say(strings.Repeat("220-x\r\n", 512)) {
		}
	}, map[string]string{"finger": "ok"}},
	{"zero bytes", "protocol-error", func(c *serverConn) {
		go c.hang()
		for c.say(strings.Repeat("\x00", 4096)) {
		}
	}, map[string]string{"finger": "ok"}},
	{"HTTP", "protocol-error", func(c *serverConn) { c.say("HTTP/1.1 400 Bad Request\r\n\r\n") },
		map[string]string{"finger": "ok", "ws": "", "telnet": "connection-reset", "ldap": "connection-reset"}}, // in BER, the answer ends within a value
	{"control characters", "", func(c *serverConn) { c.say("420 \x1b[31mred\x00\rgreen\x07\xff\r\n"); c.CloseWrite(); c.hang() },
		map[string]string{"finger": "ok", "ftp": "rate-limited", "dict": "rate-limited", "smtp": "rate-limited"}},
	{"nothing but CR", "", func(c *serverConn) { c.say("\r\r\r\r\r\n\r\n\n"); c.CloseWrite(); c.hang() }, map[string]string{"finger": "ok"}},
}

func TestHostileServers(t *testing.T) {
	for _, row := range hostile {
		server := serveLines(t, row.talk)
		d, _ := newOtherSchemes(t, HTTPConfig{Timeout: patience(row.want)}, OtherSchemesConfig{})
		var wg sync.WaitGroup
		for scheme := range strings.FieldsSeq(readingSchemes) {
			wg.Go(func() { checkHostile(t, d, scheme, server.addr, row) })
		}
		wg.Wait()
	}
}

func checkHostile(t *testing.T, d *OtherSchemes, scheme string, addr net.Addr, row hostileRow) {
	want, other := row.but[scheme]
	if !other {
		want = row.want
	}
	resp, fault := visitHostile(t, d, scheme, addr)
	if got := verdict(resp, fault); got != want && want != "" {
		t.Errorf("%s, %s: %s (%v), want %s", row.name, scheme, got, fault, want)
	}
	if fault == nil && want == "" && scheme != "ws" { // which may count as the answer to the request, or as none
		t.Errorf("%s, %s: no fault", row.name, scheme)
	}
	if fault != nil && fault.Requests != 1 && (scheme != "ws" || !fault.Retry) {
		t.Errorf("%s, %s: %d requests", row.name, scheme, fault.Requests)
	}
	if fault != nil && strings.ContainsFunc(fault.Error(), func(r rune) bool { return r < ' ' || r == 0x7F || r == utf8.RuneError }) {
		t.Errorf("%s, %s: it repeats %q", row.name, scheme, fault)
	}
}

// A server that sends one byte shortly before each time limit delays a client for at
// most one step, or with several steps for the whole session.
func TestSlowBanner(t *testing.T) {
	for scheme := range strings.FieldsSeq(readingSchemes) {
		if scheme == "finger" || scheme == "ldap" { // the first byte is enough, because it is not BER
			continue
		}
		synctest.Test(t, func(t *testing.T) {
			d, _ := newOtherSchemes(t, HTTPConfig{Timeout: quick}, OtherSchemesConfig{})
			var servers sync.WaitGroup
			d.web.dialer.connect = func(context.Context, string, string) (net.Conn, error) {
				client, server := net.Pipe()
				servers.Go(func() { untilClosed(server) })
				servers.Go(func() {
					defer server.Close()
					for {
						time.Sleep(quick / 10)
						if _, err := io.WriteString(server, "2"); err != nil {
							return
						}
					}
				})
				return tcpPipe{client}, nil
			}
			start := time.Now()
			_, fault := visitHostile(t, d, scheme, tcpPipe{}.RemoteAddr())
			if fault == nil || fault.Kind != "timeout" || !fault.Retry {
				t.Errorf("%s: %v, want a timeout", scheme, fault)
			}
			if took := time.Since(start); took > 20*quick {
				t.Errorf("%s: it took %v", scheme, took)
			}
			d.web.Close()
			servers.Wait()
		})
	}
}

// tcpPipe is a pipe that has an address as connections over TCP.
type tcpPipe struct{ net.Conn }

func (tcpPipe) RemoteAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4000} }

func TestCanceledSession(t *testing.T) {
	reached := make(chan bool, 16)
	server := serveLines(t, func(c *serverConn) { reached <- true; c.hang() })
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	for scheme := range strings.FieldsSeq("ftp ftps gopher news snews ldap ldaps dict finger") {
		u, _, _ := urinorm.ParseWeb(urlAt(scheme, server.addr))
		ctx, cancel := context.WithCancelCause(t.Context())
		stopped := errors.New("that is enough")
		go func() { <-reached; cancel(stopped) }()
		if _, err := others.Fetch(ctx, &Request{URL: u}); !errors.Is(err, stopped) {
			t.Errorf("%s: %v, want the context's cause", scheme, err)
		}
	}
}

func TestDecodeOnce(t *testing.T) {
	for _, row := range []struct {
		in, want string
		err      error
	}{
		{"a%20b", "a b", nil}, {"a%2520b", "a%20b", nil}, {"100%", "100%", nil}, {"%zz%41", "%zzA", nil},
		{"%C3%A9", "é", nil}, {"a%09b", "", errControl}, {"%7f", "", errControl}, {"%ff", "", errIAC},
	} {
		if got, err := decodeOnce(row.in, ""); got != row.want || err != row.err {
			t.Errorf("%s: %q %v, want %q %v", row.in, got, err, row.want, row.err)
		}
	}
	if got, err := decodeOnce("a%09b", "\t"); got != "a\tb" || err != nil {
		t.Errorf("an allowed tab: %q %v", got, err)
	}
}

// loopbackName replaces the resolver: every name is this machine.
func loopbackName(context.Context, string, string) ([]netip.Addr, error) {
	return []netip.Addr{netip.AddrFrom4([4]byte{127, 0, 0, 1})}, nil
}
