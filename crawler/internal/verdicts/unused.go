package verdicts

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/urinorm"
)

// unusedFile is a file of a directory that nothing refers to, as far as is known.
type unusedFile struct {
	site *disk.Site
	rel  string
	path string
	url  urinorm.URL
}

// unusedFiles finds the files of directories that nothing refers to.
type unusedFiles struct{ join *join }

// findings returns the findings about files of directories that nothing refers to. Which ones
// these are is not known before all documents were read. A sitemap refers to what it lists, and so
// does a name of the file in a script or in JSON, from which scripts make addresses.
func (s unusedFiles) findings() (shown []*result.Result, err error) {
	c := s.join.crawl
	candidates := s.candidates()
	if len(candidates) == 0 || c.Ended != check.NoGap || c.Gaps != (result.GapCounts{}) || c.Scope.Rules.Changed != nil {
		return nil, nil
	}
	if err := s.removeUsed(candidates); err != nil {
		return nil, err
	}
	mentions := namesOf(candidates)
	for _, site := range c.Scope.Sites {
		for _, rel := range site.Files {
			if ext := path.Ext(rel); ext == ".js" || ext == ".mjs" || ext == ".json" {
				mentions.read(filepath.Join(site.Dir(), filepath.FromSlash(rel)), candidates)
			}
		}
	}
	for _, site := range c.Scope.Sites {
		for _, rel := range site.Files {
			if f := candidates[filepath.Join(site.Dir(), filepath.FromSlash(rel))]; f != nil {
				shown = s.add(shown, f)
			}
		}
	}
	return shown, nil
}

// candidates returns the files that are of use only if something refers to them, by their paths,
// without those that the user named.
func (s unusedFiles) candidates() map[string]*unusedFile {
	j := s.join
	c := j.crawl
	all := map[string]*unusedFile{}
	for _, site := range c.Scope.Sites {
		for _, rel := range site.Files {
			if !disk.NeedsReference(rel) {
				continue
			}
			if u, err := site.URLOf(rel); err == nil {
				file := filepath.Join(site.Dir(), filepath.FromSlash(rel))
				all[file] = &unusedFile{site, rel, file, u}
			}
		}
	}
	for i := range c.Seeds {
		if site := c.Scope.SiteOf(c.Seeds[i].URL); c.Seeds[i].Named && site != nil && c.SeedIDs[i] != 0 {
			if end := j.targets().follow(c.SeedIDs[i]).end; end != 0 {
				delete(all, filepath.Clean(j.details.get(end).outcome.Path))
			}
		}
	}
	return all
}

// removeUsed removes the files that answer for a link, but not for one of their own.
func (s unusedFiles) removeUsed(candidates map[string]*unusedFile) error {
	j := s.join
	used := make(idBits, (len(j.targets().states)+63)/64)
	var links frontier.BriefReader
	err := j.crawl.Store.Scan(j.ctx, frontier.PartFound|frontier.PartLinks, func(rec *frontier.Record) error {
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
			if end := j.targets().follow(id).end; id != rec.ID && end != rec.ID {
				used.set(id)
				if end != 0 {
					used.set(end)
				}
			}
		}
	})
	if err != nil {
		return err
	}
	byURL := make(map[string]string, len(candidates))
	for file, f := range candidates {
		byURL[f.url.String()] = file
	}
	return j.crawl.Store.Scan(j.ctx, frontier.PartJob|frontier.PartOutcome, func(rec *frontier.Record) error {
		if !used.has(rec.ID) {
			return nil
		}
		g, err := check.GlanceAt(j.targets().outcomeOf(rec))
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		if len(g.Path) > 0 { // the file that answered
			delete(candidates, filepath.Clean(string(g.Path)))
			return nil
		}
		job, err := frontier.DecodeJob(rec.Job)
		if err != nil {
			return fmt.Errorf("target %d: %w", rec.ID, err)
		}
		address, _, _ := strings.Cut(string(job.URL), "?") // it was not requested, for example because it is excluded
		delete(candidates, byURL[address])
		if rel, ok := strings.CutPrefix(address, j.crawl.OwnBase); ok && j.crawl.OwnBase != "" {
			for _, site := range j.crawl.Scope.Sites {
				delete(candidates, byURL[site.Base().String()+rel])
			}
		}
		return nil
	})
}

// add adds the finding about a file to those that are shown, and counts it.
func (s unusedFiles) add(shown []*result.Result, f *unusedFile) []*result.Result {
	c := s.join.crawl
	finding := check.Finding{Code: check.CodeFileUnused, Message: "no document of the directory refers to the file"}
	page := foundOn{url: c.Print.Path(f.path), final: c.Print.URL(f.url), internal: true, outcome: &check.Outcome{Size: -1}}
	g, reported := judgeFinding(&finding, page.levels(c.Judging))
	if !reported {
		return shown
	}
	s.join.pairs.sum.CountFinding(true, &g, 1)
	if !isShown(c.Show, &g) {
		return shown
	}
	return append(shown, page.result(&finding, &g, ""))
}

// fileNames are names by which scripts may mean files: whole names, those without extension, and
// hashes in them, from which loaders make the names.
type fileNames map[string][]string // paths of files

const (
	leastHash  = 6        // characters of a part of a name that says enough
	maxMention = 16 << 20 // bytes of a script that are searched for names
)

func namesOf(files map[string]*unusedFile) fileNames {
	names := fileNames{}
	add := func(name, file string) { names[name] = append(names[name], file) }
	for file, f := range files {
		name := path.Base(f.rel)
		add(name, file)
		stem := strings.TrimSuffix(name, path.Ext(name))
		if len(stem) >= leastHash {
			add(stem, file)
		}
		for _, part := range strings.FieldsFunc(stem, func(c rune) bool { return c == '.' || c == '-' || c == '_' }) {
			if len(part) >= leastHash && strings.ContainsAny(part, "0123456789") {
				add(part, file)
			}
		}
	}
	return names
}

// read removes the files that a script names from the candidates. What cannot be read names none.
func (n fileNames) read(script string, candidates map[string]*unusedFile) {
	f, err := os.Open(script)
	if err != nil {
		return
	}
	defer f.Close()
	found := func(word string) {
		for _, file := range n[word] {
			if file != script {
				delete(candidates, file)
			}
		}
	}
	var word []byte
	for b := bufio.NewReader(io.LimitReader(f, maxMention)); ; {
		c, err := b.ReadByte()
		if err == nil && isNameByte(c) && len(word) < 256 {
			word = append(word, c)
			continue
		}
		text := strings.Trim(string(word), ".-_")
		found(text)
		for _, part := range strings.FieldsFunc(text, func(c rune) bool { return c == '.' || c == '-' || c == '_' }) {
			found(part)
		}
		if err != nil {
			return
		}
		word = word[:0]
	}
}

// isNameByte reports whether a byte is one of those that names in scripts have.
func isNameByte(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z' || c == '.' || c == '-' || c == '_' || c >= 0x80
}
