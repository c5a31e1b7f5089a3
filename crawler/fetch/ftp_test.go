package fetch

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/extract"
)

// ftpTree creates a directory for a server to publish.
func ftpTree(t testing.TB) string {
	t.Helper()
	dir := publicDir(t)
	for name, text := range map[string]string{
		"readme.txt":         "hello\nworld\n",
		"page.html":          `<a href="docs/">docs</a>`,
		"docs/a b.html":      `<a href="../readme.txt">up</a>`,
		"docs/sub/x;y?z#.md": "# x",
		"grüße/straße.txt":   "ß",
		"percent%41.txt":     "once",
		"empty":              "",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// pyftpd runs Python's FTP server and returns its address.
func pyftpd(t testing.TB, dir, settings string) string {
	t.Helper()
	return pyftpdAt(t, "127.0.0.1", dir, settings)
}

func pyftpdAt(t testing.TB, host, dir, settings string) string {
	t.Helper()
	const script = `
import sys
from pyftpdlib.authorizers import DummyAuthorizer
from pyftpdlib.handlers import FTPHandler
from pyftpdlib.servers import FTPServer
users = DummyAuthorizer()
users.add_anonymous(sys.argv[1])
users.add_user("jo e", "s:e/c@ret", sys.argv[1])
class Handler(FTPHandler):
    authorizer = users
    auth_failed_timeout = 0
%s
server = FTPServer((sys.argv[2], 0), Handler)
%s
print("listening on %%d." %% server.address[1], flush=True)
server.serve_forever()
`
	handler, server, _ := strings.Cut(settings, "---\n")
	line := background(t, "listening on", crawlertest.Python(t, "pyftpdlib"), "-c", fmt.Sprintf(script, handler, server), dir, host)
	_, port, _ := strings.Cut(strings.TrimRight(line, ".\n"), "listening on ")
	return net.JoinHostPort(host, port)
}

// ftpCases apply to every server.
var ftpCases = []struct{ path, want string }{
	{"", "ok"},
	{"/", "ok"},
	{"/readme.txt", "ok"},
	{"/readme.txt;type=i", "ok"},
	{"/readme.txt;type=a", "ok"},
	{"/empty", "ok"},
	{"/docs", "301 to /docs/"},
	{"/docs/", "ok"},
	{"/docs;type=d", "ok"},
	{"/docs/a%20b.html", "ok"},
	{"/docs/sub/x%3By%3Fz%23.md", "ok"},
	{"/docs/sub/x%3By?z%23.md", "ok"}, // FTP has no queries
	{"/gr%C3%BC%C3%9Fe/stra%C3%9Fe.txt", "ok"},
	{"/gr%C3%BC%C3%9Fe", "301 to /gr%C3%BC%C3%9Fe/"},
	{"/percent%2541.txt", "ok"},
	{"/percent%41.txt", "file-missing"},
	{"/docs%2Fa%20b.html", "ok"}, // a single segment, decoded once, is a name with a slash
	{"/readme.txt/", "file-missing"},
	{"/nothing", "file-missing"},
	{"/nothing/", "file-missing"},
	{"/nowhere/readme.txt", "file-missing"},
	{"/README.TXT", "file-missing"},
}

func checkFTP(t *testing.T, f Fetcher, base string) {
	t.Helper()
	for _, row := range ftpCases {
		for _, need := range []Need{Existence, Content} {
			resp, _, fault := fetchURL(t, f, base+row.path, need)
			want := row.want
			if to, ok := strings.CutPrefix(want, "301 to "); ok {
				want = "301 to " + base + to
			}
			if got := verdict(resp, fault); got != want {
				t.Errorf("%s: %s (%v), want %s", row.path, got, fault, want)
				if got == "timeout" {
					t.FailNow() // the other cases would take as long
				}
			}
		}
	}
	resp, text, fault := fetchURL(t, f, base+"/readme.txt", Content)
	if fault != nil || text != "hello\nworld\n" || resp.Size != 12 || resp.ContentType == "" || resp.Requests != 1 {
		t.Errorf("readme.txt: %q %+v %v", text, resp, fault)
	}
	if _, text, _ := fetchURL(t, f, base+"/percent%2541.txt", Content); text != "once" {
		t.Errorf("percent%%41.txt: %q", text)
	}
	if _, _, fault := fetchURL(t, f, base+"/README.TXT", Existence); !mentions(fault, `"readme.txt"`) {
		t.Errorf("README.TXT: %v %q does not name the right file", fault, fault.Hint)
	}
	got := linksOf(t, f, base+"/")
	want := []string{"docs/", "empty", "gr%C3%BC%C3%9Fe/", "page.html", "percent%2541.txt", "readme.txt"}
	if !slices.Equal(got, want) {
		t.Errorf("the listing has %q, want %q", got, want)
	}
	if got, want := linksOf(t, f, base+"/docs/sub/"), []string{"x%3By%3Fz%23.md"}; !slices.Equal(got, want) {
		t.Errorf("the listing of docs/sub has %q, want %q", got, want)
	}
}

// linksOf returns the links of a listing or menu, sorted.
func linksOf(t *testing.T, f Fetcher, address string) []string {
	t.Helper()
	resp, text, fault := fetchURL(t, f, address, Content)
	if fault != nil {
		t.Errorf("%s: %v", address, fault)
		return nil
	}
	doc := extract.Extract(extract.Input{Body: []byte(text), ContentType: resp.ContentType})
	var links []string
	for _, link := range doc.Links {
		links = append(links, link.Ref)
	}
	slices.Sort(links)
	return links
}

func TestPyftpdlib(t *testing.T) {
	dir := ftpTree(t)
	for name, settings := range map[string]string{
		"as it is": "",
		// Without the commands of RFC 3659, the listing in the format of ls must be
		// enough.
		"old": "    proto_cmds = {k: v for k, v in FTPHandler.proto_cmds.items() if k not in ('MLST', 'MLSD', 'SIZE', 'EPSV', 'MDTM')}\n",
	} {
		t.Run(name, func(t *testing.T) {
			_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
			base := "ftp://" + pyftpd(t, dir, settings)
			checkFTP(t, others, base)
			at := strings.TrimPrefix(base, "ftp://")
			for user, want := range map[string]string{
				"jo%20e:s%3Ae%2Fc%40ret": "ok", "jo%20e:wrong": "file-unreadable", "nobody:x": "file-unreadable",
			} {
				resp, _, fault := fetchURL(t, others, "ftp://"+user+"@"+at+"/readme.txt", Existence)
				if got := verdict(resp, fault); got != want {
					t.Errorf("%s: %s (%v), want %s", user, got, fault, want)
				}
				if fault != nil && strings.Contains(fault.Error(), "wrong") {
					t.Errorf("a password is message: %v", fault)
				}
			}
		})
	}
}

// IPv6 has no PASV: data connections use EPSV (RFC 2428).
func TestFTPOverIPv6(t *testing.T) {
	listener, err := net.Listen("tcp", "[::1]:0")
	if err != nil {
		t.Skip("this machine has no IPv6: ", err)
	}
	listener.Close()
	base := "ftp://" + pyftpdAt(t, "::1", ftpTree(t), "")
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	checkFTP(t, others, base)
}

// As in curl, the netrc file may contain the account for an FTP host.
func TestFTPNetrc(t *testing.T) {
	server := serveLines(t, func(c *serverConn) {
		c.script("220 hello\r\n", map[string]string{"USER": "331 go on\r\n", "PASS": "530 no\r\n", "": "500 what?\r\n"})
	})
	file := filepath.Join(t.TempDir(), "netrc")
	if err := os.WriteFile(file, []byte("machine 127.0.0.1 login jim password secret\nmachine other.example login x password y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, others := newOtherSchemes(t, HTTPConfig{Secrets: Secrets{Netrc: file, NetrcAnyPort: true}}, OtherSchemesConfig{})
	fetchURL(t, others, "ftp://"+server.addr.String()+"/", Existence)
	fetchURL(t, others, "ftp://joe:own@"+server.addr.String()+"/", Existence)
	got := server.lines()
	want := []string{"USER jim\r\n", "PASS secret\r\n", "USER joe\r\n", "PASS own\r\n"}
	if len(got) < 4 || !slices.Equal(slices.DeleteFunc(got, func(s string) bool { return !strings.HasPrefix(s, "USER") && !strings.HasPrefix(s, "PASS") }), want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// An account given for the start targets is used for them only.
func TestFTPAccount(t *testing.T) {
	server := serveLines(t, func(c *serverConn) {
		c.script("220 hello\r\n", map[string]string{"USER": "331 go on\r\n", "PASS": "530 no\r\n", "": "500 what?\r\n"})
	})
	u := mustParse(t, "ftp://"+server.addr.String()+"/")
	for _, row := range []struct {
		start string
		want  []string
	}{
		{"http://" + server.addr.String(), []string{"USER anonymous\r\n", "PASS orbweaver@\r\n"}},
		{"ftp://127.0.0.1/", []string{"USER anonymous\r\n", "PASS orbweaver@\r\n"}},
		{"ftp://" + server.addr.String(), []string{"USER jim\r\n", "PASS secret\r\n"}},
	} {
		_, others := newOtherSchemes(t, HTTPConfig{Secrets: Secrets{Credentials: "jim:secret", Origins: NewOrigins(mustParse(t, row.start))}}, OtherSchemesConfig{})
		before := len(server.lines())
		if _, err := others.Fetch(t.Context(), &Request{URL: u, Internal: true}); err == nil {
			t.Error("no fault")
		}
		if got := server.lines()[before:]; !slices.Equal(got[:2], row.want) {
			t.Errorf("start target %s: %q, want %q", row.start, got, row.want)
		}
	}
}

func TestFTPTooManyUsers(t *testing.T) {
	base := "ftp://" + pyftpd(t, ftpTree(t), "---\nserver.max_cons = 1\n")
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	conn, err := net.Dial("tcp", strings.TrimPrefix(base, "ftp://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	conn.Read(make([]byte, 1)) // part of it
	_, _, fault := fetchURL(t, others, base+"/", Existence)
	if fault == nil || fault.Kind != "rate-limited" || !fault.Retry || !mentions(fault, "421") {
		t.Errorf("%v, want rate-limited", fault)
	}
}

// serverCertificate writes a certificate for 127.0.0.1 and example.com, its key, and
// the certificate of the authority that signed it.
func serverCertificate(t testing.TB) (file, authority string) {
	root := crawlertest.NewAuthority(t, "Root")
	return root.Leaf(t, "example.com", loopback).File(t), root.File(t)
}

// vsftpd writes a configuration and runs the server for each connection.
func vsftpd(t *testing.T, dir, settings string) *net.TCPAddr {
	t.Helper()
	config := filepath.Join(t.TempDir(), "vsftpd.conf")
	empty := t.TempDir()
	if err := os.Chmod(empty, 0o555); err != nil {
		t.Fatal(err)
	}
	text := "listen=NO\nrun_as_launching_user=YES\nanonymous_enable=YES\nlocal_enable=NO\nanon_root=" + dir +
		"\nsecure_chroot_dir=" + empty + "\none_process_model=NO\nseccomp_sandbox=NO\nxferlog_enable=NO\nutf8_filesystem=YES\n" +
		"allow_writeable_chroot=YES\nno_anon_password=NO\nftp_username=" + userName(t) + "\n" + settings
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return superServer(t, "vsftpd", config)
}

func userName(t *testing.T) string {
	t.Helper()
	if os.Getuid() == 0 {
		return "root"
	}
	return os.Getenv("USER")
}

func TestVsftpd(t *testing.T) {
	base := "ftp://" + vsftpd(t, ftpTree(t), "").String()
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	checkFTP(t, others, base)
	if _, _, fault := fetchURL(t, others, strings.Replace(base, "//", "//jim:x@", 1)+"/", Existence); fault == nil || fault.Kind != "file-unreadable" {
		t.Errorf("an unknown user: %v, want file-unreadable", fault)
	}
}

func TestVsftpdTLS(t *testing.T) {
	certificate, authority := serverCertificate(t)
	settings := "ssl_enable=YES\nallow_anon_ssl=YES\nforce_anon_data_ssl=YES\nforce_anon_logins_ssl=YES\nrequire_ssl_reuse=YES\nrsa_cert_file=" + certificate + "\n"
	dir := ftpTree(t)
	for name, implicit := range map[string]bool{"implicit": true, "explicit": false} {
		t.Run(name, func(t *testing.T) {
			config := HTTPConfig{CAFile: authority}
			more, host := "", ""
			if implicit {
				more = "implicit_ssl=YES\n"
			}
			addr := vsftpd(t, dir, settings+more)
			if host = addr.String(); !implicit {
				host = "127.0.0.1:21"
				config.ConnectTo = []ConnectTo{{From: host, To: addr.String()}}
			}
			_, others := newOtherSchemes(t, config, OtherSchemesConfig{})
			checkFTP(t, others, "ftps://"+host)

			config.CAFile = ""
			_, strict := newOtherSchemes(t, config, OtherSchemesConfig{})
			if _, _, fault := fetchURL(t, strict, "ftps://"+host+"/", Existence); fault == nil || fault.Kind != "tls-untrusted" {
				t.Errorf("%v, want tls-untrusted", fault)
			}
			if implicit {
				return
			}
			config.CAFile, config.ConnectTo[0].From = authority, "other.example:21"
			_, other := newOtherSchemes(t, config, OtherSchemesConfig{})
			other["ftps"].(*schemeFetcher).web.resolver.lookup = loopbackName
			if _, _, fault := fetchURL(t, other, "ftps://other.example:21/", Existence); fault == nil || fault.Kind != "tls-hostname" {
				t.Errorf("%v, want tls-hostname", fault)
			}
			// This server requires TLS.
			config.ConnectTo[0].From = "other.example:21"
			if _, _, fault := fetchURL(t, other, "ftp://other.example/", Existence); fault == nil || fault.Kind != "file-unreadable" {
				t.Errorf("%v, want file-unreadable", fault)
			}
		})
	}
}

// ftpServer is a hostile server with a given reply to each command and a data
// connection handled by talk.
func ftpServer(t *testing.T, answers map[string]string, talk func(net.Conn)) *lineServer {
	data, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { data.Close() })
	port := data.Addr().(*net.TCPAddr).Port
	all := map[string]string{
		"": "502 no\r\n", "USER": "230 in\r\n", "TYPE": "200 ok\r\n", "FEAT": "211-\r\n UTF8\r\n211 \r\n", "OPTS": "200 ok\r\n",
		"CWD": "250 ok\r\n", "QUIT": "221 bye\r\n", "LIST": "150 here\r\n226 done\r\n", "RETR": "150 here\r\n226 done\r\n",
		"EPSV": fmt.Sprintf("229 go (|||%d|)\r\n", port),
	}
	for key, value := range answers {
		all[key] = value
	}
	return serveLines(t, func(c *serverConn) {
		done := make(chan bool)
		go func() {
			defer close(done)
			conn, err := data.Accept()
			if err != nil {
				return
			}
			defer conn.Close()
			talk(conn)
		}()
		c.script("220 hello\r\n", all)
		data.Close()
		<-done
	})
}

func TestFTPFaults(t *testing.T) {
	none := func(net.Conn) {}
	closed := freePort(t)
	endless := func(line string) func(net.Conn) {
		return func(conn net.Conn) {
			block := []byte(strings.Repeat(line, 1+65536/len(line)))
			for {
				if _, err := conn.Write(block); err != nil {
					return
				}
			}
		}
	}
	for _, row := range []struct {
		name, path    string
		need          Need
		answers       map[string]string
		data          func(net.Conn)
		want, message string
	}{
		{name: "busy", answers: map[string]string{"USER": "421 too many of you\r\n"}, want: "rate-limited", message: "421 too many of you"},
		{name: "no anonymous login", answers: map[string]string{"USER": "530 who are you\r\n"}, want: "file-unreadable", message: "requires an account: 530 who are you"},
		{name: "control characters in a reply", answers: map[string]string{"USER": "530 \x1b[31m\x00red\r\n"}, want: "file-unreadable", message: "530 [31m red"},
		{name: "forbidden", path: "a/", answers: map[string]string{"CWD": "550 Permission denied.\r\n"}, want: "file-unreadable"},
		{name: "no reply", path: "a/", answers: map[string]string{"CWD": "what?\r\n"}, want: "protocol-error"},
		{name: "a port below 1024", need: Content, answers: map[string]string{"EPSV": "229 go (|||25|)\r\n"}, data: none, want: "protocol-error", message: "port 25"},
		{name: "another host", need: Content, answers: map[string]string{"EPSV": "500 no\r\n", "PASV": fmt.Sprintf("227 go (127,0,0,2,%d,%d)\r\n", closed>>8, closed&255)}, want: "connection-reset", message: fmt.Sprintf("connect 127.0.0.1:%d", closed)},
		{name: "no such port", need: Content, answers: map[string]string{"EPSV": "229 go (|||99999|)\r\n"}, want: "protocol-error"},
		{name: "no data", need: Content, data: func(conn net.Conn) { conn.Read(make([]byte, 1)) }, want: "timeout"},
		{name: "data refused", need: Content, answers: map[string]string{"LIST": "425 can't open data connection\r\n"}, data: none, want: "connection-reset"},
		{name: "line without end", need: Content, data: endless("x"), want: "protocol-error"},
		{name: "endless list", need: Content, data: endless("-rw-r--r-- 1 a a 1 Jan 01 2020 f\r\n"), want: "ok"},
		{name: "file that ends early", path: "f", need: Content, answers: map[string]string{"SIZE": "213 5\r\n", "RETR": "150 here\r\n426 broken\r\n"}, data: func(conn net.Conn) { conn.Write([]byte("abc")) }, want: "body-truncated"},
		{name: "endless file", path: "f", need: Content, answers: map[string]string{"SIZE": "213 5\r\n", "RETR": "150 here\r\n"}, data: endless("x"), want: "body-truncated"},
		{name: "ProFTPD's 450", path: "f", answers: map[string]string{"CWD": "550 f: No such file or directory\r\n", "SIZE": "450 f: No such file or directory\r\n"}, want: "file-missing"},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.data == nil {
				row.data = none
			}
			server := ftpServer(t, row.answers, row.data)
			_, others := newOtherSchemes(t, HTTPConfig{Timeout: patience(row.want), MaxBody: 1 << 20}, OtherSchemesConfig{})
			resp, text, fault := fetchURL(t, others, "ftp://"+server.addr.String()+"/"+row.path, row.need)
			if fault == nil && resp == nil {
				t.Fatal("neither an answer nor a fault")
			}
			if got := verdict(resp, fault); got != row.want || !mentions(fault, row.message) {
				t.Errorf("%s (%v), want %s, %q", got, fault, row.want, row.message)
			}
			if len(text) > 64<<20 {
				t.Errorf("%d bytes", len(text))
			}
			if row.name == "endless list" && (len(resp.Notes) == 0 || resp.Notes[0].Code != "body-truncated") {
				t.Errorf("the list was truncated without a note: %v", resp.Notes)
			}
		})
	}
}

// A name must not become an option of ls on the server.
func TestFTPNameLikeAnOption(t *testing.T) {
	server := ftpServer(t, map[string]string{"SIZE": "550 no\r\n", "CWD": "550 no\r\n"}, func(net.Conn) {})
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	fetchURL(t, others, "ftp://"+server.addr.String()+"/-R%2Fx", Existence)
	if said := strings.Join(server.lines(), ""); !strings.Contains(said, "LIST ./-R\r\n") || strings.Contains(said, "LIST -R") {
		t.Errorf("said %q", said)
	}
}

// A listing must not create links that the directory does not contain.
func TestFTPListing(t *testing.T) {
	lines := []string{
		"total 9",
		"drwxr-xr-x 2 a a 4096 Jan 01 2020 .",
		"drwxr-xr-x 2 a a 4096 Jan 01 2020 ..",
		"drwxr-xr-x 2 a a 4096 Jan 01 2020 javascript:alert(1)",
		"-rw-r--r-- 1 a a 12 Jan 01 2020 <b>&\"'.txt",
		"-rw-r--r-- 1 a a 12 Jan 01 2020 caf\xe9",
		"-rw-r--r-- 1 a a 12 Jan 01 2020 ../../etc/passwd",
		"lrwxrwxrwx 1 a a 12 Jan 01 2020 up -> ..",
		"lrwxrwxrwx 1 a a 12 Jan 01 2020 link -> real",
		"01-02-20  03:04PM       <DIR>          dos dir",
		"01-02-20  03:04PM                   12 dos.txt",
		"nonsense",
	}
	server := ftpServer(t, nil, func(conn net.Conn) { conn.Write([]byte(strings.Join(lines, "\r\n") + "\r\n")) })
	_, others := newOtherSchemes(t, HTTPConfig{}, OtherSchemesConfig{})
	got := linksOf(t, others, "ftp://"+server.addr.String()+"/")
	want := []string{"%3Cb%3E%26%22%27.txt", "caf%E9", "dos%20dir/", "dos.txt", "javascript%3Aalert%281%29/", "link", "passwd"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
