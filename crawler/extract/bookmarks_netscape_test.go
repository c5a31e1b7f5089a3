package extract

import (
	"bytes"
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

const netscapeHead = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>T</TITLE>\n<H1>Root</H1>\n"

func TestNetscapeStructure(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"heading without a list is an empty folder", "<DL><DT><H3>A</H3><DT><A HREF=x>1</A></DL>", "Root:x"},
		{"UL and MENU are lists too", "<UL><DT><H3>A</H3><MENU><DT><A HREF=x>1</A></MENU><A HREF=y>2</A></UL>", "Root/A:x Root:y"},
		{"more lists close than opened", "</DL></DL><DT><A HREF=x>1</A></DL>", "Root:x"},
		{"headings of every level", "<DL><H2>A</H2><DL><H6>B</H6><DL><A HREF=x>1</DL></DL><A HREF=y>2</DL>", "Root/A/B:x Root:y"},
		{"a bookmark in a description", "<DL><DT><A HREF=x>1</A><DD>see <A HREF=y>2</A></DL>", "Root:x Root:y"},
		{"markup in a folder's name", "<DL><DT><H3>A &amp; <B>b</B></H3><DL><A HREF=x>1</A></DL></DL>", "Root/A & b:x"},
		{"queries are not bookmarks", "<DL><DT><A HREF=' PLACE:sort=8'>1</A><A HREF=x>2</A></DL>", "Root:x"},
		{"an unfinished tag is not a tag", "<DL><DT><A HREF=x>1</A><DT><A HREF=y", "Root:x"},
		{"a feed is a link, a favicon is not", "<DL><DT><A HREF=x ICON_URI=https://a.example/favicon.ico FEEDURL=y>1</A></DL>", "Root:x Root:y"},
		{"textarea swallows nothing", "<DL><DT><A HREF=x>a <textarea> b</A><DT><A HREF=y>2</A></DL>", "Root:x Root:y"},
	}
	for _, tt := range tests {
		doc := Extract(Input{Body: []byte(netscapeHead + tt.in), Name: "b.html"})
		var got []string
		for _, l := range doc.Links {
			got = append(got, l.Bookmark.Folder+":"+l.Ref)
		}
		if s := strings.Join(got, " "); s != tt.want || len(doc.Faults) > 0 != strings.Contains(tt.name, "unfinished") {
			t.Errorf("%s: got %q, want %q; faults %q", tt.name, s, tt.want, doc.Faults)
		}
	}
}

func TestNetscapeIsSniffedBeforeHTML(t *testing.T) {
	for _, tt := range []struct{ contentType, name, body, want string }{
		{"text/html; charset=utf-8", "", netscapeHead, "netscape-bookmarks"},
		{"", "b.html", "\xEF\xBB\xBF \r\n<!doctype\tnetscape-bookmark-file-1>", "netscape-bookmarks"},
		{"", "", netscapeHead, "netscape-bookmarks"},
		{"", "b.html", "<!DOCTYPE html>", "html"},
		{"text/html", "", "", "html"},
		{"image/png", "b.html", netscapeHead, ""},
	} {
		if got, _ := Readable(tt.contentType, tt.name, []byte(tt.body)); got != tt.want {
			t.Errorf("%q %q %.20q: %q, want %q", tt.contentType, tt.name, tt.body, got, tt.want)
		}
	}
}

func TestBookmarkTimes(t *testing.T) {
	want := time.Date(2023, 11, 14, 22, 13, 20, 0, time.UTC)
	for _, digits := range []string{"1700000000", "1700000000000", "1700000000000000", "13344473600000000", " 1700000000 "} {
		if got := unixTime([]byte(digits)); !got.Equal(want) {
			t.Errorf("%s: %v", digits, got)
		}
	}
	for _, digits := range []string{"", "0", "-5", "x", "99999999999999999999", "9223372036854775807"} {
		if got := unixTime([]byte(digits)); !got.IsZero() {
			t.Errorf("%s: %v", digits, got)
		}
	}
}

// largeBookmarkFile makes a file with the given number of bookmarks, a hundred in each
// folder.
func largeBookmarkFile(bookmarks int) []byte {
	var b bytes.Buffer
	b.WriteString(netscapeHead + "<DL><p>\n")
	for i := range bookmarks {
		if i%100 == 0 {
			if i > 0 {
				b.WriteString("    </DL><p>\n")
			}
			fmt.Fprintf(&b, "    <DT><H3 ADD_DATE=\"1700000000\">Folder %d</H3>\n    <DL><p>\n", i/100)
		}
		fmt.Fprintf(&b, "        <DT><A HREF=\"https://host%d.example/path/to/page-%d.html\" ADD_DATE=\"17%08d\">The title of page %d</A>\n", i%5000, i, i, i)
	}
	b.WriteString("    </DL><p>\n</DL><p>\n")
	return b.Bytes()
}

// TestManyBookmarksInBoundedMemory checks that a bookmark takes at most 400 bytes in
// addition to the file. The total allocation is an upper bound for the peak.
func TestManyBookmarksInBoundedMemory(t *testing.T) {
	const count = 100_000
	body := largeBookmarkFile(count)
	defer debug.SetGCPercent(debug.SetGCPercent(20))
	runtime.GC()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	doc := Extract(Input{Body: body, Name: "b.html"})
	runtime.ReadMemStats(&after)
	if len(doc.Links) != count || len(doc.Faults) > 0 {
		t.Fatalf("%d links, faults %q", len(doc.Links), doc.Faults)
	}
	allocated := (after.TotalAlloc - before.TotalAlloc) / count
	t.Logf("%d bytes allocated for a bookmark of %d bytes", allocated, len(body)/count)
	if allocated > 400 {
		t.Errorf("%d bytes allocated for a bookmark of %d bytes", allocated, len(body)/count)
	}
	last := doc.Links[count-1]
	if last.Bookmark.Folder != "Root/Folder 999" || last.Text != "The title of page 99999" {
		t.Errorf("last: %+v %+v", last, last.Bookmark)
	}
}

func BenchmarkNetscape(b *testing.B) {
	body := largeBookmarkFile(20_000)
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		Extract(Input{Body: body, Name: "b.html"})
	}
}
