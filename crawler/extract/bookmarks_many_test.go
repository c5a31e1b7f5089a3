package extract

import (
	"bytes"
	"database/sql"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pierrec/lz4/v4"
)

// manyBookmarks makes a file of each bookmark format with count bookmarks, a hundred in
// each folder.
var manyBookmarks = map[string]func(t testing.TB, count int) Input{
	"b.html": func(_ testing.TB, count int) Input { return Input{Body: largeBookmarkFile(count)} },
	"Bookmarks": func(_ testing.TB, count int) Input {
		var b bytes.Buffer
		b.WriteString(`{"checksum": "0", "roots": {"bookmark_bar": {"children": [`)
		eachBookmark(count, func(i int, address, title string) {
			separate(&b, i, `], "name": "Folder", "type": "folder"}, {"children": [`, `{"children": [`)
			fmt.Fprintf(&b, `{"date_added": "13300000000000000", "guid": "00000000-0000-4000-8000-%012d", "id": "%d", "name": "%s", "type": "url", "url": "%s"}`, i, i, title, address)
		})
		b.WriteString(`], "name": "Folder", "type": "folder"}], "name": "Bookmarks bar", "type": "folder"}}, "version": 1}`)
		return Input{Body: b.Bytes()}
	},
	"backup.json": func(_ testing.TB, count int) Input { return Input{Body: firefoxTree(count)} },
	"backup.jsonlz4": func(t testing.TB, count int) Input {
		tree := firefoxTree(count)
		b := binary.LittleEndian.AppendUint32(bytes.Clone(mozillaLZ4Magic), uint32(len(tree)))
		packed := make([]byte, lz4.CompressBlockBound(len(tree)))
		n, err := lz4.CompressBlock(tree, packed, nil)
		if err != nil {
			t.Fatal(err)
		}
		return Input{Body: append(b, packed[:n]...)}
	},
	"places.sqlite": manyPlaces,
	"Bookmarks.plist": func(_ testing.TB, count int) Input {
		objects := [][]byte{plistText("Children"), plistText("URLString"), plistText("Title"), plistText("WebBookmarkType"), nil, plistText("Folder")}
		var folders []int
		var in []int
		number := func(list []int) []byte {
			b := binary.BigEndian.AppendUint32([]byte{0xAF, 0x12}, uint32(len(list)))
			for _, n := range list {
				b = binary.BigEndian.AppendUint32(b, uint32(n))
			}
			return b
		}
		dict := func(members ...uint32) []byte {
			b := []byte{0xD0 | byte(len(members)/2)}
			for half := range 2 {
				for i := half; i < len(members); i += 2 {
					b = binary.BigEndian.AppendUint32(b, members[i])
				}
			}
			return b
		}
		add := func(b []byte) int {
			objects = append(objects, b)
			return len(objects) - 1
		}
		close := func() {
			if len(in) > 0 {
				folders, in = append(folders, add(dict(0, uint32(add(number(in))), 2, 5))), nil
			}
		}
		eachBookmark(count, func(i int, address, title string) {
			if i%100 == 0 {
				close()
			}
			in = append(in, add(dict(1, uint32(add(plistText(address))), 2, uint32(add(plistText(title))), 3, 3)))
		})
		close()
		objects[4] = dict(0, uint32(add(number(folders))), 3, 3)
		b := []byte("bplist00")
		var table []byte
		for _, o := range objects {
			table = binary.BigEndian.AppendUint32(table, uint32(len(b)))
			b = append(b, o...)
		}
		at := len(b)
		b = append(append(b, table...), 0, 0, 0, 0, 0, 0, 4, 4)
		for _, n := range []int{len(objects), 4, at} {
			b = binary.BigEndian.AppendUint64(b, uint64(n))
		}
		return Input{Body: b}
	},
	"safari.plist": func(_ testing.TB, count int) Input {
		var b bytes.Buffer
		const folder = `<dict><key>Title</key><string>Folder</string><key>WebBookmarkType</key><string>WebBookmarkTypeList</string><key>Children</key><array>`
		b.WriteString(`<?xml version="1.0" encoding="UTF-8"?><plist version="1.0">` + folder)
		eachBookmark(count, func(i int, address, title string) {
			separate(&b, i, "</array></dict>"+folder, folder)
			fmt.Fprintf(&b, "<dict><key>URIDictionary</key><dict><key>title</key><string>%s</string></dict><key>URLString</key><string>%s</string><key>WebBookmarkType</key><string>WebBookmarkTypeLeaf</string></dict>", title, address)
		})
		b.WriteString("</array></dict></array></dict></plist>")
		return Input{Body: []byte(strings.ReplaceAll(b.String(), "</dict>,<dict>", "</dict><dict>"))}
	},
	"bookmarks.adr": func(_ testing.TB, count int) Input {
		var b bytes.Buffer
		b.WriteString("Opera Hotlist version 2.0\nOptions: encoding = utf8, version=3\n\n")
		eachBookmark(count, func(i int, address, title string) {
			if i%100 == 0 {
				if i > 0 {
					b.WriteString("-\n\n")
				}
				fmt.Fprintf(&b, "#FOLDER\n\tID=%d\n\tNAME=Folder\n\n", 1_000_000+i)
			}
			fmt.Fprintf(&b, "#URL\n\tID=%d\n\tNAME=%s\n\tURL=%s\n\tCREATED=1700000000\n\n", i, title, address)
		})
		return Input{Body: b.Bytes()}
	},
}

func eachBookmark(count int, do func(i int, address, title string)) {
	for i := range count {
		do(i, fmt.Sprintf("https://host%d.example/path/to/page-%d.html", i%5000, i), fmt.Sprintf("The title of page %d", i))
	}
}

// separate writes the text before a bookmark: the end of one folder and the beginning of
// the next, or a comma.
func separate(b *bytes.Buffer, i int, between, first string) {
	switch {
	case i == 0:
		b.WriteString(first)
	case i%100 == 0:
		b.WriteString(between)
	default:
		b.WriteByte(',')
	}
}

func firefoxTree(count int) []byte {
	var b bytes.Buffer
	b.WriteString(`{"guid":"root________","title":"","type":"text/x-moz-place-container","root":"placesRoot","children":[`)
	eachBookmark(count, func(i int, address, title string) {
		separate(&b, i, `]},{"title":"Folder","type":"text/x-moz-place-container","children":[`, `{"title":"Folder","type":"text/x-moz-place-container","children":[`)
		fmt.Fprintf(&b, `{"guid":"%012d","title":"%s","index":%d,"dateAdded":1700000000000000,"lastModified":1700000000000000,"id":%d,"typeCode":1,"type":"text/x-moz-place","uri":"%s"}`, i, title, i%100, i, address)
	})
	b.WriteString("]}]}")
	return b.Bytes()
}

func manyPlaces(t testing.TB, count int) Input {
	path := filepath.Join(t.TempDir(), "places.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, statement := range []string{
		"CREATE TABLE moz_places (id INTEGER PRIMARY KEY, url LONGVARCHAR, title LONGVARCHAR)",
		"CREATE TABLE moz_bookmarks (id INTEGER PRIMARY KEY, type INTEGER, fk INTEGER, parent INTEGER, position INTEGER, title LONGVARCHAR, dateAdded INTEGER, guid TEXT)",
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i+1 FROM n WHERE i < %d)
			INSERT INTO moz_places SELECT i+1, 'https://host' || (i %% 5000) || '.example/path/to/page-' || i || '.html', NULL FROM n`, count-1),
		"INSERT INTO moz_bookmarks SELECT 2000000+id, 2, NULL, 0, 0, 'Folder', 0, id FROM moz_places WHERE id <= 1 + (SELECT max(id) FROM moz_places) / 100",
		"INSERT INTO moz_bookmarks SELECT id, 1, id, 2000001 + (id-1)/100, (id-1)%100, 'The title of page ' || (id-1), 1700000000000000, id FROM moz_places",
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	return Input{Path: path, Body: []byte("SQLite format 3\x00")}
}

// heapPeak runs a function and returns how much the heap grew at its peak, in bytes.
func heapPeak(run func()) int {
	heap := func() int {
		sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
		metrics.Read(sample)
		return int(sample[0].Value.Uint64())
	}
	runtime.GC()
	before := heap()
	peak := before
	done := make(chan struct{})
	var watcher sync.WaitGroup
	watcher.Go(func() {
		tick := time.NewTicker(2 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-done:
				return
			case <-tick.C:
				peak = max(peak, heap())
			}
		}
	})
	run()
	close(done)
	watcher.Wait()
	return max(peak, heap()) - before
}

// TestBookmarksInBoundedMemory checks that the memory for every format is proportional to
// the number of bookmarks. At 1.2 kB for each, including garbage that is not yet
// collected, half a million bookmarks take 600 MB.
func TestBookmarksInBoundedMemory(t *testing.T) {
	const count, bound = 20_000, 1200
	for name, make := range manyBookmarks {
		in := make(t, count)
		in.Name = name
		var doc *Document
		peak := heapPeak(func() { doc = Extract(in) })
		if len(doc.Links) != count || len(doc.Faults) > 0 {
			t.Errorf("%s: %d links of %s, faults %q", name, len(doc.Links), doc.Format, doc.Faults)
			continue
		}
		if last := doc.Links[count-1]; !strings.Contains(last.Bookmark.Folder, "Folder") || last.Text != "The title of page 19999" {
			t.Errorf("%s: the last link is %+v in %q", name, last, last.Bookmark.Folder)
		}
		if peak > bound*count {
			t.Errorf("%s: %d bytes for each bookmark", name, peak/count)
		}
	}
}

// BenchmarkHalfMillionBookmarks measures the peak heap for half a million bookmarks in
// each format.
func BenchmarkHalfMillionBookmarks(b *testing.B) {
	const count = 500_000
	for name, make := range manyBookmarks {
		b.Run(name, func(b *testing.B) {
			in := make(b, count)
			in.Name = name
			for b.Loop() {
				var doc *Document
				peak := heapPeak(func() { doc = Extract(in) })
				if len(doc.Links) != count || len(doc.Faults) > 0 {
					b.Fatalf("%d links, faults %q", len(doc.Links), doc.Faults)
				}
				b.ReportMetric(float64(peak>>20), "peak-MiB")
				b.ReportMetric(float64(len(in.Body)>>20), "file-MiB")
			}
		})
	}
}

// TestJSONThatIsNoBookmarks: Jest's configuration has "roots", and build information a "checksum".
func TestJSONThatIsNoBookmarks(t *testing.T) {
	for text, want := range map[string]bool{
		`{"name": "a", "jest": {"roots": ["<rootDir>/src"]}}`:                     false,
		`{"branch": "main", "checksum": "7fe5a2e"}`:                               false,
		`{"checksum": "0", "roots" : {"bookmark_bar": {"children": []}}}`:         true,
		"{\n   \"roots\": {\n      \"synced\": {\"children\": []}\n   }\n}":       true,
		`{"title": "", "root": "placesRoot", "roots": {}, "children": [], "x":1}`: false,
	} {
		if got := chromiumFormat.sniff([]byte(text)); got != want {
			t.Errorf("%s is a file of bookmarks: %t, want %t", text, got, want)
		}
	}
}
