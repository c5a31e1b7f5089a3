package fix

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/orbweaver/orbweaver/crawler/extract"
)

const netscapeHead = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>T</TITLE>\n<H1>Root</H1>\n"

func TestCleanNetscape(t *testing.T) {
	all := func(string, int, int) bool { return true }
	only := func(ref string) func(string, int, int) bool {
		return func(href string, _, _ int) bool { return href == ref }
	}
	tests := []struct {
		name, in string
		broken   func(string, int, int) bool
		want     string
		removed  int
	}{
		{"nothing", "<DL>\r\n  <DT><A HREF=x>1</A>\r\n</DL>", only("y"), "<DL>\r\n  <DT><A HREF=x>1</A>\r\n</DL>", 0},
		{"its line goes", "<DL>\r\n  <DT><A HREF=x>1</A>\r\n\t<DT><A HREF=y>2</A>\r\n</DL>", only("x"), "<DL>\r\n\t<DT><A HREF=y>2</A>\r\n</DL>", 1},
		{"its description goes", "<DL><p>\n<DT><A HREF=x>1</A>\n<DD>one\ntwo\n<DT><A HREF=y>2</A>\n<DD>kept\n</DL>", only("x"), "<DL><p>\n<DT><A HREF=y>2</A>\n<DD>kept\n</DL>", 1},
		{"the rest of its line stays", "<DL><DT><A HREF=x>1</A><DT><A HREF=y>2</A></DL>", only("x"), "<DL><DT><A HREF=y>2</A></DL>", 1},
		{"the last of the file", "<DL>\n<DT><A HREF=x>1", all, "<DL>\n", 1},
		{"entities", "<DT><A HREF='?a=1&amp;b=2'>1</A>\n", only("?a=1&b=2"), "", 1},
		{"folders and queries stay", "<DT><H3>F</H3>\n<DL><p>\n<DT><A HREF=place:x>1</A>\n<HR>\n<DT><A HREF=''>e</A>\n</DL><p>\n", all, "<DT><H3>F</H3>\n<DL><p>\n<DT><A HREF=place:x>1</A>\n<HR>\n<DT><A HREF=''>e</A>\n</DL><p>\n", 0},
		{"invalid UTF-8", "<DT><A HREF=x>\xFF\xFE\xE4 \uFFFD</A>\n<DT><A HREF=y>\xFF</A>\n<DT><A HREF=z>3</A>\n", only("y"), "<DT><A HREF=x>\xFF\xFE\xE4 \uFFFD</A>\n<DT><A HREF=z>3</A>\n", 1},
		{"incomplete characters", "<DT><A HREF=x>\xE2\x82\xFF\xF0\x9F\x98\xED\xA0\xE2\x82</A>\n<DT><A HREF=y>2</A>\n", only("y"), "<DT><A HREF=x>\xE2\x82\xFF\xF0\x9F\x98\xED\xA0\xE2\x82</A>\n", 1},
	}
	for _, tt := range tests {
		for _, head := range []string{netscapeHead, "\xEF\xBB\xBF" + netscapeHead, netscapeHead + "<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=UTF-8'>\n"} {
			var out bytes.Buffer
			removed, err := CleanNetscape(&out, strings.NewReader(head+tt.in), tt.broken)
			if err != nil || out.String() != head+tt.want || removed != tt.removed {
				t.Errorf("%s: %d, %v, %q\nwant %d, %q", tt.name, removed, err, out.String()[min(out.Len(), len(head)):], tt.removed, tt.want)
			}
		}
	}
	if _, err := CleanNetscape(&bytes.Buffer{}, strings.NewReader("<!DOCTYPE html>"), all); err == nil {
		t.Error("CleanNetscape accepts HTML that is not a bookmark file")
	}
}

func TestCleanNetscapeKeepsOtherEncodings(t *testing.T) {
	latin := netscapeHead + "<META HTTP-EQUIV=Content-Type CONTENT='text/html; charset=iso-8859-1'>\n<DT><A HREF=x>\xE4\xF6</A>\n<DT><A HREF=y>\xFC</A>\n<DT><A HREF=z>\xDF</A>\n"
	var wide bytes.Buffer
	wide.WriteString("\xFF\xFE")
	for _, r := range netscapeHead + "<DT><A HREF=x>ä</A>\n<DT><A HREF=y>ü</A>\n<DT><A HREF=z>ß</A>\n" {
		wide.Write([]byte{byte(r), byte(r >> 8)})
	}
	for _, tt := range []struct{ in, want string }{
		{latin, strings.Replace(latin, "<DT><A HREF=y>\xFC</A>\n", "", 1)},
		{wide.String(), strings.Replace(wide.String(), "<\x00D\x00T\x00>\x00<\x00A\x00 \x00H\x00R\x00E\x00F\x00=\x00y\x00>\x00\xFC\x00<\x00/\x00A\x00>\x00\n\x00", "", 1)},
	} {
		var out bytes.Buffer
		removed, err := CleanNetscape(&out, strings.NewReader(tt.in), func(href string, _, _ int) bool { return href == "y" })
		if err != nil || removed != 1 || out.String() != tt.want || out.Len() == len(tt.in) {
			t.Errorf("%d, %v, %q", removed, err, out.String())
		}
	}
}

// checkCleaning checks that CleanNetscape asks about the links of Extract, in order, and
// that it removes bookmarks without any other change.
func checkCleaning(t *testing.T, body []byte) {
	t.Helper()
	var asked []string
	doc := extract.Extract(extract.Input{Body: body, Name: "b.html"})
	var wanted []string
	for i := range doc.Links {
		if l := &doc.Links[i]; l.Attribute == "href" {
			wanted = append(wanted, fmt.Sprint(l.Line, ":", l.Column, " ", l.Ref))
		}
	}
	var same bytes.Buffer
	removed, err := CleanNetscape(&same, bytes.NewReader(body), func(href string, line, column int) bool {
		asked = append(asked, fmt.Sprint(line, ":", column, " ", href))
		return false
	})
	if err != nil {
		return // an encoding that cannot be preserved
	}
	if removed != 0 || !bytes.Equal(same.Bytes(), body) {
		t.Fatalf("the file changed although no bookmark is broken: %q", same.Bytes())
	}
	if a, b := strings.Join(asked, "\n"), strings.Join(wanted, "\n"); a != b {
		t.Fatalf("asked about:\n%s\nlinks:\n%s", a, b)
	}
	var half bytes.Buffer
	n := 0
	removed, err = CleanNetscape(&half, bytes.NewReader(body), func(string, int, int) bool { n++; return n%2 == 0 })
	if err != nil || removed != len(asked)/2 {
		t.Fatalf("%d of %d removed: %v", removed, len(asked), err)
	}
	if left, _ := CleanNetscape(&bytes.Buffer{}, &half, func(string, int, int) bool { return true }); left != len(asked)-removed {
		t.Fatalf("%d left of %d", left, len(asked)-removed)
	}
}

func FuzzCleanNetscape(f *testing.F) {
	for _, name := range []string{"chrome.html", "firefox.html", "pinboard.html", "safari.html"} {
		body, err := os.ReadFile(filepath.Join("../../../../testdata/documents", name))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Add([]byte(netscapeHead + "<DT><A HREF=x>\xFF</A><DD>\xC3"))
	f.Fuzz(func(t *testing.T, body []byte) {
		if format, _ := extract.Readable("text/html", "", body); format != "netscape-bookmarks" || len(body) > 1<<16 {
			return
		}
		checkCleaning(t, body)
	})
}

// BenchmarkCleanNetscape removes every tenth bookmark from a file of half a million.
func BenchmarkCleanNetscape(b *testing.B) {
	const count = 500_000
	var body bytes.Buffer
	body.WriteString(netscapeHead + "<DL><p>\n")
	for i := range count {
		fmt.Fprintf(&body, "    <DT><A HREF=\"https://host%d.example/path/to/page-%d.html\" ADD_DATE=\"17%08d\">The title of page %d</A>\n", i%5000, i, i, i)
	}
	body.WriteString("</DL><p>\n")
	b.SetBytes(int64(body.Len()))
	b.ReportAllocs()
	for b.Loop() {
		asked := 0
		removed, err := CleanNetscape(io.Discard, bytes.NewReader(body.Bytes()), func(string, int, int) bool {
			asked++
			return asked%10 == 0
		})
		if err != nil || removed != count/10 {
			b.Fatalf("%d removed, %v", removed, err)
		}
	}
}
