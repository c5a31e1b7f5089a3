package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/filelock"
	"github.com/orbweaver/orbweaver/crawler"
	"github.com/orbweaver/orbweaver/crawler/check"
	"github.com/orbweaver/orbweaver/crawler/result"
	"github.com/orbweaver/orbweaver/crawler/store"
)

// state is an open state directory. A nil *state means that the crawl is not kept.
type state struct {
	name             string // the directory as the user wrote it
	dir              string
	lock             *filelock.Lock
	store            *store.File  // nil for a new crawl until begin
	previous         *store.Pages // of the crawl before, once they are needed; nil for none
	command          *command     // what the crawl was started with; nil for a new crawl
	asked            *command     // what a new crawl will be started with
	standing         store.Standing
	input            *recorder
	restoreCollector func()      // ends the limit on garbage
	shared           sharedCrawl // nil for a crawl of one process
}

// sharedCrawl is a crawl that workers on other machines help with.
type sharedCrawl interface {
	run(ctx context.Context, cfg *crawler.Config, seeds []crawler.Seed, out result.Sink) (*result.Summary, error)
	finish() error
	visits() bool // this process visits targets, too
	servers() int
}

// lockState locks a state directory. It creates the directory if necessary.
func lockState(name string) (*state, error) {
	dir, err := filepath.Abs(name)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err != nil {
		return nil, usageError("--state %s: %w", name, withoutPath(err))
	}
	s := &state{name: name, dir: dir}
	if s.lock, err = filelock.Take(filepath.Join(dir, lockFile)); err != nil {
		return nil, usageError("--state %s: %w", name, err)
	}
	s.restoreCollector = limitGarbage()
	return s, nil
}

func (s *state) file() string         { return filepath.Join(s.dir, stateFile) }
func (s *state) previousName() string { return filepath.Join(s.dir, previousFile) }

// open opens the crawl in the directory. If there is none, s.store and s.command stay nil.
func (s *state) open() error {
	file, err := store.Open(s.file())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	}
	s.store = file
	if s.command, err = readCommand(file); err == nil && s.command == nil {
		err = fmt.Errorf("open the state %s: %w: no crawl was started in it", s.file(), store.ErrDamaged)
	}
	if err == nil {
		s.standing, err = file.Standing(noContext)
	}
	return err
}

// setAside renames a file that cannot be used because of an error, and prints so.
func (s *state) setAside(why error, note func(string, ...any)) error {
	if s.store != nil {
		_ = s.store.Close() // the file is not used any more
		s.store, s.command = nil, nil
	}
	aside, err := store.SetAside(s.file())
	if err != nil {
		return errors.Join(why, err)
	}
	note("%v", why)
	note("it was renamed to %s", aside)
	return nil
}

// unusable reports whether an error means that a state cannot be used, now or later.
func unusable(err error) bool {
	return errors.Is(err, store.ErrDamaged) || errors.Is(err, store.ErrOtherVersion) || errors.Is(err, check.ErrMalformed)
}

// unusableHint tells what to do about a directory or file that cannot be used because of an
// error.
func unusableHint(why error, name string) string {
	if errors.Is(why, store.ErrOtherVersion) {
		return "use that version; to start a new crawl with this one, delete " + name + " or name another directory"
	}
	return "this crawl cannot be resumed or reported; to start a new one, delete " + name + " or name another directory"
}

func standing(file *store.File) (store.Standing, error) {
	at, err := file.Standing(noContext)
	if err != nil {
		return at, unsound(err)
	}
	return at, nil
}

// stateFor opens the state directory of a check, for a new crawl or to resume one that
// the same command started. It returns nil if no directory is named.
func stateFor(name string, asked *command, note func(string, ...any)) (*state, error) {
	if name == "" {
		return nil, nil
	}
	s, err := lockState(name)
	if err != nil {
		return nil, err
	}
	if s.asked = asked; store.IsFinished(s.file()) {
		err = s.archive(note)
	} else if err = s.open(); err != nil && unusable(err) {
		err = s.setAside(err, note)
	}
	if err != nil {
		err = unsound(err)
	} else {
		err = s.prepare(note)
	}
	if err != nil {
		s.close()
		return nil, err
	}
	return s, nil
}

// prepare prepares the state for the crawl that a command asks for: it resumes a crawl that
// the same command started, or makes room for a new one.
func (s *state) prepare(note func(string, ...any)) error {
	switch {
	case s.command == nil: // there is no crawl
		return nil
	case s.standing.Finished: // in an older format
		if err := s.archive(note); err != nil {
			return unsound(err)
		}
		return nil
	}
	if differences := s.command.differences(s.asked); len(differences) > 0 {
		return usageError("--state %s: it contains an incomplete crawl that was started with other settings:\n  %s\n"+
			"%s resumes it with its own settings; to start a new crawl, delete the directory or name another",
			s.name, strings.Join(differences, "\n  "), s.resumeCommand())
	}
	if s.standing.Known > 0 && s.standing.Settled == s.standing.Known {
		note("the crawl in %s is complete, but its report was not written: writing it", s.name)
		return nil
	}
	note("resuming the crawl in %s: %d of %d targets known so far are finished", s.name, s.standing.Settled, s.standing.Known)
	return nil
}

// archive renames a complete crawl, to make room for a new one.
func (s *state) archive(note func(string, ...any)) error {
	if s.store != nil {
		err := s.store.Close()
		s.store, s.command, s.standing = nil, nil, store.Standing{}
		if err != nil {
			return err
		}
	}
	if err := store.Move(s.file(), s.previousName()); err != nil {
		return err
	}
	note("the crawl in %s is complete and kept as %s; starting a new crawl", s.name, filepath.Join(s.name, previousFile))
	return nil
}

// stdin returns what the run reads as standard input. For a resumed crawl, that is what
// the crawl was started with.
func (s *state) stdin(given io.Reader) (io.Reader, error) {
	switch {
	case s == nil:
		return given, nil
	case s.command == nil:
		s.input = &recorder{from: given}
		return s.input, nil
	}
	kept, err := s.store.Value(storedStdin)
	if err != nil {
		return nil, unsound(err)
	}
	return bytes.NewReader(kept), nil
}

// begin gives the store to a configuration that lacks only that, and the pages of the crawl before if
// pages are kept in the store, which is not so if the cache has a name of its own. A new crawl gets a
// store, with what is known of the programs that check content, and the files of directories that need
// a reference; a resumed crawl goes on with those that it was started with.
func (s *state) begin(cfg *crawler.Config, used *programs, cache string) error {
	if s == nil {
		return nil
	}
	if s.shared == nil && cfg.Keep.Cache != nil && filepath.Clean(cache) == filepath.Join(s.name, cacheFile) {
		cfg.Keep.Pages = true
		if previous, err := store.OpenPages(s.previousName()); err == nil { // without it, all pages are read
			s.previous, cfg.Keep.Previous = previous, previous
		}
	}
	err := s.create(cfg, used)
	if err == nil {
		cfg.Keep.Store = s.store.Store()
	}
	return err
}

func (s *state) create(cfg *crawler.Config, used *programs) error {
	if s.command != nil {
		return restoreFiles(s.store, cfg.Sites)
	}
	command, err := s.asked.marshal()
	if err != nil {
		return unsound(err)
	}
	about, err := json.Marshal(used)
	if err != nil {
		return unsound(err)
	}
	values := map[string][]byte{storedCommand: command, storedPrograms: about, storedFiles: packFiles(cfg.Sites)}
	if len(s.input.read) > 0 {
		values[storedStdin] = s.input.read
	}
	o := store.FileOptions{FingerprintBits: cfg.Keep.FingerprintBits, Cache: cfg.Keep.Cache, Values: values}
	if s.shared != nil {
		o.Servers = s.shared.servers()
	}
	if s.previous != nil && !cfg.Keep.Refresh && s.isAsBefore() {
		o.From = s.previousName()
	}
	s.store, err = store.Create(s.file(), o)
	if err != nil {
		return unsound(err)
	}
	s.command = s.asked
	return nil
}

// forget removes a new crawl that was refused before it began.
func (s *state) forget() error {
	if s == nil || s.store == nil || s.command != s.asked {
		return nil
	}
	if at, err := standing(s.store); err != nil || at.Known > 0 {
		return err
	}
	err := s.store.Close()
	s.store = nil
	if err == nil {
		err = store.Remove(s.file())
	}
	if err != nil {
		return unsound(err)
	}
	return nil
}

// crawl runs a crawl and reports it to the sink, together with other processes if it is
// shared.
func (s *state) crawl(ctx context.Context, cfg *crawler.Config, seeds []crawler.Seed, out result.Sink) (*result.Summary, error) {
	if s == nil || s.shared == nil {
		return crawler.Run(ctx, cfg, seeds, out)
	}
	return s.shared.run(ctx, cfg, seeds, out)
}

// visits reports whether this process visits targets: a coordinator need not do so.
func (s *state) visits() bool { return s == nil || s.shared == nil || s.shared.visits() }

// isAsBefore reports whether the same command started the crawl before, so that the pages that have
// not changed are kept as they were. A copy in which each page differs would cost more than a new file.
func (s *state) isAsBefore() bool {
	before, err := readCommand(s.previous)
	return err == nil && before != nil && before.Version == s.asked.Version && len(before.differences(s.asked)) == 0
}

// started returns when the crawl was started, in whichever session.
func (s *state) started() time.Time {
	if s == nil || s.standing.Started.IsZero() {
		return time.Now()
	}
	return s.standing.Started
}

// resumeHint tells how to resume a crawl that is not finished, or how to write its report; it
// is "" without a state. failed is the error that ended the run, if any.
func (s *state) resumeHint(failed error) string {
	switch {
	case s == nil:
		return ""
	case unusable(failed):
		return unusableHint(failed, s.name)
	}
	if at, err := standing(s.store); err == nil && at.Known > 0 && at.Settled == at.Known {
		return "the crawl is complete and kept, but not everything was written; to write the report: " + s.resumeCommand()
	}
	return "the crawl so far is kept; to resume it: " + s.resumeCommand()
}

// withHint adds the hint to the error that ended the run.
func (s *state) withHint(err error) error {
	if hint := s.resumeHint(err); hint != "" {
		return fmt.Errorf("%w\n%s", err, hint)
	}
	return err
}

// printHint prints the hint. failed is the error that ended the run, if any.
func (s *state) printHint(failed error, note func(string, ...any)) {
	if hint := s.resumeHint(failed); hint != "" {
		note("%s", hint)
	}
}

// finish records that the crawl is over and its reports are written.
func (s *state) finish() error {
	if s == nil {
		return nil
	}
	if err := s.store.Finish(noContext); err != nil {
		return err
	}
	if s.shared == nil {
		return nil
	}
	return s.shared.finish()
}

// run identifies the crawl in the history: it is the start of the crawl in nanoseconds since
// 1970, and 0 without a state.
func (s *state) run() int64 {
	if s == nil {
		return 0
	}
	at, err := standing(s.store)
	if err != nil || at.Started.IsZero() {
		return 0
	}
	return at.Started.UnixNano()
}

func (s *state) resumeCommand() string { return "orbweaver resume --state " + shellQuote(s.name) }

func shellQuote(arg string) string {
	if arg != "" && strings.Trim(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_@%+=:,./\\-") == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// close closes the store and releases the lock.
func (s *state) close() error {
	if s == nil {
		return nil
	}
	var err error
	if s.store != nil {
		err = s.store.Close()
	}
	if s.previous != nil {
		err = errors.Join(err, s.previous.Close())
	}
	s.restoreCollector()
	return errors.Join(err, s.lock.Release())
}

// recorder keeps a copy of what is read through it.
type recorder struct {
	from io.Reader
	read []byte
}

func (r *recorder) Read(p []byte) (int, error) {
	n, err := r.from.Read(p)
	r.read = append(r.read, p[:n]...)
	return n, err
}

// stateOf returns the state file for a directory or file name, and whether it is one and
// not a report.
func stateOf(name string) (file string, ok bool) {
	info, err := os.Stat(name)
	if err != nil {
		return "", false
	}
	if info.IsDir() {
		file = filepath.Join(name, stateFile)
		_, err := os.Stat(file)
		return file, !errors.Is(err, fs.ErrNotExist) // opening it tells why it cannot be read
	}
	if !info.Mode().IsRegular() {
		return "", false // a pipe can be read only once
	}
	f, err := os.Open(name)
	if err != nil {
		return "", false
	}
	defer f.Close()
	const mark = "SQLite format 3\x00"
	head := make([]byte, len(mark))
	_, err = io.ReadFull(f, head)
	return name, err == nil && string(head) == mark
}

// errNoCrawl returns the error for a directory without a crawl to resume.
func errNoCrawl(name string) error {
	return usageError("--state %s: it contains no crawl to resume; orbweaver check TARGET... --state %s starts one", name, shellQuote(name))
}

// errFinished returns the error for a directory whose crawl is complete.
func errFinished(name string) error {
	return usageError("--state %s: the crawl in it is complete; orbweaver report %s shows it, and orbweaver check starts a new one", name, shellQuote(name))
}
