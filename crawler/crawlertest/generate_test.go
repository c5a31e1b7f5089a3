package crawlertest

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var generatedLinks = regexp.MustCompile(`<a href="/([^"#]*)(?:#([^"]*))?"`)

// TestGenerate crawls the site and compares the findings with Wants.
func TestGenerate(t *testing.T) {
	anchors := regexp.MustCompile(` id="([^"]*)"`)
	for _, pages := range []int{2, 97, 3000} {
		for _, links := range []int{2, 5, 20} {
			g := Generate(7, pages, links)
			ids := map[string]bool{}
			for page := range pages {
				for _, id := range anchors.FindAllStringSubmatch(string(g.appendPage(nil, page)), -1) {
					ids[g.path(page)+"#"+id[1]] = true
				}
			}
			var got []Want
			references := 0
			queue, seen := []string{""}, map[string]bool{"": true}
			for len(queue) > 0 {
				path := queue[0]
				queue = queue[1:]
				page := g.page(path)
				status, _, body := ask(t, g, "GET", "/"+path)
				if (status == 200) != (page >= 0) {
					t.Fatalf("/%s: status %d, page %d", path, status, page)
				}
				for i, line := range strings.Split(body, "\n") {
					for _, at := range generatedLinks.FindAllStringSubmatchIndex(line, -1) {
						references++
						to := line[at[2]:at[3]]
						want := Want{Page: g.path(page), Line: i + 1, Column: at[2], URL: to} // the slash before it
						switch target := g.page(to); {
						case target < 0:
							want.Code = "http-404"
							got = append(got, want)
							continue
						case at[4] >= 0 && !ids[g.path(target)+line[at[4]-1:at[5]]]:
							want.Code, want.URL = "fragment-missing", g.path(target)+line[at[4]-1:at[5]]
							got = append(got, want)
						}
						if !seen[to] {
							seen[to] = true
							queue = append(queue, to)
						}
					}
				}
			}
			if len(seen) != pages {
				t.Errorf("%d pages, %d links: %d pages can be reached", pages, links, len(seen))
			}
			if want := pages*links + (pages-1)/missingEvery + 1 + (pages-1)/fragmentEvery + 1; references != want {
				t.Errorf("%d pages, %d links: %d references, want %d", pages, links, references, want)
			}
			if diff := Diff(got, slices.Collect(g.wants())); diff != "" {
				t.Errorf("%d pages, %d links:\n%s", pages, links, diff)
			}
			urls := map[string]bool{}
			for _, w := range got {
				urls[w.URL] = true
			}
			if g.Broken() != len(urls) {
				t.Errorf("%d pages, %d links: %d broken, want %d", pages, links, g.Broken(), len(urls))
			}
		}
	}
}

func TestGenerateIsDeterministic(t *testing.T) {
	a, b, c := Generate(1, 5000, 10), Generate(1, 5000, 10), Generate(2, 5000, 10)
	for _, page := range []int{0, 1, 999, 1000, 4999} {
		if !bytes.Equal(a.appendPage(nil, page), b.appendPage(nil, page)) {
			t.Errorf("page %d differs between equal sites", page)
		}
		if bytes.Equal(a.appendPage(nil, page), c.appendPage(nil, page)) {
			t.Errorf("page %d is the same with another seed", page)
		}
	}
	for _, path := range []string{"/d0/p0.html", "/d1/p1.html", "/d0/p1", "/d0/p+1.html", "/d5/p5000.html", "/d0/", "/missing/1.html"} {
		if status, _, _ := ask(t, a, "GET", path); status != 404 {
			t.Errorf("%s: %d", path, status)
		}
	}
	if status, header, body := ask(t, a, "HEAD", "/d0/p1.html"); status != 200 || body != "" || header.Get("Content-Length") == "0" {
		t.Errorf("HEAD: %d, %q, %v", status, body, header)
	}
}

func TestGenerateWriteDir(t *testing.T) {
	g, dir := Generate(3, 2001, 4), t.TempDir()
	if err := g.WriteDir(dir); err != nil {
		t.Fatal(err)
	}
	for _, page := range []int{0, 1, 1000, 2000} {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(g.path(page))))
		if err != nil || !bytes.Equal(data, g.appendPage(nil, page)) {
			t.Errorf("page %d: %v", page, err)
		}
	}
	if err := g.WriteDir(filepath.Join(dir, "index.html")); err == nil {
		t.Error("a file was written to as a directory")
	}
}

func BenchmarkGenerate(b *testing.B) {
	const pages = 1_000_000
	g := Generate(1, pages, 100)
	var page []byte
	i := 0
	b.ReportAllocs()
	for b.Loop() {
		page = g.appendPage(page[:0], i%pages)
		i++
	}
	b.SetBytes(int64(len(page)))
}
