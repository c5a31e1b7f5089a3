package crawlertest

import (
	"cmp"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// Want is a finding at one place. Page and URL are without host and leading slash
// when they lie on the site.
type Want struct {
	Page         string
	Line, Column int // from 1, columns in code points
	Code         string
	URL          string
}

// String writes a finding as the section wants has it.
func (w Want) String() string {
	return fmt.Sprintf("%s %d:%d %s %s", w.Page, w.Line, w.Column, w.Code, w.URL)
}

// expectation is a finding whose code may differ between server and directory.
type expectation struct {
	Want
	directory string // the code in a directory; "" for no finding, as in Want.Code
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
		return e, fmt.Errorf("%q: %s is no place", line, fields[1])
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

// Wants are the findings over HTTP, sorted.
func (s *Site) Wants() []Want { return served(s, s.wants) }

// DirectoryWants are the findings when the site is read as a directory, sorted.
func (s *Site) DirectoryWants() []Want { return inDirectory(s, s.wants) }

// Skipped are the references that are not checked, over HTTP, sorted.
func (s *Site) Skipped() []Want { return served(s, s.skipped) }

// DirectorySkipped are the references that are not checked when the site is read
// as a directory, sorted.
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

// Finding makes a Want of what a report says, so that it compares with Wants and
// DirectoryWants: base, the URL the site was served at or the directory as the
// report prints it, is taken off page and URL.
func (s *Site) Finding(base, page string, line, column int, code, target string) Want {
	return s.localized(base, Want{page, line, column, code, target})
}

func (s *Site) localized(base string, w Want) Want {
	w.Page, w.URL = s.local(base, w.Page), s.local(base, w.URL)
	return w
}

// local spells an address of the site as its archive does: without base, and with
// the index file where a directory stands. Other addresses stay as they are.
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

// Diff tells what got and want do not share, a line each: "+" was found and not
// wanted, "-" was wanted and not found. Findings that stand more than once count
// once. It is empty when they are equal.
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

// sorted orders findings by page, place, code and URL, in place.
func sorted(wants []Want) []Want {
	slices.SortFunc(wants, func(a, b Want) int {
		return cmp.Or(strings.Compare(a.Page, b.Page), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column),
			strings.Compare(a.Code, b.Code), strings.Compare(a.URL, b.URL))
	})
	return wants
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
