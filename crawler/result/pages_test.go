package result

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
)

func samplePages() []*Page {
	full, n := &Page{}, 0
	fill(reflect.ValueOf(full).Elem(), &n)
	return []*Page{full, {URL: "https://example.com/", Size: -1, Links: []Edge{}}}
}

func TestPageEncoding(t *testing.T) {
	for i, want := range samplePages() {
		record := appendPage(nil, want)
		got, err := decodePage(record, sharedStrings{})
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%d: got %+v, %v, want %+v", i, got, err, want)
		}
		for n := range record {
			if _, err := decodePage(record[:n], sharedStrings{}); err == nil {
				t.Errorf("%d: the first %d bytes of %d were decoded", i, n, len(record))
			}
		}
	}
}

func FuzzDecodePage(f *testing.F) {
	for _, p := range samplePages() {
		f.Add(appendPage(nil, p))
	}
	f.Fuzz(func(t *testing.T, record []byte) {
		p, err := decodePage(record, sharedStrings{})
		if err != nil {
			return
		}
		again, err := decodePage(appendPage(nil, p), sharedStrings{})
		if err != nil || !reflect.DeepEqual(again, p) {
			t.Errorf("%+v became %+v, %v", p, again, err)
		}
	})
}

// Pages come in the order of their URLs, from memory, from a file, and from both, and no file
// is left.
func TestPages(t *testing.T) {
	long := strings.Repeat("x", pagesInMemory/4)
	for _, missing := range []bool{false, true} {
		for _, count := range []int{0, 1, 4, 11} {
			dir := t.TempDir()
			for _, name := range []string{"TMPDIR", "TMP", "TEMP"} {
				t.Setenv(name, dir)
				if missing {
					t.Setenv(name, dir+"/missing")
				}
			}
			var s Pages
			for i := range count {
				s.Add(&Page{URL: fmt.Sprint(7 * i % count / 2), Depth: i, Links: []Edge{{URL: fmt.Sprint(i), Text: long}}})
			}
			if has := s.file.Size() > 0; has != (count >= 4 && !missing) {
				t.Errorf("%d pages, missing %t: something is in the file: %t", count, missing, has)
			}
			for range 2 {
				before, n := Page{Depth: -1}, 0
				err := s.Each(func(p *Page) error {
					if p.URL < before.URL || p.URL == before.URL && p.Depth < before.Depth || p.Links[0].URL != fmt.Sprint(p.Depth) || p.Links[0].Text != long {
						t.Errorf("%d pages: page %s, %d follows %s, %d", count, p.URL, p.Depth, before.URL, before.Depth)
					}
					before = *p
					n++
					return nil
				})
				if err != nil || n != count {
					t.Errorf("%d of %d pages, %v", n, count, err)
				}
			}
			enough := errors.New("enough")
			if err := s.Each(func(*Page) error { return enough }); count > 0 && err != enough {
				t.Errorf("got %v, want the error of the function", err)
			}
			s.Close()
			if entries, err := os.ReadDir(dir); err != nil || len(entries) > 0 {
				t.Errorf("got %v, %v, want an empty directory", entries, err)
			}
		}
	}
}
