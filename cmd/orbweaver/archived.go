package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/report/fix"
	"github.com/orbweaver/orbweaver/urinorm"
)

// archivedEntry is a line of the log of copies that an archive was asked to make.
type archivedEntry struct {
	URL   string    `json:"url"`
	State string    `json:"state"` // "submitted", "archived" or "failed"
	Job   string    `json:"job,omitempty"`
	Copy  string    `json:"copy,omitempty"`
	Time  time.Time `json:"time"`
	Error string    `json:"error,omitempty"`
}

// readArchived reads a log, in which the last line about a URL counts. A last line that is cut, as
// the program was killed while it wrote it, is left out with a note.
func readArchived(file string, note func(string, ...any)) (map[string]archivedEntry, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	known := map[string]archivedEntry{}
	n := 0
	for line := range bytes.Lines(data) {
		n++
		var e archivedEntry
		switch err := json.Unmarshal(line, &e); {
		case !bytes.HasSuffix(line, []byte("\n")):
			note("%s: line %d is cut, and left out", file, n)
		case err != nil || e.URL == "":
			return nil, fmt.Errorf("read %s: line %d is not a line of this log", file, n)
		default:
			known[e.URL] = e
		}
	}
	return known, nil
}

// readCopies reads the copies for --robust-links, nil without it.
func readCopies(c *compiler, note func(string, ...any)) (fix.Copies, error) {
	if !c.On("robust-links") {
		if c.Given("archived") {
			return nil, fmt.Errorf("%s: it needs --robust-links", c.Named("archived"))
		}
		return nil, nil
	}
	known, err := readArchived(c.Text("archived"), note)
	if err != nil && (c.Given("archived") || !errors.Is(err, fs.ErrNotExist)) {
		return nil, fmt.Errorf("%s: %w", c.Named("archived"), err)
	}
	copies := fix.Copies{}
	for _, e := range known {
		u, _, err := urinorm.ParseWeb(e.URL)
		copied, _, bad := urinorm.ParseWeb(e.Copy)
		if e.State == "archived" && err == nil && bad == nil && crawler.IsPublic(u) && strings.HasPrefix(copied.Scheme(), "http") {
			copies[u.WithoutFragment().Printed()] = check.Copy{URL: copied.Printed(), Time: e.Time}
		}
	}
	return copies, nil
}
