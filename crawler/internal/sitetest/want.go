package sitetest

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Want is a finding at one place. A Page or URL of the site has no host and no leading
// slash.
type Want struct {
	Page         string
	Line, Column int // from 1; columns count code points
	Code         string
	URL          string
}

// String returns a finding as in the section wants.
func (w Want) String() string {
	return fmt.Sprintf("%s %d:%d %s %s", w.Page, w.Line, w.Column, w.Code, w.URL)
}

// expectation is a Want whose code may differ in a directory.
type expectation struct {
	Want
	directory string // the code in a directory; "" is no finding, also in Want.Code
}

// parseExpectations reads "page line:column code url" lines.
func (s *Site) parseExpectations(section, text string) ([]expectation, error) {
	var list []expectation
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		e, err := parseExpectation(line)
		if err != nil {
			return nil, fmt.Errorf("parse site: %s: %w", section, err)
		}
		list = append(list, e)
	}
	return list, nil
}

func parseExpectation(line string) (e expectation, err error) {
	fields := strings.Fields(line)
	if len(fields) != 4 {
		return e, fmt.Errorf(`%q is not of the form "page line:column code url"`, line)
	}
	at, column, _ := strings.Cut(fields[1], ":")
	e.Line, err = strconv.Atoi(at)
	if err == nil {
		e.Column, err = strconv.Atoi(column)
	}
	if err != nil || e.Line < 1 || e.Column < 1 {
		return e, fmt.Errorf("%q: %s is not a place", line, fields[1])
	}
	e.Page, e.URL = fields[0], fields[3]
	served, directory, differ := strings.Cut(fields[2], "/")
	switch {
	case !differ && served == "http-404":
		directory = "file-missing"
	case !differ:
		directory = served
	}
	e.Code, e.directory = strings.Trim(served, "-"), strings.Trim(directory, "-")
	if e.Code == "" && e.directory == "" {
		return e, fmt.Errorf("%q has no code", line)
	}
	return e, nil
}

// Wants returns the findings over HTTP, sorted.
func (s *Site) Wants() []Want { return served(s, s.wants) }

// DirectoryWants returns the findings in a directory, sorted.
func (s *Site) DirectoryWants() []Want { return inDirectory(s, s.wants) }

// Skipped returns the references that are not checked over HTTP, sorted.
func (s *Site) Skipped() []Want { return served(s, s.skipped) }

// DirectorySkipped returns the references that are not checked in a directory, sorted.
func (s *Site) DirectorySkipped() []Want { return inDirectory(s, s.skipped) }

func served(s *Site, list []expectation) []Want {
	var wants []Want
	for _, e := range list {
		if e.Code != "" {
			wants = append(wants, s.localized("", e.Want))
		}
	}
	return sorted(wants)
}

func inDirectory(s *Site, list []expectation) []Want {
	var wants []Want
	for _, e := range list {
		if e.directory != "" {
			w := e.Want
			w.Code = e.directory
			wants = append(wants, s.localized("", w))
		}
	}
	return sorted(wants)
}

// Finding returns a finding of a report in the form of Wants and DirectoryWants. base is the
// URL that the site was served at, or the directory as the report prints it. It is removed
// from the page and the target.
func (s *Site) Finding(base, page string, line, column int, code, target string) Want {
	return s.localized(base, Want{page, line, column, code, target})
}

func (s *Site) localized(base string, w Want) Want {
	w.Page, w.URL = s.local(base, w.Page), s.local(base, w.URL)
	return w
}

// local returns a URL or path of the site in the form of the archive: without base, and
// with the index file of a directory. Others do not change.
func (s *Site) local(base, address string) string {
	if base != "" {
		base = strings.TrimSuffix(base, "/")
		rest, ok := strings.CutPrefix(address, base)
		if !ok || rest != "" && rest[0] != '/' {
			return address
		}
		address = strings.TrimPrefix(rest, "/")
	}
	end := strings.IndexAny(address, "?#")
	if end < 0 {
		end = len(address)
	}
	if dir := address[:end]; dir == "" || strings.HasSuffix(dir, "/") {
		name, err := url.PathUnescape(dir)
		if err == nil && s.files[name+indexName] != nil {
			return dir + indexName + address[end:]
		}
	}
	return address
}

// Diff returns the differences of two lists of findings, a line for each: "+" for those in
// got alone, "-" for those in want alone. It ignores the order and repetitions. The result
// is empty if there are none.
func Diff(got, want []Want) string {
	found, wanted := set(got), set(want)
	var b strings.Builder
	all := slices.Collect(maps.Keys(found))
	for w := range wanted {
		if !found[w] {
			all = append(all, w)
		}
	}
	for _, w := range sorted(all) {
		switch {
		case !wanted[w]:
			fmt.Fprintf(&b, "+ %s\n", w)
		case !found[w]:
			fmt.Fprintf(&b, "- %s\n", w)
		}
	}
	return b.String()
}

func set(wants []Want) map[Want]bool {
	m := make(map[Want]bool, len(wants))
	for _, w := range wants {
		m[w] = true
	}
	return m
}

// sorted sorts findings by page, place, code and URL, and returns them.
func sorted(wants []Want) []Want {
	slices.SortFunc(wants, func(a, b Want) int {
		return cmp.Or(strings.Compare(a.Page, b.Page), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Code, b.Code), strings.Compare(a.URL, b.URL))
	})
	return wants
}
