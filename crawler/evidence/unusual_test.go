package evidence

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/orbweaver/orbweaver/crawler/crawlertest"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/urinorm"
)

// keepAll keeps requests for some paths in a file.
func keepAll(t *testing.T, name, host string, paths ...string) {
	t.Helper()
	if err := keep(t, Options{Path: name, All: true}, host, paths...).Finish(Run{Complete: true}); err != nil {
		t.Fatal(err)
	}
}

func open(t *testing.T, name string) *Archive {
	t.Helper()
	a, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(a.Close)
	return a
}

// Answers over HTTP/2 are kept as those of HTTP/1.1, with the protocol beside them.
func TestHTTP2(t *testing.T) {
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.ProtoMajor != 2 {
			t.Errorf("asked over %s", r.Proto)
		}
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/gone" {
			w.WriteHeader(http.StatusNotFound)
		}
		io.WriteString(w, text)
		w.(http.Flusher).Flush() // so that there is no length
		if r.URL.Path == "/reset" {
			panic(http.ErrAbortHandler)
		}
	}))
	s.EnableHTTP2 = true
	s.StartTLS()
	t.Cleanup(s.Close)
	name := filepath.Join(t.TempDir(), "e.warc.gz")
	keepAll(t, name, s.URL, "/a", "/gone", "/reset")
	responses := 0
	for _, r := range readStrictly(t, name) {
		if r.kind != "response" {
			continue
		}
		responses++
		protocol := ""
		for name, value := range r.header {
			if strings.EqualFold(name, "WARC-Protocol") { // as that library spells it
				protocol = value
			}
		}
		if protocol != "h2" || !strings.HasPrefix(r.block, "HTTP/1.1 ") || strings.Contains(r.block, "Transfer-Encoding") || !strings.Contains(r.block, "\r\nContent-Type: text/html\r\n") || !strings.HasSuffix(r.block, text) {
			t.Errorf("kept over %q:\n%s", protocol, r.block)
		}
		if cut := r.header["WARC-Truncated"]; (cut == "disconnect") != strings.HasSuffix(r.uri, "/reset") {
			t.Errorf("%s is cut: %q", r.uri, cut)
		}
	}
	if responses != 3 {
		t.Errorf("%d answers, want 3", responses)
	}
	a := open(t, name)
	for path, want := range map[string]string{"/a": "OK " + text, "/gone": "Not Found " + text, "/reset": "OK " + text + " body-truncated"} {
		if got := ask(t, a, s.URL+path, fetch.Content); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
}

// raw serves bytes as they are.
func raw(t *testing.T, answer string) string {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(conn, answer)
		conn.Close()
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// An answer with NUL bytes in its fields is kept so that another program can read it, and replayed as it
// was judged.
func TestNULInFields(t *testing.T) {
	for name, answer := range map[string]string{
		"value":  "HTTP/1.1 200 OK\r\nX-Odd: a\x00b\r\nContent-Length: 2\r\n\r\nok",
		"name":   "HTTP/1.1 200 OK\r\nX-\x00Odd: ab\r\nContent-Length: 2\r\n\r\nok",
		"reason": "HTTP/1.1 200 O\x00K\r\nContent-Length: 2\r\n\r\nok",
		"body":   "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\no\x00k",
	} {
		t.Run(name, func(t *testing.T) {
			host, file := raw(t, answer), filepath.Join(t.TempDir(), "e.warc.gz")
			keepAll(t, file, host, "/a")
			for _, r := range readStrictly(t, file) {
				if head, _, _ := strings.Cut(r.block, "\r\n\r\n"); strings.ContainsRune(head, 0) {
					t.Errorf("a NUL byte was kept: %q", r.block)
				}
			}
			_, client := newClient(t)
			u, _, err := urinorm.ParseWeb(host + "/a")
			if err != nil {
				t.Fatal(err)
			}
			want := ""
			resp, err := client.Fetch(t.Context(), &fetch.Request{URL: u, Need: fetch.Content})
			if fault, ok := err.(*fetch.Fault); ok {
				want = fault.Kind
			} else if err != nil {
				t.Fatal(err)
			} else {
				body, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				want = http.StatusText(resp.Status) + " " + string(body)
			}
			if got := ask(t, open(t, file), host+"/a", fetch.Content); got != want {
				t.Errorf("replayed %q, want %q", got, want)
			}
		})
	}
}

// A directory has no more rights than a file.
func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		return // there are no such modes
	}
	s := site(t)
	dir := filepath.Join(t.TempDir(), "e")
	k := keep(t, Options{Path: dir + "/", All: true}, s.URL, "/a")
	modes := func() (n int) {
		err := filepath.Walk(dir, func(name string, info os.FileInfo, err error) error {
			if err != nil {
				return err
			}
			n++
			want := os.FileMode(0o600)
			if info.IsDir() {
				want = 0o700
			}
			if info.Mode().Perm() != want {
				t.Errorf("%s has the mode %v, want %v", name, info.Mode().Perm(), want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	if n := modes(); n != 3 {
		t.Errorf("%d files and directories while the run works, want 3", n)
	}
	if err := k.Finish(Run{}); err != nil {
		t.Fatal(err)
	}
	if n := modes(); n != 9 {
		t.Errorf("%d files and directories, want 9", n)
	}
}

// Of a file with one forged answer, the others count.
func TestForgedAnswer(t *testing.T) {
	s := site(t)
	file := filepath.Join(t.TempDir(), "e.warc.gz")
	keepAll(t, file, s.URL, "/gone", "/gzip", "/order") // which closes its connection
	packed, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var forged bytes.Buffer
	in := bytes.NewReader(packed)
	for in.Len() > 0 { // each record is a member
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		z.Multistream(false)
		record, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		out := gzip.NewWriter(&forged)
		out.Write(bytes.Replace(record, []byte("\r\n\r\ngone\n"), []byte("\r\n\r\nhere\n"), 1))
		out.Close()
	}
	if err := os.WriteFile(file, forged.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	a := open(t, file)
	for path, want := range map[string]string{"/gone": "evidence-missing", "/order": "OK ok", "/gzip": "OK " + text} {
		if got := ask(t, a, s.URL+path, fetch.Content); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}
	if a.Damaged() != 1 {
		t.Errorf("%d records are damaged, want 1", a.Damaged())
	}
}

// Many targets are kept sorted, and each is found again, within memory that does not depend on their
// bodies.
func TestManyTargets(t *testing.T) {
	targets := crawlertest.Count(3000, 100_000)
	file := filepath.Join(t.TempDir(), "e.wacz")
	k := keep(t, Options{Path: file, All: true}, "http://x.test")
	header := http.Header{"Content-Type": {"text/html"}}
	address := func(i int) string { return fmt.Sprintf("http://x.test/%d", i*7919%targets) }
	var before runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for i := range targets {
		u, _, err := urinorm.ParseWeb(address(i))
		if err != nil {
			t.Fatal(err)
		}
		x := k.Begin(&traffic.Sent{URL: u, Asker: traffic.Asker{URL: u, Visit: true, First: true}, Method: "GET", Target: u.RequestTarget(), Header: header, Host: "x.test", At: formatDay, Page: true})
		x.Keep([]byte(text + u.Printed()))
		x.Finish(&traffic.Received{Status: 200, Reason: "200 OK", Header: header, Size: -1, Requests: 1}, nil)
	}
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	if grown, most := int64(m.HeapAlloc-before.HeapAlloc), int64(16<<20+targets*64); grown > most {
		t.Errorf("keeping takes %d KiB, at most %d", grown>>10, most>>10)
	}
	if err := k.Finish(Run{Complete: true}); err != nil {
		t.Fatal(err)
	}
	a := open(t, file)
	runtime.GC()
	runtime.ReadMemStats(&m)
	if most := uint64(64<<20 + targets*2<<10); m.HeapAlloc > most {
		t.Errorf("%d MiB are in use, at most %d", m.HeapAlloc>>20, most>>20)
	}
	t.Logf("%d targets: %d MiB in use", targets, m.HeapAlloc>>20)
	for i := 0; i < targets; i += max(1, targets/500) {
		if got, want := ask(t, a, address(i), fetch.Content), "OK "+text+address(i); got != want {
			t.Errorf("%s: %q", address(i), got)
		}
	}
	if a.Damaged()+a.Beyond()+a.Missing() > 0 {
		t.Errorf("%d damaged, %d beyond, %d missing", a.Damaged(), a.Beyond(), a.Missing())
	}
}
