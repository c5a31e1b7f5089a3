package main

import (
	"errors"
	"path/filepath"
	"slices"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler"
)

// betweenRuns are the options for data that one run keeps for the next.
type betweenRuns struct {
	cache     string // "" for none
	maxAge    time.Duration
	history   string // "" for the history in the cache
	failAfter int    // 0 fails at the first broken result
	baseline  string // a JSON report, or ""
	// These are set if a configuration that was found gave them.
	baselineFound, failAfterFound, failOnFound bool

	hint string // a note for the user
}

// compileBetween reads the settings for data that one run keeps for the next.
func compileBetween(c *compiler, o *options) {
	s, b := c.settings, &o.between
	anyFile := func(name string) (string, error) { return name, nil }
	b.cache = read(c, "cache", anyFile)
	if b.cache == "" && s.Text("state") != "" {
		b.cache = filepath.Join(s.Text("state"), cacheFile)
	}
	b.history = read(c, "history", anyFile)
	b.maxAge = read(c, "max-age", quantity.ParseDuration)
	b.failAfter = read(c, "fail-after", atLeast(1))
	compileDrift(c, o)
	b.baseline = read(c, "baseline", parseBaseline)
	b.baselineFound, b.failAfterFound, b.failOnFound = s.found["baseline"] > 0, s.found["fail-after"] > 0, s.found["fail-on"] > 0
	c.refuse(b.failAfter > 0 && b.cache == "" && b.history == "", "fail-after", "it needs a history: name a file with --history or --cache, or a directory with --state")
	if s.Given("max-age") && b.cache == "" {
		b.hint = c.Named("max-age") + " has no effect without --cache or --state"
	}
	for _, out := range o.outputs {
		for _, file := range []string{b.cache, b.history} {
			c.refuse(file != "" && filepath.Clean(file) == filepath.Clean(out.File), "output", "a report cannot be written to %s, the file of --cache or --history", file)
		}
	}
}

// parseBaseline accepts the name of a report. The report is read when it is used.
func parseBaseline(name string) (string, error) {
	if name == "-" {
		return "", errors.New("use a file")
	}
	return parseFile(name)
}

// files returns the files that one run keeps for the next.
func (b *betweenRuns) files() []string {
	return slices.DeleteFunc([]string{b.cache, b.history}, func(f string) bool { return f == "" })
}

// compileDrift reads the settings for texts that are compared with earlier ones. It follows the
// name of the cache, which remembers them.
func compileDrift(c *compiler, o *options) {
	below, accept := read(c, "drift-below", parseShare), readAll(c, "drift-accept", parsePattern)
	if c.On("drift") {
		o.crawl.Judging.Drift = &crawler.Drift{Below: below, Accept: accept}
		c.refuse(o.between.cache == "", "drift", "it needs a file that remembers texts: name it with --cache, or a directory with --state")
		return
	}
	for _, name := range []string{"drift-below", "drift-accept"} {
		c.refuse(c.Given(name), name, "it needs --drift")
	}
}
