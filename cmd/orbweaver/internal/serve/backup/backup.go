// Package backup writes the data directory of the web interface to one file, also while a server
// works on it, and unpacks such a file.
//
// The file is a tar archive with serve.db, the key in secret, and of each run that has ended the
// directory runs/ID with its findings and events. Runs that have not ended are left out, with their rows.
package backup

import (
	"archive/tar"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/orbweaver/orbweaver/cmd/orbweaver/internal/serve/rows"
)

// Names in a data directory.
const (
	database = "serve.db"
	key      = "secret"
)

// Options are what a backup has, and whether it may replace a file.
type Options struct {
	WithoutRuns bool // no directories, findings and events of runs; their rows are kept
	Force       bool // replace the file
}

// Write writes a backup of a data directory to a file with mode 0600, in one step: the file is whole, or
// it is as it was. The error for a file that exists wraps fs.ErrExist.
func Write(ctx context.Context, dir, file string, o Options) (err error) {
	if _, err := os.Lstat(file); err == nil && !o.Force {
		return fmt.Errorf("write %s: %w", file, fs.ErrExist)
	}
	for _, name := range []string{database, key} {
		if _, err := os.Stat(filepath.Join(dir, name)); errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("the data directory %s has no file %s: the server makes it at its first start", dir, name)
		} else if err != nil {
			return fmt.Errorf("read the data directory: %w", err)
		}
	}
	work, err := os.MkdirTemp(filepath.Dir(file), ".orbweaver-backup-") // mode 0700, on the same disk
	if err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	defer os.RemoveAll(work)
	runs, err := copyDatabase(ctx, filepath.Join(dir, database), filepath.Join(work, database))
	if err != nil {
		return fmt.Errorf("copy %s: %w", filepath.Join(dir, database), err)
	}
	out, err := os.OpenFile(filepath.Join(work, "tar"), os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer out.Close()
	w := tar.NewWriter(out)
	err = errors.Join(add(w, work, database), add(w, dir, key))
	for _, run := range runs {
		if err != nil || o.WithoutRuns {
			break
		}
		err = errors.Join(add(w, dir, "runs/"+run), add(w, dir, "findings/"+run+".sqlite"), add(w, dir, "events/"+run+".events"))
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if err = errors.Join(out.Sync(), out.Close()); err != nil {
		return fmt.Errorf("write %s: %w", file, err)
	}
	if o.Force {
		return os.Rename(out.Name(), file)
	}
	return os.Link(out.Name(), file) // it never replaces a file
}

// copyDatabase copies a database that others may write meanwhile, without the runs that have not ended,
// and returns the ids of those that have.
func copyDatabase(ctx context.Context, from, to string) (runs []string, err error) {
	db, err := rows.Open(from, 1, "mode=rw", "_pragma=busy_timeout(30000)")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return nil, err
	}
	if err := os.Chmod(to, 0o600); err != nil {
		return nil, err
	}
	copied, err := rows.Open(to, 1, "mode=rw", "_pragma=busy_timeout(30000)")
	if err != nil {
		return nil, err
	}
	defer copied.Close()
	if _, err := copied.ExecContext(ctx, "PRAGMA foreign_keys = ON; DELETE FROM run WHERE state IN ('queued', 'running', 'stopping') OR state = 'interrupted' AND interrupted_by = 'shutdown'"); err != nil {
		return nil, err
	}
	return rows.Column[string](ctx, copied, "SELECT id FROM run ORDER BY number")
}

// add adds a file, or a directory with all that is in it, by its name in a directory. What a run does not
// have, or what is removed meanwhile, is left out.
func add(w *tar.Writer, dir, name string) error {
	err := filepath.WalkDir(filepath.Join(dir, filepath.FromSlash(name)), func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, file)
		if err != nil {
			return err
		}
		if d.IsDir() {
			return w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: filepath.ToSlash(rel) + "/", Mode: 0o700})
		}
		if !d.Type().IsRegular() {
			return nil
		}
		return addFile(w, file, filepath.ToSlash(rel))
	})
	if errors.Is(err, fs.ErrNotExist) && name != database && name != key {
		return nil
	}
	return err
}

func addFile(w *tar.Writer, file, name string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o600, Size: info.Size(), ModTime: info.ModTime()}); err != nil {
		return err
	}
	_, err = io.CopyN(w, f, info.Size())
	return err
}

// ErrNotEmpty is the error for a directory that already has something.
var ErrNotEmpty = errors.New("the directory is not empty: a backup is unpacked into an empty or a new one")

// Restore unpacks a backup into a directory that is empty or new. Names that lead out of it, and
// anything but files and directories, are refused.
func Restore(file, dir string) error {
	in, err := os.Open(file)
	if err != nil {
		return err
	}
	defer in.Close()
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	if len(entries) > 0 {
		return fmt.Errorf("restore to %s: %w", dir, ErrNotEmpty)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	if err := unpack(tar.NewReader(in), root); err != nil {
		// The directory was empty, so what is in it now is of the backup.
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			err = errors.Join(err, root.RemoveAll(e.Name()))
		}
		return fmt.Errorf("restore %s: %w", file, err)
	}
	return nil
}

func unpack(r *tar.Reader, root *os.Root) error {
	needed := map[string]bool{database: true, key: true}
	for {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return fmt.Errorf("it is no whole backup: %w", err)
		}
		name := path.Clean(h.Name)
		if !filepath.IsLocal(filepath.FromSlash(h.Name)) || strings.Contains(h.Name, `\`) {
			return fmt.Errorf("the name %q leads out of the directory", h.Name)
		}
		switch h.Typeflag {
		case tar.TypeDir:
			err = root.MkdirAll(name, 0o700)
		case tar.TypeReg:
			err = unpackFile(r, root, name)
		default:
			err = errors.New("it is neither a file nor a directory")
		}
		if err != nil {
			return fmt.Errorf("%q: %w", h.Name, err)
		}
		delete(needed, name)
	}
	for name := range needed {
		return fmt.Errorf("it is no backup: it has no %s", name)
	}
	return nil
}

func unpackFile(r io.Reader, root *os.Root, name string) error {
	if err := root.MkdirAll(path.Dir(name), 0o700); err != nil {
		return err
	}
	f, err := root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(f, r)
	return errors.Join(err, f.Close())
}
