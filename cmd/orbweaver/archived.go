package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/archiving"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/fix"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/urinorm"
)

// noteCut tells that the last line of a log is left out.
func noteCut(file string, log *archiving.Entries, note func(string, ...any)) {
	if log.Cut > 0 {
		note("%s: line %d is cut, and left out", file, log.Cut)
	}
}

// readCopies reads the copies for --robust-links, nil without it.
func readCopies(c *compiler, note func(string, ...any)) (fix.Copies, error) {
	if !c.On("robust-links") {
		if c.Given("archived") {
			return nil, fmt.Errorf("%s: it needs --robust-links", c.Named("archived"))
		}
		return nil, nil
	}
	known, err := archiving.ReadLog(c.Text("archived"))
	if err != nil {
		if c.Given("archived") || !errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s: %w", c.Named("archived"), err)
		}
		return fix.Copies{}, nil
	}
	noteCut(c.Text("archived"), known, note)
	copies := fix.Copies{}
	for _, e := range known.ByURL {
		u, _, err := urinorm.ParseWeb(e.URL)
		copied, _, bad := urinorm.ParseWeb(e.Copy)
		if e.State == archiving.Archived && err == nil && bad == nil && crawler.IsPublic(u) && strings.HasPrefix(copied.Scheme(), "http") {
			copies[u.WithoutFragment().Printed()] = check.Copy{URL: copied.Printed(), Time: e.Time}
		}
	}
	return copies, nil
}
