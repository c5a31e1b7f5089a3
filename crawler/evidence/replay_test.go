package evidence

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// ask asks an archive as a visit does, and returns the answer in words.
func ask(t *testing.T, a *Archive, address string, need fetch.Need) string {
	t.Helper()
	web, client := newClient(t)
	web.Replay(a)
	u, _, err := urinorm.ParseWeb(address)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := client.Fetch(traffic.WithAsker(context.Background(), traffic.Asker{URL: u, Visit: true}), &fetch.Request{URL: u, Need: need})
	var fault *fetch.Fault
	if errors.As(err, &fault) {
		return fault.Kind
	}
	if err != nil {
		t.Fatal(err)
	}
	words := http.StatusText(resp.Status)
	if resp.Body != nil {
		body, err := io.ReadAll(io.LimitReader(resp.Body, 1<<20))
		resp.Body.Close()
		words += " " + string(body)
		if errors.As(err, &fault) {
			words += " " + fault.Kind
		}
	}
	return words
}

// Each answer is given again: coded, cut off, or none at all.
func TestReplay(t *testing.T) {
	s := site(t)
	file := filepath.Join(t.TempDir(), "e.wacz")
	k := keep(t, Options{Path: file, All: true}, s.URL, "/a", "/b", "/gzip", "/cut", "/reset", "/gone", "HEAD /head")
	if err := k.Finish(Run{}); err != nil {
		t.Fatal(err)
	}
	s.Close()
	a, err := Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	for _, row := range []struct {
		path string
		need fetch.Need
		want string
	}{
		{"/a", fetch.Content, "OK " + text},
		{"/b", fetch.Content, "OK " + text}, // a revisit
		{"/gzip", fetch.Content, "OK " + text},
		{"/cut", fetch.Content, "OK not all body-truncated"},
		{"/reset", fetch.Content, "connection-reset"},
		{"/gone", fetch.Content, "Not Found gone\n"},
		{"/gone", fetch.Content, "Not Found gone\n"},
		{"/gone", fetch.Existence, "Not Found"},
		{"/head", fetch.Existence, "OK"},
		{"/head", fetch.Content, "evidence-missing"}, // a GET never gets the answer to a HEAD
		{"/other", fetch.Content, "evidence-missing"},
	} {
		if got := ask(t, a, s.URL+row.path, row.need); got != row.want {
			t.Errorf("%s: %q, want %q", row.path, got, row.want)
		}
	}
}

// dialog is what a server says: first, and to lines of the client.
type dialog struct {
	greeting  string
	replies   map[string]string // by the beginning of a line
	otherwise string
	once      bool // the connection ends with the first reply
}

// serve serves a dialog, and returns its address. stop ends it.
func (d *dialog) serve(t *testing.T) (address string, stop func()) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go d.answer(conn)
		}
	}()
	return listener.Addr().String(), func() { listener.Close() }
}

func (d *dialog) answer(conn net.Conn) {
	defer conn.Close()
	io.WriteString(conn, d.greeting)
	for in := bufio.NewScanner(conn); in.Scan(); {
		reply := d.otherwise
		for begin, text := range d.replies {
			if strings.HasPrefix(in.Text(), begin) {
				reply = text
			}
		}
		if io.WriteString(conn, reply); d.once {
			return
		}
	}
}

// Answers over other schemes are given again, and so are their faults.
func TestReplayOtherSchemes(t *testing.T) {
	type question struct {
		path string
		need fetch.Need
		want string
	}
	lost := question{"/other", fetch.Existence, "evidence-missing"}
	for scheme, row := range map[string]struct {
		server dialog
		asked  []string
		want   []question
	}{
		"gopher": {dialog{replies: map[string]string{"/page": "<p>a page\r\n.\r\n", "/head": "<p>a page\r\n.\r\n", "/empty": ""}, otherwise: "3no such thing\t\tserver\t70\r\n.\r\n", once: true},
			[]string{"/h/page", "/1/gone", "HEAD /h/head", "/h/empty"},
			[]question{{"/h/page", fetch.Content, " <p>a page\r\n.\r\n"}, {"/h/page", fetch.Existence, ""}, {"/1/gone", fetch.Content, "file-missing"}, {"/h/head", fetch.Content, "evidence-missing"}, {"/h/empty", fetch.Content, " "}, lost}},
		"finger": {dialog{replies: map[string]string{"joe": "Login: joe\r\n"}, once: true}, []string{"HEAD /joe", "HEAD /jim"},
			[]question{{"/joe", fetch.Existence, ""}, {"/jim", fetch.Existence, "connection-reset"}, lost}},
		"dict": {dialog{greeting: "220 hello\r\n", replies: map[string]string{`DEFINE ! "tree"`: "150 1\r\n", "QUIT": "221 bye\r\n"}, otherwise: "552 no match\r\n"},
			[]string{"HEAD /d:tree", "HEAD /d:stone", "HEAD /q:"},
			[]question{{"/d:tree", fetch.Existence, ""}, {"/d:stone", fetch.Existence, "file-missing"}, {"/q:", fetch.Existence, "uri-invalid"}, {"/d:other", fetch.Existence, "evidence-missing"}}},
		"telnet": {dialog{greeting: "login: "}, []string{"HEAD /"}, []question{{"/", fetch.Existence, ""}, {"/", fetch.Content, "evidence-missing"}}},
		"nntp": {dialog{greeting: "200 hello\r\n", replies: map[string]string{"GROUP local.test": "211 1 1 1 local.test\r\n", "QUIT": "205 bye\r\n"}, otherwise: "411 no such group\r\n"},
			[]string{"HEAD /local.test", "HEAD /gone.test"},
			[]question{{"/local.test", fetch.Existence, ""}, {"/gone.test", fetch.Existence, "file-missing"}, {"/other.test", fetch.Existence, "evidence-missing"}}},
	} {
		t.Run(scheme, func(t *testing.T) {
			address, stop := row.server.serve(t)
			host, file := scheme+"://"+address, filepath.Join(t.TempDir(), "e.wacz")
			keepAll(t, file, host, row.asked...)
			stop()
			a := open(t, file)
			for _, q := range row.want {
				if got := ask(t, a, host+q.path, q.need); got != q.want {
					t.Errorf("%s: %q, want %q", q.path, got, q.want)
				}
			}
		})
	}
}

// foreign returns a WARC file that another program might have written.
func foreign(t *testing.T, records ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	for _, text := range records {
		z := gzip.NewWriter(&b)
		io.WriteString(z, text)
		z.Close()
	}
	return b.Bytes()
}

func response(uri, fields, block string) string {
	return "WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\nWARC-Date: 2020-01-01T00:00:00Z\r\nWARC-Target-URI: " + uri + "\r\n" + fields +
		"Content-Type: application/http; msgtype=response\r\nContent-Length: " + strconv.Itoa(len(block)) + "\r\n\r\n" + block + "\r\n\r\n"
}

// Files of strangers are read as far as they are sound.
func TestReplayStrange(t *testing.T) {
	const page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\nhello"
	for _, row := range []struct {
		name    string
		records []string
		cut     int // bytes from the end
		want    string
		damaged int
	}{
		{"another program", []string{response("http://a.test/", "", page)}, 0, "OK hello", 0},
		{"in angle brackets", []string{response("<http://a.test/>", "", page)}, 0, "OK hello", 0},
		{"chunked", []string{response("http://a.test/", "", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n")}, 0, "OK hello", 0},
		{"a digest that fits", []string{response("http://a.test/", "WARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N\r\n", page)}, 0, "OK hello", 0},
		{"a forged digest", []string{response("http://a.test/", "WARC-Payload-Digest: sha1:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\r\n", page)}, 0, "evidence-missing", 1},
		{"a forged block", []string{response("http://a.test/", "WARC-Block-Digest: sha256:00\r\n", page)}, 0, "evidence-missing", 1},
		{"cut off", []string{response("http://b.test/", "", page), response("http://a.test/", "", page)}, 9, "evidence-missing", 1},
		{"longer than it says", []string{response("http://b.test/", "", page), strings.Replace(response("http://a.test/", "", page), "hello", "hello world", 1)}, 0, "evidence-missing", 1},
		{"shorter than it says", []string{response("http://b.test/", "", page), strings.Replace(response("http://a.test/", "", page), "Content-Length: ", "Content-Length: 9000000000", 1)}, 0, "evidence-missing", 1},
		{"no answer", []string{response("http://a.test/", "", "hello")}, 0, "evidence-missing", 1},
		{"a revisit of nothing", []string{strings.Replace(response("http://a.test/", "WARC-Payload-Digest: sha1:X\r\n", page), "response", "revisit", 1)}, 0, "evidence-missing", 0},
		{"a status of no use", []string{response("http://a.test/", "", "HTTP/1.1 99999 OK\r\n\r\n")}, 0, "evidence-missing", 1},
		{"NUL in a field", []string{response("http://a.test/", "", "HTTP/1.1 200 OK\r\nX: a\x00b\r\nContent-Type: text/html\r\n\r\nhello")}, 0, "OK hello", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x.warc.gz")
			data := foreign(t, row.records...)
			if err := os.WriteFile(file, data[:len(data)-row.cut], 0o600); err != nil {
				t.Fatal(err)
			}
			a, err := Open(file)
			if err != nil {
				t.Fatal(err)
			}
			defer a.Close()
			if got := ask(t, a, "http://a.test/", fetch.Content); got != row.want || a.Damaged() != row.damaged {
				t.Errorf("%q with %d damaged records, want %q with %d", got, a.Damaged(), row.want, row.damaged)
			}
		})
	}
}

// What is no evidence is refused, and nothing of a file is unpacked.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, data []byte) string {
		name = filepath.Join(dir, name)
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	wacz := func(method uint16, names ...string) []byte {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		for _, name := range names {
			w, err := z.CreateHeader(&zip.FileHeader{Name: name, Method: method})
			if err != nil {
				t.Fatal(err)
			}
			w.Write(foreign(t, response("http://a.test/", "", "HTTP/1.1 200 OK\r\n\r\n")))
		}
		z.Close()
		return b.Bytes()
	}
	good := wacz(zip.Store, "archive/a.warc.gz", "../../evil.txt", "/etc/evil")
	for name, want := range map[string]string{
		filepath.Join(dir, "missing.wacz"): "no such file",
		dir:                                "no directory archive",
		write("empty.wacz", nil):           "it is empty",
		write("text.warc.gz", []byte("hello world")):                         "it is no evidence",
		write("gzip.warc.gz", foreign(t, "hello")):                           "does not begin with a record",
		write("cut.wacz", good[:len(good)-30]):                               "it is no WACZ file, or was cut",
		write("compressed.wacz", wacz(zip.Deflate, "archive/data.warc.gz")):  "compressed within it",
		write("nothing.wacz", wacz(zip.Store, "datapackage.json", "a.warc")): "contains no WARC file",
	} {
		if a, err := Open(name); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v, %v; want an error with %q", name, a, err, want)
		}
	}
	a, err := Open(write("evil.wacz", good))
	if err != nil {
		t.Fatal(err)
	}
	a.Close()
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 7 {
		t.Errorf("%d files, %v; want those that were written", len(entries), err)
	}
}

// What a killed run left is evidence, too.
func TestReplayPart(t *testing.T) {
	s := site(t)
	for _, name := range []string{"e.wacz", "dir/"} {
		file := t.TempDir() + "/" + name
		k := keep(t, Options{Path: file}, s.URL, "/a", "/b")
		path := k.place.part
		if name == "dir/" {
			path = file
		}
		a, err := Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := ask(t, a, s.URL+"/b", fetch.Content); got != "OK "+text {
			t.Errorf("%s: %q", name, got)
		}
		a.Close()
		k.Abandon()
	}
}

func FuzzOpen(f *testing.F) {
	var whole bytes.Buffer
	z := gzip.NewWriter(&whole)
	io.WriteString(z, response("http://a.test/", "", "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\nhello"))
	z.Close()
	f.Add(whole.Bytes())
	f.Fuzz(func(t *testing.T, data []byte) {
		file := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		a, err := Open(file)
		if err != nil {
			return
		}
		defer a.Close()
		for uri := range a.byURL {
			if u, _, err := urinorm.ParseWeb(uri); err == nil && u.Host() != "" && strings.HasPrefix(u.Scheme(), "http") {
				ask(t, a, uri, fetch.Content)
			}
		}
	})
}

// holes writes large parts, which are zeros, as holes of a file.
type holes struct{ *os.File }

func (h holes) Write(p []byte) (int, error) {
	if len(p) < 1<<20 {
		return h.File.Write(p)
	}
	_, err := h.Seek(int64(len(p)), io.SeekCurrent)
	return len(p), err
}

// A file may be larger than what 32 bits count.
func TestReplayLargeFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "e.wacz")
	f, err := os.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(holes{f})
	const large = 4<<30 + 5
	hole, err := z.CreateRaw(&zip.FileHeader{Name: "hole", Method: zip.Store, CompressedSize64: large, UncompressedSize64: large})
	zeros := make([]byte, 64<<20)
	for left := int64(large); left > 0 && err == nil; left -= int64(len(zeros)) {
		_, err = hole.Write(zeros[:min(left, int64(len(zeros)))])
	}
	if err != nil {
		t.Fatal(err)
	}
	to, err := z.CreateHeader(&zip.FileHeader{Name: "archive/data-00000.warc.gz", Method: zip.Store})
	if err != nil {
		t.Fatal(err)
	}
	to.Write(foreign(t, response("http://a.test/", "", "HTTP/1.1 200 OK\r\n\r\nhello")))
	if err := errors.Join(z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	a, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if got := ask(t, a, "http://a.test/", fetch.Content); got != "OK hello" || a.Damaged() > 0 {
		t.Errorf("%q, %d damaged records", got, a.Damaged())
	}
}
