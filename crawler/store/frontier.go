package store

import (
	"context"
	"fmt"
	"time"

	"github.com/orbweaver/orbweaver/crawler/internal/frontier"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/diskstore"
	"github.com/orbweaver/orbweaver/crawler/internal/frontier/shards"
	"github.com/orbweaver/orbweaver/crawler/internal/stored"
)

// Store holds the targets of a crawl: which are known, which of them is next, and what the
// others answered. Only the engine calls its methods.
type Store = frontier.Store

var (
	// ErrDamaged is wrapped by the error for a file that is not a state, or that is damaged.
	ErrDamaged = diskstore.ErrDamaged
	// ErrOtherVersion is wrapped by the error for a file that another version of Orbweaver
	// wrote in a format that this version cannot read.
	ErrOtherVersion = diskstore.ErrOtherVersion
)

// File is a store in a file, or in several if its crawl is on several servers: a state. A crawl in it can be
// resumed, and reported, by another process. The caller keeps two processes from writing the same file.
type File struct{ file shards.Valued }

// FileOptions say how a file is created. The zero value has the defaults.
type FileOptions struct {
	// FingerprintBits is the width of the fingerprints that identify targets: 64, also if it is
	// 0, or 128 for hundreds of millions of targets.
	FingerprintBits int
	// Cache is the cache of the crawl, nil without one. With it, targets have the fingerprints
	// that the cache knows them by.
	Cache *Cache
	// Values are values of the caller by name, for [File.Value].
	Values map[string][]byte
	// Servers is the number of servers of a shared crawl: see [Shared.Servers]. Each has a file of its
	// own; the second has the name of the first with "-2" before its ending. 0 means 1.
	Servers int
	// From is the name of the file of a finished crawl that the new one begins as a copy of, so that
	// what has not changed since need not be written again; "" for none. It needs a Cache. A file that
	// is not fit for that is not used.
	From string
}

// Create creates a file for a new crawl. Its directory must exist, the file must not. Only its
// owner can read it, because URLs may contain secrets. It appears when it is complete.
func Create(name string, o FileOptions) (*File, error) {
	width := frontier.Narrow
	if o.FingerprintBits != 0 {
		width = frontier.Width(o.FingerprintBits)
	}
	if o.Servers > 1 {
		var key *[16]byte
		if o.Cache != nil {
			own := o.Cache.FingerprintKey()
			key = &own
		}
		if err := shards.Create(name, o.Servers, width, key, o.Values); err != nil {
			return nil, err
		}
		return Open(name)
	}
	create := diskstore.Create
	if o.Cache != nil && o.From != "" {
		if file, err := diskstore.CreateFrom(o.From, name, width, o.Cache.FingerprintKey(), o.Values); err == nil {
			return &File{file}, nil
		}
	}
	if o.Cache != nil {
		create = func(name string, w frontier.Width, values map[string][]byte) (*diskstore.Store, error) {
			return diskstore.CreateWithKey(name, w, o.Cache.FingerprintKey(), values)
		}
	}
	file, err := create(name, width, o.Values)
	if err != nil {
		return nil, err
	}
	return &File{file}, nil
}

// Open opens a file to continue its crawl. The error wraps fs.ErrNotExist if there is none, [ErrDamaged]
// for a damaged file, and [ErrOtherVersion] for one in a format of another version. None is changed.
func Open(name string) (*File, error) { return openAll(name, diskstore.Open) }

// OpenReadOnly opens a file as it is now, even while another process writes it. Its crawl can
// be reported, but not continued. The errors are those of [Open].
func OpenReadOnly(name string) (*File, error) { return openAll(name, diskstore.OpenReadOnly) }

func openAll(name string, one func(string) (*diskstore.Store, error)) (*File, error) {
	file, err := shards.Open(name, one)
	if err != nil {
		return nil, err
	}
	return &File{file}, nil
}

// Store returns the store that is in the file.
func (f *File) Store() Store { return f.file }

// Value returns the value that the file was created with under a name, nil if there is none.
func (f *File) Value(name string) ([]byte, error) { return f.file.Value(name) }

// Standing is the progress of a crawl.
type Standing struct {
	Known, Settled int
	Started        time.Time     // start of its first session; the zero time if there was none
	elapsed        time.Duration // all of them
	Finished       bool          // the crawl is over, and its reports are written: see [File.Finish]
}

// Standing returns the progress of the crawl in the file.
func (f *File) Standing(ctx context.Context) (Standing, error) {
	if s, several := f.file.(*shards.State); several {
		s.Refresh()
	}
	c, err := f.file.Count(ctx)
	if err != nil {
		return Standing{}, fmt.Errorf("count the targets: %w", err)
	}
	sums, err := stored.ReadSums(ctx, f.file)
	if err != nil {
		return Standing{}, err
	}
	return Standing{Known: c.Known, Settled: c.Settled, Started: sums.Began, elapsed: sums.Elapsed, Finished: sums.Finished}, nil
}

// Finish records that the crawl in the file is finished: it is over, and its reports are
// written. Until then, crawler.Run reports it again, without visiting a target that is settled.
// The Summary tells whether the crawl is over (result.Soundness).
func (f *File) Finish(ctx context.Context) error { return stored.Finish(ctx, f.file) }

// IsFinished reports whether the crawl in a file is finished: see [File.Finish]. It opens nothing but
// what tells that. It is false for a file that does not exist, or that cannot be used.
func IsFinished(file string) bool {
	sums, err := diskstore.ReadTallies(file)
	return err == nil && stored.IsFinished(sums)
}

// Close writes the pending steps and closes the file.
func (f *File) Close() error { return f.file.Close() }

// Remove removes a state, with all its files. No process may use it.
func Remove(name string) error { return shards.Remove(name) }

// Move renames a state, with all its files. A state with the new name is replaced.
func Move(from, to string) error { return shards.Move(from, to) }

// SetAside renames a state that cannot be used, with all its files, and returns the new name.
func SetAside(name string) (string, error) { return shards.SetAside(name) }

// Pages reads the pages of a finished crawl, for the next one.
type Pages = diskstore.Pages

// OpenPages opens a file in the latest format that no process writes.
func OpenPages(name string) (*Pages, error) { return shards.OpenPages(name) }
