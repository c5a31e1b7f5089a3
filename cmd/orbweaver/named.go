package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
)

// maxKeptTargets limits the targets that keepNamed looks at.
const maxKeptTargets = 10_000

// keepNamed makes sure that no exclusion of a configuration file removes a target that the user named:
// the file, which may have been imported, was written before. It returns what it kept, for a note.
func keepNamed(o *options, targets []target) (kept []string) {
	var names []string
	for _, t := range targets[:min(len(targets), maxKeptTargets)] {
		printed, err := t.url.Printed(), error(nil)
		if t.kind != website {
			printed, err = printedPath(filepath.ToSlash(t.path), true)
		}
		if err != nil || t.kind == stdinDocument || !o.excludedByFile(printed, t.kind == directory) {
			continue
		}
		pattern := regexp.QuoteMeta(printed)
		if t.kind == directory {
			pattern = regexp.QuoteMeta(strings.TrimSuffix(printed, "/")) + "/.*"
		}
		names, kept = append(names, pattern), append(kept, t.raw)
	}
	if len(names) > 0 {
		o.crawl.Scope.ExcludeExcept = append(o.crawl.Scope.ExcludeExcept, regexp.MustCompile("^(?:"+strings.Join(names, "|")+")$"))
	}
	return kept
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

func keptNote(kept []string) string {
	note := fmt.Sprintf("%s is checked although exclude in the configuration file matches it: you named it", kept[0])
	if more := len(kept) - 1; more > 0 {
		note += fmt.Sprintf("; so are %d more", more)
	}
	return note
}
