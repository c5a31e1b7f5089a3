//go:build unix

package programtest_test

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// checker is a program that checks links: how to run it and how to count its findings. The
// arguments turn on checks of fragments, turn off checks of other hosts, and set the number
// of requests in flight, as far as the program can.
type checker struct {
	name, path string
	directory  func(dir string) []string // nil if it reads no directories
	url        func(url string) []string // nil if it requests nothing
	findings   func(output []byte) int   // the distinct broken targets; -1 if the run failed
	config     string                    // contents of configFile in its directory
}

const configFile = "config"

// ours is the program. Two kinds of findings that others do not have are not counted:
// malformed references, and links to files on the reader's own machine.
func ours() checker {
	arguments := func(target string) []string {
		return append([]string{"--no-config", "--external", "skip", "--format", "json", "--progress", "never", "--concurrency", strconv.Itoa(concurrency), target}, strings.Fields(setting("BENCH_FLAGS", ""))...)
	}
	return checker{name: "orbweaver", path: program, directory: arguments, url: arguments, findings: func(output []byte) int {
		var report struct {
			Summary struct {
				Broken int
				ByCode map[string]int `json:"by_code"`
			}
		}
		if json.Unmarshal(output, &report) != nil {
			return -1
		}
		return report.Summary.Broken - report.Summary.ByCode["uri-invalid"] - report.Summary.ByCode["file-from-web"]
	}}
}

// peers are the other checkers. hyperlink's totals count references, but it lists a target for
// each document that links to it; htmltest has only totals. LinkChecker does not read pages of
// more than 1 MiB by default.
var peers = []checker{
	{name: "muffet", url: func(url string) []string {
		return []string{"--format=json", "--color=never", "--timeout=60", "--buffer-size=65536", fmt.Sprint("--max-connections=", concurrency),
			fmt.Sprint("--max-connections-per-host=", concurrency), "--include=^" + regexp.QuoteMeta(url), "--max-response-body-size=100000000", url}
	}, findings: listed(`^\[`, `"url":"([^"]*)","error":"`)},
	{name: "hyperlink", directory: func(dir string) []string { return []string{"--check-anchors", dir} },
		findings: listed(`(?m)^Found \d+ bad links$`, `(?m)^  error: bad link (.+)$`)},
	{name: "htmltest", directory: func(dir string) []string { return []string{"--skip-external", "--log-level", "2", dir} },
		findings: counted(`✔✔✔|(\d+) errors? in \d+ documents?`)},
	{name: "linkinator", url: func(url string) []string {
		return []string{url, "--recurse", "--check-fragments", "--format", "json", "--concurrency", strconv.Itoa(concurrency),
			"--timeout", "60000", "--skip", "^(?!" + regexp.QuoteMeta(url) + ")"}
	}, findings: listed(`"passed":`, `"url":\s*"([^"]*)",[^{}]*?"state":\s*"BROKEN"`)},
	{name: "linkchecker", url: func(url string) []string {
		return []string{"--threads", strconv.Itoa(min(concurrency, 10)), "--no-status", "--no-warnings", "--output", "csv",
			"--recursion-level", "-1", "--config", configFile, url}
	}, findings: listed(`(?m)^urlname;`, `(?m)^([^#;][^;]*);.*;False;`),
		config: "[checking]\nmaxrequestspersecond=100000\nmaxfilesizeparse=100000000\nmaxfilesizedownload=100000000\n"},
	{name: "wget", url: func(url string) []string {
		return []string{"--spider", "--recursive", "--level=inf", "--no-directories", "--no-verbose", "--output-file=/dev/stdout", "--execute", "robots=off", url}
	}, findings: counted(`Found (\d+|no) broken link`)},
}

// listed counts the distinct targets that match in the output of a run that has ended.
func listed(ended, target string) func([]byte) int {
	over, one := regexp.MustCompile(ended), regexp.MustCompile(target)
	return func(output []byte) int {
		if !over.Match(output) {
			return -1
		}
		broken := map[string]bool{}
		for _, m := range one.FindAllSubmatch(output, -1) {
			broken[string(m[1])] = true
		}
		return len(broken)
	}
}

// counted returns the number in the first group, 0 if it is not a number.
func counted(total string) func([]byte) int {
	re := regexp.MustCompile(total)
	return func(output []byte) int {
		m := re.FindSubmatch(output)
		if m == nil {
			return -1
		}
		n, _ := strconv.Atoi(string(m[1]))
		return n
	}
}

// findPeers returns the named checkers, or with "all" those on PATH.
func findPeers(t testing.TB, names string) (found []checker) {
	t.Helper()
	named := strings.Fields(names)
	for _, c := range peers {
		path, err := exec.LookPath(c.name)
		if err == nil && (names == "all" || slices.Contains(named, c.name)) {
			if c.path, err = filepath.Abs(path); err != nil { // it will run in another directory
				t.Fatal(err)
			}
			found = append(found, c)
		}
	}
	if names != "all" && len(found) < len(named) {
		t.Fatalf("BENCH_PEERS=%s: one is unknown or not on PATH", names)
	}
	return found
}

// TestFindings counts the findings in the output of each checker.
func TestFindings(t *testing.T) {
	const header = "# created by\n# read more\nurlname;parentname;baseref;result;warningstring;infostring;valid;url\r\n"
	for _, row := range []struct {
		name, output string
		want         int
	}{
		{"muffet", `[{"url":"a","links":[{"url":"x","error":"404"},{"url":"y","status":200}]},{"url":"b","links":[{"url":"x","error":"404"}]}]`, 1},
		{"muffet", "failed to fetch root page", -1},
		{"linkinator", `{"links":[{"url":"x","state":"BROKEN"},{"url":"x","state":"BROKEN"},{"url":"y","state":"OK"}],"passed":false}`, 1},
		{"linkinator", "no", -1},
		{"linkchecker", header + "x;y;;404;;;False;http://h/x\r\n# stopped\n", 1},
		{"linkchecker", "", -1},
		{"wget", "Found 12 broken links.\n", 12},
		{"wget", "Found no broken links.\n", 0},
		{"wget", "", -1},
		{"hyperlink", "Reading files\nChecking 4 links from 2 files (2 documents)\na.html\n  error: bad link /b.html\n  error: bad link /a.html#x\n\n" +
			"c.html\n  error: bad link /b.html\n\nFound 2 bad links\nFound 1 bad anchors\n", 2},
		{"hyperlink", "Found 0 bad links\nFound 0 bad anchors\n", 0},
		{"hyperlink", "Reading files\n", -1},
		{"htmltest", "✘✘✘ failed in 1.2s\n31 errors in 766 documents\n", 31},
		{"htmltest", "✔✔✔ passed in 10ms\n", 0},
	} {
		p := peers[slices.IndexFunc(peers, func(p checker) bool { return p.name == row.name })]
		if got := p.findings([]byte(row.output)); got != row.want {
			t.Errorf("%s, %q: %d findings, want %d", row.name, row.output, got, row.want)
		}
	}
}
