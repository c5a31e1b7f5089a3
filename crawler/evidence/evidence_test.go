package evidence

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nlnwa/gowarc/v3"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch"
	"github.com/orbweaver/orbweaver/crawler/internal/traffic"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// text is longer than the shortest payload that is written once.
var text = "<!doctype html><title>A page</title><p>" + strings.Repeat("word ", 100)

// site answers as servers do that are worth keeping.
func site(t *testing.T) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/gzip":
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Content-Type", "text/html")
			z := gzip.NewWriter(w)
			io.WriteString(z, text)
			z.Close()
		case "/secret":
			w.Header().Set("Content-Encoding", "gzip")
			w.Header().Set("Location", "http://me:hunter2@example.com/")
			z := gzip.NewWriter(w)
			io.WriteString(z, text+"your token is token-of-mine, and again token-of-mine")
			z.Close()
		case "/cut":
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, "not all")
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		case "/reset":
			panic(http.ErrAbortHandler)
		case "/gone":
			http.Error(w, "gone", 404)
		case "/order":
			conn, _, _ := w.(http.Hijacker).Hijack()
			io.WriteString(conn, "HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\nHTTP/1.1 200 Fine\r\nX-Zed: 1\r\nset-cookie: a=b\r\nAccept-ranges: none\r\nX-Zed: 2\r\nContent-Length: 2\r\n\r\nok")
			conn.Close()
		default:
			w.Header().Set("Set-Cookie", "sid=deadbeef; Path=/")
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, text)
		}
	}))
	s.Config.ErrorLog = nil
	t.Cleanup(s.Close)
	return s
}

var formatDay = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// newClient returns a client, and its fetchers of all schemes.
func newClient(t *testing.T) (*fetch.HTTP, fetch.Mux) {
	t.Helper()
	web, err := fetch.NewHTTP(fetch.HTTPConfig{NoEnvironment: true, Insecure: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(web.Close)
	other, err := fetch.NewOtherSchemes(web, fetch.OtherSchemesConfig{})
	if err != nil {
		t.Fatal(err)
	}
	client := other.Fetchers()
	client["http"], client["https"] = web, web
	return web, client
}

// maxRead is how much of a body is read.
const maxRead = 1 << 20

// keep lets a Keeper see requests for some paths, and returns it.
func keep(t *testing.T, o Options, host string, paths ...string) *Keeper {
	t.Helper()
	o.Software, o.MaxBody, o.Note = "orbweaver/1.2.3", 10<<20, t.Output()
	if o.MaxSize == 0 {
		o.MaxSize = 1 << 30
	}
	k, err := Create(o)
	if err != nil {
		t.Fatal(err)
	}
	web, client := newClient(t)
	web.Record(k)
	for _, path := range paths {
		need := fetch.Content
		if rest, ok := strings.CutPrefix(path, "HEAD "); ok {
			need, path = fetch.Existence, rest
		}
		u, _, err := urinorm.ParseWeb(host + path)
		if err != nil {
			t.Fatal(err)
		}
		ctx := traffic.WithAsker(context.Background(), traffic.Asker{URL: u, Visit: true})
		resp, err := client.Fetch(ctx, &fetch.Request{URL: u, Need: need, Internal: true, Header: http.Header{"X-Token": {"token-of-mine"}}})
		var fault *fetch.Fault
		if err != nil && !errors.As(err, &fault) {
			t.Fatal(err)
		}
		if resp != nil && resp.Body != nil {
			_, _ = io.Copy(io.Discard, io.LimitReader(resp.Body, maxRead+1)) // its error is kept
			resp.Body.Close()
		}
	}
	k.flush() // as it does after a second; see TestPartIsRecent
	return k
}

// kept is a record as another program reads it.
type kept struct {
	kind, uri, block string
	header           map[string]string
}

// readStrictly reads a file with a library that checks lengths and digests.
func readStrictly(t *testing.T, name string) (list []kept) {
	t.Helper()
	r, err := gowarc.NewWarcFileReader(name, 0, gowarc.WithStrictValidation())
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		rec, err := r.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatalf("%s: record %d: %v", name, len(list), err)
		}
		h := rec.WarcRecord.WarcHeader()
		k := kept{kind: rec.WarcRecord.Type().String(), header: map[string]string{}}
		for _, f := range *h {
			if _, twice := k.header[f.Name]; twice && f.Name != gowarc.WarcConcurrentTo {
				t.Errorf("%s: record %d has %s twice", name, len(list), f.Name)
			}
			k.header[f.Name] = f.Value
		}
		k.uri = k.header[gowarc.WarcTargetURI]
		block, err := rec.WarcRecord.Block().RawBytes()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(block)
		if err != nil {
			t.Fatal(err)
		}
		k.block = string(text)
		if faults, err := rec.WarcRecord.ValidateDigest(); err != nil || len(faults) > 0 {
			t.Fatalf("%s: record %d: %v %v", name, len(list), faults, err)
		}
		list = append(list, k)
		rec.WarcRecord.Close()
	}
}

// What is kept is read by another program, and has no secrets.
func TestKept(t *testing.T) {
	s := site(t)
	name := filepath.Join(t.TempDir(), "e.warc.gz")
	k := keep(t, Options{Path: name, All: true, Secrets: Secrets{Texts: []string{"token-of-mine"}, Headers: []string{"x-token"}}}, s.URL,
		"/b", "/a", "/gzip", "/secret", "/cut", "/reset", "/gone", "HEAD /head", "/a")
	k.Judged(&result.Result{URL: s.URL + "/gone", Verdict: check.Broken, Code: "http-404"})
	if err := k.Finish(Run{Complete: true}); err != nil {
		t.Fatal(err)
	}
	list := readStrictly(t, name)
	var got []string
	for _, r := range list {
		line := strings.TrimPrefix(r.uri, s.URL) + " " + r.kind
		switch {
		case strings.Contains(r.block, `"kind":"verdict"`):
			line += " verdict"
			if strings.Contains(r.block, `"broken"`) {
				line += " broken"
			}
		case r.kind == "metadata":
			var e event
			if err := json.Unmarshal([]byte(r.block), &e); err != nil {
				t.Error(err)
			}
			line += " " + e.Fault
		}
		if cut := r.header["WARC-Truncated"]; cut != "" {
			line += " " + cut
		}
		got = append(got, line)
		if strings.Contains(r.block, "deadbeef") || strings.Contains(r.block, "token-of-mine") || strings.Contains(r.block, "hunter2") {
			t.Errorf("%s: a secret was kept:\n%s", line, r.block)
		}
	}
	want := []string{" warcinfo",
		"/a response", "/a request", "/a revisit", "/a request", "/a metadata verdict",
		"/b revisit", "/b request", "/b metadata verdict",
		"/cut response disconnect", "/cut request", "/cut metadata verdict",
		"/gone response", "/gone request", "/gone metadata verdict broken",
		"/gzip response", "/gzip request", "/gzip metadata verdict",
		"/head response", "/head request", "/head metadata verdict",
		"/reset metadata connection-reset", "/reset request", "/reset metadata verdict",
		"/secret response", "/secret request", "/secret metadata verdict"}
	if !slices.Equal(got, want) {
		t.Errorf("records\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, r := range list {
		switch {
		case r.uri == s.URL+"/gzip" && r.kind == "response":
			if _, body, _ := strings.Cut(r.block, "\r\n\r\n"); !strings.HasPrefix(body, "\x1f\x8b") || !strings.Contains(r.block, "Content-Encoding: gzip\r\n") {
				t.Errorf("the body is not coded as it came:\n%q", r.block)
			}
		case r.uri == s.URL+"/secret" && r.kind == "response":
			if strings.Contains(r.block, "Content-Encoding") || !strings.Contains(r.block, "token is *************, and again *************") ||
				!strings.Contains(r.block, "Location: http://me:***@example.com/\r\n") {
				t.Errorf("the secrets were not masked:\n%s", r.block)
			}
		case r.kind == "request" && !strings.Contains(r.block, "X-Token: ***\r\n"):
			t.Errorf("the header was not masked:\n%s", r.block)
		case r.uri == s.URL+"/head" && r.kind == "response" && strings.Contains(r.block, "Content-Length"):
			t.Errorf("the answer to HEAD has a length:\n%s", r.block)
		case r.uri == s.URL+"/b" && r.kind == "revisit" && r.header["WARC-Refers-To"] == "":
			t.Errorf("the revisit refers to nothing: %v", r.header)
		}
	}
	if left, _ := filepath.Glob(name + ".*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	if info, err := os.Stat(name); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v; want mode 0600", info.Mode(), err)
	}
}

// The fields of a header stay in their order, with their spelling.
func TestOrder(t *testing.T) {
	s := site(t)
	name := filepath.Join(t.TempDir(), "e.warc.gz")
	if err := keep(t, Options{Path: name, All: true}, s.URL, "/order", "/a").Finish(Run{}); err != nil {
		t.Fatal(err)
	}
	const want = "HTTP/1.1 200 Fine\r\nX-Zed: 1\r\nset-cookie: a=***\r\nAccept-ranges: none\r\nX-Zed: 2\r\nContent-Length: 2\r\n\r\nok"
	for _, r := range readStrictly(t, name) {
		if r.kind == "response" && r.uri == s.URL+"/order" && r.block != want {
			t.Errorf("got\n%s\nwant\n%s", r.block, want)
		}
	}
}

// Of a run without --evidence-of all, what belongs to findings is kept.
func TestFindings(t *testing.T) {
	s := site(t)
	name := filepath.Join(t.TempDir(), "e.warc.gz")
	k := keep(t, Options{Path: name}, s.URL, "/start", "/a", "/b", "/gone", "/r1", "/r2")
	k.Judged(&result.Result{URL: s.URL + "/gone#x", Verdict: check.Broken, Code: "http-404", References: []result.Reference{{Page: s.URL + "/b"}}})
	k.Judged(&result.Result{URL: s.URL + "/r1", Warnings: []check.Warning{{Code: "redirect-permanent"}}, FinalURL: s.URL + "/r2"})
	if err := k.Finish(Run{Starts: []string{s.URL + "/start"}}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range readStrictly(t, name) {
		if r.kind == "request" {
			got = append(got, strings.TrimPrefix(r.uri, s.URL))
		}
	}
	if want := []string{"/b", "/gone", "/r1", "/r2", "/start"}; !slices.Equal(got, want) {
		t.Errorf("kept %v, want %v", got, want)
	}
}

// What a broken redirect led to has no verdict of its own: it is no target.
func TestHopsHaveNoVerdict(t *testing.T) {
	s := site(t)
	name := filepath.Join(t.TempDir(), "e.warc.gz")
	k := keep(t, Options{Path: name, All: true}, s.URL, "/a", "/gone", "/r")
	k.Judged(&result.Result{URL: s.URL + "/r", Verdict: check.Broken, Code: "http-404", Redirects: []result.Hop{{URL: s.URL + "/a"}}, FinalURL: s.URL + "/gone"})
	if err := k.Finish(Run{}); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range readStrictly(t, name) {
		if strings.Contains(r.block, `"kind":"verdict"`) {
			got = append(got, strings.TrimPrefix(r.uri, s.URL))
		}
	}
	if want := []string{"/a", "/r"}; !slices.Equal(got, want) {
		t.Errorf("verdicts about %v, want %v", got, want)
	}
}

// Records are in the file within two seconds, also the last ones before a long silence; those of a crawl that
// another session may go on with, at once.
func TestPartIsRecent(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct {
		earlier string
		wait    time.Duration
	}{"alone.wacz": {"", 2 * time.Second}, "sessions.wacz": {filepath.Join(dir, "earlier.warc.gz"), 0}} {
		name = filepath.Join(dir, name)
		synctest.Test(t, func(t *testing.T) {
			k, err := Create(Options{Path: name, Earlier: c.earlier, MaxSize: 1 << 30, Note: t.Output()})
			if err != nil {
				t.Fatal(err)
			}
			defer k.Abandon()
			for want := 1; want <= 3; want++ {
				if n := len(readStrictly(t, name+".part")); n != want {
					t.Errorf("%s: %v after record %d was appended: %d records in the file", name, c.wait, want, n)
				}
				k.append(nil, infoRecord("x", formatDay))
				time.Sleep(c.wait)
			}
		})
	}
}

// A run may be killed while it writes the files of the end: what it has kept can be read, and the next run
// replaces it.
func TestKilledAtTheEnd(t *testing.T) {
	s := site(t)
	for _, base := range []string{"e.warc.gz", "e.wacz", "e/"} {
		names := []string{dataFile(0), indexFile, pagesFile, packageFile, digestFile}
		for written := range len(names) + 1 {
			path := t.TempDir() + "/" + base
			k := keep(t, Options{Path: path, All: true}, s.URL, "/a")
			out, err := k.place.create()
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names[:written] {
				w, err := out.file(name)
				if err != nil {
					t.Fatal(err)
				}
				io.WriteString(w, "half")
			}
			k.part.Close() // as the end of the process does
			part := k.place.part
			if base == "e/" {
				part = path
			}
			if got := ask(t, open(t, part), s.URL+"/a", fetch.Content); got != "OK "+text {
				t.Errorf("%s: killed after %d files: %q", base, written, got)
			}
			keepAll(t, path, s.URL, "/b")
			if got := ask(t, open(t, path), s.URL+"/b", fetch.Content); got != "OK "+text {
				t.Errorf("%s: the run after one killed after %d files: %q", base, written, got)
			}
		}
	}
}

// A disk that is full ends the keeping, not the run; what was written stays whole.
func TestFull(t *testing.T) {
	s := site(t)
	name := filepath.Join(t.TempDir(), "e.warc.gz")
	k := keep(t, Options{Path: name}, s.URL, "/a")
	k.fail(&os.PathError{Op: "write", Path: "x", Err: errors.New("no space left on device")})
	if k.append(nil, infoRecord("x", formatDay)) {
		t.Error("it goes on")
	}
	err := k.Finish(Run{})
	if err == nil || !strings.Contains(err.Error(), name+": no space left on device") {
		t.Errorf("Finish: %v", err)
	}
	if n := len(readStrictly(t, name+".part")); n != 3 {
		t.Errorf("%d records are left, want 3", n)
	}
}

// What another program wrote stays as it is.
func TestForeign(t *testing.T) {
	dir := t.TempDir()
	foreign := &record{kind: typeInfo, id: newID(), media: mediaFields, head: []byte("software: Heritrix/3\r\n")}
	var warc bytes.Buffer
	if err := foreign.write(&warc); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.warc.gz": warc.String(), "b.warc.gz": "hello", "c.wacz": "PK", "d.warc.gz.part": "x", "e/notes.txt": "x"} {
		file := filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(file), 0o755)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		path := strings.TrimSuffix(file, ".part")
		if strings.HasPrefix(name, "e/") {
			path = filepath.Dir(file)
		}
		if _, err := Create(Options{Path: path, MaxSize: 1, Note: t.Output()}); !errors.Is(err, errForeign) {
			t.Errorf("%s: %v, want %v", name, err, errForeign)
		}
		if now, err := os.ReadFile(file); err != nil || string(now) != text {
			t.Errorf("%s: changed to %q, %v", name, now, err)
		}
	}
	empty := filepath.Join(dir, "f.warc.gz")
	os.WriteFile(empty, nil, 0o644)
	for range 2 { // an empty file, and one of ours
		k := keep(t, Options{Path: empty}, "http://127.0.0.1:1")
		if err := k.Finish(Run{}); err != nil {
			t.Error(err)
		}
	}
}

// More than the limit is left out whole, and counted.
func TestLimit(t *testing.T) {
	s := site(t)
	paths := []string{"/gone"}
	for i := range 20 {
		paths = append(paths, fmt.Sprintf("/page%d", i))
	}
	for _, base := range []string{"e.warc.gz", "e.wacz"} {
		const limit = 9000
		name := filepath.Join(t.TempDir(), base)
		k := keep(t, Options{Path: name, All: true, MaxSize: limit}, s.URL, paths...)
		k.Judged(&result.Result{URL: s.URL + "/gone", Verdict: check.Broken, Code: "http-404"})
		if err := k.Finish(Run{}); err != nil {
			t.Fatal(err)
		}
		if got := ask(t, open(t, name), s.URL+"/gone", fetch.Content); got != "Not Found gone\n" {
			t.Errorf("%s: the finding was left out: %q", base, got)
		}
		if info, err := os.Stat(name); err != nil || info.Size() > limit || info.Size() < limit/2 {
			t.Errorf("%s: %v bytes, %v; want at most %d", base, info.Size(), err, limit)
		}
	}
}

func TestMask(t *testing.T) {
	m := newMask(Secrets{Texts: []string{"abcdef", "cdefgh", "short"}, Passwords: []string{"me:passw0rd", "x:"}, Headers: []string{"x-key"}})
	for _, row := range []struct{ name, value, want string }{
		{"X-Key", "anything", "***"},
		{"Authorization", "Basic x", "***"},
		{"Cookie", "a=b; c=d", "***"},
		{"Set-Cookie", "sid=1234; Path=/; HttpOnly", "sid=***; Path=/; HttpOnly"},
		{"Set-Cookie", "1234", "=***"},
		{"Location", "https://u:p@h.test/", "https://u:***@h.test/"},
		{"X-Other", "is abcdefgh here, short, passw0rd", "is ******** here, short, ********"},
		{"X-Other", "bWU6cGFzc3cwcmQ=", "****************"},
	} {
		if got := m.header(row.name, row.value); got != row.want {
			t.Errorf("%s: %s: %q, want %q", row.name, row.value, got, row.want)
		}
	}
	body := strings.Repeat("x", 64<<10-3) + "abcdefgh" + strings.Repeat("y", 70<<10) + "passw0rd"
	var out bytes.Buffer
	if _, err := m.copy(&out, strings.NewReader(body)); err != nil || out.Len() != len(body) || strings.Trim(out.String(), "xy") != strings.Repeat("*", 8)+strings.Repeat("y", 70<<10)+strings.Repeat("*", 8) {
		t.Errorf("a long body: %v, %d bytes", err, out.Len())
	}
	const link, masked = `<a href="http://u:pw:1@h.test/a@b">c://d@e //f:80/g@h :i@j //k:@l "http:\/\/m:n@o"`, `<a href="http://u:****@h.test/a@b">c://d@e //f:80/g@h :i@j //k:@l "http:\/\/m:*@o"`
	for at := range 3 * longestUserinfo { // on both sides of where a part of the body ends
		out.Reset()
		before := strings.Repeat("x", 64<<10-longestUserinfo+at)
		if _, err := newMask(Secrets{}).copy(&out, strings.NewReader(before+link)); err != nil || out.String() != before+masked {
			t.Fatalf("passwords in URLs after %d bytes: %v, %q", len(before), err, out.String()[len(before):])
		}
	}
	if got := m.url("http://abcdef.test/abcdef?x"); got != "http://abcdef.test/******?x" {
		t.Errorf("url: %q", got)
	}
}

func FuzzMembers(f *testing.F) {
	var b bytes.Buffer
	for _, r := range []*record{infoRecord("orbweaver/1", formatDay), jsonRecord(newID(), "http://a.test/", formatDay, event{Format: format, Kind: "fault", Fault: "timeout"})} {
		if err := r.write(&b); err != nil {
			f.Fatal(err)
		}
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:100])
	f.Fuzz(func(t *testing.T, data []byte) {
		in, last := readMembers(bytes.NewReader(data), 0, partSize), int64(-1)
		for {
			m, err := in.next()
			if err != nil {
				return
			}
			if m.offset <= last || m.offset >= int64(len(data)) {
				t.Fatalf("a member at %d after one at %d", m.offset, last)
			}
			last = m.offset
			e := &entry{}
			_ = e.read(m, io.Discard) // a block may be anything
		}
	})
}
