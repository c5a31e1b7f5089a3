package service

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/api"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/audit"
	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/store"
	"github.com/orbweaver/orbweaver/urinorm"
)

// Limits of the list of URLs that a project only checks.
const (
	MaxURLs    = 10_000
	MaxURLList = 4 << 20 // bytes of its text
)

// readURLs reads a list of URLs, one a line. Empty lines and those that begin with # do not count, and
// repeated ones count once.
func (s *Projects) readURLs(text string) (urls []string, faults []api.Fault) {
	urls = []string{}
	known := map[string]bool{}
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") || known[line] {
			continue
		}
		known[line] = true
		target, err := line, error(nil)
		if target, err = s.engine.CheckTarget(line); err == nil {
			err = checkListed(target)
		}
		if !utf8.ValidString(line) {
			err = fmt.Errorf("it is not UTF-8")
		}
		if err != nil && len(faults) <= api.MaxFaults {
			faults = append(faults, api.Fault{Field: fmt.Sprintf("urls.%d", n), Message: err.Error()})
		}
		urls = append(urls, target)
	}
	if len(urls) > MaxURLs {
		faults = []api.Fault{{Field: "urls", Message: fmt.Sprintf("use at most %s URLs: there are %s", api.Count(MaxURLs), api.Count(len(urls)))}}
	}
	return urls, faults
}

// checkListed returns what is wrong with a URL of a list that could be a target.
func checkListed(target string) error {
	u, _, err := urinorm.ParseWeb(target)
	switch {
	case err != nil || u.Host() == "":
		return fmt.Errorf("%q is no http or https URL", target)
	case strings.Contains(urinorm.Redact(target), ":***@"):
		return fmt.Errorf("it has a password, which everybody who sees the project could read")
	}
	return nil
}

// URLs returns the list of URLs of a project as text.
func (s *Projects) URLs(ctx context.Context, project string) (string, error) {
	urls, err := s.store.URLs(ctx, project)
	if err != nil || len(urls) == 0 {
		return "", err
	}
	return strings.Join(urls, "\n") + "\n", nil
}

// PutURLs replaces the list of URLs of a project and returns its length. An empty one removes it, if the
// project has targets.
func (s *Projects) PutURLs(ctx context.Context, row *store.Project, text string, ifMatch Condition) (*api.Project, error) {
	if len(text) > MaxURLList {
		return nil, api.NewProblem(http.StatusRequestEntityTooLarge, "the list is larger than 4 MiB")
	}
	urls, faults := s.readURLs(text)
	if len(faults) > 0 {
		return nil, api.Invalid(faults...)
	}
	var p *api.Project
	err := s.retry(ctx, row, ifMatch, func(row *store.Project) (err error) {
		if len(urls) == 0 && string(row.Targets) == "[]" {
			return api.NewProblem(http.StatusConflict, "the project has no targets, so it needs the list")
		}
		before := row.URLs
		row.List, row.URLs = urls, len(urls)
		if err = s.store.PutProject(ctx, row); err != nil {
			return err
		}
		s.audit.Note(ctx, "project.change", row.ID, row.Name, audit.Changes{"urls": {before, row.URLs}})
		p, err = s.Get(ctx, row)
		return err
	})
	return p, err
}
