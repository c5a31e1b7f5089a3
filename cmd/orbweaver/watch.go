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

	"github.com/orbweaver/orbweaver/crawler/fetch/disk"
	"github.com/orbweaver/orbweaver/report"
)

const (
	// quietTime is how long files must be unchanged before they are checked again:
	// editors and generators write many files at once, and some files in several steps.
	quietTime = 100 * time.Millisecond
	// maxDelay is the longest time that continuing changes delay a check.
	maxDelay = 600 * time.Millisecond
	// maxWatched limits the number of watched directories.
	maxWatched = 100_000
)

// watchLinks checks the targets, and again whenever a file below them changes: first
// everything, then what has changed since the watch started. An interrupt ends it, and
// the status is that of the last check.
func watchLinks(cmd *cobra.Command, o *options, args []string) error {
	reader := &targetReader{stdin: cmd.InOrStdin(), note: func(string, ...any) {}}
	targets, err := reader.read(args, o.from)
	if err != nil {
		return err
	}
	// If the reader of the output exits, SIGPIPE must not end the process before forget
	// is called.
	ctx, done := signal.NotifyContext(cmd.Context(), append(endingSignals(), syscall.SIGPIPE)...)
	defer done()
	w, err := newWatcher(targets, o.outputs)
	if err != nil {
		return usageError("--watch: %w", err)
	}
	defer w.Close()

	for _, file := range o.between.files() {
		if abs, err := filepath.Abs(file); err == nil {
			w.ownFiles[abs], w.ownFiles[abs+"-journal"] = true, true
		}
	}
	o.watching = true
	if o.between.cache == "" {
		forget, err := o.between.useTemporaryCache()
		if err != nil {
			return unsound(fmt.Errorf("--watch: %w", err))
		}
		defer forget()
	}

	console := newConsole(cmd.ErrOrStderr(), o.progress)
	touched := &disk.Changes{}
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
		console.notef("%s %s", time.Now().Format(time.TimeOnly), listFiles(changed))
		for _, file := range changed {
			touched.Add(file)
		}
		o.crawl.Scope.Changed = touched
		o.overwrite = true // the copy of the bookmarks is that of an earlier round
		last = checkLinks(cmd, o, args, nil)
	}
}

// useTemporaryCache makes a temporary cache for the checks, so that a target on the web is requested
// once and not after each change. forget removes it.
func (b *betweenRuns) useTemporaryCache() (forget func(), err error) {
	dir, err := os.MkdirTemp("", "orbweaver-watch-")
	if err != nil {
		return nil, err
	}
	b.cache = filepath.Join(dir, cacheFile)
	return func() { os.RemoveAll(dir) }, nil
}

// fatal reports whether an error would also end the next check, because it is not about
// findings.
func fatal(err error) bool {
	var exit *exitError
	return errors.As(err, &exit) && exit.err != nil
}

func listFiles(files []string) string {
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

// watcher reports changed files below some directories.
type watcher struct {
	*fsnotify.Watcher
	dirs     map[string]bool // by absolute path
	roots    map[string]bool // directories of targets, and whether their subdirectories are watched; they may be deleted and created again
	ownFiles map[string]bool // files that we write
}

func newWatcher(targets []target, outputs []report.Output) (*watcher, error) {
	notify, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	w := &watcher{Watcher: notify, dirs: map[string]bool{}, roots: map[string]bool{}, ownFiles: map[string]bool{}}
	for _, out := range outputs {
		if abs, err := filepath.Abs(out.File); err == nil {
			w.ownFiles[abs] = true
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

// addRoot watches the directory of a target and its parent, because a generator may
// delete its output directory and create it again.
func (w *watcher) addRoot(dir string, tree bool) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	w.roots[abs] = w.roots[abs] || tree
	_ = w.Add(filepath.Dir(abs)) // a parent that cannot be read is not watched
	return w.rewatch(abs)
}

// rewatch watches a directory that exists, or exists again, with its subdirectories
// unless it is only watched for single documents.
func (w *watcher) rewatch(dir string) error {
	if tree, root := w.roots[dir]; root && !tree && !w.dirs[filepath.Dir(dir)] {
		return w.addDir(dir)
	}
	return w.addTree(dir)
}

// unwatch stops watching a directory that was removed, and its subdirectories, so that a new
// directory in their place is watched.
func (w *watcher) unwatch(dir string) {
	for known := range w.dirs {
		if rest, below := strings.CutPrefix(known, dir); below && (rest == "" || os.IsPathSeparator(rest[0])) {
			_ = w.Remove(known) // the system may have removed it already
			delete(w.dirs, known)
		}
	}
}

// addTree watches a directory and its subdirectories, except hidden ones.
func (w *watcher) addTree(dir string) error {
	dir += string(filepath.Separator) // the target may be a symbolic link
	return filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil && path == dir:
			return withoutPath(err)
		case err != nil || !d.IsDir():
			return nil // it was removed, or cannot be read, which the check reports
		case path != dir && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		}
		return w.addDir(path)
	})
}

// wait returns the changed files, sorted, when no more changes follow. It returns none if
// the context ends. A name that ends with a separator stands for everything that is or
// was in a directory.
func (w *watcher) wait(ctx context.Context) ([]string, error) {
	changed, fresh := map[string]bool{}, map[string]bool{}
	var quiet, patience <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return nil, nil
		case err := <-w.Errors:
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				return nil, err
			}
			for dir := range w.roots { // the lost events may concern any file
				w.unwatch(dir)
				changed[dir+string(filepath.Separator)] = true
			}
			for dir := range w.roots {
				_ = w.rewatch(dir) // a directory that does not exist is watched when it is created
			}
			quiet = time.After(quietTime)
			continue
		case event := <-w.Events:
			if !w.relevant(event) {
				continue
			}
			if !changed[event.Name] && event.Has(fsnotify.Create) {
				fresh[event.Name] = true
			}
			w.handle(event, changed)
			quiet = time.After(quietTime)
			if patience == nil {
				patience = time.After(maxDelay)
			}
			continue
		case <-quiet:
		case <-patience:
		}
		quiet, patience = nil, nil
		withoutPassing(changed, fresh)
		if len(changed) > 0 {
			return slices.Sorted(maps.Keys(changed)), nil
		}
	}
}

// withoutPassing removes files that came and went again: editors and generators write to a new file,
// and then give it the name of the file that the user knows, which has changed, too.
func withoutPassing(changed, fresh map[string]bool) {
	for name := range fresh {
		if _, err := os.Lstat(name); errors.Is(err, fs.ErrNotExist) {
			delete(changed, name)
		}
	}
	clear(fresh)
}

// handle records the changes that an event reports.
func (w *watcher) handle(event fsnotify.Event, changed map[string]bool) {
	whole := event.Name + string(filepath.Separator)
	if w.dirs[event.Name] && (event.Has(fsnotify.Remove) || event.Has(fsnotify.Rename) || event.Has(fsnotify.Create)) {
		w.unwatch(event.Name) // moving a directory reports no events for its files
		changed[whole] = true
		delete(changed, event.Name)
	}
	if event.Has(fsnotify.Create) {
		if info, err := os.Stat(event.Name); err == nil && info.IsDir() {
			w.newDir(event.Name, changed)
		}
	}
	if !changed[whole] { // events on a moved directory come in pairs
		changed[event.Name] = true
	}
}

// newDir watches a new directory. Files that were added before the watch started have
// changed too.
func (w *watcher) newDir(dir string, changed map[string]bool) {
	if err := w.rewatch(dir); err != nil {
		return // it was removed again
	}
	filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			changed[path] = true
		}
		return nil
	})
}

// relevant reports whether an event may change the result of a check. It ignores changes
// of attributes, files outside the targets, hidden files, temporary files of editors, and
// files that we write.
func (w *watcher) relevant(e fsnotify.Event) bool {
	base := filepath.Base(e.Name)
	_, isRoot := w.roots[e.Name]
	switch {
	case isRoot:
		return e.Op != fsnotify.Chmod
	case !w.dirs[e.Name] && !w.dirs[filepath.Dir(e.Name)]:
		return false
	case e.Op == fsnotify.Chmod, strings.HasPrefix(base, "."), strings.HasSuffix(base, "~"), strings.HasPrefix(base, "#"):
		return false
	case strings.HasSuffix(base, ".swp"), strings.HasSuffix(base, ".tmp"), base == "4913": // vim creates 4913 to test whether it can write
		return false
	}
	return !w.ownFiles[e.Name] && !isWrittenHere(e.Name)
}

// isWrittenHere reports whether a file is the standard output or error of this process: each report
// changes it.
func isWrittenHere(name string) bool {
	file, err := os.Stat(name)
	if err != nil {
		return false
	}
	return slices.ContainsFunc([]*os.File{os.Stdout, os.Stderr}, func(ours *os.File) bool {
		info, err := ours.Stat()
		return err == nil && os.SameFile(info, file)
	})
}
