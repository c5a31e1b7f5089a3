package evidence

import (
	"archive/zip"
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"

	"github.com/orbweaver/orbweaver/crawler/fetch"
)

// noiseSite answers with bodies that cannot be compressed. Those of /same/1, /same/2 and so on are the same.
func noiseSite(t *testing.T, size int) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var seed [32]byte
		copy(seed[:], strings.TrimRight(r.URL.Path, "0123456789"))
		if !strings.HasPrefix(r.URL.Path, "/same/") {
			copy(seed[:], r.URL.Path)
		}
		body := make([]byte, size)
		rand.NewChaCha8(seed).Read(body)
		w.Header().Set("Content-Type", "application/octet-stream")
		w.Write(body)
	}))
	t.Cleanup(s.Close)
	return s
}

// readIndex returns the lines of the index of a WACZ file, and the file.
func readIndex(t *testing.T, name string) (lines []indexLine, z *zip.ReadCloser) {
	t.Helper()
	z, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { z.Close() })
	f, err := z.Open(indexFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	keys := strings.Split(strings.TrimSpace(string(text)), "\n")
	if !slices.IsSorted(keys) {
		t.Errorf("the index is not sorted:\n%s", text)
	}
	for _, line := range keys {
		parts := strings.SplitN(line, " ", 3)
		var l indexLine
		if err := json.Unmarshal([]byte(parts[len(parts)-1]), &l); err != nil || len(parts) != 3 {
			t.Fatalf("%q: %v", line, err)
		}
		lines = append(lines, l)
	}
	return lines, z
}

// What is larger than one WARC file may be is in several. Each has the bodies that its revisits refer to, and
// the index says where each record is.
func TestDataFiles(t *testing.T) {
	const limit, size = 100 << 10, 20 << 10
	s := noiseSite(t, size)
	name := filepath.Join(t.TempDir(), "e.wacz")
	var paths []string
	for i := range 12 {
		paths = append(paths, fmt.Sprint("/", i), fmt.Sprint("/same/", i))
	}
	k := keep(t, Options{Path: name, All: true}, s.URL, paths...)
	k.maxData = limit
	if err := k.Finish(Run{Complete: true}); err != nil {
		t.Fatal(err)
	}
	lines, z := readIndex(t, name)
	files := map[string]*zip.File{}
	for _, f := range z.File {
		if base, ok := strings.CutPrefix(f.Name, archiveDir+"/"); ok {
			files[base] = f
			if f.UncompressedSize64 > limit || f.Method != zip.Store {
				t.Errorf("%s has %d bytes, at most %d; method %d", f.Name, f.UncompressedSize64, limit, f.Method)
			}
		}
	}
	if len(files) < 3 {
		t.Errorf("%d files, want several", len(files))
	}
	kinds := map[string]int{}
	bodies := map[string]bool{}                        // by file and digest
	for _, line := range slices.Concat(lines, lines) { // first what has a body, then what refers to one
		raw, err := files[line.Filename].OpenRaw()
		if err != nil {
			t.Fatal(err)
		}
		offset, _ := strconv.ParseInt(line.Offset, 10, 64)
		length, _ := strconv.ParseInt(line.Length, 10, 64)
		io.CopyN(io.Discard, raw, offset)
		in := readMembers(io.LimitReader(raw, length), 0, partSize)
		m, err := in.next()
		if err != nil {
			t.Fatalf("%s at %d: %v", line.Filename, offset, err)
		}
		kind := m.field("WARC-Type")
		kinds[kind+" "+line.Mime]++
		if m.field("WARC-Target-URI") != line.URL || m.field("WARC-Payload-Digest") != line.Digest {
			t.Errorf("%+v is in the index, but the record is about %s, %s", line, m.field("WARC-Target-URI"), m.field("WARC-Payload-Digest"))
		}
		if _, err = in.next(); err != io.EOF {
			t.Errorf("%s at %d: the length is not that of a member: %v", line.Filename, offset, err)
		}
		if kind == typeResponse {
			bodies[line.Filename+line.Digest] = true
		}
	}
	for _, line := range lines {
		if !bodies[line.Filename+line.Digest] {
			t.Errorf("%s in %s has no body there", line.URL, line.Filename)
		}
	}
	if kinds["revisit warc/revisit"] == 0 || kinds["response application/octet-stream"] == 0 || len(kinds) != 2 {
		t.Errorf("types of records and media types in the index: %v", kinds)
	}
	a := open(t, name)
	for _, path := range paths {
		if got := ask(t, a, s.URL+path, fetch.Content); len(got) != len("OK ")+size {
			t.Errorf("replay of %s has %d bytes", path, len(got))
		}
	}
}

// The file that is written at the end has another name if that of another program has the usual one. What a killed
// run has left there is replaced.
func TestUnfinishedFile(t *testing.T) {
	s := site(t)
	for _, base := range []string{"e.warc.gz", "e.wacz"} {
		dir := t.TempDir()
		name := filepath.Join(dir, base)
		foreign := []byte("written by another program")
		if err := os.WriteFile(name+newSuffix, foreign, 0o600); err != nil {
			t.Fatal(err)
		}
		keepAll(t, name, s.URL, "/a")
		if got, err := os.ReadFile(name + newSuffix); err != nil || !bytes.Equal(got, foreign) {
			t.Errorf("%s: the file of another program is %q, %v", base, got, err)
		}
		if got := ask(t, open(t, name), s.URL+"/a", fetch.Content); got != "OK "+text {
			t.Errorf("%s: %q", base, got)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 2 {
			t.Errorf("%s: left behind: %v", base, left)
		}
		whole, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name+newSuffix, whole[:len(whole)/2], 0o600); err != nil {
			t.Fatal(err)
		}
		keepAll(t, name, s.URL, "/a")
		if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
			t.Errorf("%s: left behind after a run that was killed: %v", base, left)
		}
	}
}

// The title of a page is found wherever it is in the first 64 KiB, coded or not.
func TestTitle(t *testing.T) {
	noise := make([]byte, 20<<10)
	rand.NewChaCha8([32]byte{}).Read(noise)
	comment := "<!-- " + hex.EncodeToString(noise) + " -->"
	const title = "<TITLE>A page</TiTLE>"
	rest := strings.Repeat("<p>text", 3000)
	for name, c := range map[string]struct{ page, want string }{
		"first":        {title + rest, "A page"},
		"alone":        {title, "A page"},
		"far":          {comment + title + rest, "A page"},
		"too far":      {comment + comment + title + rest, ""},
		"without end":  {"<title>A page", "A page"},
		"none":         {rest, ""},
		"nothing":      {"", ""},
		"another end":  {"<style></style>" + rest[:4080] + title, "A page"},
		"at the limit": {strings.Repeat(" ", 4096-len(title)/2) + title + rest, "A page"},
	} {
		plain, packed := &spool{}, &spool{}
		io.WriteString(plain, c.page)
		z := gzip.NewWriter(packed)
		io.WriteString(z, c.page)
		z.Close()
		if got := titleOf(plain, nil, http.Header{"Content-Type": {"text/html"}}); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
		for _, start := range []string{"", c.page[:min(len(c.page), 512)]} {
			if got := titleOf(packed, []byte(start), http.Header{"Content-Type": {"text/html"}, "Content-Encoding": {"gzip"}}); got != c.want {
				t.Errorf("%s, coded, %d bytes are known: %q, want %q", name, len(start), got, c.want)
			}
		}
	}
}
