//go:build !race

package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
)

// A text that is remembered with damage, or in the form of another version, is no finding: what the next
// run reads is compared from then on.
func TestDriftOfUnreadableTexts(t *testing.T) {
	program, err := exec.LookPath("orbweaver")
	if err != nil {
		t.Fatal(err)
	}
	var text atomic.Pointer[string]
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		if strings.HasPrefix(r.Host, "localhost") {
			w.Write([]byte("<title>" + citedTitle + "</title><p>" + *text.Load()))
			return
		}
		w.Write([]byte("<a href=" + strings.Replace("http://"+r.Host, "127.0.0.1", "localhost", 1) + "/cited>cited</a>"))
	}))
	t.Cleanup(web.Close)
	for _, kept := range []struct{ flag, file string }{{"--cache", "c.db"}, {"--state", "s/" + cacheFile}} {
		version := func(data []byte) int { return bytes.Index(data, []byte(citedTitle)) + len(citedTitle) }
		for _, row := range []struct {
			name   string
			change func(key, data []byte) []byte // of the record of the text
			note   string
			anew   bool // the run sets the file aside, so that the next one begins anew
		}{
			{"damaged", func(_, data []byte) []byte { data[len(data)/2] ^= 1; return data }, "damaged", true},
			{"cut", func(_, data []byte) []byte { return data[:len(data)-9] }, "damaged", true},
			{"no sketch", func(key, data []byte) []byte { return sealed(key, data[:version(data)+1]) }, "", false},
			{"of another version", func(key, data []byte) []byte {
				data[version(data)]++
				return sealed(key, data[:len(data)-8])
			}, "--drift: the texts of 1 target were remembered by another version", false},
		} {
			t.Run(kept.flag+" "+row.name, func(t *testing.T) {
				dir := t.TempDir()
				check := func(now int) (stdout, stderr string) {
					t.Helper()
					text.Store(&citedTexts[now])
					path, _, _ := strings.Cut(kept.file, "/")
					cmd := exec.Command(program, "check", web.URL+"/", "--no-config", "--drift", "--max-age", "0", kept.flag, path)
					cmd.Dir = dir
					var out, errs bytes.Buffer
					cmd.Stdout, cmd.Stderr = &out, &errs
					if err := cmd.Run(); err != nil {
						t.Fatalf("%v: %s%s", err, &out, &errs)
					}
					return out.String(), errs.String()
				}
				check(0)
				changeText(t, filepath.Join(dir, kept.file), row.change)
				if out, errs := check(1); strings.Contains(out, "content-drift") || !strings.Contains(errs, row.note) {
					t.Errorf("the first run after it: %s%s", out, errs)
				}
				if row.anew {
					if out, errs := check(1); strings.Contains(out, "content-drift") {
						t.Errorf("the run that begins anew: %s%s", out, errs)
					}
				}
				if out, errs := check(2); !strings.Contains(out, "content-drift") || strings.Contains(errs, "version") {
					t.Errorf("the run after a text was remembered: %s%s", out, errs)
				}
			})
		}
	}
}
