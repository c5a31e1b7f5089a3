package extract

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestBookmarksInBatches checks that the links handed out in batches are those of the
// document, without their Bookmark.
func TestBookmarksInBatches(t *testing.T) {
	const count = 3*bookmarkBatch + 7
	for name, make := range manyBookmarks {
		in := make(t, count)
		in.Name = name
		want := Extract(in)
		var links []Link
		sizes := map[int]int{}
		in.Batch = func(batch []Link, all int) {
			if all != count {
				t.Errorf("%s: Batch is called with a total of %d links, want %d", name, all, count)
			}
			sizes[len(batch)]++
			links = append(links, batch...)
		}
		got := Extract(in)
		if len(got.Links) > 0 || len(links) != len(want.Links) || sizes[bookmarkBatch] != 3 || sizes[7] != 1 {
			t.Fatalf("%s: %d links in the document, %d in batches of sizes %v", name, len(got.Links), len(links), sizes)
		}
		for i := range links {
			want.Links[i].Bookmark = nil
			if links[i] != want.Links[i] {
				t.Fatalf("%s: link %d: %+v, want %+v", name, i, links[i], want.Links[i])
			}
		}
		want.Links, want.elsewhere = nil, true
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %+v, want %+v", name, got, want)
		}
	}
}

// TestBookmarksInPieces checks that reading a bookmark file piece by piece gives the same
// result as reading it as a whole, wherever the pieces end.
func TestBookmarksInPieces(t *testing.T) {
	files := map[string]string{
		"many":       string(inUTF8(largeBookmarkFile(30))),
		"odd markup": netscapeUTF8 + strings.Join(oddMarkup, "\n<DT><A HREF=/x>t</A><DT>\n"),
		"no UTF-8":   netscapeHead + "<DT><A HREF=a>caf\xE9</A>\n<DT><A HREF=b>\xE4\xF6</A>",
		"faulty":     netscapeUTF8 + ("<DT><A HREF=a>\xFF\xFE\xE2\x82</A> \xE2\x82\xAC <DT><A HREF='\u20AC\xE2' ADD_DATE=1>b\xC3"),
		"lone CR":    netscapeUTF8 + ("\r<DT><A HREF=a>x</A>\r\n<DT><A HREF=b>y</A>\r<DT>\u00E4\u00F6<A HREF=c FEEDURL=d>z</A><DD>ab\rcd"),
		"one line":   netscapeUTF8 + ("<H1>M\u00FCnze</H1><DL><p>") + strings.Repeat("<DT>\u00E9<A FEEDURL=/feed HREF=/page>t\u00EFtle</A>", 20) + "</DL>",
		"cut off":    netscapeUTF8 + "<DL><DT><A HREF=a>b</A><DT><A HREF=\"c",
		"a title":    netscapeUTF8 + ("<TITLE>a <script> of &amp; </TITLE><DT><H3>f</H3><DL><DT><A HREF=a>b</A><!-- <DT><A HREF=no> --><DT><A HREF=c>d</A></DL>"),
		"a script":   netscapeUTF8 + ("<DT><script>'<DT><A HREF=x>'</script><DT><A HREF=a>b</A><textarea><DT><A HREF=c>"),
	}
	for _, path := range netscapeFiles(t) {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		files[path] = string(b)
		files[path+" in UTF-8"] = string(inUTF8(b))
	}
	for name, text := range files {
		body := []byte(text)
		read := func(in Input) (*Document, []Link) {
			var links []Link
			in.Name, in.Batch = "b.html", func(batch []Link, _ int) { links = append(links, batch...) }
			doc := Extract(in)
			doc.breaks, doc.asReceived = breaks{}, false // they are those of the first piece
			return doc, links
		}
		want, wantLinks := read(Input{Body: body})
		if want.Format != netscapeFormat.name {
			t.Fatalf("%s: %s", name, want.Format)
		}
		for _, piece := range []int{1, 2, 3, 5, 17, 100, 1000, 0} {
			for _, head := range []int{SniffLength, len(body)} {
				head = min(head, len(body))
				got, links := read(Input{Body: body[:head:head], Rest: iotest.OneByteReader(bytes.NewReader(body[head:])), Length: int64(len(body)), piece: piece})
				if !reflect.DeepEqual(got, want) || !slices.Equal(links, wantLinks) {
					t.Fatalf("%s in pieces of %d: %+v\n%+v\nwant %+v\n%+v", name, piece, got, links, want, wantLinks)
				}
			}
		}
	}
}

// netscapeUTF8 is the beginning of a file that declares its encoding. Only such files are
// read in pieces.
const netscapeUTF8 = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<META charset=utf-8>"

func inUTF8(file []byte) []byte {
	return append([]byte(netscapeUTF8), file[bytes.IndexByte(file, '>')+1:]...)
}

// netscapeFiles returns the paths of the test files that programs exported as Netscape
// bookmark files.
func netscapeFiles(t *testing.T) (files []string) {
	all, err := filepath.Glob("../../testdata/documents/*.html")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range all {
		if b, err := os.ReadFile(path); err == nil && sniffNetscape(b) {
			files = append(files, path)
		}
	}
	if len(files) == 0 {
		t.Fatal("no bookmark files found")
	}
	return files
}

// TestPiecesAreSmall checks that reading in pieces needs little memory besides the
// strings of the links. It limits the total allocation, in bytes.
func TestPiecesAreSmall(t *testing.T) {
	const count, most = 100_000, 120*100_000 + 4<<20
	body := inUTF8(largeBookmarkFile(count))
	in := Input{Name: "b.html", Body: body[:SniffLength], Rest: bytes.NewReader(body[SniffLength:]), Length: int64(len(body))}
	links := 0
	in.Batch = func(batch []Link, _ int) { links += len(batch) }
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Extract(in)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; got > most || links != count {
		t.Errorf("%d bytes allocated for %d links in a file of %d bytes, want at most %d bytes for %d links", got, links, len(body), most, count)
	}
}

// TestPiecesGrow checks that pieces grow when a token is long or text is not ASCII, so
// that the same bytes are not read again and again.
func TestPiecesGrow(t *testing.T) {
	const length, piece, most = 1 << 20, 64, 32
	for name, text := range map[string]string{"no ASCII": "\u20AC", "no UTF-8": "\xFF", "one tag": "<A", "one text": "a"} {
		body := []byte(netscapeUTF8 + strings.Repeat(text, length/len(text)))
		rest := &countedReader{Reader: bytes.NewReader(body[SniffLength:])}
		in := Input{Name: "b.html", Body: body[:SniffLength], Rest: rest, Length: int64(len(body)), piece: piece}
		in.Batch = func([]Link, int) {}
		if Extract(in); rest.reads > most {
			t.Errorf("%s: %d reads of %d bytes", name, rest.reads, len(body))
		}
	}
}

// countedReader counts the calls of Read.
type countedReader struct {
	io.Reader
	reads int
}

func (r *countedReader) Read(b []byte) (int, error) {
	r.reads++
	return r.Reader.Read(b)
}

// TestBookmarkBatchesAreSmall checks that, in batches, a bookmark allocates only its strings
// and its share of the folder. It limits the allocation for each bookmark, in bytes.
func TestBookmarkBatchesAreSmall(t *testing.T) {
	const count, most = 20_000, 120
	in := Input{Name: "b.html", Body: largeBookmarkFile(count), Batch: func([]Link, int) {}}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	Extract(in)
	runtime.ReadMemStats(&after)
	if got := (after.TotalAlloc - before.TotalAlloc) / count; got > most {
		t.Errorf("%d bytes allocated for each bookmark, want at most %d", got, most)
	}
}
