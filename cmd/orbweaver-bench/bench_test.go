package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The test binary acts as the server, like the command itself, and as a checker that
// requests one page and reports two broken links.
const playChecker = "ORBWEAVER_BENCH_CHECKER"

func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == serveCommand:
		main()
	case os.Getenv(playChecker) != "":
		check()
	default:
		os.Exit(m.Run())
	}
}

func check() {
	if at := os.Args[len(os.Args)-1]; strings.HasPrefix(at, "http") {
		if i := slices.Index(os.Args, "--ca-file"); i > 0 {
			checkExternal(at, os.Args[i+1], os.Args[slices.Index(os.Args, "--dns-server")+1])
			return
		}
		resp, err := http.Get(at)
		if err != nil || resp.StatusCode != http.StatusOK {
			fmt.Println("not reached", err)
			return
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
	fmt.Println(`{"summary": {"pages": 2, "references": 8, "broken": 4, "by_code": {"uri-invalid": 1, "file-from-web": 1}}}`)
}

// checkExternal requests each link of a page with the given authority and name server.
func checkExternal(page, caFile, nameServer string) {
	fail := func(err error) {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	pem, err := os.ReadFile(caFile)
	fail(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	dialer := &net.Dialer{Resolver: &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", nameServer)
	}}}
	client := &http.Client{Transport: &http.Transport{DialContext: dialer.DialContext, TLSClientConfig: &tls.Config{RootCAs: roots}, ForceAttemptHTTP2: true}}
	resp, err := client.Get(page)
	fail(err)
	text, err := io.ReadAll(resp.Body)
	fail(errors.Join(err, resp.Body.Close()))
	links := regexp.MustCompile(`https://[^"]+`).FindAllString(string(text), -1)
	for _, link := range links {
		resp, err := client.Head(link)
		fail(err)
		fail(resp.Body.Close())
	}
	fmt.Printf("{\"summary\": {\"pages\": 1, \"references\": %d}}\n", 1+len(links))
}

// TestExternal measures a checker on links to several hosts, each with a name and a
// certificate.
func TestExternal(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(playChecker, "1")
	var out, log bytes.Buffer
	if err := bench([]string{"-ours", self, "-peers", "none", "external:3x7"}, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if !regexp.MustCompile(`(?m)^\| [^\n]* \| 8 \| 3 \| 0 \| 7 \| 3 \|$`).MatchString(out.String()) || log.Len() > 0 {
		t.Errorf("want 8 requests, 3 connections, none of them resumed, 7 requests over HTTP/2 and 3 lookups:\n%s%s", out.String(), log.String())
	}
	for _, name := range []string{"external:3", "external:0x4", "external:5x4", "external:70000x70000"} {
		if err := bench([]string{"-ours", self, "-peers", "none", name}, io.Discard, io.Discard); err == nil {
			t.Errorf("%s was accepted", name)
		}
	}
}

// TestBench measures a checker on a directory and on a generated site.
func TestBench(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(playChecker, "1")
	// The program may be given by a relative path, although it runs in another directory.
	if self, err = filepath.Rel(workingDir(t), self); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<a href=x>"), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, log bytes.Buffer
	if err := bench([]string{"-ours", self, "-peers", "none", "-runs", "3", "-v", dir, "site:10x3@4"}, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	rows := regexp.MustCompile(`(?m)^\| orbweaver.*$`).FindAllString(out.String(), -1)
	if len(rows) != 3 {
		t.Fatalf("want a row for each of three measurements, got\n%s", out.String())
	}
	for i, requests := range []string{"–", "1", "1"} {
		cells := strings.Split(rows[i], "|")
		if got := strings.TrimSpace(cells[5]); got != requests {
			t.Errorf("row %d: %s requests, want %s", i, got, requests)
		}
		if got := strings.TrimSpace(cells[6]); got != "2" {
			t.Errorf("row %d: %s findings, want 2", i, got)
		}
	}
	if n := strings.Count(log.String(), filepath.Base(self)); n != 9 {
		t.Errorf("-v prints each of 9 runs, got %d", n)
	}
}

// Pages have validators, so that a second run is answered with 304.
func TestValidators(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "index.html"), []byte("<a href=x>"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{dir, "site:10x3"} {
		c, err := parseCorpus(name)
		if err != nil {
			t.Fatal(err)
		}
		handler, first, second := c.handler(), httptest.NewRecorder(), httptest.NewRecorder()
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		handler.ServeHTTP(first, r)
		if first.Code != http.StatusOK || first.Header().Get("ETag") == "" || name == dir && first.Header().Get("Last-Modified") == "" {
			t.Errorf("%s: %d %v", name, first.Code, first.Header())
		}
		r.Header.Set("If-None-Match", first.Header().Get("ETag"))
		handler.ServeHTTP(second, r)
		if second.Code != http.StatusNotModified || second.Body.Len() > 0 {
			t.Errorf("%s: the second answer is %d with %d bytes", name, second.Code, second.Body.Len())
		}
	}
}

// TestKeep measures the modes that keep more, in which a run again uses what the one before
// has kept.
func TestKeep(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(playChecker, "1")
	var out, log bytes.Buffer
	if err := bench([]string{"-ours", self, "-peers", "none", "-keep", "-v", "site:10x3@4"}, &out, &log); err != nil {
		t.Fatalf("%v\n%s", err, log.String())
	}
	if !strings.Contains(out.String(), "(2 pages, 8 references") {
		t.Errorf("the size of the site is missing:\n%s", out.String())
	}
	for _, m := range keepModes {
		if n := strings.Count(out.String(), "| "+m.name+" "); n != 1 {
			t.Errorf("%d rows for %s, want 1:\n%s", n, m.name, out.String())
		}
	}
	dirs := regexp.MustCompile(`--state (\S+)`).FindAllStringSubmatch(log.String(), -1)
	if len(dirs) != 4 || dirs[0][1] != dirs[1][1] || dirs[2][1] != dirs[3][1] || dirs[0][1] == dirs[2][1] {
		t.Errorf("want two states with two runs each, got %q", dirs)
	}
	if !strings.Contains(log.String(), "--format sqlite") {
		t.Errorf("no run writes a database:\n%s", log.String())
	}
}

func workingDir(t *testing.T) string {
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return wd
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{}, {"-runs", "0", "."}, {"-ours", "no-such-program", "."}, {"-ours", "go", "-peers", "nobody", "."},
		{"-ours", "go", "-peers", "none", "site:10"}, {"-ours", "go", "-peers", "none", "site:xx5"}, {"-ours", "go", "-peers", "none", "bench_test.go"}} {
		if err := bench(args, io.Discard, io.Discard); err == nil {
			t.Errorf("bench %q: no error", args)
		}
	}
}

// TestFindings counts the findings in the output of each checker.
func TestFindings(t *testing.T) {
	tests := []struct {
		name  string
		count func([]byte) int
		said  string
		want  int
	}{
		{"muffet", muffetFindings, `[{"url":"a","links":[{"url":"x","error":"404"},{"url":"y","status":200}]},{"url":"b","links":[{"url":"x","error":"404"}]}]`, 1},
		{"muffet", muffetFindings, "failed to fetch root page", -1},
		{"linkinator", linkinatorFindings, `{"links":[{"url":"x","state":"BROKEN"},{"url":"x","state":"BROKEN"},{"url":"y","state":"OK"}],"passed":false}`, 1},
		{"linkinator", linkinatorFindings, "no", -1},
		{"linkchecker", linkcheckerFindings, "# created by\n# read more\nurlname;parentname\r\nx;y\r\n# stopped\n", 1},
		{"wget", wgetFindings, "Found 12 broken links.\n", 12},
		{"wget", wgetFindings, "Found no broken links.\n", 0},
		{"wget", wgetFindings, "", -1},
		{"hyperlink", hyperlinkFindings, "Reading files\nChecking 4 links from 2 files (2 documents)\na.html\n  error: bad link /b.html\n  error: bad link /a.html#x\n\n" +
			"c.html\n  error: bad link /b.html\n\nFound 2 bad links\nFound 1 bad anchors\n", 2},
		{"hyperlink", hyperlinkFindings, "Found 0 bad links\nFound 0 bad anchors\n", 0},
		{"hyperlink", hyperlinkFindings, "Reading files\n", -1},
		{"htmltest", htmltestFindings, "✘✘✘ failed in 1.2s\n31 errors in 766 documents\n", 31},
		{"htmltest", htmltestFindings, "✔✔✔ passed in 10ms\n", 0},
	}
	for _, tt := range tests {
		if got := tt.count([]byte(tt.said)); got != tt.want {
			t.Errorf("%s, %q: %d findings, want %d", tt.name, tt.said, got, tt.want)
		}
	}
}

func TestLateness(t *testing.T) {
	var even, slowing []int
	for i := range 100 {
		even = append(even, 10*(i+1))
		slowing = append(slowing, min(1000, 50*(i+1), 760+3*i))
	}
	if got := slowdown(requestCounts{Requests: 1000, Series: even}); got < 0.95 || got > 1.05 {
		t.Errorf("a steady run: %.2f", got)
	}
	if got := slowdown(requestCounts{Requests: 1000, Series: slowing}); got > 0.2 {
		t.Errorf("a run that slows down: %.2f", got)
	}
	if got := tenths(requestCounts{Requests: 1000, Series: even}); len(got) != 10 || got[0] < 90 || got[9] > 110 {
		t.Errorf("a steady run of 100 requests a second: %.0f", got)
	}
	if got := tenths(requestCounts{Requests: 1000, Series: slowing}); got[0] < 3*got[9] {
		t.Errorf("a run that slows down: %.0f", got)
	}
	if got := slowdown(requestCounts{Requests: 10, Series: []int{10}}); got != 0 {
		t.Errorf("a short run: %.2f", got)
	}
}
