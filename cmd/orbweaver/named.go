package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// maxKeptTargets limits the targets that keepNamed looks at.
const maxKeptTargets = 10_000

// keepNamed returns the targets that an exclusion of a configuration file would remove although the user
// named them, and the pattern that keeps them: the file, which may have been imported, was written before.
func keepNamed(o *options, targets []target) (kept []string, pattern *regexp.Regexp) {
	var names []string
	for _, t := range targets[:min(len(targets), maxKeptTargets)] {
		printed, err := t.url.Printed(), error(nil)
		if t.kind != website {
			printed, err = printedPath(filepath.ToSlash(t.path), true)
		}
		if err != nil || t.kind == stdinDocument || !o.excludedByFile(printed, t.kind == directory) {
			continue
		}
		name := regexp.QuoteMeta(printed)
		if t.kind == directory {
			name = regexp.QuoteMeta(strings.TrimSuffix(printed, "/")) + "/.*"
		}
		names, kept = append(names, name), append(kept, t.raw)
	}
	if len(names) > 0 {
		pattern = regexp.MustCompile("^(?:" + strings.Join(names, "|") + ")$")
	}
	return kept, pattern
}

// excludedByFile reports whether a pattern of a configuration file matches a printed URL, and none of the
// command line. One that matches a directory matches all that is in it.
func (o *options) excludedByFile(printed string, directory bool) bool {
	excluded := false
	for i, re := range o.crawl.Scope.Exclude {
		if re.MatchString(printed) || directory && re.MatchString(strings.TrimSuffix(printed, "/")+"/") {
			if i >= o.fileExcludes {
				return false
			}
			excluded = true
		}
	}
	return excluded
}

// keptNote says which targets were kept.
func keptNote(kept []string) string {
	note := fmt.Sprintf("%s is checked although exclude in the configuration file matches it: you named it", kept[0])
	if more := len(kept) - 1; more > 0 {
		note += fmt.Sprintf("; so are %d more", more)
	}
	return note
}
