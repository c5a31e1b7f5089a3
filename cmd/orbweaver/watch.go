package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/spf13/cobra"

	"github.com/orbweaver/orbweaver/report"
)

const (
	// watchQuiet is how long files must rest before they are checked again: editors
	// and generators write many at once, and some in several steps.
	watchQuiet = 100 * time.Millisecond
	// watchPatience is the longest that a stream of changes puts a check off.
	watchPatience = 600 * time.Millisecond
	// maxWatched bounds the directories under watch.
	maxWatched = 100_000
)

// watchLinks checks the targets once, and again whenever a file below them changes:
// first everything, then what has changed since the watch began. It ends with an
// interrupt and the status of the last round.
func watchLinks(cmd *cobra.Command, o *options, args []string) error {
	reader := &targetReader{stdin: cmd.InOrStdin(), note: func(string, ...any) {}}
	targets, err := reader.read(args, o.from)
	if err != nil {
		return err
	}
	// Who reads the reports may leave: a signal that is not asked for would end us before forget.
	ctx, done := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGPIPE)
	defer done()
	w, err := newWatcher(targets, o.outputs)
	if err != nil {
		return usageError("--watch: %w", err)
	}
	defer w.Close()

	for _, file := range o.between.files() {
		if abs, err := filepath.Abs(file); err == nil {
			w.own[abs], w.own[abs+"-journal"] = true, true
		}
	}
	o.watching = true
	if o.between.cache == "" {
		forget, err := o.between.forNow()
		if err != nil {
			return unsound(fmt.Errorf("--watch: %w", err))
		}
		defer forget()
	}

	console := newConsole(cmd.ErrOrStderr(), o.progress)
	touched := newChanges()
	last := checkLinks(cmd, o, args, nil)
	for {
		if ctx.Err() != nil || fatal(last) {
			return last
		}
		directories := "directories"
		if len(w.dirs) == 1 {
			directories = "directory"
		}
		console.notef("watching %d %s; interrupt to stop", len(w.dirs), directories)
		changed, err := w.wait(ctx)
		if err != nil {
			return unsound(fmt.Errorf("watch %s: %w", strings.Join(args, " "), err))
		}
		if len(changed) == 0 {
			return last
		}
		console.notef("%s %s", time.Now().Format(time.TimeOnly), someOf(changed))
		for _, file := range changed {
			touched.add(file)
		}
		o.crawl.Changed = touched.Has
		last = checkLinks(cmd, o, args, nil)
	}
}

// forNow gives the rounds a cache of their own, so that a target on the web is asked
// when a link to it appears, and not at each save. forget takes it away.
func (b *betweenRuns) forNow() (forget func(), err error) {
	dir, err := os.MkdirTemp("", "orbweaver-watch-")
	if err != nil {
		return nil, err
	}
	b.cache = filepath.Join(dir, cacheFile)
	return func() { os.RemoveAll(dir) }, nil
}

// fatal reports whether an error is about more than links: the next round would
// meet it again.
func fatal(err error) bool {
	var exit *exitError
	return errors.As(err, &exit) && exit.err != nil
}

// someOf names files for a person.
func someOf(files []string) string {
	names := make([]string, 0, 3)
	for _, f := range files[:min(len(files), 3)] {
		if wd, err := os.Getwd(); err == nil {
			if rel, err := filepath.Rel(wd, f); err == nil {
				f = rel
			}
		}
		names = append(names, filepath.ToSlash(f))
	}
	text := strings.Join(names, ", ")
	if more := len(files) - len(names); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// watcher tells which files below some directories have changed.
type watcher struct {
	*fsnotify.Watcher
	dirs  map[string]bool // by absolute path
	roots map[string]bool // the directories of the targets, and whether those below count: they may be made anew
	own   map[string]bool // files that we write ourselves
}

func newWatcher(targets []target, outputs []report.Output) (*watcher, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{Watcher: notify, dirs: map[string]bool{}, roots: map[string]bool{}, own: map[string]bool{}}
	for _, out := range outputs {
		if abs, err := filepath.Abs(out.File); err == nil {
			w.own[abs] = true
		}
	}
	for _, t := range targets {
		dir := t.path
		switch t.kind {
		case directory:
			err = w.addRoot(dir, true)
		case document:
			err = w.addRoot(filepath.Dir(dir), false)
		default:
			err = fmt.Errorf("%s is not a file or directory", t.raw)
		}
		if err != nil {
			w.Close()
			return nil, err
		}
	}
	return w, nil
}

func (w *watcher) addDir(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if w.dirs[abs] {
		return nil
	}
	if len(w.dirs) >= maxWatched {
		return fmt.Errorf("there are more than %d directories", maxWatched)
	}
	if err := w.Add(abs); err != nil {
		return fmt.Errorf("%s: %w", filepath.Clean(dir), withoutPath(err))
	}
	w.dirs[abs] = true
	return nil
}

// addRoot watches the directory of a target, and the one that holds it: a generator
// may delete its output and make it anew.
func (w *watcher) addRoot(dir string, tree bool) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	w.roots[abs] = w.roots[abs] || tree
	_ = w.Add(filepath.Dir(abs)) // one that may not be read is not watched
	return w.addAgain(abs)
}

// addAgain watches a directory that is there, or there again: with those below it,
// unless it is watched for single documents alone.
func (w *watcher) addAgain(dir string) error {
	if tree, root := w.roots[dir]; root && !tree && !w.dirs[filepath.Dir(dir)] {
		return w.addDir(dir)
	}
	return w.addTree(dir)
}

// drop forgets a directory that has gone, and those below it: what comes in their
// place is watched anew.
func (w *watcher) drop(dir string) {
	for known := range w.dirs {
		if rest, below := strings.CutPrefix(known, dir); below && (rest == "" || os.IsPathSeparator(rest[0])) {
			_ = w.Remove(known) // the system may have done so
			delete(w.dirs, known)
		}
	}
}

// addTree watches a directory and those below it, hidden ones left out.
func (w *watcher) addTree(dir string) error {
	dir += string(filepath.Separator) // a target may be a symbolic link
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return withoutPath(err)
		case err != nil || !d.IsDir():
			return nil // it went away, or may not be read: the check says what there is to say
		case path != dir && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		return w.addDir(path)
	})
}

// wait returns the files that have changed, sorted, once they rest; none when the
// context ends. A name with a separator at its end stands for all that is, or was,
// below a directory.
func (w *watcher) wait(ctx context.Context) ([]string, error) {
	changed := map[string]bool{}
	var quiet, patience <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil, nil
		case err := <-w.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil, err
			}
			for dir := range w.roots { // what was lost may be anywhere
				w.drop(dir)
				changed[dir+string(filepath.Separator)] = true
			}
			for dir := range w.roots {
				_ = w.addAgain(dir) // one that has gone comes again with an event
			}
			quiet = time.After(watchQuiet)
		case event := <-w.Events:
			if !w.concerns(event) {
				continue
			}
			w.take(event, changed)
			quiet = time.After(watchQuiet)
			if patience == nil {
				patience = time.After(watchPatience)
			}
		case <-quiet:
			return slices.Sorted(maps.Keys(changed)), nil
		case <-patience:
			return slices.Sorted(maps.Keys(changed)), nil
		}
	}
}

// take notes what an event tells of.
func (w *watcher) take(event fsnotify.Event, changed map[string]bool) {
	whole := event.Name + string(filepath.Separator)
	if w.dirs[event.Name] && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) || event.Has(fsnotify.Create)) {
		w.drop(event.Name) // one that is moved away says nothing of the files in it
		changed[whole] = true
		delete(changed, event.Name)
	}
	if event.Has(fsnotify.Create) {
		if info, err := os.Stat(event.Name); err == nil && info.IsDir() {
			w.newDir(event.Name, changed)
		}
	}
	if !changed[whole] { // a directory that is moved is told of twice
		changed[event.Name] = true
	}
}

// newDir watches a directory that has appeared. What was put into it before the
// watch began has changed too.
func (w *watcher) newDir(dir string, changed map[string]bool) {
	if err := w.addAgain(dir); err != nil {
		return // it is gone again
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			changed[path] = true
		}
		return nil
	})
}

// concerns reports whether an event may change what a check finds: not those of
// attributes, of what lies beside a target, of hidden files, of what editors keep
// beside a file, and of our own reports.
func (w *watcher) concerns(e fsnotify.Event) bool {
	base := filepath.Base(e.Name)
	_, isRoot := w.roots[e.Name]
	switch {
	case isRoot:
		return e.Op != fsnotify.Chmod
	case !w.dirs[e.Name] && !w.dirs[filepath.Dir(e.Name)]:
		return false
	case e.Op == fsnotify.Chmod, strings.HasPrefix(base, "."), strings.HasSuffix(base, "~"), strings.HasPrefix(base, "#"):
		return false
	case strings.HasSuffix(base, ".swp"), strings.HasSuffix(base, ".tmp"), base == "4913": // vim tries whether it may write
		return false
	}
	return !w.own[e.Name]
}
