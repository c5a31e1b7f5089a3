package main

import (
	"bytes"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"
)

// program is a checker: how to run it and how to count its findings.
type program struct {
	name      string
	path      string
	modes     string // "http", "dir" or both
	version   string // the argument that prints it; "" if there is none
	arguments func(s *settings, at target) []string
	// findings counts the distinct broken targets in the output; -1 if they cannot be
	// counted.
	findings    func(output []byte) int
	readsStderr bool   // findings are on standard error
	config      string // contents of the file configFile in its directory; "" for none
}

const configFile = "config"

// peers are the other checkers. Their arguments turn on checks of fragments, turn off
// checks of other hosts, and set the number of requests in flight, as far as they can.
var peers = []program{
	{name: "muffet", modes: "http", version: "--version", arguments: func(s *settings, at target) []string {
		n := strconv.Itoa(s.concurrency)
		return []string{"--format=json", "--color=never", "--timeout=60", "--buffer-size=65536", "--max-connections=" + n,
			"--max-connections-per-host=" + n, "--include=^" + regexp.QuoteMeta(at.url), "--max-response-body-size=100000000", at.url}
	}, findings: muffetFindings},
	{name: "hyperlink", modes: "dir", version: "--version", arguments: func(_ *settings, at target) []string {
		return []string{"--check-anchors", at.dir}
	}, findings: hyperlinkFindings},
	{name: "htmltest", modes: "dir", version: "--version", arguments: func(_ *settings, at target) []string {
		return []string{"--skip-external", "--log-level", "2", at.dir}
	}, findings: htmltestFindings},
	{name: "linkinator", modes: "http", version: "--version", arguments: func(s *settings, at target) []string {
		return []string{at.url, "--recurse", "--check-fragments", "--format", "json", "--concurrency", strconv.Itoa(s.concurrency),
			"--timeout", "60000", "--skip", "^(?!" + regexp.QuoteMeta(at.url) + ")"}
	}, findings: linkinatorFindings},
	// LinkChecker does not read pages of more than 1 MiB by default.
	{name: "linkchecker", modes: "http", version: "--version", arguments: func(s *settings, at target) []string {
		return []string{"--threads", strconv.Itoa(min(s.concurrency, 10)), "--no-status", "--no-warnings", "--output", "csv",
			"--recursion-level", "-1", "--config", configFile, at.url}
	}, findings: linkcheckerFindings, config: "[checking]\nmaxrequestspersecond=100000\nmaxfilesizeparse=100000000\nmaxfilesizedownload=100000000\n"},
	{name: "wget", modes: "http", version: "--version", readsStderr: true, arguments: func(_ *settings, at target) []string {
		return []string{"--spider", "--recursive", "--level=inf", "--no-directories", "--no-verbose", "--execute", "robots=off", at.url}
	}, findings: wgetFindings},
}

func peerNames() []string {
	names := make([]string, len(peers))
	for i := range peers {
		names[i] = peers[i].name
	}
	return names
}

func ourArguments(s *settings, at target) []string {
	args := []string{"--no-config", "--external", "skip", "--format", "json", "--progress", "never"}
	if at.url == "" {
		args = append(args, at.dir)
	} else {
		args = append(args, "--concurrency", strconv.Itoa(s.concurrency), at.url)
	}
	return append(args, strings.Fields(s.arguments)...)
}

// ourFindings counts broken targets, except two kinds that others do not check: malformed
// references, and links to files on the reader's own machine.
func ourFindings(output []byte) int {
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
}

func muffetFindings(output []byte) int {
	var pages []struct {
		Links []struct{ URL, Error string }
	}
	if json.Unmarshal(output, &pages) != nil {
		return -1
	}
	broken := map[string]bool{}
	for _, page := range pages {
		for _, link := range page.Links {
			if link.Error != "" {
				broken[link.URL] = true
			}
		}
	}
	return len(broken)
}

func linkinatorFindings(output []byte) int {
	var result struct {
		Links []struct{ URL, State string }
	}
	if at := bytes.IndexByte(output, '{'); at < 0 || json.Unmarshal(output[at:], &result) != nil {
		return -1
	}
	broken := map[string]bool{}
	for _, link := range result.Links {
		if link.State == "BROKEN" {
			broken[link.URL] = true
		}
	}
	return len(broken)
}

// linkcheckerFindings counts the rows of the CSV, which lists each target once. The first
// line that is not a comment is the header.
func linkcheckerFindings(output []byte) int {
	rows := -1
	for line := range bytes.Lines(output) {
		if len(bytes.TrimSpace(line)) > 0 && line[0] != '#' {
			rows++
		}
	}
	return rows
}

var wgetBroken = regexp.MustCompile(`Found (\d+|no) broken link`)

func wgetFindings(output []byte) int { return numberIn(wgetBroken, output) }

var (
	hyperlinkOver   = regexp.MustCompile(`(?m)^Found \d+ bad links$`)
	hyperlinkBroken = regexp.MustCompile(`(?m)^  error: bad link (.+)$`)
)

// hyperlinkFindings counts the listed targets, which are repeated for each document that
// links to them. The totals at the end count references; without them the program has
// failed.
func hyperlinkFindings(output []byte) int {
	if !hyperlinkOver.Match(output) {
		return -1
	}
	broken := map[string]bool{}
	for _, m := range hyperlinkBroken.FindAllSubmatch(output, -1) {
		broken[string(m[1])] = true
	}
	return len(broken)
}

var htmltestBroken = regexp.MustCompile(`(\d+) errors? in (\d+) documents?`)

// htmltestFindings returns the total of the output, which counts references.
func htmltestFindings(output []byte) int {
	if bytes.Contains(output, []byte("✔✔✔")) {
		return 0
	}
	return numberIn(htmltestBroken, output)
}

// numberIn returns the number in the first group of a match, 0 if it is a word, and -1 if
// there is no match.
func numberIn(re *regexp.Regexp, output []byte) int {
	m := re.FindSubmatch(output)
	if m == nil {
		return -1
	}
	n, err := strconv.Atoi(string(m[1]))
	if err != nil {
		return 0
	}
	return n
}
