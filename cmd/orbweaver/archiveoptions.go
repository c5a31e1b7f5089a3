package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/net/http/httpguts"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/archiving"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/option"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/quantity"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
	"github.com/orbweaver/orbweaver/urinorm"
)

// archiveOptions are the settings of a run that has pages archived, and what it has found.
type archiveOptions struct {
	service archiving.Service // without Fetch
	max     int
	log     string
	dryRun  bool

	found map[string]bool
	ended bool // the run was interrupted
}

func compileArchiving(c *compiler, o *options) {
	a := o.archive
	if a == nil {
		return
	}
	for _, f := range option.Of(option.Check) {
		c.refuse(c.Given(f.Name) && !f.ServesArchiving() && option.Named(option.Archive, f.Name) == nil, f.Name, "it cannot be used with `orbweaver archive`")
	}
	c.refuse(c.Given("format"), "format", "the report would be mixed with the lines about copies: write it to a file with --output")
	for _, out := range o.outputs {
		c.refuse(out.File == report.Stdout, "output", "the report would be mixed with the lines about copies: write it to a file")
	}
	c.refuse(c.Given("archive-api") && c.Text("archive") != "none", "archive-api", "it names the service that makes copies, and cannot be used with --archive")
	p := &o.crawl.Politeness
	a.dryRun, a.log, a.max = c.On("dry-run"), c.Text("archived"), read(c, "archive-max", atLeast(1))
	a.service = archiving.Service{Wait: read(c, "archive-wait", quantity.ParseDuration), Within: read(c, "archive-within", quantity.ParseDuration),
		Retries: max(p.Retries, 0), Backoff: 500 * time.Millisecond, MaxWait: p.MaxWait, Key: c.archiveKey()}
	a.service.URL, _, _ = urinorm.ParseWeb(read(c, "archive-api", parseService))
	a.service.Interval = max(archiving.IntervalFor(a.service.URL), p.Delay)
	if p.Rate > 0 {
		a.service.Interval = max(a.service.Interval, time.Duration(float64(time.Second)/p.Rate))
	}
	c.refuse(a.log == "", "archived", "name a file")
	o.dryRun = false // of --write-clean
}

// archiveKey returns the key of an account at the archive, "" without one. Errors do not have it.
func (c *compiler) archiveKey() string {
	key, where := os.Getenv(archiveKeyVariable), archiveKeyVariable
	if name := c.Text("archive-key-file"); name != "" {
		where = c.Named("archive-key-file")
		text, err := readKeyFile(name)
		if err != nil {
			c.faults = append(c.faults, fmt.Errorf("%s: read %s: %w", where, name, withoutPath(err)))
			return ""
		}
		key = text
	}
	key = withoutLineEnd(key)
	if id, secret, _ := strings.Cut(key, ":"); key != "" && (id == "" || secret == "" || !httpguts.ValidHeaderFieldValue(key) || strings.ContainsAny(key, " \t")) {
		c.faults = append(c.faults, fmt.Errorf("%s: use KEY:SECRET", where))
		return ""
	}
	return key
}

// readKeyFile reads a file that only its owner can read.
func readKeyFile(name string) (string, error) {
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return "", err
	case info.IsDir():
		return "", errors.New("it is a directory, not a file")
	case othersMayRead(info):
		return "", errors.New("others can read it: use chmod 600")
	}
	text, err := io.ReadAll(io.LimitReader(f, maxPassword))
	if err == nil && len(text) == 0 {
		err = errors.New("it is empty")
	}
	return string(text), err
}

// add takes a result whose target may be archived.
func (a *archiveOptions) add(r *result.Result) {
	if a == nil || r.Kind != result.KindTarget || r.Verdict != check.OK || r.Internal {
		return
	}
	u, _, err := urinorm.ParseWeb(r.URL)
	if err == nil && (u.Scheme() == "http" || u.Scheme() == "https") && crawler.IsPublic(u) {
		a.found[u.WithoutFragment().Printed()] = true
	}
}

func (a *archiveOptions) checked(s *result.Summary) {
	if a != nil {
		a.ended = s.Soundness.Because() == "interrupted"
	}
}
