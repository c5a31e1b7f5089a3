package main

import (
	"errors"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/sources"
	"github.com/orbweaver/orbweaver/crawler/evidence"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/report"
)

// sink receives results and notes from the engine, and passes them to the reports and the
// console.
type sink struct {
	*report.Multi
	console *console
	quiet   bool             // do not print notes on the run
	clean   *bookmarkCleaner // nil without --write-clean
	archive *archiveOptions  // nil except for the command archive
	earlier *earlierRuns
	edits   *fixer           // nil without --fix
	kept    *evidence.Keeper // nil without --evidence
	sources *sources.Tree    // nil without --sources
	folders *bookmarkFolders // nil if no target is a bookmark file
	dir     string           // the working directory
}

// openSink opens the reports and the data of earlier runs. Its errors are usage errors.
func openSink(cmd *cobra.Command, o *options, p *plan, console *console) (*sink, error) {
	s := &sink{console: console, quiet: o.quiet, archive: o.archive}
	var err error
	if o.writeClean != "" {
		if s.clean, err = newBookmarkCleaner(o, p.targets); err != nil {
			return nil, err
		}
	}
	if s.sources, err = openSources(o, p); err != nil {
		return nil, err
	}
	s.folders, s.dir = newBookmarkFolders(p.targets, p.workingDir), p.workingDir
	if o.fix {
		s.edits = &fixer{write: o.write, level: o.fixLevel, note: console.notef}
	}
	o.runDir, o.sorted = p.workingDir, !o.write // what edits have not fixed is reported last
	if s.Multi, err = openReports(cmd, o, console.notef); err != nil {
		return nil, usageError("%w", err)
	}
	if s.earlier, err = openEarlierRuns(cmd, o, console.notef); err != nil {
		s.Multi.Close()
		return nil, usageError("%w", err)
	}
	return s, nil
}

// openSources opens the sources that the pages of a run were built from, or returns nil
// if there are none.
func openSources(o *options, p *plan) (*sources.Tree, error) {
	if o.sources == "" {
		return nil, nil
	}
	tree, err := sources.Open(o.sources, p.workingDir, p.siteDirs())
	if err != nil {
		return nil, usageError("--sources: %w", err)
	}
	return tree, nil
}

func (s *sink) close() {
	_ = s.earlier.close() // after an error that ended the run
	s.Multi.Close()
}

// writeFiles writes the copy of the bookmarks and the edits. Then it reports the results
// that the edits have not fixed.
func (s *sink) writeFiles(stdout io.Writer, sum *result.Summary) error {
	var errs []error
	if s.clean != nil {
		errs = append(errs, s.clean.finish(sum, s.console.notef))
	}
	if s.edits != nil {
		plan, err := s.edits.apply(stdout)
		errs = append(errs, err)
		if s.edits.write {
			for _, r := range s.edits.unfixed(plan, sum) {
				errs = append(errs, s.report(r))
			}
		}
	}
	return errors.Join(errs...)
}

// Result maps a result to the sources and passes it to the copy of the bookmarks, to the
// edits and to the reports.
func (s *sink) Result(r *result.Result) error {
	s.kept.Judged(r)
	s.archive.add(r)
	if s.sources != nil {
		s.sources.Map(r)
	}
	if s.folders != nil {
		s.folders.annotate(r)
	}
	if s.clean != nil {
		s.clean.add(r)
	}
	if s.edits != nil && s.edits.add(r) && s.edits.write {
		return nil // reported after the edits
	}
	return s.report(r)
}

func (s *sink) report(r *result.Result) error { return s.Multi.Result(s.earlier.annotate(r)) }

// Note prints a note on the run as a whole.
func (s *sink) Note(n result.Note) error {
	if !s.quiet {
		s.console.notef("%s", withPathsFromRoot(n.Message, s.dir))
	}
	return nil
}

// withPathsFromRoot returns a note with the names of files outside the working directory as
// text reports have them: from the root.
func withPathsFromRoot(note, dir string) string {
	if dir == "" {
		return note
	}
	words := strings.Split(note, " ")
	for i, word := range words {
		if strings.HasPrefix(word, "../") {
			words[i] = path.Join(filepath.ToSlash(dir), word)
			if strings.HasSuffix(word, "/") {
				words[i] += "/"
			}
		}
	}
	return strings.Join(words, " ")
}

func (s *sink) Progress(p result.Progress) {
	s.console.progress(p)
}
