package verdicts

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/gap"
	"github.com/orbweaver/orbweaver/crawler/internal/judging"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// unusedFile is a file of a directory that nothing refers to, as far as is known.
type unusedFile struct {
	path string
	url  urinorm.URL
}

// unusedFiles finds the files of directories that nothing refers to.
type unusedFiles struct {
	ctx     context.Context
	crawl   *Crawl
	details *detailCache
	sum     *result.Summary // counts them
}

// findings returns the findings about files of directories that nothing refers to. Which ones
// these are is not known before all documents were read. A sitemap refers to what it lists.
func (s unusedFiles) findings() (shown []*result.Result, err error) {
	c := s.crawl
	candidates := s.candidates()
	if len(candidates) == 0 || c.Ended != gap.None || c.Gaps != (gap.Counts{}) || c.Scope.Rules.Changed != nil {
		return nil, nil
	}
	if err := s.removeUsed(candidates); err != nil {
		return nil, err
	}
	for _, site := range c.Scope.Sites {
		for _, rel := range site.Files {
			file := filepath.Join(site.Dir(), filepath.FromSlash(rel))
			if f := candidates[file]; f != nil {
				shown = s.add(shown, f)
				delete(candidates, file) // a directory in it can be a target, too
			}
		}
	}
	return shown, nil
}

// candidates returns the files that were kept to find them, by their paths,
// without those that the user named.
func (s unusedFiles) candidates() map[string]*unusedFile {
	c := s.crawl
	all := map[string]*unusedFile{}
	for _, site := range c.Scope.Sites {
		for _, rel := range site.Files {
			if u, err := site.URLOf(rel); err == nil {
				file := filepath.Join(site.Dir(), filepath.FromSlash(rel))
				all[file] = &unusedFile{file, u}
			}
		}
	}
	for i := range c.Seeds {
		if site := c.Scope.Sites.Of(c.Seeds[i].URL); c.Seeds[i].Named && site != nil && c.SeedIDs[i] != 0 {
			if end := s.details.targets.follow(c.SeedIDs[i]).end; end != 0 {
				delete(all, filepath.Clean(s.details.get(end).outcome.Path))
			}
		}
	}
	return all
}

// removeUsed removes the files that a document other than the file itself refers to.
func (s unusedFiles) removeUsed(candidates map[string]*unusedFile) error {
	fileOf, err := s.targets(candidates)
	if err != nil {
		return err
	}
	var links frontier.BriefReader
	return s.crawl.Store.Scan(s.ctx, frontier.PartFound|frontier.PartLinks, func(rec *frontier.Record) error {
		if len(rec.Links) == 0 {
			return nil
		}
		if err := links.Reset(rec.Links); err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		var b frontier.Brief
		for {
			more, err := links.Next(&b)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			if !more {
				return nil
			}
			id := rec.Found[b.Target]
			for _, id := range [...]frontier.ID{id, s.details.targets.follow(id).end} {
				if file := fileOf[id]; file != "" && file != fileOf[rec.ID] {
					delete(candidates, file)
				}
			}
		}
	})
}

// targets returns the files that targets stand for: the one that answered, the one at an address that was
// not requested, for example because it is excluded, and, where it is not known at which address a
// directory is published, any one whose path ends the address, such as one in a sitemap.
func (s unusedFiles) targets(candidates map[string]*unusedFile) (map[frontier.ID]string, error) {
	byURL := make(map[string]string, len(candidates))
	for file, f := range candidates {
		byURL[f.url.String()] = file
	}
	fileOf := map[frontier.ID]string{}
	err := s.crawl.Store.Scan(s.ctx, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
		g, err := judging.GlanceAt(s.details.targets.outcomeOf(rec))
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		file := filepath.Clean(string(g.Path))
		if len(g.Path) == 0 {
			job, err := frontier.DecodeJob(rec.Job)
			if err != nil {
				return fmt.Errorf("target %d: %w", rec.ID, err)
			}
			address, _, _ := strings.Cut(string(job.URL), "?")
			if file = byURL[address]; file == "" {
				file = s.published(address, byURL)
			}
		}
		if candidates[file] != nil {
			fileOf[rec.ID] = file
		}
		return nil
	})
	return fileOf, err
}

// published returns the file of a directory without a known address whose path ends a URL, or "".
func (s unusedFiles) published(address string, byURL map[string]string) string {
	_, rest, found := strings.Cut(address, "://")
	for found {
		if _, rest, found = strings.Cut(rest, "/"); !found || rest == "" {
			return ""
		}
		for _, site := range s.crawl.Scope.Sites {
			if !site.Synthetic() {
				continue
			}
			for _, ending := range [...]string{"", ".html"} {
				if file := byURL[site.Base().String()+rest+ending]; file != "" {
					return file
				}
			}
		}
	}
	return ""
}

// add adds the finding about a file to those that are shown, and counts it.
func (s unusedFiles) add(shown []*result.Result, f *unusedFile) []*result.Result {
	c := s.crawl
	finding := judging.Finding{Code: judging.CodeFileUnused, Message: "no document of the directory refers to the file"}
	page := foundOn{url: c.Print.Path(f.path), final: c.Print.URL(f.url), internal: true, outcome: &judging.Outcome{Size: -1}}
	g, reported := judgeFinding(&finding, page.levels(c.Judging))
	if !reported {
		return shown
	}
	s.sum.CountFinding(true, g.Verdict, g.Code, 1)
	if !isShown(c.Show, &g) {
		return shown
	}
	return append(shown, page.result(&finding, &g, ""))
}
